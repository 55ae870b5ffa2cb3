//! What the host needs of a place that keeps journals: twelve methods, and the records that pass through them.
//! Stores move bytes and guard who may write; what an event means, and how it is hashed, is the journal's business.

mod error;
mod memory;
mod records;
mod sqlite;

pub use error::Error;
pub use memory::{Contents, Memory, StoredRun};
pub use records::{
    Change, Claim, Commit, DriverId, DriverRecord, Filter, Hash, Payload, Removal, Removed, Row, RunRecord, Snapshot, Summary,
};
pub use sqlite::{DATABASE_NAME, Sqlite};

use motet_core::names::{Digest, RunId};
use motet_core::units::Time;

/// The most events one run may have.
pub const MOST_EVENTS: u64 = (1 << 24) - 1;

/// What keeps a store as it stood.
#[derive(Default)]
pub struct Moment<'a> {
    _transaction: Option<rusqlite::Transaction<'a>>,
}

/// The day of a moment, by Greenwich.
pub fn day(at: Time) -> i64 {
    const DAY_MS: i64 = 86_400_000;
    at.0.div_euclid(DAY_MS)
}

/// Keeps journals, payloads, snapshots and leases. One value of it is one process's view; many may share one storage.
pub trait Store: Send {
    /// Writes everything or nothing. Refuses with `Fenced` if this driver has lost its lease,
    /// and with `Conflict` if a journal does not stand where the change expects it.
    fn commit(&mut self, commit: &Commit) -> Result<(), Error>;

    fn run(&self, run: &RunId) -> Result<Option<RunRecord>, Error>;

    /// Newest first.
    fn runs(&self, filter: &Filter) -> Result<Vec<RunRecord>, Error>;

    /// The rows after `after`, in order, at most `most` of them; those a fork shares with its origin included.
    fn rows(&self, run: &RunId, after: u64, most: usize) -> Result<Vec<Row>, Error>;

    /// Until what is given is dropped, all that is read stands as it stood at one moment, whoever writes meanwhile. A store that
    /// nobody but its reader writes to has nothing to hold.
    fn moment(&self) -> Result<Moment<'_>, Error> {
        Ok(Moment::default())
    }

    fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error>;

    fn snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, Error>;

    /// Makes runs this driver's own, taking them over from drivers that died.
    fn claim(&mut self, claim: &Claim, now: Time) -> Result<Vec<RunRecord>, Error>;

    /// The next number of a run of this workflow on this day. No two processes are given the same; one that is not used is a gap.
    fn next_number(&mut self, workflow: &str, today: i64) -> Result<u32, Error>;

    /// Gives up everything this driver holds, and the driver itself.
    fn release(&mut self) -> Result<(), Error>;

    /// Who drives, or None if nobody of this name is alive.
    fn driver(&self, driver: &DriverId) -> Result<Option<DriverRecord>, Error>;

    /// Deletes runs and what only they referred to. Runs that a fork still reads, and open ones, are refused.
    fn remove(&mut self, removal: &Removal) -> Result<Removed, Error>;
}
