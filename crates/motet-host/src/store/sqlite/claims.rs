//! Leases: which driver holds which run, and how a run passes from a dead driver to a living one.
//! A driver whose row is gone is revoked; every commit looks for its row first.

use motet_core::units::Time;
use rusqlite::{Connection, OptionalExtension as _};

use super::failures::explain;
use super::{Sqlite, runs, writing};
use crate::store::{Claim, DriverId, DriverRecord, Error, Filter, RunRecord};

impl Sqlite {
    pub(super) fn claim_runs(&mut self, claim: &Claim) -> Result<Vec<RunRecord>, Error> {
        let ours = self.ours()?;
        let transaction = writing(&mut self.connection)?;
        if record(&transaction, &ours)?.is_none() {
            return Err(Error::Fenced);
        }
        let wanted = match claim {
            Claim::Run(run) => vec![runs::one(&transaction, run)?.ok_or_else(|| Error::NotFound(run.clone()))?],
            Claim::AllOpen => runs::list(&transaction, &Filter::open())?,
        };
        let mut living: Vec<DriverRecord> = Vec::new();
        let mut dead: Vec<DriverId> = Vec::new();
        let mut claimed = Vec::with_capacity(wanted.len());
        for mut run in wanted {
            let holder = run.driver.take().filter(|holder| *holder != ours && !dead.contains(holder));
            if let Some(holder) = holder {
                if !living.iter().any(|driver| driver.id == holder) {
                    match record(&transaction, &holder)?.filter(|_| self.locks.is_held(&holder)) {
                        Some(driver) => living.push(driver),
                        None => {
                            revoke(&transaction, &holder)?;
                            dead.push(holder.clone());
                        }
                    }
                }
                if let Some(driver) = living.iter().find(|driver| driver.id == holder) {
                    match claim {
                        Claim::Run(_) => {
                            return Err(Error::Driven { run: run.id, driver: holder, pid: driver.pid, since: driver.since });
                        }
                        Claim::AllOpen => continue,
                    }
                }
            }
            if run.ended_at.is_none() {
                let mut statement = transaction.prepare_cached("UPDATE runs SET driver = ?1 WHERE id = ?2").map_err(explain)?;
                statement.execute((&ours.0, run.id.as_str())).map_err(explain)?;
                run.driver = Some(ours.clone());
            }
            claimed.push(run);
        }
        transaction.commit().map_err(explain)?;
        dead.iter().for_each(|driver| self.locks.clear(driver));
        Ok(claimed)
    }

    pub(super) fn release_all(&mut self) -> Result<(), Error> {
        let Some(driving) = self.driver.take() else { return Ok(()) };
        let released = revoke(&self.connection, &driving.id);
        self.locks.clear(&driving.id);
        released
    }

    /// Removes the rows of drivers whose processes are gone, so that the table holds the living only.
    pub(super) fn forget_dead_drivers(&mut self) -> Result<(), Error> {
        let transaction = writing(&mut self.connection)?;
        let dead: Vec<DriverId> = {
            let mut statement = transaction.prepare("SELECT id FROM drivers").map_err(explain)?;
            let ids = statement.query_map([], |row| row.get::<_, String>(0)).map_err(explain)?;
            let ids: Vec<String> = ids.collect::<Result<_, _>>().map_err(explain)?;
            ids.into_iter().map(DriverId).filter(|driver| !self.locks.is_held(driver)).collect()
        };
        for driver in &dead {
            revoke(&transaction, driver)?;
        }
        transaction.commit().map_err(explain)?;
        dead.iter().for_each(|driver| self.locks.clear(driver));
        Ok(())
    }
}

pub fn record(connection: &Connection, driver: &DriverId) -> Result<Option<DriverRecord>, Error> {
    let mut statement = connection.prepare_cached("SELECT pid, since FROM drivers WHERE id = ?1").map_err(explain)?;
    let found = statement.query_row([&driver.0], |row| Ok(DriverRecord { id: driver.clone(), pid: row.get(0)?, since: Time(row.get(1)?) }));
    found.optional().map_err(explain)
}

/// Without its row a driver can commit nothing, and its runs are free.
fn revoke(connection: &Connection, driver: &DriverId) -> Result<(), Error> {
    connection.execute("DELETE FROM drivers WHERE id = ?1", [&driver.0]).map_err(explain)?;
    Ok(())
}
