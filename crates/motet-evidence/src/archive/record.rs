//! The sidecar of a document: what it is, where it came from, who turned it into text, and when.
//! A sidecar of a version that this program does not know is a fault, never a guess.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::folder_of;
use crate::clock::day;
use crate::extract::{Extracted, Kind};

/// Names a document by its bytes: the first sixteen digits of their SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentId(String);

impl DocumentId {
    /// The id of a whole hash, or of one that was already shortened.
    pub fn of(hash: &str) -> Self {
        Self(hash.chars().take(16).collect::<String>().to_ascii_lowercase())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// One time that a document was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// What was asked for: a URL, or the `file:` URL of a local document.
    pub url: String,
    /// Where it was, after redirects.
    pub found_at: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub accessed_ms: u64,
}

/// Everything about a document but its bytes and its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub version: u32,
    pub id: DocumentId,
    pub sha256: String,
    pub bytes: u64,
    pub text_sha256: String,
    pub kind: Kind,
    pub title: Option<String>,
    pub authors: Vec<String>,
    /// As precise as the document says: `2024`, `2024-05` or `2024-05-17`.
    pub published: Option<String>,
    pub language: Option<String>,
    pub encoding: Option<String>,
    /// Name and version of who made the text.
    pub extractor: String,
    /// What the reader of the text should know: something was cut, something could not be read.
    pub notes: Vec<String>,
    /// Relative to the archive's folder.
    pub raw_path: String,
    pub text_path: String,
    /// `2026-11-15`, of the first time.
    pub accessed: String,
    pub accesses: Vec<Access>,
}

/// Something in the archive that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub path: String,
    pub what: String,
}

impl Record {
    pub const VERSION: u32 = 1;

    /// Who made the text of an abstract that stands for its work, before the name of the source that gave it.
    pub const ABSTRACT: &str = "abstract/";

    /// Whether this is only what a library says of the work at this address.
    pub fn is_abstract(&self) -> bool {
        self.extractor.starts_with(Self::ABSTRACT)
    }

    pub(super) fn new(id: DocumentId, sha256: String, bytes: usize, access: Access, extracted: &Extracted) -> Self {
        let place = format!("assets/{}/{id}", folder_of(extracted.kind));
        // A text file's own text lies beside it under another name.
        let raw_path = format!("{place}.{}", extracted.kind.extension());
        Self {
            version: Self::VERSION,
            id,
            sha256,
            bytes: bytes as u64,
            text_sha256: super::digest(extracted.text.as_bytes()),
            kind: extracted.kind,
            title: extracted.title.clone(),
            authors: extracted.authors.clone(),
            published: extracted.published.clone(),
            language: extracted.language.clone(),
            encoding: extracted.encoding.clone(),
            extractor: extracted.extractor.clone(),
            notes: extracted.notes.clone(),
            raw_path,
            text_path: format!("{place}.extracted.md"),
            accessed: day(access.accessed_ms),
            accesses: vec![access],
        }
    }

    /// With the text of this extraction instead of the one that was lost.
    pub(super) fn with_text(mut self, extracted: &Extracted) -> Self {
        self.text_sha256 = super::digest(extracted.text.as_bytes());
        self.extractor = extracted.extractor.clone();
        self
    }

    /// Known already, and now reached once more: remembered once per address.
    pub(super) fn reached_by(mut self, access: Access) -> Self {
        match self.accesses.iter_mut().find(|known| known.url == access.url) {
            Some(known) => *known = access,
            None => self.accesses.push(access),
        }
        self
    }

    pub(super) fn last_reached_ms(&self, url: &str) -> Option<u64> {
        let same = |access: &&Access| access.url == url || access.found_at == url;
        self.accesses.iter().filter(same).map(|access| access.accessed_ms).max()
    }

    /// The address to cite.
    pub fn url(&self) -> &str {
        self.accesses.first().map_or("", |access| access.found_at.as_str())
    }

    pub(super) fn sidecar_path(&self) -> String {
        format!("assets/{}/{}.json", folder_of(self.kind), self.id)
    }
}
