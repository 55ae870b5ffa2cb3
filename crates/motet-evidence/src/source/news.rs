//! News without a key: the feeds that people chose, and GDELT, which watches the world's press.
//! A feed is not a search engine; its entries are compared with the question here.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Url;
use tokio::sync::Mutex;

use super::answer::{self, finish, list, plain, text, whole_words};
use super::web::source;
use super::{Future, Hit, Query, SearchOutcome, Source, SourceKind, address};
use crate::extract::date;
use crate::fetch::{Call, Fetcher, Outcome, Pace};

/// RSS and Atom feeds.
pub struct Feeds {
    urls: Vec<String>,
    fetcher: Arc<Fetcher>,
    /// What was read: a feed says the same to every question of a run.
    read: Mutex<BTreeMap<String, Vec<Hit>>>,
}

impl Feeds {
    pub fn new(urls: Vec<String>, fetcher: Arc<Fetcher>) -> Self {
        Self { urls, fetcher, read: Mutex::default() }
    }

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        if self.urls.is_empty() {
            return Err(SearchOutcome::NotConfigured { reason: "no feed is named; list their URLs in the settings".to_string() });
        }
        let terms: Vec<String> = query.terms(20).iter().map(|term| term.to_lowercase()).collect();
        let (mut scored, mut troubles) = (Vec::new(), Vec::new());
        for url in &self.urls {
            match self.entries(url).await {
                Ok(hits) => scored.extend(hits.into_iter().map(|hit| (share(&terms, &hit), hit)).filter(|(score, _)| *score > 0)),
                Err(trouble) => troubles.push((url, trouble)),
            }
        }
        // One feed that is down does not hide what the others say; all of them down is no search.
        if troubles.len() == self.urls.len() {
            return Err(together(troubles));
        }
        scored.sort_by(|(one, a), (other, b)| other.cmp(one).then_with(|| b.published.cmp(&a.published)));
        let outcome = finish(query, scored.into_iter().map(|(_, hit)| hit).collect());
        Ok(match (outcome, troubles.first()) {
            (SearchOutcome::NoHits { note: None }, Some((url, trouble))) => {
                SearchOutcome::NoHits { note: Some(format!("{url}: {trouble}")) }
            }
            (outcome, _) => outcome,
        })
    }

    /// Each feed is read once, however many ask at the same time. One that could not be read is asked again.
    async fn entries(&self, url: &str) -> Result<Vec<Hit>, SearchOutcome> {
        let mut read = self.read.lock().await;
        if let Some(hits) = read.get(url) {
            return Ok(hits.clone());
        }
        let hits = self.fetch(url).await?;
        read.insert(url.to_string(), hits.clone());
        Ok(hits)
    }

    async fn fetch(&self, url: &str) -> Result<Vec<Hit>, SearchOutcome> {
        let outcome = self.fetcher.page(url).await;
        if let Outcome::NotFound { status } = outcome {
            let reason = format!("there is no feed at its address (HTTP {status}); check the address in the settings");
            return Err(SearchOutcome::NotConfigured { reason });
        }
        let feed = answer::feed(outcome).await?;
        Ok(feed
            .entries
            .into_iter()
            .map(|entry| {
                let body = entry.summary.map(|summary| summary.content).or_else(|| entry.content.and_then(|content| content.body));
                let link = entry.links.iter().find(|link| link.rel.as_deref() == Some("alternate")).or(entry.links.first());
                Hit {
                    title: entry.title.map(|title| plain(&title.content)).unwrap_or_default(),
                    snippet: body.map(|body| whole_words(plain(&body), 1000)).unwrap_or_default(),
                    published: entry.published.or(entry.updated).map(|at| at.format("%Y-%m-%d").to_string()),
                    authors: entry.authors.into_iter().filter_map(|author| author.name).collect(),
                    ..Hit::new("feeds", SourceKind::News, link.map_or(entry.id, |link| link.href.clone()))
                }
            })
            .collect())
    }
}

/// What all feeds say alike is what became of the search; if each has another reason, it failed for all of these.
fn together(troubles: Vec<(&String, SearchOutcome)>) -> SearchOutcome {
    let is_alike = troubles.windows(2).all(|pair| std::mem::discriminant(&pair[0].1) == std::mem::discriminant(&pair[1].1));
    let reasons = troubles.iter().map(|(url, trouble)| match trouble {
        SearchOutcome::Blocked { reason } | SearchOutcome::NotConfigured { reason } | SearchOutcome::Failed { reason } if is_alike => {
            format!("{url}: {reason}")
        }
        trouble => format!("{url}: {trouble}"),
    });
    let reason = reasons.collect::<Vec<_>>().join("; ");
    match troubles.first().map(|(_, trouble)| trouble).filter(|_| is_alike) {
        Some(SearchOutcome::Blocked { .. }) => SearchOutcome::Blocked { reason },
        Some(SearchOutcome::NotConfigured { .. }) => SearchOutcome::NotConfigured { reason },
        Some(SearchOutcome::RateLimited { .. }) => {
            let wait = |trouble: &SearchOutcome| match trouble {
                SearchOutcome::RateLimited { retry_after_ms } => *retry_after_ms,
                _ => None,
            };
            // By then all of them answer again.
            SearchOutcome::RateLimited { retry_after_ms: troubles.iter().filter_map(|(_, trouble)| wait(trouble)).max() }
        }
        _ => SearchOutcome::failed(reason),
    }
}

/// How many of the question's words an entry has; those in its title count twice.
fn share(terms: &[String], hit: &Hit) -> usize {
    let (title, snippet) = (hit.title.to_lowercase(), hit.snippet.to_lowercase());
    terms.iter().map(|term| 2 * usize::from(title.contains(term)) + usize::from(snippet.contains(term))).sum()
}

source!(Feeds, "feeds", SourceKind::News);

pub struct Gdelt {
    pub base: Url,
    pub fetcher: Arc<Fetcher>,
}

impl Gdelt {
    pub const BASE: &str = "https://api.gdeltproject.org/";

    /// Articles with all of the words; if there are none, with the few that tell most.
    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        // It refuses words of one or two letters, and every word is a condition.
        let conditions = |most: usize| query.conditions(most).into_iter().filter(|term| term.chars().count() > 2).collect::<Vec<String>>();
        let (words, fewer) = (conditions(4), conditions(2));
        if words.is_empty() {
            return Ok(SearchOutcome::NoHits { note: Some("the question has no words that it could search for".to_string()) });
        }
        match self.ask_for(query, words.clone()).await? {
            SearchOutcome::NoHits { .. } if !fewer.is_empty() && fewer.len() < words.len() => self.ask_for(query, fewer).await,
            outcome => Ok(outcome),
        }
    }

    async fn ask_for(&self, query: &Query, mut words: Vec<String>) -> Result<SearchOutcome, SearchOutcome> {
        match query.include.iter().collect::<Vec<_>>().as_slice() {
            [] => {}
            [one] => words.push(format!("domainis:{one}")),
            many => words.push(format!("({})", many.iter().map(|site| format!("domainis:{site}")).collect::<Vec<_>>().join(" OR "))),
        }
        let parameters = [
            ("query", words.join(" ")),
            ("mode", "ArtList".to_string()),
            ("format", "json".to_string()),
            ("sort", "HybridRel".to_string()),
            ("maxrecords", query.limit.clamp(1, 250).to_string()),
            ("startdatetime", stamp(query.first_day(), "000000")),
            ("enddatetime", stamp(query.last_day(), "235959")),
        ];
        let url = address(&self.base, "api/v2/doc/doc", &parameters);
        let outcome = self.fetcher.call(Call { url, body: None, headers: Vec::new(), queue: "gdelt", pace: Pace::new(1, 5000) }).await;
        let answer = answer::json(outcome).map_err(|outcome| match &outcome {
            // It explains its limits in words, with a good status.
            SearchOutcome::Failed { reason } if reason.contains("limit requests") => {
                SearchOutcome::RateLimited { retry_after_ms: Some(5000) }
            }
            _ => outcome,
        })?;
        if answer.as_object().is_some_and(serde_json::Map::is_empty) {
            return Ok(SearchOutcome::NoHits { note: None });
        }
        Ok(finish(
            query,
            list(&answer, "/articles")?
                .iter()
                .map(|article| Hit {
                    title: text(article, "/title").map(|title| plain(&title)).unwrap_or_default(),
                    snippet: String::new(),
                    published: text(article, "/seendate").and_then(|at| date(&at)),
                    ..Hit::new("gdelt", SourceKind::News, text(article, "/url").unwrap_or_default())
                })
                .collect(),
        ))
    }
}

fn stamp(day: Option<String>, time: &str) -> String {
    day.map(|day| day.replace('-', "") + time).unwrap_or_default()
}

source!(Gdelt, "gdelt", SourceKind::News);
