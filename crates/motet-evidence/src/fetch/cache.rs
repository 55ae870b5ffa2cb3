//! What was fetched before, on disk by the hash of its URL, with what the server said to recognise it by.
//! It never decides that a copy is too old; a copy that cannot be read is no copy; and those longest unused make room for new ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::outcome::Page;
use crate::archive::{atomically, digest};

#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    most_bytes: u64,
    /// As far as this process knows; counted when the first copy is kept.
    held_bytes: Mutex<Option<u64>>,
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
    pub(super) fn new(folder: &Path, most_bytes: u64) -> Self {
        Self { folder: folder.to_path_buf(), most_bytes, held_bytes: Mutex::new(None) }
    }

    pub(super) fn find(&self, url: &str) -> Option<Copy> {
        let (about, body) = self.paths(url);
        let entry: Entry = serde_json::from_slice(&fs::read(about).ok()?).ok()?;
        let body = fs::read(body).ok()?;
        // A body that was half written, or belongs to a newer page, is fetched again.
        let is_whole = entry.version == VERSION && entry.page.asked == url && digest(&body) == entry.body_sha256;
        is_whole.then_some(Copy { page: Page { body, ..entry.page }, stored_ms: entry.stored_ms })
    }

    pub(super) fn forget(&self, url: &str) {
        let (about, body) = self.paths(url);
        [about, body].iter().for_each(|path| drop(fs::remove_file(path)));
    }

    pub(super) fn keep(&self, page: &Page, now_ms: u64) -> io::Result<()> {
        let (about, body) = self.paths(&page.asked);
        fs::create_dir_all(&self.folder)?;
        let entry = Entry { version: VERSION, stored_ms: now_ms, body_sha256: digest(&page.body), page: page.clone() };
        let mut held = self.held_bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = held.unwrap_or_else(|| copies(&self.folder).iter().map(|copy| copy.bytes).sum());
        atomically(&body, &page.body)?;
        let about_bytes = serde_json::to_vec(&entry)?;
        atomically(&about, &about_bytes)?;
        let now = before + page.body.len() as u64 + about_bytes.len() as u64;
        *held = Some(if now > self.most_bytes { self.make_room() } else { now });
        Ok(())
    }

    /// Removes what was used longest ago until a quarter is free, and says how much is left. Who reads it meanwhile fetches it again.
    fn make_room(&self) -> u64 {
        let mut copies = copies(&self.folder);
        copies.sort_by_key(|copy| copy.used);
        let mut left: u64 = copies.iter().map(|copy| copy.bytes).sum();
        for copy in copies {
            if left <= self.most_bytes / 4 * 3 {
                break;
            }
            copy.remove();
            left -= copy.bytes;
        }
        left
    }

    fn paths(&self, url: &str) -> (PathBuf, PathBuf) {
        let name = digest(url.as_bytes());
        (self.folder.join(format!("{name}.json")), self.folder.join(format!("{name}.body")))
    }
}

/// Removes the copies that nothing has used for so long, or only counts them.
pub fn remove_unused_copies(folder: &Path, older_than: Duration, dry_run: bool) -> usize {
    let is_old = |copy: &OnDisk| copy.used.elapsed().is_ok_and(|age| age >= older_than);
    let old: Vec<OnDisk> = copies(folder).into_iter().filter(is_old).collect();
    if !dry_run {
        old.iter().for_each(OnDisk::remove);
    }
    old.len()
}

struct OnDisk {
    body: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl OnDisk {
    /// The body goes first: what is left without one is no copy.
    fn remove(&self) {
        let _ = fs::remove_file(&self.body);
        let _ = fs::remove_file(self.body.with_extension("json"));
    }
}

fn copies(folder: &Path) -> Vec<OnDisk> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let bodies = entries.filter(|path| path.extension().is_some_and(|ending| ending == "body"));
    let about = |body: PathBuf| {
        let metadata = fs::metadata(&body).ok()?;
        let beside = fs::metadata(body.with_extension("json")).map_or(0, |about| about.len());
        Some(OnDisk { bytes: metadata.len() + beside, used: metadata.modified().ok()?, body })
    };
    bodies.filter_map(about).collect()
}
