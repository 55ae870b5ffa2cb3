//! Web search by the services people have: SearXNG, Brave and Tavily.
//! None of them is asked without having been configured.

use std::sync::Arc;

use reqwest::Url;
use serde_json::{Value, json};

use super::answer::{self, finish, list, plain, text};
use super::{Future, Hit, Key, Query, SearchOutcome, Source, SourceKind, address};
use crate::extract::date;
use crate::fetch::{Call, Fetcher, Pace};

const PACE: Pace = Pace::new(2, 500);

/// A metasearch engine of one's own.
pub struct Searxng {
    pub base: Url,
    pub fetcher: Arc<Fetcher>,
}

impl Searxng {
    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let parameters = [
            ("q", query.with_operators(1000, 100)),
            ("format", "json".to_string()),
            ("language", query.language.clone().unwrap_or_default()),
        ];
        let call = Call { url: address(&self.base, "search", &parameters), body: None, headers: Vec::new(), queue: "searxng", pace: PACE };
        let answer = answer::json(self.fetcher.call(call).await).map_err(|outcome| match outcome {
            // A refusal nearly always means that the instance speaks HTML only.
            SearchOutcome::Blocked { reason } => SearchOutcome::Blocked {
                reason: format!("{reason}; the instance must list `json` under search.formats in its settings.yml"),
            },
            other => other,
        })?;
        let results = list(&answer, "/results")?;
        let silent = unresponsive(&answer);
        if results.is_empty() && !silent.is_empty() {
            return Err(SearchOutcome::Blocked { reason: format!("its engines did not answer: {silent}") });
        }
        Ok(finish(
            query,
            results
                .iter()
                .map(|result| Hit {
                    title: text(result, "/title").map(|title| plain(&title)).unwrap_or_default(),
                    snippet: text(result, "/content").map(|content| plain(&content)).unwrap_or_default(),
                    published: text(result, "/publishedDate").and_then(|at| date(&at)),
                    authors: text(result, "/author").into_iter().chain(strings(result, "/authors")).collect(),
                    doi: text(result, "/doi").and_then(|doi| super::hit::doi(&doi)),
                    ..Hit::new("searxng", SourceKind::Web, text(result, "/url").unwrap_or_default())
                })
                .collect(),
        ))
    }
}

fn unresponsive(answer: &Value) -> String {
    let engines = answer.pointer("/unresponsive_engines").and_then(Value::as_array);
    let one = |engine: &Value| match engine.as_array() {
        Some(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        None => engine.as_str().unwrap_or_default().to_string(),
    };
    engines.map(|engines| engines.iter().map(one).collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

fn strings(value: &Value, pointer: &str) -> Vec<String> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_str).map(str::to_string).collect()).unwrap_or_default()
}

pub struct Brave {
    pub base: Url,
    pub key: Option<Key>,
    pub fetcher: Arc<Fetcher>,
}

impl Brave {
    pub const BASE: &str = "https://api.search.brave.com/res/v1/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let key = self.key.as_ref().ok_or_else(|| missing("Brave", "BRAVE_API_KEY"))?;
        let freshness = match (&query.since, &query.until) {
            (None, None) => String::new(),
            (since, until) => {
                format!("{}to{}", since.as_deref().unwrap_or("1990-01-01"), until.as_deref().unwrap_or("2999-12-31"))
            }
        };
        let parameters = [
            ("q", query.with_operators(400, 50)),
            ("count", query.limit.clamp(1, 20).to_string()),
            ("search_lang", query.language.clone().unwrap_or_default()),
            ("freshness", freshness),
        ];
        let headers = vec![("x-subscription-token", key.expose().to_string())];
        let call =
            Call { url: address(&self.base, "web/search", &parameters), body: None, headers, queue: "brave", pace: Pace::new(1, 1000) };
        let answer = answer::json(self.fetcher.call(call).await)?;
        // An answer of the right type without a web part is Brave's way to say that there is nothing.
        if answer.get("web").is_none_or(Value::is_null) && text(&answer, "/type").is_some_and(|kind| kind == "search") {
            return Ok(SearchOutcome::NoHits { note: None });
        }
        Ok(finish(
            query,
            list(&answer, "/web/results")?
                .iter()
                .map(|result| Hit {
                    title: text(result, "/title").map(|title| plain(&title)).unwrap_or_default(),
                    snippet: text(result, "/description").map(|description| plain(&description)).unwrap_or_default(),
                    published: text(result, "/page_age").and_then(|at| date(&at)),
                    authors: result
                        .pointer("/article/author")
                        .and_then(Value::as_array)
                        .map(|authors| authors.iter().filter_map(|author| text(author, "/name")).collect())
                        .unwrap_or_default(),
                    ..Hit::new("brave", SourceKind::Web, text(result, "/url").unwrap_or_default())
                })
                .collect(),
        ))
    }
}

pub struct Tavily {
    pub base: Url,
    pub key: Option<Key>,
    pub fetcher: Arc<Fetcher>,
}

impl Tavily {
    pub const BASE: &str = "https://api.tavily.com/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let key = self.key.as_ref().ok_or_else(|| missing("Tavily", "TAVILY_API_KEY"))?;
        // It refuses longer questions, and knows domains only as lists of their own.
        let body = json!({
            "query": query.cut(400, 100),
            "max_results": query.limit.clamp(1, 20),
            "search_depth": "basic",
            "include_domains": query.include.iter().collect::<Vec<_>>(),
            "exclude_domains": query.exclude.iter().collect::<Vec<_>>(),
            "start_date": query.since,
            "end_date": query.until,
        });
        let body = Value::Object(
            body.as_object()
                .into_iter()
                .flatten()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        );
        let headers = vec![("authorization", format!("Bearer {}", key.expose()))];
        let call = Call { url: address(&self.base, "search", &[]), body: Some(body), headers, queue: "tavily", pace: PACE };
        let answer = answer::json(self.fetcher.call(call).await)?;
        Ok(finish(
            query,
            list(&answer, "/results")?
                .iter()
                .map(|result| Hit {
                    title: text(result, "/title").unwrap_or_default(),
                    snippet: text(result, "/content").unwrap_or_default(),
                    published: text(result, "/published_date").and_then(|at| date(&at).or_else(|| rfc_date(&at))),
                    ..Hit::new("tavily", SourceKind::Web, text(result, "/url").unwrap_or_default())
                })
                .collect(),
        ))
    }
}

/// `Tue, 05 Mar 2024 10:00:00 GMT`.
fn rfc_date(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_whitespace().skip(1);
    let (day, name, year): (u32, &str, u32) = (words.next()?.parse().ok()?, words.next()?, words.next()?.parse().ok()?);
    let month = MONTHS.iter().position(|month| *month == name)? + 1;
    date(&format!("{year:04}-{month:02}-{day:02}"))
}

fn missing(service: &str, variable: &str) -> SearchOutcome {
    SearchOutcome::NotConfigured { reason: format!("{service} needs a key: set {variable}, or leave the source out of the settings") }
}

macro_rules! source {
    ($type:ty, $name:literal, $kind:expr) => {
        impl Source for $type {
            fn name(&self) -> &str {
                $name
            }

            fn kind(&self) -> SourceKind {
                $kind
            }

            fn search<'a>(&'a self, query: &'a Query) -> Future<'a, SearchOutcome> {
                Box::pin(async move { self.ask(query).await.unwrap_or_else(|outcome| outcome) })
            }
        }
    };
}
pub(super) use source;

source!(Searxng, "searxng", SourceKind::Web);
source!(Brave, "brave", SourceKind::Web);
source!(Tavily, "tavily", SourceKind::Web);
