//! What a host is called in words: `New York Times` is `nytimes.com`.
//! Each word counts as a whole or by its first letter, and at least one as a whole: initials alone are those of too much.

use super::asides::JOINING;
use crate::fact::registrable_domain;
use crate::text::{fold, words};

/// Fewer letters are the initials of too much.
const SHORTEST: usize = 3;
/// So many words the name of a host has at most.
pub const LONGEST: usize = 8;

/// The name that somebody registered for an address, if it is long enough to be known by.
pub fn label(address: &str) -> Option<String> {
    let domain = registrable_domain(address)?;
    let label: String = domain.split('.').next()?.chars().filter(|letter| *letter != '-').collect();
    (label.len() >= SHORTEST && label.chars().all(char::is_alphabetic)).then_some(label)
}

/// How many of these words, from the first on, make up the name of a host: two or more with capitals, and small words between them.
pub fn named_by(said: &[&str], label: &str) -> Option<usize> {
    let is_small = |word: &str| JOINING.contains(&word) || ["the", "and"].contains(&fold(word).as_str());
    let is_name = |word: &&&str| word.starts_with(char::is_uppercase) && !is_small(word);
    let near: Vec<&str> = said.iter().copied().take(LONGEST).take_while(|word| is_small(word) || is_name(&word)).collect();
    let is_whole = |end: &usize| near[end - 1..*end].iter().any(|last| is_name(&last)) && near[..*end].iter().filter(is_name).count() >= 2;
    (1..=near.len()).rev().filter(is_whole).find(|end| spells(&near[..*end], &is_small, label, false))
}

/// A word that is mere grammar counts as a whole or not at all: with a capital it may begin a sentence.
fn spells(name: &[&str], is_small: &impl Fn(&str) -> bool, label: &str, has_whole: bool) -> bool {
    let Some((first, others)) = name.split_first() else { return label.is_empty() && has_whole };
    let word = fold(first);
    let initial = word.chars().next().filter(|_| is_small(first) || !words::is_stop(&word)).and_then(|letter| label.strip_prefix(letter));
    let is_telling = !is_small(first);
    label.strip_prefix(word.as_str()).is_some_and(|rest| spells(others, is_small, rest, has_whole || is_telling))
        || initial.is_some_and(|rest| spells(others, is_small, rest, has_whole))
        || is_small(first) && spells(others, is_small, label, has_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, address: &str, expected: Option<usize>) {
        let said: Vec<&str> = said.split(' ').collect();
        assert_eq!(label(address).and_then(|label| named_by(&said, &label)), expected, "{said:?} at {address}");
    }

    #[test]
    fn a_host_is_called_by_the_words_that_spell_it_and_by_their_initials() {
        check("New York Times", "https://www.nytimes.com/2024/05/12/bridge.html", Some(3));
        check("The New York Times", "https://www.nytimes.com/a", Some(4));
        check("NY Times", "nytimes.com", Some(2));
        check("Washington Post", "https://www.washingtonpost.com/a", Some(2));
        check("Our World in Data", "https://ourworldindata.org/a", Some(4));
        check("Bank of England", "https://www.bankofengland.co.uk/a", Some(3));
        check("New Scientist", "https://new-scientist.example/a", Some(2));
    }

    #[test]
    fn other_words_are_no_name_of_it() {
        check("New York Post", "https://www.nytimes.com/a", None);
        check("new york times", "https://www.nytimes.com/a", None);
        check("Financial Times", "https://www.ft.com/a", None);
        check("Was Stolen Joyfully", "https://www.wsj.com/a", None);
        check("World Health", "https://www.who.int/a", None);
        check("Times", "https://www.times.example/a", None);
        check("", "https://www.times.example/a", None);
        check("Éclair Ñandú Über", "https://eclairnu.example/a", Some(3));
        check("Wuhan Hospitals Overrun", "https://www.who.int/a", None);
        check("Brandt Buried Children", "https://www.bbc.co.uk/a", None);
    }
}
