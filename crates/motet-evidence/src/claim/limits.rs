//! `no more than an hour`: a limit that is told with a negation. Whether it denies anything depends on what the other text says.
//! Which of two limits is the narrower is not asked here: numbers are compared as numbers.

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

    fn says(&self, wanted: &str) -> bool {
        self.stems.iter().any(|(_, stem)| *stem == wanted)
    }

    fn raw(&self, token: usize) -> &'a str {
        self.tokens.get(token).map_or(".", |token| token.of(self.text))
    }

    fn is_number(&self, token: usize) -> bool {
        self.tokens.get(token).is_some_and(|token| token.kind == Kind::Number)
    }

    /// The words between two tokens that tell something.
    fn telling(&self, from: usize, to: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let begin = self.stems.partition_point(|(at, _)| *at < from);
        let between = self.stems[begin..].iter().take_while(move |(at, _)| *at < to).map(|(_, stem)| *stem);
        between.filter(|stem| !words::is_stop(stem))
    }

    /// Whether a clause has a word, or another that may stand for it.
    fn has_between(&self, wanted: &str, (from, to): (usize, usize)) -> bool {
        self.telling(from, to).any(|stem| stem == wanted || words::synonyms(wanted).any(|same| same == stem))
    }

    /// The clause that a token stands in.
    fn clause(&self, token: usize) -> (usize, usize) {
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

/// `not until 1968` says when it began, beside a text that gives the same year and does not say until when it lasted; and `no Dane before Holm`
/// who was the first, beside a text that says so of Holm.
pub fn begins(said: Said, place: usize, other: Said) -> bool {
    let Some((at, negation)) = said.stems.get(place) else { return false };
    let ends = |token: usize| matches!(said.raw(token), "," | ";" | ":" | "and" | "but");
    let following = |wanted: &str| {
        let found = said.stems[place..].iter().take(FURTHEST).find(|(_, stem)| *stem == wanted);
        found.map(|(token, _)| *token).filter(|token| !(*at..*token).any(ends))
    };
    match *negation {
        negation if DATING.contains(&negation) => following("until").is_some_and(|until| is_dated(said, (*at, until), other)),
        "no" => {
            let is_ranked = said.says("first") || other.says(BEFORE);
            following(BEFORE).is_some_and(|before| !is_ranked && is_first(said, before, other))
        }
        _ => false,
    }
}

/// The stem of `before`.
const BEFORE: &str = "befor";

/// So many words from a negation on may say until when.
const FURTHEST: usize = 10;

/// Negations that go with `until`.
const DATING: [&str; 5] = ["not", "never", "didnt", "wasnt", "werent"];

/// So many tokens behind `until` the date may stand: `until the spring of 1968`.
const DATE: usize = 4;

/// Whether a clause of the other text says of whom stands behind `before` that they were the first. A number there is a date, and who was the
/// first does not say when.
fn is_first(said: Said, before: usize, other: Said) -> bool {
    let is_article = |raw: &str| matches!(raw, "the" | "a" | "an");
    let is_numbered = (before + 1..=before + DATE).any(|token| said.is_number(token));
    let Some(named) = (before + 1..said.tokens.len()).find(|token| !is_article(said.raw(*token))) else { return false };
    let Some(named) = said.telling(named, named + 1).next().filter(|_| !is_numbered) else { return false };
    let is_link = |token: usize| matches!(other.raw(token), "is" | "was" | "became" | "becomes");
    let is_part = |token: usize| other.raw(token) == "the" || other.raw(token).starts_with(char::is_uppercase);
    let is_subject = |place: usize, first: usize| {
        // `The sister of Holm was the first`.
        let is_behind = place > 0 && matches!(other.raw(place - 1), "of" | "by" | "with" | "from" | "to" | "for" | "after" | "like");
        !is_behind && (place + 1..first).any(is_link) && (place + 1..first).all(|token| is_link(token) || is_part(token))
    };
    let is_same = |place: usize, first: usize| {
        let is_owner = other.raw(place).contains(['\'', '’']) || matches!(other.raw(place + 1), "'" | "’");
        let is_told = if place < first {
            is_subject(place, first)
        } else {
            (first..place).rev().find(|token| !is_article(other.raw(*token))).is_some_and(is_link)
        };
        is_told && !is_owner
    };
    let firsts = other.stems.iter().filter(|(_, stem)| *stem == "first").map(|(token, _)| *token);
    firsts.into_iter().any(|first| {
        let (from, to) = other.clause(first);
        (from..to).any(|place| other.telling(place, place + 1).any(|stem| stem == named) && is_same(place, first))
    })
}

/// Whether a clause of the other text has the number that follows `until`, says that it was so, and no other number is said of it. That it was
/// so then does not say that it had not been so before, so a page must say that too: `first opened`, `only in 1968`.
fn is_dated(said: Said, (at, until): (usize, usize), other: Said) -> bool {
    let (_, end) = said.clause(until);
    let Some(number) = (until + 1..end.min(until + 1 + DATE)).find(|token| said.is_number(*token)) else { return false };
    let is_again = other.is_page && ["since", "after", "again"].iter().any(|word| other.says(word));
    if other.says("until") || other.says(BEFORE) || is_again {
        return false;
    }
    let mut told: Vec<&str> = said.telling(at + 1, until).collect();
    // `It was not until 1968 that the tunnel opened` does not say its verb first.
    let (leading, needed) = if told.is_empty() { (usize::MAX, 2) } else { (1, 1) };
    if told.is_empty() {
        told = said.telling(number + 1, end).collect();
    }
    let date: Vec<&str> = said.telling(until + 1, number).collect();
    let (first, last) = other.stems.first().zip(other.stems.last()).map_or((0, 0), |(first, last)| (first.0, last.0 + 2));
    let numbers: Vec<usize> = (first..last).filter(|token| other.is_number(*token)).collect();
    // Of what is said beside any number, all must be said beside this one: `to lorries in 1985 and to cars in 1968`.
    let is_numbered = |wanted: &&str| numbers.iter().any(|place| other.has_between(wanted, other.clause(*place)));
    let numbered: Vec<&str> = told.iter().copied().filter(is_numbered).collect();
    // `Women could vote in 1971, having won the right in 1945`.
    let earlier = numbers.iter().rfind(|place| is_earlier(other.raw(**place), said.raw(number)));
    let is_told = |place: usize| {
        let clause = other.clause(place);
        let is_here = |wanted: &&str| other.has_between(wanted, clause);
        told.iter().take(leading).filter(|wanted| is_here(wanted)).count() >= needed
            && date.iter().chain(&numbered).all(is_here)
            && earlier.is_none_or(|earlier| *earlier < clause.1)
            && (!other.is_page || is_beginning(other, place, &date, &told[..told.len().min(leading)]))
    };
    numbers.iter().any(|place| other.raw(*place) == said.raw(number) && is_told(*place))
}

/// Whether the clause of a number says that it was so for the first time: `first opened in 1968`, `for the first time in 1968`, `only in May 1968`.
fn is_beginning(said: Said, number: usize, date: &[&str], verbs: &[&str]) -> bool {
    let (from, to) = said.clause(number);
    let is_time = |at: usize| said.raw(at + 1) == "time";
    let is_called = |at: usize| at > from && matches!(said.raw(at - 1), "the" | "The" | "a" | "its" | "his" | "her" | "their");
    // `The first of May 1968` begins nothing.
    let dates = |preposition: usize| {
        let is_capital = |at: usize| said.raw(at).starts_with(char::is_uppercase);
        let is_of_date =
            |at: usize| matches!(said.raw(at), "the" | "of") || is_capital(at) || said.telling(at, at + 1).any(|stem| date.contains(&stem));
        preposition < number && matches!(said.raw(preposition), "in" | "on") && (preposition + 1..number).all(is_of_date)
    };
    let closes = |at: usize| at > number && at + 2 == to && (number + 1..at).all(|between| matches!(said.raw(between), "for" | "the"));
    let is_done = |at: usize| verbs.iter().any(|verb| said.has_between(verb, (at + 1, at + 2)));
    (from..to).any(|at| match said.raw(at) {
        "only" | "Only" => dates(at + 1),
        "first" if is_time(at) => dates(at + 2) || closes(at),
        "first" => !is_called(at) && (dates(at + 1) || is_done(at)),
        _ => false,
    })
}

/// Whether one year is before another.
fn is_earlier(one: &str, other: &str) -> bool {
    let year = |raw: &str| raw.parse::<u16>().ok().filter(|_| raw.len() == 4);
    year(one).zip(year(other)).is_some_and(|(one, other)| one < other)
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
