//! A source, read once, so that many claims can be compared with it quickly.
//! It keeps what the page says and leaves out its list of references: a title in a bibliography supports nothing.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::body::body_end;
use crate::text::{Kind, Number, Span, Token, Vocabulary, fold_into, numbers, sentences, tokens, words};

/// A sentence of the page.
#[derive(Clone, Copy, Debug)]
pub struct Sentence {
    pub span: Span,
    /// First token, and the one after the last.
    pub tokens: (usize, usize),
}

/// The text of a source as claims are compared with it.
#[derive(Clone, Debug)]
pub struct Page {
    pub text: String,
    /// Where the references begin, or the end of the text.
    pub body: Span,
    pub sentences: Vec<Sentence>,
    pub tokens: Vec<Token>,
    /// The stem of each token; none for marks and numbers.
    pub stems: Vec<u32>,
    pub vocabulary: Vocabulary,
    /// In how many sentences each stem stands.
    pub frequency: Vec<u32>,
    pub numbers: Vec<(Number, usize)>,
    /// How many clauses ended before each token.
    clauses: Vec<u32>,
    /// What its lists say, as whoever compares whole sentences knows them, once somebody has asked.
    pub(crate) lists: OnceLock<BTreeMap<String, Span>>,
}

/// No stem: the token is a mark or a number.
pub const NOTHING: u32 = u32::MAX;

impl Page {
    pub fn of(text: &str) -> Self {
        let body = Span::new(0, body_end(text));
        let read = body.of(text);
        let tokens = tokens(read);
        let sentences = placed(&sentences(read), &tokens);
        let (stems, vocabulary) = stemmed(read, &tokens);
        let frequency = frequency(&stems, &sentences, vocabulary.len());
        let numbers = numbers(read, &tokens).into_iter().map(|number| (number, sentence_of(&sentences, number.tokens.0))).collect();
        let clauses = clauses(read, &tokens);
        Self { text: text.to_string(), body, sentences, tokens, stems, vocabulary, frequency, numbers, clauses, lists: OnceLock::new() }
    }

    /// The number of a word of a claim on this page, by its stem.
    pub fn find(&self, stem: &str) -> Option<u32> {
        self.vocabulary.find(stem)
    }

    /// The numbers of one sentence.
    pub fn numbers_in(&self, sentence: usize) -> impl Iterator<Item = &Number> {
        let first = self.numbers.partition_point(|(_, place)| *place < sentence);
        self.numbers[first..].iter().take_while(move |(_, place)| *place == sentence).map(|(number, _)| number)
    }

    /// How far two tokens are from each other; the end of a clause is as far as several words.
    pub fn distance(&self, one: usize, other: usize) -> usize {
        const CLAUSE: usize = 6;
        let (from, to) = (one.min(other), one.max(other));
        to - from + (self.clauses[to] - self.clauses[from]) as usize * CLAUSE
    }

    /// The number of the clause that a token stands in.
    pub fn clause_of(&self, token: usize) -> u32 {
        self.clauses[token]
    }

    /// How rare a stem is here: 1 for a word of one sentence or none, less for words that stand everywhere.
    pub fn rarity(&self, stem: Option<u32>) -> f64 {
        let all = self.sentences.len().max(1) as f64;
        let with = stem.map_or(0.0, |stem| f64::from(self.frequency[stem as usize])).max(1.0);
        ((1.0 + all / with).ln() / (1.0 + all).ln()).clamp(0.25, 1.0)
    }
}

/// Marks and words after which something else is spoken of.
pub fn ends_clause(raw: &str) -> bool {
    matches!(raw, "," | ";" | ":" | "—" | "–" | "(" | ")" | "while" | "but" | "whereas" | "compared" | "against")
}

fn clauses(text: &str, tokens: &[Token]) -> Vec<u32> {
    let mut ended = 0;
    let before = (0..tokens.len()).map(|at| {
        let so_far = ended;
        ended += u32::from(ends_clause(tokens[at].of(text)) || begins_count(text, tokens, at));
        so_far
    });
    before.collect()
}

/// `in Berlin and 340 in Paris`: what stands before `and` is not said of the number after it. `5 and 9` are one range or list.
fn begins_count(text: &str, tokens: &[Token], at: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    at > 0 && tokens[at].of(text) == "and" && kind(at + 1) == Some(Kind::Number) && kind(at - 1) == Some(Kind::Word)
}

fn placed(spans: &[Span], tokens: &[Token]) -> Vec<Sentence> {
    let mut at = 0;
    let mut found = Vec::with_capacity(spans.len());
    for span in spans {
        while tokens.get(at).is_some_and(|token| token.span.start < span.start) {
            at += 1;
        }
        let first = at;
        while tokens.get(at).is_some_and(|token| token.span.start < span.end) {
            at += 1;
        }
        found.push(Sentence { span: *span, tokens: (first, at) });
    }
    found
}

fn sentence_of(sentences: &[Sentence], token: usize) -> usize {
    sentences.partition_point(|sentence| sentence.tokens.1 <= token).min(sentences.len().saturating_sub(1))
}

/// Each distinct word is stemmed once.
fn stemmed(text: &str, tokens: &[Token]) -> (Vec<u32>, Vocabulary) {
    let mut spellings = Vocabulary::with_room_for(tokens.len() / 2);
    let mut stem_of: Vec<u32> = Vec::new();
    let mut vocabulary = Vocabulary::with_room_for(tokens.len() / 2);
    let mut folded = String::new();
    let stems = tokens.iter().map(|token| {
        if token.kind != Kind::Word {
            return NOTHING;
        }
        fold_into(token.of(text), &mut folded);
        let (spelling, is_new) = spellings.insert(&folded);
        if is_new {
            stem_of.push(words::with_stem(&folded, |stem| vocabulary.insert(stem).0));
        }
        stem_of[spelling as usize]
    });
    (stems.collect(), vocabulary)
}

fn frequency(stems: &[u32], sentences: &[Sentence], size: usize) -> Vec<u32> {
    let mut frequency = vec![0; size];
    let mut last_seen = vec![usize::MAX; size];
    for (number, sentence) in sentences.iter().enumerate() {
        for stem in stems[sentence.tokens.0..sentence.tokens.1].iter().filter(|stem| **stem != NOTHING) {
            let stem = *stem as usize;
            if last_seen[stem] != number {
                last_seen[stem] = number;
                frequency[stem] += 1;
            }
        }
    }
    frequency
}
