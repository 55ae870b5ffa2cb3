//! How many independent sources a report draws on, and how evenly.
//! Whether a source is any good is not measured here: the number of owners is, and what the plan asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{rounded, share};
use crate::fact::{clusters, plain_address, registrable_domain};
use crate::report::{Archive, Citation, Report, Standing, Verification};
use crate::text::{Kind, fold, tokens, words};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breadth {
    pub sources: usize,
    pub domains: usize,
    /// Sources that are neither copies of each other nor of one owner.
    pub independent: usize,
    /// As many sources, cited equally often, would be as diverse (the inverse of the Herfindahl index).
    pub effective_sources: Option<f64>,
    pub top_domain_share: Option<f64>,
    /// Of the questions of the plan, those that a borne-out sentence answers. None: no plan was given.
    pub questions_answered: Option<f64>,
}

pub fn measure(report: &Report, verification: &Verification, archive: &Archive, questions: &[String]) -> Breadth {
    let cited = citations(report);
    let addresses: BTreeSet<&String> = cited.iter().collect();
    let mut by_owner: BTreeMap<String, usize> = BTreeMap::new();
    for address in &cited {
        *by_owner.entry(owner(address)).or_default() += 1;
    }
    let total: usize = by_owner.values().sum();
    let concentration: f64 = by_owner.values().map(|count| (*count as f64 / total.max(1) as f64).powi(2)).sum();
    let archived: Vec<(&str, &str, &str)> = addresses
        .iter()
        .filter_map(|address| Some((address.as_str(), address.as_str(), archive.document(archive.find(address)?).text.as_str())))
        .collect();
    Breadth {
        sources: addresses.len(),
        domains: by_owner.len(),
        independent: clusters(&archived).len(),
        effective_sources: (concentration > 0.0).then(|| rounded(1.0 / concentration)),
        top_domain_share: by_owner.values().max().and_then(|most| share(*most, total)),
        questions_answered: share(questions.iter().filter(|question| is_answered(question, verification)).count(), questions.len()),
    }
}

/// The address of every citation, as often as it is cited.
fn citations(report: &Report) -> Vec<String> {
    let all = report.sentences.iter().flat_map(|sentence| &sentence.citations);
    let addresses = all.filter_map(|citation| match citation {
        Citation::Link(address) => Some(plain_address(address)),
        Citation::Marker(id) => {
            let reference = report.references.get(id)?;
            Some(reference.address.as_deref().map_or_else(|| id.clone(), plain_address))
        }
    });
    addresses.collect()
}

/// Files have no domain; each of them is its own.
fn owner(address: &str) -> String {
    registrable_domain(address).unwrap_or_else(|| address.to_string())
}

/// A sentence that holds has at least half of what the question asks about.
fn is_answered(question: &str, verification: &Verification) -> bool {
    let wanted = content(question);
    let holds = verification.sentences.iter().filter(|checked| matches!(checked.standing, Standing::Supported | Standing::Plausible));
    !wanted.is_empty()
        && holds.into_iter().any(|checked| {
            let said = content(&format!("{} {}", checked.sentence.section, checked.sentence.text));
            wanted.iter().filter(|word| said.contains(*word)).count() * 2 >= wanted.len()
        })
}

pub(crate) fn content(text: &str) -> BTreeSet<String> {
    let words = tokens(text).into_iter().filter(|token| token.kind == Kind::Word).map(|token| fold(token.of(text)));
    words.filter(|word| !words::is_stop(word)).map(|word| words::stem(&word)).collect()
}
