//! Why a run cannot be read from its journal, with the event at which it stops.

use std::fmt;

use motet_core::names::{Digest, RunId};

use crate::store;

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Store(store::Error),
    /// The bytes of an event are none that this version of Motet writes.
    Undecodable {
        run: RunId,
        seq: u64,
        why: String,
    },
    MissingPayload {
        run: RunId,
        seq: u64,
        digest: Digest,
    },
    /// A payload is not what its name says.
    ChangedPayload {
        run: RunId,
        seq: u64,
        digest: Digest,
    },
    /// The workflow that the run is pinned to cannot be used.
    Definition {
        run: RunId,
        why: String,
    },
    /// The machine does not take an event that it once took.
    Replay {
        run: RunId,
        seq: u64,
        why: String,
    },
}

impl Error {
    /// Whether the same request may succeed later without anybody's doing.
    pub fn may_pass(&self) -> bool {
        matches!(self, Error::Store(error) if error.may_pass())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Store(error) => error.fmt(out),
            Error::Undecodable { run, seq, why } => write!(
                out,
                "event {seq} of run {run} cannot be read: {why}; it was written by another version of Motet or is damaged, `motet verify {run}` tells which"
            ),
            Error::MissingPayload { run, seq, digest } => {
                write!(out, "payload {} of event {seq} of run {run} is missing; restore the database from a backup", digest.short())
            }
            Error::ChangedPayload { run, seq, digest } => {
                write!(
                    out,
                    "payload {} of event {seq} of run {run} is not what its name says; restore the database from a backup",
                    digest.short()
                )
            }
            Error::Definition { run, why } => write!(out, "the workflow that run {run} is pinned to cannot be used: {why}"),
            Error::Replay { run, seq, why } => write!(
                out,
                "event {seq} of run {run} does not follow from those before it: {why}; use the version of Motet that wrote it, or `motet verify {run}`"
            ),
        }
    }
}

impl std::error::Error for Error {}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Error::Store(error)
    }
}
