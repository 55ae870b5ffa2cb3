//! Attempts that may take longer than their timeout says, because somebody else held them up.
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
}

impl<S: Store> Engine<S> {
    /// The attempts that the next turn ends, unless they are put off.
    pub fn overdue(&self, now: Time) -> Vec<Overdue> {
        let due = self.timers.all_due(now);
        due.filter_map(|(run, timer)| {
            let (task, state) = (timer.times_out()?, &self.runs.get(run)?.state);
            let (due, attempt) = (*state.timers.get(timer)?, state.tasks.get(&task)?.attempt);
            Some(Overdue { run: run.clone(), task, attempt, due })
        })
        .collect()
    }

    /// The attempt is not ended before then.
    pub fn put_off(&mut self, overdue: &Overdue, until: Time) {
        self.timers.set(&overdue.run, &TimerId::timeout(&overdue.task), until);
    }
}
