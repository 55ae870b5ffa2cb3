//! The adapter for searches that others provide, such as the tools of an MCP server: a name, a kind and an async function.
//! What such a search returns is read leniently, as JSON or as a text with addresses in it, and trusted with nothing.

use serde_json::{Value, json};

use super::answer::{finish, plain, refused, whole_words};
use super::{Future, Hit, Query, SearchOutcome, Source, SourceKind, hit};
use crate::extract::date;
use crate::fetch::said_in;

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

/// The outcome of a search whose tool answered with a text: JSON, JSON line by line, or words with addresses in them. An error in an answer
/// that names nothing is a refusal, however good the answer looks otherwise.
pub fn read_answer(text: &str) -> SearchOutcome {
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let values: Vec<Value> = match &whole {
        Some(value) => vec![value.clone()],
        None => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    };
    let mut hits: Vec<Hit> = values.iter().flat_map(hits_in).collect();
    if hits.is_empty() && whole.is_none() {
        hits = hits_in_words(text);
    }
    if !hits.is_empty() {
        return SearchOutcome::Hits { hits };
    }
    let said = values.iter().find_map(complaint).or_else(|| complaint_in_words(text).filter(|_| whole.is_none()));
    match said {
        Some(words) if !says_nothing_found(&words) => refused(&words),
        _ if is_broken(text, &values) => SearchOutcome::failed("its answer is broken JSON"),
        _ if whole.as_ref().and_then(list_in).is_some_and(Vec::is_empty) => SearchOutcome::NoHits { note: None },
        _ => {
            let said = whole_words(text.split_whitespace().collect::<Vec<_>>().join(" "), 200);
            SearchOutcome::NoHits { note: Some(format!("its answer names no address: {said}")) }
        }
    }
}

/// What a value says went wrong. Beside a list only an error is one: a message may say anything there.
fn complaint(value: &Value) -> Option<String> {
    let errors = value.get("errors").and_then(Value::as_array).into_iter().flatten();
    let error = |value: &Value| match value.get("error") {
        Some(Value::Bool(true)) => said_in(value).or_else(|| Some("an error".to_string())),
        Some(Value::Null | Value::Bool(false)) | None => None,
        Some(error) => said_in(&json!({ "error": error })).or_else(|| Some(error.to_string())),
    };
    let own = error(value).or_else(|| errors.into_iter().find_map(|error| error.as_str().map(str::to_string).or_else(|| said_in(error))));
    let beside = || match list_in(value) {
        Some(list) => list.iter().find_map(error),
        None => said_in(value),
    };
    own.or_else(beside).filter(|words| !words.trim().is_empty())
}

/// Tools that write for models begin with what went wrong.
fn complaint_in_words(text: &str) -> Option<String> {
    const BEGINNINGS: [&str; 11] = [
        "error",
        "failed",
        "failure",
        "exception",
        "traceback",
        "unauthorized",
        "forbidden",
        "access denied",
        "rate limit",
        "too many requests",
        "quota",
    ];
    let lower = text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    BEGINNINGS.iter().any(|word| lower.starts_with(word)).then(|| text.to_string())
}

/// Some tools call it an error that there is nothing.
fn says_nothing_found(words: &str) -> bool {
    let lower = words.to_lowercase();
    ["no result", "no hits", "no match", "no documents", "nothing found", "nothing was found", "0 results"]
        .iter()
        .any(|said| lower.contains(said))
}

fn is_broken(text: &str, values: &[Value]) -> bool {
    let begins = text.trim_start();
    values.is_empty() && (begins.starts_with('{') || begins.starts_with("[{"))
}

/// The hits in what a search tool returned: a list, an object with one, or one hit by itself, under the names that such tools use.
pub fn hits_in(value: &Value) -> Vec<Hit> {
    match list_in(value) {
        Some(list) => list.iter().filter_map(one).collect(),
        None => one(value).into_iter().collect(),
    }
}

fn list_in(value: &Value) -> Option<&Vec<Value>> {
    const LISTS: &[&str] = &["results", "hits", "items", "data", "documents", "organic"];
    const AROUND: &[&str] = &["web", "result", "response"];
    value.as_array().or_else(|| list_of(value, LISTS)).or_else(|| AROUND.iter().find_map(|name| list_of(value.get(name)?, LISTS)))
}

fn list_of<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Vec<Value>> {
    names.iter().find_map(|name| value.get(name)?.as_array())
}

/// Tools that write for models say `Title: …` and `URL: …` line by line, or link in Markdown. Each address begins a hit; the words
/// since the last one are its title and snippet.
fn hits_in_words(text: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let (mut title, mut words) = (None, Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (label, rest) =
            line.split_once(':').map_or(("", line), |(label, rest)| (label.trim_matches(['*', '-', '#', ' ']), rest.trim()));
        if label.eq_ignore_ascii_case("title") {
            title = Some(plain(rest));
            continue;
        }
        let Some((before, url)) = address_in(line) else {
            let is_said = matches!(label.to_ascii_lowercase().as_str(), "description" | "snippet" | "summary" | "content" | "text");
            match hits.last_mut().filter(|hit| title.is_none() && hit.snippet.is_empty()) {
                Some(hit) => hit.snippet = plain(if is_said { rest } else { line }),
                None => words.push(plain(if is_said { rest } else { line })),
            }
            continue;
        };
        let linked = before.rsplit_once('[').and_then(|(_, label)| label.strip_suffix("](")).map(plain);
        let title = linked.or_else(|| title.take()).unwrap_or_default();
        hits.push(Hit { title, snippet: std::mem::take(&mut words).join(" "), ..Hit::new("", SourceKind::Tool, url) });
    }
    hits
}

/// The first address of a line, and what stands before it.
fn address_in(line: &str) -> Option<(&str, &str)> {
    let start = [line.find("http://"), line.find("https://")].into_iter().flatten().min()?;
    let rest = &line[start..];
    let end = rest.find(|letter: char| letter.is_whitespace() || matches!(letter, ')' | '>' | '"' | ']' | '<')).unwrap_or(rest.len());
    Some((&line[..start], rest[..end].trim_end_matches(['.', ',', ';'])))
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
