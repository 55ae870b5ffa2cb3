//! What the opinions of a model are worth: the same measures with them, over the same claims.
//! Claims that the rules decide for sure are not asked about and count as they did.

use serde::{Deserialize, Serialize};

use super::{Count, Truth, accuracy, auroc};
use crate::claim::Opinion;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinions {
    pub asked: usize,
    pub vouched: usize,
    pub objected: usize,
    /// It could not tell, or quoted what the source does not have.
    pub undecided: usize,
    /// There was no usable answer.
    pub failed: usize,
    /// Of the claims that were asked about, how well rules and model together rank the supported ones above the others; by the rules alone.
    pub auroc: Option<f64>,
    pub auroc_by_rules: Option<f64>,
    /// The same over all claims.
    pub auroc_of_all: Option<f64>,
    /// Share of all claims whose label is right with the opinions.
    pub accuracy: Option<f64>,
}

/// Opinions by the place of their claim.
pub fn measured(count: &Count, opinions: Vec<(usize, Option<Opinion>)>) -> Opinions {
    let (mut scores, mut labels) = (count.scores.clone(), count.labels.clone());
    let mut found = Opinions { asked: opinions.len(), ..Opinions::default() };
    let mut asked = Vec::new();
    for (place, opinion) in opinions {
        match &opinion {
            None => found.failed += 1,
            Some(opinion) if opinion.vouches() => found.vouched += 1,
            Some(opinion) if opinion.objects() => found.objected += 1,
            Some(_) => found.undecided += 1,
        }
        if let Some(opinion) = opinion {
            scores[place].0 = opinion.score(scores[place].0);
            labels[place] = opinion.label(labels[place]);
        }
        asked.push(place);
    }
    let of = |scores: &[(f64, Truth)]| -> Vec<(f64, Truth)> { asked.iter().map(|place| scores[*place]).collect() };
    let is_supported = |truth| truth == Truth::Supported;
    found.auroc = auroc(&of(&scores), is_supported);
    found.auroc_by_rules = auroc(&of(&count.scores), is_supported);
    found.auroc_of_all = auroc(&scores, is_supported);
    found.accuracy = accuracy(&labels, &scores);
    found
}
