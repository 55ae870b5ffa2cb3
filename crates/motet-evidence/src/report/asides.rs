//! What stands in brackets only to say where a sentence comes from: `(Source: https://…)`, `([Traffic](…), accessed 3 May 2024)`.
//! A bracket with anything else in it is part of its sentence, and is held to the sources with it.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Block, Kind};
use super::naming::Naming;
use super::references::placeholders;
use super::{Citation, Reference};
use crate::fact::plain_address;
use crate::text::{numbers, tokens, words};

/// So many bytes such a bracket has at most.
const LONGEST: usize = 600;
/// What may stand between the words of a name.
pub(super) const JOINING: [&str; 12] = ["of", "for", "in", "de", "du", "la", "der", "des", "für", "und", "et", "y"];

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

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub fn ids(&self) -> BTreeSet<String> {
        self.by_id.keys().cloned().collect()
    }

    pub fn cited(&self, citation: &Citation) -> Option<&Reference> {
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

/// Whether a part of a block says nothing but what its source is called: what its entry or address says, or a name where one is announced or
/// linked. A name with a marker in brackets is an aside, or says more.
pub fn is_name_of_source(raw: &str, block: &Block, entries: &Entries) -> bool {
    let is_link = |place: usize| matches!(block.citations.get(place), Some(Citation::Link(_)));
    let may_be_any_name = !raw.starts_with('(') || placeholders(raw).into_iter().all(is_link);
    let naming = Naming::of(raw, block, entries);
    let strange = naming.strange_words();
    strange.is_empty() || may_be_any_name && is_name(&strange) || naming.is_announced && is_announced_name(&strange)
}

/// Whether a block says of the entry that it begins with nothing but what its source is called.
pub fn repeats_entry(block: &Block, entries: &Entries) -> bool {
    is_name(&Naming::of_entry(&block.text, block, entries).strange_words())
}

/// Whether a line of its own announces a source, and does no more than to name it. What no source is called must stand behind a colon there.
pub fn announces_source(raw: &str, block: &Block, entries: &Entries) -> bool {
    let is_line = matches!(block.kind, Kind::Paragraph | Kind::Item(_));
    let has_colon = raw.split_whitespace().next().is_some_and(|first| first.contains(':'));
    let naming = Naming::of(raw, block, entries);
    let strange = naming.strange_words();
    is_line && naming.is_announced && (strange.is_empty() || has_colon && is_announced_name(&strange))
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
    if placeholders(inside).is_empty() {
        return false;
    }
    let naming = Naming::of(inside, block, entries);
    let strange = naming.strange_words();
    strange.is_empty() || naming.is_announced && is_announced_name(&strange)
}

/// A sentence may be written with capitals too: behind the first word of a name stands no deed, and no word of mere grammar with one.
fn is_announced_name(words: &[String]) -> bool {
    let says_more = |word: &String| {
        let plain = word.to_lowercase();
        words::is_past(&plain) || words::is_stop(&plain) && word.starts_with(char::is_uppercase)
    };
    is_name(words) && !words.iter().skip(1).any(says_more)
}

fn is_name(words: &[String]) -> bool {
    let said = words.join(" ");
    let is_of_a_name = |word: &String| word.starts_with(char::is_uppercase) || JOINING.contains(&word.as_str());
    words.iter().all(is_of_a_name) && numbers(&said, &tokens(&said)).is_empty()
}
