//! A home directory of its own for every measurement, on the disk that cargo builds on, and what that disk can do at most.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

/// Removed when it is dropped.
pub struct Home(PathBuf);

impl Home {
    /// Not in the system's folder for temporary files: that may be memory, which has no disk to wait for.
    pub fn new() -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench").join(name);
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The size of the database once everything is in its one file.
    pub fn database_bytes(&self) -> Result<u64, String> {
        let path = self.0.join(motet_host::store::DATABASE_NAME);
        let connection = Connection::open(&path).map_err(|error| error.to_string())?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(|error| error.to_string())?;
        std::fs::metadata(&path).map(|file| file.len()).map_err(|error| error.to_string())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What stays behind is under target/ and only untidy.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One row of 200 bytes per commit, as durable as ours.
pub fn raw_commits_per_second(time: Duration) -> Result<f64, String> {
    let home = Home::new()?;
    let explain = |error: rusqlite::Error| error.to_string();
    let connection = Connection::open(home.path().join("raw.db")).map_err(explain)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(explain)?;
    connection.pragma_update(None, "synchronous", "2").map_err(explain)?;
    connection.execute_batch("CREATE TABLE raw (key INTEGER PRIMARY KEY, body BLOB NOT NULL)").map_err(explain)?;
    let mut insert = connection.prepare("INSERT INTO raw (body) VALUES (?1)").map_err(explain)?;
    let (began, mut commits) = (Instant::now(), 0_u32);
    while began.elapsed() < time {
        insert.execute([[7_u8; 200]]).map_err(explain)?;
        commits += 1;
    }
    Ok(f64::from(commits) / began.elapsed().as_secs_f64())
}
