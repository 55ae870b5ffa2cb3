//! How many independent sources a report draws on, and how evenly.
//! What kinds of sources they are is measured in `mix`; here it is the number of owners, and what the plan asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::mix::{self, Mix};
use super::{rounded, share};
use crate::asking::{Asked, Said, stems};
use crate::fact::{clusters, is_address, plain_address, registrable_domain};
use crate::report::{Archive, Citation, Report, Standing, Target, Verification, target};
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
    /// Kinds, standing and age of the sources.
    #[serde(default)]
    pub mix: Mix,
}

pub fn measure(report: &Report, verification: &Verification, archive: &Archive, questions: &[String]) -> Breadth {
    let cited = citations(report, archive);
    let mut sources: BTreeMap<usize, &Cited> = BTreeMap::new();
    for one in &cited {
        sources.entry(one.place).or_insert(one);
    }
    let mut by_owner: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &cited {
        *by_owner.entry(&sources[&one.place].owner).or_default() += 1;
    }
    let total: usize = by_owner.values().sum();
    let concentration: f64 = by_owner.values().map(|count| (*count as f64 / total.max(1) as f64).powi(2)).sum();
    let archived: Vec<(&str, &str, &str)> =
        sources.values().map(|one| (one.name.as_str(), one.address.as_str(), archive.document(one.place).text.as_str())).collect();
    Breadth {
        sources: sources.len(),
        domains: by_owner.len(),
        independent: clusters(&archived).len(),
        effective_sources: (concentration > 0.0).then(|| rounded(1.0 / concentration)),
        top_domain_share: by_owner.values().max().and_then(|most| share(*most, total)),
        questions_answered: share(questions.iter().filter(|question| is_answered(question, report, verification)).count(), questions.len()),
        mix: mix::measure(report, archive),
    }
}

/// The documents that the report cites, each once.
pub fn cited_documents(report: &Report, archive: &Archive) -> BTreeSet<usize> {
    citations(report, archive).into_iter().map(|one| one.place).collect()
}

/// A citation that leads to a document. A document may be cited by several names, and is one source all the same.
struct Cited {
    name: String,
    /// Empty for what is no page: only pages have owners that they share.
    address: String,
    owner: String,
    place: usize,
}

/// Every citation of a document, as often as it is cited. What is verified and what is counted here is found in the same way, so that nothing can be
/// verified against a source that is not counted, and an address that nobody read counts for nothing.
fn citations(report: &Report, archive: &Archive) -> Vec<Cited> {
    let all = report.sentences.iter().flat_map(|sentence| &sentence.citations);
    let found = all.filter_map(|citation| {
        let Target::Document(place) = target(citation, report, archive) else { return None };
        let named = match citation {
            Citation::Link(address) => address,
            Citation::Marker(id) => report.references.get(id).and_then(|reference| reference.address.as_ref()).unwrap_or(id),
        };
        // The path of a file could pass for a host.
        let is_page = is_address(named) && !named.to_ascii_lowercase().starts_with("file:");
        let name = if is_page { plain_address(named) } else { named.clone() };
        let address = if is_page { name.clone() } else { String::new() };
        Some(Cited { owner: registrable_domain(&address).unwrap_or_else(|| name.clone()), name, address, place })
    });
    found.collect()
}

/// A sentence that holds speaks of half of the question, with what stands in its section, and has what is asked for, and the report
/// does not say itself that the question stays open. A heading that only asks the question again answers nothing.
fn is_answered(question: &str, report: &Report, verification: &Verification) -> bool {
    let asked = Asked::of([question]);
    if asked.is_empty() || says_open(question, report) {
        return false;
    }
    let whole = stems(question);
    let holds = verification.sentences.iter().filter(|checked| matches!(checked.standing, Standing::Supported | Standing::Plausible));
    let holds: Vec<(&str, &str)> = holds.map(|checked| (checked.sentence.section.as_str(), checked.sentence.text.as_str())).collect();
    let mut sections: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (section, said) in &holds {
        let heading = || Some(stems(section)).filter(|heading| !whole.is_subset(heading)).unwrap_or_default();
        sections.entry(*section).or_insert_with(heading).extend(stems(said));
    }
    let everywhere: BTreeSet<String> = sections.values().flatten().cloned().collect();
    let said = |(place, (section, text)): (usize, &(&str, &str))| {
        let next = || holds.get(place + 1).is_some_and(|(other, next)| other == section && asked.is_given_in(next));
        let gives = asked.is_given_in(text) || asked.asks_why() && next();
        Said { own: stems(text), beside: sections[section].clone(), gives }
    };
    let said: Vec<Said> = holds.iter().enumerate().map(said).collect();
    let lacks_a_name = !asked.reach(&said, &everywhere).names.is_empty();
    // A report quotes few sentences of what bore on the question, without the headings that they stood under. So it need not have all of its
    // words, and one that it never uses counts no more than any other; unless it is a name.
    let gauge = asked.gauge(&everywhere.union(&whole).cloned().collect());
    !lacks_a_name && said.iter().any(|said| gauge.is_half_answered(said))
}

fn says_open(question: &str, report: &Report) -> bool {
    report.left_open.iter().any(|open| content(open) == content(question))
}

pub(crate) fn content(text: &str) -> BTreeSet<String> {
    let words = tokens(text).into_iter().filter(|token| token.kind == Kind::Word).map(|token| fold(token.of(text)));
    words.filter(|word| !words::is_stop(word)).map(|word| words::stem(&word)).collect()
}
