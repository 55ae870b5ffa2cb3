//! `not until 1968` and `no Dane before Holm`: negations that say when something began, or who was the first.
//! They deny nothing only beside a text that says the same beginning of the same; where that is in doubt, they deny.

use super::limits::Said;
use super::opposition;

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
            following(BEFORE).is_some_and(|before| !is_ranked && is_first(said, (*at, before), other))
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

/// Whether a clause of the other text says of whom stands behind `before` that they were the first, of the same kind and in the same deed. A
/// number there is a date, and who was the first does not say when.
fn is_first(said: Said, (no, before): (usize, usize), other: Said) -> bool {
    let is_numbered = (before + 1..=before + DATE).any(|token| said.is_number(token));
    let Some(named) = (before + 1..said.tokens.len()).find(|token| !is_article(said.raw(*token))) else { return false };
    let name_end = (named + 1..said.tokens.len()).find(|token| !is_capital(said.raw(*token))).unwrap_or(said.tokens.len());
    let Some(name) = said.telling(named, named + 1).next().filter(|_| !is_numbered) else { return false };
    let (_, end) = said.clause(before);
    let denied: Vec<&str> = said.telling(no + 1, before).chain(said.telling(name_end, end)).collect();
    let firsts = other.stems.iter().filter(|(_, stem)| *stem == "first").map(|(token, _)| *token);
    firsts.into_iter().any(|first| {
        let (from, to) = other.clause(first);
        let named = (from..to).filter(|place| other.telling(*place, place + 1).any(|stem| stem == name));
        let mut deeds = named.filter_map(|place| deed_of(other, place, first, to));
        let is_same = |deed: (usize, usize)| {
            let is_passive = |said: Said, (from, to): (usize, usize)| (from..to).any(|token| PASSIVE.contains(&said.raw(token)));
            let is_small = |token: usize| {
                let raw = other.raw(token);
                other.telling(token, token + 1).next().is_some()
                    || JOINING.contains(&raw)
                    || PASSIVE.contains(&raw)
                    || (no..end).any(|own| said.raw(own) == raw)
            };
            other.telling(deed.0, deed.1).eq(denied.iter().copied())
                && is_passive(other, deed) == is_passive(said, (no, end))
                && (deed.0..deed.1).all(is_small)
        };
        denied.len() > 1 && !(from..to).any(|token| other.is_number(token)) && deeds.any(is_same)
    })
}

/// Words that join whoever was the first to what they did.
const JOINING: [&str; 10] = ["to", "who", "that", "the", "a", "an", "ever", "had", "has", "have"];

/// Words with which something was done to somebody.
const PASSIVE: [&str; 6] = ["be", "been", "is", "are", "was", "were"];

fn is_article(raw: &str) -> bool {
    matches!(raw, "the" | "a" | "an")
}

fn is_capital(raw: &str) -> bool {
    raw.starts_with(char::is_uppercase)
}

/// The tokens that say what somebody was the first to do, if the clause says of the name at a place that they were the first.
fn deed_of(other: Said, place: usize, first: usize, to: usize) -> Option<(usize, usize)> {
    let is_link = |token: usize| matches!(other.raw(token), "is" | "was" | "became" | "becomes");
    let is_part = |token: usize| other.raw(token) == "the" || is_capital(other.raw(token));
    let is_owner = other.raw(place).contains(['\'', '’']) || matches!(other.raw(place + 1), "'" | "’");
    if is_owner {
        return None;
    }
    if place > first {
        // `The first Dane to win was Anna Holm`.
        let before = (first..place).rev().find(|token| !is_article(other.raw(*token)) && !is_capital(other.raw(*token)));
        return before.filter(|token| is_link(*token)).map(|link| (first + 1, link));
    }
    // `The sister of Holm was the first`.
    let is_behind = place > 0 && matches!(other.raw(place - 1), "of" | "by" | "with" | "from" | "to" | "for" | "after" | "like");
    let is_subject = (place + 1..first).any(is_link) && (place + 1..first).all(|token| is_link(token) || is_part(token));
    (!is_behind && is_subject).then_some((first + 1, to))
}

/// Whether a clause of the other text has the number that follows `until`, says that it was so, and no other number is said of it. That it was
/// so then does not say that it had not been so before, so a page must say that too: `first opened in 1968`.
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
    let numbers: Vec<usize> = whole(other).filter(|token| other.is_number(*token)).collect();
    // Of what is said beside any number, all must be said beside this one: `to lorries in 1985 and to cars in 1968`.
    let is_numbered = |wanted: &&str| numbers.iter().any(|place| other.has_between(wanted, other.clause(*place)));
    let numbered: Vec<&str> = told.iter().copied().filter(is_numbered).collect();
    // `Women could vote in 1971, having won the right in 1945`.
    let earlier = numbers.iter().rfind(|place| is_earlier(other.raw(**place), said.raw(number)));
    let is_told = |place: usize| {
        let clause = other.clause(place);
        let is_here = |wanted: &&str| other.has_between(wanted, clause);
        let says_beginning = || is_beginning(other, place, &date, &told[..told.len().min(leading)]) && says_no_more(other, place, said);
        told.iter().take(leading).filter(|wanted| is_here(wanted)).count() >= needed
            && date.iter().chain(&numbered).all(is_here)
            && earlier.is_none_or(|earlier| *earlier < clause.1)
            && (!other.is_page || says_beginning())
    };
    numbers.iter().any(|place| other.raw(*place) == said.raw(number) && is_told(*place))
}

/// The tokens of a text, with the mark or number behind its last word.
fn whole(said: Said) -> std::ops::Range<usize> {
    said.stems.first().zip(said.stems.last()).map_or(0..0, |(first, last)| first.0..last.0 + 2)
}

/// Whether the clause of a number says that it was so for the first time: `first opened in 1968`, `for the first time in 1968`. `Only in 1968`
/// may also say that it never was so again.
fn is_beginning(said: Said, number: usize, date: &[&str], verbs: &[&str]) -> bool {
    let (from, to) = said.clause(number);
    let is_time = |at: usize| said.raw(at + 1) == "time";
    let is_called = |at: usize| at > from && matches!(said.raw(at - 1), "the" | "The" | "a" | "its" | "his" | "her" | "their");
    // `The first of May 1968` begins nothing.
    let dates = |preposition: usize| {
        let is_of_date = |at: usize| {
            matches!(said.raw(at), "the" | "of") || is_capital(said.raw(at)) || said.telling(at, at + 1).any(|stem| date.contains(&stem))
        };
        preposition < number && matches!(said.raw(preposition), "in" | "on") && (preposition + 1..number).all(is_of_date)
    };
    let closes = |at: usize| at > number && at + 2 == to && (number + 1..at).all(|between| matches!(said.raw(between), "for" | "the"));
    let is_done = |at: usize| verbs.iter().any(|verb| said.has_between(verb, (at + 1, at + 2)));
    (from..to).any(|at| match said.raw(at) {
        "first" if is_time(at) => dates(at + 2) || closes(at),
        "first" => !is_called(at) && (dates(at + 1) || is_done(at)),
        _ => false,
    })
}

/// Whether what is said around a number says nothing that the claim does not: cars that were `first sold in China in 2015`, or `electric cars`,
/// were sold before. A comma ends nothing here, because what stands behind it may narrow what stands before it.
fn says_no_more(said: Said, number: usize, claim: Said) -> bool {
    let ends = |at: &usize| matches!(said.raw(*at), "and" | "but" | ";" | ":" | "." | "!" | "?");
    let whole = whole(said);
    // Whoever goes on for longer has said more.
    let (earliest, latest) = (whole.start.max(number.saturating_sub(LONGEST)), whole.end.min(number + LONGEST));
    let from = (earliest..number).rev().find(ends).map(|at| at + 1).or((earliest == whole.start).then_some(earliest));
    let to = (number..latest).find(ends).or((latest == whole.end).then_some(latest));
    let (Some(from), Some(to)) = (from, to) else { return false };
    // `in March 2015` is in 2015.
    let is_month = |at: usize| at + 1 == number && at > from && is_capital(said.raw(at)) && matches!(said.raw(at - 1), "in" | "of" | "on");
    let is_claimed = |stem: &str| matches!(stem, "first" | "time") || claim.has_between(stem, (0, claim.tokens.len()));
    let begin = said.stems.partition_point(|(at, _)| *at < from);
    let mut around = said.stems[begin..].iter().take_while(|(at, _)| *at < to);
    (from..to).all(|at| said.telling(at, at + 1).all(|stem| is_claimed(stem) || is_month(at)))
        && !around.any(|(_, stem)| opposition::BEFORE.contains(stem))
}

/// So many tokens before a number and behind it may say what it is said of.
const LONGEST: usize = 60;

/// Whether one year is before another.
fn is_earlier(one: &str, other: &str) -> bool {
    let year = |raw: &str| raw.parse::<u16>().ok().filter(|_| raw.len() == 4);
    year(one).zip(year(other)).is_some_and(|(one, other)| one < other)
}
