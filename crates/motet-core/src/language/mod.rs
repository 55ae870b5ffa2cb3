//! The workflow language: from the texts of a folder to a `Definition`, with every problem reported at once.
//! What holds of all paths through a workflow is not decided here but in `check`.

mod agents;
pub mod codes;
mod extends;
mod files;
mod gates;
pub mod grammar;
mod json_schema;
mod offline;
mod plans;
pub(crate) mod reader;
mod reading;
mod require;
mod resolve;
mod shapes;
mod states;
#[cfg(test)]
mod tests;
mod transitions;
mod workflow;
pub(crate) mod yaml;

pub use extends::is_workflow_name;
pub(crate) use extends::value_of;

use crate::definition::{Definition, Folder};
use crate::diagnostic::Diagnostic;

/// What a workflow may refer to outside its own folder.
pub trait Library {
    /// The folder of another workflow, for `extends` and child runs.
    fn workflow(&self, name: &str) -> Option<Folder>;
    /// The names of all workflows, for suggestions.
    fn workflows(&self) -> Vec<String> {
        Vec::new()
    }
    /// Whether there is a built-in of this name.
    fn has_builtin(&self, name: &str) -> bool;
    /// The names of all built-ins, for suggestions.
    fn builtins(&self) -> Vec<String>;
}

/// A definition with the warnings it deserves, or every error and warning.
pub fn load(folder: Folder, library: &dyn Library) -> Result<(Definition, Vec<Diagnostic>), Vec<Diagnostic>> {
    workflow::load(folder, library)
}

/// The JSON Schema of `workflow.yaml`, for editors.
pub fn json_schema() -> serde_json::Value {
    let mut schema = json_schema::of(&grammar::WORKFLOW, "A Motet workflow");
    json_schema::require(&mut schema, &grammar::WORKFLOW, Some("extends"));
    schema
}

/// The JSON Schema of another kind of file that is read with the same grammar.
pub(crate) fn schema_of(top: &'static grammar::Mapping, title: &str) -> serde_json::Value {
    let mut schema = json_schema::of(top, title);
    json_schema::require(&mut schema, top, None);
    schema
}
