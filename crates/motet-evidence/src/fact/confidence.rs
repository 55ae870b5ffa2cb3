//! How far a fact may be trusted, by a rule that people can repeat: official or confirmed is high, reputable is medium, the rest is low.
//! Copies of one text are one witness. An unknown source is neither trusted nor distrusted.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Unverified, or only by a source of which nothing is known.
    Low,
    /// One reputable source.
    Medium,
    /// Two independent sources, or an official one about its own matter.
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Unreliable,
    Unknown,
    Reputable,
    /// The primary source: a register, a statute, the maker's own documentation.
    Official,
}

/// A source that says so, and how plainly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    pub source: String,
    pub standing: Standing,
    /// The score of the statement against this source.
    pub support: f64,
}

/// A witness below this does not say it.
const SAYS_SO: f64 = 0.5;

/// The confidence in what these witnesses say, and the same as a number from 0 to 1. `clusters` are sources that count as one.
pub fn rate(witnesses: &[Witness], clusters: &[Vec<String>]) -> (Confidence, f64) {
    let heard: Vec<&Witness> =
        witnesses.iter().filter(|witness| witness.support >= SAYS_SO && witness.standing != Standing::Unreliable).collect();
    let voices = voices(&heard, clusters);
    let doubt: f64 = voices.iter().map(|voice| 1.0 - credibility(voice.standing) * voice.support.clamp(0.0, 1.0)).product();
    let best = voices.iter().map(|voice| voice.standing).max();
    let confidence = match (voices.len(), best) {
        (_, Some(Standing::Official)) => Confidence::High,
        (2.., _) => Confidence::High,
        (1, Some(Standing::Reputable)) => Confidence::Medium,
        _ => Confidence::Low,
    };
    (confidence, 1.0 - doubt)
}

/// The best witness of each cluster; a source that is in no cluster stands for itself.
fn voices<'a>(heard: &[&'a Witness], clusters: &[Vec<String>]) -> Vec<&'a Witness> {
    let mut found: Vec<(Option<usize>, &Witness)> = Vec::new();
    for witness in heard {
        let cluster = clusters.iter().position(|cluster| cluster.contains(&witness.source));
        let same = found.iter_mut().find(|(other, voice)| cluster.is_some() && *other == cluster || voice.source == witness.source);
        match same {
            Some((_, voice)) if (witness.standing, witness.support) > (voice.standing, voice.support) => *voice = witness,
            Some(_) => {}
            None => found.push((cluster, witness)),
        }
    }
    found.into_iter().map(|(_, voice)| voice).collect()
}

/// How likely a source of this standing is right, before anything else is known.
pub(crate) fn credibility(standing: Standing) -> f64 {
    match standing {
        Standing::Unreliable => 0.0,
        Standing::Unknown => 0.5,
        Standing::Reputable => 0.75,
        Standing::Official => 0.9,
    }
}
