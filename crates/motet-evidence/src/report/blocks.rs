//! The blocks of a Markdown text, each as plain text with its citations in place.
//! Code and images are left out: they claim nothing in words.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::addresses::addresses;
use super::columns::Columns;
use super::html::source;
use super::{Citation, markers};
use crate::fact::plain_address;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Heading(u8),
    Paragraph,
    /// Numbered if the list is.
    Item(Option<u64>),
    /// A row of a table, with semicolons between its cells: its citation may stand in any of them.
    Row,
    Footnote(String),
}

/// Citations stand in `text` as `[^0]`, `[^1]`, … with the number of their place in `citations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    pub text: String,
    pub citations: Vec<Citation>,
    /// Places of those that are no links, but addresses in the words.
    pub bare: BTreeSet<usize>,
    /// The words of links, by the places of their citations, which follow them.
    pub labels: BTreeMap<usize, String>,
}

impl Block {
    fn new(kind: Kind) -> Self {
        Self { kind, text: String::new(), citations: Vec::new(), bare: BTreeSet::new(), labels: BTreeMap::new() }
    }
}

/// The blocks in order, and the link definitions (`[1]: https://…`) that the text uses as references.
pub fn blocks(markdown: &str) -> (Vec<Block>, Vec<(String, String)>) {
    blocks_citing(markdown, &BTreeSet::new())
}

/// The same where it is known what the entries of the reference list are called: a raised number may then be one of them.
pub fn blocks_citing(markdown: &str, known: &BTreeSet<String>) -> (Vec<Block>, Vec<(String, String)>) {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH);
    let definitions =
        parser.reference_definitions().iter().map(|(label, definition)| (label.to_string(), definition.dest.to_string())).collect();
    let mut walk = Walk { known: known.clone(), ..Walk::default() };
    for event in parser {
        walk.on(event);
    }
    walk.flush();
    (walk.found, definitions)
}

#[derive(Default)]
pub(super) struct Walk {
    found: Vec<Block>,
    current: Option<Block>,
    lists: Vec<Option<u64>>,
    /// The address of the link that is open, and where its text began.
    pub(super) link: Option<(String, usize)>,
    /// Where the raised text that is open began.
    pub(super) raised: Option<usize>,
    /// What the entries of the reference list are called.
    known: BTreeSet<String>,
    /// How many elements are open whose text does not count.
    silent: usize,
    /// The block of HTML that is open.
    html: Option<String>,
    /// Where addresses and brackets are mere words: in code, and in a link to that same address.
    quiet: Vec<Range<usize>>,
    columns: Columns,
}

impl Walk {
    fn on(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.on_start(tag),
            Event::End(tag) => self.on_end(tag),
            Event::Text(text) if self.silent == 0 => self.push(&text),
            Event::Code(text) if self.silent == 0 => {
                let begun = self.length();
                self.push(&text);
                self.quiet.push(begun..self.length());
            }
            Event::SoftBreak | Event::HardBreak if self.silent == 0 => self.push("\n"),
            Event::Html(html) => self.html.get_or_insert_default().push_str(&html),
            Event::InlineHtml(html) if self.silent == 0 => self.read_tag(&html),
            Event::FootnoteReference(label) => self.cite(Citation::Marker(label.to_string())),
            _ => {}
        }
    }

    fn on_start(&mut self, tag: Tag) {
        match tag {
            Tag::Heading { level, .. } => self.open(Kind::Heading(depth(level))),
            Tag::Paragraph => {
                let fresh = self
                    .current
                    .as_ref()
                    .is_some_and(|block| block.text.is_empty() && matches!(block.kind, Kind::Item(_) | Kind::Footnote(_)));
                if !fresh {
                    let kind = if self.lists.is_empty() { Kind::Paragraph } else { Kind::Item(None) };
                    self.open(kind);
                }
            }
            Tag::List(start) => {
                self.flush();
                self.lists.push(start);
            }
            Tag::Item => {
                let number = self.lists.last().copied().flatten();
                if let Some(Some(next)) = self.lists.last_mut() {
                    *next += 1;
                }
                self.open(Kind::Item(number));
            }
            Tag::TableHead => {
                self.columns = Columns::default();
                self.open(Kind::Row);
            }
            Tag::TableRow => self.open(Kind::Row),
            Tag::TableCell => {
                if self.current.as_ref().is_some_and(|row| !row.text.trim().is_empty()) {
                    self.push("; ");
                }
                self.columns.begin_cell(self.length());
            }
            Tag::FootnoteDefinition(label) => self.open(Kind::Footnote(label.to_string())),
            Tag::Link { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.length()));
            }
            Tag::CodeBlock(_) | Tag::Image { .. } => self.silent += 1,
            _ => {}
        }
    }

    fn on_end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::TableHead => {
                self.columns.end_head(self.current.as_ref().map_or("", |row| &row.text));
                self.flush();
            }
            TagEnd::TableRow => {
                let places = self.columns.end_row(self.current.as_ref().map_or("", |row| &row.text));
                // From the end, so that earlier places stay where they are.
                for (place, measure) in places.into_iter().rev() {
                    self.insert(place, &measure);
                }
                self.flush();
            }
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::FootnoteDefinition => self.flush(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Link => self.close_link(),
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                self.read_html(&html);
            }
            TagEnd::CodeBlock | TagEnd::Image => self.silent = self.silent.saturating_sub(1),
            _ => {}
        }
    }

    /// A link whose text is only a number is a marker with an address; the number is no part of the sentence.
    pub(super) fn close_link(&mut self) {
        let Some((address, begun)) = self.link.take() else { return };
        if let Some(block) = &mut self.current {
            let label = block.text[begun.min(block.text.len())..].trim_matches(|character: char| "[]^ ".contains(character)).to_string();
            if !label.is_empty() && label.len() <= 3 && label.bytes().all(|byte| byte.is_ascii_digit()) {
                block.text.truncate(begun);
                self.quiet.retain(|range| range.end <= begun);
            }
            if plain_address(&label) == plain_address(&address) {
                self.quiet.push(begun..block.text.len());
            }
            block.labels.insert(block.citations.len(), label);
        }
        if let Some(citation) = source(&address) {
            self.cite(citation);
        }
    }

    /// `1932<sup>1</sup>` cites the first entry; `m<sup>2</sup>` and `10<sup>6</sup>` cite nothing. Code and links in it stay as they are.
    pub(super) fn close_raised(&mut self) {
        let Some((begun, block)) = self.raised.take().zip(self.current.as_mut()) else { return };
        let Some((before, inside)) = block.text.split_at_checked(begun) else { return };
        let holds_link = self.link.as_ref().is_some_and(|(_, place)| *place > begun);
        if holds_link || self.quiet.iter().any(|range| range.end > begun) {
            return;
        }
        let is_linked = self.link.as_ref().is_some_and(|(address, _)| source(address).is_some());
        if before.trim_end_matches(' ').ends_with('\n') || before.trim().is_empty() {
            // An entry that begins so is called so.
            if let Some(raised) = markers::as_raised(inside.trim()).filter(|_| !is_linked) {
                block.text.replace_range(begun.., &raised);
            }
        } else if let Some(ids) = markers::raised_ids(before, inside.trim(), &self.known) {
            block.text.truncate(begun);
            ids.into_iter().for_each(|id| self.cite(Citation::Marker(id)));
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        let kind = if self.lists.is_empty() { Kind::Paragraph } else { Kind::Item(None) };
        let block = self.current.get_or_insert_with(|| Block::new(kind));
        // The private characters are ours: a text that has them would bring citations of its own.
        block.text.extend(text.chars().filter(|letter| !PRIVATE.contains(letter)));
    }

    fn insert(&mut self, place: usize, words: &str) {
        if let Some(block) = &mut self.current {
            block.text.insert_str(place, words);
            for range in self.quiet.iter_mut().filter(|range| range.end > place) {
                range.end += words.len();
                range.start += if range.start >= place { words.len() } else { 0 };
            }
        }
    }

    pub(super) fn length(&self) -> usize {
        self.current.as_ref().map_or(0, |block| block.text.len())
    }

    fn cite(&mut self, citation: Citation) {
        self.push("");
        if let Some(block) = &mut self.current {
            // A private character until the block is whole: brackets of the text itself are still to be read.
            block.text.push_str(&format!("\u{e000}{}\u{e001}", block.citations.len()));
            block.citations.push(citation);
        }
    }

    fn open(&mut self, kind: Kind) {
        self.flush();
        self.current = Some(Block::new(kind));
    }

    pub(super) fn flush(&mut self) {
        let quiet = std::mem::take(&mut self.quiet);
        // Neither goes on in another block, whatever the tags say: its places mean nothing there.
        (self.raised, self.link) = (None, None);
        if let Some(block) = self.current.take().filter(|block| !block.text.trim().is_empty()) {
            self.found.push(with_citations(block, &quiet, &self.known));
        }
    }
}

/// Stands for the bracket of `[^` in what is code, so that it is not taken for the place of a citation.
pub const BRACKET: char = '\u{e003}';

/// What stands for something else while a block is read; `\u{e002}` is left to whoever reads one line.
const PRIVATE: [char; 6] = ['\u{e000}', '\u{e001}', BRACKET, '\u{e004}', '\u{e005}', '\u{e006}'];

/// Turns the markers in the text into citations; an address in the words is a citation of itself. What stands in code is neither.
fn with_citations(block: Block, quiet: &[Range<usize>], known: &BTreeSet<String>) -> Block {
    let source = block.text.as_str();
    let mut text = String::with_capacity(source.len());
    let mut citations = block.citations;
    let mut bare = block.bare;
    let quiet = joined(quiet);
    let quiet_until = |place: usize| {
        let next = quiet.partition_point(|range| range.end <= place);
        quiet.get(next).filter(|range| range.contains(&place)).map(|range| range.end)
    };
    let addresses = addresses(source).into_iter().filter(|span| quiet_until(span.start).is_none());
    let mut from = 0;
    for (end, address) in addresses.map(|span| (span.end, Some(span.of(source)))).chain([(source.len(), None)]) {
        while let Some(place) = source[from..end].find(markers::may_begin).map(|place| from + place) {
            text.push_str(&source[from..place]);
            let rest = &source[place..end];
            from = match (placed(rest), quiet_until(place), markers::marker(&source[..place], rest, known)) {
                (Some((number, length)), _, _) => {
                    text.push_str(&format!("[^{number}]"));
                    place + length
                }
                (None, Some(until), _) => {
                    // A citation may stand in a link whose words are quiet.
                    let words = &source[place..until.min(end)];
                    let words = words.split('\u{e000}').next().unwrap_or(words);
                    text.push_str(&words.replace("[^", &format!("{BRACKET}^")));
                    place + words.len()
                }
                (None, None, Some((ids, length))) => {
                    for id in ids {
                        text.push_str(&format!("[^{}]", citations.len()));
                        citations.push(Citation::Marker(id));
                    }
                    place + length
                }
                (None, None, None) => {
                    let bracket = rest.chars().next().unwrap_or('[');
                    text.push(bracket);
                    place + bracket.len_utf8()
                }
            };
        }
        text.push_str(&source[from..end]);
        from = end;
        if let Some(address) = address {
            text.push_str(&format!("[^{}]", citations.len()));
            bare.insert(citations.len());
            citations.push(Citation::Link(address.to_string()));
        }
    }
    Block { kind: block.kind, text, citations, bare, labels: block.labels }
}

/// In order, with those that overlap as one.
fn joined(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ranges = ranges.to_vec();
    ranges.sort_by_key(|range| range.start);
    let mut found: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match found.last_mut().filter(|last| range.start < last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => found.push(range),
        }
    }
    found
}

/// The number of a citation that was placed while the block was read, and how long it is.
fn placed(text: &str) -> Option<(&str, usize)> {
    let (number, _) = text.strip_prefix('\u{e000}')?.split_once('\u{e001}')?;
    Some((number, '\u{e000}'.len_utf8() + number.len() + '\u{e001}'.len_utf8()))
}

fn depth(level: HeadingLevel) -> u8 {
    level as u8
}
