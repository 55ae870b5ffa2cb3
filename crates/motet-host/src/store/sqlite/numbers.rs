//! The numbers of the day: which run of its workflow comes next, given out so that no two processes get the same.
//! A number that was given out and not used is a gap, which harms nobody.

use rusqlite::{Connection, OptionalExtension as _};

use super::failures::explain;
use super::{runs, writing};
use crate::store::{Error, Filter, day};

/// Not among the first tables: a database from before has no numbers, and is given them when they are needed.
const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS numbers (workflow TEXT PRIMARY KEY NOT NULL, day INTEGER NOT NULL, last INTEGER NOT NULL) WITHOUT ROWID";

pub fn next(connection: &mut Connection, workflow: &str, today: i64) -> Result<u32, Error> {
    // The run's own commit is synced, and everything before it with it: this one need not wait for the disk.
    connection.pragma_update(None, "synchronous", "1").map_err(explain)?;
    let next = in_transaction(connection, workflow, today);
    connection.pragma_update(None, "synchronous", "2").map_err(explain)?;
    next
}

fn in_transaction(connection: &mut Connection, workflow: &str, today: i64) -> Result<u32, Error> {
    let transaction = writing(connection)?;
    transaction.execute_batch(TABLE).map_err(explain)?;
    let query = "SELECT last FROM numbers WHERE workflow = ?1 AND day = ?2";
    let last: Option<u32> = transaction.query_row(query, (workflow, today), |row| row.get(0)).optional().map_err(explain)?;
    let last = match last {
        Some(last) => last,
        None => {
            let newest = Filter { workflow: Some(workflow.to_string()), limit: Some(1), ..Filter::default() };
            let newest = runs::list(&transaction, &newest)?.into_iter().next().filter(|newest| day(newest.created_at) == today);
            newest.and_then(|newest| newest.summary.number).unwrap_or(0)
        }
    };
    let next = last.saturating_add(1);
    let query = "INSERT INTO numbers (workflow, day, last) VALUES (?1, ?2, ?3) ON CONFLICT (workflow) DO UPDATE SET day = ?2, last = ?3";
    transaction.execute(query, (workflow, today, next)).map_err(explain)?;
    transaction.commit().map_err(explain)?;
    Ok(next)
}
