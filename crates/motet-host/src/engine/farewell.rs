//! Attempts that are stopped because their run is to be cancelled: what they had come to is written down with the cancellation.
//! Stopping them, and waiting for their last words, is up to whoever performs them.

use std::collections::BTreeSet;

use motet_core::event::{Fact, LastWords};
use motet_core::names::{RunId, TaskId};

use super::Engine;
use crate::store::Store;

impl<S: Store> Engine<S> {
    /// The attempts that somebody is at for this run, or for a run that it has started.
    pub fn at_work_for(&self, run: &RunId) -> Vec<(RunId, TaskId, u32)> {
        let family = self.family(run);
        self.at_work().filter(|(of, ..)| family.contains(of)).cloned().collect()
    }

    /// In these runs, and in those that they have started, nothing is taken up until others are named here.
    pub fn hold_back<'a>(&mut self, runs: impl IntoIterator<Item = &'a RunId>) {
        self.held_back = runs.into_iter().flat_map(|run| self.family(run)).collect();
    }

    /// The run and all that run for its sake.
    fn family(&self, run: &RunId) -> BTreeSet<RunId> {
        let below = self.children_of(run).into_iter().flat_map(|child| self.family(&child));
        below.chain([run.clone()]).collect()
    }

    /// Those who were stopped for a command that had no effect are neither at work nor cancelled: they were interrupted.
    pub(super) fn interrupt_unclaimed(&mut self) {
        for (run, unclaimed) in std::mem::take(&mut self.last_words) {
            for LastWords { task, attempt, usage, exchanges } in unclaimed {
                self.queue.end(&run, &task, attempt);
                let fact = Fact::TaskInterrupted { task, attempt, usage: Some(usage), exchanges };
                if self.bring(&run).is_err() || self.command(&run, fact).is_err() {
                    self.stats.dropped += 1;
                }
            }
            self.follow();
        }
    }
}
