//! The library as tools that a model calls with JSON: `search`, `fetch` and `read`, answered in words.
//! Everything that strangers wrote is inside a quotation; only what we say ourselves is outside.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Fetched, Findings, Library, Scope, Trouble};
use crate::archive::Document;
use crate::fetch::Domains;
use crate::quoting::{Quotation, quoted};
use crate::source::Query;

/// As much of a document as one answer holds.
const PART_BYTES: usize = 16 * 1024;
const MOST_HITS: usize = 30;

/// One tool, as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDescription {
    pub name: &'static str,
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// What a tool said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    pub text: String,
    pub is_error: bool,
    /// The address of the archived document that was shown, if one was: what may be quoted from now on.
    pub shown: Option<String>,
    /// The sources that could not be searched, or the page that could not be read.
    pub troubles: Vec<Trouble>,
}

impl ToolAnswer {
    fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true, shown: None, troubles: Vec::new() }
    }

    fn part_of(document: &Document, from: usize, seed: &str) -> Result<Self, String> {
        let shown = Some(document.record.url().to_string());
        Ok(Self { text: part(document, from, seed)?, is_error: false, shown, troubles: Vec::new() })
    }
}

pub fn tools() -> Vec<ToolDescription> {
    let from = json!({"type": "integer", "minimum": 0, "description": "Where to begin, in bytes; an earlier answer says where it ended."});
    let day = |what: &str| json!({"type": "string", "description": format!("{what}, as 2024, 2024-05 or 2024-05-17.")});
    vec![
        ToolDescription {
            name: "search",
            description: "Searches every configured source at once and lists what was found, with the reason of each source that could not search. Fetch a hit to read it.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "minLength": 1},
                    "scope": {"enum": ["everything", "documents", "web", "academic", "news"], "description": "documents: only the user's own."},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_HITS},
                    "sites": {"type": "array", "items": {"type": "string"}, "description": "Only these domains."},
                    "since": day("The earliest date"),
                    "until": day("The latest date")
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        },
        ToolDescription {
            name: "fetch",
            description: "Fetches a page, paper or document by its URL, archives it, and shows its text with the id to cite it by.",
            parameters: json!({
                "type": "object",
                "properties": {"url": {"type": "string", "minLength": 1}, "from": from},
                "required": ["url"],
                "additionalProperties": false
            }),
        },
        ToolDescription {
            name: "read",
            description: "Shows a document that was fetched before, by its id.",
            parameters: json!({
                "type": "object",
                "properties": {"id": {"type": "string", "minLength": 1}, "from": from},
                "required": ["id"],
                "additionalProperties": false
            }),
        },
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Searching {
    query: String,
    #[serde(default)]
    scope: Scope,
    #[serde(default = "ten")]
    limit: usize,
    #[serde(default)]
    sites: Domains,
    since: Option<String>,
    until: Option<String>,
}

fn ten() -> usize {
    10
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fetching {
    url: String,
    #[serde(default)]
    from: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    id: String,
    #[serde(default)]
    from: usize,
}

impl Library {
    /// Calls one of [`tools`]. `seed` must be unknown to whoever writes pages: see [`quoted`].
    pub async fn call(&self, name: &str, arguments: Value, seed: &str) -> ToolAnswer {
        let answer = match name {
            "search" => self.search_tool(arguments, seed).await,
            "fetch" => self.fetch_tool(arguments, seed).await,
            "read" => self.read_tool(arguments, seed).await,
            other => Err(format!("there is no tool {other}; there are search, fetch and read")),
        };
        answer.unwrap_or_else(ToolAnswer::error)
    }

    async fn search_tool(&self, arguments: Value, seed: &str) -> Result<ToolAnswer, String> {
        let asked: Searching = read_arguments("search", arguments)?;
        let mut query =
            Query { since: asked.since, until: asked.until, limit: asked.limit.clamp(1, MOST_HITS), ..Query::new(&asked.query) };
        if !asked.sites.is_empty() {
            query.include = asked.sites;
        }
        let findings = self.search(&query, asked.scope).await;
        let text = findings.gap().unwrap_or_else(|| listed(&findings, query.limit, seed));
        Ok(ToolAnswer { text, is_error: false, shown: None, troubles: findings.troubles() })
    }

    async fn fetch_tool(&self, arguments: Value, seed: &str) -> Result<ToolAnswer, String> {
        let asked: Fetching = read_arguments("fetch", arguments)?;
        match self.fetch(&asked.url).await {
            Fetched::Document { document, .. } => ToolAnswer::part_of(&document, asked.from, seed),
            other => {
                let why = other.trouble().unwrap_or_default();
                let trouble = other.because().map(|because| Trouble::of_page(&asked.url, because, &why));
                let refused = ToolAnswer::error(format!("{} was not fetched: {why}", asked.url));
                Ok(ToolAnswer { troubles: trouble.into_iter().collect(), ..refused })
            }
        }
    }

    async fn read_tool(&self, arguments: Value, seed: &str) -> Result<ToolAnswer, String> {
        let asked: Reading = read_arguments("read", arguments)?;
        match self.read(&asked.id).await? {
            Some(document) => ToolAnswer::part_of(&document, asked.from, seed),
            None => Err(format!("no document {} was fetched in this run; fetch it by its URL first", asked.id)),
        }
    }
}

fn read_arguments<Asked: DeserializeOwned>(tool: &str, arguments: Value) -> Result<Asked, String> {
    serde_json::from_value(arguments).map_err(|error| format!("{tool} cannot be called like this: {error}"))
}

fn listed(findings: &Findings, limit: usize, seed: &str) -> String {
    let mut list = String::new();
    for (number, hit) in findings.hits.iter().take(limit).enumerate() {
        let about: Vec<&str> = [Some(hit.source.as_str()), hit.published.as_deref(), hit.doi.as_deref()].into_iter().flatten().collect();
        let snippet: String = hit.snippet.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(500).collect();
        list.push_str(&format!("{}. {} ({})\n{}\n", number + 1, hit.label(), about.join(", "), hit.best_url()));
        if !hit.authors.is_empty() {
            list.push_str(&format!("by {}\n", hit.authors.join(", ")));
        }
        list.push_str(&format!("{snippet}\n\n"));
    }
    let mut text = quoted(&Quotation { id: "search results", url: "", title: &findings.question, text: list.trim_end() }, seed);
    for trouble in findings.troubles() {
        text.push_str(&format!("Not searched: {trouble}\n"));
    }
    text
}

/// A part of a document, and where the next one begins.
fn part(document: &Document, from: usize, seed: &str) -> Result<String, String> {
    let (text, record) = (&document.text, &document.record);
    if from > text.len() {
        return Err(format!("document {} has {} bytes of text, so nothing begins at {from}", record.id, text.len()));
    }
    let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (start, end) = (boundary(from), boundary(from.saturating_add(PART_BYTES)));
    let title = record.title.as_deref().unwrap_or_default();
    let mut out = quoted(&Quotation { id: record.id.as_str(), url: record.url(), title, text: &text[start..end] }, seed);
    if end < text.len() {
        out.push_str(&format!("Bytes {start} to {end} of {}. Read document {} from {end} for more.\n", text.len(), record.id));
    }
    Ok(out)
}
