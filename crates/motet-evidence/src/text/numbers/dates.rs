//! Dates in any of their forms: 12 May 1998, May 12, 1998, May 1998, 1998-05-12, 12/05/1998.
//! Each date is read as the day it names and the year, separately, because sources often give only one of them.

use super::{Kind, Measure, Number, Reader, spelled};

/// The parts of the date that begins at a token, and the token after it.
pub fn read(reader: &Reader, at: usize) -> Option<(Vec<Number>, usize)> {
    match reader.kind(at)? {
        Kind::Number => day_first(reader, at).or_else(|| digits_only(reader, at)),
        Kind::Word => month_first(reader, at).or_else(|| spelled_day(reader, at)),
        Kind::Mark => None,
    }
}

fn month_first(reader: &Reader, at: usize) -> Option<(Vec<Number>, usize)> {
    let month = month(reader, at)?;
    let number_at = if reader.raw(at + 1) == "." { at + 2 } else { at + 1 };
    let number_at = if reader.raw(number_at) == "," { number_at + 1 } else { number_at };
    if let Some(day) = day(reader, number_at) {
        let mut after = number_at + 1;
        if ["st", "nd", "rd", "th"].contains(&reader.word(after).as_str()) && reader.touches(after) {
            after += 1;
        }
        let mut found = vec![reader.made(at, after, day, 1.0, Measure::Day { month })];
        let year_at = if reader.raw(after) == "," { after + 1 } else { after };
        if let Some(year) = year(reader, year_at) {
            found.push(reader.made(year_at, year_at + 1, year, 1.0, Measure::Year));
            after = year_at + 1;
        }
        return Some((found, after));
    }
    let of = if reader.word(number_at) == "of" { number_at + 1 } else { number_at };
    let mut found = vec![reader.made(at, at + 1, f64::from(month), 1.0, Measure::Month)];
    match year(reader, of) {
        Some(year) => {
            found.push(reader.made(of, of + 1, year, 1.0, Measure::Year));
            Some((found, of + 1))
        }
        // `may` and `march` are words too; without a number only a preposition makes them months.
        None if is_plainly_month(reader, at) => Some((found, at + 1)),
        None => None,
    }
}

/// `the twelfth of March 1932`.
fn spelled_day(reader: &Reader, at: usize) -> Option<(Vec<Number>, usize)> {
    if !spelled::may_begin(reader.raw(at)) {
        return None;
    }
    let word = reader.word(at);
    let tens = match word.as_str() {
        "twenty" => 20.0,
        "thirty" => 30.0,
        _ => 0.0,
    };
    let last = if tens > 0.0 && reader.raw(at + 1) == "-" { at + 2 } else { at };
    let ones = match word.as_str() {
        "thirtieth" => Some(30.0),
        _ => spelled::ordinal(&reader.word(last)).filter(|value| tens == 0.0 || *value < 10.0),
    };
    let day = Some(tens + ones?).filter(|day| *day <= 31.0)?;
    with_month(reader, at, last + 1, day)
}

fn day_first(reader: &Reader, at: usize) -> Option<(Vec<Number>, usize)> {
    let day = day(reader, at)?;
    let mut month_at = at + 1;
    if ["st", "nd", "rd", "th"].contains(&reader.word(month_at).as_str()) && reader.touches(month_at) {
        month_at += 1;
    }
    with_month(reader, at, month_at, day)
}

/// A day whose month, and perhaps year, follows it.
fn with_month(reader: &Reader, at: usize, mut month_at: usize, day: f64) -> Option<(Vec<Number>, usize)> {
    if reader.word(month_at) == "of" {
        month_at += 1;
    }
    let month = month(reader, month_at)?;
    let mut after = month_at + 1;
    if reader.raw(after) == "." && year(reader, after + 1).is_some() {
        after += 1;
    }
    let mut found = vec![reader.made(at, month_at + 1, day, 1.0, Measure::Day { month })];
    let year_at = if reader.raw(after) == "," { after + 1 } else { after };
    if let Some(year) = year(reader, year_at) {
        found.push(reader.made(year_at, year_at + 1, year, 1.0, Measure::Year));
        after = year_at + 1;
    }
    Some((found, after))
}

fn digits_only(reader: &Reader, at: usize) -> Option<(Vec<Number>, usize)> {
    let separator = reader.raw(at + 1);
    let same = reader.raw(at + 3) == separator && [at + 1, at + 2, at + 3, at + 4].iter().all(|place| reader.touches(*place));
    if !(same && matches!(separator, "-" | "/") && reader.kind(at + 2) == Some(Kind::Number) && reader.kind(at + 4) == Some(Kind::Number)) {
        return None;
    }
    let part = |place: usize| reader.raw(place).parse::<f64>().ok();
    let is_date = |month: f64, day: f64| (1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day);
    // The day and the year stand at tokens of their own, so that each is asked for.
    if let Some(value) = year(reader, at) {
        let (month, day) = (part(at + 2)?, part(at + 4)?);
        let year = reader.made(at, at + 1, value, 1.0, Measure::Year);
        return is_date(month, day)
            .then(|| (vec![year, reader.made(at + 2, at + 5, day, 1.0, Measure::Day { month: month as u8 })], at + 5));
    }
    let year = reader.made(at + 4, at + 5, year(reader, at + 4)?, 1.0, Measure::Year);
    let (one, two) = (part(at)?, part(at + 2)?);
    let ambiguous = one <= 12.0 && two <= 12.0 && one != two;
    let readings = [(one, two), (two, one)].into_iter().take(if one == two { 1 } else { 2 });
    let days = readings.filter(|(month, day)| is_date(*month, *day));
    let day = |(month, day): (f64, f64)| {
        let day = reader.made(at, at + 3, day, 1.0, Measure::Day { month: month as u8 });
        Number { ambiguous, ..day }
    };
    Some((days.map(day).chain([year]).collect(), at + 5))
}

fn day(reader: &Reader, at: usize) -> Option<f64> {
    let raw = reader.raw(at);
    let value = raw.parse::<u32>().ok().filter(|_| reader.kind(at) == Some(Kind::Number) && raw.len() <= 2)?;
    (1..=31).contains(&value).then_some(f64::from(value))
}

fn year(reader: &Reader, at: usize) -> Option<f64> {
    let raw = reader.raw(at);
    let value = raw.parse::<u32>().ok().filter(|_| reader.kind(at) == Some(Kind::Number) && raw.len() == 4)?;
    (1000..2100).contains(&value).then_some(f64::from(value))
}

fn month(reader: &Reader, at: usize) -> Option<u8> {
    const MONTHS: [&str; 12] =
        ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
    let raw = reader.raw(at);
    if !raw.starts_with(|first: char| first.is_ascii_uppercase()) || raw.len() < 3 {
        return None;
    }
    let word = reader.word(at);
    let is_short = word.len() == 3 || word == "sept";
    let found = MONTHS.iter().position(|month| *month == word || is_short && month.starts_with(&word))?;
    Some(found as u8 + 1)
}

fn is_plainly_month(reader: &Reader, at: usize) -> bool {
    let word = reader.word(at);
    let before = if at > 0 { reader.word(at - 1) } else { String::new() };
    let ambiguous = word.len() <= 3 || matches!(word.as_str(), "march" | "april" | "june" | "august");
    let introduced = ["in", "by", "since", "until", "of", "early", "late", "mid", "last", "from", "to", "between", "and", "during", "that"];
    !ambiguous || introduced.contains(&before.as_str())
}
