//! Whether a number is below zero: a minus that touches it, `minus five`, or a word of loss that says the same without a sign.
//! A hyphen between two numbers is a range and no sign.

use super::{Kind, Reader};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Plain,
    Minus,
    /// Without a sign, and said of a loss or a fall: it may be the size of a negative number.
    Down,
}

impl Sign {
    pub fn agrees(self, other: Self) -> bool {
        !matches!((self, other), (Sign::Plain, Sign::Minus) | (Sign::Minus, Sign::Plain))
    }
}

const MARKS: [&str; 4] = ["-", "−", "–", "‒"];

/// Words that begin so are of loss, fall or cold.
const DOWN: [&str; 26] = [
    "loss", "lost", "lose", "losing", "fell", "fall", "drop", "declin", "decreas", "shrank", "shrink", "shrunk", "contract", "down",
    "deficit", "negative", "reduc", "cut", "lower", "plung", "slump", "slid", "slip", "sank", "below", "minus",
];

/// So many tokens before a number may tell that it is one of a loss.
const REACH: usize = 6;

/// The sign of a number whose digits, or whose currency, begin at `from`, and the token that the sign begins at.
pub fn before(reader: &Reader, from: usize) -> (usize, Sign) {
    let Some(place) = from.checked_sub(1) else { return (from, Sign::Plain) };
    let raw = reader.raw(place);
    let stands_free = !reader.touches(place) || reader.raw(place.saturating_sub(1)) == "(";
    let follows_number = place > 0 && reader.kind(place - 1) == Some(Kind::Number);
    if MARKS.contains(&raw) && reader.touches(from) && stands_free && !follows_number {
        return (place, Sign::Minus);
    }
    if raw.eq_ignore_ascii_case("minus") {
        return (place, Sign::Minus);
    }
    (from, if is_down(reader, from) { Sign::Down } else { Sign::Plain })
}

/// `fell by 5`, and not `fell to 5`.
fn is_down(reader: &Reader, from: usize) -> bool {
    if from == 0 || reader.raw(from - 1) == "to" {
        return false;
    }
    let near = (from.saturating_sub(REACH)..from).rev().map(|at| reader.raw(at)).take_while(|raw| !matches!(*raw, "," | ";" | ":" | "."));
    near.into_iter().any(|raw| DOWN.iter().any(|word| raw.get(..word.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(word))))
}
