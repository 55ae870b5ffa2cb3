//! Whether a report holds: every reference leads to an archived source, and every number is in the source it is cited from.
//! It decides nothing about style, and it changes nothing: what to do with an unsound sentence is the caller's choice.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::bearing::{Bearing, bearing, is_sound};
use super::entry::entry;
use super::{Archive, Citation, Report, Sentence, headings};
use crate::claim::{Claim, Label, Page, Verdict, no_source};
use crate::fact::plain_address;
use crate::text::{Kind, fold, tokens, words};

/// How one sentence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Cited, and its sources bear it out.
    Supported,
    /// Cited, and its numbers and names are there, but not everything it says was found.
    Plausible,
    /// Cited, and its sources do not say it in any words that were recognised; nothing in it is contradicted.
    Unsupported,
    /// Cited, and its sources deny it, or do not have a number, a name or a quotation of it.
    Unsound,
    /// Its reference is undefined, or leads outside the archive.
    Unfounded,
    /// It cites nothing.
    Uncited,
    /// It says itself that it is unverified.
    Marked,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    pub sentence: Sentence,
    pub standing: Standing,
    /// The best verdict over all sources that the sentence cites; none if it cites nothing.
    pub verdict: Option<Verdict>,
    /// The name of the source that the verdict was reached on.
    pub source: Option<String>,
    /// Citations whose source does not itself bear out the sentence, which others bear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsound: Vec<Citation>,
}

impl Checked {
    /// Whether it is cited and its sources say hardly anything of it: nothing that was recognised, or at most half of its words and no more of its
    /// numbers and names. Free paraphrases seldom have less in common with what they are taken from.
    pub fn is_hardly_said(&self) -> bool {
        const HALF: f64 = 0.5;
        const LIKELY: f64 = 0.5;
        let is_mostly_new =
            |verdict: &Verdict| verdict.score < LIKELY && verdict.measures.window.max(verdict.measures.anchors) <= HALF + 1e-9;
        match self.standing {
            _ if !says_something(&self.sentence.text) => false,
            Standing::Unsupported => true,
            Standing::Plausible => self.verdict.as_ref().is_some_and(is_mostly_new),
            Standing::Supported | Standing::Unsound | Standing::Unfounded | Standing::Uncited | Standing::Marked => false,
        }
    }
}

/// Whether a text has a word that a source could lack: `It is really so` has none.
pub(crate) fn says_something(text: &str) -> bool {
    tokens(text).iter().any(|token| token.kind == Kind::Number || token.kind == Kind::Word && !words::is_common(&fold(token.of(text))))
}

/// What is wrong with the references themselves. All of it must be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integrity {
    /// Markers without an entry.
    pub undefined: Vec<String>,
    /// Entries and links whose source is not in the archive.
    pub outside_archive: Vec<String>,
    /// Entries that nothing cites.
    pub unused: Vec<String>,
    /// Entries with the same address, or twice the same number.
    pub duplicate: Vec<String>,
}

/// Whether the report may be published, and why not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub open: bool,
    pub reasons: Vec<String>,
    /// Sentences with a number.
    pub number_sentences: usize,
    /// Of them, cited and borne out, or marked as unverified.
    pub number_sentences_sound: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    pub sentences: Vec<Checked>,
    pub integrity: Integrity,
    pub gate: Gate,
}

/// The share of sentences with a number that must be sound.
const SOUND_SHARE: f64 = 0.95;

pub fn verify(report: &Report, archive: &Archive) -> Verification {
    let integrity = integrity(report, archive);
    let mut sentences: Vec<Checked> = report.sentences.iter().map(|sentence| check(sentence, report, archive)).collect();
    sentences.extend(headings::unborne(report, &sentences));
    let gate = gate(&sentences, &integrity);
    Verification { sentences, integrity, gate }
}

/// Where a citation leads: an archived document, somewhere outside the archive, or nowhere.
pub(crate) enum Target {
    Document(usize),
    Outside(String),
    Undefined(String),
}

pub(crate) fn target(citation: &Citation, report: &Report, archive: &Archive) -> Target {
    match citation {
        Citation::Link(address) => archive.find(address).map_or_else(|| Target::Outside(address.clone()), Target::Document),
        Citation::Marker(id) => match report.references.get(id) {
            None => archive.find(id).map_or_else(|| Target::Undefined(id.clone()), Target::Document),
            Some(reference) => entry(id, reference, archive),
        },
    }
}

fn integrity(report: &Report, archive: &Archive) -> Integrity {
    let (mut undefined, mut outside) = (BTreeSet::new(), BTreeSet::new());
    let cited: BTreeSet<&Citation> = report.sentences.iter().flat_map(|sentence| &sentence.citations).chain(&report.named).collect();
    for citation in &cited {
        match target(citation, report, archive) {
            Target::Document(_) => {}
            Target::Outside(name) => drop(outside.insert(name)),
            Target::Undefined(id) => drop(undefined.insert(id)),
        }
    }
    let cites = |id: &str, address: Option<&String>| {
        cited.iter().any(|citation| match citation {
            Citation::Marker(marker) => marker == id,
            Citation::Link(link) => address.is_some_and(|address| plain_address(address) == plain_address(link)),
        })
    };
    let unused = report.references.iter().filter(|(id, reference)| !cites(id, reference.address.as_ref())).map(|(id, _)| id.clone());
    let mut by_address: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (id, reference) in &report.references {
        if let Some(address) = &reference.address {
            by_address.entry(plain_address(address)).or_default().push(id);
        }
    }
    let twice = by_address.values().filter(|ids| ids.len() > 1).map(|ids| ids.join(", "));
    Integrity {
        undefined: undefined.into_iter().collect(),
        outside_archive: outside.into_iter().collect(),
        unused: unused.collect(),
        duplicate: report.doubly_defined.iter().cloned().chain(twice).collect(),
    }
}

fn check(sentence: &Sentence, report: &Report, archive: &Archive) -> Checked {
    let leads_to = |citation: &Citation| match target(citation, report, archive) {
        Target::Document(place) => Some(place),
        Target::Outside(_) | Target::Undefined(_) => None,
    };
    let places: BTreeSet<usize> = sentence.citations.iter().filter_map(leads_to).collect();
    let pages: Vec<(usize, &Page)> = places.iter().map(|place| (*place, archive.page(*place))).collect();
    // The title and the headings are the writer's words too: what stands only there is borne out by nothing.
    let found = (!pages.is_empty()).then(|| best_reading(sentence, &pages));
    let idle: &[usize] = found.as_ref().map_or(&[], |found| &found.idle);
    let unsound =
        sentence.citations.iter().filter(|citation| leads_to(citation).is_some_and(|place| idle.contains(&place))).cloned().collect();
    let source = found.as_ref().and_then(|found| archive.document(pages[found.page?].0).names.first().cloned());
    let verdict = match found {
        Some(found) => Some(found.verdict),
        None => (!sentence.citations.is_empty()).then(no_source),
    };
    let standing = match &verdict {
        _ if sentence.marked_unverified => Standing::Marked,
        None => Standing::Uncited,
        Some(verdict) => standing(verdict),
    };
    Checked { sentence: sentence.clone(), standing, verdict, source, unsound }
}

/// A row may mean what the heads of its columns say with it: it is held to the first meaning that its sources bear out, or to the fullest.
fn best_reading(sentence: &Sentence, pages: &[(usize, &Page)]) -> Bearing {
    let mut readings = sentence.readings.iter().map(|reading| bearing(&Claim::new(reading), pages));
    let Some(fullest) = readings.next() else { return bearing(&Claim::new(&sentence.text), pages) };
    if is_sound(&fullest.verdict) { fullest } else { readings.find(|other| is_sound(&other.verdict)).unwrap_or(fullest) }
}

pub(crate) fn standing(verdict: &Verdict) -> Standing {
    match verdict.label {
        Label::NoSource => Standing::Unfounded,
        // However many words agree: who says the opposite bears nothing out.
        _ if verdict.is_opposed() => Standing::Unsound,
        Label::Supported => Standing::Supported,
        Label::Misquoted => Standing::Unsound,
        Label::Partly | Label::Unsupported if verdict.is_denied() || !verdict.missing.is_empty() => Standing::Unsound,
        Label::Partly => Standing::Plausible,
        Label::Unsupported => Standing::Unsupported,
    }
}

fn gate(sentences: &[Checked], integrity: &Integrity) -> Gate {
    let numbers: Vec<&Checked> = sentences.iter().filter(|checked| checked.sentence.bears_number).collect();
    let is_sound = |checked: &&&Checked| matches!(checked.standing, Standing::Supported | Standing::Plausible | Standing::Marked);
    let sound = numbers.iter().filter(is_sound).count();
    let mut reasons = Vec::new();
    if !integrity.undefined.is_empty() {
        reasons.push(format!("{} references are undefined: {}", integrity.undefined.len(), integrity.undefined.join(", ")));
    }
    if !integrity.outside_archive.is_empty() {
        reasons.push(format!(
            "{} citations lead outside the archive: {}",
            integrity.outside_archive.len(),
            integrity.outside_archive.join(", ")
        ));
    }
    let idle = unsound_citations(sentences);
    if !idle.is_empty() {
        reasons.push(format!("{} citations do not bear out their sentence: {}", idle.len(), idle.join("; ")));
    }
    if (sound as f64) < SOUND_SHARE * numbers.len() as f64 {
        let wanted = SOUND_SHARE * 100.0;
        reasons.push(format!(
            "{sound} of {} sentences with a number are cited and borne out, or marked unverified; {wanted:.0} % must be",
            numbers.len()
        ));
    }
    let unsound = sentences.iter().filter(|checked| checked.standing == Standing::Unsound).count();
    if unsound > 0 {
        let are = if unsound == 1 { "cited sentence is" } else { "cited sentences are" };
        reasons.push(format!("{unsound} {are} not borne out: denied, misquoted, or with a name or number that the source does not have"));
    }
    if !sentences.is_empty() && sentences.iter().all(|checked| checked.sentence.citations.is_empty()) {
        reasons.push("nothing in it is cited".into());
    }
    if sentences.is_empty() {
        reasons.push("there is nothing in it to verify".into());
    }
    Gate { open: reasons.is_empty(), reasons, number_sentences: numbers.len(), number_sentences_sound: sound }
}

/// Each with the sentence that it stands behind. A sentence that says itself that it is unverified is not held to them.
fn unsound_citations(sentences: &[Checked]) -> Vec<String> {
    let unmarked = sentences.iter().filter(|checked| checked.standing != Standing::Marked);
    let named = |checked: &Checked, citation: &Citation| match citation {
        Citation::Marker(id) => format!("[{id}] at “{}”", checked.sentence.text),
        Citation::Link(address) => format!("{address} at “{}”", checked.sentence.text),
    };
    unmarked.flat_map(|checked| checked.unsound.iter().map(|citation| named(checked, citation))).collect()
}
