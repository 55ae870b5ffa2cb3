//! How much of a claim the best sentences of a page say: the measures that the score is made of.
//! Every measure is a share or a small count. What they are worth is said in `weigh` and nowhere else.

use serde::{Deserialize, Serialize};

use super::gate::{Gate, MissingKind};
use super::matching::Matching;
use super::opposition;
use super::page::Page;
use super::statement::{Part, Statement};

/// At most this many sentences may support one claim together.
const SENTENCES: usize = 4;

/// What was measured of one claim on one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Share of the claim in the best single sentence.
    pub sentence: f64,
    /// Share of the claim in the best three sentences in a row.
    pub window: f64,
    /// Share of the claim in the best few sentences wherever they stand.
    pub greedy: f64,
    /// Share of neighbouring parts of the claim that are neighbours on the page too.
    pub pairs: f64,
    /// How much of the claim those sentences leave open, in words and not as a share: a long claim has more that can be wrong.
    pub open: f64,
    pub missing_numbers: f64,
    pub missing_names: f64,
    /// Numbers that are on the page, but far from the rest of the claim.
    pub far_numbers: f64,
    /// The best sentences deny what the claim says, or the other way round.
    pub negation: f64,
    /// The best sentences say the opposite of a word of the claim.
    pub opposite: f64,
}

/// The measures, and the sentences they rest on, best first.
pub fn measure(statement: &Statement, page: &Page, matching: &Matching, gate: &Gate) -> (Measures, Vec<usize>) {
    let weights = weights(statement, page, matching, gate);
    let total: f64 = weights.iter().sum();
    if total == 0.0 || matching.sentences() == 0 {
        return (Measures::default(), Vec::new());
    }
    let shares: Vec<f64> = (0..matching.sentences()).map(|sentence| share(&weights, matching, sentence..sentence + 1) / total).collect();
    let last = matching.sentences();
    let windows =
        (0..last).filter(|start| shares[*start] > 0.0).map(|start| share(&weights, matching, start..(start + 3).min(last)) / total);
    let (chosen, best) = choose(&weights, matching, &shares);
    let covered: f64 = weights.iter().zip(&best).map(|(weight, strength)| weight * strength).sum();
    let open = statement
        .slots
        .iter()
        .zip(&best)
        .zip(&weights)
        .filter(|(_, weight)| **weight > 0.0)
        .map(|((slot, strength), _)| slot.weight * (1.0 - strength));
    let count = |kind: MissingKind| gate.missing.iter().filter(|missing| missing.kind == kind).count().min(3) as f64;
    let opposition = opposition::find(statement, page, matching, &shares);
    let measures = Measures {
        sentence: shares.iter().copied().fold(0.0, f64::max),
        window: windows.fold(0.0, f64::max),
        greedy: covered / total,
        pairs: pairs(&weights, matching),
        open: open.sum::<f64>().min(8.0),
        missing_numbers: count(MissingKind::Number),
        missing_names: count(MissingKind::Name),
        far_numbers: gate.far.min(3) as f64,
        negation: f64::from(u8::from(opposition.negation)),
        opposite: opposition.opposites.min(2) as f64,
    };
    (measures, chosen)
}

/// What each part counts on this page. What the context says or the gate excused does not count against the claim.
fn weights(statement: &Statement, page: &Page, matching: &Matching, gate: &Gate) -> Vec<f64> {
    let parts = statement.slots.iter().enumerate().map(|(place, slot)| {
        if gate.excused.contains(&place) || slot.given && matching.anywhere(place) == 0.0 {
            return 0.0;
        }
        let rarity = match &slot.part {
            Part::Word { .. } => page.rarity(matching.exact[place]),
            Part::Number(_) => 1.0,
        };
        slot.weight * rarity * if slot.given { 0.5 } else { 1.0 }
    });
    parts.collect()
}

fn share(weights: &[f64], matching: &Matching, sentences: std::ops::Range<usize>) -> f64 {
    let best = |part: usize| sentences.clone().map(|sentence| matching.strength(part, sentence)).fold(0.0, f64::max);
    weights.iter().enumerate().map(|(part, weight)| weight * best(part)).sum()
}

/// The best sentence, then whatever adds most to it. A sentence far from the best one counts a little less.
fn choose(weights: &[f64], matching: &Matching, shares: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let mut best = vec![0.0; weights.len()];
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < SENTENCES {
        let trust = |sentence: usize| match chosen.first() {
            None => 1.0,
            Some(first) if first.abs_diff(sentence) <= 2 => 1.0,
            Some(_) => 0.85,
        };
        let gain = |sentence: usize| -> f64 {
            let parts = weights.iter().enumerate();
            parts.map(|(part, weight)| weight * (matching.strength(part, sentence) * trust(sentence) - best[part]).max(0.0)).sum()
        };
        let candidates = (0..shares.len()).filter(|sentence| shares[*sentence] > 0.0 && !chosen.contains(sentence));
        let Some((sentence, gained)) =
            candidates.map(|sentence| (sentence, gain(sentence))).max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
        else {
            break;
        };
        if gained <= 1e-9 {
            break;
        }
        let trust = trust(sentence);
        for (part, so_far) in best.iter_mut().enumerate() {
            *so_far = f64::max(*so_far, matching.strength(part, sentence) * trust);
        }
        chosen.push(sentence);
    }
    (chosen, best)
}

fn pairs(weights: &[f64], matching: &Matching) -> f64 {
    let (mut all, mut met) = (0.0, 0.0);
    for (place, is_met) in matching.pairs.iter().enumerate() {
        let weight = weights[place].min(weights[place + 1]);
        all += weight;
        met += if *is_met { weight } else { 0.0 };
    }
    if all == 0.0 { 1.0 } else { met / all }
}
