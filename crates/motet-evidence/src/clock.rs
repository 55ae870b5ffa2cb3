//! Time as the IO half needs it: a clock that can be handed in, and days as people write them.
//! It knows no time zone but UTC.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells milliseconds since 1970. Handed in, so that a run played again has the same dates.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    pub fn new(tell: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub fn now_ms(&self) -> u64 {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64))
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Clock")
    }
}

/// `2026-11-15`.
pub fn day(at_ms: u64) -> String {
    let (year, month, day) = civil(at_ms / 86_400_000);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-11-15T20:00:00Z`.
pub fn timestamp(at_ms: u64) -> String {
    let seconds = at_ms / 1000 % 86_400;
    format!("{}T{:02}:{:02}:{:02}Z", day(at_ms), seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// What `Retry-After` asks for: seconds, or a date as HTTP writes it.
pub fn retry_after(value: &str, now_ms: u64) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until_ms = http_date(value)?;
    Some(Duration::from_millis(until_ms.saturating_sub(now_ms)))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that is still sent.
fn http_date(value: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = value.split_whitespace().skip(1);
    let day: u64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let mut time = words.next()?.split(':').map(|part| part.parse::<u64>().ok().filter(|part| *part < 100));
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    Some((days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second) * 1000)
}

/// Days since 1970, by the usual arithmetic of eras of 400 years that begin in March.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    (era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year).saturating_sub(719_468)
}

fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_moments_are_written_as_people_write_them() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(timestamp(1_709_210_096_000), "2024-02-29T12:34:56Z");
        for at in (0..80_000).map(|day| day * 86_400_000) {
            let (year, month, of_month) = civil(at / 86_400_000);
            assert_eq!(days(year, month, of_month) * 86_400_000, at);
        }
    }

    #[test]
    fn a_wait_is_asked_for_in_seconds_or_until_a_date() {
        assert_eq!(retry_after(" 120 ", 0), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_770_000), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", u64::MAX), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", 0), None);
        assert_eq!(retry_after("-1", 0), None);
        assert_eq!(retry_after("Sun, 99 Nov 99999999999 1:2", 0), None);
    }
}
