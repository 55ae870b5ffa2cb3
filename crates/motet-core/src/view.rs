//! The one projection of a run that every surface shows.

use serde::Serialize;

use crate::definition::Definition;
use crate::state::State;

#[derive(Clone, Debug, Serialize)]
pub struct RunView {}

pub fn view(definition: &Definition, state: &State) -> RunView {
    let _ = (definition, state);
    RunView {}
}
