//! Tries every source once, each by itself and with the time it took: for people who ask whether their settings work.
//! It opens no archive and no index, and keeps nothing of what it is told.

use std::sync::Arc;
use std::time::Instant;

use super::Services;
use crate::fetch::{FetchSettings, Fetcher};
use crate::source::{Query, SearchOutcome, Source};

/// What one source did when it was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// Its name; of a feed, its address.
    pub source: String,
    pub outcome: SearchOutcome,
    pub duration_ms: u64,
}

/// Asks every service, every feed and every one of `extra` the same question, all at once.
pub async fn probe(
    services: &Services,
    extra: Vec<Arc<dyn Source>>,
    settings: FetchSettings,
    question: &str,
) -> Result<Vec<Probed>, String> {
    let fetcher = Arc::new(Fetcher::new(settings)?);
    let mut named: Vec<(String, Arc<dyn Source>)> = Vec::new();
    let mut take = |name: Option<&String>, source: Arc<dyn Source>| {
        named.push((name.cloned().unwrap_or_else(|| source.name().to_string()), source));
    };
    let without_feeds = Services { feeds: Vec::new(), ..services.clone() };
    without_feeds.searched(&fetcher)?.into_iter().for_each(|source| take(None, source));
    // One feed that answers must not hide another that does not.
    for address in &services.feeds {
        let alone = Services { feeds: vec![address.clone()], ..Services::default() };
        alone.searched(&fetcher)?.into_iter().for_each(|source| take(Some(address), source));
    }
    extra.into_iter().for_each(|source| take(None, source));
    let query = Query::new(question).limited_to(3);
    let asked: Vec<_> = named
        .into_iter()
        .map(|(name, source)| {
            let query = query.clone();
            let search = tokio::spawn(async move {
                let begun = Instant::now();
                let outcome = source.search(&query).await;
                (outcome, u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX))
            });
            (name, search)
        })
        .collect();
    let (secrecy, mut probed) = (fetcher.settings().secrecy.clone().and_of(services), Vec::new());
    for (source, search) in asked {
        let (outcome, duration_ms) = search.await.unwrap_or_else(|_| (SearchOutcome::failed("the source broke while it searched"), 0));
        probed.push(Probed { source, outcome: secrecy.told(outcome), duration_ms });
    }
    Ok(probed)
}
