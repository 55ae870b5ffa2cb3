//! What a server's headers say about its limits: how long to wait, and how much is left until when.
//! It only reads; what follows from it, the governor decides.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rig_core::http_client::HeaderMap;

/// Nobody means more than a day; a larger number is a mistake, or a time in another unit.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// How many more requests are taken, and when that is counted anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Allowance {
    pub remaining: u64,
    pub resets_in: Duration,
}

/// `Retry-After`, in seconds or as a date, and the milliseconds that some servers give beside it.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let milliseconds = text(headers, "retry-after-ms").and_then(|text| text.parse::<f64>().ok()).and_then(|ms| seconds(ms / 1000.0));
    let wait = milliseconds.or_else(|| {
        let text = text(headers, "retry-after")?;
        text.parse::<f64>().ok().and_then(seconds).or_else(|| Some(until(http_date(text)?, now)))
    })?;
    Some(wait.min(LONGEST_WAIT))
}

/// The tightest of what is said about requests and tokens. Tokens count only once there are none left, since nobody
/// knows how many a call will take.
pub(super) fn allowance(headers: &HeaderMap, now: SystemTime) -> Option<Allowance> {
    const REQUESTS: [(&str, &str); 4] = [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
        ("ratelimit-remaining", "ratelimit-reset"),
    ];
    const TOKENS: [(&str, &str); 4] = [
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
        ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
        ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ];
    let read = |(remaining, reset): (&str, &str)| {
        let remaining = text(headers, remaining)?.parse::<f64>().ok().filter(|left| left.is_finite())?.max(0.0) as u64;
        let resets_in = resets_in(text(headers, reset)?, now)?.min(LONGEST_WAIT);
        Some(Allowance { remaining, resets_in })
    };
    let requests = REQUESTS.into_iter().filter_map(read);
    let tokens = TOKENS.into_iter().filter_map(read).filter(|allowance| allowance.remaining == 0);
    requests.chain(tokens).min_by_key(|allowance| (allowance.remaining, std::cmp::Reverse(allowance.resets_in)))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim).filter(|text| !text.is_empty())
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number.max(0.0)).ok()
}

/// `6m0s` and `20ms`, seconds, a moment in seconds or milliseconds since 1970, or a date as RFC 3339 writes it.
fn resets_in(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        return match number {
            milliseconds if milliseconds > 1e11 => Some(until(UNIX_EPOCH.checked_add(seconds(milliseconds / 1000.0)?)?, now)),
            moment if moment > 1e8 => Some(until(UNIX_EPOCH.checked_add(seconds(moment)?)?, now)),
            wait => seconds(wait),
        };
    }
    spans(text).or_else(|| Some(until(rfc3339(text)?, now)))
}

/// `1h2m3.5s`: numbers with their units, one after the other.
fn spans(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..].find(|letter: char| letter.is_ascii_digit()).map_or(rest.len(), |end| digits + end);
        total += number
            * match &rest[digits..unit_end] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    seconds(total)
}

fn until(moment: SystemTime, now: SystemTime) -> Duration {
    moment.duration_since(now).unwrap_or_default()
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split_whitespace();
    let day = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let year = words.next()?.parse().ok()?;
    let clock = clock(words.next()?)?;
    (words.next()? == "GMT").then_some(())?;
    moment(days(year, month, day)? * 86_400 + clock)
}

/// `2026-11-15T20:00:00Z`, with a fraction of a second or an offset instead of the `Z`.
fn rfc3339(text: &str) -> Option<SystemTime> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut numbers = date.splitn(3, '-').map(|number| number.parse::<i64>().ok());
    let days = days(numbers.next()??, numbers.next()??, numbers.next()??)?;
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (time, offset) = time.split_at(zone);
    let offset = match offset.split_at(1) {
        ("Z" | "z", "") => 0,
        ("+", offset) => clock(offset)?,
        ("-", offset) => -clock(offset)?,
        _ => return None,
    };
    let whole = time.split_once('.').map_or(time, |(whole, _)| whole);
    moment(days * 86_400 + clock(whole)? - offset)
}

/// Seconds of `hh:mm:ss` or `hh:mm`.
fn clock(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, ':').map(|part| part.parse::<i64>().ok().filter(|number| (0..=60).contains(number)));
    Some(parts.next()?? * 3600 + parts.next()?? * 60 + parts.next().unwrap_or(Some(0))?)
}

fn moment(seconds: i64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// Days since 1970 of a date of our calendar, counted in years that begin in March so that leap days come last.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use rig_core::http_client::HeaderValue;

    use super::*;

    /// Sun, 15 Nov 2026 20:00:00 GMT.
    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_794_772_800)
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| ((*name).try_into().unwrap(), HeaderValue::from_str(value).unwrap())).collect()
    }

    fn check_wait(pairs: &[(&'static str, &str)], expected_ms: Option<u64>) {
        assert_eq!(retry_after(&headers(pairs), now()), expected_ms.map(Duration::from_millis), "{pairs:?}");
    }

    fn check_allowance(pairs: &[(&'static str, &str)], expected: Option<(u64, u64)>) {
        let expected = expected.map(|(remaining, ms)| Allowance { remaining, resets_in: Duration::from_millis(ms) });
        assert_eq!(allowance(&headers(pairs), now()), expected, "{pairs:?}");
    }

    #[test]
    fn a_wait_is_seconds_or_milliseconds_or_a_date() {
        check_wait(&[("retry-after", "7")], Some(7000));
        check_wait(&[("retry-after", " 0.25 ")], Some(250));
        check_wait(&[("retry-after", "7"), ("retry-after-ms", "350")], Some(350));
        check_wait(&[("retry-after", "Sun, 15 Nov 2026 20:00:09 GMT")], Some(9000));
        check_wait(&[("retry-after", "Sun, 15 Nov 2026 19:00:00 GMT")], Some(0));
        check_wait(&[("retry-after", "99999999")], Some(24 * 60 * 60 * 1000));
    }

    #[test]
    fn what_cannot_be_read_says_nothing() {
        check_wait(&[], None);
        for text in ["", "soon", "Sun, 15 Nox 2026 20:00:09 GMT", "Sun, 15 Nov 2026", "NaN", "-"] {
            check_wait(&[("retry-after", text)], if text == "NaN" { Some(0) } else { None });
        }
        check_allowance(&[("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", "soon")], None);
        check_allowance(&[("x-ratelimit-remaining-requests", "3")], None);
        // Later than any clock can tell, in milliseconds and in seconds.
        for never in ["15000000000000000000000", "1e300", "inf"] {
            check_allowance(&[("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", never)], None);
        }
        check_allowance(&[("x-ratelimit-remaining-requests", "few"), ("x-ratelimit-reset-requests", "1s")], None);
    }

    #[test]
    fn an_allowance_is_read_in_the_words_of_every_provider() {
        let openai = |left, reset| [("x-ratelimit-remaining-requests", left), ("x-ratelimit-reset-requests", reset)];
        check_allowance(&openai("3", "6m0s"), Some((3, 360_000)));
        check_allowance(&openai("0", "20ms"), Some((0, 20)));
        check_allowance(&openai("1", "1h2m3.5s"), Some((1, 3_723_500)));
        let anthropic = |left, reset| [("anthropic-ratelimit-requests-remaining", left), ("anthropic-ratelimit-requests-reset", reset)];
        check_allowance(&anthropic("4", "2026-11-15T20:00:30Z"), Some((4, 30_000)));
        check_allowance(&anthropic("4", "2026-11-15T22:00:30.25+02:00"), Some((4, 30_000)));
        check_allowance(&anthropic("4", "2024-02-29T00:00:00Z"), Some((4, 0)));
        let router = |reset| [("x-ratelimit-remaining", "2"), ("x-ratelimit-reset", reset)];
        check_allowance(&router("1794772805000"), Some((2, 5000)));
        check_allowance(&router("1794772806"), Some((2, 6000)));
        check_allowance(&router("8"), Some((2, 8000)));
    }

    #[test]
    fn the_tightest_limit_counts_and_tokens_only_when_there_are_none() {
        let requests = [("x-ratelimit-remaining-requests", "9"), ("x-ratelimit-reset-requests", "1s")];
        let tokens = |left| [("x-ratelimit-remaining-tokens", left), ("x-ratelimit-reset-tokens", "3s")];
        check_allowance(&[requests, tokens("5")].concat(), Some((9, 1000)));
        check_allowance(&[requests, tokens("0")].concat(), Some((0, 3000)));
        check_allowance(&tokens("5"), None);
    }
}
