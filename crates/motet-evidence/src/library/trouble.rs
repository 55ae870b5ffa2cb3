//! What could not be searched or read, as a type: which source, what became of it, and at which address.
//! It decides nothing: whether it matters is for whoever reads the answer.

use std::fmt;
use std::path::Path;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::fetch::Outcome;
use crate::index::Skipped;
use crate::source::SearchOutcome;

/// Strangers' servers write some of it, and one line of a log is as much as any of them gets.
const LONGEST: usize = 300;

/// So many documents are named one by one.
const MOST_NAMED: usize = 3;
/// What people write documents in, whether or not they can be read here.
const DOCUMENTS: [&str; 18] =
    ["pdf", "doc", "docx", "odt", "rtf", "epub", "ppt", "pptx", "odp", "xls", "xlsx", "ods", "htm", "html", "md", "txt", "rst", "tex"];

/// What became of a search or a page that brought nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// By a server, by its robots.txt, or by the settings of the run.
    Blocked,
    NotConfigured,
    RateLimited,
    NotFound,
    TooLarge,
    /// There is a page, but nothing to read in it.
    NoText,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The name of the source that was asked; of a page its host.
    pub source: String,
    pub outcome: Because,
    /// Of the page. None: it was a search.
    pub address: Option<String>,
    /// All of it as a sentence.
    pub says: String,
}

impl Trouble {
    /// None: the source did search.
    pub fn of_search(source: &str, outcome: &SearchOutcome) -> Option<Self> {
        let because = Because::of_search(outcome)?;
        Some(Self { source: source.to_string(), outcome: because, address: None, says: one_line(&format!("{source} — {outcome}")) })
    }

    pub fn of_page(address: &str, outcome: Because, why: &str) -> Self {
        let host = Url::parse(address).ok().and_then(|url| Some(url.host_str()?.to_string()));
        // A file has no host; it is one of the user's documents, or wants to be.
        let source = host.unwrap_or_else(|| "documents".to_string());
        Self { source, outcome, address: Some(address.to_string()), says: one_line(&format!("{address} — {why}")) }
    }

    /// The documents that were meant to be read and could not be, all in one. Pictures and programs in a folder are no documents.
    pub fn of_documents(skipped: &[Skipped]) -> Option<Self> {
        let is_document = |path: &Path| {
            let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
            DOCUMENTS.contains(&ending.as_str())
        };
        let meant: Vec<&Skipped> = skipped.iter().filter(|skipped| is_document(&skipped.path)).collect();
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut named: Vec<String> = meant.iter().take(MOST_NAMED).map(|one| format!("{} ({})", name(&one.path), one.why)).collect();
        if meant.len() > MOST_NAMED {
            named.push(format!("{} more", meant.len() - MOST_NAMED));
        }
        let says = one_line(&format!("documents that could not be read — {}", named.join(", ")));
        (!meant.is_empty()).then(|| Self { source: "documents".into(), outcome: Because::NoText, address: None, says })
    }

    /// The same source and page brought nothing, for whatever reason.
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.source, &self.address) == (&other.source, &other.address)
    }
}

impl Because {
    fn of_search(outcome: &SearchOutcome) -> Option<Self> {
        match outcome {
            SearchOutcome::Hits { .. } | SearchOutcome::NoHits { .. } => None,
            SearchOutcome::Blocked { .. } => Some(Self::Blocked),
            SearchOutcome::NotConfigured { .. } => Some(Self::NotConfigured),
            SearchOutcome::RateLimited { .. } => Some(Self::RateLimited),
            SearchOutcome::Failed { .. } => Some(Self::Failed),
        }
    }

    pub(super) fn of_fetch(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Blocked { .. } => Self::Blocked,
            Outcome::NotFound { .. } => Self::NotFound,
            Outcome::RateLimited { .. } => Self::RateLimited,
            Outcome::TooLarge { .. } => Self::TooLarge,
            Outcome::Fetched(_) | Outcome::NotModified(_) | Outcome::Failed { .. } => Self::Failed,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.says)
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || letter.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_says_what_where_and_why_in_one_line() {
        let failed = SearchOutcome::failed("no connection:\n\u{1b}[31mrefused");
        let trouble = Trouble::of_search("searxng", &failed).expect("it did not search");
        assert_eq!(trouble.says, "searxng — failed: no connection: [31mrefused");
        assert_eq!((trouble.outcome, trouble.address), (Because::Failed, None));
        assert_eq!(Trouble::of_search("searxng", &SearchOutcome::NoHits { note: None }), None);
        let page = Trouble::of_page("https://a.example/x", Because::Blocked, &"no ".repeat(400));
        assert_eq!((page.source.as_str(), page.says.chars().count()), ("a.example", LONGEST + 1));
    }

    #[test]
    fn documents_that_were_left_out_are_told_together_and_pictures_are_not() {
        let skipped = |name: &str| Skipped { path: format!("/docs/{name}").into(), why: "it is locked".into() };
        assert_eq!(Trouble::of_documents(&[skipped("a.png"), skipped("prog")]), None);
        let told = Trouble::of_documents(&["a.png", "b.pdf", "c.DOCX", "d.pdf", "e.pdf"].map(skipped)).expect("documents were left out");
        assert_eq!(
            told.says,
            "documents that could not be read — b.pdf (it is locked), c.DOCX (it is locked), d.pdf (it is locked), 1 more"
        );
    }
}
