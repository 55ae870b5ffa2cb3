//! What was fetched before, on disk by the hash of its URL, with what the server said to recognise it by.
//! It never decides that a copy is too old; and a copy that cannot be read is no copy.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::outcome::Page;
use crate::archive::{atomically, digest};

#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    version: u32,
    stored_ms: u64,
    body_sha256: String,
    page: Page,
}

const VERSION: u32 = 1;

/// A copy and when it was taken.
pub(super) struct Copy {
    pub page: Page,
    pub stored_ms: u64,
}

impl Cache {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    pub(super) fn find(&self, url: &str) -> Option<Copy> {
        let (about, body) = self.paths(url);
        let entry: Entry = serde_json::from_slice(&fs::read(about).ok()?).ok()?;
        let body = fs::read(body).ok()?;
        // A body that was half written, or belongs to a newer page, is fetched again.
        let is_whole = entry.version == VERSION && entry.page.asked == url && digest(&body) == entry.body_sha256;
        is_whole.then(|| Copy { page: Page { body, ..entry.page }, stored_ms: entry.stored_ms })
    }

    pub(super) fn keep(&self, page: &Page, now_ms: u64) -> io::Result<()> {
        let (about, body) = self.paths(&page.asked);
        fs::create_dir_all(&self.folder)?;
        let entry = Entry { version: VERSION, stored_ms: now_ms, body_sha256: digest(&page.body), page: page.clone() };
        atomically(&body, &page.body)?;
        atomically(&about, &serde_json::to_vec(&entry)?)
    }

    fn paths(&self, url: &str) -> (PathBuf, PathBuf) {
        let name = digest(url.as_bytes());
        (self.folder.join(format!("{name}.json")), self.folder.join(format!("{name}.body")))
    }
}
