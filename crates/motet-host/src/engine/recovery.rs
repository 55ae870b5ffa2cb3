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
use super::following::FollowUp;
use super::messages::Refusal;
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
            self.follow_ups.push(FollowUp::Recover(record.id.clone()));
            runs.push(record.id);
            self.follow();
            self.evict_untouched();
        }
        Ok(runs)
    }

    /// Brings a claimed run into memory, if it is not there because of another one already.
    pub(super) fn recover_claimed(&mut self, run: &RunId) -> Result<(), journal::Error> {
        if self.runs.contains_key(run) {
            return Ok(());
        }
        let Some(record) = self.store.run(run)? else { return Ok(()) };
        let recovered = self.recover(&record);
        if matches!(&recovered, Err(error) if !may_pass(error)) {
            self.parked.remove(run);
        }
        recovered
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
        self.end_orphan(&record.id)
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
        let running = run.state.tasks.values().filter(|task| task.status == TaskStatus::Running);
        let lost: Vec<_> = running
            .filter(|task| !matches!(task.work, CallWork::Workflow { .. }))
            .filter(|task| !self.queue.is_at_work(id, &task.id, task.attempt))
            .map(|task| Fact::TaskInterrupted { task: task.id.clone(), attempt: task.attempt })
            .collect();
        for fact in lost {
            self.follow_ups.apply(id, fact);
        }
        self.follow_ups.push(FollowUp::Attach(id.clone()));
    }

    /// Finds the children of running tasks again, wherever they are.
    pub(super) fn attach_children(&mut self, parent: &RunId) -> Result<(), journal::Error> {
        let Some(run) = self.runs.get(parent) else { return Ok(()) };
        for (task, child) in running_children(parent, &run.state) {
            if self.runs.contains_key(&child) || self.parked.contains(&child) {
                continue;
            }
            match self.store.run(&child)? {
                Some(record) if record.ended_at.is_some() => {
                    let loaded = journal::load(&self.store, &record, &self.definitions)?;
                    self.runs.insert(child.clone(), Run::from_store(loaded, &record));
                    self.deliver_to_parent(&child);
                }
                Some(_) => {
                    self.store.claim(&Claim::Run(child.clone()), self.now)?;
                    self.parked.insert(child.clone());
                    self.follow_ups.push(FollowUp::Recover(child));
                }
                None => {
                    let Some(attempt) = self.runs.get(parent).and_then(|run| run.state.tasks.get(&task)).map(|task| task.attempt) else {
                        continue;
                    };
                    self.follow_ups.apply(parent, Fact::TaskInterrupted { task, attempt });
                }
            }
        }
        Ok(())
    }

    /// A child that its parent does not wait for any more has nothing to go on for.
    fn end_orphan(&mut self, id: &RunId) -> Result<(), journal::Error> {
        let Some(parent) = self.runs.get(id).and_then(|run| run.state.run.as_ref()?.parent.clone()) else { return Ok(()) };
        if self.runs.get(id).is_some_and(|run| run.fork.is_some()) {
            return Ok(());
        }
        let waits = if self.runs.contains_key(&parent.run) || self.parked.contains(&parent.run) {
            self.bring(&parent.run)?;
            self.attempt_of(&parent, id).is_some()
        } else {
            // Ended, or driven by somebody else, who will claim the child when it is free.
            self.store.run(&parent.run)?.is_some_and(|record| record.ended_at.is_none())
        };
        if !waits {
            self.cancel_child(id);
        }
        Ok(())
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

fn may_pass(error: &journal::Error) -> bool {
    matches!(error, journal::Error::Store(error) if error.may_pass())
}
