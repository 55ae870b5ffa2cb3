//! Whether a page speaks of somebody else than a claim does whose first word may be a name or as well an ordinary word.
//! Names that something else shows to be names are never excused here: `gate` asks for them wherever they stand.

use std::collections::BTreeSet;

use super::excerpt::is_kind;
use super::matching::Matching;
use super::movement::direction;
use super::page::Page;
use super::statement::Statement;
use super::told::refers_back;
use crate::text::{Kind, Name, begins_number, fold, names, words};

/// Whether the first word of a claim, which only its place makes a name, must be on the page: a sentence that has most of the claim names
/// something else, or one before it does, and what the sentence calls `the company` is that. `Turnout was 62 percent` names nobody.
pub fn has_another(statement: &Statement, page: &Page, matching: &Matching, name: &Name) -> bool {
    let met = |sentence: usize| (0..statement.slots.len()).filter(|part| matching.strength(*part, sentence) > 0.0).count();
    let counts: Vec<usize> = (0..page.sentences.len()).map(met).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    let is_best = |sentence: &usize| counts[*sentence] == most;
    let last = (0..counts.len()).rev().find(is_best).unwrap_or_default();
    if most == 0 {
        return true;
    }
    if words::is_mass_noun(&fold(name.span.of(statement.text))) {
        return false;
    }
    let is_quantity = is_quantity(statement, name) && !(0..counts.len()).filter(is_best).any(|sentence| opens_with_kind(page, sentence));
    !is_quantity && (0..=last).any(|sentence| is_named_otherwise(page, matching, sentence))
}

/// Whether a page opens with the name of something else, and its next sentence speaks of that: `Geneva is a town. In 2020 the town had …`.
pub fn opens_with_another(page: &Page, matching: &Matching) -> bool {
    let opens = |sentence: usize| first_name(page, sentence).is_some_and(|name| name.words[0] == 0);
    page.sentences.len() > 1 && refers_back(page, 1) && opens(0) && is_named_otherwise(page, matching, 0)
}

/// Whether the first thing that a sentence names is no part of the claim.
fn is_named_otherwise(page: &Page, matching: &Matching, sentence: usize) -> bool {
    let first = page.sentences[sentence].tokens.0;
    let is_met = |token: usize| matching.in_sentence(sentence).iter().any(|meeting| meeting.token == first + token);
    first_name(page, sentence).is_some_and(|name| !name.words.iter().any(|token| is_met(*token)))
}

/// The first thing that a sentence names, by the tokens of the sentence.
fn first_name(page: &Page, sentence: usize) -> Option<Name> {
    let (first, last) = page.sentences[sentence].tokens;
    let starts = [page.sentences[sentence].span.start];
    names(&page.text, &page.tokens[first..last], &starts, &BTreeSet::new()).into_iter().next()
}

/// So many words may stand between a quantity and its number: `fell to about 4,200`.
const BETWEEN: usize = 3;

/// `Headcount fell to 4,200`, `Footfall at the museum`: what moves to a number, or is said to be one, or is so much of something, is no name.
/// `Microsoft in 1995` is one.
fn is_quantity(statement: &Statement, name: &Name) -> bool {
    let behind = name.words[0] + 1;
    let word = |at: usize| statement.tokens.get(at).map_or("", |token| token.of(statement.text));
    let has_number = |at: usize| begins_number(statement.text, &statement.tokens, at);
    let is_moved = direction(word(behind)).is_some() || AMOUNTS.contains(&word(behind));
    let is_of_something = OF_SOMETHING.contains(&word(behind)) && !has_number(behind + 1);
    is_of_something || is_moved && (behind + 1..=behind + BETWEEN).any(has_number)
}

/// Verbs that say what a quantity is.
const AMOUNTS: [&str; 18] = [
    "is", "was", "are", "were", "reached", "hit", "stood", "averaged", "totalled", "totaled", "amounted", "exceeded", "remained", "stayed",
    "topped", "cost", "costs", "came",
];

/// What stands between a quantity and what it is of.
const OF_SOMETHING: [&str; 8] = ["of", "in", "at", "on", "for", "among", "per", "to"];

/// Whether what a sentence speaks of first is somebody: `she`, `last year the company`. `The number of visitors` is nobody.
fn opens_with_kind(page: &Page, sentence: usize) -> bool {
    const SOMEBODY: [&str; 5] = ["he", "she", "it", "they", "we"];
    const BEFORE: [&str; 8] = ["the", "this", "that", "our", "its", "their", "his", "her"];
    let (first, last) = page.sentences[sentence].tokens;
    let words: Vec<String> =
        page.tokens[first..last].iter().filter(|token| token.kind == Kind::Word).map(|token| fold(token.of(&page.text))).collect();
    let opening = words.iter().position(|word| SOMEBODY.contains(&word.as_str()) || BEFORE.contains(&word.as_str()));
    opening.is_some_and(|at| SOMEBODY.contains(&words[at].as_str()) || words.get(at + 1).is_some_and(|kind| is_kind(kind)))
}
