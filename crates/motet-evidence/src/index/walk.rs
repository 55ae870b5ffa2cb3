//! The files of a folder that may hold something to read, in a stable order.
//! It follows no links, enters no build or hidden folder, and heeds `.gitignore`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ignore::Ignored;
use super::{Lack, Skipped};

/// Folders that hold what others made.
const LEFT_OUT: &[&str] = &["target", "node_modules", "__pycache__", "venv", "bower_components", "vendor"];
/// Deeper than this is a mistake.
const DEEPEST: usize = 64;

pub(super) struct Found {
    pub path: PathBuf,
    pub size: u64,
    pub modified: Option<SystemTime>,
}

pub(super) fn files(folder: &Path, max_bytes: u64, skipped: &mut Vec<Skipped>) -> Vec<Found> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_path_buf(), Ignored::default(), 0)];
    while let Some((folder, above, depth)) = waiting.pop() {
        let ignored = above.with(&folder);
        let mut entries = match fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>(),
            Err(error) => {
                skipped.push(Skipped { path: folder, why: error.to_string(), lack: Lack::Unreadable });
                continue;
            }
        };
        entries.sort();
        let mut folders = Vec::new();
        for path in entries {
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            // Hidden files hold settings and secrets, not documents.
            if name.starts_with('.') || ignored.covers(&path, metadata.is_dir()) {
                continue;
            }
            let mut leave_out = |path: PathBuf, why: String, lack: Lack| skipped.push(Skipped { path, why, lack });
            if path.to_str().is_none() {
                // An address could not name it, so nothing in it could be cited.
                leave_out(path, "its name is not UTF-8: give it another".to_string(), Lack::LeftOut);
            } else if metadata.is_symlink() {
                leave_out(path, "it is a link, and links are not followed".to_string(), Lack::LeftOut);
            } else if metadata.is_dir() {
                if depth >= DEEPEST {
                    leave_out(path, format!("it is nested deeper than {DEEPEST} folders"), Lack::LeftOut);
                } else if !LEFT_OUT.contains(&name.as_str()) {
                    folders.push((path, ignored.clone(), depth + 1));
                }
            } else if !metadata.is_file() {
                leave_out(path, "it is not an ordinary file".to_string(), Lack::LeftOut);
            } else if metadata.len() > max_bytes {
                leave_out(path, format!("it has {} bytes, and {max_bytes} is the limit", metadata.len()), Lack::TooLarge);
            } else if metadata.len() > 0 {
                found.push(Found { path, size: metadata.len(), modified: metadata.modified().ok() });
            }
        }
        waiting.extend(folders.into_iter().rev());
    }
    found
}
