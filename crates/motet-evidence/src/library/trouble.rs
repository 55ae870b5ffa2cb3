//! What could not be searched or read, as a type: which source, what became of it, and at which address.
//! It decides nothing: whether it matters is for whoever reads the answer.

use std::fmt;
use std::path::Path;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::fetch::Outcome;
use crate::index::{Lack, Skipped, Update};
use crate::source::SearchOutcome;

/// Strangers' servers write some of it, and one line of a log is as much as any of them gets.
const LONGEST: usize = 300;

/// So many documents are named one by one.
const MOST_NAMED: usize = 5;
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

    /// The documents that were meant to be read and could not be, or not to their end; a few by name, and how many more. Pictures and
    /// programs in a folder are no documents.
    pub fn of_documents(update: &Update) -> Vec<Self> {
        let is_document = |path: &Path| {
            let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
            DOCUMENTS.contains(&ending.as_str())
        };
        let left_out = update.skipped.iter().filter(|skipped| is_document(&skipped.path));
        let lacking: Vec<&Skipped> = left_out.chain(&update.shortened).collect();
        let mut troubles: Vec<Self> =
            lacking.iter().take(MOST_NAMED).map(|one| Self::of_document(named(&one.path, &lacking), one.lack.into(), &one.why)).collect();
        if let Some(next) = lacking.get(MOST_NAMED) {
            let more = format!("{} more documents", lacking.len() - MOST_NAMED);
            troubles.push(Self::of_document(more, next.lack.into(), "not read, or not to their end"));
        }
        troubles
    }

    fn of_document(source: String, outcome: Because, why: &str) -> Self {
        let says = one_line(&format!("{source} — {why}"));
        Self { source, outcome, address: None, says }
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

impl From<Lack> for Because {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::LeftOut => Self::Blocked,
            Lack::TooLarge => Self::TooLarge,
            Lack::Unreadable => Self::Failed,
            Lack::NoText => Self::NoText,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.says)
    }
}

/// By the name of the file; with its folder where another is called the same.
fn named(path: &Path, among: &[&Skipped]) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_alone = among.iter().filter(|other| other.path.file_name() == path.file_name()).count() == 1;
    match path.parent().filter(|_| !is_alone) {
        Some(folder) => format!("{}/{}", name(folder), name(path)),
        None => name(path),
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
    fn documents_that_were_left_out_are_told_by_name_and_pictures_are_not() {
        let skipped = |name: &str, lack: Lack| Skipped { path: format!("/docs/{name}").into(), why: "it is so".into(), lack };
        let told = |skipped: Vec<Skipped>, shortened: Vec<Skipped>| {
            let troubles = Trouble::of_documents(&Update { skipped, shortened, ..Update::default() });
            troubles.iter().map(|trouble| (trouble.source.clone(), trouble.outcome)).collect::<Vec<_>>()
        };
        let name = |name: &str| name.to_string();
        assert_eq!(told(vec![skipped("a.png", Lack::NoText), skipped("prog", Lack::NoText)], Vec::new()), []);
        let lacking = vec![skipped("b.pdf", Lack::NoText), skipped("c.DOCX", Lack::LeftOut)];
        let expected = [(name("b.pdf"), Because::NoText), (name("c.DOCX"), Because::Blocked), (name("big.log"), Because::TooLarge)];
        assert_eq!(told(lacking, vec![skipped("big.log", Lack::TooLarge)]), expected);
        let twice = vec![skipped("x/a.pdf", Lack::NoText), skipped("y/a.pdf", Lack::Unreadable)];
        assert_eq!(told(twice, Vec::new()), [(name("x/a.pdf"), Because::NoText), (name("y/a.pdf"), Because::Failed)]);
        let many = (0..7).map(|number| skipped(&format!("{number}.pdf"), Lack::NoText)).collect();
        assert_eq!(told(many, Vec::new()).last(), Some(&(name("2 more documents"), Because::NoText)));
    }
}
