//! What a case lets happen from outside, and when: pauses, resumes, cancellations, crashes.
//! It only says so; carrying it out is the business of whoever plays the case.

use std::collections::BTreeMap;
use std::mem::Discriminant;

use motet_core::State;
use motet_core::case::{Case, Happening, Happens};
use motet_core::names::RunId;
use motet_core::units::Time;

#[derive(Debug)]
pub struct Outside {
    events: Vec<Happening>,
    /// How much of each run's path has been looked at.
    walked: BTreeMap<RunId, usize>,
    /// How often each state was entered.
    entered: BTreeMap<String, usize>,
}

impl Outside {
    pub fn new(case: &Case) -> Self {
        Self { events: case.events.clone(), walked: BTreeMap::new(), entered: BTreeMap::new() }
    }

    /// What does not wait for a state.
    pub fn not_bound_to_a_state(&self, started_at: Time) -> Vec<(Time, Happens)> {
        let free = self.events.iter().filter(|happening| happening.in_state.is_none());
        free.map(|happening| (started_at.plus(happening.after_ms), happening.what.clone())).collect()
    }

    /// What the states that a run has entered since the last look let happen.
    pub fn advanced(&mut self, run: &RunId, state: &State) -> Vec<(Time, Happens)> {
        let walked = self.walked.entry(run.clone()).or_default();
        let mut due = Vec::new();
        for passage in state.path.iter().skip(*walked) {
            let times = self.entered.entry(passage.to.to_string()).or_default();
            let meant = on_entering(&self.events, passage.to.as_str(), *times);
            due.extend(meant.map(|happening| (passage.at.plus(happening.after_ms), happening.what.clone())));
            *times += 1;
        }
        *walked = state.path.len();
        due
    }
}

/// The second crash in a state is meant for its second visit; a pause and a resume in it are meant for the same one.
fn on_entering<'e>(events: &'e [Happening], state: &str, times: usize) -> impl Iterator<Item = &'e Happening> {
    let mut seen: Vec<Discriminant<Happens>> = Vec::new();
    let mut wanted = Vec::new();
    for happening in events.iter().filter(|happening| happening.in_state.as_deref() == Some(state)) {
        let kind = std::mem::discriminant(&happening.what);
        let before = seen.iter().filter(|known| **known == kind).count();
        seen.push(kind);
        if before == times {
            wanted.push(happening);
        }
    }
    wanted.into_iter()
}
