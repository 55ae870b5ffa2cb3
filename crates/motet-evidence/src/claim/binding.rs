//! Whether a number of the claim is said of the same thing on the page, or whether the page has another number in its place.
//! Numbers that the page does not have at all are the business of `gate`. Words are compared by nearness; no sentence is parsed.

use std::collections::BTreeMap;

use super::matching::Matching;
use super::page::{Page, ends_clause};
use super::statement::Statement;
use super::told::{Told, opens_with_heading};
use super::{numbered, shares};
use crate::text::{Kind, Measure, Name, Number, Span, words};

/// A number that the page has, beside how well it fits there and how well another would.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub part: usize,
    /// The share of what the claim says around the number that the page says around it.
    pub own: f64,
    /// The same for the best other number of its kind.
    pub rival: f64,
    /// Where the page has the number.
    pub place: Span,
}

/// A sentence of more numbers is a table that lost its lines; there, nearness says nothing, and comparing each with each takes for ever.
const MOST_NUMBERS: usize = 500;

/// Every number of the claim that is on the page.
pub fn bindings(matching: &Matching, told: &Told, weights: &[f64]) -> Vec<Bound> {
    let (statement, page) = (matching.statement, matching.page);
    let met = statement.numbers().filter(|(part, _)| !statement.slots[*part].given && matching.anywhere(*part) > 0.0);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    page.numbers.iter().for_each(|(_, sentence)| *counts.entry(*sentence).or_default() += 1);
    let found: Vec<(&Number, usize)> = page
        .numbers
        .iter()
        .filter(|(_, sentence)| counts[sentence] <= MOST_NUMBERS)
        .map(|(number, sentence)| (number, *sentence))
        .collect();
    let mut bound: Vec<Bound> = met.filter_map(|(part, number)| bound(matching, told, weights, (part, number), &found)).collect();
    exchange(matching, &mut bound);
    shares::settle(matching, &mut bound);
    for bound in &mut bound {
        if is_elsewhere(matching, bound) || is_of_another_year(statement, page, bound) || numbered::is_of_another(matching, bound) {
            (bound.own, bound.rival) = (0.0, 1.0);
        }
    }
    bound
}

/// `1,250 people in Paris` where the page says `1,250 people in Berlin and 340 in Paris`: the clause of the number names another place.
fn is_elsewhere(matching: &Matching, bound: &Bound) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    const BEFORE: [&str; 5] = ["in", "at", "from", "for", "to"];
    let Some((here, sentence)) = page.numbers.iter().find(|(found, _)| found.span == bound.place) else { return false };
    let (first, last) = page.sentences[*sentence].tokens;
    let is_here = |at: usize| page.clause_of(at) == page.clause_of(here.tokens.0);
    let word = |at: usize| page.tokens[at].of(&page.text);
    let misplaced = |name: &Name| {
        let preposition = name.words[0].checked_sub(1).map_or("", |at| statement.tokens[at].of(statement.text));
        // What the claim itself says in another clause, or of another number, is not said of this one.
        let between = statement.tokens.get(statement.slots[bound.part].token + 1..name.words[0]);
        let is_said_of_it =
            between.is_some_and(|between| between.iter().all(|token| token.kind == Kind::Word && !ends_clause(token.of(statement.text))));
        let Some(part) = statement.slot_of(name.words[0]).filter(|_| is_said_of_it && BEFORE.contains(&preposition)) else { return false };
        let places = matching.places(part, (first, last));
        let named_here = (first + 1..last).any(|at| is_here(at) && word(at - 1) == preposition && word(at).starts_with(char::is_uppercase));
        !places.is_empty()
            && named_here
            && places.iter().all(|(at, _)| *at > here.tokens.0 && word(at - 1) == preposition && !is_here(*at) && has_number(page, *at))
    };
    statement.names.iter().any(misplaced)
}

/// `Revenue was 1,284 in 2022` under the title `Annual Report 2023`, where the page says `1,284, up from 1,174 in 2022`: the year stands in a
/// clause with another number of the kind, and the clause of the claim's number has none, so that the year of the title holds for it.
fn is_of_another_year(statement: &Statement, page: &Page, bound: &Bound) -> bool {
    let numbers: Vec<&Number> = statement.numbers().map(|(_, number)| number).collect();
    let [amount, year] = numbers.as_slice() else { return false };
    let is_bound = statement.slots[bound.part].token == year.tokens.0;
    let is_plain = year.measure == Measure::Year && !is_date(amount) && opens_with_heading(page);
    let is_year = |found: &Number| found.measure == Measure::Year && !found.ambiguous;
    if !(is_bound && is_plain && page.numbers_in(0).any(|found| is_year(found) && found.value != year.value)) {
        return false;
    }
    let mut places = page.numbers.iter().filter(|(found, sentence)| *sentence > 0 && found.bears_out(amount)).peekable();
    let is_dated_otherwise = |(found, sentence): &(Number, usize)| {
        let clause = |number: &Number| page.clause_of(number.tokens.0);
        let mut years = page.numbers_in(*sentence).filter(|other| is_year(other)).peekable();
        let has_another = |dated: &Number| {
            page.numbers_in(*sentence)
                .any(|other| same_kind(other, found) && clause(other) == clause(dated) && clause(other) != clause(found))
        };
        years.peek().is_some() && years.all(|dated| clause(dated) != clause(found) && dated.bears_out(year) && has_another(dated))
    };
    places.peek().is_some() && places.all(is_dated_otherwise)
}

/// Whether a clause has a number of its own.
fn has_number(page: &Page, at: usize) -> bool {
    let tokens = (0..at).rev().take_while(|place| page.clause_of(*place) == page.clause_of(at));
    tokens.into_iter().any(|place| page.tokens[place].kind == Kind::Number)
}

/// Two numbers of the claim that the page has in one sentence, each before what the claim says of the other: `of 37 patients, 412 died`.
fn exchange(matching: &Matching, bound: &mut [Bound]) {
    let (statement, page) = (matching.statement, matching.page);
    let number = |bound: &Bound| statement.numbers().find(|(part, _)| *part == bound.part).map(|(_, number)| number);
    let counted = |number: &Number| {
        let near = number.tokens.1..number.tokens.1 + COUNTED;
        (0..statement.slots.len()).find(|part| near.contains(&statement.slots[*part].token))
    };
    let follows = |part: usize, found: &Number| !matching.places(part, (found.tokens.1, found.tokens.1 + COUNTED)).is_empty();
    for at in 1..bound.len() {
        let (Some(one), Some(other)) = (number(&bound[at - 1]), number(&bound[at])) else { continue };
        let only = |wanted: &Number| {
            let mut places = page.numbers.iter().filter(|(found, _)| found.bears_out(wanted));
            places.next().filter(|_| places.next().is_none())
        };
        let (Some((first, sentence)), Some((second, same))) = (only(one), only(other)) else { continue };
        let (Some(of_one), Some(of_other)) = (counted(one), counted(other)) else { continue };
        let are_counts = !is_date(one) && same_kind(one, other) && same_kind(first, second);
        let is_crossed = follows(of_one, second) && follows(of_other, first) && !follows(of_one, first) && !follows(of_other, second);
        if sentence == same && are_counts && is_crossed {
            for bound in &mut bound[at - 1..=at] {
                (bound.own, bound.rival) = (0.0, 1.0);
            }
        }
    }
}

/// So many tokens after a number may say what it counts.
const COUNTED: usize = 3;

fn bound(
    matching: &Matching,
    told: &Told,
    weights: &[f64],
    (part, number): (usize, &Number),
    on_page: &[(&Number, usize)],
) -> Option<Bound> {
    let (statement, page) = (matching.statement, matching.page);
    let around = around(statement, weights, part);
    let total: f64 = around.iter().map(|(_, weight)| weight).sum();
    if total == 0.0 {
        return None;
    }
    let claimed_otherwise = |found: &Number| statement.numbers().any(|(other, wanted)| other != part && found.bears_out(wanted));
    // `from 4,862` is the other end of what went `to 5,217`, and no rival.
    let end = |word: &str| matches!(word, "from" | "to").then(|| word.to_string());
    let own_end = number.from.checked_sub(1).and_then(|at| end(statement.tokens[at].of(statement.text)));
    let is_other_end = |found: &Number| {
        let other = found.from.checked_sub(1).and_then(|at| end(page.tokens[at].of(&page.text)));
        own_end.is_some() && other.is_some() && own_end != other
    };
    let mut own: Option<(f64, Span)> = None;
    let mut rival: f64 = 0.0;
    let (mut own_said, mut rival_said): (f64, f64) = (0.0, 0.0);
    for (found, sentence) in on_page {
        let is_own = found.bears_out(number);
        let is_rival = || {
            same_kind(found, number)
                && !claimed_otherwise(found)
                && !is_other_end(found)
                && !is_listed_beside(page, number, found, *sentence)
                && counts_the_same(matching, found, number, *sentence)
        };
        if !is_own && (found.ambiguous || !is_rival()) {
            continue;
        }
        let Fit { said, with_carried } = fit(matching, told, &around, found, *sentence);
        let (said, fit) = (said / total, with_carried / total);
        if !is_own {
            rival = rival.max(fit);
            rival_said = rival_said.max(said);
        } else {
            own_said = own_said.max(said);
            if own.is_none_or(|(so_far, _)| fit > so_far) {
                own = Some((fit, found.span));
            }
        }
    }
    let (mut own, place) = own?;
    if is_date(number) && is_dateline(page, place) {
        return None;
    }
    // What one sentence says outright of another number is not said of this one by what may be carried over to it.
    if rival_said >= OUTRIGHT && own_said < PLAUSIBLE {
        (own, rival) = (own_said, rival_said);
    }
    Some(Bound { part, own, rival: if rival >= PLAUSIBLE { rival } else { 0.0 }, place })
}

/// `1989, 1991 and 1998`: what is said of one number of a bare list is said of all, and none of them is a rival of the claim's.
fn is_listed_beside(page: &Page, number: &Number, found: &Number, sentence: usize) -> bool {
    let (from, to) = list(page, found, sentence);
    let mut own = page.numbers_in(sentence).filter(|own| (from..to).contains(&own.from) && own.bears_out(number));
    own.any(|own| !begins_range(page, own.from.min(found.from)))
}

/// The bare list that a number stands in. `2001 and 2005, and 2009 was`: an `and` behind a comma begins something else where the list had its own.
fn list(page: &Page, found: &Number, sentence: usize) -> (usize, usize) {
    let (first, last) = page.sentences[sentence].tokens;
    let raw = |at: usize| page.tokens[at].of(&page.text);
    let joins = |at: usize| at < last && matches!(raw(at), "and" | "or");
    let is_bare = |at: &usize| page.tokens[*at].kind == Kind::Number || raw(*at) == "," || joins(*at);
    let from = (first..found.from).rev().take_while(is_bare).last().unwrap_or(found.from);
    let to = (found.tokens.1..last).take_while(is_bare).last().map_or(found.tokens.1, |at| at + 1);
    let joined = (from..to).find(|at| joins(*at)).unwrap_or(to);
    let ends = |at: &usize| *at > joined && raw(*at) == "," && joins(at + 1);
    ((from..found.from).rev().find(ends).unwrap_or(from), (found.from..to).find(ends).unwrap_or(to))
}

/// `Between 20% and 25%` is no list.
fn begins_range(page: &Page, from: usize) -> bool {
    from > 0 && matches!(page.tokens[from - 1].of(&page.text), "between" | "Between" | "from" | "From")
}

/// Whether a number of the page counts what the claim's number counts: it has a unit too, or stands alone, or before a word of the claim.
fn counts_the_same(matching: &Matching, found: &Number, number: &Number, sentence: usize) -> bool {
    let page = matching.page;
    if found.measure != Measure::Count || found.unit.is_some() && number.unit.is_some() {
        return true;
    }
    let after = found.tokens.1..found.tokens.1 + 3;
    let stands_alone = page.tokens.get(after.start).is_none_or(|token| {
        let raw = token.of(&page.text);
        token.kind == Kind::Mark || words::is_stop(raw)
    });
    stands_alone && number.unit.is_some() || matching.meets((after.start, after.end.min(page.sentences[sentence].tokens.1)))
}

fn is_date(number: &Number) -> bool {
    matches!(number.measure, Measure::Year | Measure::Month | Measure::Day { .. })
}

/// The date of an article, or in its heading, holds for all that it tells.
fn is_dateline(page: &Page, place: Span) -> bool {
    let Some(sentence) = page.sentences.iter().find(|sentence| sentence.span.contains(place)) else { return false };
    let (first, last) = sentence.tokens;
    let before = page.text[..sentence.span.start].trim_end_matches(' ');
    let is_title = first == 0 && opens_with_heading(page);
    let is_heading = is_title || before.ends_with('#') || sentence.span.of(&page.text).starts_with('#');
    let says = |word: &str| page.tokens[first..last].iter().any(|token| token.of(&page.text).eq_ignore_ascii_case(word));
    is_heading || last - first <= 14 && (["published", "updated", "posted", "modified"].iter().any(|word| says(word)) || last - first <= 5)
}

/// What fits less is no rival, only another number.
const PLAUSIBLE: f64 = 0.45;

/// From this share on a sentence says all of it, without anything that is carried over.
const OUTRIGHT: f64 = 0.9;

/// What the claim says around a number, each part with what it tells of the number: the nearer, the more, and less if another number is nearer.
fn around(statement: &Statement, weights: &[f64], part: usize) -> Vec<(usize, f64)> {
    let at = statement.slots[part].token;
    let distance = |one: usize, other: usize| {
        let (from, to) = (one.min(other), one.max(other));
        let breaks = statement.tokens[from..to].iter().filter(|token| ends_clause(token.of(statement.text))).count();
        ((to - from) as f64 / 4.0).powi(2) + breaks as f64
    };
    let parts = (0..statement.slots.len()).filter(|other| *other != part && weights[*other] > 0.0);
    let told = |other: usize| {
        let place = statement.slots[other].token;
        let own = distance(at, place);
        let is_anothers = statement.numbers().any(|(number, _)| number != part && distance(statement.slots[number].token, place) < own);
        weights[other] / (1.0 + own) * if is_anothers { SAID_OF_ANOTHER } else { 1.0 }
    };
    parts.map(|other| (other, told(other))).collect()
}

struct Fit {
    /// In the sentence itself.
    said: f64,
    /// With what is carried over to it from the heading and the sentence before.
    with_carried: f64,
}

/// How much of what stands around the number in the claim is said of this number of the page.
fn fit(matching: &Matching, told: &Told, around: &[(usize, f64)], found: &Number, sentence: usize) -> Fit {
    let page = matching.page;
    let tokens = page.sentences[sentence].tokens;
    let others = page.numbers_in(sentence).filter(|other| same_kind(other, found) && !is_part_of(page, found, other));
    let rivals: Vec<usize> = others.map(|other| other.tokens.0).collect();
    let here = found.tokens.0;
    // `662 tons when surfaced and 834 when submerged`: what stands before the first is said of both, unless the claim has what tells the first.
    let is_continued = found.from > tokens.0 && matches!(page.tokens[found.from - 1].of(&page.text), "and" | "or" | "but" | ",");
    // Of years in a row each may have its own: `the finals of 2001 and 2005, and 2009 was the year in which it won`.
    let is_row = |first: usize| page.tokens[first..here].iter().all(|token| token.kind != Kind::Word || token.of(&page.text) == "and");
    let is_told_apart = |first: usize| matching.meets((first + 1, here)) || is_date(found) && is_row(first);
    let continued = rivals.first().copied();
    let continued = continued.filter(|first| is_continued && *first < here && !begins_range(page, *first) && !is_told_apart(*first));
    let mut fit = Fit { said: 0.0, with_carried: 0.0 };
    for (part, weight) in around {
        // If a place further away is said of this number, so is the nearest on its side.
        let places = matching.places(*part, tokens);
        let after = places.partition_point(|(token, _)| *token < here);
        let beside = places[after.saturating_sub(1)..].iter().take(2);
        let is_shared = |token: usize| continued.is_some_and(|first| token < first);
        let said_of = |place: &(usize, f32)| if is_shared(place.0) { f64::from(place.1) } else { said_of(page, *place, here, &rivals) };
        let said = beside.map(said_of).fold(0.0, f64::max);
        // What is carried over from earlier sentences is said of every number of this one alike.
        let carried = if matching.strength(*part, sentence) == 0.0 { told.strength(*part, sentence) } else { 0.0 };
        fit.said += weight * said;
        fit.with_carried += weight * said.max(carried);
    }
    fit
}

/// In `three of the five judges` the judges are said of the three as well.
fn is_part_of(page: &Page, part: &Number, whole: &Number) -> bool {
    let between = part.tokens.1..whole.tokens.0;
    between.len() <= 3 && page.tokens.get(between).is_some_and(|tokens| tokens.first().is_some_and(|token| token.of(&page.text) == "of"))
}

/// A word belongs to the nearest number of its kind; to the others it says little.
fn said_of(page: &Page, (token, strength): (usize, f32), here: usize, rivals: &[usize]) -> f64 {
    let own = page.distance(token, here);
    let after = rivals.partition_point(|rival| *rival < token);
    let beside = rivals[after.saturating_sub(1)..].iter().take(2);
    let nearest = beside.map(|rival| page.distance(token, *rival)).min().unwrap_or(own);
    f64::from(strength) * if own <= nearest { 1.0 } else { SAID_OF_ANOTHER }
}

const SAID_OF_ANOTHER: f64 = 0.5;

/// Whether two numbers could stand in each other's place.
pub fn same_kind(one: &Number, other: &Number) -> bool {
    let measure = |number: &Number| match number.measure {
        Measure::Day { .. } => 1,
        Measure::Month => 2,
        Measure::Year => 3,
        Measure::Decade => 4,
        Measure::Century => 5,
        Measure::Percent => 6,
        Measure::Money => 7,
        Measure::Ordinal => 8,
        Measure::Count => 9,
        Measure::Points => 10,
        Measure::Time { .. } => 11,
    };
    let same_dimension = match (one.unit, other.unit) {
        (Some(one), Some(other)) => one.dimension == other.dimension,
        _ => true,
    };
    measure(one) == measure(other) && same_dimension
}
