//! Whether a source is an excerpt that was cut out of a longer text, so that what it is about is named outside of it.
//! Of a whole page nothing is ever excused: it names what it speaks of.

use super::page::{NOTHING, Page};
use super::statement::Statement;
use crate::text::{Kind, fold, words};

/// Longer sources name their subject themselves.
const LONGEST: usize = 2;

/// A sentence or two that say `the film`, or `she`, before anybody was named. A claim that says `the film` as well names something else.
pub fn is_excerpt(statement: &Statement, page: &Page) -> bool {
    let sentences = page.sentences.len();
    let mut is_named = false;
    (1..=LONGEST).contains(&sentences) && (0..sentences).any(|sentence| refers_outside(statement, page, sentence, &mut is_named))
}

fn refers_outside(statement: &Statement, page: &Page, sentence: usize, is_named: &mut bool) -> bool {
    let (first, last) = page.sentences[sentence].tokens;
    for at in first..last {
        let folded = fold(page.tokens[at].of(&page.text));
        let is_open = folded == "the"
            && is_plain_kind(page, at + 1, last)
            && !(*is_named && is_place(page, first, at))
            && !has_kind(statement, page, at + 1);
        if is_open || !*is_named && PRONOUNS.contains(&folded.as_str()) {
            return true;
        }
        *is_named |= is_subject_like(page, first, at);
    }
    false
}

/// Whether the claim goes on to speak of `the` same kind after its first name: `Acme bought the company` does not name the company, while
/// `Acme is a company` does.
fn has_kind(statement: &Statement, page: &Page, at: usize) -> bool {
    let named = statement.names.first().map_or(0, |name| name.words[0]);
    let kind = page.stems.get(at).filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem));
    let is_other = |token: usize| token > named && statement.tokens[token - 1].of(statement.text).eq_ignore_ascii_case("the");
    kind.is_some_and(|kind| statement.stems.iter().any(|(token, own)| own == kind && is_other(*token)))
}

/// `in the city` says where, and of whom is said before it.
fn is_place(page: &Page, first: usize, at: usize) -> bool {
    at > first && ["in", "at", "near"].contains(&page.tokens[at - 1].of(&page.text))
}

/// A capital that a pronoun may mean. What stands after a preposition is a place or a date: `Born in Dublin, he …`.
fn is_subject_like(page: &Page, first: usize, at: usize) -> bool {
    const BEFORE: [&str; 12] = ["in", "on", "at", "of", "from", "by", "near", "since", "until", "for", "to", ","];
    let word = |place: usize| page.tokens[place].of(&page.text);
    let is_capital = |place: usize| page.tokens[place].kind == Kind::Word && word(place).starts_with(char::is_uppercase);
    let before = (first..at).rev().take(LONGEST_NAME).find(|place| !is_capital(*place));
    // `Born in Dublin` names nobody with its first word either.
    let is_opening = at == first && page.tokens.get(at + 1).is_some_and(|token| BEFORE.contains(&token.of(&page.text)));
    is_capital(at) && !words::is_stop(&fold(word(at))) && !is_opening && !before.is_some_and(|before| BEFORE.contains(&word(before)))
}

/// `the film` and nothing that says which; `the film Casablanca` and `the city of Rome` name it.
fn is_plain_kind(page: &Page, at: usize, last: usize) -> bool {
    let word = |place: usize| page.tokens.get(place).filter(|_| place < last).map_or("", |token| token.of(&page.text));
    let is_capital = |place: usize| word(place).starts_with(char::is_uppercase);
    let kind = word(at);
    !is_capital(at) && is_kind(kind) && !is_capital(at + 1) && !(word(at + 1) == "of" && (is_capital(at + 2) || is_capital(at + 3)))
}

/// Whether a word says what something with a name is.
pub fn is_kind(word: &str) -> bool {
    words::is_generic_in_names(word) || KINDS.contains(&word)
}

/// More capitals in a row are no name.
const LONGEST_NAME: usize = 12;

const PRONOUNS: [&str; 8] = ["he", "she", "it", "they", "his", "her", "its", "their"];

/// What things are, beside the words that also stand in names.
const KINDS: [&str; 20] = [
    "country", "movie", "band", "website", "site", "video", "book", "novel", "disease", "virus", "actor", "actress", "singer", "player",
    "episode", "season", "product", "study", "author", "nation",
];
