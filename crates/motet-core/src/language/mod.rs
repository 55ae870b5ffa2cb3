//! The workflow language: from the texts of a folder to a `Definition`, with every problem reported at once.

use crate::definition::{Definition, Folder};
use crate::diagnostic::Diagnostic;

/// What a workflow may refer to outside its own folder.
pub trait Library {
    /// The folder of another workflow, for `extends` and child runs.
    fn workflow(&self, name: &str) -> Option<Folder>;
    /// Whether there is a built-in of this name.
    fn has_builtin(&self, name: &str) -> bool;
    /// The names of all built-ins, for suggestions.
    fn builtins(&self) -> Vec<String>;
}

/// A definition with the warnings it deserves, or every error and warning.
pub fn load(folder: Folder, library: &dyn Library) -> Result<(Definition, Vec<Diagnostic>), Vec<Diagnostic>> {
    let _ = (folder, library);
    unimplemented!()
}

/// The JSON Schema of `workflow.yaml`, for editors.
pub fn json_schema() -> serde_json::Value {
    unimplemented!()
}
