//! Files that the agent asks us to read or write, inside the task's directory and nowhere else.
//! It confines what is asked of us; what the agent's own process does, only its sandbox can confine.

use std::io;
use std::path::Path;

use tokio::io::AsyncReadExt;

use super::ground::Ground;

/// A file larger than this is not read into a message.
const FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Lines from `line` (counted from one), at most `limit` of them.
pub(super) async fn read(ground: &Ground, path: &Path, line: Option<u32>, limit: Option<u32>) -> Result<String, String> {
    let place = ground.readable(path)?;
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

pub(super) async fn write(ground: &Ground, path: &Path, content: &str) -> Result<(), String> {
    let place = ground.writable(path)?;
    let told = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    if place.exists() && !place.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if let Some(directory) = place.parent() {
        tokio::fs::create_dir_all(directory).await.map_err(told)?;
    }
    tokio::fs::write(&place, content).await.map_err(told)
}
