//! Journals in one SQLite database under the home directory, shared by as many processes as like.
//! This file opens it and joins the tables; each table's statements are in a file of their own.

mod claims;
mod commits;
mod failures;
mod locks;
mod numbers;
mod payloads;
mod removals;
mod rows;
mod runs;
mod schema;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use motet_core::names::{Digest, RunId};
use motet_core::units::Time;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::records::{Claim, Commit, DriverId, DriverRecord, Filter, Removal, Removed, Row, RunRecord, Snapshot};
use super::{Error, Moment, Store};
use failures::explain;
use locks::Locks;

/// The file under the home directory that holds everything.
pub const DATABASE_NAME: &str = "motet.db";

pub struct Sqlite {
    connection: Connection,
    locks: Locks,
    driver: Option<Driving>,
}

/// This process as a driver. The lock is free as soon as the process is gone, however it went.
struct Driving {
    id: DriverId,
    _lock: std::fs::File,
}

impl Sqlite {
    /// Opens the database of this home directory to read, and creates it if there is none.
    pub fn open(home: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(home).map_err(|error| Error::Io(format!("{}: {error}", home.display())))?;
        let path = home.join(DATABASE_NAME);
        let connection = schema::open(&path, home)?;
        Ok(Self { connection, locks: Locks::under(home), driver: None })
    }

    /// Opens the database for a process that will drive runs.
    pub fn open_driver(home: &Path, now: Time) -> Result<Self, Error> {
        let mut store = Self::open(home)?;
        store.forget_dead_drivers()?;
        let (id, lock) = store.locks.take(now)?;
        let statement = "INSERT INTO drivers (id, pid, since) VALUES (?1, ?2, ?3)";
        store.connection.execute(statement, (&id.0, std::process::id(), now.0)).map_err(explain)?;
        store.driver = Some(Driving { id, _lock: lock });
        Ok(store)
    }

    /// Under which name this process drives.
    pub fn driver_id(&self) -> Option<&DriverId> {
        self.driver.as_ref().map(|driving| &driving.id)
    }

    /// Where the socket of a driver is.
    pub fn socket_path(home: &Path, driver: &DriverId) -> PathBuf {
        Locks::under(home).socket(driver)
    }

    /// Keeps with runs that have ended how many of their calls nobody has told the cost of. Such a run changes no more, so what was
    /// counted once holds; of one that goes on nothing is kept.
    pub fn keep_untold(&self, counts: &BTreeMap<RunId, u64>) -> Result<(), Error> {
        runs::keep_untold(&self.connection, counts)
    }

    fn ours(&self) -> Result<DriverId, Error> {
        self.driver_id().cloned().ok_or(Error::NotADriver)
    }
}

/// Begins a transaction that may write, so that it cannot fail half-way because of another writer.
fn writing(connection: &mut Connection) -> Result<Transaction<'_>, Error> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(explain)
}

impl Store for Sqlite {
    fn commit(&mut self, commit: &Commit) -> Result<(), Error> {
        let driver = self.ours()?;
        commits::commit(&mut self.connection, &driver, commit)
    }

    fn run(&self, run: &RunId) -> Result<Option<RunRecord>, Error> {
        runs::one(&self.connection, run)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunRecord>, Error> {
        runs::list(&self.connection, filter)
    }

    fn rows(&self, run: &RunId, after: u64, most: usize) -> Result<Vec<Row>, Error> {
        rows::read(&self.connection, run, after, most)
    }

    fn moment(&self) -> Result<Moment<'_>, Error> {
        // One moment within another is the same.
        if !self.connection.is_autocommit() {
            return Ok(Moment::default());
        }
        Ok(Moment { _transaction: Some(self.connection.unchecked_transaction().map_err(explain)?) })
    }

    fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        payloads::read(&self.connection, digest)
    }

    fn snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, Error> {
        payloads::snapshot(&self.connection, run)
    }

    fn claim(&mut self, claim: &Claim, _now: Time) -> Result<Vec<RunRecord>, Error> {
        self.claim_runs(claim)
    }

    fn next_number(&mut self, workflow: &str, today: i64) -> Result<u32, Error> {
        numbers::next(&mut self.connection, workflow, today)
    }

    fn release(&mut self) -> Result<(), Error> {
        self.release_all()
    }

    fn driver(&self, driver: &DriverId) -> Result<Option<DriverRecord>, Error> {
        let record = claims::record(&self.connection, driver)?;
        Ok(record.filter(|record| self.locks.is_held(&record.id)))
    }

    fn remove(&mut self, removal: &Removal) -> Result<Removed, Error> {
        removals::remove(&mut self.connection, removal)
    }
}
