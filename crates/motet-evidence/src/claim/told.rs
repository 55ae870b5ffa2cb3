//! What a sentence tells of a claim once `it`, `he` and `the company` are read as what was named before, and the page's subject is taken as known.
//! No grammar: whatever was named last, or in the heading, may be meant. What is carried over counts for less than what is said.

use super::matching::Matching;
use super::page::Page;
use super::statement::Part;
use crate::text::{Kind, fold};

/// What the heading has is meant throughout, and of an opening sentence at least the names.
const SUBJECT_NAME: f32 = 0.85;
const HEADING_WORD: f32 = 0.6;
const OPENING_WORD: f32 = 0.35;
/// What the sentence before has, if this one refers back to it.
const RECENT_NAME: f32 = 0.85;
const RECENT_WORD: f32 = 0.6;

/// For each sentence and each part of the claim, how well the sentence tells it.
#[derive(Debug)]
pub struct Told {
    parts: usize,
    strength: Vec<f32>,
}

impl Told {
    pub fn of(matching: &Matching) -> Self {
        let (statement, page) = (matching.statement, matching.page);
        let parts = statement.slots.len();
        let mut told = Self { parts, strength: vec![0.0; parts * matching.sentences()] };
        let is_name = |part: usize| matches!(statement.slots[part].part, Part::Word { in_name: true, .. });
        let is_number = |part: usize| matches!(statement.slots[part].part, Part::Number(_));
        let subject_word = if opens_with_heading(page) { HEADING_WORD } else { OPENING_WORD };
        for sentence in 0..matching.sentences() {
            let refers_back = sentence > 0 && refers_back(page, sentence);
            for part in 0..parts {
                let mut strength = matching.strength(part, sentence) as f32;
                // A number is said of one thing at one place and is never meant silently.
                if sentence > 0 && !is_number(part) {
                    let (subject, recent) = if is_name(part) { (SUBJECT_NAME, RECENT_NAME) } else { (subject_word, RECENT_WORD) };
                    strength = strength.max(told.strength[part] * subject);
                    if refers_back {
                        strength = strength.max(told.strength[(sentence - 1) * parts + part] * recent);
                    }
                }
                told.strength[sentence * parts + part] = strength;
            }
        }
        told
    }

    pub fn strength(&self, part: usize, sentence: usize) -> f64 {
        f64::from(self.strength[sentence * self.parts + part])
    }

    /// The share of the weights that each sentence tells.
    pub fn shares(&self, weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        if self.parts == 0 || total == 0.0 {
            return Vec::new();
        }
        let share = |row: &[f32]| row.iter().zip(weights).map(|(strength, weight)| f64::from(*strength) * weight).sum::<f64>() / total;
        self.strength.chunks(self.parts).map(share).collect()
    }
}

/// A heading does not end with a full stop.
pub fn opens_with_heading(page: &Page) -> bool {
    page.sentences.first().is_some_and(|first| !first.span.of(&page.text).ends_with(['.', '!', '?', '"', '”']))
}

/// Whether a sentence opens with a pronoun, or with `the` and a small letter, which names something already spoken of.
pub fn refers_back(page: &Page, sentence: usize) -> bool {
    const PRONOUNS: [&str; 22] = [
        "he", "she", "it", "they", "his", "her", "its", "their", "this", "these", "that", "those", "such", "both", "one", "him", "them",
        "another", "others", "the", "here", "there",
    ];
    let (first, last) = page.sentences[sentence].tokens;
    let opening = page.tokens[first..last.min(first + OPENING)].iter().filter(|token| token.kind == Kind::Word);
    opening.into_iter().any(|token| {
        let raw = token.of(&page.text);
        raw.len() <= 7 && PRONOUNS.contains(&fold(raw).as_str())
    })
}

/// So many tokens at the beginning of a sentence may refer back: `In 2004 it was sold`.
const OPENING: usize = 5;
