//! Citation markers in quoted words: `[3]`, `[3, 5–7]`, `[^a]`, `[S01]`, `【4†source】`. They refer to a list that was not quoted along.
//! Other brackets are words like any other, and so is a pair that does not close soon.

use serde_json::Value;

use super::fuel::Fuel;

/// So many bytes a marker has at most.
const LONGEST: usize = 120;

/// The text without markers, and without the space before each of them.
pub(super) fn uncited(text: &str, fuel: Fuel<'_>) -> Value {
    if !fuel.burn_text(text.len()) {
        return Value::Null;
    }
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(place) = rest.find(['[', '【']) {
        let (before, from) = rest.split_at(place);
        kept.push_str(before);
        let bracket = from.chars().next().unwrap_or('[');
        match marker(from, bracket) {
            Some(length) if !is_a_range(&from[..length], &kept) => {
                kept.truncate(kept.trim_end().len());
                rest = &from[length..];
            }
            _ => {
                kept.push(bracket);
                rest = &from[bracket.len_utf8()..];
            }
        }
    }
    (kept + rest).into()
}

/// `95 % CI [12, 45]`, `on a scale [0–10]`: such a bracket holds two numbers behind a word for what they are the ends of, and refers to nothing.
fn is_a_range(marker: &str, before: &str) -> bool {
    const WORDS: [&str; 5] = ["CI", "interval", "range", "scale", "between"];
    let ends: Vec<&str> = marker.trim_matches(['[', ']']).split([',', ';', '-', '–']).map(str::trim).collect();
    // No further back than the longest of them, since this is asked at every marker.
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(16))..];
    let word = near.trim_end().trim_end_matches([':', ',', '=']).rsplit(char::is_whitespace).next().unwrap_or_default();
    ends.len() == 2 && ends.into_iter().all(is_number) && WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// How long the marker is that a text begins with.
fn marker(text: &str, open: char) -> Option<usize> {
    let close = if open == '【' { '】' } else { ']' };
    let inside = &text[open.len_utf8()..];
    let near = &inside[..inside.floor_char_boundary(LONGEST)];
    let body = &near[..near.find([open, close])?];
    let ends = near[body.len()..].starts_with(close);
    // A link keeps its words: `[3](https://…)`.
    let is_link = near[body.len() + close.len_utf8()..].starts_with('(') && ends;
    let named = body.split('†').next().unwrap_or(body);
    (ends && !is_link && refers(named)).then(|| open.len_utf8() + body.len() + close.len_utf8())
}

fn refers(body: &str) -> bool {
    match body.strip_prefix('^') {
        Some(label) => !label.is_empty() && !label.contains(char::is_whitespace),
        None => body.split([',', ';', '-', '–']).map(str::trim).all(|part| is_number(part) || is_source(part)),
    }
}

fn is_number(part: &str) -> bool {
    (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// `S01`, `Fact-012`: the hyphen has parted the latter.
fn is_source(part: &str) -> bool {
    let digits = part.strip_prefix('S').unwrap_or_default();
    part == "Fact" || (2..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
