//! The words by which a bracket names its source, and those that say more: `Reuters, 12 May 2024` names, `Reuters, 40 dead` says more.
//! It only tells the words apart; what becomes of a bracket with strange ones is decided in `asides`.

use std::collections::BTreeSet;

use super::Citation;
use super::addresses::addresses;
use super::asides::Entries;
use super::blocks::Block;
use super::hosts;
use super::locators::{date, looked_up, page};
use super::references::placeholders;
use crate::text::{numbers, tokens, words};

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
/// An entry is held to nothing, and its writer could have anything denied there.
const DENYING: [&str; 3] = ["not", "no", "never"];

/// Stands for a citation while words are read; no text has it.
const CITED: char = '\u{e000}';
/// What stands around words and inside them and is no part of an amount, as the sign of a currency is.
const MARKS: &str = "()[]{}<>.,;:!?…\"'“”‘’«»*_`/-–—";

/// A part of a block as it names its sources.
pub struct Naming {
    /// Whether it begins by saying that it names a source.
    pub is_announced: bool,
    words: Vec<Word>,
    /// The words that its sources are known by.
    own: BTreeSet<String>,
    /// All words of their entries, with the years and the days.
    printed: BTreeSet<String>,
    /// The names that the owners of their addresses registered: `nytimes`.
    hosts: BTreeSet<String>,
}

struct Word {
    said: String,
    plain: String,
    /// Whether a citation stands right before it.
    is_behind_citation: bool,
    /// Whether a citation, a semicolon or nothing follows.
    is_last: bool,
}

/// How a word is a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Not,
    /// By a word of a title, or by a citation alone.
    Loosely,
    /// By a word with a capital, or a host.
    Surely,
}

impl Naming {
    pub fn of(text: &str, block: &Block, entries: &Entries) -> Self {
        let is_announced = pieces(text).next().is_some_and(|first| OPENING.contains(&first.as_str()));
        Self::read(text, block, entries, is_announced)
    }

    /// Of an entry that stands again outside of its list, which says nothing but what its source is called.
    pub fn of_entry(text: &str, block: &Block, entries: &Entries) -> Self {
        Self::read(text, block, entries, true)
    }

    fn read(text: &str, block: &Block, entries: &Entries, is_announced: bool) -> Self {
        let (mut said, mut own, mut hosts) = (text.to_string(), BTreeSet::new(), BTreeSet::new());
        for place in placeholders(text) {
            let Some((before, after)) = said.split_once(&format!("[^{place}]")) else { continue };
            let citation = block.citations.get(place);
            let before = match citation {
                Some(Citation::Link(address)) if block.bare.contains(&place) => before.strip_suffix(address.as_str()).unwrap_or(before),
                _ => before,
            };
            said = format!("{before} {CITED} {after}");
            own.extend(citation.map(|citation| words_of_source(citation, entries)).unwrap_or_default());
            hosts.extend(
                citation.into_iter().flat_map(|citation| addresses_of(citation, entries)).filter_map(|address| hosts::label(&address)),
            );
        }
        let printed = own.clone();
        if !is_announced {
            own.retain(|word: &String| !counts(word) && !DENYING.contains(&word.as_str()));
        }
        Self { is_announced, words: words_of(&said), own, printed, hosts }
    }

    /// The words that say more than where something stands, what its source is called, of when it is, and when it was looked up.
    pub fn strange_words(&self) -> Vec<String> {
        let plain: Vec<&str> = self.words.iter().map(|word| word.plain.as_str()).collect();
        let (mut strange, mut located, mut at, mut named) = (Vec::new(), Vec::new(), 0, Named::Not);
        while at < self.words.len() {
            let word = &self.words[at];
            let before = if word.is_behind_citation { named.max(Named::Loosely) } else { named };
            let (host, place) = (self.host_length(at), self.located_length(at, before, &plain));
            let looked = looked_up(&plain[at..]);
            named = Named::Not;
            at += if looked > 0 {
                looked
            } else if host > 0 {
                named = Named::Surely;
                host
            } else if place > 0 {
                located.extend(self.words[at..at + place].iter().map(|word| word.said.clone()));
                place
            } else {
                named = self.named_by(word);
                if !self.is_known(word) {
                    strange.push(word.said.clone());
                }
                1
            };
        }
        // Behind a name that its source does not have, a number may be anything.
        if !strange.is_empty() {
            strange.extend(located);
        }
        strange
    }

    fn is_known(&self, word: &Word) -> bool {
        let is_one = |piece: &str| piece.chars().count() == 1 && piece.chars().all(char::is_alphabetic);
        let is_known = |piece: &str| OPENING.contains(&piece) || POINTING.contains(&piece) || self.own.contains(piece) || is_one(piece);
        !is_amount(&word.plain) && pieces(&word.plain).all(|piece| is_known(&piece))
    }

    fn named_by(&self, word: &Word) -> Named {
        // `WHO` is no pronoun.
        let is_grammar = words::is_stop(&word.plain) && word.said.contains(char::is_lowercase);
        let is_own = pieces(&word.plain).all(|piece| self.own.contains(&piece)) && !is_grammar && !is_amount(&word.plain);
        let is_sure = word.said.starts_with(char::is_uppercase) || word.said.contains('.');
        match (is_own, is_sure) {
            (false, _) => Named::Not,
            (true, false) => Named::Loosely,
            (true, true) => Named::Surely,
        }
    }

    /// How many words from here on are the name of a host: `New York Times` for `nytimes.com`.
    fn host_length(&self, at: usize) -> usize {
        let near = self.words[at..].iter().take(hosts::LONGEST);
        let said: Vec<&str> = near.map(|word| word.said.as_str()).take_while(|word| !counts(word)).collect();
        self.hosts.iter().filter_map(|host| hosts::named_by(&said, host)).max().unwrap_or(0)
    }

    /// How many words from here on say of when the source is that is named before them, and on which page something stands. Nothing but a
    /// citation, or the words that lead to it, may follow.
    fn located_length(&self, at: usize, named: Named, plain: &[&str]) -> usize {
        if named == Named::Not {
            return 0;
        }
        let may_have_date = self.is_announced && named == Named::Surely;
        let one = |from: usize| {
            let date = date(&plain[from..]);
            let is_printed = plain[from..from + date].iter().all(|word| self.printed.contains(*word));
            page(&plain[from..]).max(if may_have_date || is_printed { date } else { 0 })
        };
        let mut end = at;
        while end < plain.len() && (end == at || !self.words[end - 1].is_last) && one(end) > 0 {
            end += one(end);
        }
        let mut next = end;
        while next < plain.len() && next > at && !self.words[next - 1].is_last && POINTING.contains(&plain[next]) {
            next += 1;
        }
        let is_end = next > at && (self.words[next - 1].is_last || looked_up(&plain[next..]) > 0);
        if is_end { end - at } else { 0 }
    }
}

fn words_of(said: &str) -> Vec<Word> {
    let (mut found, mut is_behind_citation): (Vec<Word>, bool) = (Vec::new(), false);
    for part in said.split_whitespace() {
        let bare = part.trim_matches(|letter| MARKS.contains(letter));
        let ends = part.contains([CITED, ';']);
        if bare.contains(char::is_alphanumeric) {
            found.push(Word { said: bare.to_string(), plain: bare.to_lowercase(), is_behind_citation, is_last: ends });
        } else if let Some(before) = found.last_mut() {
            before.is_last |= ends;
        }
        // Marks between a citation and a word part them no more than a space does.
        is_behind_citation = part.contains(CITED) || is_behind_citation && !bare.contains(char::is_alphanumeric);
    }
    if let Some(last) = found.last_mut() {
        last.is_last = true;
    }
    found
}

/// `$2024` is no year, and `40%` no page.
fn is_amount(word: &str) -> bool {
    word.contains(char::is_numeric) && word.contains(|letter: char| !letter.is_alphanumeric() && !MARKS.contains(letter))
}

fn counts(word: &str) -> bool {
    !word.chars().all(char::is_alphabetic) || !numbers(word, &tokens(word)).is_empty()
}

/// The words by which a source is known: those of its address, and of its entry. A number in an address is no name of anything.
fn words_of_source(citation: &Citation, entries: &Entries) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for address in addresses_of(citation, entries) {
        words.extend(pieces(&address).filter(|word| word.chars().all(char::is_alphabetic)));
    }
    if let Some(title) = entries.cited(citation).map(|entry| without_addresses(&entry.text)) {
        words.extend(pieces(&title));
    }
    words
}

fn addresses_of(citation: &Citation, entries: &Entries) -> Vec<String> {
    let link = match citation {
        Citation::Link(address) => Some(address),
        Citation::Marker(_) => None,
    };
    link.into_iter().chain(entries.cited(citation).and_then(|entry| entry.address.as_ref())).cloned().collect()
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
