//! What is going to happen, and when: answers of agents, answers of people, and what comes from outside.
//! At the same moment the outside comes first and agents last, so that a crash finds their work unfinished.

use std::collections::BTreeMap;

use motet_core::case::Happens;
use motet_core::event::Usage;
use motet_core::names::{GateId, RunId, TaskId};
use motet_core::units::Time;
use motet_host::engine::Outcome;

#[derive(Debug, Default)]
pub struct Agenda {
    due: BTreeMap<(Time, Rank, u64), Due>,
    next: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Outside,
    Person,
    Agent,
}

#[derive(Debug)]
pub enum Due {
    Outside(Happens),
    /// The person at this gate has made up their mind.
    Person {
        run: RunId,
        gate: GateId,
    },
    Agent {
        run: RunId,
        task: TaskId,
        attempt: u32,
        outcome: Outcome,
        usage: Usage,
    },
}

impl Agenda {
    pub fn add(&mut self, at: Time, due: Due) {
        let rank = match due {
            Due::Outside(_) => Rank::Outside,
            Due::Person { .. } => Rank::Person,
            Due::Agent { .. } => Rank::Agent,
        };
        self.due.insert((at, rank, self.next), due);
        self.next += 1;
    }

    pub fn next_time(&self) -> Option<Time> {
        self.due.first_key_value().map(|((at, ..), _)| *at)
    }

    /// What happens next of all that is due by now: one thing from outside or from a person, or everything that agents say at once.
    pub fn take(&mut self, now: Time) -> Vec<Due> {
        let mut taken = Vec::new();
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= now) {
            let alone = entry.key().1 != Rank::Agent;
            if alone && !taken.is_empty() {
                break;
            }
            taken.push(entry.remove());
            if alone {
                break;
            }
        }
        taken
    }

    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// Nobody waits for this attempt any more.
    pub fn forget_attempt(&mut self, run: &RunId, task: &TaskId, attempt: u32) {
        self.due.retain(|_, due| !matches!(due, Due::Agent { run: r, task: t, attempt: a, .. } if r == run && t == task && *a == attempt));
    }

    /// What came from outside happened already: the journal says so.
    pub fn forget_outside(&mut self, is_meant: impl Fn(&Happens) -> bool) {
        let found = self.due.iter().find(|(_, due)| matches!(due, Due::Outside(what) if is_meant(what))).map(|(key, _)| *key);
        if let Some(key) = found {
            self.due.remove(&key);
        }
    }

    /// Keeps only what people say at gates that are still meant.
    pub fn retain_people(&mut self, is_meant: impl Fn(&RunId, &GateId) -> bool) {
        self.due.retain(|_, due| match due {
            Due::Person { run, gate } => is_meant(run, gate),
            Due::Outside(_) | Due::Agent { .. } => true,
        });
    }

    /// The process died: what agents would have said, nobody hears.
    pub fn forget_agents(&mut self) {
        self.due.retain(|_, due| !matches!(due, Due::Agent { .. }));
    }
}
