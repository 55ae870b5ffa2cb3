//! Attempts that may take longer than their timeout says, because somebody else held them up or because they are about to speak.
//! The journal knows nothing of it: a timer that fires later has fired later.

use motet_core::names::{RunId, TaskId, TimerId};
use motet_core::units::Time;

use super::Engine;
use crate::store::Store;

/// An attempt whose timeout has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overdue {
    pub run: RunId,
    pub task: TaskId,
    pub attempt: u32,
    /// When its time was up by what the machine knows.
    pub due: Time,
    /// Once the time of its run is up, nobody waits for what holds it up.
    pub may_be_held_up: bool,
}

impl<S: Store> Engine<S> {
    /// All attempts that somebody is at.
    pub fn at_work(&self) -> impl Iterator<Item = &(RunId, TaskId, u32)> {
        self.queue.at_work()
    }

    /// The attempts that somebody is at for a run whose time is up now, or for a run that such a run has started.
    pub fn out_of_time(&self, now: Time) -> Vec<(RunId, TaskId, u32)> {
        if !self.timers.all_due(now).any(|(_, timer)| timer.is_time_limit()) {
            return Vec::new();
        }
        self.at_work().filter(|(run, ..)| self.is_out_of_time(run, now)).cloned().collect()
    }

    /// Whether the run, or one for whose sake it runs, has no time left.
    fn is_out_of_time(&self, run: &RunId, now: Time) -> bool {
        let mut next = self.runs.get(run);
        while let Some(run) = next {
            if run.state.is_out_of_time(now) {
                return true;
            }
            let parent = run.state.run.as_ref().and_then(|run| run.parent.as_ref());
            next = parent.and_then(|parent| self.runs.get(&parent.run));
        }
        false
    }

    /// The attempts that the next turn ends, unless they are put off.
    pub fn overdue(&self, now: Time) -> Vec<Overdue> {
        let due = self.timers.all_due(now);
        due.filter_map(|(run, timer)| {
            let (task, state) = (timer.times_out()?, &self.runs.get(run)?.state);
            let (due, attempt) = (*state.timers.get(timer)?, state.tasks.get(&task)?.attempt);
            Some(Overdue { run: run.clone(), task, attempt, due, may_be_held_up: !self.is_out_of_time(run, now) })
        })
        .collect()
    }

    /// The attempt is not ended before then.
    pub fn put_off(&mut self, overdue: &Overdue, until: Time) {
        self.timers.set(&overdue.run, &TimerId::timeout(&overdue.task), until);
    }
}
