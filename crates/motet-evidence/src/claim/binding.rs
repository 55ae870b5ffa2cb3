//! Whether a number of the claim is said of the same thing on the page, or whether the page has another number in its place.
//! Numbers that the page does not have at all are the business of `gate`. Words are compared by nearness; no sentence is parsed.

use super::matching::{Matching, Meeting};
use super::page::Page;
use super::statement::Statement;
use super::told::Told;
use crate::text::{Kind, Measure, Number, Span};

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
    /// Where the page has the other one.
    pub rival_place: Option<Span>,
}

/// Every number of the claim that is on the page.
pub fn bindings(statement: &Statement, page: &Page, matching: &Matching, told: &Told, weights: &[f64]) -> Vec<Bound> {
    let met = statement.numbers().filter(|(part, _)| !statement.slots[*part].given && matching.anywhere(*part) > 0.0);
    met.filter_map(|(part, number)| bound(statement, page, matching, told, weights, part, number)).collect()
}

fn bound(
    statement: &Statement,
    page: &Page,
    matching: &Matching,
    told: &Told,
    weights: &[f64],
    part: usize,
    number: &Number,
) -> Option<Bound> {
    let around = around(statement, weights, part);
    let total: f64 = around.iter().map(|(_, weight)| weight).sum();
    if total == 0.0 {
        return None;
    }
    let claimed_otherwise = |found: &Number| statement.numbers().any(|(other, wanted)| other != part && found.bears_out(wanted));
    let mut own: Option<(f64, Span)> = None;
    let mut rival: Option<(f64, Span)> = None;
    for (found, sentence) in &page.numbers {
        let is_own = found.bears_out(number);
        if found.ambiguous || !is_own && (!same_kind(found, number) || claimed_otherwise(found)) {
            continue;
        }
        let fit = fit(page, matching, told, &around, found, *sentence) / total;
        let best = if is_own { &mut own } else { &mut rival };
        if best.is_none_or(|(so_far, _)| fit > so_far) {
            *best = Some((fit, found.span));
        }
    }
    let (own, place) = own?;
    Some(Bound {
        part,
        own,
        rival: rival.map(|rival| rival.0).filter(|rival| *rival >= PLAUSIBLE).unwrap_or_default(),
        place,
        rival_place: rival.map(|rival| rival.1),
    })
}

/// What fits less is no rival, only another number.
const PLAUSIBLE: f64 = 0.45;

/// What the claim says around a number, each part with what it tells of the number: the nearer, the more.
fn around(statement: &Statement, weights: &[f64], part: usize) -> Vec<(usize, f64)> {
    let at = statement.slots[part].token;
    let parts = (0..statement.slots.len()).filter(|other| *other != part && weights[*other] > 0.0);
    let nearness = |other: usize| {
        let (from, to) = (at.min(statement.slots[other].token), at.max(statement.slots[other].token));
        let breaks =
            statement.tokens[from..to].iter().filter(|token| token.kind == Kind::Mark && ends_clause(token.of(statement.text))).count();
        1.0 / (1.0 + ((to - from) as f64 / 4.0).powi(2) + breaks as f64)
    };
    parts.map(|other| (other, weights[other] * nearness(other))).collect()
}

/// How much of what stands around the number in the claim is said of this number of the page.
fn fit(page: &Page, matching: &Matching, told: &Told, around: &[(usize, f64)], found: &Number, sentence: usize) -> f64 {
    let meetings = matching.in_sentence(sentence);
    let rivals: Vec<usize> = page.numbers_in(sentence).filter(|other| same_kind(other, found)).map(|other| other.tokens.0).collect();
    let here = found.tokens.0;
    let share = |(part, weight): &(usize, f64)| {
        let said = meetings.iter().filter(|meeting| meeting.part == *part).map(|meeting| said_of(page, meeting, here, &rivals));
        let said = said.fold(0.0, f64::max);
        // What is carried over from earlier sentences is said of every number of this one alike.
        let carried = if matching.strength(*part, sentence) == 0.0 { told.strength(*part, sentence) } else { 0.0 };
        weight * said.max(carried)
    };
    around.iter().map(share).sum()
}

/// A word belongs to the nearest number of its kind; to the others it says little.
fn said_of(page: &Page, meeting: &Meeting, here: usize, rivals: &[usize]) -> f64 {
    let own = distance(page, meeting.token, here);
    let nearest = rivals.iter().map(|rival| distance(page, meeting.token, *rival)).min().unwrap_or(own);
    f64::from(meeting.strength) * if own <= nearest { 1.0 } else { SAID_OF_ANOTHER }
}

const SAID_OF_ANOTHER: f64 = 0.5;

/// In tokens; the end of a clause is as far as several words.
fn distance(page: &Page, one: usize, other: usize) -> usize {
    let (from, to) = (one.min(other), one.max(other));
    let breaks = page.tokens[from..to].iter().filter(|token| ends_clause(token.of(&page.text))).count();
    to - from + breaks * CLAUSE
}

const CLAUSE: usize = 6;

pub fn ends_clause(raw: &str) -> bool {
    matches!(raw, "," | ";" | ":" | "—" | "–" | "(" | ")" | "while" | "but" | "whereas" | "compared" | "against")
}

/// Whether two numbers could stand in each other's place.
fn same_kind(one: &Number, other: &Number) -> bool {
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
    };
    let same_dimension = match (one.unit, other.unit) {
        (Some(one), Some(other)) => one.dimension == other.dimension,
        _ => true,
    };
    measure(one) == measure(other) && same_dimension
}
