//! `no more than an hour`: a limit that is told with a negation. Whether it denies anything depends on what the other text says.
//! Which of two limits is the narrower is not asked here: numbers are compared as numbers.

use super::beginnings::begins;
use super::page::{Page, ends_clause};
use super::statement::Statement;
use crate::text::{Kind, Token, begins_number, words};

/// The words of a text with their tokens, by their stems.
pub type Stems<'a> = [(usize, &'a str)];

/// What is read of a text: a sentence, or a clause of it.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    pub stems: &'a Stems<'a>,
    /// A page that says more than the claim bears it out, and a claim that says more is not borne out.
    pub is_page: bool,
}

impl<'a> Said<'a> {
    /// No text at all, beside which nothing is a limit.
    pub const NOTHING: Said<'static> = Said { text: "", tokens: &[], stems: &[], is_page: false };

    pub fn in_claim(statement: &'a Statement, stems: &'a Stems<'a>) -> Self {
        Self { text: statement.text, tokens: &statement.tokens, stems, is_page: false }
    }

    pub fn on_page(page: &'a Page, stems: &'a Stems<'a>) -> Self {
        Self { text: &page.text, tokens: &page.tokens, stems, is_page: true }
    }

    pub fn says(&self, wanted: &str) -> bool {
        self.stems.iter().any(|(_, stem)| *stem == wanted)
    }

    pub fn raw(&self, token: usize) -> &'a str {
        self.tokens.get(token).map_or(".", |token| token.of(self.text))
    }

    pub fn is_number(&self, token: usize) -> bool {
        self.tokens.get(token).is_some_and(|token| token.kind == Kind::Number)
    }

    /// The words between two tokens that tell something.
    pub fn telling(&self, from: usize, to: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let begin = self.stems.partition_point(|(at, _)| *at < from);
        let between = self.stems[begin..].iter().take_while(move |(at, _)| *at < to).map(|(_, stem)| *stem);
        between.filter(|stem| !words::is_stop(stem))
    }

    /// Whether a clause has a word, or another that may stand for it.
    pub fn has_between(&self, wanted: &str, (from, to): (usize, usize)) -> bool {
        self.telling(from, to).any(|stem| stem == wanted || words::synonyms(wanted).any(|same| same == stem))
    }

    /// The clause that a token stands in.
    pub fn clause(&self, token: usize) -> (usize, usize) {
        let ends = |at: &usize| matches!(self.raw(*at), "and" | "." | "!" | "?") || ends_clause(self.raw(*at));
        let (from, to) = (token.saturating_sub(CLAUSE), self.tokens.len().min(token + CLAUSE));
        ((from..token).rev().find(ends).map_or(from, |at| at + 1), (token..to).find(ends).unwrap_or(to))
    }
}

/// What stands further away is not read as of one clause.
const CLAUSE: usize = 40;

/// Whether the negation at a place of these stems sets a limit and denies nothing. The limit of a number is compared with the number:
/// `no more than 5`. Any other is one only beside a text that has it in other words: `at most an hour`, and not `more than an hour`.
pub fn is_limit(said: Said, place: usize, other: Said) -> bool {
    if begins(said, place, other) {
        return true;
    }
    let Some((is_upper, behind)) = denied(&said.stems[place..]) else { return false };
    let limited = said.telling(behind, said.tokens.len()).next();
    begins_number(said.text, said.tokens, behind) || limited.is_some_and(|limited| has_limit(other, is_upper, limited))
}

/// Whether a comparison is denied anywhere in a text: its `more` then says what `less` says elsewhere.
pub fn denies_comparison(stems: &Stems) -> bool {
    (0..stems.len()).any(|place| denied(&stems[place..]).is_some())
}

/// Whether a comparison that is denied limits from above, and the token behind its `than`. One verb may stand between: `cannot carry more than`.
fn denied(stems: &Stems) -> Option<(bool, usize)> {
    let word = |place: usize| stems.get(place).map_or("", |(_, stem)| *stem);
    if !matches!(word(0), "no" | "not" | "never" | "cannot") {
        return None;
    }
    let place =
        if matches!(word(1), "only" | "just" | "mere") { 1 } else { [1, 2].into_iter().find(|place| compares(stems, *place).is_some())? };
    Some((compares(stems, place)?, stems[place + 1].0 + 1))
}

/// Whether `more than` stands here, and not `less than`.
fn compares(stems: &Stems, place: usize) -> Option<bool> {
    let (_, comparative) = stems.get(place)?;
    let is_more = match *comparative {
        "more" | "greater" | "longer" => true,
        "less" | "fewer" => false,
        _ => return None,
    };
    stems.get(place + 1).is_some_and(|(_, than)| *than == "than").then_some(is_more)
}

/// Whether a text limits the same thing from above, or from below, without denying anything. One that also says what the limit excludes speaks
/// of two things, and does not tell which of them the limit is of.
fn has_limit(other: Said, is_upper: bool, limited: &str) -> bool {
    let stems = other.stems;
    let word = |place: usize| stems.get(place).map_or("", |(_, stem)| *stem);
    let is_denied = |place: usize| (place.saturating_sub(2)..place).any(|before| denied(&stems[before..]).is_some());
    // `At most 3 hours` does not limit it to an hour.
    let is_of_it = |place: usize| {
        let found = stems.iter().skip(place).find(|(_, stem)| !words::is_stop(stem));
        found.is_some_and(|(token, stem)| *stem == limited && !(stems[place - 1].0..*token).any(|between| other.is_number(between)))
    };
    let is_compared = |place: usize, is_more: bool| compares(stems, place) == Some(is_more) && !is_denied(place) && is_of_it(place + 2);
    if (0..stems.len()).any(|place| is_compared(place, is_upper)) {
        return false;
    }
    (0..stems.len()).any(|place| match (word(place), word(place + 1)) {
        ("at", "most") | ("up", "to") => is_upper && is_of_it(place + 2),
        ("maximum" | "within", _) => is_upper && is_of_it(place + 1),
        ("at", "least") => !is_upper && is_of_it(place + 2),
        ("minimum", _) => !is_upper && is_of_it(place + 1),
        _ => is_compared(place, !is_upper),
    })
}
