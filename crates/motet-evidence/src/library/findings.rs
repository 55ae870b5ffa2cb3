//! What all sources found together, and what each of them did: an empty answer always says why it is empty.
//! It ranks by taking turns, so that no source drowns another, and one's own documents come first.

use std::collections::BTreeSet;

use serde::Serialize;

use super::trouble::Trouble;
use crate::archive::address;
use crate::source::{Hit, Query, SearchOutcome, SourceKind};

/// What one source did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    pub source: String,
    pub kind: SourceKind,
    pub outcome: SearchOutcome,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    pub question: String,
    /// Best first, each work once.
    pub hits: Vec<Hit>,
    /// One for each source that was asked. Their hits are above, so here they are only counted.
    pub reports: Vec<Counted>,
}

/// A report whose hits were merged with the others'.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counted {
    pub source: String,
    pub kind: SourceKind,
    /// None: it did search.
    pub trouble: Option<Trouble>,
    pub says: String,
}

impl Findings {
    pub fn of(query: &Query, reports: Vec<Report>) -> Self {
        let counted = reports.iter().map(|report| Counted {
            source: report.source.clone(),
            kind: report.kind,
            trouble: Trouble::of_search(&report.source, &report.outcome),
            says: report.outcome.to_string(),
        });
        Self { question: query.text.clone(), reports: counted.collect(), hits: merged(reports) }
    }

    /// The sources that could not search.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.reports.iter().filter_map(|report| report.trouble.clone()).collect()
    }

    /// What to say when nothing was found: which sources were asked, and what each said. None if something was found.
    pub fn gap(&self) -> Option<String> {
        if !self.hits.is_empty() {
            return None;
        }
        let asked: Vec<String> = self.reports.iter().map(|report| format!("{} ({})", report.source, report.says)).collect();
        Some(match asked.is_empty() {
            true => format!("Nothing was found for \"{}\": no source is configured for it.", self.question),
            false => format!("Nothing was found for \"{}\". Asked: {}.", self.question, asked.join("; ")),
        })
    }
}

fn merged(reports: Vec<Report>) -> Vec<Hit> {
    let mut queues: Vec<(SourceKind, std::vec::IntoIter<Hit>)> = Vec::new();
    for report in reports {
        if let SearchOutcome::Hits { hits } = report.outcome {
            queues.push((report.kind, hits.into_iter()));
        }
    }
    queues.sort_by_key(|(kind, _)| *kind);
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    loop {
        let mut any = false;
        for (_, queue) in &mut queues {
            let Some(hit) = queue.next() else { continue };
            any = true;
            let place = format!("{} {}", address(&hit.url), hit.span.map_or(0, |span| span.start));
            let is_new_work = hit.doi.as_ref().is_none_or(|doi| seen.insert(format!("doi:{doi}")));
            if seen.insert(place) && is_new_work {
                out.push(hit);
            }
        }
        if !any {
            return out;
        }
    }
}
