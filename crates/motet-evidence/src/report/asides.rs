//! What stands in brackets only to say where a sentence comes from: `(Source: https://…)`, `([Traffic](…), accessed 3 May 2024)`.
//! A bracket with anything else in it is part of its sentence, and is held to the sources with it.

use super::Citation;
use super::blocks::Block;
use super::references::placeholders;

/// So many bytes such a bracket has at most.
const LONGEST: usize = 600;
/// So many words the name of a source has at most.
const LONGEST_NAME: usize = 8;

/// Behind these words a bracket names a source.
const OPENING: [&str; 15] = [
    "source",
    "sources",
    "see",
    "cf",
    "ref",
    "refs",
    "reference",
    "references",
    "quelle",
    "quellen",
    "siehe",
    "fuente",
    "fonte",
    "bron",
    "kilde",
];
/// Words that say nothing but where something is to be found.
const POINTING: [&str; 14] = ["and", "also", "here", "link", "pdf", "at", "on", "online", "available", "via", "url", "web", "p", "pp"];
/// Behind these words stands the day on which somebody looked.
const LOOKED: [&str; 9] = ["accessed", "retrieved", "visited", "viewed", "consulted", "archived", "checked", "abgerufen", "consulté"];
const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";

/// A part of a block, without such brackets.
pub fn without_asides(raw: &str, block: &Block) -> String {
    let (mut kept, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some(start) = rest.find(['(', '[']) {
        match closed(&rest[start..]) {
            Some(inside) if is_aside(inside, block) => {
                kept.push_str(rest[..start].trim_end());
                rest = &rest[start + inside.len() + 2..];
            }
            _ => {
                kept.push_str(&rest[..=start]);
                rest = &rest[start + 1..];
            }
        }
    }
    kept + rest
}

/// What stands between the bracket that a text begins with and its own end, if that is near.
fn closed(text: &str) -> Option<&str> {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('[', ']') };
    let mut depth = 0;
    for (place, letter) in text[..text.floor_char_boundary(LONGEST)].char_indices() {
        depth += i32::from(letter == open) - i32::from(letter == close);
        if depth == 0 {
            return Some(&text[1..place]);
        }
    }
    None
}

fn is_aside(inside: &str, block: &Block) -> bool {
    let places = placeholders(inside);
    let (mut said, mut labels) = (inside.to_string(), String::new());
    for place in &places {
        let mark = format!("[^{place}]");
        let Some((before, after)) = said.split_once(&mark) else { return false };
        let address = block.citations.get(*place).filter(|_| block.bare.contains(place));
        let name = match address {
            Some(Citation::Link(address)) => Some(address),
            _ => block.labels.get(place).inspect(|label| labels.push_str(label)),
        };
        let before = name.and_then(|name| before.trim_end().strip_suffix(name.trim())).unwrap_or(before);
        said = format!("{before} {after}");
    }
    !places.is_empty() && is_about_sources(&said, &labels)
}

/// Whether words say nothing but where something stands and when it was looked up.
fn is_about_sources(said: &str, labels: &str) -> bool {
    let plain = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    let mut words: Vec<String> = said.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
    if let Some(place) = words.iter().position(|word| LOOKED.contains(&word.as_str())) {
        if !words[place + 1..].iter().all(|word| is_of_a_date(word)) {
            return false;
        }
        words.truncate(place);
        words.pop_if(|word| word == "last");
    }
    let has_digit = |text: &str| text.contains(|letter: char| letter.is_ascii_digit());
    match words.split_first() {
        Some((first, name)) if OPENING.contains(&first.as_str()) => {
            name.len() <= LONGEST_NAME && name.iter().all(|word| !has_digit(word) || is_year(word))
        }
        // A number in the words of a link may be what the sentence says.
        _ => {
            words.iter().all(|word| POINTING.contains(&word.as_str()))
                && !has_digit(labels)
                && labels.split_whitespace().count() <= LONGEST_NAME
        }
    }
}

fn is_of_a_date(word: &str) -> bool {
    let is_month = || word.get(..3).is_some_and(|begins| MONTHS.split(' ').any(|month| month == begins));
    let is_numbers = || word.chars().all(|letter| letter.is_ascii_digit() || "-/.".contains(letter)) && word.len() <= 10;
    let is_day = || word.trim_end_matches(char::is_alphabetic).parse::<u8>().is_ok_and(|day| day <= 31);
    word == "on" || word == "at" || is_month() || is_numbers() || is_day()
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u16>().is_ok_and(|year| (1500..2100).contains(&year))
}
