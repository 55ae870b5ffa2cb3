//! The one function: definition, state and event in; new state and effects out.

use crate::definition::Definition;
use crate::effect::Effect;
use crate::event::Event;
use crate::rejected::Rejected;
use crate::state::{State, TaskStatus};

/// Applies one event. On `Err` the state is as it was.
pub fn step(definition: &Definition, state: &mut State, event: &Event) -> Result<Vec<Effect>, Rejected> {
    let _ = (definition, state, event);
    unimplemented!()
}

/// Every effect the state still waits for: what a host must see to after a restart.
/// A task that was running is not among them: the host says `TaskInterrupted` for it, and `step` decides.
pub fn outstanding(definition: &Definition, state: &State) -> Vec<Effect> {
    let _ = (definition, state);
    unimplemented!()
}

/// The table of a task's moves.
pub fn may_move(from: TaskStatus, to: TaskStatus) -> bool {
    let _ = (from, to);
    unimplemented!()
}
