//! How much of a report rests on its sources, and whether its references hold.
//! It counts what the verification found and checks nothing again.

use serde::{Deserialize, Serialize};

use super::share;
use crate::claim::Label;
use crate::report::{Checked, Report, Sentence, Standing, Verification};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grounding {
    pub sentences: usize,
    /// Shares of sentences with a citation.
    pub cited: Option<f64>,
    pub cited_with_number: Option<f64>,
    pub cited_with_superlative: Option<f64>,
    pub cited_with_quotation: Option<f64>,
    /// Of the cited sentences, those that their sources bear out, and those that they may.
    pub supported: Option<f64>,
    pub plausible: Option<f64>,
    /// Of the sentences with a number, those that are sound or marked as unverified.
    pub numbers_sound: Option<f64>,
    pub unsound: usize,
    /// Cited, contradicted by nothing, and not found in their sources in any words that were recognised.
    pub unsupported: usize,
    pub misquoted: usize,
    /// Citations beside others that do not themselves bear out their sentence.
    #[serde(default)]
    pub unsound_citations: usize,
    pub marked_unverified: usize,
    pub undefined_references: usize,
    pub outside_archive: usize,
    pub unused_references: usize,
    pub duplicate_references: usize,
    pub passes_gate: bool,
}

pub fn measure(report: &Report, verification: &Verification) -> Grounding {
    let sentences = &report.sentences;
    let cited_of = |chosen: &dyn Fn(&Sentence) -> bool| {
        let all: Vec<&Sentence> = sentences.iter().filter(|sentence| chosen(sentence)).collect();
        share(all.iter().filter(|sentence| !sentence.citations.is_empty()).count(), all.len())
    };
    let cited = sentences.iter().filter(|sentence| !sentence.citations.is_empty()).count();
    let count = |chosen: &dyn Fn(&Checked) -> bool| verification.sentences.iter().filter(|checked| chosen(checked)).count();
    let stands = |standing: Standing| count(&|checked| checked.standing == standing);
    Grounding {
        sentences: sentences.len(),
        cited: share(cited, sentences.len()),
        cited_with_number: cited_of(&|sentence| sentence.bears_number),
        cited_with_superlative: cited_of(&|sentence| sentence.bears_superlative),
        cited_with_quotation: cited_of(&|sentence| sentence.bears_quotation),
        supported: share(stands(Standing::Supported), cited),
        plausible: share(stands(Standing::Plausible), cited),
        numbers_sound: share(verification.gate.number_sentences_sound, verification.gate.number_sentences),
        unsound: stands(Standing::Unsound),
        unsupported: stands(Standing::Unsupported),
        misquoted: count(&|checked| checked.verdict.as_ref().is_some_and(|verdict| verdict.label == Label::Misquoted)),
        unsound_citations: verification.sentences.iter().map(|checked| checked.unsound.len()).sum(),
        marked_unverified: stands(Standing::Marked),
        undefined_references: verification.integrity.undefined.len(),
        outside_archive: verification.integrity.outside_archive.len(),
        unused_references: verification.integrity.unused.len(),
        duplicate_references: verification.integrity.duplicate.len(),
        passes_gate: verification.gate.open,
    }
}
