//! The blocks of a Markdown text, each as plain text with its citations in place.
//! Code and images are left out: they claim nothing in words.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::Citation;
use super::addresses::addresses;
use super::html::source;
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
}

impl Block {
    fn new(kind: Kind) -> Self {
        Self { kind, text: String::new(), citations: Vec::new(), bare: BTreeSet::new() }
    }
}

/// The blocks in order, and the link definitions (`[1]: https://…`) that the text uses as references.
pub fn blocks(markdown: &str) -> (Vec<Block>, Vec<(String, String)>) {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH);
    let definitions =
        parser.reference_definitions().iter().map(|(label, definition)| (label.to_string(), definition.dest.to_string())).collect();
    let mut walk = Walk::default();
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
    /// How many elements are open whose text does not count.
    silent: usize,
    /// The block of HTML that is open.
    html: Option<String>,
    /// Where addresses are mere words: in code, and in a link to that same address.
    quiet: Vec<Range<usize>>,
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
            Tag::TableHead | Tag::TableRow => self.open(Kind::Row),
            Tag::TableCell if self.current.as_ref().is_some_and(|row| !row.text.trim().is_empty()) => self.push("; "),
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
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::TableHead | TagEnd::TableRow | TagEnd::FootnoteDefinition => {
                self.flush();
            }
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
            }
            if plain_address(&label) == plain_address(&address) {
                self.quiet.push(begun..block.text.len());
            }
        }
        if let Some(citation) = source(&address) {
            self.cite(citation);
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        let kind = if self.lists.is_empty() { Kind::Paragraph } else { Kind::Item(None) };
        self.current.get_or_insert_with(|| Block::new(kind)).text.push_str(text);
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
        if let Some(block) = self.current.take().filter(|block| !block.text.trim().is_empty()) {
            self.found.push(with_markers(with_addresses(block, &quiet)));
        }
    }
}

/// An address in the words is a citation of itself.
fn with_addresses(mut block: Block, quiet: &[Range<usize>]) -> Block {
    let is_quiet = |place: usize| quiet.iter().any(|range| range.contains(&place));
    // From the end, so that earlier places stay where they are.
    for span in addresses(&block.text).into_iter().rev().filter(|span| !is_quiet(span.start)) {
        let place = block.citations.len();
        block.citations.push(Citation::Link(span.of(&block.text).to_string()));
        block.bare.insert(place);
        block.text.insert_str(span.end, &format!("\u{e000}{place}\u{e001}"));
    }
    block
}

/// Turns `[3]`, `[3, 5–7]`, `[^a]`, `[S01]` in the text into citations.
fn with_markers(block: Block) -> Block {
    let mut text = String::with_capacity(block.text.len());
    let mut citations = block.citations;
    let mut rest = block.text.as_str();
    while let Some(place) = rest.find(['[', '【', '\u{e000}']) {
        text.push_str(&rest[..place]);
        rest = &rest[place..];
        if let Some((number, after)) = rest.strip_prefix('\u{e000}').and_then(|inside| inside.split_once('\u{e001}')) {
            text.push_str(&format!("[^{number}]"));
            rest = after;
        } else if let Some((ids, after)) = marker(rest) {
            for id in ids {
                text.push_str(&format!("[^{}]", citations.len()));
                citations.push(Citation::Marker(id));
            }
            rest = after;
        } else {
            let bracket = rest.chars().next().unwrap_or('[');
            text.push(bracket);
            rest = &rest[bracket.len_utf8()..];
        }
    }
    text.push_str(rest);
    Block { kind: block.kind, text, citations, bare: block.bare }
}

/// The marker that a text begins with, and what follows it. `【4†source】` says after its number where in the source.
fn marker(text: &str) -> Option<(Vec<String>, &str)> {
    let (body, after) = match text.strip_prefix('【') {
        Some(inside) => inside.split_once('】').map(|(body, after)| (body.split('†').next().unwrap_or(body), after))?,
        None => text.strip_prefix('[')?.split_once(']')?,
    };
    Some((marker_ids(body)?, after))
}

/// What a pair of brackets refers to; none if it is no marker.
pub fn marker_ids(body: &str) -> Option<Vec<String>> {
    if let Some(label) = body.strip_prefix('^') {
        return (!label.is_empty() && !label.contains(char::is_whitespace)).then(|| vec![label.to_string()]);
    }
    let mut ids = Vec::new();
    for part in body.split([',', ';']).map(str::trim) {
        match part.split_once(['-', '–']) {
            Some((first, last)) if is_number(first.trim()) && is_number(last.trim()) => {
                let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
                if last < first || last - first > 50 {
                    return None;
                }
                ids.extend((first..=last).map(|number| number.to_string()));
            }
            _ if is_number(part) || is_source_id(part) => ids.push(part.to_string()),
            _ => return None,
        }
    }
    Some(ids)
}

fn is_number(part: &str) -> bool {
    (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// `S01`, `Fact-012`.
fn is_source_id(part: &str) -> bool {
    let digits = part.strip_prefix("Fact-").or_else(|| part.strip_prefix('S')).unwrap_or_default();
    (2..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn depth(level: HeadingLevel) -> u8 {
    level as u8
}
