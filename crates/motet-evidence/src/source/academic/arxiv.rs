//! arXiv's own search, which answers with an Atom feed.
//! It is asked once in three seconds and one question at a time, as it wishes.

use std::sync::Arc;

use reqwest::Url;

use crate::fetch::{ARXIV, Call, Fetcher};
use crate::source::answer::{self, finish, plain};
use crate::source::web::source;
use crate::source::{Future, Hit, Query, SearchOutcome, Source, SourceKind, address, hit};

pub struct Arxiv {
    pub base: Url,
    pub fetcher: Arc<Fetcher>,
}

impl Arxiv {
    pub const BASE: &str = "https://export.arxiv.org/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let terms = query.terms(10);
        if terms.is_empty() {
            return Ok(SearchOutcome::NoHits { note: Some("the question has no words to search for".to_string()) });
        }
        let mut search: Vec<String> = terms.iter().map(|term| format!("all:{term}")).collect();
        if query.since.is_some() || query.until.is_some() {
            search.push(format!("submittedDate:[{} TO {}]", stamp(&query.since, "199101010000"), stamp(&query.until, "299912312359")));
        }
        let parameters = [
            ("search_query", search.join(" AND ")),
            ("start", "0".to_string()),
            ("max_results", query.limit.clamp(1, 2000).to_string()),
            ("sortBy", "relevance".to_string()),
        ];
        let call =
            Call { url: address(&self.base, "api/query", &parameters), body: None, headers: Vec::new(), queue: "arxiv", pace: ARXIV };
        let page = answer::page(self.fetcher.call(call).await)?;
        let feed =
            feed_rs::parser::parse(page.body.as_slice()).map_err(|error| SearchOutcome::failed(format!("its feed is broken ({error})")))?;
        // Its errors are entries of a good feed.
        if let Some(entry) = feed.entries.iter().find(|entry| entry.id.contains("arxiv.org/api/errors")) {
            let why = entry.summary.as_ref().map_or("no reason", |summary| summary.content.as_str());
            return Err(SearchOutcome::failed(format!("it says: {}", plain(why))));
        }
        Ok(finish(query, feed.entries.into_iter().map(entry_hit).collect()))
    }
}

fn entry_hit(entry: feed_rs::model::Entry) -> Hit {
    let link = |named: &str| entry.links.iter().find(|link| link.title.as_deref() == Some(named)).map(|link| link.href.clone());
    let doi = link("doi").and_then(|href| hit::doi(&href));
    let landing =
        entry.links.iter().find(|link| link.rel.as_deref() == Some("alternate")).map_or(entry.id.clone(), |link| link.href.clone());
    Hit {
        title: entry.title.as_ref().map(|title| plain(&title.content)).unwrap_or_default(),
        snippet: entry.summary.as_ref().map(|summary| plain(&summary.content)).unwrap_or_default(),
        published: entry.published.or(entry.updated).map(|at| at.format("%Y-%m-%d").to_string()),
        authors: entry.authors.iter().filter_map(|author| author.name.clone()).collect(),
        doi,
        full_text_url: link("pdf"),
        ..Hit::new("arxiv", SourceKind::Academic, landing)
    }
}

fn stamp(date: &Option<String>, otherwise: &str) -> String {
    let digits: String = date.iter().flat_map(|date| date.chars()).filter(char::is_ascii_digit).take(8).collect();
    if digits.is_empty() { otherwise.to_string() } else { digits + &otherwise[otherwise.len().min(8)..] }
}

source!(Arxiv, "arxiv", SourceKind::Academic);
