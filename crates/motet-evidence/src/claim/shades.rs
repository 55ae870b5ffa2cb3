//! Small words that change a claim much: `all` for some, `has` for may, `largest` for second largest.
//! They are read in the sentences that tell most of the claim; what they are worth is said in `weigh`.

use super::opposition;
use super::page::Page;
use super::statement::Statement;

/// What differs between the claim and a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shades {
    /// The claim says it of all, the sentence does not.
    pub wider: bool,
    /// The claim says it as a fact, the sentence as a possibility, a plan or somebody's hope.
    pub firmer: bool,
    /// The claim gives another rank: the largest, where the sentence says the second largest.
    pub other_rank: bool,
}

impl Shades {
    pub fn of(statement: &Statement, page: &Page, sentence: usize) -> Self {
        let said: Vec<&str> = opposition::stems(page, sentence).collect();
        let clause: Vec<&str> = opposition::clause(statement, page, sentence).collect();
        let claimed: Vec<&str> = statement.stems.iter().map(|(_, stem)| stem.as_str()).collect();
        let has = |words: &[&str], list: &[&str]| words.iter().any(|word| list.contains(word));
        Self {
            wider: has(&claimed, &UNIVERSAL) && !has(&said, &UNIVERSAL),
            firmer: has(&clause, &POSSIBLE) && !has(&claimed, &POSSIBLE) && !has(&claimed, &REPORTED),
            other_rank: rank(&claimed).is_some_and(|own| rank(&said).is_some_and(|other| own != other)),
        }
    }
}

const UNIVERSAL: [&str; 13] =
    ["all", "everi", "each", "both", "entir", "whole", "alway", "everyon", "everyth", "everybodi", "unanim", "everywher", "exclus"];

const POSSIBLE: [&str; 29] = [
    "may", "might", "could", "would", "should", "will", "plan", "expect", "hope", "intend", "propos", "possibl", "possibli", "perhap",
    "probabl", "probabli", "likeli", "suspect", "believ", "think", "suggest", "forecast", "demand", "urg", "want", "unless", "promis",
    "accus", "alleg",
];

/// Words with which a claim passes on what somebody says.
const REPORTED: [&str; 7] = ["accord", "consid", "hold", "seek", "aim", "due", "charg"];

/// The place of a superlative: 1 for `the largest`, 2 for `the second largest`.
fn rank(stems: &[&str]) -> Option<usize> {
    const ORDINALS: [&str; 5] = ["first", "second", "third", "four", "five"];
    let at = stems.iter().position(|stem| SUPERLATIVES.contains(stem))?;
    let before = at.checked_sub(1).and_then(|before| ORDINALS.iter().position(|ordinal| *ordinal == stems[before]));
    Some(before.map_or(1, |place| place + 1))
}

const SUPERLATIVES: [&str; 22] = [
    "largest",
    "biggest",
    "highest",
    "longest",
    "oldest",
    "tallest",
    "smallest",
    "lowest",
    "deepest",
    "fastest",
    "richest",
    "youngest",
    "best",
    "worst",
    "most",
    "least",
    "greatest",
    "strongest",
    "poorest",
    "busiest",
    "shortest",
    "weakest",
];
