//! Files that people may write into: what the run last wrote there is remembered, so that a person's words are never lost.
//! What an edit means is not known here; it is only kept from being overwritten unseen.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use motet_core::names::{Digest, RunId};
use serde::{Deserialize, Serialize};

/// In the directory of a run: what was written last into each file that can be edited.
pub const MANIFEST: &str = ".written.json";

/// What the run wrote last into each of its files, by path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Written(BTreeMap<String, Last>);

/// Written down before the file itself is, so after a crash either may stand there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Last {
    now: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Digest>,
}

/// How what stands in a file relates to what the run wrote there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has touched it, or it is not there.
    Untouched,
    /// A person has changed it, and it was as the run would write it still.
    Edited,
    /// A person has changed it, and the run has gone on since.
    Overtaken,
}

impl Written {
    /// An absent or broken manifest knows nothing, and then everything that differs was edited.
    pub fn read(directory: &Path) -> Self {
        let text = std::fs::read(directory.join(MANIFEST)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// `now` stands in the file, and `content` is what the run would write.
    pub fn standing(&self, path: &str, now: &str, content: &str) -> Standing {
        let (found, wanted) = (Digest::of(now.as_bytes()), Digest::of(content.as_bytes()));
        match self.0.get(path) {
            _ if found == wanted => Standing::Untouched,
            Some(last) if last.now == found || last.before.as_ref() == Some(&found) => Standing::Untouched,
            Some(last) if last.now != wanted => Standing::Overtaken,
            _ => Standing::Edited,
        }
    }

    /// Whether the run would write what it wrote last.
    pub(super) fn is_last(&self, path: &str, content: &Digest) -> bool {
        self.0.get(path).is_some_and(|last| last.now == *content)
    }

    pub(super) fn knows(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    pub(super) fn note(&mut self, directory: &Path, path: &str, content: Digest) -> io::Result<()> {
        let before = self.0.remove(path).map(|last| last.now);
        self.0.insert(path.to_string(), Last { now: content, before });
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        let new = directory.join(format!("{MANIFEST}.new"));
        super::put_in_place(&new, &directory.join(MANIFEST), &text)
    }
}

/// Where a file of a run is, unless its path would lead out of the run's directory.
pub fn place(home: &Path, run: &RunId, path: &str) -> Option<PathBuf> {
    super::inside(&home.join("runs").join(run.as_str()), path)
}

/// Where a person's version is kept when the run's own must stand.
pub fn yours(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".yours");
    path.with_file_name(name)
}

/// Lets the run's version stand again in a file that a person has changed, and keeps theirs beside it.
pub fn set_aside(home: &Path, run: &RunId, path: &str, content: &str) -> io::Result<PathBuf> {
    let file =
        place(home, run, path).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of the run's directory"))?;
    let kept = yours(&file);
    std::fs::rename(&file, &kept)?;
    let mut files = super::Files::under(home);
    files.put(run, path, &file, content)?;
    Ok(kept)
}
