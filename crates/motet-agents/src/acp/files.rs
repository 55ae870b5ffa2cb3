//! Files that the agent asks us to read or write, inside the task's directory and nowhere else.
//! It confines what is asked of us; what the agent's own process does, only its sandbox can confine.

use std::io;
use std::path::{Component, Path, PathBuf};

use tokio::io::AsyncReadExt;

/// A file larger than this is not read into a message.
const FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Lines from `line` (counted from one), at most `limit` of them.
pub(super) async fn read(root: &Path, path: &Path, line: Option<u32>, limit: Option<u32>) -> Result<String, String> {
    let place = confined(root, path)?;
    let told = |error: io::Error| format!("{} cannot be read: {error}", path.display());
    let found = tokio::fs::metadata(&place).await.map_err(told)?;
    if !found.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if found.len() > FILE_BYTES {
        return Err(format!("{} has {} bytes; at most {FILE_BYTES} are read", path.display(), found.len()));
    }
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(&place).await.map_err(told)?;
    file.take(FILE_BYTES).read_to_end(&mut bytes).await.map_err(told)?;
    let text = String::from_utf8_lossy(&bytes);
    if line.is_none() && limit.is_none() {
        return Ok(text.into_owned());
    }
    let skipped = line.map_or(0, |line| line.saturating_sub(1) as usize);
    let taken = limit.map_or(usize::MAX, |limit| limit as usize);
    Ok(text.split_inclusive('\n').skip(skipped).take(taken).collect())
}

pub(super) async fn write(root: &Path, path: &Path, content: &str) -> Result<(), String> {
    let place = confined(root, path)?;
    let told = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    if place.exists() && !place.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if let Some(directory) = place.parent() {
        tokio::fs::create_dir_all(directory).await.map_err(told)?;
    }
    tokio::fs::write(&place, content).await.map_err(told)
}

/// Where the path really leads, if that is inside. Links are followed first, so that none leads out; `root` is canonical.
pub(super) fn confined(root: &Path, path: &Path) -> Result<PathBuf, String> {
    let outside = || format!("{} is outside of the task's directory {}", path.display(), root.display());
    let mut existing = root.join(path);
    let mut missing = Vec::new();
    // A link that leads nowhere exists too: writing through it would make its target.
    while existing.symlink_metadata().is_err() {
        match (existing.components().next_back(), existing.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                missing.push(name.to_os_string());
                existing = parent.to_path_buf();
            }
            _ => return Err(outside()),
        }
    }
    let real = existing.canonicalize().map_err(|error| format!("{} cannot be followed: {error}", path.display()))?;
    if !real.starts_with(root) {
        return Err(outside());
    }
    Ok(missing.into_iter().rev().fold(real, |place, name| place.join(name)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A directory with a file, a link to it, and links that lead out; beside it a secret.
    fn check(name: &str, path: &str, expected: Result<&str, &str>) {
        let base = std::env::temp_dir().join(format!("motet-confined-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&base);
        fs::create_dir_all(base.join("task/inner")).unwrap();
        let base = base.canonicalize().unwrap();
        let root = base.join("task");
        fs::write(base.join("secret"), "s").unwrap();
        fs::write(root.join("file"), "f").unwrap();
        symlink("file", root.join("link")).unwrap();
        symlink("../secret", root.join("leak")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("../nothing-yet", root.join("dangling")).unwrap();
        let found = confined(&root, Path::new(&path.replace("BASE", &base.to_string_lossy())));
        match expected {
            Ok(place) => assert_eq!(found, Ok(root.join(place))),
            Err(told) => assert!(found.clone().expect_err("it is refused").contains(told), "{found:?}"),
        }
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn what_is_inside_is_found() {
        check("plain", "file", Ok("file"));
        check("absolute", "BASE/task/file", Ok("file"));
        check("link", "link", Ok("file"));
        check("dots", "inner/../file", Ok("file"));
        check("new", "inner/a/b.txt", Ok("inner/a/b.txt"));
    }

    #[test]
    fn what_leads_out_is_refused() {
        check("parent", "../secret", Err("outside"));
        check("root", "/etc/passwd", Err("outside"));
        check("leak", "leak", Err("outside"));
        check("through", "up/secret", Err("outside"));
        check("made", "up/new.txt", Err("outside"));
        check("dangling", "dangling", Err("cannot be followed"));
        check("missing-dots", "nowhere/../../secret", Err("outside"));
        check("sibling", "BASE/task-2/file", Err("outside"));
    }
}
