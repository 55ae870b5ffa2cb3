//! Every moment that some run waits for, the nearest first.
//! Timers outlive the eviction of their run: a moment that comes brings the run back.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::names::{RunId, TimerId};
use motet_core::units::Time;

#[derive(Default)]
pub struct Timers {
    by_time: BTreeSet<(Time, RunId, TimerId)>,
    by_run: BTreeMap<(RunId, TimerId), Time>,
}

impl Timers {
    pub fn set(&mut self, run: &RunId, timer: &TimerId, at: Time) {
        self.clear(run, timer);
        self.by_time.insert((at, run.clone(), timer.clone()));
        self.by_run.insert((run.clone(), timer.clone()), at);
    }

    pub fn clear(&mut self, run: &RunId, timer: &TimerId) {
        if let Some(at) = self.by_run.remove(&(run.clone(), timer.clone())) {
            self.by_time.remove(&(at, run.clone(), timer.clone()));
        }
    }

    pub fn clear_run(&mut self, run: &RunId) {
        let from = (run.clone(), TimerId::new(""));
        let timers: Vec<TimerId> =
            self.by_run.range(from..).take_while(|((owner, _), _)| owner == run).map(|((_, timer), _)| timer.clone()).collect();
        for timer in timers {
            self.clear(run, &timer);
        }
    }

    /// Takes out the first timer that is due.
    pub fn due(&mut self, now: Time) -> Option<(RunId, TimerId)> {
        let (at, run, timer) = self.by_time.first()?.clone();
        if at > now {
            return None;
        }
        self.clear(&run, &timer);
        Some((run, timer))
    }

    /// All that are due, which stay where they are.
    pub fn all_due(&self, now: Time) -> impl Iterator<Item = (&RunId, &TimerId)> {
        self.by_time.iter().take_while(move |(at, ..)| *at <= now).map(|(_, run, timer)| (run, timer))
    }

    pub fn next(&self) -> Option<Time> {
        self.by_time.first().map(|(at, ..)| *at)
    }
}
