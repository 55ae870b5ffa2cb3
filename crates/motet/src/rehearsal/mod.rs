//! Plays a case: the real engine over a store in memory, scripted agents and people, and time that only jumps.
//! It compares nothing by itself; `compare` says what a case expected and did not get.

mod agenda;
mod compare;
mod differences;
mod ending;
mod names;
mod people;
mod stage;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use motet_core::case::Case;
use motet_core::event::Event;
use motet_core::state::Passage;
use motet_core::view::RunStatus;
use motet_core::{Definition, State};

pub use compare::compare;
pub use differences::{Difference, Line as DifferenceLine};
pub use people::name_of as gate_name;

use crate::library::Library;

/// How a case went.
#[derive(Debug, Default)]
pub struct Rehearsal {
    /// The journal of the run.
    pub events: Vec<Event>,
    /// As it is at the end.
    pub state: State,
    /// Words of every refusal that the case's people, or its input, were given.
    pub refused: Vec<String>,
    /// Ids of plan tasks that were at work at the same moment.
    pub together: BTreeSet<BTreeSet<String>>,
    pub files: BTreeMap<String, Result<String, String>>,
    /// How often each agent was called; commands by their state.
    pub calls: BTreeMap<String, u32>,
    pub duration_ms: u64,
    /// What the run waits for, if it has not ended and nothing more can happen.
    pub stuck: Option<String>,
    /// What the host itself got wrong. Always a defect of Motet.
    pub broken: Vec<String>,
}

impl Rehearsal {
    pub fn path(&self) -> &[Passage] {
        &self.state.path
    }

    /// In the words that cases use; None if the run was never started.
    pub fn status(&self) -> Option<&'static str> {
        status_word(&self.state)
    }
}

/// How a run stands, in the words that cases use; None if it was never started.
pub fn status_word(state: &State) -> Option<&'static str> {
    state.run.as_ref()?;
    Some(match motet_core::view::status(state) {
        RunStatus::WaitingUser => "waiting",
        RunStatus::OutOfBudget => "paused",
        other => other.word(),
    })
}

/// Plays a case to its end. `file` is what messages call the case.
pub fn play(definition: &Arc<Definition>, case: &Case, file: &str, library: &Library) -> Rehearsal {
    stage::Stage::new(definition.clone(), case, file, library).play()
}

/// Names that the case uses and the workflow, or a workflow it starts, does not have.
pub fn unknown_names(definition: &Definition, case: &Case, library: &Library) -> Vec<String> {
    names::unknown(definition, case, library)
}
