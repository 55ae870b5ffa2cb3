//! What must differ between two runs that come to the same, made equal: when something happened, and how long it took.
//! Every other number stays as it is, for two runs that count differently did not come to the same.

/// How moments are written, in digits.
const MOMENTS: [&str; 4] = ["0000-00-00T00:00:00.000", "0000-00-00T00:00:00", "00000000_000000", "DR-00000000-000"];

/// Units that a duration ends with, the longer ones first.
const UNITS: [&str; 6] = ["ms", " ms", "s", " s", "m", "h"];

/// Moments become zeroes.
pub fn without_moments(text: &str) -> String {
    zeroed(text, &MOMENTS).replace(":00.000Z", ":00Z")
}

/// Every digit in one of these shapes becomes a zero.
pub fn zeroed(text: &str, shapes: &[&str]) -> String {
    let mut zeroed = text.as_bytes().to_vec();
    for shape in shapes.iter().map(|shape| shape.as_bytes()) {
        let fits = |(found, wanted): (&u8, &u8)| if *wanted == b'0' { found.is_ascii_digit() } else { found == wanted };
        for at in 0..(zeroed.len() + 1).saturating_sub(shape.len()) {
            if zeroed[at..at + shape.len()].iter().zip(shape).all(fits) {
                zeroed[at..at + shape.len()].copy_from_slice(shape);
            }
        }
    }
    String::from_utf8(zeroed).expect("a text")
}

/// `1.2s`, `340ms` and `1m 5s` become a dash, and what JSON calls a duration becomes zero.
pub fn without_durations(text: &str) -> String {
    let (mut said, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let digits = &rest[start..];
        let number = digits.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(digits.len());
        let before = &rest[..start];
        said.push_str(before);
        let is_word = before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_');
        let behind = &digits[number..];
        let ends = |unit: &&&str| {
            let after = behind.strip_prefix(**unit);
            after.is_some_and(|after| !after.starts_with(|letter: char| letter.is_alphanumeric()))
        };
        let unit = UNITS.iter().find(ends).filter(|_| !is_word);
        let is_duration = ["_ms\":", "_seconds\":", "duration\":"].iter().any(|name| before.trim_end().ends_with(name));
        match unit {
            Some(unit) => {
                // A minute and five seconds are one duration.
                let joined = said.strip_suffix("- ").map(str::len);
                said.truncate(joined.unwrap_or(said.len()));
                said.push('-');
                rest = &behind[unit.len()..];
            }
            None => {
                said.push_str(if is_duration { "0" } else { &digits[..number] });
                rest = behind;
            }
        }
    }
    said + rest
}

#[test]
fn moments_and_durations_are_made_equal_and_counts_are_not() {
    assert_eq!(without_moments("at 2026-11-16T12:04:56.123Z 7 times"), "at 0000-00-00T00:00:00Z 7 times");
    assert_eq!(without_durations("took 1.2s, 340ms and 1m 5s for 3 tasks of E2s"), "took -, - and - for 3 tasks of E2s");
    assert_eq!(without_durations("{\"work_ms\": 12, \"duration\":0.3, \"tasks\": 12}"), "{\"work_ms\": 0, \"duration\":0, \"tasks\": 12}");
}
