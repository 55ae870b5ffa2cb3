//! What a program printed, kept in a file for people.
//! Nobody reads it back: what matters of it is taken while it passes. What must be hidden is gone before it comes here.

use std::io;
use std::path::{Path, PathBuf};

use tokio::io::AsyncWriteExt;

/// The most that is written to one log file. Every attempt has two of them.
const LOGGED_BYTES: u64 = 8 * 1024 * 1024;

/// A log file that is made with its first byte and stops growing at a limit. A log that cannot be written never stops a task.
pub(crate) struct Log {
    path: Option<PathBuf>,
    file: Option<tokio::fs::File>,
    written: u64,
}

impl Log {
    pub fn new(path: Option<PathBuf>) -> Self {
        Self { path, file: None, written: 0 }
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        if let Some(path) = self.path.take() {
            self.file = create(&path).await.ok();
        }
        let Some(file) = &mut self.file else { return };
        let _ = file.write_all(bytes).await;
        self.written += bytes.len() as u64;
        if self.written >= LOGGED_BYTES {
            let _ = file.write_all(b"\n[the rest is not kept: the log is full]\n").await;
            self.close().await;
        }
    }

    pub async fn close(&mut self) {
        if let Some(mut file) = self.file.take() {
            let _ = file.flush().await;
        }
    }
}

async fn create(path: &Path) -> io::Result<tokio::fs::File> {
    if let Some(directory) = path.parent() {
        tokio::fs::create_dir_all(directory).await?;
    }
    // What is done again goes on where it was: nothing that was said is lost.
    tokio::fs::OpenOptions::new().create(true).append(true).open(path).await
}
