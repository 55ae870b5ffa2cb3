//! Times of the day: 19:30, 7:30 pm, 7.30 p.m., 9 am. The value is the minute of the day, so that all ways of writing one time are one number.
//! How long something takes is no time of the day; it has a unit.

use super::{Kind, Measure, Number, Reader, is_about};

const HALF_A_DAY: f64 = 720.0;

/// The time that begins at a token.
pub fn read(reader: &Reader, at: usize) -> Option<Number> {
    if reader.kind(at)? != Kind::Number {
        return None;
    }
    let (hour, minute, next) = with_colon(reader, at).or_else(|| with_point(reader, at)).or_else(|| hour(reader, at))?;
    let half = match reader.word(next).as_str() {
        "am" => Some(0.0),
        "pm" => Some(HALF_A_DAY),
        _ => None,
    };
    // Only a colon beside a word of time makes a time of two numbers that do not say which half of the day they are in.
    if half.is_none() && (next == at + 1 || !is_said(reader, at, next)) || half.is_some() && !(1.0..=12.0).contains(&hour) {
        return None;
    }
    Some(made(reader, (at, next), half, hour, minute))
}

/// `12:10` alone may be a time, and as well the votes of a council, a score or a verse: it supports a time and demands none.
pub fn unsaid(reader: &Reader, at: usize) -> Option<Number> {
    let (hour, minute, next) = with_colon(reader, at).filter(|(.., next)| !is_said(reader, at, *next))?;
    Some(Number { ambiguous: true, ..made(reader, (at, next), None, hour, minute) })
}

fn made(reader: &Reader, (at, next): (usize, usize), half: Option<f64>, hour: f64, minute: f64) -> Number {
    let minutes = half.map_or(hour * 60.0, |half| hour % 12.0 * 60.0 + half) + minute;
    let is_open = half.is_none() && hour <= 12.0 && !reader.raw(at).starts_with('0');
    let time = reader.made(at, next, minutes, 1.0, Measure::Time { is_open });
    Number { unit_end: next + usize::from(half.is_some()), ..time }
}

/// Whether a word beside the numbers says that they are a time, or beside those that they are joined to: `at 19:30`, `between 9:15 and 11:00`.
fn is_said(reader: &Reader, at: usize, next: usize) -> bool {
    let joined = at.checked_sub(4).filter(|_| matches!(reader.raw(at - 1), "and" | "to" | "or" | "-" | "–" | "und" | "bis"));
    let is_end =
        || joined.and_then(|first| with_colon(reader, first).map(|_| first)).is_some_and(|first| is_named(reader, first, first + 3));
    is_named(reader, at, next) || is_end()
}

/// `until about 9:15`, `19:30 Uhr`; and no vote or score has a zero before its first number.
fn is_named(reader: &Reader, at: usize, next: usize) -> bool {
    const BEFORE: [&str; 14] =
        ["at", "from", "until", "till", "since", "by", "around", "between", "before", "after", "um", "ab", "bis", "seit"];
    const BEHIND: [&str; 7] = ["uhr", "oclock", "h", "utc", "gmt", "cet", "cest"];
    let before = |places: usize| at.checked_sub(places).map(|place| reader.word(place)).unwrap_or_default();
    let is_before = |word: String| BEFORE.contains(&word.as_str());
    let is_before = is_before(before(1)) || is_about(&before(1)) && is_before(before(2));
    is_before || BEHIND.contains(&reader.word(next).as_str()) || reader.raw(at).starts_with('0')
}

/// Whether both may be one time. One that does not say which half of the day it is in may be in either.
pub fn agree(one: (f64, bool), other: (f64, bool)) -> bool {
    let apart = (one.0 - other.0).abs();
    apart == 0.0 || (one.1 || other.1) && apart == HALF_A_DAY
}

fn with_colon(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    let touch = (at + 1..=at + 2).all(|place| reader.touches(place));
    let goes_on = reader.raw(at + 3) == ":" && reader.touches(at + 3);
    let minute = reader.raw(at + 2);
    let is_time = touch && !goes_on && reader.raw(at + 1) == ":" && reader.raw(at).len() <= 2 && minute.len() == 2;
    let (hour, minute) = (reader.raw(at).parse::<u8>().ok()?, minute.parse::<u8>().ok()?);
    (is_time && hour <= 24 && minute < 60).then_some((f64::from(hour), f64::from(minute), at + 3))
}

fn with_point(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    let (hour, minute) = reader.raw(at).split_once('.').filter(|(_, minute)| minute.len() == 2)?;
    let (hour, minute) = (hour.parse::<u8>().ok()?, minute.parse::<u8>().ok()?);
    (minute < 60).then_some((f64::from(hour), f64::from(minute), at + 1))
}

fn hour(reader: &Reader, at: usize) -> Option<(f64, f64, usize)> {
    Some((f64::from(reader.raw(at).parse::<u8>().ok()?), 0.0, at + 1))
}
