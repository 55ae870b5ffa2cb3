//! Whether a page speaks of somebody else than a claim does whose first word may be a name or as well an ordinary word.
//! Names that something else shows to be names are never excused here: `gate` asks for them wherever they stand.

use std::collections::BTreeSet;

use super::matching::Matching;
use super::page::Page;
use super::told::refers_back;
use crate::text::{Name, fold, names, words};

/// Whether the first word of a claim, which only its place makes a name, must be on the page: a sentence that has most of the claim names
/// something else, or one before it does, and what the sentence calls `the company` is that. `Turnout` names nobody.
pub fn has_another(matching: &Matching, name: &Name) -> bool {
    let (statement, page) = (matching.statement, matching.page);
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
    (0..=last).any(|sentence| is_named_otherwise(matching, sentence))
}

/// Whether a page opens with the name of something else, and its next sentence speaks of that: `Geneva is a town. In 2020 the town had …`.
pub fn opens_with_another(matching: &Matching) -> bool {
    let page = matching.page;
    let opens = |sentence: usize| first_name(page, sentence).is_some_and(|name| name.words[0] == 0);
    page.sentences.len() > 1 && refers_back(page, 1) && opens(0) && is_named_otherwise(matching, 0)
}

/// Whether the first thing that a sentence names is no part of the claim.
fn is_named_otherwise(matching: &Matching, sentence: usize) -> bool {
    let page = matching.page;
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
