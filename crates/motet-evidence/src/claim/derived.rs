//! Numbers that a page does not write and that follow from two that it does: years between dates, points between shares, a share of a whole, a time
//! in two units.
//! Only what one sentence, or one and the next, plainly says; nothing else is calculated.

use super::binding::same_kind;
use super::matching::Matching;
use super::page::Page;
use super::statement::{Part, Statement};
use crate::text::{Measure, Number, Qualifier};

/// Whether the number follows from two numbers of the page.
pub fn follows(matching: &Matching, number: &Number) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    is_between_years(page, number)
        || is_between_shares(page, number)
        || is_share(page, number)
        || is_in_two_units(page, number)
        || is_said_by(statement, number) && is_between_like(matching, number)
}

/// `grew by 355`, `fell by about 20 million`.
fn is_said_by(statement: &Statement, number: &Number) -> bool {
    const ABOUT: [&str; 9] = ["about", "around", "some", "nearly", "almost", "roughly", "approximately", "over", "just"];
    let before = statement.tokens[..number.from].iter().rev().map(|token| token.of(statement.text));
    before.into_iter().find(|word| !ABOUT.contains(word)) == Some("by")
}

/// `grew by 355` where a sentence that speaks of it has 4,862 and 5,217.
fn is_between_like(matching: &Matching, number: &Number) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    // `By March` and `by 8 am` say when.
    if !matches!(number.measure, Measure::Count | Measure::Money | Measure::Percent | Measure::Points) {
        return false;
    }
    let is_word = |part: usize| matches!(statement.slots[part].part, Part::Word { .. });
    let speaks_of_it = |sentence: &usize| matching.in_sentence(*sentence).iter().any(|meeting| is_word(meeting.part));
    (0..page.sentences.len()).filter(speaks_of_it).any(|sentence| {
        let found: Vec<&Number> = page.numbers_in(sentence).filter(|found| !found.ambiguous && same_kind(found, number)).collect();
        found.windows(2).any(|pair| {
            let value = (pair[1].value - pair[0].value).abs();
            Number { value, sign: number.sign, qualifier: Qualifier::Exact, ..*pair[1] }.bears_out(number)
        })
    })
}

/// `for more than twenty years` where the source says `from 1968 to 1990`.
fn is_between_years(page: &Page, number: &Number) -> bool {
    let is_years = number.unit.is_some_and(|unit| unit.dimension == "time" && unit.factor > 3e7 && unit.factor < 4e7);
    is_years && is_difference(page, number, Measure::Year)
}

/// `by 8.4 percentage points` where the source says `29.8 %, up from 21.4 %`.
fn is_between_shares(page: &Page, number: &Number) -> bool {
    number.measure == Measure::Points && is_difference(page, number, Measure::Percent)
}

/// Whether two numbers of one measure that follow each other in a sentence are so far from each other.
fn is_difference(page: &Page, number: &Number, measure: Measure) -> bool {
    (0..page.sentences.len()).any(|sentence| {
        let found: Vec<&Number> = page.numbers_in(sentence).filter(|found| found.measure == measure).collect();
        found.windows(2).any(|pair| {
            let value = (pair[1].value - pair[0].value).abs();
            Number { value, qualifier: Qualifier::Exact, ..*number }.bears_out(number)
        })
    })
}

/// `160 seconds` where the source says `two minutes and 40 seconds`.
fn is_in_two_units(page: &Page, number: &Number) -> bool {
    let Some(wanted) = number.unit.filter(|unit| unit.dimension == "time") else { return false };
    let are_joined = |one: &Number, other: &Number| {
        let between = page.tokens.get(one.tokens.1..other.tokens.0).unwrap_or_default();
        // The unit of the first stands between them.
        between.iter().skip(1).all(|token| matches!(token.of(&page.text), "and" | ",")) && between.len() <= 3
    };
    (0..page.sentences.len()).any(|sentence| {
        let found: Vec<&Number> = page.numbers_in(sentence).filter(|found| found.unit.is_some()).collect();
        found.windows(2).any(|pair| {
            let (Some(large), Some(small)) = (pair[0].unit, pair[1].unit) else { return false };
            let value = (pair[0].value * large.factor + pair[1].value * small.factor) / wanted.factor;
            let are_times = large.dimension == "time" && small.dimension == "time" && large.factor > small.factor;
            let sum = Number { value, unit: Some(wanted), qualifier: Qualifier::Exact, ..*pair[1] };
            are_times && are_joined(pair[0], pair[1]) && sum.bears_out(number)
        })
    })
}

/// Smaller wholes are compared by counting, not by shares.
const SMALLEST_WHOLE: f64 = 10.0;

/// `9 % of patients died` where the source says `37 of 412`, or `412 patients, of whom 37 died`.
fn is_share(page: &Page, number: &Number) -> bool {
    let word = |at: usize| page.tokens.get(at).map_or("", |token| token.of(&page.text));
    let is_count = |found: &Number| found.measure == Measure::Count && found.unit.is_none();
    let is_of = |part: &Number, whole: &Number| {
        let named = word(part.tokens.1) == "of" && whole.tokens.0 > part.tokens.1 && whole.tokens.0 <= part.tokens.1 + 3;
        let referred = whole.tokens.1 <= part.tokens.0
            && (word(part.tokens.1) == "of" && matches!(word(part.tokens.1 + 1), "them" | "these" | "those" | "whom" | "which")
                || part.tokens.0 >= 2 && word(part.tokens.0 - 2) == "of" && matches!(word(part.tokens.0 - 1), "whom" | "which" | "these"));
        named || referred
    };
    number.measure == Measure::Percent
        && (0..page.sentences.len()).any(|sentence| {
            let counts: Vec<&Number> = page.numbers_in(sentence).filter(|found| is_count(found)).collect();
            counts.windows(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]).any(|(part, whole)| {
                let share = Number { value: 100.0 * part.value / whole.value, measure: Measure::Percent, ..*part };
                whole.value >= SMALLEST_WHOLE && part.value < whole.value && is_of(part, whole) && share.bears_out(number)
            })
        })
}
