//! What an agent is shown before it is asked: the passages that bear on its questions, archived, with the sentences that say most.
//! It writes no fact and believes no answer; `ground` says afterwards which quotations of an answer stand in what was shown.

mod beside;
mod borne;
mod comments;
mod compare;
mod fences;
mod ground;
mod lists;
mod marks;
mod plain;
mod rank;
mod reading;
mod rows;
mod statements;
mod verbs;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

pub use compare::Disputed;
pub use ground::{Grounded, Ungrounded, ground, mark, unmark};
pub(crate) use lists::said_by_lists;
pub(crate) use plain::said_plainly;
pub(crate) use rows::statements as said_by_rows;

use crate::archive::{Document, DocumentId, Record};
pub use crate::asking::Reach;
use crate::extract::Kind;
use crate::fact::{Confidence, is_official, is_paper};
use crate::library::{Library, Scope, Trouble};
use crate::source::{Hit, Query, SourceKind};

/// How many documents are fetched for one question.
const DOCUMENTS_PER_QUESTION: usize = 6;
/// How many sentences are offered as quotations for every passage that is shown.
const QUOTES_PER_PASSAGE: usize = 2;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Questions to look for in every source.
    pub search: Vec<String>,
    /// Addresses to read, whatever the sources find.
    pub read: Vec<String>,
    /// Which sources are asked; all of them if nothing is said.
    pub scopes: Vec<Scope>,
    /// How many passages are shown.
    pub at_most: usize,
    /// What has not come by then is told, and the rest goes on without it. None: everything is waited for.
    pub until: Option<Instant>,
}

/// What was found, best first. Everything in it is in the archive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gathered {
    pub passages: Vec<Passage>,
    pub quotes: Vec<Quote>,
    pub sources: Vec<Source>,
    /// What could not be searched or read.
    pub troubles: Vec<Trouble>,
    /// The questions that nobody had an answer to, each as a sentence with what every source said.
    pub gaps: Vec<String>,
    /// Whether the quotations speak of enough of the questions to answer them, and what they leave out.
    #[serde(default)]
    pub reach: Reach,
    /// The whole texts, by the address of their source: what quotations are looked up in.
    #[serde(skip)]
    pub texts: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// `P1`, `P2`, …
    pub id: String,
    pub url: String,
    pub title: String,
    pub text: String,
}

/// A sentence of a passage, a row of a table in it, or a list with what leads to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quote {
    /// As a sentence: a row is said with the heading of its columns.
    pub text: String,
    /// As it stands in the passage.
    pub exact: String,
    pub passage: String,
    pub url: String,
    pub raw_file: String,
    /// How much of the question it speaks of, from 0 to 1.
    pub score: f64,
    /// The words of the question that it speaks of.
    pub words: Vec<String>,
    /// Whether it speaks, with what stands beside it, of the rarest word of what the question is about.
    #[serde(default)]
    pub on_subject: bool,
    /// Whether it speaks of more than half of the question and all its names, and has such a thing as it asks for.
    #[serde(default)]
    pub bears_on: bool,
    /// How far it may be trusted, by the standing of its source and by the sources that confirm it.
    pub confidence: Confidence,
    /// The addresses of independent sources of which a quotation says all of this.
    #[serde(default)]
    pub confirmed_by: Vec<String>,
    /// What other sources say that cannot be right as well.
    #[serde(default)]
    pub disputed_by: Vec<Disputed>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub url: String,
    pub title: String,
    /// `PDF`, `Paper`, `Report` or `HTML`.
    #[serde(rename = "type")]
    pub kind: String,
    pub accessed: Option<String>,
    pub local_path: String,
    pub published: Option<String>,
    #[serde(default)]
    pub authors: Vec<String>,
    #[serde(default)]
    pub doi: Option<String>,
    /// Whether a state, a body of states or one that sets standards speaks there, by its host.
    #[serde(default)]
    pub official: bool,
}

/// Searches, fetches, archives, and picks what bears on the questions.
pub async fn gather(library: &Library, wanted: &Wanted) -> Gathered {
    let mut gathered = Gathered::default();
    let mut read = Read::default();
    let mut left = usize::from(!wanted.read.is_empty()) + wanted.search.len();
    for document in reading::pages(library, &wanted.read, share(wanted.until, left), &mut gathered.troubles).await {
        read.take(document, None);
    }
    left = wanted.search.len();
    let scopes: &[Scope] = if wanted.scopes.is_empty() { &[Scope::Everything] } else { &wanted.scopes };
    let limit = wanted.at_most.max(DOCUMENTS_PER_QUESTION);
    let queries: Vec<Query> = wanted.search.iter().map(|question| Query::new(question).limited_to(limit)).collect();
    // Where to look is no part of what is asked, so no passage has to speak of it.
    let questions: Vec<String> = queries.iter().map(|query| query.text.clone()).collect();
    for query in &queries {
        // No question takes the time of those after it.
        let until = share(wanted.until, left);
        left -= 1;
        // A service that never answers leaves time to read what the others found.
        let findings = library.search_until(query, scopes, share(until, 2)).await;
        reading::add_new(&mut gathered.troubles, findings.troubles());
        gathered.gaps.extend(findings.gap().filter(|gap| !gathered.gaps.contains(gap)));
        reading::hits(library, &findings.hits, until, &mut read, &mut gathered.troubles).await;
    }
    if !wanted.search.is_empty() && scopes.iter().any(|scope| scope.holds(SourceKind::Local)) {
        reading::add_new(&mut gathered.troubles, Trouble::of_documents(&library.looked_through()));
    }
    let Read { documents, hits } = read;
    let picked = rank::pick(&documents, &questions, wanted.at_most);
    for (number, passage) in picked.iter().enumerate() {
        let record = &documents[passage.document].record;
        let id = format!("P{}", number + 1);
        let text = passage.span.of(&documents[passage.document].text).to_string();
        gathered.passages.push(Passage { id, url: record.url().to_string(), title: title(record), text });
    }
    let (quotes, reach) = rank::quotes(&documents, &picked, &questions, wanted.at_most * QUOTES_PER_PASSAGE);
    gathered.reach = reach;
    // A document that was not read may have the word all the same.
    gathered.reach.absent.retain(|word| !library.has_word(word));
    for quote in quotes {
        let record = &documents[picked[quote.passage].document].record;
        gathered.quotes.push(Quote {
            text: quote.text,
            exact: quote.exact,
            passage: format!("P{}", quote.passage + 1),
            url: record.url().to_string(),
            raw_file: record.raw_path.clone(),
            score: quote.score,
            words: quote.words,
            on_subject: quote.on_subject,
            bears_on: quote.bears_on,
            // Set below, when all of them are known.
            confidence: Confidence::Low,
            confirmed_by: Vec::new(),
            disputed_by: Vec::new(),
        });
    }
    for document in documents {
        gathered.sources.push(source(&document.record, hits.get(&document.record.id)));
        gathered.texts.insert(document.record.url().to_string(), document.text);
    }
    compare::compare(&mut gathered.quotes, &gathered.sources, &gathered.texts);
    gathered
}

/// An equal share of the time that is left, for so many.
fn share(until: Option<Instant>, left: usize) -> Option<Instant> {
    let now = Instant::now();
    until.map(|until| now + until.saturating_duration_since(now) / u32::try_from(left.max(1)).unwrap_or(u32::MAX))
}

/// The documents so far, each once, and what was said of them where they were found.
#[derive(Default)]
struct Read {
    documents: Vec<Document>,
    hits: BTreeMap<DocumentId, Hit>,
}

impl Read {
    /// Whether it is a document that was not there yet.
    fn take(&mut self, document: Option<Document>, hit: Option<&Hit>) -> bool {
        let Some(document) = document else { return false };
        if let Some(hit) = hit {
            let known = self.hits.entry(document.record.id.clone()).or_insert_with(|| hit.clone());
            // Libraries know more of their works than whoever else found them.
            if hit.kind == SourceKind::Academic && known.kind != SourceKind::Academic {
                *known = hit.clone();
            }
        }
        let is_new = !self.documents.iter().any(|known| known.record.id == document.record.id);
        if is_new {
            self.documents.push(document);
        }
        is_new
    }
}

/// Libraries know better than a page who wrote it and when, and a page knows better than whoever else found it.
fn source(record: &Record, hit: Option<&Hit>) -> Source {
    let work = hit.filter(|hit| hit.kind == SourceKind::Academic);
    let of_hit = |hit: Option<&'_ Hit>| hit.map(|hit| hit.authors.clone()).filter(|authors| !authors.is_empty());
    let own = Some(record.authors.clone()).filter(|authors| !authors.is_empty());
    let authors = of_hit(work).or(own).or_else(|| of_hit(hit)).unwrap_or_default();
    let published = work.and_then(|work| work.published.clone()).or_else(|| record.published.clone());
    // The title inside of a paper's file is often that of another file, or none.
    let of_work = work.filter(|work| record.kind == Kind::Pdf && !work.title.trim().is_empty()).map(|work| one_line(&work.title));
    Source {
        url: record.url().to_string(),
        title: of_work.unwrap_or_else(|| title(record)),
        kind: if work.is_some() || is_paper(record.url()) { "Paper" } else { kind(record.kind) }.to_string(),
        accessed: Some(record.accessed.clone()),
        local_path: record.raw_path.clone(),
        published: published.or_else(|| hit.and_then(|hit| hit.published.clone())),
        authors: authors.iter().map(|author| one_line(author)).filter(|author| !author.is_empty()).collect(),
        doi: work.and_then(|work| work.doi.clone()),
        official: is_official(record.url()),
    }
}

fn title(record: &Record) -> String {
    let last = || record.url().trim_end_matches('/').rsplit('/').next().unwrap_or(record.url()).to_string();
    one_line(&record.title.clone().filter(|title| !title.trim().is_empty()).unwrap_or_else(last))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Pdf => "PDF",
        Kind::Html => "HTML",
        _ => "Report",
    }
}

#[cfg(test)]
mod tests;
