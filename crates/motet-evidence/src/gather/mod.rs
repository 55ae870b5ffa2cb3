//! What an agent is shown before it is asked: the passages that bear on its questions, archived, with the sentences that say most.
//! It writes no fact and believes no answer; `ground` says afterwards which quotations of an answer stand in what was shown.

mod borne;
mod ground;
mod rank;
mod rows;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use ground::{Grounded, Ungrounded, ground};

use crate::archive::Document;
use crate::extract::Kind;
use crate::fact::{is_official, is_paper};
use crate::library::{Library, Scope};
use crate::source::{Query, SourceKind};

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
    /// How many passages are shown.
    pub at_most: usize,
}

/// What was found, best first. Everything in it is in the archive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gathered {
    pub passages: Vec<Passage>,
    pub quotes: Vec<Quote>,
    pub sources: Vec<Source>,
    /// What could not be searched or read, as sentences.
    pub troubles: Vec<String>,
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

/// A sentence of a passage, or a row of a table in it.
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
    /// Whether a state, a body of states or one that sets standards speaks there, by its host.
    #[serde(default)]
    pub official: bool,
}

/// Searches, fetches, archives, and picks what bears on the questions.
pub async fn gather(library: &Library, wanted: &Wanted) -> Gathered {
    let mut gathered = Gathered::default();
    let mut documents: Vec<Document> = Vec::new();
    // What academic services found, and when it was published as they say.
    let mut papers: BTreeMap<String, Option<String>> = BTreeMap::new();
    for address in &wanted.read {
        take(library, address, &mut documents, &mut gathered.troubles).await;
    }
    for question in &wanted.search {
        let query = Query { text: question.clone(), limit: wanted.at_most.max(DOCUMENTS_PER_QUESTION), ..Query::default() };
        let findings = library.search(&query, Scope::Everything).await;
        add_new(&mut gathered.troubles, findings.troubles());
        add_new(&mut gathered.troubles, findings.gap());
        let mut fetched = 0;
        for hit in &findings.hits {
            let address = hit.full_text_url.as_ref().unwrap_or(&hit.url);
            if hit.kind == SourceKind::Academic {
                papers.insert(address.clone(), hit.published.clone());
            }
            if fetched == DOCUMENTS_PER_QUESTION {
                break;
            }
            if take(library, address, &mut documents, &mut gathered.troubles).await {
                fetched += 1;
            }
        }
    }
    let picked = rank::pick(&documents, &wanted.search, wanted.at_most);
    for (number, passage) in picked.iter().enumerate() {
        let record = &documents[passage.document].record;
        let id = format!("P{}", number + 1);
        let text = passage.span.of(&documents[passage.document].text).to_string();
        gathered.passages.push(Passage { id, url: record.url().to_string(), title: title(record), text });
    }
    for quote in rank::quotes(&documents, &picked, &wanted.search, wanted.at_most * QUOTES_PER_PASSAGE) {
        let record = &documents[picked[quote.passage].document].record;
        gathered.quotes.push(Quote {
            text: quote.text,
            exact: quote.exact,
            passage: format!("P{}", quote.passage + 1),
            url: record.url().to_string(),
            raw_file: record.raw_path.clone(),
            score: quote.score,
            words: quote.words,
        });
    }
    for document in documents {
        let record = &document.record;
        let paper = record.accesses.iter().find_map(|access| papers.get(&access.url).or_else(|| papers.get(&access.found_at)));
        let is_paper = paper.is_some() || is_paper(record.url());
        gathered.sources.push(Source {
            url: record.url().to_string(),
            title: title(record),
            kind: if is_paper { "Paper" } else { kind(record.kind) }.to_string(),
            accessed: Some(record.accessed.clone()),
            local_path: record.raw_path.clone(),
            published: record.published.clone().or_else(|| paper.cloned().flatten()),
            official: is_official(record.url()),
        });
        gathered.texts.insert(record.url().to_string(), document.text);
    }
    gathered
}

/// Whether the address gave a document that was not there yet.
async fn take(library: &Library, address: &str, documents: &mut Vec<Document>, troubles: &mut Vec<String>) -> bool {
    let fetched = library.fetch(address).await;
    add_new(troubles, fetched.trouble().map(|why| format!("{address} — {why}")));
    let Some(document) = fetched.document() else { return false };
    let is_new = !documents.iter().any(|known| known.record.id == document.record.id);
    if is_new {
        documents.push(document);
    }
    is_new
}

fn add_new(to: &mut Vec<String>, sentences: impl IntoIterator<Item = String>) {
    for sentence in sentences {
        if !to.contains(&sentence) {
            to.push(sentence);
        }
    }
}

fn title(record: &crate::archive::Record) -> String {
    let last = || record.url().trim_end_matches('/').rsplit('/').next().unwrap_or(record.url()).to_string();
    let title = record.title.clone().filter(|title| !title.trim().is_empty()).unwrap_or_else(last);
    title.split_whitespace().collect::<Vec<_>>().join(" ")
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
