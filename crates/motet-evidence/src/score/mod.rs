//! How good a report is, in numbers that anybody can compute again: grounding, breadth, writing, novelty.
//! No overall mark: the four say different things, and weighing them is for whoever reads them.

mod breadth;
mod grounding;
mod mix;
mod novelty;
mod table;
mod writing;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::report::{Archive, Report, Verification};
pub use breadth::Breadth;
pub(crate) use breadth::content as content_words;
pub use grounding::Grounding;
pub use mix::Mix;
pub use novelty::Novelty;
pub use writing::Writing;

/// All that is measured of one report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    /// Numbers are comparable only within one version.
    pub version: u32,
    pub grounding: Grounding,
    pub breadth: Breadth,
    pub writing: Writing,
    pub novelty: Novelty,
}

pub const VERSION: u32 = 6;

/// What a report was meant to be, as far as somebody said so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Intent<'a> {
    /// The questions of the plan.
    pub questions: &'a [String],
    /// How many words were asked for.
    pub words: Option<usize>,
}

pub fn score(report: &Report, verification: &Verification, archive: &Archive, intent: Intent) -> Scorecard {
    Scorecard {
        version: VERSION,
        grounding: grounding::measure(report, verification),
        breadth: breadth::measure(report, verification, archive, intent.questions),
        writing: writing::measure(report, intent.words),
        novelty: novelty::measure(report, archive, &breadth::cited_documents(report, archive)),
    }
}

/// A share of something, rounded so that it reads well and compares exactly. None: there was nothing to take a share of.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| rounded(part as f64 / whole as f64))
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
