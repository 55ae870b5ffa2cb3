//! Which of two things is said to be more: the sides of `than`, and whether a text has them exchanged, turned round, or both.
//! Bounds of numbers are no comparisons of two things; `limits` reads them.

use super::matching::Matching;
use super::page::ends_clause;
use super::statement::{Part, Slot, Statement};
use super::wording::Wording;
use crate::text::{begins_number, fold, words};

/// How a sentence compares what the claim compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    Same,
    /// `A is larger than B` where the sentence says that B is larger than A.
    Exchanged,
    /// `A is larger than B` where the sentence says that A is smaller.
    Opposed,
    /// `A is larger than B` where the sentence says that B is smaller than A, which is the same.
    Inverted,
}

/// The sides of the claim in a sentence. Where either compares nothing, or the words tell no side, nothing is said.
pub fn sides(matching: &Matching, sentence: usize) -> Option<Sides> {
    let statement = matching.statement;
    let claimed = Comparison::of(matching.claimed(), (0, statement.tokens.len()))?;
    let tokens = matching.page.sentences[sentence].tokens;
    let ranked = || Comparison::of_rank(matching.told(), tokens, &claimed.word);
    let said = Comparison::of(matching.told(), tokens).filter(|said| said.than.is_some()).or_else(ranked)?;
    let is_opposite = are_opposites(&claimed.word, &said.word);
    let than = said.than?;
    if claimed.word != said.word && !is_opposite {
        return None;
    }
    let is_met_in = |part: usize, range: (usize, usize)| matching.same(part, range).next().is_some();
    let (left, right) = ((said.first, than), (than + 1, said.last));
    let only_left = |part: usize| is_met_in(part, left) && !is_met_in(part, right);
    let only_right = |part: usize| is_met_in(part, right) && !is_met_in(part, left);
    let is_before = |slot: &Slot| slot.token < claimed.than.unwrap_or(claimed.at);
    let sum = |wanted: &dyn Fn(usize, &Slot) -> bool| -> f64 {
        let slots = statement.slots.iter().enumerate();
        slots.filter(|(part, slot)| is_side(statement, &claimed, slot) && wanted(*part, slot)).map(|(_, slot)| slot.weight).sum()
    };
    let to_the_right = sum(&|part, slot| is_before(slot) && only_right(part));
    let to_the_left = sum(&|part, slot| !is_before(slot) && only_left(part));
    let straight = match claimed.than {
        Some(_) => sum(&|part, slot| !is_before(slot) && only_right(part)),
        // Without a second side the first one is all that tells: `those who used it had fewer attacks`.
        None => sum(&|part, slot| is_before(slot) && only_left(part)),
    };
    // Where only one side went over, it may be what is said of both: `in Norway women earn less than men`.
    let is_crossed = match (to_the_right > 0.0, to_the_left > 0.0, claimed.than) {
        (true, true, _) | (true, _, None) => to_the_right + to_the_left > straight,
        (true, false, Some(_)) => straight == 0.0,
        (false, ..) => false,
    };
    match (is_crossed, straight > 0.0) {
        (true, _) if is_opposite => Some(Sides::Inverted),
        (true, _) => Some(Sides::Exchanged),
        (false, true) if is_opposite => Some(Sides::Opposed),
        (false, true) => Some(Sides::Same),
        (false, false) => None,
    }
}

/// Words of the claim that may tell a side: not what stands on both, nor the comparative itself.
fn is_side(statement: &Statement, claimed: &Comparison, slot: &Slot) -> bool {
    let than = claimed.than.unwrap_or(claimed.last);
    let is_twin = |other: &Slot| match (&other.part, &slot.part) {
        (Part::Word { stem: twin, .. }, Part::Word { stem, .. }) => twin == stem && (other.token < than) != (slot.token < than),
        _ => false,
    };
    (claimed.first..claimed.last).contains(&slot.token) && slot.token != claimed.at && !statement.slots.iter().any(is_twin)
}

/// A comparative and its `than`, with the clause that both sides stand in.
struct Comparison {
    first: usize,
    last: usize,
    at: usize,
    /// None: the text does not say than what.
    than: Option<usize>,
    /// The stem of the comparative.
    word: String,
}

/// So far before `than` may its comparative stand: `more of the story than`.
const REACH: usize = 7;

/// Verbs that say more by themselves: `A outnumbered B`.
const OUTDOING: [&str; 8] = ["outperform", "outnumb", "outsel", "outweigh", "outpac", "surpass", "exceed", "overtak"];

impl Comparison {
    /// `The second largest, after B`, beside a claim that something is `larger`: B is larger.
    fn of_rank(wording: Wording, (first, last): (usize, usize), claimed: &str) -> Option<Self> {
        let raw = |at: usize| wording.raw(at);
        let base = plain(claimed)?;
        let is_superlative = |at: usize| {
            let parts = fold(raw(at));
            let superlative = parts.rsplit('-').next().unwrap_or_default().to_string();
            plain(&superlative.strip_suffix("est").map(|stem| format!("{stem}er")).unwrap_or_default()).is_some_and(|found| found == base)
        };
        let is_ranked = |at: usize| {
            let before = (at.saturating_sub(2).max(first)..=at).map(raw).any(|raw| RANKS.iter().any(|rank| raw.starts_with(rank)));
            before && is_superlative(at)
        };
        let at = (first..last).find(|at| is_ranked(*at))?;
        let than = (at + 1..last).find(|place| matches!(raw(*place), "after" | "behind"))?;
        let word = format!("{}er", words::opposites(&base).first()?);
        Some(Self { first, last, at, than: Some(than), word })
    }

    fn of(wording: Wording, (first, last): (usize, usize)) -> Option<Self> {
        let raw = |at: usize| wording.raw(at);
        let than = (first + 1..last).find(|at| raw(*at) == "than" && !begins_number(wording.text, wording.tokens, at + 1));
        let found = match than {
            Some(than) => {
                let near = (first..than).rev().take(REACH);
                let at = near.into_iter().find(|at| is_comparative(raw(*at))).unwrap_or(than - 1);
                Some((at, Some(than), words::stem(&fold(raw(at)))))
            }
            None => (first..last).find_map(|at| match words::stem(&fold(raw(at))) {
                stem if OUTDOING.contains(&stem.as_str()) => Some((at, Some(at), "more".to_string())),
                stem if is_comparative(raw(at)) => Some((at, None, stem)),
                _ => None,
            }),
        };
        let (at, than, word) = found?;
        let from = (first..at).rev().find(|place| ends_clause(raw(*place))).map_or(first, |place| place + 1);
        let to = (than.unwrap_or(at) + 1..last).find(|place| ends_clause(raw(*place))).unwrap_or(last);
        Some(Self { first: from, last: to, at, than, word })
    }
}

/// What tells that something else has the first rank.
const RANKS: [&str; 4] = ["second", "third", "fourth", "fifth"];

/// `more`, and adjectives such as `longer` that have an opposite.
pub fn is_comparative(raw: &str) -> bool {
    let word = fold(raw);
    let has_opposite = |stem: &str| !words::opposites(stem).is_empty();
    match word.as_str() {
        "more" | "less" | "fewer" | "better" | "worse" => true,
        word if NO_COMPARATIVES.contains(&word) => false,
        _ => word.ends_with("er") && (has_opposite(&words::stem(&word)) || plain(&word).is_some_and(|plain| has_opposite(&plain))),
    }
}

/// Words that have the ending of a comparative, and an opposite, and compare nothing.
const NO_COMPARATIVES: [&str; 13] =
    ["under", "over", "after", "never", "former", "summer", "winter", "father", "mother", "brother", "sister", "daughter", "together"];

/// The stem of the adjective that a comparative is made of: `richer`, `larger`, `bigger`.
fn plain(word: &str) -> Option<String> {
    let base = word.strip_suffix("er").filter(|base| base.len() >= 3)?;
    let is_doubled = base.is_ascii() && base.as_bytes()[base.len() - 1] == base.as_bytes()[base.len() - 2];
    let shorter = base.get(..base.len() - 1).filter(|_| is_doubled).map(str::to_string);
    let shapes = [Some(base.to_string()), Some(format!("{base}e")), shorter];
    shapes.into_iter().flatten().map(|shape| words::stem(&shape)).find(|stem| !words::opposites(stem).is_empty())
}

fn are_opposites(one: &str, other: &str) -> bool {
    let says = |one: &str, other: &str| words::opposites(one).iter().any(|opposite| opposite == other);
    says(one, other) || plain(one).zip(plain(other)).is_some_and(|(one, other)| says(&one, &other))
}
