//! Numbers in digits of other scripts: `１，２５０` is 1,250.
//! Digits below the line are left out, because they belong to the word before them: `CO₂`.

use super::{Kind, Reader, digits};
use crate::text::{our_digit, our_sign};

/// The digits of one group of thousands.
const GROUP: usize = 3;
/// More than any number has.
const LONGEST: usize = 400;

/// The value of the digits that begin at a token, what their last one counts, and the token behind them. As with ours, a comma goes on
/// with a group of thousands and with nothing else, and a point once: `１９３２，１９３４` are two years.
pub fn read(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    // Whoever begins within digits reads only their end, and of a page of them each end again.
    let is_within = reader.touches(at) && at.checked_sub(1).and_then(|before| digit(reader, before)).is_some();
    let first = if is_within { String::new() } else { run(reader, at) };
    if first.is_empty() {
        return None;
    }
    let (mut read, mut next, mut is_decimal) = (first.clone(), at + first.len(), false);
    while read.len() < LONGEST && reader.touches(next) && reader.touches(next + 1) {
        let following = run(reader, next + 1);
        let sign = letter(reader, next).and_then(our_sign);
        match sign {
            Some('.') if !is_decimal && !following.is_empty() => is_decimal = true,
            Some(',') if !is_decimal && following.len() == GROUP && first.len() <= GROUP => {}
            _ => break,
        }
        read.extend(sign);
        read.push_str(&following);
        next += 1 + following.len();
    }
    let (value, step) = digits(&read)?;
    Some((value, step, next))
}

/// The digits from a token on that touch one another, as ours; each is one letter and one token.
fn run(reader: &Reader, at: usize) -> String {
    let goes_on = |place: &usize| *place == at || reader.touches(*place);
    (at..).take_while(goes_on).map_while(|place| digit(reader, place)).collect()
}

fn digit(reader: &Reader, at: usize) -> Option<char> {
    letter(reader, at).filter(|letter| !('₀'..='₉').contains(letter)).and_then(our_digit)
}

fn letter(reader: &Reader, at: usize) -> Option<char> {
    (reader.kind(at) == Some(Kind::Mark)).then(|| reader.raw(at).chars().next())?
}
