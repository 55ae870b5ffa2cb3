//! Where a number begins, with the words before it that say it is not exact.
//! What such a word bounds is read with the number itself.

use super::{Reader, currency};
use crate::text::Token;

/// Whether a number begins at a token, perhaps with `about` or its currency before it.
pub fn begins_number(text: &str, tokens: &[Token], at: usize) -> bool {
    let reader = Reader { text, tokens };
    let mut begin = at;
    while is_about(&reader.word(begin)) {
        begin += 1;
    }
    // `US$ 5`: a currency has at most so many tokens.
    let paid =
        (begin + 1..=begin + LONGEST_CURRENCY).find(|behind| currency::before(&reader, *behind).is_some_and(|(from, _)| from == begin));
    [Some(begin), paid].into_iter().flatten().any(|place| place < tokens.len() && reader.number(place).is_some())
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
