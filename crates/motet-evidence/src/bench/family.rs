//! The kinds of claims in a set, each measured by itself: where the ladder is good and where it is blind.
//! A kind is whatever the set calls so. Kinds are not compared with each other.

use serde::{Deserialize, Serialize};

use super::{Record, Truth, auroc};
use crate::claim::Verdict;

/// One kind of claim with one truth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Family {
    pub name: String,
    pub supported: bool,
    pub claims: usize,
    /// How many of them were flagged for a number or a name.
    pub flagged: usize,
    pub mean_score: f64,
    /// How well the score tells them from all claims with the other truth.
    pub auroc: Option<f64>,
}

/// What was said of the claims of one family.
pub struct Verdicts {
    name: String,
    supported: bool,
    flagged: usize,
    scores: Vec<(f64, Truth)>,
}

pub fn add(families: &mut Vec<Verdicts>, record: &Record, verdict: &Verdict) {
    let Some(name) = &record.kind else { return };
    let supported = record.truth == Truth::Supported;
    let known = families.iter().position(|family| family.name == *name && family.supported == supported);
    let place = known.unwrap_or_else(|| {
        families.push(Verdicts { name: name.clone(), supported, flagged: 0, scores: Vec::new() });
        families.len() - 1
    });
    families[place].flagged += usize::from(!verdict.missing.is_empty());
    families[place].scores.push((verdict.score, record.truth));
}

/// The families with the others' scores beside them, those of supported claims first.
pub fn measured(families: &[Verdicts], all: &[(f64, Truth)]) -> Vec<Family> {
    let mut found: Vec<Family> = families
        .iter()
        .map(|family| {
            let is_positive = |truth: Truth| truth == Truth::Supported;
            let others = all.iter().filter(|(_, truth)| is_positive(*truth) != family.supported);
            let together: Vec<(f64, Truth)> = family.scores.iter().chain(others).copied().collect();
            Family {
                name: family.name.clone(),
                supported: family.supported,
                claims: family.scores.len(),
                flagged: family.flagged,
                mean_score: family.scores.iter().map(|(score, _)| score).sum::<f64>() / family.scores.len() as f64,
                auroc: auroc(&together, is_positive),
            }
        })
        .collect();
    found.sort_by(|one, other| (!one.supported, &one.name).cmp(&(!other.supported, &other.name)));
    found
}
