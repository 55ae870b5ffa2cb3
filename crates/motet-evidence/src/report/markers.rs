//! By what a text cites an entry of its reference list: `[3]`, `[3, 5–7]`, `[^a]`, `[S01]`, `【4†source】`, `[Source 3]`, and a raised `³`.
//! What may mean something else, as the `²` of `km²` does, is a marker only where there is such an entry and no measure before it.

use std::collections::BTreeSet;

/// So many bytes a marker has at most; whatever is longer is words in brackets.
const LONGEST_MARKER: usize = 120;
/// So many letters a raised marker has at most.
const LONGEST_RAISED: usize = 16;

pub(super) const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Words for an entry, before its number.
const NAMES: [&str; 8] = ["sources", "source", "references", "reference", "refs.", "refs", "ref.", "ref"];

/// Units that are written out and raised.
const UNITS: [&str; 5] = ["metre", "meter", "mile", "inch", "yard"];

/// Whether a marker may begin with this, or the place of a citation that was read already.
pub fn may_begin(letter: char) -> bool {
    matches!(letter, '[' | '【' | '(' | '\u{e000}') || RAISED.contains(&letter)
}

/// The marker that a text begins with, and how long it is. `【4†source】` says after its number where in the source.
pub fn marker(before: &str, text: &str, known: &BTreeSet<String>) -> Option<(Vec<String>, usize)> {
    let (open, close) = match text.chars().next()? {
        '【' => ('【', '】'),
        '[' => ('[', ']'),
        '(' => ('(', ')'),
        _ => return raised(before, text, known),
    };
    let body = bracketed(text, open, close)?;
    let ids = match open {
        '【' => marker_ids(body.split('†').next().unwrap_or(body)),
        '[' => marker_ids(body).or_else(|| known_ids(named(body)?, known)),
        _ => known_ids(named(body)?, known),
    };
    Some((ids?, open.len_utf8() + body.len() + close.len_utf8()))
}

/// What stands in the brackets that a text begins with, if they close soon and hold no others.
pub fn bracketed(text: &str, open: char, close: char) -> Option<&str> {
    let inside = text.strip_prefix(open)?;
    let near = &inside[..inside.floor_char_boundary(LONGEST_MARKER)];
    let end = near.find([open, close])?;
    near[end..].starts_with(close).then(|| &near[..end])
}

/// What a pair of brackets refers to; none if it is no marker.
pub fn marker_ids(body: &str) -> Option<Vec<String>> {
    if let Some(label) = body.strip_prefix('^') {
        return (!label.is_empty() && !label.contains(char::is_whitespace)).then(|| vec![label.to_string()]);
    }
    let mut ids = Vec::new();
    for part in body.split([',', ';']).map(str::trim) {
        match part.split_once(['-', '–']) {
            Some((first, last)) if is_number(first.trim()) && is_number(last.trim()) => {
                let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
                if last < first || last - first > 50 {
                    return None;
                }
                ids.extend((first..=last).map(|number| number.to_string()));
            }
            _ if is_number(part) || is_source_id(part) => ids.push(part.to_string()),
            _ => return None,
        }
    }
    Some(ids)
}

/// What an entry is called that begins with a raised number or a word for itself: `¹ Roe, …`, `Source 1: …`, `[Source 1] …`.
pub fn called(line: &str) -> Option<String> {
    let line = line.trim_start();
    let of_one = |ids: &str| marker_ids(ids).filter(|ids| ids.len() == 1)?.pop();
    let (number, _) = lowered(line);
    let word = || bracketed(line, '[', ']').or_else(|| Some(line.split_once([':', '.', ')'])?.0));
    if number.is_empty() { of_one(named(word()?)?) } else { of_one(&number) }
}

/// The ids of raised text, if it may cite where it stands.
pub fn raised_ids(before: &str, inside: &str, known: &BTreeSet<String>) -> Option<Vec<String>> {
    known_ids(inside, known).filter(|_| may_be_cited(before.trim_end()))
}

/// The number of one entry as it is written above the line. None: it is anything else, and says what it says where it stands.
pub fn as_raised(text: &str) -> Option<String> {
    let raise = |digit: u8| RAISED[usize::from(digit - b'0')];
    is_number(text).then(|| text.bytes().map(raise).collect())
}

fn raised(before: &str, text: &str, known: &BTreeSet<String>) -> Option<(Vec<String>, usize)> {
    let (number, length) = lowered(text);
    Some((raised_ids(before, &number, known)?, length))
}

/// The raised digits that a text begins with as plain ones, commas and dashes between them, and how long they are.
pub(super) fn lowered(text: &str) -> (String, usize) {
    let (mut plain, mut length) = (String::new(), 0);
    for (at, letter) in text.char_indices().take(LONGEST_RAISED) {
        let end = at + letter.len_utf8();
        let goes_on = !plain.is_empty() && text[end..].starts_with(RAISED);
        match RAISED.iter().zip('0'..='9').find(|(raised, _)| **raised == letter) {
            Some((_, digit)) => plain.push(digit),
            None if goes_on && matches!(letter, ',' | '\u{2e32}') => plain.push(','),
            None if goes_on && matches!(letter, '⁻' | '-' | '–') => plain.push('-'),
            None => break,
        }
        length = end;
    }
    (plain, length)
}

/// Whether a raised number behind this text is no power of it: it stands behind a mark, a word that is no unit, or a number that nobody
/// raises to a power.
fn may_be_cited(before: &str) -> bool {
    match before.chars().next_back() {
        Some('.' | ',' | ';' | ':' | '!' | '?' | '”' | '’' | '"' | '»' | '%' | '\u{e001}') => true,
        Some(')') => may_be_cited(before.trim_end_matches(')')),
        Some(last) if last.is_ascii_digit() => {
            let digits = &before[before.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ',').len()..];
            let is_power_of_ten = digits.trim_start_matches('1').trim_start_matches(['0', ',']).is_empty();
            digits.len() > 2 && !is_power_of_ten
        }
        Some(last) if last.is_alphabetic() => {
            let word = &before[before.trim_end_matches(char::is_alphabetic).len()..];
            word.chars().count() > 3 && !UNITS.iter().any(|unit| word.to_lowercase().starts_with(unit))
        }
        _ => false,
    }
}

/// The number behind a word for an entry.
fn named(body: &str) -> Option<&str> {
    let begins = |name: &&str| body.get(..name.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(name));
    let rest = &body[NAMES.iter().find(|name| begins(name))?.len()..];
    let number = rest.trim_start_matches([' ', '\u{a0}', '#', ':']);
    (number.len() < rest.len()).then_some(number)
}

/// Numbers of entries. What a run calls its sources, such as `S01`, is cited in brackets and by nothing else: words must not bring citations.
fn known_ids(ids: &str, known: &BTreeSet<String>) -> Option<Vec<String>> {
    marker_ids(ids).filter(|ids| ids.iter().all(|id| is_number(id) && known.contains(id)))
}

fn is_number(part: &str) -> bool {
    (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// `S01`, `Fact-012`.
fn is_source_id(part: &str) -> bool {
    let digits = part.strip_prefix("Fact-").or_else(|| part.strip_prefix('S')).unwrap_or_default();
    (2..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}
