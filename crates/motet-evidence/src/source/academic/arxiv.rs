//! arXiv's own search, which answers with an Atom feed.
//! It is asked once in three seconds and one question at a time, as it wishes.

use std::sync::Arc;

use reqwest::Url;

use crate::fetch::{ARXIV, Call, Fetcher};
use crate::source::answer::{self, finish, plain};
use crate::source::web::source;
use crate::source::{Future, Hit, Query, SearchOutcome, Source, SourceKind, address, hit};

/// More than these together stand in hardly any paper.
const MOST_CONDITIONS: usize = 5;

pub struct Arxiv {
    pub base: Url,
    pub fetcher: Arc<Fetcher>,
}

impl Arxiv {
    pub const BASE: &str = "https://export.arxiv.org/";

    /// Papers with all of the words; if there are none, those with most of them come first.
    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let words: Vec<String> = query.conditions(MOST_CONDITIONS).iter().map(|term| format!("all:{term}")).collect();
        if words.is_empty() {
            return Ok(SearchOutcome::NoHits { note: Some("the question has no words to search for".to_string()) });
        }
        match self.ask_for(query, &words.join(" AND ")).await? {
            SearchOutcome::NoHits { .. } if words.len() > 1 => self.ask_for(query, &format!("({})", words.join(" OR "))).await,
            outcome => Ok(outcome),
        }
    }

    async fn ask_for(&self, query: &Query, words: &str) -> Result<SearchOutcome, SearchOutcome> {
        let mut search = words.to_string();
        let (first, last) = (query.first_day(), query.last_day());
        if first.is_some() || last.is_some() {
            search += &format!(" AND submittedDate:[{} TO {}]", stamp(&first, "199101010000"), stamp(&last, "299912312359"));
        }
        let parameters = [
            ("search_query", search),
            ("start", "0".to_string()),
            ("max_results", query.limit.clamp(1, 2000).to_string()),
            ("sortBy", "relevance".to_string()),
        ];
        let call =
            Call { url: address(&self.base, "api/query", &parameters), body: None, headers: Vec::new(), queue: "arxiv", pace: ARXIV };
        let feed = answer::feed(self.fetcher.call(call).await).await?;
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
