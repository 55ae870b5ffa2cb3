//! The events' table: one row per event, keyed by the run's number and the event's.
//! A fork has no copy of what it shares; reading follows it to its origin.

use motet_core::names::RunId;
use rusqlite::Connection;

use super::failures::explain;
use super::runs::{self, Place};
use crate::store::{Error, Row};

/// The bits of an event's own number within its key.
pub const SEQ_BITS: u32 = 24;

pub fn key(run_number: i64, seq: u64) -> i64 {
    (run_number << SEQ_BITS) | i64::try_from(seq).unwrap_or(i64::MAX)
}

pub fn read(connection: &Connection, run: &RunId, after: u64, most: usize) -> Result<Vec<Row>, Error> {
    let place = runs::place(connection, run)?;
    let mut rows = Vec::new();
    for (number, from, until) in stretches(connection, &place, after)? {
        if rows.len() < most {
            stretch(connection, number, from, until, most - rows.len(), &mut rows)?;
        }
    }
    Ok(rows)
}

/// The runs whose own rows make up this journal after `after`, oldest first, each with its first and last number.
fn stretches(connection: &Connection, place: &Place, after: u64) -> Result<Vec<(i64, u64, u64)>, Error> {
    let mut stretches = Vec::new();
    let (mut number, mut fork) = (place.number, place.fork);
    let mut until = (1 << SEQ_BITS) - 1;
    loop {
        let shared = fork.map_or(0, |(_, seq)| seq);
        stretches.push((number, after.max(shared) + 1, until));
        match fork {
            Some((origin, seq)) if after < seq => {
                // A fork may share less than its origin shares with an origin of its own.
                until = until.min(seq);
                let above = runs::place_of(connection, origin)?;
                (number, fork) = (above.number, above.fork);
            }
            _ => break,
        }
    }
    stretches.reverse();
    Ok(stretches)
}

fn stretch(connection: &Connection, number: i64, from: u64, until: u64, most: usize, rows: &mut Vec<Row>) -> Result<(), Error> {
    let query = "SELECT key, body, hash FROM events WHERE key BETWEEN ?1 AND ?2 ORDER BY key LIMIT ?3";
    let mut statement = connection.prepare_cached(query).map_err(explain)?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut found = statement.query((key(number, from), key(number, until), most)).map_err(explain)?;
    while let Some(row) = found.next().map_err(explain)? {
        let key: i64 = row.get(0).map_err(explain)?;
        let seq = u64::try_from(key & ((1 << SEQ_BITS) - 1)).unwrap_or_default();
        rows.push(Row { seq, body: row.get(1).map_err(explain)?, hash: row.get(2).map_err(explain)? });
    }
    Ok(())
}
