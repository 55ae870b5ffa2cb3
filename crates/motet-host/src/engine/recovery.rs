//! How runs come into memory: claimed after a restart, brought back after an eviction, or forked from another run.
//! All three are the same: fold the journal, and see to what is outstanding. There is no other recovery.

use std::collections::BTreeMap;

use motet_core::CallWork;
use motet_core::event::Fact;
use motet_core::names::RunId;
use motet_core::state::TaskStatus;
use serde_json::Value;

use super::Engine;
use super::children::running_children;
use super::messages::{Action, Refusal};
use super::run::Run;
use crate::journal;
use crate::store::{self, Claim, RunRecord, Store};

impl<S: Store> Engine<S> {
    /// Takes an open run over, with the runs above it: a child goes on only for its parent's sake.
    pub(super) fn claim(&mut self, run: &RunId) -> Result<Vec<RunId>, Refusal> {
        if self.holds(run) {
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
            Some(record) if record.ended_at.is_none() => Ok(self.recover(&record)?),
            _ => Err(Refusal::Rejected { run: run.clone(), rejected: motet_core::Rejected::Ended }),
        }
    }

    /// Takes over every open run that nobody drives. One that cannot be read does not keep the others.
    pub(super) fn claim_all(&mut self) -> Result<Vec<RunId>, Refusal> {
        let claimed = self.store.claim(&Claim::AllOpen, self.now)?;
        let fresh: Vec<RunRecord> = claimed.into_iter().filter(|record| !self.holds(&record.id)).collect();
        self.parked.extend(fresh.iter().map(|record| record.id.clone()));
        let mut runs = Vec::with_capacity(fresh.len());
        for record in fresh.into_iter().rev() {
            match self.recover(&record) {
                Ok(()) => runs.push(record.id),
                Err(error) => {
                    self.parked.remove(&record.id);
                    self.outbox.push(Action::Unreadable { run: record.id, error });
                }
            }
            self.follow();
            self.evict_untouched();
        }
        Ok(runs)
    }

    /// Makes sure that a run of this engine is in memory.
    pub(super) fn bring(&mut self, run: &RunId) -> Result<(), journal::Error> {
        if self.runs.contains_key(run) {
            return Ok(());
        }
        let record = self.store.run(run)?.filter(|_| self.parked.contains(run));
        let record = record.ok_or_else(|| store::Error::NotFound(run.clone()))?;
        let loaded = journal::load(&self.store, &record, &self.definitions)?;
        self.settle_in(&record.id, Run::from_store(loaded, &record));
        Ok(())
    }

    /// Loads a claimed run, with the lines of its growing files if it has any.
    fn recover(&mut self, record: &RunRecord) -> Result<(), journal::Error> {
        if self.runs.contains_key(&record.id) {
            return Ok(());
        }
        let definition = self.definitions.pinned(&self.store, record)?;
        let run = if self.settings.files && motet_core::files::has_appended(&definition) {
            let mut lines = Vec::new();
            let loaded = journal::replay(&self.store, record, &self.definitions, u64::MAX, |definition, state, event| {
                lines.extend(motet_core::files::appended(definition, state, event));
            })?;
            let mut run = Run::from_store(loaded, record);
            (run.appended, run.rebuilt) = (lines, true);
            run
        } else {
            Run::from_store(journal::load(&self.store, record, &self.definitions)?, record)
        };
        // The files may be behind what was written: they are brought up to date with the first turn.
        if self.settings.files && !run.definition.files.is_empty() {
            self.touched.insert(record.id.clone());
        }
        self.settle_in(&record.id, run);
        Ok(())
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
    fn attend_running(&mut self, id: &RunId) {
        let Some(run) = self.runs.get(id) else { return };
        let children = running_children(id, &run.state);
        let running = run.state.tasks.values().filter(|task| task.status == TaskStatus::Running);
        let lost: Vec<_> = running
            .filter(|task| !matches!(task.work, CallWork::Workflow { .. }))
            .filter(|task| !self.queue.is_at_work(id, &task.id, task.attempt))
            .map(|task| Fact::TaskInterrupted { task: task.id.clone(), attempt: task.attempt })
            .collect();
        self.follow_ups.extend(lost.into_iter().map(|fact| (id.clone(), fact)));
        for (task, child) in children {
            self.attach(id, &task, &child);
        }
    }

    /// Finds the child of a running task again, wherever it is.
    fn attach(&mut self, parent: &RunId, task: &motet_core::names::TaskId, child: &RunId) {
        if self.holds(child) {
            return;
        }
        let interrupted = |engine: &mut Self| {
            let attempt = engine.runs.get(parent).and_then(|run| run.state.tasks.get(task)).map(|task| task.attempt);
            if let Some(attempt) = attempt {
                engine.follow_ups.push_back((parent.clone(), Fact::TaskInterrupted { task: task.clone(), attempt }));
            }
        };
        match self.store.run(child) {
            Ok(Some(record)) if record.ended_at.is_some() => match journal::load(&self.store, &record, &self.definitions) {
                Ok(loaded) => {
                    self.runs.insert(child.clone(), Run::from_store(loaded, &record));
                    self.deliver_to_parent(child);
                }
                Err(error) => self.outbox.push(Action::Unreadable { run: child.clone(), error }),
            },
            Ok(Some(_)) => {
                if let Err(refusal) = self.claim_one(child) {
                    let error = match refusal {
                        Refusal::Journal(error) => error,
                        other => journal::Error::Definition { run: child.clone(), why: other.to_string() },
                    };
                    self.outbox.push(Action::Unreadable { run: child.clone(), error });
                }
            }
            Ok(None) => interrupted(self),
            Err(error) => self.outbox.push(Action::Unreadable { run: child.clone(), error: error.into() }),
        }
    }

    /// A new run that shares another's events up to `at_seq` and goes on by itself.
    pub(super) fn fork(&mut self, from: &RunId, at_seq: u64, run: RunId, set: BTreeMap<String, Value>) -> Result<(), Refusal> {
        self.refuse_known(&run)?;
        if set.values().any(journal::is_too_deep) {
            return Err(Refusal::TooDeep);
        }
        let record = self.store.run(from)?.ok_or_else(|| store::Error::NotFound(from.clone()))?;
        if at_seq == 0 || at_seq > record.seq {
            return Err(Refusal::NoSuchEvent { run: from.clone(), seq: at_seq, last: record.seq });
        }
        let loaded = journal::replay(&self.store, &record, &self.definitions, at_seq, |_, _, _| {})?;
        let mut forked = Run::from_store(loaded, &record);
        forked.written = None;
        forked.parent = None;
        forked.depth = 0;
        forked.fork = Some((from.clone(), at_seq));
        forked.created_at = self.now;
        self.runs.insert(run.clone(), forked);
        let fact = Fact::Forked { from: from.clone(), at_seq, run: run.clone(), set };
        if let Err(rejected) = self.apply(&run, fact) {
            self.runs.remove(&run);
            return Err(Refusal::Rejected { run: from.clone(), rejected });
        }
        self.queue_outstanding(&run);
        self.attend_running(&run);
        Ok(())
    }

    /// Notes that a run may leave memory once it only waits.
    pub(super) fn rest(&mut self, id: &RunId) {
        if let Some(run) = self.runs.get_mut(id).filter(|run| !run.resting) {
            run.resting = true;
            self.resting.push_back(id.clone());
        }
    }

    /// While many runs are claimed, those with nothing to write need not pile up.
    fn evict_untouched(&mut self) {
        if self.runs.len() <= self.settings.most_resting {
            return;
        }
        let Some(id) = self.resting.front().cloned() else { return };
        let idle = self.runs.get(&id).is_some_and(|run| run.pending.is_empty() && !run.rebuilt) && !self.queue.holds(&id);
        if idle {
            self.resting.pop_front();
            self.touched.remove(&id);
            self.runs.remove(&id);
            self.parked.insert(id);
        }
    }
}
