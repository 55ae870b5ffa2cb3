//! Powers of ten: `10⁶`, `10^6` and `1.5 × 10⁶` are a million and one and a half.
//! Nobody else raises numbers in prose: what stands above any other number is a note, and above a unit a measure.

use super::{Reader, digits};

const RAISED: [&str; 10] = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];
/// What is multiplied by a power.
const TIMES: [&str; 5] = ["×", "·", "⋅", "*", "x"];
/// Beyond it no number of a report is as great, or as small.
const GREATEST: i32 = 99;

/// The value of a power of ten, alone or multiplied, with the step of what it was written with and the token behind it.
pub fn read(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    if let Some((power, next)) = power(reader, at) {
        return Some((power, power, next));
    }
    let (value, step) = digits(reader.raw(at))?;
    let (power, next) = power(reader, at + 2).filter(|_| TIMES.contains(&reader.raw(at + 1)))?;
    Some((value * power, step * power, next))
}

fn power(reader: &Reader, at: usize) -> Option<(f64, usize)> {
    if reader.raw(at) != "10" {
        return None;
    }
    let is_caret = reader.raw(at + 1) == "^" && reader.touches(at + 1);
    let sign = at + 1 + usize::from(is_caret);
    let is_below = reader.touches(sign) && matches!(reader.raw(sign), "⁻" | "-" | "−") && (is_caret || reader.raw(sign) == "⁻");
    let first = sign + usize::from(is_below || reader.touches(sign) && reader.raw(sign) == "⁺");
    let mut next = first;
    let mut exponent = String::new();
    if is_caret && reader.touches(first) && reader.raw(first).bytes().all(|digit| digit.is_ascii_digit()) {
        exponent.push_str(reader.raw(first));
        next += 1;
    }
    while let Some(digit) = RAISED.iter().position(|raised| !is_caret && reader.touches(next) && reader.raw(next) == *raised) {
        exponent.push_str(&digit.to_string());
        next += 1;
    }
    let exponent = exponent.parse::<i32>().ok().filter(|exponent| *exponent <= GREATEST)?;
    Some((10f64.powi(if is_below { -exponent } else { exponent }), next))
}
