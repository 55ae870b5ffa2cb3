//! How runs come into memory: claimed after a restart, brought back after an eviction, or forked from another run.
//! All three are the same: fold the journal, and see to what is outstanding. There is no other recovery.

use motet_core::CallWork;
use motet_core::event::Fact;
use motet_core::names::RunId;
use motet_core::state::{Task, TaskStatus};

use super::Engine;
use super::following::FollowUp;
use super::messages::Refusal;
use super::run::Run;
use crate::journal;
use crate::store::{self, Claim, RunRecord, Store};

/// How many claimed runs come into memory with one turn.
const MOST_RECOVERED: usize = 500;

/// Why a run of this engine is not in memory.
#[derive(Clone, Copy)]
pub(super) enum Parked {
    /// It was not there yet: what ran when its last process ended is interrupted.
    Claimed,
    Evicted,
}

impl<S: Store> Engine<S> {
    /// Takes an open run over, with the runs above it: a child goes on only for its parent's sake.
    pub(super) fn claim(&mut self, run: &RunId) -> Result<Vec<RunId>, Refusal> {
        if self.holds(run) {
            self.bring(run)?;
            return Ok(vec![run.clone()]);
        }
        let record = self.store.run(run)?.ok_or_else(|| store::Error::NotFound(run.clone()))?;
        if let Some(parent) = record.parent.filter(|_| record.ended_at.is_none()) {
            self.claim(&parent)?;
        }
        if !self.holds(run) {
            self.claim_one(run)?;
        }
        Ok(vec![run.clone()])
    }

    fn claim_one(&mut self, run: &RunId) -> Result<(), Refusal> {
        let claimed = self.store.claim(&Claim::Run(run.clone()), self.now)?;
        match claimed.into_iter().next() {
            Some(record) if record.ended_at.is_none() => {
                self.parked.insert(run.clone(), Parked::Claimed);
                Ok(self.recover(&record)?)
            }
            _ => Err(Refusal::Rejected { run: run.clone(), rejected: motet_core::Rejected::Ended }),
        }
    }

    /// Takes over every open run that nobody drives. They come into memory with this turn and the next ones, a few at a time.
    pub(super) fn claim_all(&mut self) -> Result<Vec<RunId>, Refusal> {
        let claimed = self.store.claim(&Claim::AllOpen, self.now)?;
        let oldest_first = claimed.into_iter().rev().map(|record| record.id);
        let fresh: Vec<RunId> = oldest_first.filter(|run| !self.holds(run)).collect();
        self.parked.extend(fresh.iter().map(|run| (run.clone(), Parked::Claimed)));
        self.recovering.extend(fresh.iter().cloned());
        self.recover_some();
        Ok(fresh)
    }

    /// Brings claimed runs into memory, not more than may be there at once. One that cannot be read does not keep the others.
    pub(super) fn recover_some(&mut self) {
        for _ in 0..MOST_RECOVERED {
            let Some(run) = self.recovering.pop_front() else { return };
            if self.parked.contains_key(&run) {
                self.follow_ups.push(FollowUp::Bring(run));
                self.follow();
            }
        }
    }

    /// Makes sure that a run of this engine is in memory.
    pub(super) fn bring(&mut self, run: &RunId) -> Result<(), journal::Error> {
        if self.runs.contains_key(run) {
            return Ok(());
        }
        let not_found = || store::Error::NotFound(run.clone());
        let parked = *self.parked.get(run).ok_or_else(not_found)?;
        let record = self.store.run(run)?.ok_or_else(not_found)?;
        match parked {
            Parked::Claimed => self.recover(&record),
            Parked::Evicted => {
                let loaded = journal::load(&self.store, &record, &self.definitions)?;
                self.settle_in(run, Run::from_store(loaded, &record));
                Ok(())
            }
        }
    }

    /// Loads a claimed run, with the lines of its growing files if it has any.
    fn recover(&mut self, record: &RunRecord) -> Result<(), journal::Error> {
        let loaded = self.load_with_lines(record);
        if matches!(&loaded, Err(error) if !error.may_pass()) {
            self.parked.remove(&record.id);
        }
        let run = loaded?;
        // The files may be behind what was written, and whoever watches has not heard of it: both are brought up to date with this turn.
        self.touched.insert(record.id.clone());
        // Before anything else happens to it, so that the time since its last event counts as what it was.
        if run.state.clock.running_since.is_some() {
            self.follow_ups.apply(&record.id, Fact::Recovered {});
        }
        self.settle_in(&record.id, run);
        self.follow_ups.push(FollowUp::EndOrphan(record.id.clone()));
        Ok(())
    }

    fn load_with_lines(&self, record: &RunRecord) -> Result<Run, journal::Error> {
        let definition = self.definitions.pinned(&self.store, record)?;
        if !self.settings.files || !motet_core::files::has_appended(&definition) {
            return Ok(Run::from_store(journal::load(&self.store, record, &self.definitions)?, record));
        }
        let mut lines = Vec::new();
        let loaded = journal::replay(&self.store, record, &self.definitions, u64::MAX, |definition, state, event| {
            lines.extend(motet_core::files::appended(definition, state, event));
        })?;
        let mut run = Run::from_store(loaded, record);
        (run.appended, run.rebuilt) = (lines, true);
        Ok(run)
    }

    /// Puts a run into memory and sees to everything it waits for.
    fn settle_in(&mut self, id: &RunId, run: Run) {
        self.parked.remove(id);
        self.runs.insert(id.clone(), run);
        self.queue_outstanding(id);
        self.attend_running(id);
        self.rest(id);
    }

    /// What the journal calls running is at work here, is a child run, or was interrupted.
    pub(super) fn attend_running(&mut self, id: &RunId) {
        let Some(run) = self.runs.get(id) else { return };
        let running = run.state.tasks.values().filter(|task| task.status == TaskStatus::Running);
        let lost: Vec<_> = running
            .filter(|task| !matches!(task.work, CallWork::Workflow { .. }))
            .filter(|task| !self.queue.is_at_work(id, &task.id, task.attempt))
            .map(|task| self.interrupted(id, task))
            .collect();
        for fact in lost {
            self.follow_ups.apply(id, fact);
        }
        self.follow_ups.push(FollowUp::Attach(id.clone()));
    }

    fn interrupted(&self, run: &RunId, Task { id: task, attempt, .. }: &Task) -> Fact {
        let mut exchanges = (self.settings.recall)(run, task, *attempt);
        exchanges.retain(|exchange| !journal::is_too_deep(exchange));
        Fact::TaskInterrupted { task: task.clone(), attempt: *attempt, exchanges }
    }

    /// Notes that a run may leave memory once it only waits.
    pub(super) fn rest(&mut self, id: &RunId) {
        if let Some(run) = self.runs.get_mut(id).filter(|run| run.resting.is_none()) {
            self.next_rest += 1;
            run.resting = Some(self.next_rest);
            self.resting.insert(self.next_rest, id.clone());
        }
    }

    /// Lets runs leave memory: those that have ended, and of those that only wait as many as may not stay.
    pub(super) fn evict(&mut self) {
        for id in std::mem::take(&mut self.ended) {
            if let Some(ticket) = self.runs.remove(&id).and_then(|run| run.resting) {
                self.resting.remove(&ticket);
            }
        }
        while self.runs.len() > self.settings.most_resting {
            let Some((_, id)) = self.resting.pop_first() else { return };
            let Some(run) = self.runs.get_mut(&id) else { continue };
            run.resting = None;
            if run.pending.is_empty() && run.written.is_some() && !self.queue.holds(&id) {
                self.runs.remove(&id);
                self.parked.insert(id, Parked::Evicted);
            }
        }
    }
}
