//! One commit: the fence, then every run's change, in one transaction.
//! What is written was prepared elsewhere; here nothing is encoded or hashed.

use motet_core::names::RunId;
use rusqlite::{Connection, OptionalExtension as _, Transaction};

use super::failures::explain;
use super::rows::key;
use super::{claims, payloads, runs, writing};
use crate::store::{Change, Commit, DriverId, Error, MOST_EVENTS};

pub fn commit(connection: &mut Connection, driver: &DriverId, commit: &Commit) -> Result<(), Error> {
    let transaction = writing(connection)?;
    if claims::record(&transaction, driver)?.is_none() {
        return Err(Error::Fenced);
    }
    for change in &commit.changes {
        if change.record.seq > MOST_EVENTS {
            return Err(Error::TooLong(change.record.id.clone()));
        }
        let number = match change.after {
            None => create(&transaction, driver, change)?,
            Some(after) => update(&transaction, driver, change, after)?,
        };
        let mut insert = transaction.prepare_cached("INSERT INTO events (key, body, hash) VALUES (?1, ?2, ?3)").map_err(explain)?;
        for row in &change.rows {
            insert.execute((key(number, row.seq), &row.body, row.hash)).map_err(explain)?;
        }
        for payload in &change.payloads {
            payloads::write(&transaction, number, payload)?;
        }
        if let Some(snapshot) = &change.snapshot {
            payloads::write_snapshot(&transaction, number, snapshot)?;
        }
    }
    transaction.commit().map_err(explain)
}

fn create(transaction: &Transaction<'_>, driver: &DriverId, change: &Change) -> Result<i64, Error> {
    let record = &change.record;
    if let Some(existing) = runs::one(transaction, &record.id)? {
        return Err(Error::Conflict { run: record.id.clone(), expected: None, found: Some(existing.seq) });
    }
    let origin = record.fork.as_ref().map(|(origin, _)| runs::place(transaction, origin)).transpose()?.map(|place| place.number);
    let query = "INSERT INTO runs (id, workflow, digest, status, state, created_at, updated_at, ended_at, seq, hash, parent, fork_of, \
                 fork_seq, driver, summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let mut statement = transaction.prepare_cached(query).map_err(explain)?;
    let number = statement.insert(rusqlite::params![
        record.id.as_str(),
        record.workflow,
        record.digest.as_str(),
        record.status,
        record.state,
        record.created_at.0,
        record.updated_at.0,
        record.ended_at.map(|at| at.0),
        record.seq,
        record.hash,
        record.parent.as_ref().map(RunId::as_str),
        origin,
        record.fork.as_ref().map(|(_, seq)| *seq),
        record.ended_at.is_none().then_some(&driver.0),
        summary(change),
    ]);
    number.map_err(explain)
}

fn update(transaction: &Transaction<'_>, driver: &DriverId, change: &Change, after: u64) -> Result<i64, Error> {
    let record = &change.record;
    let query = "UPDATE runs SET status = ?1, state = ?2, updated_at = ?3, ended_at = ?4, seq = ?5, hash = ?6, summary = ?7, \
                 driver = CASE WHEN ?4 IS NULL AND NOT ?11 THEN driver END WHERE id = ?8 AND driver = ?9 AND seq = ?10 RETURNING run_no";
    let mut statement = transaction.prepare_cached(query).map_err(explain)?;
    let updated = statement.query_row(
        rusqlite::params![
            record.status,
            record.state,
            record.updated_at.0,
            record.ended_at.map(|at| at.0),
            record.seq,
            record.hash,
            summary(change),
            record.id.as_str(),
            driver.0,
            after,
            record.summary.broken.is_some(),
        ],
        |row| row.get(0),
    );
    match updated.optional().map_err(explain)? {
        Some(number) => Ok(number),
        None => Err(refusal(transaction, driver, change)?),
    }
}

/// Why a run's row could not be brought forward.
fn refusal(transaction: &Transaction<'_>, driver: &DriverId, change: &Change) -> Result<Error, Error> {
    let run = change.record.id.clone();
    Ok(match runs::one(transaction, &run)? {
        Some(found) if Some(found.seq) == change.after && found.driver.as_ref() != Some(driver) => Error::Fenced,
        found => Error::Conflict { run, expected: change.after, found: found.map(|found| found.seq) },
    })
}

fn summary(change: &Change) -> String {
    // Plain data without maps of odd keys: it always has a JSON form.
    serde_json::to_string(&change.record.summary).unwrap_or_else(|_| "{}".into())
}
