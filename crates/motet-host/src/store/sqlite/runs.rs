//! The table of runs: what lists show, and where each journal stands.
//! Nothing here decides anything; a run's record is computed by the engine from its state.

use std::collections::BTreeMap;

use motet_core::names::{Digest, RunId};
use motet_core::units::Time;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params_from_iter};

use super::failures::explain;
use crate::store::{DriverId, Error, Filter, RunRecord};

const COLUMNS: &str = "r.id, r.workflow, r.digest, r.status, r.state, r.created_at, r.updated_at, r.ended_at, r.seq, r.hash, r.parent, \
                       o.id, r.fork_seq, r.driver, r.summary FROM runs r LEFT JOIN runs o ON o.run_no = r.fork_of";

pub fn one(connection: &Connection, run: &RunId) -> Result<Option<RunRecord>, Error> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} WHERE r.id = ?1")).map_err(explain)?;
    statement.query_row([run.as_str()], read).optional().map_err(explain)
}

pub fn list(connection: &Connection, filter: &Filter) -> Result<Vec<RunRecord>, Error> {
    let mut conditions = vec!["1".to_string()];
    let mut values: Vec<Value> = Vec::new();
    let mut condition = |text: &str, value: &str| {
        values.push(Value::Text(value.to_string()));
        conditions.push(text.replace('?', &format!("?{}", values.len())));
    };
    if let Some(parent) = &filter.parent {
        condition("r.parent = ?", parent.as_str());
    }
    if let Some(workflow) = &filter.workflow {
        condition("r.workflow = ?", workflow);
    }
    if let Some(before) = &filter.before {
        condition("r.run_no < (SELECT run_no FROM runs WHERE id = ?)", before.as_str());
    }
    if filter.open_only {
        conditions.push("r.ended_at IS NULL".into());
    }
    let limit = filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let query = format!("SELECT {COLUMNS} WHERE {} ORDER BY r.run_no DESC LIMIT {limit}", conditions.join(" AND "));
    let mut statement = connection.prepare_cached(&query).map_err(explain)?;
    let found = statement.query_map(params_from_iter(values), read).map_err(explain)?;
    found.collect::<Result<_, _>>().map_err(explain)
}

/// All of them or none, so that a reader who keeps many takes the database from others only once.
pub fn keep_untold(connection: &Connection, counts: &BTreeMap<RunId, u64>) -> Result<(), Error> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(explain)?;
    let query = "UPDATE runs SET summary = json_set(summary, '$.untold', ?2) WHERE id = ?1 AND ended_at IS NOT NULL";
    let mut statement = transaction.prepare_cached(query).map_err(explain)?;
    for (run, count) in counts {
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        statement.execute((run.as_str(), count)).map_err(explain)?;
    }
    drop(statement);
    transaction.commit().map_err(explain)
}

/// A run's number in the keys of its events, and the run and event it was forked from.
pub struct Place {
    pub number: i64,
    pub fork: Option<(i64, u64)>,
}

pub fn place(connection: &Connection, run: &RunId) -> Result<Place, Error> {
    let mut statement = connection.prepare_cached("SELECT run_no, fork_of, fork_seq FROM runs WHERE id = ?1").map_err(explain)?;
    let found = statement.query_row([run.as_str()], read_place).optional().map_err(explain)?;
    found.ok_or_else(|| Error::NotFound(run.clone()))
}

/// The same by number.
pub fn place_of(connection: &Connection, number: i64) -> Result<Place, Error> {
    let mut statement = connection.prepare_cached("SELECT run_no, fork_of, fork_seq FROM runs WHERE run_no = ?1").map_err(explain)?;
    statement.query_row([number], read_place).map_err(explain)
}

fn read_place(row: &rusqlite::Row<'_>) -> rusqlite::Result<Place> {
    let fork: Option<(i64, u64)> = row.get::<_, Option<i64>>(1)?.zip(row.get::<_, Option<u64>>(2)?);
    Ok(Place { number: row.get(0)?, fork })
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<RunRecord> {
    let summary: String = row.get(14)?;
    let origin: Option<String> = row.get(11)?;
    Ok(RunRecord {
        id: RunId::new(row.get_ref(0)?.as_str()?),
        workflow: row.get(1)?,
        digest: Digest::new(row.get_ref(2)?.as_str()?),
        status: row.get(3)?,
        state: row.get(4)?,
        created_at: Time(row.get(5)?),
        updated_at: Time(row.get(6)?),
        ended_at: row.get::<_, Option<i64>>(7)?.map(Time),
        seq: row.get(8)?,
        hash: row.get(9)?,
        parent: row.get::<_, Option<String>>(10)?.map(RunId::new),
        fork: origin.map(RunId::new).zip(row.get::<_, Option<u64>>(12)?),
        driver: row.get::<_, Option<String>>(13)?.map(DriverId),
        summary: serde_json::from_str(&summary)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(14, rusqlite::types::Type::Text, Box::new(error)))?,
    })
}
