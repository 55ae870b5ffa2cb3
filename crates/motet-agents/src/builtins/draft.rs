//! A document as workers left it behind: its parts put together, and the sources it stands on.
//! It reads results and judges nothing.

use serde::Deserialize;
use serde_json::Value;

use super::brief::Brief;
use super::catalogue::{field, or_default};

/// What one worker gave in one iteration.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Finding {
    pub iteration: u64,
    pub phase: String,
    #[serde(default)]
    pub part: Option<String>,
    #[serde(default)]
    pub value: Value,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Source {
    #[serde(default, deserialize_with = "or_default")]
    pub title: String,
    #[serde(default, deserialize_with = "or_default")]
    pub url: String,
    #[serde(default)]
    pub author: Option<String>,
    #[serde(default)]
    pub publication_date: Option<String>,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    #[serde(default)]
    pub relevance: Option<f64>,
    #[serde(default)]
    pub excerpt: Option<String>,
    #[serde(default)]
    pub iteration: u64,
}

pub(super) struct Draft {
    pub title: String,
    /// Without the title.
    pub content: String,
}

/// The order of a document's parts; what names none is the body.
const PARTS: [&str; 3] = ["introduction", "body", "conclusion"];
const BODY: usize = 1;

pub(super) fn findings(input: &Value) -> Result<Vec<Finding>, String> {
    field(input, "results")
}

/// What was written in an iteration. None if nothing was.
pub(super) fn draft(findings: &[Finding], iteration: u64, brief: &Brief) -> Option<Draft> {
    let written = findings.iter().filter(|finding| finding.iteration == iteration && finding.phase == "writing");
    let mut parts: Vec<(usize, &Value)> = written
        .filter(|finding| finding.value["content"].as_str().is_some_and(|content| !content.trim().is_empty()))
        .map(|finding| (place(finding.part.as_deref()), &finding.value))
        .collect();
    parts.sort_by_key(|(place, _)| *place);
    let is_body = |(place, _): &&(usize, &Value)| *place == BODY;
    // An introduction alone is no document.
    let body = parts.iter().find(is_body).map(|(_, value)| *value)?;
    let heading = body["content"].as_str().and_then(|content| leading_title(content).0);
    let title = body["title"].as_str().map(str::trim).filter(|title| !title.is_empty()).or(heading).unwrap_or(&brief.topic);
    let contents = parts.iter().filter_map(|(_, value)| value["content"].as_str()).map(|content| leading_title(content).1.trim());
    Some(Draft { title: title.to_string(), content: contents.collect::<Vec<_>>().join("\n\n") })
}

fn place(part: Option<&str>) -> usize {
    PARTS.iter().position(|known| Some(*known) == part).unwrap_or(BODY)
}

/// A heading of the first level that begins a text, and the rest of it.
fn leading_title(content: &str) -> (Option<&str>, &str) {
    let content = content.trim_start();
    let Some(rest) = content.strip_prefix("# ") else { return (None, content) };
    let (title, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    (Some(title.trim()), rest)
}

/// Sources found up to an iteration, each once: the most relevant of those with the same address, the most relevant first.
pub(super) fn sources(input: &Value, until: u64) -> Result<Vec<Source>, String> {
    let mut found: Vec<Source> = field(input, "sources")?;
    found.retain(|source| source.iteration <= until);
    found.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)));
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|source| seen.insert(address(source)));
    Ok(found)
}

fn relevance(source: &Source) -> f64 {
    source.relevance.unwrap_or(0.0)
}

/// Two sources are the same if their addresses differ in no more than this leaves out; without an address the title counts.
fn address(source: &Source) -> String {
    if source.url.trim().is_empty() { source.title.trim().to_lowercase() } else { plain_address(&source.url) }
}

/// Without scheme, `www`, fragment and closing slash.
pub(super) fn plain_address(url: &str) -> String {
    let url = url.trim().to_lowercase();
    let url = url.split('#').next().unwrap_or_default();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    url.strip_prefix("www.").unwrap_or(url).trim_end_matches('/').to_string()
}
