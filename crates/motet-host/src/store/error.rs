//! What can go wrong with a store, each with what to do next.
//! Nothing here is a bug of the caller: those are assertions.

use std::fmt;

use motet_core::names::RunId;
use motet_core::units::Time;

use super::MOST_EVENTS;
use super::records::DriverId;

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Another process held the database for longer than we wait.
    Busy,
    /// The disk is full.
    Full,
    Io(String),
    /// What is there cannot be what was written.
    Corrupt {
        what: String,
        why: String,
    },
    /// Written by a later version of Motet.
    Newer {
        found: i64,
        known: i64,
    },
    /// Another process took over what this one was driving.
    Fenced,
    /// A living process drives the run.
    Driven {
        run: RunId,
        driver: DriverId,
        pid: u32,
        since: Time,
    },
    NotFound(RunId),
    /// The journal of a run does not stand where the writer expected it.
    Conflict {
        run: RunId,
        expected: Option<u64>,
        found: Option<u64>,
    },
    /// A run has all the events it may have.
    TooLong(RunId),
    /// A run that may not be removed.
    InUse {
        run: RunId,
        why: String,
    },
    /// This process has not been made a driver, so it may only read.
    NotADriver,
}

impl Error {
    /// Whether the same request may succeed later without anybody's doing.
    pub fn may_pass(&self) -> bool {
        matches!(self, Error::Busy | Error::Full | Error::Io(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Busy => out.write_str(
                "the database was locked by another process for more than 10 seconds; end whatever holds it (a backup, a database browser) and try again",
            ),
            Error::Full => out.write_str("the disk is full; free some space, and the run goes on where it is"),
            Error::Io(why) => write!(out, "the database could not be read or written: {why}; check the disk and the permissions of the home directory"),
            Error::Corrupt { what, why } => {
                write!(out, "{what} is damaged: {why}; nothing was changed; restore the database from a backup, or move it away to begin anew")
            }
            Error::Newer { found, known } => write!(
                out,
                "the database has format {found}, and this version of Motet knows formats up to {known}; use the newer Motet that wrote it"
            ),
            Error::Fenced => out.write_str(
                "another process has taken over the runs of this one, so nothing more is written from here; look at `motet list` for who drives them now",
            ),
            Error::Driven { run, pid, since, .. } => write!(
                out,
                "run {run} is being driven by process {pid} since {since}; send it commands with `motet pause`, `motet answer` or `motet cancel`, or end that process first"
            ),
            Error::NotFound(run) => write!(out, "there is no run {run}; `motet list` shows all runs"),
            Error::Conflict { run, expected: None, .. } => write!(out, "there is a run {run} already; start the new one under another id"),
            Error::Conflict { run, expected: Some(expected), found } => {
                let found = found.map_or("is gone".to_string(), |found| format!("stands at event {found}"));
                write!(
                    out,
                    "the journal of run {run} {found} where event {expected} was the last one known; another process wrote to it; resume the run to load it again"
                )
            }
            Error::TooLong(run) => {
                write!(out, "run {run} has {MOST_EVENTS} events, which is the most a run can have; cancel it and start a new one")
            }
            Error::InUse { run, why } => write!(out, "run {run} cannot be removed: {why}"),
            Error::NotADriver => out.write_str("this process only reads the database; open it as a driver to write"),
        }
    }
}

impl std::error::Error for Error {}
