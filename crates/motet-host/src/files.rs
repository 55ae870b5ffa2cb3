//! Files of a run: projections that people read, written whole and atomically, and lines that are only added.
//! What stands in them is the machine's business; here they only get to the disk, and never outside the run's directory.

mod edited;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use motet_core::files::Projected;
use motet_core::names::{Digest, RunId};

pub use edited::{MANIFEST, Standing, Written, place, set_aside, yours};

/// Writes the files of runs below one directory, each run in its own.
pub struct Files {
    directory: PathBuf,
    /// What stands in the files now, so that only what changed is written.
    written: BTreeMap<PathBuf, Digest>,
    /// What was written last, also by others, into the files of each run that people may edit.
    editable: BTreeMap<RunId, Written>,
    /// Files whose edits the run has just taken: what stands there is known.
    taken: BTreeSet<PathBuf>,
}

/// A file that could not be written, or that a person had changed. The run itself is not harmed: the next turn tries again.
#[derive(Debug)]
pub struct Problem {
    pub path: String,
    pub why: String,
    /// Where a person's version is, if it was written after all.
    pub kept: Option<PathBuf>,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kept {
            Some(kept) => write!(out, "{} {}; what was written there is in {}", self.path, self.why, kept.display()),
            None => write!(out, "{} could not be written: {}", self.path, self.why),
        }
    }
}

impl Files {
    pub fn under(home: &Path) -> Self {
        Self { directory: home.join("runs"), written: BTreeMap::new(), editable: BTreeMap::new(), taken: BTreeSet::new() }
    }

    /// Where the files of a run are.
    pub fn directory(&self, run: &RunId) -> PathBuf {
        self.directory.join(run.as_str())
    }

    /// Brings whole files to the disk as far as they changed.
    pub fn write(&mut self, run: &RunId, projected: &[Projected]) -> Vec<Problem> {
        let mut overtaken = Vec::new();
        let mut problems = self.each(run, projected, |files, file, path, content| match file.editable {
            true => files.renew(run, &file.path, path, content).map(|kept| overtaken.extend(kept.map(|kept| (file.path.clone(), kept)))),
            false => files.replace(path, content),
        });
        problems.extend(overtaken.into_iter().map(|(path, kept)| {
            let why =
                "was edited, but edits are taken only where the workflow allows them and until the run goes on, so the run's version stands"
                    .to_string();
            Problem { path, why, kept: Some(kept) }
        }));
        problems
    }

    /// The run has taken what a person wrote into these files, so nothing there is lost when they are written anew.
    pub fn took(&mut self, run: &RunId, paths: &str) {
        let directory = self.directory(run);
        self.taken.extend(paths.split(", ").filter_map(|path| inside(&directory, path)));
    }

    /// Adds lines to files that only grow.
    pub fn append(&mut self, run: &RunId, appended: &[Projected]) -> Vec<Problem> {
        self.each(run, appended, |_, _, path, content| {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(ended(content).as_bytes())
        })
    }

    /// Writes files that only grow anew from all their lines, because a crash may have lost some or written them twice.
    pub fn rebuild(&mut self, run: &RunId, appended: &[Projected]) -> Vec<Problem> {
        let mut whole: Vec<Projected> = Vec::new();
        for line in appended {
            let Ok(content) = &line.content else { continue };
            match whole.iter_mut().find(|file| file.path == line.path) {
                Some(Projected { content: Ok(before), .. }) => before.push_str(&ended(content)),
                _ => whole.push(Projected { path: line.path.clone(), content: Ok(ended(content)), editable: false }),
            }
        }
        self.each(run, &whole, |files, _, path, content| files.replace(path, content))
    }

    /// A run that has ended is not written any more.
    pub fn forget(&mut self, run: &RunId) {
        let directory = self.directory(run);
        self.written.retain(|path, _| !path.starts_with(&directory));
        self.taken.retain(|path| !path.starts_with(&directory));
        self.editable.remove(run);
    }

    /// Deletes the files of a run that is removed. A run without files has nothing to delete.
    pub fn remove(&mut self, run: &RunId) -> io::Result<()> {
        self.forget(run);
        match std::fs::remove_dir_all(self.directory(run)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn each(
        &mut self,
        run: &RunId,
        files: &[Projected],
        mut write: impl FnMut(&mut Self, &Projected, &Path, &str) -> io::Result<()>,
    ) -> Vec<Problem> {
        let mut problems = Vec::new();
        for file in files {
            let written = match (&file.content, inside(&self.directory(run), &file.path)) {
                (Err(why), _) => Err(why.clone()),
                (_, None) => Err("the path leads out of the run's directory".to_string()),
                (Ok(content), Some(path)) => create_parent(&self.directory(run), &path)
                    .and_then(|()| write(self, file, &path, content))
                    .map_err(|error| error.to_string()),
            };
            if let Err(why) = written {
                problems.push(Problem { path: file.path.clone(), why, kept: None });
            }
        }
        problems
    }

    /// An edit that waits to be taken is left alone until the run itself would write something else; then it is kept beside the file.
    fn renew(&mut self, run: &RunId, name: &str, path: &Path, content: &str) -> io::Result<Option<PathBuf>> {
        let digest = Digest::of(content.as_bytes());
        let is_taken = self.taken.remove(path);
        if self.written.get(path) == Some(&digest) && !is_taken {
            return Ok(None);
        }
        let directory = self.directory(run);
        let last = self.editable.entry(run.clone()).or_insert_with(|| Written::read(&directory));
        let now = match std::fs::read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let standing = now.as_ref().filter(|_| last.knows(name)).map_or(Standing::Untouched, |now| last.standing(name, now, content));
        let is_edited = standing != Standing::Untouched && !is_taken;
        if now.is_some() && is_edited && last.is_last(name, &digest) {
            self.written.insert(path.to_path_buf(), digest);
            return Ok(None);
        }
        let kept = is_edited.then(|| yours(path));
        if let Some(kept) = &kept {
            std::fs::rename(path, kept)?;
        }
        self.put(run, name, path, content)?;
        Ok(kept)
    }

    fn put(&mut self, run: &RunId, name: &str, path: &Path, content: &str) -> io::Result<()> {
        let directory = self.directory(run);
        let last = self.editable.entry(run.clone()).or_insert_with(|| Written::read(&directory));
        if !last.is_last(name, &Digest::of(content.as_bytes())) {
            last.note(&directory, name, Digest::of(content.as_bytes()))?;
        }
        // What stands there is not what this process believes, so it is written whatever that is.
        self.written.remove(path);
        self.replace(path, content)
    }

    /// A reader sees the old file or the new one, never half of either.
    fn replace(&mut self, path: &Path, content: &str) -> io::Result<()> {
        let digest = Digest::of(content.as_bytes());
        if self.written.get(path) == Some(&digest) {
            return Ok(());
        }
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".new");
        let new = path.with_file_name(name);
        put_in_place(&new, path, content.as_bytes())?;
        self.written.insert(path.to_path_buf(), digest);
        Ok(())
    }
}

/// What could not take its place is not left lying about.
fn put_in_place(new: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let put = std::fs::write(new, content).and_then(|()| std::fs::rename(new, path));
    if put.is_err() {
        // It may not even be there.
        let _ = std::fs::remove_file(new);
    }
    put
}

/// The path below the directory, unless it would lead out of it.
fn inside(directory: &Path, relative: &str) -> Option<PathBuf> {
    let relative = Path::new(relative);
    let harmless = relative.components().all(|component| matches!(component, Component::Normal(_) | Component::CurDir));
    let named = relative.file_name().is_some();
    (harmless && named && !relative.as_os_str().as_encoded_bytes().contains(&0)).then(|| directory.join(relative))
}

/// An agent that works in the directory may have put a link there that leads elsewhere.
fn create_parent(directory: &Path, path: &Path) -> io::Result<()> {
    let parent = path.parent().unwrap_or(directory);
    std::fs::create_dir_all(parent)?;
    if parent.canonicalize()?.starts_with(directory.canonicalize()?) {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "a link leads out of the run's directory"))
}

/// Every event's lines end as lines do.
fn ended(content: &str) -> String {
    if content.ends_with('\n') { content.to_string() } else { format!("{content}\n") }
}

#[cfg(test)]
mod tests;
