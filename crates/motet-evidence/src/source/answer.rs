//! From what a service sent to a typed outcome: the same troubles mean the same thing for every service.
//! It knows no service by name.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Hit, Query, SearchOutcome};
use crate::extract::{date, read_feed};
use crate::fetch::{Blocker, Outcome, Page, said_in};

/// The page of a good answer, or what became of the search.
pub(super) fn page(outcome: Outcome) -> Result<Page, SearchOutcome> {
    Err(match outcome {
        Outcome::Fetched(page) | Outcome::NotModified(page) => return Ok(page),
        Outcome::Blocked { by: Blocker::Login, reason } => {
            SearchOutcome::NotConfigured { reason: format!("{reason}; check its key in the settings") }
        }
        Outcome::Blocked { reason, .. } => SearchOutcome::Blocked { reason },
        Outcome::RateLimited { retry_after } => SearchOutcome::rate_limited(retry_after),
        Outcome::NotFound { status } => SearchOutcome::NotConfigured {
            reason: format!("there is no search at its address (HTTP {status}); check the address in the settings"),
        },
        Outcome::TooLarge { limit_bytes } => SearchOutcome::failed(format!("its answer is longer than {limit_bytes} bytes")),
        Outcome::Failed { reason, transient: false } if speaks_of_key(&reason) => {
            SearchOutcome::NotConfigured { reason: format!("{reason}; check its key in the settings") }
        }
        Outcome::Failed { reason, .. } => SearchOutcome::failed(reason),
    })
}

/// Some services refuse a key with a status that says nothing about keys.
fn speaks_of_key(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    ["api key", "api_key", "apikey", "token", "unauthorized", "not authorized"].iter().any(|word| reason.contains(word))
}

/// What a service or a tool said instead of searching, as far as its words tell: only who asks too often may simply ask again.
pub fn refused(words: &str) -> SearchOutcome {
    let lower = words.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|word| lower.contains(word));
    let reason = format!("it says: {}", short(words));
    match () {
        () if says(&["rate limit", "ratelimit", "rate exceeded", "too many requests", "throttl"]) => SearchOutcome::rate_limited(None),
        () if speaks_of_key(&lower) => SearchOutcome::NotConfigured { reason: format!("{reason}; check its key in the settings") },
        () if says(&["quota", "usage limit"]) => SearchOutcome::rate_limited(None),
        () if says(&["captcha", "forbidden", "access denied", "blocked"]) => SearchOutcome::Blocked { reason },
        () => SearchOutcome::failed(reason),
    }
}

pub(super) fn json(outcome: Outcome) -> Result<Value, SearchOutcome> {
    let page = page(outcome)?;
    serde_json::from_slice(&page.body).map_err(|error| {
        let text = String::from_utf8_lossy(&page.body);
        // Some services explain themselves in plain words with a good status.
        match text.trim_start().starts_with(['{', '[']) {
            true => SearchOutcome::failed(format!("its answer is broken JSON ({error})")),
            false if text.to_lowercase().contains("captcha") => SearchOutcome::Blocked { reason: "it wants proof of a person".to_string() },
            false => SearchOutcome::failed(format!("its answer is not JSON: \"{}\"", short(&text))),
        }
    })
}

/// The entries of a feed, read beside the other searches and not in their way.
pub(super) async fn feed(outcome: Outcome) -> Result<feed_rs::model::Feed, SearchOutcome> {
    let page = page(outcome)?;
    let text = std::str::from_utf8(&page.body).unwrap_or_default().trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with('<') && !text.is_empty() {
        // Some explain themselves in plain words with a good status.
        let is_limit = ["rate exceeded", "too many requests", "rate limit"].iter().any(|words| text.to_lowercase().contains(words));
        return Err(if is_limit {
            SearchOutcome::rate_limited(None)
        } else {
            SearchOutcome::failed(format!("its answer is no feed: \"{}\"", short(text)))
        });
    }
    let work = tokio::task::spawn_blocking(move || read_feed(&page.body));
    match work.await {
        Ok(read) => read.map_err(|why| SearchOutcome::failed(why.to_string())),
        Err(_) => Err(SearchOutcome::failed("the reading of its feed was stopped")),
    }
}

/// The list in an answer. A good answer without its list is a broken one, never an empty one.
pub(super) fn list<'a>(answer: &'a Value, pointer: &str) -> Result<&'a Vec<Value>, SearchOutcome> {
    match answer.pointer(pointer) {
        Some(Value::Array(list)) => Ok(list),
        _ => Err(match said_in(answer) {
            Some(words) => refused(&words),
            None => SearchOutcome::failed(format!("its answer has no list at {pointer}")),
        }),
    }
}

pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    let text = value.pointer(pointer)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_string())
}

/// Words without markup, for titles and snippets that come with some.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let after = &rest[at + 1..];
        let is_tag = after.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
        match after.find('>').filter(|_| is_tag) {
            Some(end) => {
                out.push_str(&rest[..at]);
                rest = &after[end + 1..];
            }
            None => {
                out.push_str(&rest[..=at]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    let words: Vec<&str> = out.split_whitespace().collect();
    let joined = words.join(" ");
    [("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&amp;", "&")]
        .iter()
        .fold(joined, |text, (entity, letter)| text.replace(entity, letter))
}

fn short(text: &str) -> String {
    whole_words(text.split_whitespace().collect::<Vec<_>>().join(" "), 200)
}

/// As much of a text, without the word in which it is cut: half a key would be known to nobody any more. Scripts without blanks between
/// words are cut anywhere, since no key is written in them.
pub(super) fn whole_words(mut text: String, most_letters: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most_letters) {
        let is_inside = text[end..].starts_with(|letter: char| letter.is_ascii_graphic());
        text.truncate(end);
        if is_inside {
            text.truncate(text.trim_end_matches(|letter: char| letter.is_ascii_graphic()).len());
        }
    }
    text
}

/// What a service says about a hit is for choosing; whoever wants to read, fetches.
const LONGEST_TITLE: usize = 300;
const LONGEST_SNIPPET: usize = 4000;

/// The hits that answer the question: real addresses, of the asked domains and dates, each once, no more than wanted.
pub(super) fn finish(query: &Query, hits: Vec<Hit>) -> SearchOutcome {
    let found = hits.len();
    let mut seen = BTreeSet::new();
    let kept: Vec<Hit> = hits
        .into_iter()
        .filter(|hit| hit.url.starts_with("http://") || hit.url.starts_with("https://") || hit.url.starts_with("file://"))
        .filter(|hit| !hit.url.starts_with("http") || in_domains(query, hit))
        .filter(|hit| in_dates(query, hit))
        .filter(|hit| seen.insert((crate::archive::address(&hit.url), hit.span.map(|span| span.start))))
        .take(query.limit)
        .map(|hit| Hit { title: whole_words(hit.title, LONGEST_TITLE), snippet: whole_words(hit.snippet, LONGEST_SNIPPET), ..hit })
        .collect();
    match (kept.is_empty(), found) {
        (false, _) => SearchOutcome::Hits { hits: kept },
        (true, 0) => SearchOutcome::NoHits { note: None },
        (true, found) => SearchOutcome::NoHits { note: Some(format!("{found} were found, but none of the domains and dates asked for")) },
    }
}

fn in_domains(query: &Query, hit: &Hit) -> bool {
    let host = hit.host().unwrap_or_default();
    (query.include.is_empty() || query.include.contain(&host)) && !query.exclude.contain(&host)
}

/// Dates are compared as far as both are known; what has no date stays.
fn in_dates(query: &Query, hit: &Hit) -> bool {
    let Some(published) = hit.published.as_deref().and_then(date) else { return true };
    let bound = |text: &Option<String>| text.as_deref().and_then(date);
    let early = |since: String| published[..published.len().min(since.len())] < since[..published.len().min(since.len())];
    let late = |until: String| published[..published.len().min(until.len())] > until[..published.len().min(until.len())];
    !bound(&query.since).is_some_and(early) && !bound(&query.until).is_some_and(late)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, most: usize, expected: &str) {
        assert_eq!(whole_words(text.to_string(), most), expected);
    }

    #[test]
    fn a_text_is_not_cut_within_a_word_that_may_be_a_key() {
        check("the key sk-0123456789 is wrong", 40, "the key sk-0123456789 is wrong");
        check("the key sk-0123456789 is wrong", 15, "the key ");
        check("the key sk-0123456789 is wrong", 21, "the key sk-0123456789");
        check("sk-0123456789", 5, "");
        check("これは長い文です", 3, "これは");
    }
}
