//! Reads a workflow's folder from the disk into memory, within limits that no honest workflow reaches.
//! It does not look into the texts.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::Path;

use motet_core::Folder;

pub const WORKFLOW_FILE: &str = "workflow.yaml";
pub const LARGEST_FILE: u64 = 1024 * 1024;
pub const MOST_FILES: usize = 500;
const DEEPEST: usize = 16;

/// Every text of the folder by its path there, but no hidden files and no page for people.
pub fn read(root: &Path) -> Result<Folder, String> {
    let mut folder = Folder::new();
    let real_root = root.canonicalize().map_err(|error| format!("{} cannot be read: {error}", root.display()))?;
    let mut reading = Reading { root, real_root: &real_root, folder: &mut folder };
    reading.directory("", 0)?;
    Ok(folder)
}

struct Reading<'a> {
    root: &'a Path,
    real_root: &'a Path,
    folder: &'a mut Folder,
}

impl Reading<'_> {
    fn directory(&mut self, below: &str, depth: usize) -> Result<(), String> {
        let path = self.root.join(below);
        if depth > DEEPEST {
            return Err(format!(
                "{} is nested more than {DEEPEST} folders deep; put the files of the workflow nearer to its root",
                path.display()
            ));
        }
        let unreadable = |error| format!("{} cannot be read: {error}", path.display());
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                return Err(format!("{} has a name that is not UTF-8; rename it", entry.path().display()));
            };
            if name.starts_with('.') || name == "README.md" {
                continue;
            }
            let inside = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            self.entry(&inside, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, inside: &str, depth: usize) -> Result<(), String> {
        let path = self.root.join(inside);
        let unreadable = |error| format!("{} cannot be read: {error}", path.display());
        let is_link = fs::symlink_metadata(&path).map_err(unreadable)?.is_symlink();
        if is_link && !path.canonicalize().map_err(unreadable)?.starts_with(self.real_root) {
            return Err(format!("{} is a link that leads out of the workflow's folder; put a copy of the file there", path.display()));
        }
        let metadata = fs::metadata(&path).map_err(unreadable)?;
        if metadata.is_dir() {
            return self.directory(inside, depth + 1);
        }
        let text = text(&path, &metadata)?;
        self.folder.insert(inside.to_owned(), text);
        match self.folder.len() > MOST_FILES {
            true => Err(format!("{} has more than {MOST_FILES} files; a workflow has at most that many", self.root.display())),
            false => Ok(()),
        }
    }
}

/// One file. A pipe or a device would never end, so only plain files are read.
pub fn text(path: &Path, metadata: &Metadata) -> Result<String, String> {
    if !metadata.is_file() {
        return Err(format!("{} is not a plain file; remove it from the workflow's folder", path.display()));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(too_large(path, metadata.len()));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(path, bytes.len() as u64));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        format!("{} is not UTF-8 (line {line}); save it as UTF-8, or move it out of the workflow's folder", path.display())
    })
}

fn too_large(path: &Path, length: u64) -> String {
    let megabytes = length as f64 / 1024.0 / 1024.0;
    format!("{} has {megabytes:.1} MiB; a file of a workflow has at most 1 MiB", path.display())
}
