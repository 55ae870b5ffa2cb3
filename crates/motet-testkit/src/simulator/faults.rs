//! A store that fails on purpose: before a write, after it, or with the whole process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use motet_core::names::{Digest, RunId};
use motet_core::units::Time;
use motet_host::store::{Claim, Commit, DriverId, DriverRecord, Error, Filter, Removal, Removed, Row, RunRecord, Snapshot};
use motet_host::{Memory, Store};

use crate::random::Random;

/// Decides what goes wrong next, and remembers that the process has died.
#[derive(Clone)]
pub struct Faults(Arc<Mutex<Inner>>);

struct Inner {
    random: Random,
    /// How many faults are still to come: a life must end.
    left: u64,
    crashed: bool,
    failed_commits: u64,
    lost_acknowledgements: u64,
}

enum Fault {
    None,
    /// The store says that it failed, and it did.
    Failed(Error),
    /// The store says that it failed, and it did not.
    LostAcknowledgement,
    CrashBefore,
    CrashAfter,
}

impl Faults {
    pub fn new(mut random: Random, trouble: bool) -> Self {
        let left = if trouble { 3 + random.below(25) } else { 0 };
        Self(Arc::new(Mutex::new(Inner { random, left, crashed: false, failed_commits: 0, lost_acknowledgements: 0 })))
    }

    /// Whether the process died in the last turn. The next one lives.
    pub fn crashed(&self) -> bool {
        std::mem::take(&mut self.inner().crashed)
    }

    pub fn counts(&self) -> (u64, u64) {
        let inner = self.inner();
        (inner.failed_commits, inner.lost_acknowledgements)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn on_write(&self) -> Fault {
        let mut inner = self.inner();
        if inner.crashed {
            return Fault::CrashBefore;
        }
        if inner.left == 0 || !inner.random.once_in(6) {
            return Fault::None;
        }
        inner.left -= 1;
        match inner.random.below(5) {
            0 => {
                inner.crashed = true;
                Fault::CrashBefore
            }
            1 => {
                inner.crashed = true;
                Fault::CrashAfter
            }
            2 => {
                inner.lost_acknowledgements += 1;
                Fault::LostAcknowledgement
            }
            kind => {
                inner.failed_commits += 1;
                Fault::Failed(if kind == 3 { Error::Full } else { Error::Busy })
            }
        }
    }

    fn on_read(&self) -> Result<(), Error> {
        let mut inner = self.inner();
        if inner.crashed {
            return Err(Error::Io("the process is dead".into()));
        }
        if inner.left > 0 && inner.random.once_in(50) {
            inner.left -= 1;
            return Err(Error::Io("a bad sector".into()));
        }
        Ok(())
    }
}

pub struct Faulty {
    pub inner: Memory,
    pub faults: Faults,
}

impl Faulty {
    fn writing<T>(&mut self, write: impl FnOnce(&mut Memory) -> Result<T, Error>) -> Result<T, Error> {
        match self.faults.on_write() {
            Fault::None => write(&mut self.inner),
            Fault::Failed(error) => Err(error),
            Fault::CrashBefore => Err(Error::Io("the process is dead".into())),
            Fault::LostAcknowledgement | Fault::CrashAfter => {
                write(&mut self.inner)?;
                Err(Error::Io("no answer".into()))
            }
        }
    }
}

impl Store for Faulty {
    fn commit(&mut self, commit: &Commit) -> Result<(), Error> {
        self.writing(|store| store.commit(commit))
    }

    fn run(&self, run: &RunId) -> Result<Option<RunRecord>, Error> {
        self.faults.on_read()?;
        self.inner.run(run)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunRecord>, Error> {
        self.faults.on_read()?;
        self.inner.runs(filter)
    }

    fn rows(&self, run: &RunId, after: u64, most: usize) -> Result<Vec<Row>, Error> {
        self.faults.on_read()?;
        self.inner.rows(run, after, most)
    }

    fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        self.faults.on_read()?;
        self.inner.payload(digest)
    }

    fn snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, Error> {
        self.faults.on_read()?;
        self.inner.snapshot(run)
    }

    fn claim(&mut self, claim: &Claim, now: Time) -> Result<Vec<RunRecord>, Error> {
        self.writing(|store| store.claim(claim, now))
    }

    fn next_number(&mut self, workflow: &str, today: i64) -> Result<u32, Error> {
        self.faults.on_read()?;
        self.inner.next_number(workflow, today)
    }

    fn release(&mut self) -> Result<(), Error> {
        self.inner.release()
    }

    fn driver(&self, driver: &DriverId) -> Result<Option<DriverRecord>, Error> {
        self.inner.driver(driver)
    }

    fn remove(&mut self, removal: &Removal) -> Result<Removed, Error> {
        self.inner.remove(removal)
    }
}
