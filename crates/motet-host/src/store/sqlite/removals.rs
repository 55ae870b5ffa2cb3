//! Deleting runs, and payloads that nobody refers to any more.
//! Which runs may go is a matter of policy and decided elsewhere; what must stay is refused here.

use motet_core::names::RunId;
use rusqlite::{Connection, Transaction};

use super::failures::explain;
use super::rows::key;
use super::{runs, writing};
use crate::store::{Error, MOST_EVENTS, Removal, Removed};

pub fn remove(connection: &mut Connection, removal: &Removal) -> Result<Removed, Error> {
    let transaction = writing(connection)?;
    let mut removed = Removed::default();
    // Forks before their origins, so that none is left pointing to nothing.
    transaction.execute_batch("PRAGMA defer_foreign_keys = ON").map_err(explain)?;
    for run in &removal.runs {
        may_remove(&transaction, run, removal)?;
        let number = runs::place(&transaction, run)?.number;
        let own = (key(number, 0), key(number, MOST_EVENTS));
        let query = "SELECT count(*), coalesce(sum(length(body)), 0) FROM events WHERE key BETWEEN ?1 AND ?2";
        let (events, bytes): (u64, u64) = transaction.query_row(query, own, |row| Ok((row.get(0)?, row.get(1)?))).map_err(explain)?;
        removed.events += events;
        removed.bytes += bytes;
        removed.runs.push(run.clone());
        transaction.execute("DELETE FROM events WHERE key BETWEEN ?1 AND ?2", own).map_err(explain)?;
        transaction.execute("DELETE FROM runs WHERE run_no = ?1", [number]).map_err(explain)?;
    }
    let unused = "FROM payloads WHERE NOT EXISTS (SELECT 1 FROM payload_uses u WHERE u.digest = payloads.digest)";
    let query = format!("SELECT count(*), coalesce(sum(length(content)), 0) {unused}");
    let (payloads, bytes): (u64, u64) = transaction.query_row(&query, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(explain)?;
    removed.payloads = payloads;
    removed.bytes += bytes;
    if removal.dry_run {
        transaction.rollback().map_err(explain)?;
        return Ok(removed);
    }
    transaction.execute(&format!("DELETE {unused}"), []).map_err(explain)?;
    transaction.commit().map_err(explain)?;
    if removal.compact {
        connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").map_err(explain)?;
    }
    Ok(removed)
}

fn may_remove(transaction: &Transaction<'_>, run: &RunId, removal: &Removal) -> Result<(), Error> {
    let record = runs::one(transaction, run)?.ok_or_else(|| Error::NotFound(run.clone()))?;
    let refuse = |why: String| Err(Error::InUse { run: run.clone(), why });
    if record.ended_at.is_none() {
        return refuse("it has not ended".into());
    }
    let mut forks =
        transaction.prepare_cached("SELECT f.id FROM runs f JOIN runs o ON f.fork_of = o.run_no WHERE o.id = ?1").map_err(explain)?;
    let forks = forks.query_map([run.as_str()], |row| row.get::<_, String>(0)).map_err(explain)?;
    for fork in forks {
        let fork = fork.map_err(explain)?;
        if !removal.runs.contains(fork.as_str()) {
            return refuse(format!("run {fork} was forked from it and reads its first events"));
        }
    }
    Ok(())
}
