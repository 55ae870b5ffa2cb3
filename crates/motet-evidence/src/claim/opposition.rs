//! Whether the sentences that say most of a claim deny it: a negation more or less, or a word with its opposite in its place.
//! Only sentences that are plainly about the same thing are asked; a negation elsewhere on the page means nothing.

use super::matching::Matching;
use super::page::{NOTHING, Page};
use super::statement::Statement;
use crate::text::words;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opposition {
    pub negation: bool,
    pub opposites: usize,
}

/// A sentence must have this share of the claim before its negations count.
const SAME_SUBJECT: f64 = 0.5;

/// Sentences that are nearly as good as the best one are asked as well; if one of them does not oppose, nothing does.
const NEARLY: f64 = 0.92;

pub fn find(statement: &Statement, page: &Page, matching: &Matching, shares: &[f64]) -> Opposition {
    let best = shares.iter().copied().fold(0.0, f64::max);
    let asked =
        || shares.iter().enumerate().filter(|(_, share)| **share >= best * NEARLY && best >= SAME_SUBJECT).map(|(sentence, _)| sentence);
    let claimed = negations(statement.stems.iter().map(|(_, stem)| stem.as_str()));
    let negation = asked().next().is_some() && asked().all(|sentence| negations(stems(page, sentence)) % 2 != claimed % 2);
    let opposites = asked().map(|sentence| opposites(statement, page, matching, sentence)).min().unwrap_or(0);
    Opposition { negation, opposites }
}

fn stems(page: &Page, sentence: usize) -> impl Iterator<Item = &str> {
    let (first, last) = page.sentences[sentence].tokens;
    page.stems[first..last].iter().filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem))
}

fn negations<'a>(stems: impl Iterator<Item = &'a str>) -> usize {
    const NEGATIONS: [&str; 26] = [
        "not", "no", "never", "none", "neither", "nor", "without", "cannot", "cant", "dont", "didnt", "doesnt", "isnt", "wasnt", "werent",
        "arent", "wont", "wouldnt", "couldnt", "hasnt", "havent", "hadnt", "fail", "unabl", "nobodi", "lack",
    ];
    stems.filter(|stem| NEGATIONS.contains(stem)).count()
}

/// Words of the claim that the sentence does not have, while it has their opposite, which the claim does not.
fn opposites(statement: &Statement, page: &Page, matching: &Matching, sentence: usize) -> usize {
    let here: Vec<&str> = stems(page, sentence).collect();
    let says = |stem: &str| here.contains(&stem);
    let claims = |stem: &str| statement.stems.iter().any(|(_, own)| own == stem);
    let opposed = |token: usize, stem: &str| {
        let met = statement.slot_of(token).is_some_and(|part| matching.strength(part, sentence) >= 0.7);
        !met && !says(stem) && words::opposites(stem).iter().any(|opposite| says(opposite) && !claims(opposite))
    };
    statement.stems.iter().filter(|(token, stem)| opposed(*token, stem)).count()
}
