//! Of what kinds the sources of a report are, how far such sources are to be trusted, and how old they are.
//! It reads the report's own list of sources and their addresses. What was never archived is no source; an unknown one is neutral, and no number here closes a gate.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{rounded, share};
use crate::fact::{Standing, credibility, is_official, is_paper};
use crate::report::{About, Archive, Citation, Report, Target, target};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mix {
    /// How many sources of each kind are cited: PDF, HTML, Paper, Report, Document.
    pub types: BTreeMap<String, usize>,
    /// Shares of the cited sources.
    pub official: Option<f64>,
    pub papers: Option<f64>,
    /// The mean over the sources of how likely one of such standing is right; half for those of which nothing is known.
    pub credibility: Option<f64>,
    /// The share of sources whose day of publication is known, and of these the first, the last, and the median age when they were read.
    pub dated: Option<f64>,
    pub oldest: Option<String>,
    pub newest: Option<String>,
    pub median_age_years: Option<f64>,
}

pub fn measure(report: &Report, archive: &Archive) -> Mix {
    let cited: BTreeSet<&Citation> = report.sentences.iter().flat_map(|sentence| &sentence.citations).collect();
    let mut sources: BTreeMap<usize, Source> = BTreeMap::new();
    for citation in cited {
        if let Target::Document(place) = target(citation, report, archive) {
            let source = Source::of(citation, report);
            // An entry of the list says more of a document than a link to it.
            if matches!(citation, Citation::Marker(_)) || !sources.contains_key(&place) {
                sources.insert(place, source);
            }
        }
    }
    let count = |chosen: &dyn Fn(&Source) -> bool| sources.values().filter(|source| chosen(source)).count();
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    sources.values().for_each(|source| *types.entry(source.kind.clone()).or_default() += 1);
    let mut published: Vec<&String> = sources.values().filter_map(|source| source.published.as_ref()).collect();
    published.sort();
    let trust: f64 = sources.values().map(|source| credibility(source.standing())).sum();
    Mix {
        types,
        official: share(count(&|source| source.official), sources.len()),
        papers: share(count(&|source| source.kind == PAPER), sources.len()),
        credibility: (!sources.is_empty()).then(|| rounded(trust / sources.len() as f64)),
        dated: share(published.len(), sources.len()),
        oldest: published.first().map(ToString::to_string),
        newest: published.last().map(ToString::to_string),
        median_age_years: median(sources.values().filter_map(Source::age).collect()).map(rounded),
    }
}

const PAPER: &str = "Paper";
const DOCUMENT: &str = "Document";
const KINDS: [&str; 5] = ["PDF", "HTML", "Report", PAPER, DOCUMENT];

struct Source {
    kind: String,
    official: bool,
    /// A document of the user's own, and no page.
    is_own: bool,
    published: Option<String>,
    accessed: Option<String>,
}

impl Source {
    /// By its address, or by its id where the list gives none.
    fn of(citation: &Citation, report: &Report) -> Self {
        let (address, text) = match citation {
            Citation::Link(address) => (address.as_str(), ""),
            Citation::Marker(id) => report
                .references
                .get(id)
                .map_or((id.as_str(), ""), |reference| (reference.address.as_deref().unwrap_or(id), reference.text.as_str())),
        };
        let about = About::read(text);
        Self {
            kind: if KINDS.contains(&about.kind.as_str()) { about.kind } else { kind_of(address).to_string() },
            is_own: !is_web(address),
            official: about.official || is_official(address),
            published: Some(about.published).filter(|date| years(date).is_some()),
            accessed: Some(about.accessed),
        }
    }

    fn standing(&self) -> Standing {
        match () {
            () if self.official => Standing::Official,
            () if self.kind == PAPER || self.is_own => Standing::Reputable,
            () => Standing::Unknown,
        }
    }

    fn age(&self) -> Option<f64> {
        let (read, written) = (years(self.accessed.as_ref()?)?, years(self.published.as_ref()?)?);
        Some((read - written).max(0.0))
    }
}

fn kind_of(address: &str) -> &'static str {
    let lower = address.to_ascii_lowercase();
    match () {
        () if is_paper(address) => PAPER,
        () if lower.split(['?', '#']).next().is_some_and(|path| path.ends_with(".pdf")) => "PDF",
        () if is_web(address) => "HTML",
        () => DOCUMENT,
    }
}

fn is_web(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.")
}

/// `2024`, `2024-05` or `2024-05-17` as years; what is not said is taken to lie in the middle.
fn years(date: &str) -> Option<f64> {
    let mut parts = date.split('-').map(|part| part.parse::<f64>().ok());
    let year = parts.next().flatten().filter(|year| (1000.0..3000.0).contains(year))?;
    let Some(month) = parts.next() else { return Some(year + 0.5) };
    let month = month.filter(|month| (1.0..=12.0).contains(month))?;
    let day = parts.next().map_or(Some(15.0), |day| day.filter(|day| (1.0..=31.0).contains(day)))?;
    Some(year + (month - 1.0) / 12.0 + day / 372.0)
}

fn median(mut ages: Vec<f64>) -> Option<f64> {
    ages.sort_by(f64::total_cmp);
    let middle = ages.len() / 2;
    match ages.len() {
        0 => None,
        count if count % 2 == 1 => Some(ages[middle]),
        _ => Some((ages[middle - 1] + ages[middle]) / 2.0),
    }
}
