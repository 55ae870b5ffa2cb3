//! Turns bytes into text: what a page, a paper or a file says, who wrote it and when.
//! Its input is hostile until proven otherwise, so nothing here runs without a limit.

mod charset;
mod contain;
mod html;
mod kind;
mod notes;
mod own_address;
mod pdf;
mod plain;
mod raised;
pub(crate) mod tags;
mod worker;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use charset::{Decoded, decode};
pub use kind::{Hints, Kind};
pub use own_address::own_addresses;
pub(crate) use plain::read_feed;
pub use worker::{Worker, serve};

/// The text of a document, and what it says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    pub kind: Kind,
    /// Markdown where the document has structure.
    pub text: String,
    pub title: Option<String>,
    pub authors: Vec<String>,
    /// As precise as the document says: `2024`, `2024-05` or `2024-05-17`.
    pub published: Option<String>,
    pub language: Option<String>,
    pub encoding: Option<String>,
    /// Name and version.
    pub extractor: String,
    pub notes: Vec<String>,
    /// How much of the text is there, if not all.
    #[serde(default)]
    pub shortened: Option<String>,
}

impl Extracted {
    /// With something that the reader of the text should know.
    pub fn noted(mut self, note: &str) -> Self {
        self.notes.push(note.to_string());
        self
    }
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotExtracted {
    /// It is there and says nothing: a page that needs scripts, a scanned paper.
    Empty(String),
    /// A page that wants proof of a person, served as if it were the page.
    Challenge(String),
    Unsupported(String),
    TooLarge(String),
    TimedOut(String),
    Broken(String),
}

impl fmt::Display for NotExtracted {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Empty(why) | Self::Challenge(why) | Self::Unsupported(why)) = self else {
            let (Self::TooLarge(why) | Self::TimedOut(why) | Self::Broken(why)) = self else { return Ok(()) };
            return to.write_str(why);
        };
        to.write_str(why)
    }
}

/// How much an extractor may take.
#[derive(Clone, Debug)]
pub struct Limits {
    pub max_bytes: u64,
    pub max_text_bytes: usize,
    pub timeout_ms: u64,
    /// The program that reads papers in a process of its own. Without one they are read in a thread.
    pub worker: Option<Worker>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 20 * 1024 * 1024, max_text_bytes: 4 * 1024 * 1024, timeout_ms: 30_000, worker: None }
    }
}

/// The text of these bytes. Blocks for as long as the limits allow; a panic, a loop or a deep nest in it stays in it.
pub fn extract(bytes: &[u8], hints: &Hints, limits: &Limits) -> Result<Extracted, NotExtracted> {
    if bytes.len() as u64 > limits.max_bytes {
        return Err(NotExtracted::TooLarge(format!("it has {} bytes, and {} is the limit", bytes.len(), limits.max_bytes)));
    }
    let kind = kind::of(bytes, hints)?;
    let extracted = match (kind, &limits.worker) {
        (Kind::Pdf, Some(worker)) => worker.extract(bytes, limits),
        (Kind::Pdf, None) => contain::run(bytes.to_vec(), limits.timeout_ms, |bytes| pdf::extract(&bytes)),
        (Kind::Html, _) => {
            let decoded = decode(bytes, hints.content_type.as_deref());
            let url = hints.url.clone();
            contain::run(decoded, limits.timeout_ms, move |decoded| html::extract(decoded, url.as_deref()))
        }
        (Kind::Feed, _) => plain::feed(bytes),
        (Kind::Markdown | Kind::Text | Kind::Code | Kind::Json, _) => Ok(plain::extract(bytes, kind, hints)),
    };
    finish(extracted?, limits)
}

/// Without blocking the caller's thread.
pub async fn extract_later(bytes: Vec<u8>, hints: Hints, limits: Limits) -> Result<Extracted, NotExtracted> {
    let work = tokio::task::spawn_blocking(move || extract(&bytes, &hints, &limits));
    work.await.unwrap_or_else(|_| Err(NotExtracted::Broken("the extractor was stopped".to_string())))
}

/// What holds for every extractor: a bounded text that says something.
fn finish(mut extracted: Extracted, limits: &Limits) -> Result<Extracted, NotExtracted> {
    extracted.text.retain(|letter| letter == '\n' || letter == '\t' || !letter.is_control());
    if extracted.text.len() > limits.max_text_bytes {
        let end = (0..=limits.max_text_bytes).rev().find(|end| extracted.text.is_char_boundary(*end)).unwrap_or(0);
        let note = format!("only the first {} of {} of text were read", amount(end), amount(extracted.text.len()));
        extracted.notes.push(note.clone());
        extracted.shortened = Some(note);
        extracted.text.truncate(end);
    }
    if !extracted.text.chars().any(char::is_alphanumeric) {
        let why = match extracted.kind {
            Kind::Html => "the page has no text of its own; it may need scripts to show any",
            Kind::Pdf => "the paper has no text; it may be scanned images",
            _ => "there is no text in it",
        };
        return Err(NotExtracted::Empty(why.to_string()));
    }
    extracted.title = extracted.title.map(|title| one_line(&title, 300)).filter(|title| !title.is_empty());
    extracted.authors = extracted.authors.iter().map(|author| one_line(author, 120)).filter(|author| !author.is_empty()).take(50).collect();
    extracted.published = extracted.published.as_deref().and_then(date);
    Ok(extracted)
}

fn amount(bytes: usize) -> String {
    const MEGABYTE: usize = 1024 * 1024;
    if bytes < MEGABYTE { format!("{bytes} bytes") } else { format!("{:.1} MB", bytes as f64 / MEGABYTE as f64).replace(".0 ", " ") }
}

fn one_line(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(longest).collect()
}

/// `2024-05-17T10:00:00+02:00`, `2024/05/17`, `20240517` and `2024` say as much as they say; everything else says nothing.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let year: String = text.chars().take_while(char::is_ascii_digit).collect();
    let parts: Vec<&str> = match year.len() {
        4 => text.split(['-', '/', '.']).collect(),
        8 => vec![&text[..4], &text[4..6], &text[6..8]],
        _ => return None,
    };
    let number = |part: Option<&&str>| {
        let digits: String = part?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    };
    let year = number(parts.first()).filter(|year| (1000..=2999).contains(year))?;
    let month = number(parts.get(1)).filter(|month| (1..=12).contains(month));
    let day = number(parts.get(2)).filter(|day| (1..=31).contains(day));
    Some(match (month, day) {
        (Some(month), Some(day)) => format!("{year:04}-{month:02}-{day:02}"),
        (Some(month), None) => format!("{year:04}-{month:02}"),
        _ => format!("{year:04}"),
    })
}
