//! Places to search, behind one trait: each says what it found, or exactly why it found nothing.
//! A source never reads the pages it points to; that is the fetcher's and the archive's work.

mod academic;
mod answer;
mod custom;
mod folder;
mod hit;
mod news;
mod page;
mod query;
mod web;
mod wikipedia;

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use reqwest::Url;
use serde::{Deserialize, Serialize};

pub use academic::{Arxiv, Crossref, OpenAlex, SemanticScholar};
pub use answer::refused;
pub use custom::{Custom, hits_in, read_answer};
pub use folder::Folder;
pub use hit::{Hit, Span};
pub use news::{Feeds, Gdelt};
pub use page::Pages;
pub(crate) use query::COMMON;
pub use query::Query;
pub use web::{Brave, Searxng, Tavily};
pub use wikipedia::Wikipedia;

pub type Future<'a, T> = Pin<Box<dyn std::future::Future<Output = T> + Send + 'a>>;

/// A place to search.
pub trait Source: Send + Sync {
    /// What people call it: `arxiv`, `docs`.
    fn name(&self) -> &str;

    fn kind(&self) -> SourceKind;

    fn search<'a>(&'a self, query: &'a Query) -> Future<'a, SearchOutcome>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The user's own documents.
    Local,
    Web,
    Academic,
    Encyclopaedia,
    News,
    /// A tool of another program.
    Tool,
}

impl SourceKind {
    pub fn needs_network(self) -> bool {
        self != Self::Local
    }
}

/// What became of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum SearchOutcome {
    Hits {
        hits: Vec<Hit>,
    },
    /// It searched and there is nothing, perhaps with a word on why.
    NoHits {
        note: Option<String>,
    },
    /// It did not let us search: a captcha, a refusal.
    Blocked {
        reason: String,
    },
    /// A key or an address is missing or wrong; the reason says which and what to do.
    NotConfigured {
        reason: String,
    },
    RateLimited {
        retry_after_ms: Option<u64>,
    },
    Failed {
        reason: String,
    },
}

impl SearchOutcome {
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }

    fn rate_limited(retry_after: Option<Duration>) -> Self {
        Self::RateLimited { retry_after_ms: retry_after.map(|wait| wait.as_millis() as u64) }
    }
}

impl fmt::Display for SearchOutcome {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hits { hits } => write!(to, "{} hits", hits.len()),
            Self::NoHits { note: Some(note) } => write!(to, "no hits: {note}"),
            Self::NoHits { note: None } => to.write_str("no hits"),
            Self::Blocked { reason } => write!(to, "blocked: {reason}"),
            Self::NotConfigured { reason } => write!(to, "not configured: {reason}"),
            Self::RateLimited { retry_after_ms: Some(wait) } => write!(to, "rate limited: ask again in {} s", wait.div_ceil(1000)),
            Self::RateLimited { retry_after_ms: None } => to.write_str("rate limited: ask again later"),
            Self::Failed { reason } => write!(to, "failed: {reason}"),
        }
    }
}

/// A secret that is sent and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    fn expose(&self) -> &str {
        &self.0
    }

    /// None: it is not in them.
    pub(crate) fn replaced_in(&self, bytes: &[u8], instead: &[u8]) -> Option<Vec<u8>> {
        let (key, mut clean, mut rest, mut is_there) = (self.0.as_bytes(), Vec::new(), bytes, false);
        while let Some(at) = rest.windows(key.len().max(1)).position(|window| window == key) {
            clean.extend_from_slice(&rest[..at]);
            clean.extend_from_slice(instead);
            (rest, is_there) = (&rest[at + key.len()..], true);
        }
        clean.extend_from_slice(rest);
        is_there.then_some(clean)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Key(…)")
    }
}

/// Where a service answers; anything but http and https is refused with the service's name.
pub fn base_url(service: &str, address: &str) -> Result<Url, String> {
    let wrong = |why: String| format!("the address of {service}, \"{address}\", {why}; write it like https://search.example.org");
    let mut url = Url::parse(address).map_err(|error| wrong(format!("is not a URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("is neither http nor https".to_string()));
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

/// The address of a path under a base, with these parameters.
fn address(base: &Url, path: &str, parameters: &[(&str, String)]) -> Url {
    let mut url = base.join(path).unwrap_or_else(|_| base.clone());
    url.query_pairs_mut().extend_pairs(parameters.iter().filter(|(_, value)| !value.is_empty()));
    url
}
