//! What stands beside a sentence and says what it is about: the title, the headings above it, and the sentences that it points back to.
//! A sentence with a subject of its own borrows none: what its neighbours speak of is something else.

use std::collections::BTreeSet;

use super::fences::fences;
use super::statements::{Statement, prose};
use crate::archive::Document;
use crate::asking::{Asked, stems};
use crate::extract::Kind;
use crate::text::words::is_stop;
use crate::text::{self, Span, fold, is_sign, sentences, tokens};

/// How many sentences before one it may point back to, and how far away they may be.
const SENTENCES: usize = 3;
const BYTES: usize = 1200;
/// What stands before a colon in so few words is the name of a value, and no subject.
const WORDS_OF_A_NAME: usize = 4;

/// The words beside the sentences of one document.
pub struct Beside<'a> {
    document: &'a Document,
    title: BTreeSet<String>,
    /// Where each begins, how deep it is, and its words.
    headings: Vec<(usize, usize, BTreeSet<String>)>,
}

impl<'a> Beside<'a> {
    pub fn new(document: &'a Document) -> Self {
        let kind = document.record.kind;
        let code = fences(&document.text, kind);
        let (mut headings, mut at) = (Vec::new(), 0);
        for line in document.text.split_inclusive('\n').filter(|_| kind != Kind::Code) {
            let depth = line.len() - line.trim_start_matches('#').len();
            let is_code = || code.get(code.partition_point(|fence| fence.end <= at)).is_some_and(|fence| fence.start <= at);
            if (1..=6).contains(&depth) && line[depth..].starts_with(' ') && !is_code() {
                headings.push((at, depth, stems(line)));
            }
            at += line.len();
        }
        Self { document, title: stems(document.record.title.as_deref().unwrap_or_default()), headings }
    }

    /// What a statement in this passage may be taken to speak of, though it does not say so itself.
    pub fn of(&self, statement: &Statement, passage: Span, asked: &Asked) -> BTreeSet<String> {
        let above = self.above(statement.at);
        let subject = Subject::of(&statement.text);
        let is_known = |words: &BTreeSet<String>| asked.is_spoken_of(words) || !words.is_disjoint(&above);
        // A row stands for a sentence about its table, and a named value for one about its document.
        let has_none = statement.exact.contains('|') || subject.points_back || is_value(&statement.text);
        if !has_none && (!is_known(&subject.words) || subject.names.iter().any(|name| !is_known(&BTreeSet::from([name.clone()])))) {
            return BTreeSet::new();
        }
        // What is named in the title only is what the document is about, and not what the sentence before is about.
        let is_asked_for = |name: &String| asked.is_spoken_of(&BTreeSet::from([name.clone()]));
        if !has_none && !subject.names.is_empty() && !subject.names.iter().any(is_asked_for) {
            return above;
        }
        let before = match self.document.record.kind {
            Kind::Code => stems(passage.of(&self.document.text)),
            _ => self.before(statement.at),
        };
        above.into_iter().chain(before).collect()
    }

    /// The title, and every heading that this stands under.
    pub fn above(&self, at: usize) -> BTreeSet<String> {
        let mut words = self.title.clone();
        let mut depth = usize::MAX;
        for (_, level, heading) in self.headings.iter().rev().filter(|(start, ..)| *start < at) {
            if *level < depth {
                words.extend(heading.iter().cloned());
                depth = *level;
            }
        }
        words
    }

    /// The last sentences under the same heading, and the one that leads to the list that this stands in.
    fn before(&self, at: usize) -> BTreeSet<String> {
        let text = &self.document.text;
        let section = self.headings.iter().rev().find(|(start, ..)| *start < at).map_or(0, |(start, ..)| *start);
        let nearest = (at.saturating_sub(BYTES)..=at).find(|place| text.is_char_boundary(*place)).unwrap_or(at);
        let said = prose(text, Span::new(section.max(nearest), at), self.document.record.kind);
        let spans = sentences(&said);
        let leads = spans.iter().rfind(|span| span.of(&said).ends_with(':'));
        spans.iter().rev().take(SENTENCES).chain(leads).flat_map(|span| stems(span.of(&said))).collect()
    }
}

/// How a sentence begins.
struct Subject {
    /// With a word for something that was named before.
    points_back: bool,
    /// Its first words that carry meaning.
    words: BTreeSet<String>,
    /// Those of them that are names.
    names: BTreeSet<String>,
}

impl Subject {
    fn of(sentence: &str) -> Self {
        let mut subject = Self { points_back: false, words: BTreeSet::new(), names: BTreeSet::new() };
        // Where words are not parted, nobody can tell the first.
        if sentence.contains(is_sign) {
            subject.words = stems(sentence);
            return subject;
        }
        for (place, token) in tokens(sentence).iter().enumerate() {
            let written = token.of(sentence);
            let word = fold(written);
            let carries = token.kind == text::Kind::Word && !is_stop(&word);
            match carries {
                true => {
                    let stem = text::words::stem(&word);
                    if place > 0 && written.starts_with(char::is_uppercase) {
                        subject.names.insert(stem.clone());
                    }
                    subject.words.insert(stem);
                }
                false if !subject.words.is_empty() => break,
                false => subject.points_back |= points_back(&word),
            }
        }
        subject
    }
}

/// Whether a word stands for something that was named before.
pub fn points_back(word: &str) -> bool {
    let names = ["it", "they", "this", "these", "those", "that", "them", "he", "she", "both", "which"];
    names.contains(&word) || ["its", "their", "his", "her"].contains(&word)
}

fn is_value(sentence: &str) -> bool {
    let name = sentence.split_once(": ").map(|(name, _)| name);
    name.is_some_and(|name| name.split_whitespace().count() <= WORDS_OF_A_NAME)
}
