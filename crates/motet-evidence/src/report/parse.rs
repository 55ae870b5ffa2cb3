//! Reads a Markdown report: which sentence cites what, and what the references are.
//! It reads every report to the end; what is wrong with it is said by `verify`.

use std::collections::BTreeSet;

use super::asides::{Entries, announces_source, is_name_of_source, repeats_entry, without_asides};
use super::blocks::{Block, Kind, blocks_citing};
use super::columns;
use super::raised::with_plain_numbers;
use super::references::{self, placeholders, without_placeholders};
use super::remarks::is_remark;
use super::{CAVEATS, Citation, Heading, Reference, Report, Sentence, open};
use crate::text::{fold, numbers, sentences, tokens};

/// What a sentence says at its end if its writer could not verify it.
const UNVERIFIED: &str = "(unverified)";

pub fn parse(markdown: &str) -> Report {
    parse_answer(markdown, &[])
}

/// A report whose front matter does not yet say all that was asked.
pub(crate) fn parse_answer(markdown: &str, asked: &[String]) -> Report {
    let markdown = markdown.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let report = read(&markdown, asked, &Entries::default());
    // What an entry may be called is known only when all of them were read.
    if report.references.is_empty() { report } else { read(&markdown, asked, &Entries::of(report.references)) }
}

fn read(markdown: &str, asked: &[String], entries: &Entries) -> Report {
    let (about, text) = front_matter(markdown);
    let (blocks, definitions) = blocks_citing(text, &entries.ids());
    let questions = questions(about);
    let told = questions.iter().cloned().chain(["topic:", "core_question:"].iter().filter_map(|key| said(about, key)));
    let asked = told.chain(asked.iter().cloned()).collect();
    let mut report = Report { questions, asked, ..Report::default() };
    let listed = listed(&blocks);
    let mut section = Section::default();
    // The reference that was read last: what follows without a number of its own belongs to it.
    let mut entry = None;
    for block in &blocks {
        match &block.kind {
            Kind::Heading(level) => {
                section.open(*level, &without_placeholders(&block.text), &mut report);
                if !block.citations.is_empty() && !section.is_references {
                    add_sentences(block, &section.name, entries, &mut report);
                }
            }
            Kind::Footnote(label) => references::define(&mut report, label.clone(), references::entry(&block.text, block)),
            Kind::Paragraph if opens_references(block) => {
                section.is_references = true;
                references::read(block, &mut report, &mut entry);
            }
            _ if section.is_references || is_loose_entry(block, &listed, entries) => references::read(block, &mut report, &mut entry),
            _ if section.is_contents => report.contents.push(without_placeholders(&block.text)),
            _ => add_sentences(block, &section.name, entries, &mut report),
        }
    }
    for (label, address) in definitions {
        report.references.entry(label).or_insert(Reference { text: String::new(), address: Some(address) });
    }
    report
}

/// What the entries are called that stand in a reference list, or are footnotes.
fn listed(blocks: &[Block]) -> BTreeSet<String> {
    let (mut report, mut section, mut entry) = (Report::default(), Section::default(), None);
    for block in blocks {
        match &block.kind {
            Kind::Heading(level) => section.open(*level, &without_placeholders(&block.text), &mut report),
            Kind::Footnote(label) => references::define(&mut report, label.clone(), Reference::default()),
            kind => {
                section.is_references |= *kind == Kind::Paragraph && opens_references(block);
                if section.is_references {
                    references::read(block, &mut report, &mut entry);
                }
            }
        }
    }
    report.references.into_keys().collect()
}

/// Whether a block outside of the reference list is entries of it. One that the list has already is named again there, or something is
/// said of it.
fn is_loose_entry(block: &Block, listed: &BTreeSet<String>, entries: &Entries) -> bool {
    let is_listed = |id: String| listed.contains(&id);
    references::is_entries(block)
        && (!references::first_id(block).is_some_and(is_listed) || !entries.is_empty() && repeats_entry(block, entries))
}

/// `**References**` or `Sources:` as a line of its own opens the list as a heading does.
fn opens_references(block: &Block) -> bool {
    block.text.lines().next().is_some_and(|line| without_placeholders(line) == line.trim() && references::is_heading(line))
}

/// What stands between two `---` at the very beginning is about the report, and no part of it.
fn front_matter(markdown: &str) -> (&str, &str) {
    let inside = markdown.strip_prefix("---\n");
    inside.and_then(|inside| inside.split_once("\n---\n")).unwrap_or(("", markdown))
}

/// What one line of the front matter says, in quotation marks or without.
fn said(about: &str, key: &str) -> Option<String> {
    let value = about.lines().find_map(|line| line.strip_prefix(key))?.trim();
    Some(serde_json::from_str(value).unwrap_or_else(|_| value.to_string()))
}

/// `questions: ["…", "…"]`, or one question on each line below it after a dash.
fn questions(about: &str) -> Vec<String> {
    let mut lines = about.lines().skip_while(|line| !line.starts_with("questions:"));
    let listed = lines.next().and_then(|line| line.strip_prefix("questions:")).unwrap_or_default().trim();
    if !listed.is_empty() {
        return serde_json::from_str(listed).unwrap_or_default();
    }
    let below = lines.map_while(|line| line.trim_start().strip_prefix("- "));
    below.map(|question| question.trim().trim_matches(['"', '\'']).to_string()).collect()
}

#[derive(Default)]
struct Section {
    name: String,
    is_references: bool,
    is_contents: bool,
    level: u8,
}

impl Section {
    fn open(&mut self, level: u8, text: &str, report: &mut Report) {
        if report.title.is_none() && level == 1 {
            report.title = Some(text.to_string());
        }
        report.headings.push(Heading { level, text: text.to_string() });
        // Headings inside the reference list group its entries and do not end it.
        let inside = self.is_references && level > self.level;
        if !inside {
            let plain = text.to_lowercase();
            *self = Self {
                name: text.to_string(),
                is_references: references::is_heading(text),
                is_contents: ["table of contents", "contents"].contains(&plain.trim()),
                level,
            };
        }
    }
}

fn add_sentences(block: &Block, section: &str, entries: &Entries, report: &mut Report) {
    if let Some(question) = open::question(&block.text).filter(|_| section == CAVEATS && block.citations.is_empty()) {
        report.left_open.push(question.to_string());
        return;
    }
    let first = report.sentences.len();
    for span in sentences(&block.text) {
        let raw = span.of(&block.text);
        let citations: Vec<Citation> = placeholders(raw).into_iter().filter_map(|place| block.citations.get(place).cloned()).collect();
        let follows = report.sentences.len() > first;
        let said = without_asides(raw, block, entries);
        let is_aside = !citations.is_empty() && !without_placeholders(&said).contains(char::is_alphanumeric);
        // It belongs to what stands above it, and nobody knows to how much of that.
        if !follows && !citations.is_empty() && announces_source(raw, block, entries) {
            report.named.extend(citations);
            continue;
        }
        // Without such a word it is all that is said in its paragraph.
        let raw = if is_aside { raw } else { said.as_str() };
        let text = without_placeholders(raw);
        if follows && !citations.is_empty() && (is_aside || is_only_a_source(&text, &citations)) {
            if let Some(before) = report.sentences.last_mut() {
                before.citations.extend(citations.iter().cloned());
            }
            // What says more than that is also a sentence of its own.
            if is_aside || is_remark(&text) || is_name_of_source(raw, block, entries) {
                continue;
            }
        }
        let is_left_open = citations.is_empty() && section == CAVEATS && open::is_left_open(&text, &report.asked);
        if text.chars().any(char::is_alphanumeric) && !is_left_open {
            let readings = columns::readings(raw).iter().map(|reading| without_placeholders(reading)).collect();
            report.sentences.push(Sentence { readings, ..sentence(text, section, citations) });
        }
    }
}

/// `It costs 4 billion (unverified).`: the mark stands at the end, before what closes the sentence. The word alone is no mark.
pub fn is_marked(text: &str) -> bool {
    let mut rest = text.trim_end();
    while !rest.ends_with(UNVERIFIED) {
        match rest.strip_suffix(['.', '!', '?', '…', '。', '！', '？', '"', '”', '»', '’', '\'', ')', '*', '_']) {
            Some(shorter) => rest = shorter,
            None => return false,
        }
    }
    true
}

/// `(Reuters)`, `Source: Reuters`, or a link alone after a sentence belongs to it.
fn is_only_a_source(text: &str, citations: &[Citation]) -> bool {
    let words = text.split_whitespace().count();
    let bracketed = text.starts_with('(') && text.trim_end_matches('.').ends_with(')');
    let named = ["source:", "sources:", "see ", "via "].iter().any(|word| text.to_lowercase().starts_with(word));
    let claims = text.split_whitespace().any(|word| ["is", "are", "was", "were", "has", "had", "have", "cost", "costs"].contains(&word));
    let links = citations.iter().all(|citation| matches!(citation, Citation::Link(_)));
    let link_alone = links && words <= 4 && !text.ends_with(['.', '!', '?']);
    (bracketed || named) && words <= 12 && !claims || link_alone
}

fn sentence(text: String, section: &str, citations: Vec<Citation>) -> Sentence {
    let said = with_plain_numbers(&text, |_| false).into_owned();
    let tokens = tokens(&said);
    let words: Vec<String> = tokens.iter().map(|token| fold(token.of(&said))).collect();
    let bears_number = numbers(&said, &tokens).iter().any(|number| !number.ambiguous);
    Sentence {
        marked_unverified: is_marked(&text),
        bears_number,
        bears_superlative: words.iter().any(|word| is_superlative(word)),
        bears_quotation: text.contains(['“', '"', '«']),
        section: section.to_string(),
        citations,
        text,
        readings: Vec::new(),
    }
}

pub(crate) fn is_superlative(word: &str) -> bool {
    const PLAIN: [&str; 9] = ["most", "least", "best", "worst", "first", "last", "only", "highest", "lowest"];
    const NOT: [&str; 18] = [
        "interest", "west", "test", "rest", "request", "forest", "guest", "harvest", "protest", "contest", "invest", "suggest", "latest",
        "honest", "modest", "manifest", "arrest", "quest",
    ];
    PLAIN.contains(&word) || word.ends_with("est") && word.len() >= 6 && !NOT.contains(&word)
}
