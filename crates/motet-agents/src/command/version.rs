//! What a program says of its version, without being given any work.
//! It is contained like any other: it may hang, fork and print without end, and nothing of it is left.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::timeout;

use super::child::{Companion, how_status};
use crate::redaction::Redactor;

/// So much of it is read; a version has less.
const SAID_BYTES: u64 = 64 * 1024;

/// The first line that `program --version` prints, empty if it prints none; or what is wrong with it.
pub async fn version(program: &Path, directory: &Path, patience: Duration) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("--version").current_dir(directory);
    let (companion, stdin, stdout) = Companion::start(command, None, None, &Redactor::default()).map_err(|failure| failure.message)?;
    // It has nothing to wait for.
    drop(stdin);
    let said = timeout(patience, first_line(stdout)).await;
    let stderr = companion.stderr();
    let status = companion.end().await;
    match (said, status) {
        (Err(_), _) | (Ok(_), None) => Err(format!("{} --version does not come to an end", program.display())),
        (Ok(said), Some(status)) if status.success() => Ok(said),
        (Ok(_), Some(status)) => {
            let quoted = stderr.last_words();
            let quoted = if quoted.is_empty() { quoted } else { format!(": {quoted}") };
            Err(format!("{} --version {}{quoted}; try it yourself", program.display(), how_status(status)))
        }
    }
}

/// Reads to the end, so that the program can come to its own, but keeps only the beginning.
async fn first_line(mut stdout: impl AsyncRead + Unpin) -> String {
    let mut said = Vec::new();
    let _ = (&mut stdout).take(SAID_BYTES).read_to_end(&mut said).await;
    let _ = tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await;
    let text = String::from_utf8_lossy(&said);
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_string()
}
