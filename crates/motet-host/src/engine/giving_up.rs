//! What becomes of a run that cannot go on in this process: it leaves it, with what has not been written of it, and the others go on.
//! Its journal stays as it is, so whoever knows better can take it up again.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::event::{Fact, Failure, FailureKind, Usage};
use motet_core::names::RunId;
use motet_core::units::Usd;

use super::committing::FIRST_WAIT_MS;
use super::messages::{Action, Refusal};
use super::{Engine, Replied};
use crate::journal;
use crate::store::{Change, Commit, Error, Store};

impl<S: Store> Engine<S> {
    /// Gives up the runs under which the machine failed in this turn, before anything of the turn is written.
    pub(super) fn give_up_broken(&mut self) {
        while let Some((run, error)) = self.broken.pop_first() {
            let actions = std::mem::take(&mut self.outbox);
            self.outbox = actions.into_iter().filter(|action| action.run() != Some(&run)).collect();
            for reply in self.replies.iter_mut().filter(|reply| reply.is_about(&run)) {
                reply.result = Err(error.clone().into());
            }
            self.write_down(&run, &error);
            self.fail_parent(&run, &error);
            self.give_up(&run, error);
            self.follow();
        }
    }

    /// Lists show why the run stands still, and another process may take it up. If that cannot be written, whoever watches knows still.
    fn write_down(&mut self, run: &RunId, error: &journal::Error) {
        let Ok(Some(mut record)) = self.store.run(run) else { return };
        if record.ended_at.is_some() {
            return;
        }
        record.summary.broken = Some(error.to_string());
        let after = Some(record.seq);
        let change = Change { record, after, rows: Vec::new(), payloads: Vec::new(), snapshot: None };
        let _ = self.store.commit(&Commit { changes: vec![change] });
    }

    /// A run that waits for one that cannot go on would wait for ever.
    fn fail_parent(&mut self, run: &RunId, error: &journal::Error) {
        let Some(parent) = self.runs.get(run).and_then(|run| run.state.run.as_ref()?.parent.clone()) else { return };
        if self.bring(&parent.run).is_err() {
            return;
        }
        let Some(attempt) = self.attempt_of(&parent, run) else { return };
        let error = Failure { kind: FailureKind::Crashed, message: format!("the child run {run} cannot go on: {error}") };
        let fact = Fact::TaskFailed { task: parent.task, attempt, error, usage: self.usage_of_broken(run), exchanges: Vec::new() };
        self.follow_ups.apply(&parent.run, fact);
    }

    /// What a broken run has cost: certain is what its record says. What was held for its calls may be spent, and so may what its state
    /// says beyond the record, which is perhaps half changed.
    fn usage_of_broken(&self, run: &RunId) -> Usage {
        let written = self.store.run(run).ok().flatten().map(|record| record.summary).unwrap_or_default();
        let in_memory = self.runs.get(run).map_or(Usd::ZERO, |run| {
            let money = &run.state.money;
            money.spent + money.overrun + money.uncertain + money.reserved
        });
        let cost = (written.spent + written.uncertain + written.reserved).max(in_memory);
        let uncertain = cost.saturating_sub(written.spent);
        Usage { cost, uncertain, estimated: uncertain > Usd::ZERO, ..Usage::default() }
    }

    /// The store refuses what was to be written for good, and not because of everything in it: every family of runs is tried by itself.
    pub(super) fn commit_apart(
        &mut self,
        error: Error,
        commit: Commit,
        mut actions: Vec<Action>,
        mut replies: Vec<Replied>,
        mut touched: BTreeSet<RunId>,
    ) {
        let mut families = families(commit.changes);
        let is_alone = families.len() == 1;
        while let Some(changes) = families.pop() {
            let runs: BTreeSet<RunId> = changes.iter().map(|change| change.record.id.clone()).collect();
            let (mine, others) = actions.into_iter().partition(|action| action.run().is_some_and(|run| runs.contains(run)));
            actions = others;
            let (my_replies, others) = replies.into_iter().partition(|reply: &Replied| runs.iter().any(|run| reply.is_about(run)));
            replies = others;
            let my_touched: BTreeSet<RunId> = runs.iter().filter(|run| touched.remove(*run)).cloned().collect();
            let commit = Commit { changes };
            let written = if is_alone { Err(error.clone()) } else { self.store.commit(&commit) };
            match written {
                Ok(()) => {
                    self.count(&commit);
                    self.act(mine, my_replies, my_touched);
                }
                Err(error) if error.may_pass() => {
                    // What is left waits with it; it is tried apart again if need be.
                    actions.extend(mine);
                    replies.extend(my_replies);
                    touched.extend(my_touched);
                    let changes = commit.changes.into_iter().chain(families.into_iter().flatten()).collect();
                    return self.on_failure(error, Commit { changes }, actions, replies, touched, FIRST_WAIT_MS);
                }
                Err(Error::Fenced | Error::NotADriver | Error::Conflict { expected: Some(_), .. }) => {
                    replies.extend(my_replies);
                    return self.be_fenced(replies);
                }
                Err(error) => {
                    let refused =
                        my_replies.into_iter().map(|reply| Action::Reply { token: reply.token, result: Err(error.clone().into()) });
                    self.released.extend(refused);
                    runs.iter().for_each(|run| self.give_up(run, journal::Error::Store(error.clone())));
                    let told = std::mem::take(&mut self.outbox);
                    self.released.extend(told);
                }
            }
        }
        // What is about no run that was written, such as answers to commands that were refused.
        self.act(actions, replies, touched);
    }

    /// Forgets a run, and tells whoever watches why.
    fn give_up(&mut self, run: &RunId, error: journal::Error) {
        if let Some(ticket) = self.runs.remove(run).and_then(|run| run.resting) {
            self.resting.remove(&ticket);
        }
        self.parked.remove(run);
        self.touched.remove(run);
        self.ended.retain(|ended| ended != run);
        self.timers.clear_run(run);
        for (task, attempt) in self.queue.forget_run(run) {
            self.outbox.push(Action::Stop { run: run.clone(), task, attempt });
        }
        self.outbox.push(Action::Unreadable { run: run.clone(), error });
    }
}

impl Action {
    /// The run that it is about, if it is about one.
    fn run(&self) -> Option<&RunId> {
        match self {
            Action::Perform { call, .. } | Action::Reconcile { call, .. } => Some(&call.run),
            Action::Stop { run, .. } | Action::Idle { run } | Action::Ended { run, .. } | Action::Unreadable { run, .. } => Some(run),
            Action::Advanced(advanced) => Some(&advanced.run),
            Action::Reply { .. } | Action::Stalled { .. } | Action::Unstalled | Action::Fenced => None,
        }
    }
}

impl Replied {
    fn is_about(&self, run: &RunId) -> bool {
        match &self.result {
            Ok(runs) => runs.contains(run),
            Err(Refusal::Rejected { run: of, .. }) => of == run,
            Err(_) => false,
        }
    }
}

/// Parents and children are written together or not at all.
fn families(changes: Vec<Change>) -> Vec<Vec<Change>> {
    let parents: BTreeMap<RunId, Option<RunId>> =
        changes.iter().map(|change| (change.record.id.clone(), change.record.parent.clone())).collect();
    let eldest = |run: &RunId| {
        let mut eldest = run;
        while let Some(Some(parent)) =
            parents.get(eldest).filter(|parent| parent.as_ref().is_some_and(|parent| parents.contains_key(parent)))
        {
            eldest = parent;
        }
        eldest.clone()
    };
    let mut families: BTreeMap<RunId, Vec<Change>> = BTreeMap::new();
    for change in changes {
        families.entry(eldest(&change.record.id)).or_default().push(change);
    }
    families.into_values().collect()
}
