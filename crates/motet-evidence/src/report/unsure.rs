//! Which sentences of a report the rules decide by their words alone, and what a model would be asked about each.
//! Asking is somebody else's business, and so is what becomes of the answer: it opens no gate.

use super::verify::{Target, target};
use super::{Archive, Report, Standing, Verification};
use crate::claim::{Claim, Page, Question, is_unsure};

/// A sentence for a second opinion.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsure {
    /// Its place among the sentences of the verification.
    pub place: usize,
    pub question: Question,
}

/// What its sources contradict, or have no number or name of, is decided. So is what cites nothing, or says itself that it is unverified.
pub fn unsure(report: &Report, archive: &Archive, verification: &Verification) -> Vec<Unsure> {
    let asked = verification.sentences.iter().enumerate().filter_map(|(place, checked)| {
        let is_open = matches!(checked.standing, Standing::Supported | Standing::Plausible | Standing::Unsupported);
        let verdict = checked.verdict.as_ref().filter(|_| is_open)?;
        let leads_to = checked.sentence.citations.iter().filter_map(|citation| match target(citation, report, archive) {
            Target::Document(document) => Some(document),
            Target::Outside(_) | Target::Undefined(_) => None,
        });
        let named: Vec<(&str, &Page)> =
            leads_to.map(|place| (archive.document(place).names.first().map_or("", String::as_str), archive.page(place))).collect();
        let pages: Vec<&Page> = named.iter().map(|(_, page)| *page).collect();
        // A row says what the heads of its columns say with it.
        let text = checked.sentence.readings.first().unwrap_or(&checked.sentence.text);
        let claim = Claim { text, context: report.title.as_deref().unwrap_or_default() };
        let is_asked = is_unsure(&claim, verdict, &pages);
        is_asked.then(|| Unsure { place, question: Question::of(&claim, &named) })
    });
    asked.collect()
}
