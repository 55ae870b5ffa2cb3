//! Money and time as exact integers, and how both are written.
//! Nothing here reads a clock: a `Time` always comes in from outside.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// US dollars in millionths. Exact, so that a budget can be an invariant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usd(pub u64);

impl Usd {
    pub const ZERO: Usd = Usd(0);

    /// Rounds up: a price is never booked below what it is.
    pub fn from_dollars(dollars: f64) -> Option<Usd> {
        let micros = (dollars * 1e6 - 1e-6).ceil();
        (dollars.is_finite() && dollars >= 0.0 && micros < 1e18).then_some(Usd(micros.max(0.0) as u64))
    }

    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }

    pub fn saturating_sub(self, other: Usd) -> Usd {
        Usd(self.0.saturating_sub(other.0))
    }

    /// This share of the amount, rounded up.
    pub fn share(self, share: f64) -> Usd {
        Usd((self.0 as f64 * share).ceil() as u64)
    }
}

impl Add for Usd {
    type Output = Usd;
    fn add(self, other: Usd) -> Usd {
        Usd(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Usd) {
        *self = *self + other;
    }
}

impl Sub for Usd {
    type Output = Usd;
    fn sub(self, other: Usd) -> Usd {
        debug_assert!(self >= other, "an amount of money went below zero");
        self.saturating_sub(other)
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.0.is_multiple_of(10_000) { 2 } else { 4 };
        write!(out, "${:.digits$}", self.dollars())
    }
}

/// A moment: milliseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    pub fn plus(self, milliseconds: u64) -> Time {
        Time(self.0.saturating_add(i64::try_from(milliseconds).unwrap_or(i64::MAX)))
    }

    /// Milliseconds from `earlier` to here; none if the clock went backwards.
    pub fn since(self, earlier: Time) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

/// RFC 3339 in UTC with milliseconds only where there are any: `2026-11-15T20:00:27Z`.
impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, in_day) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
        let (second, milli) = (in_day / 1000 % 60, in_day % 1000);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if milli != 0 {
            write!(out, ".{milli:03}")?;
        }
        out.write_str("Z")
    }
}

/// The proleptic Gregorian date of a day number, counted in 400-year eras that begin on 1 March.
fn civil_from_days(days_since_1970: i64) -> (i64, i64, i64) {
    let days = days_since_1970 + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Reads `500ms`, `30s`, `10m`, `2h`, `7d`, and sums like `1h30m`; the answer is in milliseconds.
pub fn parse_duration(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)?;
        let number: u64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |end| digits + end);
        let unit = match &rest[digits..unit_end] {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[unit_end..];
    }
    Some(total)
}

/// Writes milliseconds the way a person says them: `1h 30m`, `4.2s`, `350ms`.
pub fn show_duration(milliseconds: u64) -> String {
    let (days, hours) = (milliseconds / 86_400_000, milliseconds / 3_600_000 % 24);
    let (minutes, seconds) = (milliseconds / 60_000 % 60, milliseconds / 1000 % 60);
    match () {
        () if days > 0 && hours > 0 => format!("{days}d {hours}h"),
        () if days > 0 => format!("{days}d"),
        () if hours > 0 && minutes > 0 => format!("{hours}h {minutes}m"),
        () if hours > 0 => format!("{hours}h"),
        () if minutes > 0 && seconds > 0 => format!("{minutes}m {seconds}s"),
        () if minutes > 0 => format!("{minutes}m"),
        () if milliseconds >= 1000 && milliseconds.is_multiple_of(1000) => format!("{seconds}s"),
        () if milliseconds >= 1000 => format!("{:.1}s", milliseconds as f64 / 1000.0),
        () => format!("{milliseconds}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_rfc_3339() {
        let check = |milliseconds, expected: &str| assert_eq!(Time(milliseconds).to_string(), expected);
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400_000, "2000-02-29T00:00:00Z");
        check(1_794_772_827_005, "2026-11-15T20:00:27.005Z");
        check(-1, "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn durations_read_and_show() {
        let check = |text, expected| assert_eq!(parse_duration(text), expected, "{text}");
        check("30s", Some(30_000));
        check("1h30m", Some(5_400_000));
        check("250ms", Some(250));
        check("7d", Some(604_800_000));
        check("", None);
        check("5", None);
        check("m", None);
        check("5 m", None);
        check("99999999999999999999d", None);
        assert_eq!(show_duration(5_400_000), "1h 30m");
        assert_eq!(show_duration(4_200), "4.2s");
    }

    #[test]
    fn a_price_is_never_rounded_down() {
        assert_eq!(Usd::from_dollars(0.1 + 0.2), Some(Usd(300_000)));
        assert_eq!(Usd::from_dollars(0.000_000_1), Some(Usd(1)));
        assert_eq!(Usd::from_dollars(0.0), Some(Usd(0)));
        assert_eq!(Usd::from_dollars(-1.0), None);
        assert_eq!(Usd::from_dollars(f64::NAN), None);
        assert_eq!(Usd(2_350_000).to_string(), "$2.35");
        assert_eq!(Usd(1_500).to_string(), "$0.0015");
    }
}
