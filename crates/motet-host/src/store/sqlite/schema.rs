//! The tables, the settings of a connection, and the refusal of files that are not ours.
//! A file is only ever created or opened here, never repaired or replaced.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::failures::explain;
use super::writing;
use crate::store::Error;

/// `mott`, so that the `file` command and we can tell our database from others.
const APPLICATION_ID: i64 = 0x6d6f_7474;
const FORMAT: i64 = 1;
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// An event's key is its run's number and its own, so that appending touches the end of one tree.
const TABLES: &str = "
CREATE TABLE drivers (id TEXT PRIMARY KEY NOT NULL, pid INTEGER NOT NULL, since INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
  run_no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workflow TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  parent TEXT,
  fork_of INTEGER REFERENCES runs (run_no),
  fork_seq INTEGER,
  driver TEXT REFERENCES drivers (id) ON DELETE SET NULL,
  summary TEXT NOT NULL
);
CREATE INDEX open_runs ON runs (run_no) WHERE ended_at IS NULL;
CREATE INDEX driven_runs ON runs (driver) WHERE driver IS NOT NULL;
CREATE INDEX child_runs ON runs (parent) WHERE parent IS NOT NULL;
CREATE INDEX forked_runs ON runs (fork_of) WHERE fork_of IS NOT NULL;
CREATE TABLE events (key INTEGER PRIMARY KEY NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL);
CREATE TABLE payloads (digest TEXT PRIMARY KEY NOT NULL, content BLOB NOT NULL);
CREATE TABLE payload_uses (
  run_no INTEGER NOT NULL REFERENCES runs (run_no) ON DELETE CASCADE,
  digest TEXT NOT NULL REFERENCES payloads (digest),
  PRIMARY KEY (run_no, digest)
) WITHOUT ROWID;
CREATE INDEX users_of_payload ON payload_uses (digest);
CREATE TABLE snapshots (
  run_no INTEGER PRIMARY KEY NOT NULL REFERENCES runs (run_no) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  content BLOB NOT NULL
);
";

pub fn open(path: &Path, home: &Path) -> Result<Connection, Error> {
    refuse_emptied(path, home)?;
    let mut connection = Connection::open(path).map_err(explain)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(explain)?;
    connection.set_prepared_statement_cache_capacity(64);
    // What the file is comes first: no setting may touch a file that is not ours.
    let known = is_ours(&connection, path)?;
    set_log(&connection)?;
    // FULL is 2, and what it buys is that a commit survives a power cut.
    set(&connection, "synchronous", "2")?;
    set(&connection, "foreign_keys", "1")?;
    if !known {
        create(&mut connection)?;
    }
    Ok(connection)
}

/// Of two processes that turn a new file to its log at once SQLite refuses one without waiting, however patient it is.
fn set_log(connection: &Connection) -> Result<(), Error> {
    let begun = Instant::now();
    loop {
        match set(connection, "journal_mode", "wal") {
            Err(Error::Busy) if begun.elapsed() < BUSY_TIMEOUT => std::thread::sleep(Duration::from_millis(10)),
            done => return done,
        }
    }
}

/// A database that was there once and has no bytes now would be taken for a new one.
fn refuse_emptied(path: &Path, home: &Path) -> Result<(), Error> {
    let empty = std::fs::metadata(path).is_ok_and(|file| file.len() == 0);
    let has_runs = || std::fs::read_dir(home.join("runs")).is_ok_and(|mut entries| entries.next().is_some());
    let has_log = || std::fs::metadata(path.with_extension("db-wal")).is_ok_and(|log| log.len() > 0);
    if empty && !has_log() && has_runs() {
        return Err(Error::Corrupt {
            what: path.display().to_string(),
            why: "it is empty, though there are files of runs beside it".into(),
        });
    }
    Ok(())
}

/// Whether this is our database; false for one that has nothing in it yet.
fn is_ours(connection: &Connection, path: &Path) -> Result<bool, Error> {
    // At one moment, since another process may be making it just now.
    let moment = connection.unchecked_transaction().map_err(explain)?;
    let tables: i64 = moment.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(explain)?;
    let application = number(&moment, "application_id")?;
    let format = number(&moment, "user_version")?;
    moment.finish().map_err(explain)?;
    match (application, format, tables) {
        (0, 0, 0) => Ok(false),
        (APPLICATION_ID, FORMAT, _) => Ok(true),
        (APPLICATION_ID, found, _) if found > FORMAT => Err(Error::Newer { found, known: FORMAT }),
        _ => Err(Error::Corrupt {
            what: path.display().to_string(),
            why: format!("it is not a database of Motet (application id {application:#x}, format {format})"),
        }),
    }
}

fn create(connection: &mut Connection) -> Result<(), Error> {
    let transaction = writing(connection)?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(explain)?;
    // Another process may have been quicker.
    if tables == 0 {
        transaction.execute_batch(TABLES).map_err(explain)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(explain)?;
        transaction.pragma_update(None, "user_version", FORMAT).map_err(explain)?;
    }
    transaction.commit().map_err(explain)
}

/// Sets a pragma and reads it back: SQLite ignores what it does not like without a word.
fn set(connection: &Connection, name: &str, value: &str) -> Result<(), Error> {
    connection.pragma_update(None, name, value).map_err(explain)?;
    let found: String = connection
        .pragma_query_value(None, name, |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str().unwrap_or_default().to_string(),
            })
        })
        .map_err(explain)?;
    if found != value {
        return Err(Error::Io(format!("SQLite answered {found:?} where {name} was set to {value:?}")));
    }
    Ok(())
}

fn number(connection: &Connection, pragma: &str) -> Result<i64, Error> {
    connection.pragma_query_value(None, pragma, |row| row.get(0)).map_err(explain)
}
