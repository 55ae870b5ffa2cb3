//! Brings a play to where the journal says it is: which lines were spoken, what has happened from outside, and what is still to come.
//! Nothing of a play is kept anywhere else, so it survives its process like everything else of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use motet_core::case::Happens;
use motet_core::names::RunId;
use motet_core::units::Time;
use motet_core::{Definition, Effect, Event, Fact, State, step};

use super::Play;
use super::play::Stage;

/// What has happened to one run. A fork has the events of another.
pub struct Past {
    pub run: RunId,
    pub definition: Arc<Definition>,
    pub events: Vec<Event>,
}

impl Play {
    /// `was_stopped`: the process that played until then has died or was interrupted, for which the case's next crash is taken.
    /// The error is an event that the machine does not take, with its run.
    pub fn recall(&self, past: &[Past], was_stopped: bool) -> Result<(), (RunId, u64, String)> {
        let mut stage = self.stage();
        let mut states: BTreeMap<&RunId, State> = BTreeMap::new();
        // Runs that start each other share their agents' lines, which were given out in this order.
        let mut all: Vec<(&Past, &Event)> = past.iter().flat_map(|past| past.events.iter().map(move |event| (past, event))).collect();
        all.sort_by_key(|(_, event)| event.at);
        for (past, event) in all {
            let state = states.entry(&past.run).or_default();
            let refused = |rejected: motet_core::Rejected| (past.run.clone(), event.seq, rejected.to_string());
            let mut effects = step(&past.definition, state, event).map_err(refused)?;
            for effect in &mut effects {
                if let Effect::Perform(call) = effect {
                    call.run = past.run.clone();
                }
            }
            stage.script.follow(&past.run, event, &effects);
            stage.take_as_happened(&past.run, &event.fact);
            stage.advanced(&past.run, &past.definition, state);
        }
        let Stage { agenda, people, .. } = &mut *stage;
        agenda.retain_people(|run, gate| people.is_about_to_speak(run, gate));
        if was_stopped {
            agenda.forget_outside(|what| *what == Happens::Crash);
        }
        Ok(())
    }
}

impl Stage {
    fn take_as_happened(&mut self, run: &RunId, fact: &Fact) {
        match fact {
            Fact::GateAnswered { gate, .. } => {
                self.people.was_heard(run, gate);
                self.agenda.retain_people(|of, at| of != run || at != gate);
            }
            _ if *run != self.run => {}
            Fact::Paused { .. } => self.agenda.forget_outside(|what| *what == Happens::Pause),
            Fact::Cancelled { .. } => self.agenda.forget_outside(|what| *what == Happens::Cancel),
            // A paused run that is given more is resumed in the same breath.
            Fact::LimitsRaised { .. } => {
                self.agenda.forget_outside(gives_more);
                self.given_more = self.paused;
            }
            // A run that had died is not resumed in its journal: what was edited then says that it was. At a gate, edits come with its answer.
            Fact::DataEdited { .. } if !self.paused && !self.at_gates.contains_key(run) => {
                self.agenda.forget_outside(|what| matches!(what, Happens::Resume { edits, .. } if !edits.is_empty()) && !gives_more(what));
            }
            Fact::Resumed { .. } if std::mem::take(&mut self.given_more) => {}
            Fact::Resumed { .. } => {
                self.agenda.forget_outside(|what| matches!(what, Happens::Resume { .. }) && !gives_more(what));
            }
            _ => {}
        }
    }
}

fn gives_more(what: &Happens) -> bool {
    matches!(what, Happens::Resume { budget, max_time_ms, .. } if budget.is_some() || max_time_ms.is_some())
}

/// When the last thing happened: a play's time stands while nobody plays it.
pub fn latest(past: &[Past]) -> Option<Time> {
    past.iter().filter_map(|past| past.events.last()).map(|event| event.at).max()
}
