//! What the index knew of each file when it last looked: enough to tell what changed without reading it.
//! A manifest of another version is no manifest, and the index is made again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::Error;
use super::walk::Found;
use crate::archive::atomically;

const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    version: u32,
    pub files: BTreeMap<String, Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    modified_ns: u64,
    size: u64,
    pub sha256: String,
    /// Why it is not in the index, if it is not.
    pub skipped: Option<String>,
    /// How much of it is in the index, if not all.
    #[serde(default)]
    pub shortened: Option<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { version: VERSION, files: BTreeMap::new() }
    }
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Option<Self> {
        let manifest: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (manifest.version == VERSION).then_some(manifest)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        let bytes = serde_json::to_vec(self).map_err(|error| Error(error.to_string()))?;
        atomically(path, &bytes).map_err(|error| Error(format!("{}: {error}", path.display())))
    }
}

impl Entry {
    pub(super) fn new(found: &Found, sha256: String) -> Self {
        Self { modified_ns: modified_ns(found), size: found.size, sha256, skipped: None, shortened: None }
    }

    /// The same bytes with another date.
    pub(super) fn touched(self, found: &Found) -> Self {
        Self { modified_ns: modified_ns(found), ..self }
    }

    pub(super) fn is_same_file(&self, found: &Found) -> bool {
        self.size == found.size && self.modified_ns == modified_ns(found)
    }
}

fn modified_ns(found: &Found) -> u64 {
    found.modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_nanos() as u64)
}
