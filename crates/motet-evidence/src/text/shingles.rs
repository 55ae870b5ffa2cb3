//! Runs of five words, by which texts are told to be copies of each other.
//! Order inside a run counts, order of runs does not, so a copy with its paragraphs moved is still a copy.

use super::{Kind, fold_into, tokens};

/// How many words make one run.
const RUN: usize = 5;

/// How many minima stand for a text when many texts are compared.
const MINIMA: usize = 64;

/// The distinct runs of a text as sorted hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles {
    runs: Vec<u64>,
    minima: Vec<u64>,
}

impl Shingles {
    pub fn of(text: &str) -> Self {
        let words = hashed_words(text);
        let length = RUN.min(words.len().max(1));
        let mut runs: Vec<u64> = words.windows(length).map(|run| run.iter().fold(OFFSET, |hash, word| mix(hash ^ word))).collect();
        runs.sort_unstable();
        runs.dedup();
        let minimum = |salt: u64| runs.iter().map(|run| mix(run ^ mix(salt))).min();
        let minima = (1..=MINIMA as u64).filter_map(minimum).collect();
        Self { runs, minima }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Shared runs as a share of all runs of both.
    pub fn resemblance(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.runs.len() + other.runs.len() - shared;
        if all == 0 { 0.0 } else { shared as f64 / all as f64 }
    }

    /// The share of this text's runs that the other has too.
    pub fn containment(&self, other: &Self) -> f64 {
        if self.runs.is_empty() { 0.0 } else { self.shared(other) as f64 / self.runs.len() as f64 }
    }

    /// The resemblance guessed from a few minima: quick enough to compare every source with every other.
    pub fn estimate(&self, other: &Self) -> f64 {
        if self.minima.is_empty() || other.minima.is_empty() {
            return 0.0;
        }
        self.minima.iter().zip(&other.minima).filter(|(one, other)| one == other).count() as f64 / self.minima.len() as f64
    }

    fn shared(&self, other: &Self) -> usize {
        self.runs.iter().filter(|run| other.runs.binary_search(run).is_ok()).count()
    }
}

/// The longest run of words that both texts have, in words. A common run has common runs of every shorter length, so the length is
/// found by halving.
pub fn longest_common_run(one: &str, other: &str) -> usize {
    let (one, other) = (hashed_words(one), hashed_words(other));
    let (mut sure, mut open) = (0, one.len().min(other.len()));
    while sure < open {
        let middle = (sure + open).div_ceil(2);
        if share_run(&one, &other, middle) {
            sure = middle;
        } else {
            open = middle - 1;
        }
    }
    sure
}

fn share_run(one: &[u64], other: &[u64], length: usize) -> bool {
    let mut runs = run_hashes(one, length);
    runs.sort_unstable();
    run_hashes(other, length).iter().any(|run| runs.binary_search(run).is_ok())
}

/// The hash of every run of a length, each from the one before it.
fn run_hashes(words: &[u64], length: usize) -> Vec<u64> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let highest = (1..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = 0u64;
    let mut found = Vec::with_capacity((words.len() + 1).saturating_sub(length));
    for (place, word) in words.iter().enumerate() {
        if place >= length {
            hash = hash.wrapping_sub(mix(words[place - length]).wrapping_mul(highest));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(mix(*word));
        if place + 1 >= length {
            found.push(hash);
        }
    }
    found
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

fn hashed_words(text: &str) -> Vec<u64> {
    let mut folded = String::new();
    let words = tokens(text).into_iter().filter(|token| token.kind != Kind::Mark);
    let hashes = words.map(|token| {
        fold_into(token.of(text), &mut folded);
        folded.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    });
    hashes.collect()
}

/// The finaliser of SplitMix64.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "The mayor opened the new library on Monday. It has forty thousand books and a garden on its roof. Entry is free.";

    #[test]
    fn a_copy_with_another_typography_is_a_copy() {
        let (one, copy) = (Shingles::of(ONE), Shingles::of(&ONE.to_uppercase().replace('.', " \u{2014} ")));
        assert_eq!(one.resemblance(&copy), 1.0);
        assert_eq!(one.estimate(&copy), 1.0);
    }

    #[test]
    fn a_part_is_contained_and_another_text_is_not() {
        let part = Shingles::of("It has forty thousand books and a garden on its roof.");
        assert!(part.containment(&Shingles::of(ONE)) > 0.99);
        assert!(part.resemblance(&Shingles::of(ONE)) < 0.6);
        assert_eq!(part.containment(&Shingles::of("Nothing of this is said anywhere in the other text at all.")), 0.0);
        assert!(Shingles::of("").is_empty());
    }

    #[test]
    fn the_longest_common_run_is_counted_in_words() {
        assert_eq!(longest_common_run("a b c d e", "x b c d y"), 3);
        assert_eq!(longest_common_run("a", ""), 0);
    }
}
