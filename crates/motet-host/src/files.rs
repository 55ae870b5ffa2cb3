//! Files of a run: projections that people read, written whole and atomically, and lines that are only added.
//! What stands in them is the machine's business; here they only get to the disk, and never outside the run's directory.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use motet_core::files::Projected;
use motet_core::names::{Digest, RunId};

/// Writes the files of runs below one directory, each run in its own.
pub struct Files {
    directory: PathBuf,
    /// What stands in the files now, so that only what changed is written.
    written: BTreeMap<PathBuf, Digest>,
}

/// A file that could not be written. The run itself is not harmed: the next turn tries again.
#[derive(Debug)]
pub struct Problem {
    pub path: String,
    pub why: String,
}

impl Files {
    pub fn under(home: &Path) -> Self {
        Self { directory: home.join("runs"), written: BTreeMap::new() }
    }

    /// Where the files of a run are.
    pub fn directory(&self, run: &RunId) -> PathBuf {
        self.directory.join(run.as_str())
    }

    /// Brings whole files to the disk as far as they changed.
    pub fn write(&mut self, run: &RunId, projected: &[Projected]) -> Vec<Problem> {
        self.each(run, projected, |files, path, content| files.replace(path, content))
    }

    /// Adds lines to files that only grow.
    pub fn append(&mut self, run: &RunId, appended: &[Projected]) -> Vec<Problem> {
        self.each(run, appended, |_, path, content| {
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
        self.each(run, &whole, |files, path, content| files.replace(path, content))
    }

    /// A run that has ended is not written any more.
    pub fn forget(&mut self, run: &RunId) {
        let directory = self.directory(run);
        self.written.retain(|path, _| !path.starts_with(&directory));
    }

    /// Deletes the files of a run that is removed. A run without files has nothing to delete.
    pub fn remove(&mut self, run: &RunId) -> io::Result<()> {
        self.forget(run);
        match std::fs::remove_dir_all(self.directory(run)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn each(&mut self, run: &RunId, files: &[Projected], mut write: impl FnMut(&mut Self, &Path, &str) -> io::Result<()>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for file in files {
            let written = match (&file.content, inside(&self.directory(run), &file.path)) {
                (Err(why), _) => Err(why.clone()),
                (_, None) => Err("the path leads out of the run's directory".to_string()),
                (Ok(content), Some(path)) => {
                    create_parent(&self.directory(run), &path).and_then(|()| write(self, &path, content)).map_err(|error| error.to_string())
                }
            };
            if let Err(why) = written {
                problems.push(Problem { path: file.path.clone(), why });
            }
        }
        problems
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
        std::fs::write(&new, content)?;
        std::fs::rename(&new, path)?;
        self.written.insert(path.to_path_buf(), digest);
        Ok(())
    }
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
