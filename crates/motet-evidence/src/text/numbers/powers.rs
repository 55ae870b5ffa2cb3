//! Powers of ten: `10⁶`, `10^6` and `1.5 × 10⁶` are a million and one and a half, and so are `1.5x10^6` and `$1.5 \\times 10^{6}$`.
//! Nobody else raises numbers in prose: what stands above any other number is a note, and above a unit a measure.

use super::{Reader, digits};

const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
/// What is multiplied by a power.
const TIMES: [&str; 6] = ["×", "·", "⋅", "*", "x", "X"];
/// The same in the language of formulas, behind a backslash.
const SPELLED_TIMES: [&str; 2] = ["times", "cdot"];
/// Beyond it no number of a report is as great, or as small.
const GREATEST: i32 = 99;

/// The value of a power of ten, alone or multiplied, with the step of what it was written with and the token behind it.
pub fn read(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    let (value, step, next) = match power(reader, at, reader.raw(at)) {
        Some((power, next)) => (power, power, next),
        None => {
            let (value, step) = digits(reader.raw(at))?;
            let (power, next) = factor(reader, at + 1)?;
            (value * power, step * power, next)
        }
    };
    Some((value, step, next + usize::from(is_formula(reader, at, next))))
}

/// The power that a number before it is multiplied by.
fn factor(reader: &Reader, at: usize) -> Option<(f64, usize)> {
    let sign = reader.raw(at);
    if TIMES.contains(&sign) {
        return power(reader, at + 1, reader.raw(at + 1));
    }
    if sign == "\\" && reader.touches(at + 1) && SPELLED_TIMES.contains(&reader.raw(at + 1)) {
        return power(reader, at + 2, reader.raw(at + 2));
    }
    // Without a space, the letter and all that follows it are one word: `3x10⁸`.
    power(reader, at, sign.strip_prefix(['x', 'X'])?)
}

/// The power of ten whose base ends with the token at a place, and there is spelled like this; raised digits may be a part of it.
fn power(reader: &Reader, at: usize, base: &str) -> Option<(f64, usize)> {
    let within = base.strip_prefix("10")?;
    if !within.is_empty() {
        return Some((raised(within.chars().map(digit).collect::<Option<String>>()?, false)?, at + 1));
    }
    let is = |place: usize, mark: &str| reader.touches(place) && reader.raw(place) == mark;
    let is_caret = is(at + 1, "^");
    let is_braced = is_caret && is(at + 2, "{");
    let sign = at + 1 + usize::from(is_caret) + usize::from(is_braced);
    let is_below = is(sign, "⁻") || is_caret && (is(sign, "-") || is(sign, "−"));
    let first = sign + usize::from(is_below || is(sign, "⁺"));
    let mut next = first;
    let mut exponent = String::new();
    if is_caret && reader.touches(first) && reader.raw(first).bytes().all(|digit| digit.is_ascii_digit()) {
        exponent.push_str(reader.raw(first));
        next += 1;
    }
    let digit_at = |place: usize| reader.raw(place).chars().next().and_then(digit).filter(|_| !is_caret && reader.touches(place));
    while let Some(digit) = digit_at(next) {
        exponent.push(digit);
        next += 1;
    }
    if is_braced && !is(next, "}") {
        return None;
    }
    Some((raised(exponent, is_below)?, next + usize::from(is_braced)))
}

fn raised(exponent: String, is_below: bool) -> Option<f64> {
    let exponent = exponent.parse::<i32>().ok().filter(|exponent| *exponent <= GREATEST)?;
    Some(10f64.powi(if is_below { -exponent } else { exponent }))
}

fn digit(letter: char) -> Option<char> {
    RAISED.iter().zip('0'..='9').find(|(raised, _)| **raised == letter).map(|(_, digit)| digit)
}

/// Whether a power stands between two signs that open and close a formula, and are no dollars: `$10^{6}$`.
fn is_formula(reader: &Reader, at: usize, next: usize) -> bool {
    at > 0 && reader.raw(at - 1) == "$" && reader.touches(at) && reader.raw(next) == "$" && reader.touches(next)
}
