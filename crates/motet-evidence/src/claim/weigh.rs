//! The measures of a claim as one score from 0 to 1, by a logistic function whose weights stand in one table with their reasons.
//! The weights are fitted to one half of our own labelled claims by `examples/weighing.rs`; nothing is learnt at run time.

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

/// What speaks for a claim of which nothing was measured.
pub const BASE: f64 = -2.14;

pub static WEIGHTS: [Weight; 21] = [
    pro("sentence", |m| m.sentence, 0.47, "what one sentence says belongs together"),
    pro("told", |m| m.told, 0.35, "and so does what it refers back to"),
    pro("clause", |m| m.clause, 0.09, "what one clause says is said of one thing"),
    pro("window", |m| m.window, 1.69, "a claim often sums up a few sentences in a row"),
    pro("greedy", |m| m.greedy, 0.73, "or several parts of the page"),
    pro("pairs", |m| m.pairs, 0.76, "words that stand together in both are said of each other"),
    con("open", |m| m.open, 0.0, "every open word may be the one that is wrong"),
    con("open_rare", |m| m.open_rare, 0.0, "and more so a word that is not a common one"),
    con("missing_numbers", |m| m.missing_numbers, -2.76, "a number that the source does not have is nearly decisive"),
    con("missing_names", |m| m.missing_names, -3.42, "a name too, though names have more forms than are known here"),
    con("far_numbers", |m| m.far_numbers, -0.68, "a number far from everything else is there by chance"),
    con("loose_numbers", |m| m.loose_numbers, 0.0, "a number is said of what stands around it"),
    con("rival_numbers", |m| m.rival_numbers, -3.14, "another number in its place is what the source says instead"),
    con("rival_names", |m| m.rival_names, -0.01, "another name in its place did what the claim says of this one"),
    con("negation", |m| m.negation, -1.87, "hard to read without grammar, so it counts for less than it should"),
    con("opposite", |m| m.opposite, -2.16, "the opposite of a word in its place"),
    con("exchanged", |m| m.exchanged, -0.66, "the right names in the wrong roles"),
    con("disorder", |m| m.disorder, 0.0, "another order is a paraphrase, or says something else"),
    con("wider", |m| m.wider, -1.34, "all is more than some"),
    con("firmer", |m| m.firmer, -1.47, "a plan is not a deed"),
    con("other_rank", |m| m.other_rank, -0.3, "second is not first"),
];
