//! The proof that a journal is what was written: every link, every payload, and the end.
//! It needs no workflow and reads no meaning into an event.

use std::fmt;

use motet_core::names::{Digest, RunId};
use serde::Serialize;

use super::{Error, decode, first_link, next_link};
use crate::store::{self, Hash, Store};

/// An unbroken journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    pub events: u64,
    pub payloads: u64,
    /// The last link: whoever notes it down can prove later that nothing was rewritten.
    pub head: Digest,
}

/// The first thing that is wrong with a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Broken {
    /// The event's bytes, or its link, or the link before it, are not those that were written.
    Changed {
        seq: u64,
    },
    /// Events are missing from here on, up to where `next` follows, or to the end.
    Removed {
        seq: u64,
        next: Option<u64>,
    },
    /// A sound event stands at another one's place.
    Reordered {
        seq: u64,
        says: u64,
    },
    PayloadMissing {
        seq: u64,
        digest: Digest,
    },
    PayloadChanged {
        seq: u64,
        digest: Digest,
    },
    /// The link holds, but the event cannot be read by this version.
    Undecodable {
        seq: u64,
        why: String,
    },
    /// The run's own record names another end than the journal has.
    EndChanged {
        seq: u64,
    },
    WorkflowMissing {
        digest: Digest,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Changed { seq } => write!(out, "event {seq} was changed"),
            Broken::Removed { seq, next: Some(next) } => write!(out, "event {seq} is missing: event {next} follows in its place"),
            Broken::Removed { seq, next: None } => write!(out, "event {seq} is missing, and the journal ends before it"),
            Broken::Reordered { seq, says } => write!(out, "event {says} stands in the place of event {seq}"),
            Broken::PayloadMissing { seq, digest } => write!(out, "payload {} of event {seq} is missing", digest.short()),
            Broken::PayloadChanged { seq, digest } => write!(out, "payload {} of event {seq} was changed", digest.short()),
            Broken::Undecodable { seq, why } => write!(out, "event {seq} is unbroken but cannot be read: {why}"),
            Broken::EndChanged { seq } => write!(out, "the run's record does not name event {seq}, the last of the journal, as its end"),
            Broken::WorkflowMissing { digest } => write!(out, "the texts of the workflow {} are missing", digest.short()),
        }
    }
}

/// Walks a whole journal. The outer error means that it could not be read at all.
pub fn verify(store: &dyn Store, run: &RunId) -> Result<Result<Verified, Broken>, store::Error> {
    // A run that is driven goes on meanwhile: its record and its events are those of one moment.
    let _moment = store.moment()?;
    let Some(record) = store.run(run)? else { return Err(store::Error::NotFound(run.clone())) };
    let mut link = first_link(&origin(store, run)?);
    let (mut seq, mut payloads) = (0, 0);
    loop {
        let rows = store.rows(run, seq, 1024)?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            if row.seq != seq + 1 {
                return Ok(Err(Broken::Removed { seq: seq + 1, next: Some(row.seq) }));
            }
            seq += 1;
            if next_link(&link, &row.body) != row.hash {
                return Ok(Err(moved(seq, &row.body).unwrap_or(Broken::Changed { seq })));
            }
            link = row.hash;
            let mut asked = None;
            let decoded = decode(run, seq, &row.body, |digest| {
                payloads += 1;
                asked = Some(digest.clone());
                store.payload(digest)
            });
            match (decoded, asked) {
                (Ok(_), _) => {}
                (Err(Error::MissingPayload { digest, .. }), _) => return Ok(Err(Broken::PayloadMissing { seq, digest })),
                (Err(Error::ChangedPayload { digest, .. }), _) => return Ok(Err(Broken::PayloadChanged { seq, digest })),
                // A content that cannot even be unpacked.
                (Err(Error::Store(store::Error::Corrupt { .. })), Some(digest)) => return Ok(Err(Broken::PayloadChanged { seq, digest })),
                (Err(Error::Store(error)), _) => return Err(error),
                (Err(error), _) => return Ok(Err(Broken::Undecodable { seq, why: error.to_string() })),
            }
        }
    }
    if seq < record.seq {
        return Ok(Err(Broken::Removed { seq: seq + 1, next: None }));
    }
    if seq > record.seq || link != record.hash {
        return Ok(Err(Broken::EndChanged { seq }));
    }
    if store.payload(&record.digest)?.is_none() {
        return Ok(Err(Broken::WorkflowMissing { digest: record.digest }));
    }
    Ok(Ok(Verified { events: seq, payloads, head: head(&link) }))
}

/// The run whose id the chain begins with: a fork's journal begins with its origin's.
fn origin(store: &dyn Store, run: &RunId) -> Result<RunId, store::Error> {
    let mut run = run.clone();
    while let Some((above, _)) = store.run(&run)?.and_then(|record| record.fork) {
        run = above;
    }
    Ok(run)
}

/// Tells an event in a wrong place from a changed one: its bytes say which event it is.
fn moved(seq: u64, body: &[u8]) -> Option<Broken> {
    let value: serde_json::Value = serde_json::from_slice(body).ok()?;
    let says = value.get("seq")?.as_u64()?;
    (says != seq).then_some(Broken::Reordered { seq, says })
}

fn head(link: &Hash) -> Digest {
    Digest::from_bytes(link)
}
