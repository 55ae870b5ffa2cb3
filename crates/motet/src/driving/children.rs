//! What is known of the runs that tasks of ours have started, and of those that they have: who of them is at work, and who waits.
//! It keeps what the driver tells; it neither loads nor asks anything.

use std::collections::BTreeMap;

use motet_core::definition::TroubleKind;
use motet_core::names::RunId;
use motet_core::state::{OpenGate, State, Status};
use motet_core::view::{self, RunStatus};
use motet_host::engine::{is_at_work, running_children};

use crate::cli::MOTET;

/// A run below ours, as it stood when it was heard of last.
pub struct Child {
    pub status: RunStatus,
    gates: Vec<OpenGate>,
    /// Why it is paused, and which limit made it so.
    pause: Option<(String, Option<TroubleKind>)>,
    is_at_work: bool,
    below: Vec<RunId>,
}

impl Child {
    pub fn of(run: &RunId, state: &State) -> Self {
        let pause = match &state.status {
            Status::Paused { reason, limit } => Some((reason.clone(), *limit)),
            Status::New | Status::Running | Status::Ended => None,
        };
        Self {
            status: view::status(state),
            gates: state.gates.values().cloned().collect(),
            pause,
            is_at_work: is_at_work(state),
            below: below(run, state),
        }
    }
}

#[derive(Default)]
pub struct Children(BTreeMap<RunId, Child>);

impl Children {
    pub fn heard(&mut self, run: RunId, child: Child) {
        self.0.insert(run, child);
    }

    /// Whether nothing goes on in any of these, nor in those that they wait for, until somebody does something. One that nothing was
    /// heard of yet has only just begun.
    pub fn all_wait(&self, runs: &[RunId]) -> bool {
        let waits = |run: &RunId| match self.0.get(run) {
            None => false,
            Some(child) => match child.status {
                RunStatus::WaitingUser => true,
                RunStatus::Paused | RunStatus::OutOfBudget => !child.is_at_work && self.all_wait(&child.below),
                RunStatus::Running => !child.is_at_work && !child.below.is_empty() && self.all_wait(&child.below),
                _ => false,
            },
        };
        runs.iter().all(waits)
    }

    pub fn is_paused(&self, run: &RunId) -> bool {
        self.0.get(run).is_some_and(|child| child.pause.is_some())
    }

    pub fn gates(&self) -> impl Iterator<Item = (&RunId, &OpenGate)> {
        self.0.iter().flat_map(|(run, child)| child.gates.iter().map(move |gate| (run, gate)))
    }

    pub fn ended(&self) -> impl Iterator<Item = &RunId> {
        self.0.iter().filter(|(_, child)| !child.status.is_open()).map(|(run, _)| run)
    }

    /// Those that were paused, each with why, and what lets it go on.
    pub fn paused(&self) -> impl Iterator<Item = [String; 2]> {
        self.0.iter().filter_map(|(run, child)| {
            let (reason, limit) = child.pause.as_ref()?;
            let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            let option = if *limit == Some(TroubleKind::Time) { " --max-time DURATION" } else { "" };
            Some([format!("{run} is paused{because}"), format!("go on   {MOTET} resume {run}{option}")])
        })
    }
}

/// The runs that perform tasks of this one now.
pub fn below(run: &RunId, state: &State) -> Vec<RunId> {
    running_children(run, state).into_iter().map(|(_, child)| child).collect()
}
