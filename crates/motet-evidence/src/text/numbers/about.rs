//! Where a number begins, with the words before it that say it is not exact.
//! What such a word bounds is read with the number itself.

use super::{Measure, Number, Reader, currency};
use crate::text::Token;

/// Whether a number begins at a token that is demanded and compared with its bound, perhaps with `about`, `just` or its currency before it.
pub fn begins_number(text: &str, tokens: &[Token], at: usize) -> bool {
    let reader = Reader { text, tokens };
    let mut begin = at;
    while let Some(length) = softening(&reader, begin) {
        begin += length;
    }
    // `US$ 5`: a currency has at most so many tokens.
    let paid =
        (begin + 1..=begin + LONGEST_CURRENCY).find(|behind| currency::before(&reader, *behind).is_some_and(|(from, _)| from == begin));
    let is_compared = |number: Number| !number.ambiguous && !number.is_small_word() && number.measure != Measure::Year;
    [Some(begin), paid].into_iter().flatten().any(|place| place < tokens.len() && reader.number(place).is_some_and(is_compared))
}

/// Where the words begin that stand between a bound and its number, and the number itself if there are none: `no more than just 20`.
pub fn softened_from(reader: &Reader, number: usize) -> usize {
    let mut begin = number;
    while let Some(before) =
        (1..=LONGEST_SOFTENING).filter_map(|length| begin.checked_sub(length)).find(|at| softening(reader, *at) == Some(begin - at))
    {
        begin = before;
    }
    begin
}

const LONGEST_SOFTENING: usize = 3;

/// How many tokens from here on say something of a number without changing how much it is: `about`, `just`, `a total of`, `~`.
fn softening(reader: &Reader, at: usize) -> Option<usize> {
    let word = reader.word(at);
    match word.as_str() {
        "just" | "only" | "another" | "perhaps" | "maybe" => Some(1),
        "a" | "an" => match reader.word(at + 1).as_str() {
            "total" | "average" | "maximum" | "minimum" if reader.word(at + 2) == "of" => Some(3),
            "estimated" | "mere" | "additional" | "further" | "full" => Some(2),
            _ => None,
        },
        about if is_about(about) => Some(1),
        _ => matches!(reader.raw(at), "~" | "≈").then_some(1),
    }
}

const LONGEST_CURRENCY: usize = 2;

/// Words that say a number is not exact.
pub fn is_about(word: &str) -> bool {
    const ABOUT: [&str; 15] = [
        "about",
        "around",
        "approximately",
        "roughly",
        "some",
        "nearly",
        "almost",
        "circa",
        "ca",
        "estimated",
        "c",
        "close",
        "approx",
        "approaching",
        "virtually",
    ];
    ABOUT.contains(&word)
}
