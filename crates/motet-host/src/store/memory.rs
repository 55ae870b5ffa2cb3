//! A store in memory: for tests, for the simulator, and for runs that nobody wants to keep.
//! Several values share one storage, each as a process of its own would; a dropped one counts as dead.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use motet_core::names::{Digest, RunId};
use motet_core::units::Time;

use super::records::{Change, Claim, Commit, DriverId, DriverRecord, Filter, Removal, Removed, Row, RunRecord, Snapshot};
use super::{Error, MOST_EVENTS, Store};

/// One process's view of a shared storage.
pub struct Memory {
    contents: Arc<Mutex<Contents>>,
    driver: Option<DriverId>,
}

/// Everything that is kept. Open to tests that damage it on purpose.
#[derive(Default)]
pub struct Contents {
    pub runs: BTreeMap<RunId, StoredRun>,
    pub payloads: BTreeMap<Digest, Vec<u8>>,
    /// In the order of their creation.
    order: Vec<RunId>,
    drivers: BTreeMap<DriverId, DriverRecord>,
    /// Stands for the locks that living processes hold.
    alive: BTreeSet<DriverId>,
    next_driver: u32,
    /// By workflow: the day on which a run was last numbered, and its number.
    numbers: BTreeMap<String, (i64, u32)>,
}

#[derive(Clone)]
pub struct StoredRun {
    pub record: RunRecord,
    pub rows: Vec<Row>,
    pub snapshot: Option<Snapshot>,
    pub uses: BTreeSet<Digest>,
}

impl Memory {
    /// An empty storage, seen by a process that only reads.
    pub fn new() -> Self {
        Self { contents: Arc::default(), driver: None }
    }

    /// Another process on the same storage, which only reads.
    pub fn reader(&self) -> Self {
        Self { contents: self.contents.clone(), driver: None }
    }

    /// Another process on the same storage, which drives runs.
    pub fn open_driver(&self, now: Time) -> Self {
        let mut contents = self.contents();
        contents.next_driver += 1;
        let pid = contents.next_driver;
        let id = DriverId(format!("memory-{pid}"));
        contents.alive.insert(id.clone());
        contents.drivers.insert(id.clone(), DriverRecord { id: id.clone(), pid, since: now });
        Self { contents: self.contents.clone(), driver: Some(id) }
    }

    pub fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens when a lock is lost though its process lives on.
    pub fn lose_lock(&self) {
        if let Some(driver) = &self.driver {
            self.contents().alive.remove(driver);
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.lose_lock();
    }
}

impl Contents {
    fn stored(&self, run: &RunId) -> Result<&StoredRun, Error> {
        self.runs.get(run).ok_or_else(|| Error::NotFound(run.clone()))
    }

    fn revoke(&mut self, driver: &DriverId) {
        self.drivers.remove(driver);
        for stored in self.runs.values_mut() {
            if stored.record.driver.as_ref() == Some(driver) {
                stored.record.driver = None;
            }
        }
    }

    /// The living driver of a run, after the dead one, if it has one, was revoked.
    fn living_driver(&mut self, run: &RunId) -> Result<Option<DriverRecord>, Error> {
        let Some(driver) = self.stored(run)?.record.driver.clone() else { return Ok(None) };
        if self.alive.contains(&driver) {
            return Ok(self.drivers.get(&driver).cloned());
        }
        self.revoke(&driver);
        Ok(None)
    }

    fn check(&self, change: &Change, driver: &DriverId) -> Result<(), Error> {
        let run = &change.record.id;
        let stored = self.runs.get(run);
        let found = stored.map(|stored| stored.record.seq);
        if found != change.after {
            return Err(Error::Conflict { run: run.clone(), expected: change.after, found });
        }
        if change.record.seq > MOST_EVENTS {
            return Err(Error::TooLong(run.clone()));
        }
        if stored.is_some_and(|stored| stored.record.driver.as_ref() != Some(driver)) {
            return Err(Error::Fenced);
        }
        Ok(())
    }

    fn apply(&mut self, change: &Change, driver: &DriverId) {
        let mut record = change.record.clone();
        record.driver = (record.ended_at.is_none() && record.summary.broken.is_none()).then(|| driver.clone());
        let id = record.id.clone();
        if change.after.is_none() {
            self.order.push(id.clone());
            let stored = StoredRun { record: record.clone(), rows: Vec::new(), snapshot: None, uses: BTreeSet::new() };
            self.runs.insert(id.clone(), stored);
        }
        let Some(stored) = self.runs.get_mut(&id) else { return };
        stored.record = record;
        stored.rows.extend(change.rows.iter().cloned());
        stored.uses.extend(change.payloads.iter().map(|payload| payload.digest.clone()));
        if change.snapshot.is_some() {
            stored.snapshot = change.snapshot.clone();
        }
        for payload in &change.payloads {
            self.payloads.entry(payload.digest.clone()).or_insert_with(|| payload.content.to_vec());
        }
    }

    fn rows(&self, run: &RunId, after: u64) -> Result<Vec<Row>, Error> {
        let stored = self.stored(run)?;
        let mut rows = Vec::new();
        if let Some((origin, until)) = stored.record.fork.as_ref().filter(|(_, until)| after < *until) {
            rows = self.rows(origin, after)?;
            rows.retain(|row| row.seq <= *until);
        }
        rows.extend(stored.rows.iter().filter(|row| row.seq > after).cloned());
        Ok(rows)
    }

    fn may_remove(&self, run: &RunId, removal: &Removal) -> Result<(), Error> {
        let stored = self.stored(run)?;
        let refuse = |why: String| Err(Error::InUse { run: run.clone(), why });
        if stored.record.ended_at.is_none() {
            return refuse("it has not ended".into());
        }
        let fork = self
            .runs
            .values()
            .find(|other| other.record.fork.as_ref().is_some_and(|(origin, _)| origin == run) && !removal.runs.contains(&other.record.id));
        match fork {
            Some(fork) => refuse(format!("run {} was forked from it and reads its first events", fork.record.id)),
            None => Ok(()),
        }
    }
}

impl Store for Memory {
    fn commit(&mut self, commit: &Commit) -> Result<(), Error> {
        let driver = self.driver.clone().ok_or(Error::NotADriver)?;
        let mut contents = self.contents();
        if !contents.drivers.contains_key(&driver) {
            return Err(Error::Fenced);
        }
        for change in &commit.changes {
            contents.check(change, &driver)?;
        }
        for change in &commit.changes {
            contents.apply(change, &driver);
        }
        Ok(())
    }

    fn run(&self, run: &RunId) -> Result<Option<RunRecord>, Error> {
        Ok(self.contents().runs.get(run).map(|stored| stored.record.clone()))
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunRecord>, Error> {
        let contents = self.contents();
        let older = contents.order.iter().rev().skip_while(|id| filter.before.as_ref().is_some_and(|before| before != *id));
        let wanted = older
            .skip(usize::from(filter.before.is_some()))
            .filter_map(|id| contents.runs.get(id))
            .map(|stored| &stored.record)
            .filter(|record| !filter.open_only || record.ended_at.is_none())
            .filter(|record| filter.parent.is_none() || record.parent == filter.parent)
            .filter(|record| filter.workflow.as_ref().is_none_or(|workflow| *workflow == record.workflow));
        Ok(wanted.take(filter.limit.unwrap_or(usize::MAX)).cloned().collect())
    }

    fn rows(&self, run: &RunId, after: u64, most: usize) -> Result<Vec<Row>, Error> {
        let mut rows = self.contents().rows(run, after)?;
        rows.truncate(most);
        Ok(rows)
    }

    fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.contents().payloads.get(digest).cloned())
    }

    fn snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, Error> {
        Ok(self.contents().stored(run)?.snapshot.clone())
    }

    fn claim(&mut self, claim: &Claim, _now: Time) -> Result<Vec<RunRecord>, Error> {
        let ours = self.driver.clone().ok_or(Error::NotADriver)?;
        let mut contents = self.contents();
        if !contents.drivers.contains_key(&ours) {
            return Err(Error::Fenced);
        }
        let wanted = match claim {
            Claim::Run(run) => vec![run.clone()],
            Claim::AllOpen => contents.order.clone(),
        };
        let mut claimed = Vec::new();
        for run in wanted {
            let holder = contents.living_driver(&run)?;
            match (holder, claim) {
                (Some(holder), Claim::Run(_)) if holder.id != ours => {
                    return Err(Error::Driven { run, driver: holder.id, pid: holder.pid, since: holder.since });
                }
                (Some(holder), Claim::AllOpen) if holder.id != ours => continue,
                _ => {}
            }
            let Some(stored) = contents.runs.get_mut(&run) else { continue };
            if stored.record.ended_at.is_none() {
                stored.record.driver = Some(ours.clone());
                claimed.push(stored.record.clone());
            } else if matches!(claim, Claim::Run(_)) {
                claimed.push(stored.record.clone());
            }
        }
        Ok(claimed)
    }

    fn next_number(&mut self, workflow: &str, today: i64) -> Result<u32, Error> {
        let mut contents = self.contents();
        let last = contents.numbers.get(workflow).filter(|(day, _)| *day == today).map_or(0, |(_, number)| *number);
        contents.numbers.insert(workflow.to_string(), (today, last.saturating_add(1)));
        Ok(last.saturating_add(1))
    }

    fn release(&mut self) -> Result<(), Error> {
        if let Some(driver) = self.driver.take() {
            let mut contents = self.contents();
            contents.alive.remove(&driver);
            contents.revoke(&driver);
        }
        Ok(())
    }

    fn driver(&self, driver: &DriverId) -> Result<Option<DriverRecord>, Error> {
        let contents = self.contents();
        Ok(contents.drivers.get(driver).filter(|_| contents.alive.contains(driver)).cloned())
    }

    fn remove(&mut self, removal: &Removal) -> Result<Removed, Error> {
        let mut contents = self.contents();
        for run in &removal.runs {
            contents.may_remove(run, removal)?;
        }
        let kept: BTreeSet<Digest> =
            contents.runs.iter().filter(|(id, _)| !removal.runs.contains(*id)).flat_map(|(_, run)| run.uses.iter().cloned()).collect();
        let mut removed = Removed { runs: removal.runs.iter().cloned().collect(), ..Removed::default() };
        for run in &removal.runs {
            let rows = contents.runs.get(run).map(|stored| stored.rows.clone()).unwrap_or_default();
            removed.events += rows.len() as u64;
            removed.bytes += rows.iter().map(|row| row.body.len() as u64).sum::<u64>();
        }
        let unused: Vec<Digest> = contents.payloads.keys().filter(|digest| !kept.contains(*digest)).cloned().collect();
        for digest in &unused {
            removed.payloads += 1;
            removed.bytes += contents.payloads.get(digest).map_or(0, |content| content.len() as u64);
        }
        if !removal.dry_run {
            contents.runs.retain(|id, _| !removal.runs.contains(id));
            contents.order.retain(|id| !removal.runs.contains(id));
            contents.payloads.retain(|digest, _| kept.contains(digest));
        }
        Ok(removed)
    }
}
