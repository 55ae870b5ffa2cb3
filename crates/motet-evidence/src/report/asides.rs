//! What stands in brackets only to say where a sentence comes from: `(Source: https://…)`, `([Traffic](…), accessed 3 May 2024)`.
//! A bracket with anything else in it is part of its sentence, and is held to the sources with it.

use std::collections::{BTreeMap, BTreeSet};

use super::addresses::addresses;
use super::blocks::Block;
use super::references::placeholders;
use super::{Citation, Reference};
use crate::fact::plain_address;
use crate::text::{numbers, tokens};

/// So many bytes such a bracket has at most.
const LONGEST: usize = 600;

/// Words that say that a source is named.
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
const POINTING: [&str; 15] =
    ["and", "also", "here", "the", "link", "pdf", "at", "on", "online", "available", "via", "url", "web", "p", "pp"];
/// Behind these words stands the day on which somebody looked.
const LOOKED: [&str; 9] = ["accessed", "retrieved", "visited", "viewed", "consulted", "archived", "checked", "abgerufen", "consulté"];
const MONTHS: &str = "january february march april may june july august september october november december \
    januar februar märz mai juni juli oktober dezember";
/// Nobody has looked an address up before.
const FIRST_YEAR: u16 = 1990;
/// What may stand between the words of a name.
const JOINING: [&str; 12] = ["of", "for", "in", "de", "du", "la", "der", "des", "für", "und", "et", "y"];

/// The entries of a reference list by what they are called, and what they are called by their addresses.
#[derive(Default)]
pub struct Entries {
    by_id: BTreeMap<String, Reference>,
    ids: BTreeMap<String, String>,
}

impl Entries {
    pub fn of(references: BTreeMap<String, Reference>) -> Self {
        let addressed = references.iter().filter_map(|(id, entry)| Some((plain_address(entry.address.as_ref()?), id.clone())));
        Self { ids: addressed.collect(), by_id: references }
    }

    pub fn ids(&self) -> BTreeSet<String> {
        self.by_id.keys().cloned().collect()
    }

    fn cited(&self, citation: &Citation) -> Option<&Reference> {
        match citation {
            Citation::Marker(id) => self.by_id.get(id),
            Citation::Link(address) => self.by_id.get(self.ids.get(&plain_address(address))?),
        }
    }
}

/// A part of a block, without such brackets.
pub fn without_asides(raw: &str, block: &Block, entries: &Entries) -> String {
    let (mut kept, mut rest) = (String::with_capacity(raw.len()), raw);
    while let Some(start) = rest.find(['(', '[']) {
        match closed(&rest[start..]) {
            Some(inside) if is_aside(inside, block, entries) => {
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

/// Whether a part of a block says nothing but what its source is called: what its entry or address says, or a name.
pub fn is_name_of_source(raw: &str, block: &Block, entries: &Entries) -> bool {
    let strange = strange_words(raw, block, entries).join(" ");
    let is_of_a_name = |word: &str| word.starts_with(char::is_uppercase) || JOINING.contains(&word);
    strange.split(' ').all(|word| word.is_empty() || is_of_a_name(word)) && numbers(&strange, &tokens(&strange)).is_empty()
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

/// Behind a word that announces a source, its name may be one that neither entry nor address has.
fn is_aside(inside: &str, block: &Block, entries: &Entries) -> bool {
    !placeholders(inside).is_empty()
        && match announces(inside) {
            true => is_name_of_source(inside, block, entries),
            false => strange_words(inside, block, entries).is_empty(),
        }
}

fn announces(inside: &str) -> bool {
    pieces(inside).next().is_some_and(|first| OPENING.contains(&first.as_str()))
}

/// The words that say more than where something stands, what its source is called, and when it was looked up.
fn strange_words(text: &str, block: &Block, entries: &Entries) -> Vec<String> {
    let (mut said, mut own) = (text.to_string(), BTreeSet::new());
    for place in placeholders(text) {
        let Some((before, after)) = said.split_once(&format!("[^{place}]")) else { continue };
        let citation = block.citations.get(place);
        let before = match citation {
            Some(Citation::Link(address)) if block.bare.contains(&place) => before.strip_suffix(address.as_str()).unwrap_or(before),
            _ => before,
        };
        said = format!("{before} {after}");
        own.extend(citation.map(|citation| words_of_source(citation, entries)).unwrap_or_default());
    }
    // An entry is held to nothing, and its writer could have anything counted or denied there; unless it is announced as one, or the year
    // stands behind its name.
    if !announces(text) {
        let counts = |word: &str| !word.chars().all(char::is_alphabetic) || !numbers(word, &tokens(word)).is_empty();
        let year = said.rsplit_once(", ").map(|(_, last)| last.trim().to_string()).filter(|last| is_year(last) && own.contains(last));
        own.retain(|word: &String| !counts(word) && !["not", "no", "never"].contains(&word.as_str()));
        own.extend(year);
    }
    let bare = |word: &'_ str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_string();
    let words: Vec<String> = said.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let plain: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let looked = |at: usize| plain.get(at).is_some_and(|word| LOOKED.contains(&word.as_str()));
    let is_one = |piece: &str| piece.chars().count() == 1 && piece.chars().all(char::is_alphabetic);
    let is_known = |piece: &str| OPENING.contains(&piece) || POINTING.contains(&piece) || own.contains(piece) || is_one(piece);
    let (mut strange, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let date = if looked(at) { plain[at + 1..].iter().take_while(|word| is_of_a_date(word)).count() } else { 0 };
        let is_looked_up = date > 0 && is_whole_date(&plain[at + 1..=at + date]);
        let leads_on = plain[at] == "last" && looked(at + 1);
        if !is_looked_up && !leads_on && !pieces(&plain[at]).all(|piece| is_known(&piece)) {
            strange.push(words[at].clone());
        }
        at += if is_looked_up { date + 1 } else { 1 };
    }
    strange
}

/// The words by which a source is known: those of its address, and of its entry. A number in an address is no name of anything.
fn words_of_source(citation: &Citation, entries: &Entries) -> BTreeSet<String> {
    let entry = entries.cited(citation);
    let link = match citation {
        Citation::Link(address) => Some(address),
        Citation::Marker(_) => None,
    };
    let mut words = BTreeSet::new();
    for address in link.into_iter().chain(entry.and_then(|entry| entry.address.as_ref())) {
        words.extend(pieces(address).filter(|word| word.chars().all(char::is_alphabetic)));
    }
    if let Some(title) = entry.map(|entry| without_addresses(&entry.text)) {
        words.extend(pieces(&title));
    }
    words
}

fn without_addresses(text: &str) -> String {
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for span in addresses(text) {
        kept.push_str(&text[from..span.start]);
        kept.push(' ');
        from = span.end;
    }
    kept + &text[from..]
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|piece| !piece.is_empty()).map(str::to_lowercase)
}

fn is_of_a_date(word: &str) -> bool {
    is_filler(word) || is_month(word) || is_year(word) || is_day(word) || is_written_in_numbers(word)
}

/// A day of a month of a year, in words or in numbers alone; with less than these it may be anything that was counted.
fn is_whole_date(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_filler(word)).collect();
    let has_one = |is: fn(&str) -> bool| words.iter().filter(|word| is(word)).count() == 1;
    match words.as_slice() {
        [date] => is_written_in_numbers(date),
        _ => words.len() == 3 && has_one(is_day) && has_one(is_month) && has_one(is_year),
    }
}

fn is_filler(word: &str) -> bool {
    ["on", "at", "am", "le"].contains(&word)
}

fn is_month(word: &str) -> bool {
    word == "sept" || MONTHS.split_whitespace().any(|month| month == word || month.chars().take(3).eq(word.chars()))
}

fn is_day(word: &str) -> bool {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    number.len() <= 2 && number.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u16>().is_ok_and(|year| (FIRST_YEAR..2100).contains(&year))
}

/// `2024-05-03`, `3.5.2024`, `05/03/2024`.
fn is_written_in_numbers(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    match parts.as_slice() {
        [year, month, day] if is_year(year) => is_day(month) && is_day(day),
        [day, month, year] => is_day(day) && is_day(month) && is_year(year),
        _ => false,
    }
}
