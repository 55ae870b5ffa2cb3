//! Commit, then act: one commit for everything of a turn, and what happens when it fails.
//! A commit that failed is kept whole and tried again until it is known to be durable; until then nothing else happens.

use std::collections::BTreeSet;

use motet_core::names::RunId;
use motet_core::units::Time;

use super::children::running_children;
use super::messages::{Action, Advanced, Input, Refusal};
use super::{Engine, Replied};
use crate::store::{Commit, Error, Store};

pub(super) const FIRST_WAIT_MS: u64 = 1000;
const LONGEST_WAIT_MS: u64 = 30_000;

/// A turn that is not durable yet, with all that waits for it.
pub(super) struct Stalled {
    commit: Commit,
    actions: Vec<Action>,
    replies: Vec<Replied>,
    touched: BTreeSet<RunId>,
    error: Error,
    wait_ms: u64,
    pub(super) until: Time,
}

impl<S: Store> Engine<S> {
    /// Writes everything of this turn, and releases its actions if that worked.
    pub(super) fn commit(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        let mut commit = Commit::default();
        for id in &touched {
            let Some(run) = self.runs.get_mut(id).filter(|run| !run.pending.is_empty()) else { continue };
            let definition = run.definition.clone();
            commit.changes.push(run.change(id, || self.definitions.payload(&definition)));
        }
        let actions = std::mem::take(&mut self.outbox);
        let replies = std::mem::take(&mut self.replies);
        if commit.changes.is_empty() {
            return self.act(actions, replies, touched);
        }
        match self.store.commit(&commit) {
            Ok(()) => {
                self.count(&commit);
                self.act(actions, replies, touched);
            }
            Err(error) => self.on_failure(error, commit, actions, replies, touched, FIRST_WAIT_MS),
        }
    }

    /// Tries a stalled commit again if it is time. True: it is durable, and the engine goes on.
    pub(super) fn try_again(&mut self) -> bool {
        let Some(stalled) = self.stalled.take() else { return true };
        if self.now < stalled.until {
            self.stalled = Some(stalled);
            return false;
        }
        let Stalled { commit, actions, replies, touched, wait_ms, .. } = stalled;
        let written = match self.is_durable(&commit) {
            Ok(true) => Ok(()),
            Ok(false) => self.store.commit(&commit),
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => {
                self.count(&commit);
                self.released.push(Action::Unstalled);
                self.act(actions, replies, touched);
                true
            }
            Err(error) => {
                let wait_ms = (wait_ms * 2).min(LONGEST_WAIT_MS);
                self.on_failure(error, commit, actions, replies, touched, wait_ms);
                false
            }
        }
    }

    /// A commit may have worked though the store said that it did not.
    fn is_durable(&self, commit: &Commit) -> Result<bool, Error> {
        let Some(change) = commit.changes.first() else { return Ok(true) };
        let found = self.store.run(&change.record.id)?;
        Ok(found.is_some_and(|found| found.seq == change.record.seq && found.hash == change.record.hash))
    }

    pub(super) fn on_failure(
        &mut self,
        error: Error,
        commit: Commit,
        actions: Vec<Action>,
        replies: Vec<Replied>,
        touched: BTreeSet<RunId>,
        wait_ms: u64,
    ) {
        match error {
            Error::Fenced | Error::NotADriver => self.be_fenced(replies),
            // Somebody else has written to a run that is ours.
            Error::Conflict { expected: Some(_), .. } => self.be_fenced(replies),
            error if !error.may_pass() => self.commit_apart(error, commit, actions, replies, touched),
            error => {
                let until = self.now.plus(wait_ms);
                self.released.push(Action::Stalled { error: error.clone(), until });
                self.stalled = Some(Stalled { commit, actions, replies, touched, error, wait_ms, until });
            }
        }
    }

    pub(super) fn be_fenced(&mut self, replies: Vec<Replied>) {
        self.fenced = true;
        self.runs.clear();
        self.parked.clear();
        let answers = replies.into_iter().map(|reply| Action::Reply { token: reply.token, result: Err(Refusal::Fenced) });
        self.released.extend(answers);
        self.released.push(Action::Fenced);
    }

    /// While nothing can be written, what became of calls is kept, and whoever asks for something is told why not.
    pub(super) fn keep(&mut self, inputs: Vec<Input>) {
        let Some(stalled) = &self.stalled else { return };
        let error = stalled.error.clone();
        for input in inputs {
            match input.token() {
                Some(token) => self.released.push(Action::Reply { token, result: Err(error.clone().into()) }),
                None => self.backlog.push(input),
            }
        }
    }

    pub(super) fn count(&mut self, commit: &Commit) {
        self.stats.commits += 1;
        self.stats.events += commit.changes.iter().map(|change| change.rows.len() as u64).sum::<u64>();
    }

    /// Everything is durable: the watchers are told, then whoever waits, then the work is given out.
    pub(super) fn act(&mut self, actions: Vec<Action>, replies: Vec<Replied>, touched: BTreeSet<RunId>) {
        let mut idle = Vec::new();
        for id in touched {
            let Some(run) = self.runs.get_mut(&id) else { continue };
            run.written = Some(run.state.seq);
            let advanced = Advanced {
                run: id.clone(),
                events: std::mem::take(&mut run.pending),
                appended: std::mem::take(&mut run.appended),
                rebuilt: std::mem::take(&mut run.rebuilt),
            };
            self.released.push(Action::Advanced(advanced));
            if run.has_ended() || self.queue.holds(&id) {
                continue;
            }
            // A parent whose child works may leave memory, but it is not idle.
            let has_children = !running_children(&id, &run.state).is_empty();
            self.rest(&id);
            if !has_children {
                idle.push(Action::Idle { run: id });
            }
        }
        self.released.extend(replies.into_iter().map(|reply| Action::Reply { token: reply.token, result: reply.result }));
        self.released.extend(actions);
        self.released.extend(idle);
    }
}
