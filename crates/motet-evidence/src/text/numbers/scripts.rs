//! Numbers in digits of other scripts: `１，２５０` is 1,250.
//! Digits below the line are left out, because they belong to the word before them: `CO₂`.

use super::{Kind, Reader, digits};
use crate::text::{our_digit, our_sign};

/// The value of the digits that begin at a token, what their last one counts, and the token behind them.
pub fn read(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    let (mut read, mut next) = (String::from(digit(reader, at)?), at + 1);
    while reader.touches(next) {
        let sign = letter(reader, next).and_then(our_sign).filter(|sign| *sign != '%' && reader.touches(next + 1));
        match (digit(reader, next), sign.zip(digit(reader, next + 1))) {
            (Some(digit), _) => read.push(digit),
            (None, Some((sign, digit))) => {
                read.extend([sign, digit]);
                next += 1;
            }
            (None, None) => break,
        }
        next += 1;
    }
    let (value, step) = digits(&read)?;
    Some((value, step, next))
}

fn digit(reader: &Reader, at: usize) -> Option<char> {
    letter(reader, at).filter(|letter| !('₀'..='₉').contains(letter)).and_then(our_digit)
}

fn letter(reader: &Reader, at: usize) -> Option<char> {
    (reader.kind(at) == Some(Kind::Mark)).then(|| reader.raw(at).chars().next())?
}
