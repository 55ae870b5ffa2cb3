//! The measures of a claim as one score from 0 to 1, by a logistic function whose weights stand in one table with their reasons.
//! The weights are fitted to labelled claims by `examples/weighing.rs`, as the decision on the ladder tells; nothing is learnt at run time.

use super::support::Measures;

/// One measure and what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    pub name: &'static str,
    pub of: fn(&Measures) -> f64,
    pub weight: f64,
    /// Whether more of it can only make the claim likelier; else it can only make it less so.
    pub speaks_for: bool,
    pub why: &'static str,
}

const fn pro(name: &'static str, of: fn(&Measures) -> f64, weight: f64, why: &'static str) -> Weight {
    Weight { name, of, weight, speaks_for: true, why }
}

const fn con(name: &'static str, of: fn(&Measures) -> f64, weight: f64, why: &'static str) -> Weight {
    Weight { name, of, weight, speaks_for: false, why }
}

/// How likely it is that the source supports the claim as a whole.
pub fn score(measures: &Measures) -> f64 {
    let evidence: f64 = BASE + WEIGHTS.iter().map(|weight| weight.weight * (weight.of)(measures)).sum::<f64>();
    1.0 / (1.0 + (-evidence).exp())
}

/// How much a share of the claim's words in a few sentences tells. A page that has most of them speaks of the claim; whether it has the last ones
/// says little, because a true claim in other words has fewer of them than a false one that exchanges two.
fn telling(share: f64) -> f64 {
    const MOST: f64 = 0.7;
    const BEYOND: f64 = 0.3;
    share.min(MOST) + BEYOND * (share - MOST).max(0.0)
}

/// What speaks for a claim of which nothing was measured.
pub const BASE: f64 = -2.71;

pub static WEIGHTS: [Weight; 14] = [
    pro("sentence", |m| m.sentence, 0.36, "what one sentence says belongs together"),
    pro("window", |m| telling(m.window), 2.09, "a claim often sums up a few sentences in a row"),
    pro("anchors", |m| m.anchors, 1.61, "numbers and names survive every paraphrase"),
    pro("pairs", |m| m.pairs, 0.67, "words that stand together in both are said of each other"),
    con("missing_numbers", |m| m.missing_numbers, -4.0, "a number that the source does not have is nearly decisive"),
    con("missing_names", |m| m.missing_names, -3.5, "a name too, though names have more forms than are known here"),
    con("far_numbers", |m| m.far_numbers, -1.16, "a number far from everything else is there by chance"),
    con("rival_numbers", |m| m.rival_numbers, -5.0, "another number in its place is what the source says instead"),
    con("negation", |m| m.negation, -2.45, "hard to read without grammar, so it counts for less than it should"),
    con("opposite", |m| m.opposite, -2.74, "the opposite of a word in its place"),
    con("exchanged", |m| m.exchanged, -2.0, "the right names in the wrong roles"),
    con("wider", |m| m.wider, -3.0, "all is more than some"),
    con("firmer", |m| m.firmer, -2.23, "a plan is not a deed"),
    con("other_rank", |m| m.other_rank, -2.0, "second is not first"),
];
