//! Thousands that are set apart by plain spaces: `1 250 000`. Tables set their columns apart in the same way.
//! So the whole is read as one number, and its groups stay as numbers that may support a claim and are never demanded.

use super::{Kind, Measure, Number, Reader};

/// More groups are a row of a table.
const MOST_GROUPS: usize = 4;

/// The token after the last group of a number that begins at `at`, if it has several.
pub fn end(reader: &Reader, at: usize) -> Option<usize> {
    let is_digits = |place: usize| reader.kind(place) == Some(Kind::Number) && reader.raw(place).bytes().all(|byte| byte.is_ascii_digit());
    let first = reader.raw(at);
    let is_row = at > 0 && is_digits(at - 1);
    if !is_digits(at) || first.len() > 3 || first.starts_with('0') || is_row {
        return None;
    }
    let is_group = |place: usize| {
        let gap = reader.tokens.get(place).map(|token| (reader.tokens[place - 1].span.end, token.span.start));
        is_digits(place) && reader.raw(place).len() == 3 && gap.is_some_and(|(from, to)| reader.text.get(from..to) == Some(" "))
    };
    let next = (at + 1..reader.tokens.len()).find(|place| !is_group(*place)).unwrap_or(reader.tokens.len());
    let groups = next - at;
    let counts_something = reader.raw(next).starts_with(char::is_lowercase) || matches!(reader.raw(next), "%" | "€");
    let is_whole = groups > 2 || groups == 2 && counts_something;
    (is_whole && groups <= MOST_GROUPS && reader.kind(next) != Some(Kind::Number)).then_some(next)
}

/// The value of the groups together.
pub fn value(reader: &Reader, at: usize, next: usize) -> Option<f64> {
    (at..next).map(|place| reader.raw(place)).collect::<String>().parse().ok()
}

/// The groups by themselves.
pub fn columns(reader: &Reader, at: usize, next: usize) -> Vec<Number> {
    let column = |place: usize| {
        let value = reader.raw(place).parse().ok()?;
        Some(Number { ambiguous: true, ..reader.made(place, place + 1, value, 1.0, Measure::Count) })
    };
    (at..next).filter_map(column).collect()
}
