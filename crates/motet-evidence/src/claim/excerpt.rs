//! Whether a source is an excerpt that was cut out of a longer text, so that what it is about is named outside of it.
//! Of a whole page nothing is ever excused: it names what it speaks of.

use super::page::Page;
use crate::text::{Kind, fold, words};

/// Longer sources name their subject themselves.
const LONGEST: usize = 2;

/// A sentence or two that say `the film`, or `she` before anybody was named.
pub fn is_excerpt(page: &Page) -> bool {
    let sentences = page.sentences.len();
    (1..=LONGEST).contains(&sentences) && (0..sentences).any(|sentence| refers_outside(page, sentence))
}

fn refers_outside(page: &Page, sentence: usize) -> bool {
    let (first, last) = page.sentences[sentence].tokens;
    let mut is_named = sentence > 0;
    for at in first..last {
        let raw = page.tokens[at].of(&page.text);
        let folded = fold(raw);
        if folded == "the" && is_plain_kind(page, at + 1, last) || !is_named && PRONOUNS.contains(&folded.as_str()) {
            return true;
        }
        is_named |= is_subject_like(page, first, at);
    }
    false
}

/// A capital that a pronoun may mean. What stands after a preposition is a place or a date: `Born in Dublin, he …`.
fn is_subject_like(page: &Page, first: usize, at: usize) -> bool {
    const BEFORE: [&str; 12] = ["in", "on", "at", "of", "from", "by", "near", "since", "until", "for", "to", ","];
    let word = |place: usize| page.tokens[place].of(&page.text);
    let is_capital = |place: usize| page.tokens[place].kind == Kind::Word && word(place).starts_with(char::is_uppercase);
    let before = (first..at).rev().find(|place| !is_capital(*place));
    // `Born in Dublin` names nobody with its first word either.
    let is_opening = at == first && page.tokens.get(at + 1).is_some_and(|token| BEFORE.contains(&token.of(&page.text)));
    is_capital(at) && !words::is_stop(&fold(word(at))) && !is_opening && !before.is_some_and(|before| BEFORE.contains(&word(before)))
}

/// `the film` and nothing that says which; `the film Casablanca` and `the city of Rome` name it.
fn is_plain_kind(page: &Page, at: usize, last: usize) -> bool {
    let word = |place: usize| page.tokens.get(place).filter(|_| place < last).map_or("", |token| token.of(&page.text));
    let is_capital = |place: usize| word(place).starts_with(char::is_uppercase);
    let kind = word(at);
    let is_kind = !is_capital(at) && (words::is_generic_in_names(kind) || KINDS.contains(&kind));
    is_kind && !is_capital(at + 1) && !(word(at + 1) == "of" && (is_capital(at + 2) || is_capital(at + 3)))
}

const PRONOUNS: [&str; 8] = ["he", "she", "it", "they", "his", "her", "its", "their"];

/// What things are, beside the words that also stand in names.
const KINDS: [&str; 20] = [
    "country", "movie", "band", "website", "site", "video", "book", "novel", "disease", "virus", "actor", "actress", "singer", "player",
    "episode", "season", "product", "study", "author", "nation",
];
