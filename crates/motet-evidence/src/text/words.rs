//! What words weigh and which mean the same or the opposite: small tables, read once.
//! English only. A word that no table knows still counts; it is then compared by its spelling and its stem.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::Vocabulary;

static STOP: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| include_str!("tables/stop_words.txt").split_whitespace().collect());
static COMMON: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| include_str!("tables/common_words.txt").split_whitespace().collect());
static GENERIC: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("tables/generic_name_words.txt").split_whitespace().collect());
static MASS_NOUNS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| include_str!("tables/mass_nouns.txt").split_whitespace().collect());
static SYNONYMS: LazyLock<Groups> = LazyLock::new(|| Groups::read(include_str!("tables/synonyms.txt")));
static SAME_NAMES: LazyLock<Groups> = LazyLock::new(|| Groups::read(include_str!("tables/same_names.txt")));
static IRREGULAR: LazyLock<BTreeMap<&'static str, String>> = LazyLock::new(read_irregular);
static OPPOSITES: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(read_opposites);
static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Enough for the words of a language in use; beyond it, rare words are stemmed each time.
const MOST_REMEMBERED: usize = 100_000;

thread_local! {
    static REMEMBERED: RefCell<(Vocabulary, Vec<String>)> = RefCell::default();
}

/// Words that carry grammar and no content, lower case and folded.
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

/// Words so frequent in any English text that meeting one says little.
pub fn is_common(word: &str) -> bool {
    STOP.contains(word) || COMMON.contains(word)
}

/// Words such as `university` that stand in many names and identify nothing by themselves.
pub fn is_generic_in_names(word: &str) -> bool {
    GENERIC.contains(word)
}

/// Words that a table of ordinary words has: other words for them, their opposite, or an irregular form.
pub fn is_in_tables(word: &str) -> bool {
    // The stem is taken first: the tables are read when they are first asked, and reading them stems.
    let stem = stem(word);
    IRREGULAR.contains_key(word) || SYNONYMS.by_stem.contains_key(&stem) || OPPOSITES.contains_key(&stem)
}

/// Nouns such as `wind` and `headcount` that open a sentence without an article, and name nobody.
pub fn is_mass_noun(word: &str) -> bool {
    MASS_NOUNS.contains(word)
}

/// Forms of verbs and nouns that no rule makes: `wrote`, `taught`.
pub fn is_irregular(word: &str) -> bool {
    IRREGULAR.contains_key(word)
}

/// What looks like the past of a verb: `opened`, `wrote`. Nouns such as `growth`, which the table has beside their verbs, are none.
pub fn is_past(word: &str) -> bool {
    const NOUNS: [&str; 11] = ["ance", "ence", "tion", "sion", "ment", "al", "th", "sis", "ity", "ss", "es"];
    let is_noun = || NOUNS.iter().any(|ending| word.ends_with(ending));
    UNCHANGED.contains(&word) || !is_stop(word) && (word.ends_with("ed") || is_irregular(word) && !is_noun())
}

/// Verbs whose past is spelled as they are.
const UNCHANGED: [&str; 11] = ["beat", "cut", "hit", "set", "shut", "cost", "spread", "hurt", "split", "cast", "quit"];

/// The part of a word that its forms share; irregular forms have the stem of their verb.
pub fn stem(word: &str) -> String {
    with_stem(word, str::to_string)
}

/// Gives the stem of a word to a function. Stems are remembered, because pages share most of their words and stemming is slow.
pub fn with_stem<R>(word: &str, read: impl FnOnce(&str) -> R) -> R {
    REMEMBERED.with_borrow_mut(|(words, stems)| {
        if let Some(known) = words.find(word) {
            return read(&stems[known as usize]);
        }
        let stem = IRREGULAR.get(word).cloned().unwrap_or_else(|| regular_stem(word));
        let result = read(&stem);
        if words.len() < MOST_REMEMBERED {
            words.insert(word);
            stems.push(stem);
        }
        result
    })
}

fn regular_stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() { word.to_string() } else { STEMMER.stem(word).into_owned() }
}

/// Stems that may stand for this one.
pub fn synonyms(stem: &str) -> impl Iterator<Item = &'static str> {
    SYNONYMS.others(stem)
}

/// Other stems of the same name: a country and its people, a given name and its short form.
pub fn same_names(stem: &str) -> impl Iterator<Item = &'static str> {
    SAME_NAMES.others(stem)
}

/// Whether a word is the name of a country, a people or a person that the table has. `World` may stand for a name and is none.
pub fn is_known_name(word: &str) -> bool {
    !is_generic_in_names(word) && same_names(&stem(word)).next().is_some()
}

/// Stems that say the opposite.
pub fn opposites(stem: &str) -> &'static [String] {
    OPPOSITES.get(stem).map_or(&[], Vec::as_slice)
}

/// How much it says that a source has this word too, before its frequency in the source is known.
pub fn weight(word: &str) -> f64 {
    match () {
        () if is_stop(word) => 0.0,
        () if is_common(word) => 0.55,
        () if word.len() <= 3 => 0.8,
        () => 1.0,
    }
}

/// Lines of stems that belong together. A stem may stand in several lines.
struct Groups {
    lines: Vec<Vec<String>>,
    by_stem: BTreeMap<String, Vec<usize>>,
}

impl Groups {
    fn read(table: &str) -> Self {
        let lines: Vec<Vec<String>> = table.lines().map(|line| line.split_whitespace().map(stem).collect()).collect();
        let mut by_stem: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, line) in lines.iter().enumerate() {
            for word in line {
                by_stem.entry(word.clone()).or_default().push(number);
            }
        }
        Self { lines, by_stem }
    }

    fn others(&'static self, stem: &str) -> impl Iterator<Item = &'static str> + use<> {
        let own = self.by_stem.get_key_value(stem);
        own.into_iter().flat_map(move |(own, numbers)| {
            let words = numbers.iter().flat_map(|number| self.lines[*number].iter());
            words.filter(move |word| *word != own).map(String::as_str)
        })
    }
}

fn read_irregular() -> BTreeMap<&'static str, String> {
    let lines = include_str!("tables/irregular.txt").lines().filter_map(|line| line.split_once(' '));
    lines.flat_map(|(verb, forms)| forms.split_whitespace().map(move |form| (form, regular_stem(verb)))).collect()
}

fn read_opposites() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in include_str!("tables/opposites.txt").lines() {
        let words: Vec<String> = line.split_whitespace().map(stem).collect();
        let [one, other] = words.as_slice() else { continue };
        found.entry(one.clone()).or_default().push(other.clone());
        found.entry(other.clone()).or_default().push(one.clone());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for (one, other) in [
            ("released", "releases"),
            ("populations", "population"),
            ("running", "runs"),
            ("cities", "city"),
            ("fell", "falling"),
            ("taught", "teaches"),
        ] {
            assert_eq!(stem(one), stem(other));
        }
    }

    #[test]
    fn tables_are_found_by_stem() {
        assert!(synonyms(&stem("films")).any(|word| word == stem("movies")));
        assert!(same_names(&stem("finnish")).any(|word| word == "finland"));
        assert!(opposites(&stem("increased")).contains(&stem("declined")));
        assert!(opposites("nothing").is_empty());
    }

    #[test]
    fn every_line_of_opposites_has_two_words() {
        for line in include_str!("tables/opposites.txt").lines() {
            assert_eq!(line.split_whitespace().count(), 2, "{line}");
        }
    }
}
