//! Attempts that are stopped because their run is to be cancelled: what they had come to is written down with the cancellation.
//! Stopping them, and waiting for their last words, is up to whoever performs them.

use std::collections::BTreeSet;

use motet_core::event::{Fact, Failure, FailureKind, LastWords, Person};
use motet_core::names::{RunId, TaskId};

use super::Engine;
use super::children::{result_of, running_children};
use crate::journal;
use crate::store::Store;

impl<S: Store> Engine<S> {
    /// The attempts that somebody is at for this run, or for a run that it has started.
    pub fn at_work_for(&self, run: &RunId) -> Vec<(RunId, TaskId, u32)> {
        let family = self.family(run);
        self.at_work().filter(|(of, ..)| family.contains(of)).cloned().collect()
    }

    /// In these runs, and in those that they have started, nothing is taken up until others are named here.
    pub fn hold_back<'a>(&mut self, runs: impl IntoIterator<Item = &'a RunId>) {
        self.held_back = runs.into_iter().cloned().collect();
        for run in std::mem::take(&mut self.put_back) {
            match self.is_held_back(&run) {
                true => drop(self.put_back.insert(run)),
                // It goes on after all.
                false => self.queue_outstanding(&run),
            }
        }
    }

    /// Whether the run, or one for whose sake it runs, is about to be cancelled.
    pub(super) fn is_held_back(&self, run: &RunId) -> bool {
        let above = |run: &&RunId| self.runs.get(*run)?.parent.as_ref();
        !self.held_back.is_empty() && std::iter::successors(Some(run), above).any(|run| self.held_back.contains(run))
    }

    /// The run and all that run for its sake.
    fn family(&self, run: &RunId) -> BTreeSet<RunId> {
        let below = self.children_of(run).into_iter().flat_map(|child| self.family(&child));
        below.chain([run.clone()]).collect()
    }

    /// What is said at the end of a run that is cancelled: by those who were stopped for it, and by the runs that it has started, which end
    /// first and tell what they took.
    pub(super) fn last_words_of(&mut self, run: &RunId) -> Vec<LastWords> {
        let children = self.runs.get(run).map(|parent| running_children(run, &parent.state)).unwrap_or_default();
        let mut last_words: Vec<_> = self.last_words.remove(run).into_iter().flatten().map(readable).collect();
        for (task, child) in children {
            last_words.extend(self.end_child(run, task, &child));
        }
        last_words
    }

    fn end_child(&mut self, parent: &RunId, task: TaskId, child: &RunId) -> Option<LastWords> {
        let attempt = self.runs.get(parent)?.state.tasks.get(&task)?.attempt;
        self.bring(child).ok()?;
        self.apply(child, not_needed()).ok()?;
        let (Ok((_, usage)) | Err((_, usage))) = result_of(&self.runs.get(child)?.state);
        Some(LastWords { task, attempt, usage, exchanges: Vec::new() })
    }

    /// Those who were stopped for a command that had no effect are neither at work nor cancelled: they were interrupted.
    pub(super) fn interrupt_unclaimed(&mut self) {
        for (run, unclaimed) in std::mem::take(&mut self.last_words) {
            for LastWords { task, attempt, usage, exchanges } in unclaimed.into_iter().map(readable) {
                self.queue.end(&run, &task, attempt);
                let error = Failure { kind: FailureKind::Interrupted, message: "it was stopped for a command that had no effect".into() };
                let fact = Fact::TaskFailed { task, attempt, error, usage, exchanges };
                if self.bring(&run).is_err() || self.command(&run, fact).is_err() {
                    self.stats.dropped += 1;
                }
            }
            self.follow();
        }
    }
}

/// What is said to a child whose parent goes on without it.
pub(super) fn not_needed() -> Fact {
    let reason = "the run that started it does not need it any more".into();
    Fact::Cancelled { by: Person::policy(), reason, last_words: Vec::new() }
}

/// Without what could not be read back; no backend nests its words so deeply by itself.
pub(super) fn readable(mut words: LastWords) -> LastWords {
    words.exchanges.retain(|exchange| !journal::is_too_deep(exchange));
    words
}
