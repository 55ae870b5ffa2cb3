//! The measures of a claim as one score from 0 to 1, by a logistic function whose weights stand here with their reasons.
//! The weights were set by hand after looking at one half of the development claims; nothing is learnt at run time.

use super::support::Measures;

/// How likely it is that the source supports the claim as a whole.
pub fn score(measures: &Measures) -> f64 {
    1.0 / (1.0 + (-evidence(measures)).exp())
}

fn evidence(measures: &Measures) -> f64 {
    BASE
        // The three overlap: what one sentence says counts in all of them, what is gathered from the whole page only in the last.
        + 1.2 * measures.sentence
        + 2.2 * measures.window
        + 2.4 * measures.greedy
        // Words that stand together in both are said of each other.
        + 1.2 * measures.pairs
        // Every open word may be the one that is wrong.
        - 0.45 * measures.open
        // A number or a name that the source does not have is nearly decisive.
        - 3.2 * measures.missing_numbers
        - 2.2 * measures.missing_names
        - 1.0 * measures.far_numbers
        // Negations and opposites are hard to read without grammar, so they count for less than they should.
        - 2.4 * measures.negation
        - 2.6 * measures.opposite
}

/// Such that a claim of which the page says three quarters, in one place, is as likely supported as not.
const BASE: f64 = -4.0;
