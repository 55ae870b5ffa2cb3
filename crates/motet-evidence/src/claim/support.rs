//! How much of a claim the best sentences of a page say: the measures that the score is made of.
//! Every measure is a share or a small count. What they are worth is said in `weigh` and nowhere else.

use serde::{Deserialize, Serialize};

use super::attachments::Otherwise;
use super::binding::Bound;
use super::denial::Asked;
use super::gate::{Gate, MissingKind};
use super::matching::Matching;
use super::shades::Shades;
use super::statement::{Part, Statement};
use super::told::Told;
use super::{deeds, opposition, roles};
use crate::text::Name;

/// At most this many sentences may support one claim together.
const SENTENCES: usize = 5;

/// A sentence must tell this share of the claim before its small words and its order count against the claim.
const SAME_SUBJECT: f64 = 0.5;

/// Sentences that are nearly as good as the best one are asked as well; if one of them does not object, nothing does.
const NEARLY: f64 = 0.92;

/// How much it counts that something is plainly said of another.
const PLAINLY: usize = 2;

/// What was measured of one claim on one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measures {
    /// Share of the claim in the best single sentence.
    pub sentence: f64,
    /// Share of the claim in the best three sentences in a row.
    pub window: f64,
    /// Share of the claim's numbers and names in the best three sentences in a row; of all its words, if it has none.
    pub anchors: f64,
    /// Share of neighbouring parts of the claim that are neighbours on the page too.
    pub pairs: f64,
    pub missing_numbers: f64,
    pub missing_names: f64,
    /// Numbers that are on the page, but far from the rest of the claim.
    pub far_numbers: f64,
    /// How much better another number of the page would fit in the place of the claim's.
    pub rival_numbers: f64,
    /// The best sentences deny what the claim says, or the other way round.
    pub negation: f64,
    /// The best sentences say the opposite of a word of the claim.
    pub opposite: f64,
    /// The best sentences have the same names in exchanged roles; twice, where they plainly say it of another.
    pub exchanged: f64,
    /// The claim says it of all, of a certainty, of another rank, where the best sentences do not.
    pub wider: f64,
    pub firmer: f64,
    pub other_rank: f64,
}

/// What is measured on, so that no function needs seven arguments.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    pub matching: &'a Matching<'a>,
    pub told: &'a Told,
    pub gate: &'a Gate,
    pub weights: &'a [f64],
    pub bindings: &'a [Bound],
}

/// The measures, and the sentences they rest on, best first.
pub fn measure(compared: &Compared) -> (Measures, Vec<usize>) {
    let Compared { matching, told, gate, weights, bindings } = *compared;
    let (statement, page) = (matching.statement, matching.page);
    let total: f64 = weights.iter().sum();
    if total == 0.0 || matching.sentences() == 0 {
        return (Measures::default(), Vec::new());
    }
    let shares: Vec<f64> = (0..matching.sentences()).map(|sentence| share(weights, matching, sentence..sentence + 1) / total).collect();
    let last = matching.sentences();
    let windows =
        (0..last).filter(|start| shares[*start] > 0.0).map(|start| share(weights, matching, start..(start + 3).min(last)) / total);
    let told_shares = told.shares(weights);
    let most_told = told_shares.iter().copied().fold(0.0, f64::max);
    let asked: Vec<usize> =
        (0..last).filter(|sentence| most_told >= SAME_SUBJECT && told_shares[*sentence] >= most_told * NEARLY).collect();
    let chosen = choose(weights, matching, &shares);
    let missing_numbers = gate.missing.iter().filter(|missing| missing.kind == MissingKind::Number).count().min(3);
    let opposition = opposition::find(Asked { matching, told, shares: &shares }, &chosen);
    let shades: Vec<Shades> = asked.iter().map(|sentence| Shades::of(statement, page, *sentence)).collect();
    let all = |objects: &dyn Fn(&Shades) -> bool| f64::from(u8::from(!shades.is_empty() && shades.iter().all(objects)));
    let exchanged = if deeds::are_anothers(matching, &chosen) { PLAINLY } else { exchanged(compared, &asked, &shares) };
    let measures = Measures {
        sentence: shares.iter().copied().fold(0.0, f64::max),
        window: windows.fold(0.0, f64::max),
        anchors: anchors(compared),
        pairs: pairs(weights, matching),
        missing_numbers: missing_numbers as f64,
        missing_names: missing_names(statement, gate),
        far_numbers: gate.far.min(3) as f64,
        rival_numbers: bindings.iter().map(|bound| (bound.rival - bound.own).clamp(0.0, 1.0)).sum::<f64>().min(2.0),
        negation: f64::from(u8::from(opposition.negation)),
        opposite: opposition.opposites.min(2) as f64,
        exchanged: exchanged as f64,
        wider: all(&|shades| shades.wider),
        firmer: all(&|shades| shades.firmer),
        other_rank: all(&|shades| shades.other_rank),
    };
    (measures, chosen)
}

/// How plainly the sentences that tell most of the claim have its roles exchanged. One in which no roles are read does not speak for the claim,
/// unless it says more of it than those that object.
fn exchanged(compared: &Compared, asked: &[usize], shares: &[f64]) -> usize {
    let matching = compared.matching;
    let otherwise = Otherwise::of(matching);
    let roles = |sentence: usize| roles::exchanged(matching, &otherwise, sentence);
    let read: Vec<(f64, Option<usize>)> = asked.iter().map(|sentence| (shares[*sentence], roles(*sentence))).collect();
    let Some(least) = read.iter().filter_map(|(_, exchanged)| *exchanged).min() else { return 0 };
    let objecting = read.iter().filter(|(_, exchanged)| exchanged.is_some()).map(|(share, _)| *share).fold(0.0, f64::max);
    let is_unread = |(share, exchanged): &(f64, Option<usize>)| exchanged.is_none() && *share > objecting;
    if read.iter().any(is_unread) { 0 } else { least }
}

/// What each part counts on this page. What the context says or the gate excused does not count against the claim.
pub fn weights(matching: &Matching, gate: &Gate) -> Vec<f64> {
    let (statement, page) = (matching.statement, matching.page);
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

/// A name of several words is missing once.
fn missing_names(statement: &Statement, gate: &Gate) -> f64 {
    let is_missing =
        |name: &&Name| gate.missing.iter().any(|missing| missing.kind == MissingKind::Name && name.span.contains(missing.span));
    statement.names.iter().filter(is_missing).count().min(3) as f64
}

fn share(weights: &[f64], matching: &Matching, sentences: std::ops::Range<usize>) -> f64 {
    let best = |part: usize| sentences.clone().map(|sentence| matching.strength(part, sentence)).fold(0.0, f64::max);
    weights.iter().enumerate().map(|(part, weight)| weight * best(part)).sum()
}

/// The best sentence, then whatever adds most to it. A sentence far from the best one counts a little less.
fn choose(weights: &[f64], matching: &Matching, shares: &[f64]) -> Vec<usize> {
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
    chosen
}

/// Numbers and names survive every paraphrase.
fn anchors(compared: &Compared) -> f64 {
    let Compared { matching, weights, .. } = *compared;
    // Small numbers in letters stand on every page.
    let is_anchor = |part: usize| match &matching.statement.slots[part].part {
        Part::Word { in_name, .. } => *in_name,
        Part::Number(number) => !number.spelled,
    };
    let mut anchors: Vec<f64> = weights.iter().enumerate().map(|(part, weight)| if is_anchor(part) { *weight } else { 0.0 }).collect();
    if anchors.iter().sum::<f64>() == 0.0 {
        anchors = weights.to_vec();
    }
    let (total, last) = (anchors.iter().sum::<f64>(), matching.sentences());
    let windows = (0..last).map(|start| share(&anchors, matching, start..(start + 3).min(last)));
    windows.fold(0.0, f64::max) / total
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
