//! Two numbers of one kind, each said of its own thing: `25% in Europe and 10% in the United States`, `Japan 41% and Korea 22%`.
//! Which number belongs to which thing is read from the parts of a list only; where they tell nothing, `binding` has said what can be said.

use super::binding::{Bound, same_kind};
use super::matching::Matching;
use super::page::Page;
use super::statement::{Part, Statement};
use crate::text::Number;

/// Numbers that the page has beside the same things fit as well as can be; what it has beside the other's is said of something else.
pub fn settle(matching: &Matching, bound: &mut [Bound]) {
    let (statement, page) = (matching.statement, matching.page);
    for at in 1..bound.len() {
        let number = |part: usize| match &statement.slots[part].part {
            Part::Number(number) => Some(number),
            Part::Word { .. } => None,
        };
        let (Some(one), Some(other)) = (number(bound[at - 1].part), number(bound[at].part)) else { continue };
        if !same_kind(one, other) {
            continue;
        }
        let Some(things) = things(statement, one, other) else { continue };
        for sentence in 0..page.sentences.len() {
            if let Some(found) = owned(matching, sentence, things, one) {
                let fits = (found.0.bears_out(one), found.1.bears_out(other));
                let crossed = found.0.bears_out(other) && found.1.bears_out(one);
                // `10% in Europe and 5% in Asia` where the list says 25%, 10% and 5% of three.
                let is_elsewhere = |number: &Number| page.numbers_in(sentence).any(|found| found.bears_out(number));
                let is_moved = !fits.0 && !fits.1 && is_elsewhere(one) && is_elsewhere(other);
                for bound in &mut bound[at - 1..=at] {
                    match fits {
                        (true, true) => bound.rival = bound.rival.min(bound.own),
                        _ if crossed || is_moved => (bound.own, bound.rival) = (0.0, 1.0),
                        _ => {}
                    }
                }
                break;
            }
        }
    }
}

/// The parts of the claim that its two numbers are said of: what stands before each of them, or what stands behind.
fn things(statement: &Statement, one: &Number, other: &Number) -> Option<(usize, usize)> {
    let between = (one.tokens.1..other.tokens.0).rfind(|at| ends_segment(statement.tokens[*at].of(statement.text)))?;
    let is_word = |part: &usize| matches!(statement.slots[*part].part, Part::Word { .. });
    let is_name = |part: &usize| matches!(statement.slots[*part].part, Part::Word { in_name: true, .. });
    let within = |first: usize, last: usize| -> Vec<usize> {
        let is_there = |part: &usize| (first..last).contains(&statement.slots[*part].token) && is_word(part);
        (0..statement.slots.len()).filter(is_there).collect()
    };
    // Of several words without a name none is surely what is meant.
    let named = |parts: &[usize]| parts.iter().copied().find(|part| is_name(part)).or(parts.first().copied().filter(|_| parts.len() == 1));
    let (before_one, before_other) = (within(0, one.tokens.0), within(between + 1, other.tokens.0));
    match (before_one.first(), before_other.first()) {
        (Some(first), Some(second)) => Some((*first, *second)),
        (_, None) => Some((named(&within(one.tokens.1, between))?, named(&within(other.tokens.1, statement.tokens.len()))?)),
        _ => None,
    }
}

/// The numbers that a sentence says of two things, if it lists them: the only one in the part of the list that has the thing.
fn owned<'a>(matching: &Matching<'a>, sentence: usize, things: (usize, usize), kind: &Number) -> Option<(&'a Number, &'a Number)> {
    let page = matching.page;
    let tokens = page.sentences[sentence].tokens;
    let place = |part: usize| match matching.places(part, tokens) {
        [(at, _)] => Some(*at),
        _ => None,
    };
    let (one, other) = (place(things.0)?, place(things.1)?);
    // `A quarter` is a count by its form and a share by its meaning.
    let is_share = |found: &&Number| !found.ambiguous && same_kind(found, kind) || found.spelled && found.value < 1.0;
    let numbers: Vec<&Number> = page.numbers_in(sentence).filter(is_share).collect();
    let near = |at: usize| {
        let (from, to) = segment(page, tokens, &numbers, at);
        let mut here = numbers.iter().filter(|number| (from..to).contains(&number.tokens.0));
        here.next().filter(|_| here.next().is_none())
    };
    let (found, second) = (*near(one)?, *near(other)?);
    let is_respective = page.tokens[tokens.0..tokens.1].iter().any(|token| token.of(&page.text) == "respectively");
    (found.tokens != second.tokens && !is_respective).then_some((found, second))
}

/// The part of a list that a token stands in. A list may begin with a number or with a thing, and between two commas both belong together.
pub fn segment(page: &Page, (first, last): (usize, usize), numbers: &[&Number], at: usize) -> (usize, usize) {
    let ends = |place: &usize| ends_segment(page.tokens[*place].of(&page.text)) && !is_within_numbers(numbers, *place);
    let from = (first..at).rev().find(ends).map_or(first, |place| place + 1);
    (from, (at..last).find(ends).unwrap_or(last))
}

fn ends_segment(raw: &str) -> bool {
    matches!(raw, "and" | "," | ";" | "while" | "whereas" | "but")
}

/// The `and` of `between 20% and 25%`, and of `a hundred and five`, which parts nothing.
fn is_within_numbers(numbers: &[&Number], place: usize) -> bool {
    let is_inside = numbers.iter().any(|number| (number.tokens.0..number.tokens.1).contains(&place));
    let ends_before = numbers.iter().any(|number| number.tokens.1 == place);
    let begins_behind = numbers.iter().any(|number| (number.from..=number.tokens.0).contains(&(place + 1)));
    is_inside || ends_before && begins_behind
}
