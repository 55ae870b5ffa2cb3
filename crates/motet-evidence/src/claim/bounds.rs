//! Numbers that a claim only bounds: `fewer than 150`, `more than 140,000`, `before 2017`. The page bears them out with another number.
//! Numbers that the page has as they are never come here. What is not plainly within the bound is left to `gate`, which calls it missing.

use super::binding::same_kind;
use super::matching::Matching;
use super::statement::Statement;
use crate::text::{Measure, Number, Qualifier};

/// Whether a sentence that says at least half of the rest has only numbers of this kind that keep the bound.
pub fn hold(matching: &Matching, excused: &[usize], number: &Number) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let Some(is_above) = direction(statement, number) else { return false };
    let is_asked = |part: &usize| !excused.contains(part) && statement.slots[*part].span != number.span && !statement.slots[*part].given;
    let rest: Vec<usize> = (0..statement.slots.len()).filter(is_asked).collect();
    let claimed = |found: &Number| statement.numbers().any(|(_, other)| other.span != number.span && found.bears_out(other));
    let is_within = |found: &Number| if is_above { found.value > number.value } else { found.value < number.value };
    let keeps = |found: &Number| is_within(found) && !found.qualifier.bounds_like(number.qualifier);
    (0..page.sentences.len()).any(|sentence| {
        let said = rest.iter().filter(|part| matching.strength(**part, sentence) > 0.0).count();
        let mut others =
            page.numbers_in(sentence).filter(|found| same_kind(found, number) && same_month(found, number) && !claimed(found)).peekable();
        said > 0 && said * 2 >= rest.len() && others.peek().is_some() && others.all(keeps)
    })
}

/// Whether the claim says more than its number, or less; none if it says the number itself.
fn direction(statement: &Statement, number: &Number) -> Option<bool> {
    if matches!(number.measure, Measure::Year | Measure::Day { .. }) {
        let before = number.tokens.0.checked_sub(1).map(|at| statement.tokens[at].of(statement.text).to_lowercase())?;
        return match before.as_str() {
            "before" | "until" | "by" => Some(false),
            "after" => Some(true),
            _ => None,
        };
    }
    match number.qualifier {
        Qualifier::AtLeast => Some(true),
        Qualifier::AtMost | Qualifier::Below => Some(false),
        Qualifier::Exact | Qualifier::About => None,
    }
}

/// Days are compared within one month; a year is not asked for.
fn same_month(found: &Number, number: &Number) -> bool {
    match (found.measure, number.measure) {
        (Measure::Day { month }, Measure::Day { month: other }) => month == other,
        _ => true,
    }
}
