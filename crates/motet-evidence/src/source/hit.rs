//! One thing that a search found, with everything the source said about it.
//! What the source did not say stays unsaid: no date, author or title is made up.

use serde::{Deserialize, Serialize};

use super::SourceKind;

/// A part of a document's text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Empty if the source gave none; [`Hit::label`] always says something.
    pub title: String,
    pub url: String,
    pub snippet: String,
    /// `2024`, `2024-05` or `2024-05-17`.
    pub published: Option<String>,
    pub authors: Vec<String>,
    pub doi: Option<String>,
    /// A free copy to read, where the source knows one.
    pub full_text_url: Option<String>,
    /// The source that found it.
    pub source: String,
    pub kind: SourceKind,
    /// Where in the text the snippet is, for sources that know the text.
    pub span: Option<Span>,
}

impl Hit {
    pub fn new(source: &str, kind: SourceKind, url: impl Into<String>) -> Self {
        Self {
            title: String::new(),
            url: url.into(),
            snippet: String::new(),
            published: None,
            authors: Vec::new(),
            doi: None,
            full_text_url: None,
            source: source.to_string(),
            kind,
            span: None,
        }
    }

    /// The title, or the best that can be said without one.
    pub fn label(&self) -> &str {
        if self.title.is_empty() { &self.url } else { &self.title }
    }

    /// What is best read: the free copy, if there is one.
    pub fn best_url(&self) -> &str {
        self.full_text_url.as_deref().unwrap_or(&self.url)
    }

    pub fn host(&self) -> Option<String> {
        reqwest::Url::parse(&self.url).ok()?.host_str().map(str::to_ascii_lowercase)
    }
}

/// `https://doi.org/10.1/ABC` and `doi:10.1/abc` name one work.
pub(super) fn doi(text: &str) -> Option<String> {
    let lower = text.trim().to_lowercase();
    let at = lower.find("10.")?;
    let doi = lower[at..].trim_end_matches(['.', ',', ';', ')']);
    let (registrant, suffix) = doi.split_once('/')?;
    let valid = registrant[3..].chars().all(|letter| letter.is_ascii_digit() || letter == '.') && !suffix.is_empty();
    (valid && registrant.len() > 5).then(|| doi.to_string())
}
