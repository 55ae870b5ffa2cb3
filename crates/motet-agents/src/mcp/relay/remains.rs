//! What is left of attempts whose process was killed before it could remove its files: it is removed by the next one.
//! Nothing of a living process is touched: each of its files is locked as long as it lives.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// A directory that is younger may be one that is just being made.
const YOUNG: Duration = Duration::from_secs(60 * 60);

/// The file belongs to this process. Where files cannot be locked, only their age protects them.
pub(super) fn claim(file: &File) {
    let _ = file.try_lock();
}

/// Removes the directories of this name in which no file belongs to anybody. Those of other users stay, since nobody else may look into
/// them; and what cannot be removed is in nobody's way.
pub(super) fn remove(all: &Path, prefix: &str) {
    for entry in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        let is_old = || entry.metadata().ok().filter(std::fs::Metadata::is_dir)?.modified().ok()?.elapsed().ok().map(|age| age > YOUNG);
        if is_named && is_old() == Some(true) && is_abandoned(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(directory: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else { return false };
    entries.flatten().all(|entry| {
        let file = entry.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|_| File::open(entry.path()).ok());
        file.is_some_and(|file| !matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    })
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    /// Whether a directory of this age, with a file that somebody has claimed or nobody, is still there afterwards.
    fn check(name: &str, age: Duration, is_claimed: bool, stays: bool) {
        let all = std::env::temp_dir().join(format!("motet-remains-{}-{name}", std::process::id()));
        let directory = all.join("relayed-1");
        std::fs::create_dir_all(&directory).expect("a directory can be made");
        let file = File::create(directory.join("files")).expect("a file can be made");
        if is_claimed {
            claim(&file);
        }
        File::open(&directory).and_then(|directory| directory.set_modified(SystemTime::now() - age)).expect("it can be aged");
        remove(&all, "other-");
        assert!(directory.exists(), "{name}: it has another name");
        remove(&all, "relayed-");
        assert_eq!(directory.exists(), stays, "{name}");
        std::fs::remove_dir_all(&all).expect("it is there");
    }

    #[test]
    fn what_nobody_owns_any_more_is_removed() {
        check("old", YOUNG * 2, false, false);
        check("claimed", YOUNG * 2, true, true);
        check("young", Duration::ZERO, false, true);
    }
}
