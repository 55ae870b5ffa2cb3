//! The measures of a claim as one score from 0 to 1, by a logistic function whose weights stand here with their reasons.
//! The weights were set by hand after looking at one half of the development claims; nothing is learnt at run time.

use super::support::Measures;

/// How likely it is that the source supports the claim as a whole.
pub fn score(measures: &Measures) -> f64 {
    1.0 / (1.0 + (-evidence(measures)).exp())
}

fn evidence(measures: &Measures) -> f64 {
    BASE
        // What one sentence says is worth more than what three say together, and that more than what is gathered from the page.
        + 1.6 * measures.sentence
        + 2.2 * measures.window
        + 2.4 * measures.greedy
        // Words that stand together in both are said of each other.
        + 1.6 * measures.pairs
        // Every open word may be the one that is wrong.
        - 0.55 * measures.open
        // A number or a name that the source does not have is nearly decisive.
        - 2.2 * measures.missing_numbers
        - 1.8 * measures.missing_names
        - 0.6 * measures.far_numbers
        // Negations and opposites are hard to read without grammar, so they count for less than they should.
        - 2.4 * measures.negation
        - 2.2 * measures.opposite
}

/// Such that a claim of which the page says three quarters, in one place, is as likely supported as not.
const BASE: f64 = -4.6;
