//! The user's own folders as something that can be searched: the best passages, with their file and their place in it.
//! It reads only the folders it was given, and brings itself up to date by what changed.

mod ignore;
mod manifest;
pub(crate) mod passages;
mod store;
mod walk;
mod words;

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::archive::digest;
use crate::extract::{Hints, Limits, extract};
use crate::secrecy::Secrecy;
use crate::source::Span;
use manifest::{Entry, Manifest};
use store::Store;

/// A part of a document that answers a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Passage {
    pub path: PathBuf,
    pub title: String,
    pub text: String,
    /// In the document's extracted text.
    pub span: Span,
    pub published: Option<String>,
    pub score: f32,
}

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Update {
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub unchanged: usize,
    /// Files that are not in the index, and why.
    pub skipped: Vec<Skipped>,
    /// Files of which only the beginning is in the index.
    pub shortened: Vec<Skipped>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub path: PathBuf,
    pub why: String,
    pub lack: Lack,
}

/// What a file lacks to be in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// It could be read, but not by us: links are not followed.
    LeftOut,
    TooLarge,
    /// The disk does not give it.
    Unreadable,
    NoText,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

const MANIFEST: &str = "manifest.json";
const LOCK: &str = "lock";

/// An index of some folders, kept in a folder of its own.
pub struct Index {
    folders: Vec<PathBuf>,
    limits: Limits,
    manifest_path: PathBuf,
    lock_path: PathBuf,
    secrecy: Secrecy,
    store: Mutex<Store>,
}

/// Waits until no other process changes the index. Whoever searches waits for nobody.
fn alone(path: &Path) -> Result<File, Error> {
    let trouble = |error: std::io::Error| Error(format!("{}: {error}", path.display()));
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(trouble)?;
    lock.lock().map_err(trouble)?;
    Ok(lock)
}

/// Where, below `home`, the index of these folders is kept: the same place for whoever names the same folders, in any order.
pub fn place(home: &Path, folders: &[PathBuf]) -> PathBuf {
    let known: BTreeSet<PathBuf> = folders.iter().map(|folder| fs::canonicalize(folder).unwrap_or_else(|_| folder.clone())).collect();
    let names: Vec<String> = known.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
    // A line end cannot be mistaken for a part of two names at once.
    home.join(&digest(names.join("\n").as_bytes())[..16])
}

/// Removes the indexes below `home` that nobody has brought up to date for so long, or says which it would remove. One that a
/// process changes right now is in use; one that is only searched goes on until its reader is done.
pub fn remove_unused(home: &Path, older_than: Duration, is_trial: bool) -> Vec<PathBuf> {
    let mut removed = Vec::new();
    for folder in fs::read_dir(home).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let manifest = fs::metadata(folder.join(MANIFEST)).and_then(|about| about.modified());
        let is_old = manifest.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= older_than));
        let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
        if is_old && lock.try_lock().is_ok() && (is_trial || fs::remove_dir_all(&folder).is_ok()) {
            removed.push(folder);
        }
    }
    removed.sort();
    removed
}

impl Index {
    /// Opens or makes the index that is kept in `home` of the documents in `folders`. Nothing is read before [`Index::update`].
    pub fn open(home: &Path, folders: &[PathBuf], limits: Limits) -> Result<Self, Error> {
        let mut known = Vec::new();
        for folder in folders {
            let found = fs::canonicalize(folder).map_err(|error| Error(format!("{}: {error}", folder.display())))?;
            known.push(found);
        }
        fs::create_dir_all(home).map_err(|error| Error(format!("{}: {error}", home.display())))?;
        let (manifest_path, lock_path) = (home.join(MANIFEST), home.join(LOCK));
        let _alone = alone(&lock_path)?;
        // What another version wrote is made again; the documents are all still there.
        let store = match Manifest::read(&manifest_path).and_then(|_| Store::open(&home.join("passages")).ok()) {
            Some(store) => store,
            None => {
                let _ = fs::remove_file(&manifest_path);
                let store = Store::make_anew(&home.join("passages"))?;
                // From now on it is an index, if an empty one, and the next who opens it must not make it again.
                Manifest::default().write(&manifest_path)?;
                store
            }
        };
        Ok(Self { folders: known, limits, manifest_path, lock_path, secrecy: Secrecy::default(), store: Mutex::new(store) })
    }

    /// What it takes in from now on has no key in it.
    pub fn hiding(self, secrecy: Secrecy) -> Self {
        Self { secrecy, ..self }
    }

    /// Whether a file is one of the documents, links resolved: it lies in one of the folders, and the last update did not leave it
    /// out as hidden, ignored or made by others.
    pub fn holds(&self, path: &Path) -> bool {
        let Some(path) = fs::canonicalize(path).ok().filter(|path| self.folders.iter().any(|folder| path.starts_with(folder))) else {
            return false;
        };
        Manifest::read(&self.manifest_path).is_some_and(|manifest| manifest.files.contains_key(path.to_string_lossy().as_ref()))
    }

    /// Reads what is new or changed, forgets what is gone.
    pub fn update(&self) -> Result<Update, Error> {
        let _alone = alone(&self.lock_path)?;
        let mut store = self.lock();
        // Another process may have read the new files already.
        store.reload()?;
        let mut manifest = Manifest::read(&self.manifest_path).unwrap_or_default();
        let mut update = Update::default();
        let (mut seen, mut writing) = (BTreeSet::new(), None);
        for folder in &self.folders {
            for found in walk::files(folder, self.limits.max_bytes, &mut update.skipped) {
                let key = found.path.to_string_lossy().into_owned();
                if self.secrecy.is_in(&key) {
                    update.skipped.push(Skipped { path: found.path, why: "its name has a key in it".into(), lack: Lack::LeftOut });
                    continue;
                }
                if !seen.insert(key.clone()) {
                    continue;
                }
                let known = manifest.files.get(&key);
                if let Some(known) = known.filter(|known| known.is_same_file(&found)) {
                    update.note_unchanged(&found.path, known);
                    continue;
                }
                let bytes = match fs::read(&found.path) {
                    Ok(bytes) => bytes,
                    Err(error) => {
                        update.skipped.push(Skipped { path: found.path, why: error.to_string(), lack: Lack::Unreadable });
                        seen.remove(&key);
                        continue;
                    }
                };
                let (sha256, was_known) = (digest(&bytes), known.is_some());
                if let Some(known) = known.filter(|known| known.sha256 == sha256).cloned() {
                    update.note_unchanged(&found.path, &known);
                    manifest.files.insert(key, known.touched(&found));
                    continue;
                }
                let mut entry = Entry::new(&found, sha256);
                let writer = store::begun(&mut writing, &store)?;
                writer.forget(&key);
                match extract(&bytes, &Hints::of_path(&key), &self.limits) {
                    Ok(extracted) => {
                        // The same text as the archive will have, so that its places are the same.
                        let again = |clean: &[u8]| extract(clean, &Hints::of_path(&key), &self.limits).ok();
                        let (_, extracted) = self.secrecy.kept(bytes, extracted, again);
                        writer.add(&key, &extracted)?;
                        *(if was_known { &mut update.changed } else { &mut update.added }) += 1;
                        entry.shortened = extracted.shortened;
                        update.note_shortened(&found.path, &entry);
                    }
                    Err(why) => {
                        update.skipped.push(Skipped { path: found.path, why: why.to_string(), lack: Lack::NoText });
                        entry.skipped = Some(why.to_string());
                    }
                }
                manifest.files.insert(key, entry);
            }
        }
        let gone: Vec<String> = manifest.files.keys().filter(|key| !seen.contains(*key)).cloned().collect();
        for key in gone {
            store::begun(&mut writing, &store)?.forget(&key);
            update.removed += usize::from(manifest.files.remove(&key).is_some_and(|entry| entry.skipped.is_none()));
        }
        if let Some(writer) = writing {
            writer.commit()?;
            store.reload()?;
        }
        // The passages come first: a crash in between reads some files again and loses none.
        manifest.write(&self.manifest_path)?;
        Ok(update)
    }

    /// The best passages for a question, at most a few of one document.
    pub fn search(&self, question: &str, limit: usize) -> Result<Vec<Passage>, Error> {
        self.lock().search(question, limit)
    }

    /// Whether the documents have a word, in any of its forms.
    pub fn has(&self, word: &str) -> bool {
        self.lock().has(word)
    }

    /// How many documents can be found.
    pub fn len(&self) -> usize {
        let files = Manifest::read(&self.manifest_path).unwrap_or_default().files;
        files.values().filter(|entry| entry.skipped.is_none()).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Update {
    fn note_unchanged(&mut self, path: &Path, known: &Entry) {
        match &known.skipped {
            Some(why) => self.skipped.push(Skipped { path: path.to_path_buf(), why: why.clone(), lack: Lack::NoText }),
            None => self.unchanged += 1,
        }
        self.note_shortened(path, known);
    }

    fn note_shortened(&mut self, path: &Path, entry: &Entry) {
        let shortened = entry.shortened.clone();
        self.shortened.extend(shortened.map(|why| Skipped { path: path.to_path_buf(), why, lack: Lack::TooLarge }));
    }
}
