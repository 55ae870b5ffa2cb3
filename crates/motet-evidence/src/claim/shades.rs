//! Small words that change a claim much: `all` for some, `has` for may, `largest` for second largest.
//! They are read in the sentences that tell most of the claim; what they are worth is said in `weigh`.

use super::opposition;
use super::page::{NOTHING, Page};
use super::statement::Statement;
use crate::text::words;

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
        let own: Vec<(usize, &str)> = statement.stems.iter().map(|(at, stem)| (*at, stem.as_str())).collect();
        let claims_less = has(&claimed, &POSSIBLE) || has(&claimed, &REPORTED) || has_plan(&own);
        Self {
            wider: is_universal(&claimed) && !has(&said, &UNIVERSAL),
            firmer: (has(&clause, &POSSIBLE) || is_planned(statement, page, sentence)) && !claims_less,
            other_rank: rank(&claimed).is_some_and(|own| rank(&said).is_some_and(|other| own != other)),
        }
    }
}

const UNIVERSAL: [&str; 13] =
    ["all", "everi", "each", "both", "entir", "whole", "alway", "everyon", "everyth", "everybodi", "unanim", "everywher", "exclus"];

/// `every year` says how often, and not of how many.
fn is_universal(stems: &[&str]) -> bool {
    const SPANS: [&str; 18] = [
        "day", "week", "weekend", "month", "year", "hour", "minut", "second", "morn", "even", "night", "season", "spring", "summer",
        "autumn", "winter", "time", "decad",
    ];
    let is_often = |at: usize| matches!(stems[at], "everi" | "each") && stems.get(at + 1).is_some_and(|next| SPANS.contains(next));
    (0..stems.len()).any(|at| UNIVERSAL.contains(&stems[at]) && !is_often(at))
}

/// Whether the clause that says most of the claim says it as a plan: `is to buy`.
fn is_planned(statement: &Statement, page: &Page, sentence: usize) -> bool {
    let (first, last) = opposition::clause_range(statement, page, sentence);
    let stems = (first..last).filter(|at| page.stems[*at] != NOTHING).map(|at| (at, page.vocabulary.word(page.stems[at])));
    has_plan(&stems.collect::<Vec<_>>())
}

/// `is to` or `are to` after its subject and before a verb. What goes on with a small word, such as `is to the north`, says where; and
/// `the trick is to` says what the trick is.
fn has_plan(stems: &[(usize, &str)]) -> bool {
    const WAYS: [&str; 12] =
        ["trick", "idea", "way", "method", "task", "job", "purpos", "answer", "secret", "solut", "approach", "function"];
    stems.windows(3).enumerate().any(|(place, three)| {
        let says_what = place.checked_sub(1).is_none_or(|before| WAYS.contains(&stems[before].1));
        let is_joined = three[1].0 == three[0].0 + 1 && three[2].0 == three[1].0 + 1;
        let is_verb = three[2].1 == "be" || !words::is_stop(three[2].1);
        is_joined && !says_what && matches!(three[0].1, "is" | "are") && three[1].1 == "to" && is_verb
    })
}

const POSSIBLE: [&str; 29] = [
    "may", "might", "could", "would", "should", "will", "plan", "expect", "hope", "intend", "propos", "possibl", "possibli", "perhap",
    "probabl", "probabli", "likeli", "suspect", "believ", "think", "suggest", "forecast", "demand", "urg", "want", "unless", "promis",
    "accus", "alleg",
];

/// Words with which a claim passes on what somebody says or means to do.
const REPORTED: [&str; 8] = ["accord", "agre", "consid", "hold", "seek", "aim", "due", "charg"];

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
