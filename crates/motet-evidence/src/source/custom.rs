//! The adapter for searches that others provide, such as the tools of an MCP server: a name, a kind and an async function.
//! What such a search returns is read leniently and trusted with nothing.

use serde_json::Value;

use super::answer::{finish, plain};
use super::{Future, Hit, Query, SearchOutcome, Source, SourceKind, hit};
use crate::extract::date;

type Ask = dyn Fn(Query) -> Future<'static, SearchOutcome> + Send + Sync;

pub struct Custom {
    name: String,
    kind: SourceKind,
    ask: Box<Ask>,
}

impl Custom {
    pub fn new<F>(name: impl Into<String>, kind: SourceKind, ask: impl Fn(Query) -> F + Send + Sync + 'static) -> Self
    where
        F: std::future::Future<Output = SearchOutcome> + Send + 'static,
    {
        Self { name: name.into(), kind, ask: Box::new(move |query| Box::pin(ask(query))) }
    }
}

impl Source for Custom {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        self.kind
    }

    fn search<'a>(&'a self, query: &'a Query) -> Future<'a, SearchOutcome> {
        Box::pin(async move {
            match (self.ask)(query.clone()).await {
                // Whatever it says, its hits are its own and obey the question.
                SearchOutcome::Hits { hits } => {
                    finish(query, hits.into_iter().map(|hit| Hit { source: self.name.clone(), kind: self.kind, ..hit }).collect())
                }
                other => other,
            }
        })
    }
}

/// The hits in what a search tool returned: a list, or an object with one, under the names that such tools use.
pub fn hits_in(value: &Value) -> Vec<Hit> {
    const LISTS: &[&str] = &["results", "hits", "items", "data", "documents", "organic"];
    let list = value.as_array().or_else(|| LISTS.iter().find_map(|name| value.get(name)?.as_array()));
    list.into_iter().flatten().filter_map(one).collect()
}

fn one(value: &Value) -> Option<Hit> {
    let first = |names: &[&str]| names.iter().find_map(|name| value.get(name)?.as_str()).map(plain).filter(|text| !text.is_empty());
    let url = first(&["url", "link", "href", "uri"])?;
    let authors = match value.get("authors").or_else(|| value.get("author")) {
        Some(Value::String(author)) => vec![author.clone()],
        Some(Value::Array(authors)) => {
            authors.iter().filter_map(|author| author.as_str().or_else(|| author.get("name")?.as_str())).map(str::to_string).collect()
        }
        _ => Vec::new(),
    };
    Some(Hit {
        title: first(&["title", "name"]).unwrap_or_default(),
        snippet: first(&["snippet", "content", "description", "summary", "text", "body"]).unwrap_or_default(),
        published: first(&["published", "published_date", "publishedDate", "date"]).and_then(|at| date(&at)),
        doi: first(&["doi", "DOI"]).and_then(|doi| hit::doi(&doi)),
        authors,
        ..Hit::new("", SourceKind::Tool, url)
    })
}
