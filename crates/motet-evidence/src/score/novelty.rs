//! How much a report repeats itself and copies its sources.
//! Quoting is not copying: sentences with quotation marks are left out of the comparison.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{rounded, share};
use crate::report::{Archive, Report};
use crate::text::{Shingles, longest_common_run};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Novelty {
    /// Share of sentences that say nearly the same as an earlier one.
    pub repeated: Option<f64>,
    /// Headings that occur more than once.
    pub repeated_headings: usize,
    /// The largest share of the report's five-word runs that stand in one source.
    pub copied: Option<f64>,
    /// The longest run of words that the report shares with a source.
    pub longest_copied_run: usize,
}

/// From this resemblance on two sentences are the same.
const SAME: f64 = 0.6;

/// Only what the report cites is compared: what else lies in the archive depends on who looks.
pub fn measure(report: &Report, archive: &Archive, cited: &BTreeSet<usize>) -> Novelty {
    let long: Vec<Shingles> = report
        .sentences
        .iter()
        .filter(|sentence| sentence.text.split_whitespace().count() >= 6)
        .map(|sentence| Shingles::of(&sentence.text))
        .collect();
    let repeated = (1..long.len()).filter(|place| long[..*place].iter().any(|earlier| long[*place].resemblance(earlier) >= SAME)).count();
    let headings: Vec<String> = report.headings.iter().map(|heading| heading.text.to_lowercase()).collect();
    let own: String =
        report.sentences.iter().filter(|sentence| !sentence.bears_quotation).map(|sentence| sentence.text.clone() + "\n").collect();
    let shingles = Shingles::of(&own);
    let texts: Vec<&str> = cited.iter().map(|place| archive.document(*place).text.as_str()).collect();
    let copied = texts.iter().map(|text| shingles.containment(&Shingles::of(text))).reduce(f64::max);
    Novelty {
        repeated: share(repeated, long.len()),
        repeated_headings: (1..headings.len()).filter(|place| headings[..*place].contains(&headings[*place])).count(),
        copied: copied.map(rounded),
        longest_copied_run: texts.iter().map(|text| longest_common_run(&own, text)).max().unwrap_or(0),
    }
}
