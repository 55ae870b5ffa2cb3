//! The well-known coding programs in their non-interactive modes: what each is called with, and how its output is read.
//! What they have in common is in one agent; what sets them apart is data in one table.

mod agent;
mod format;
mod plain;
mod stream;
mod table;
#[cfg(test)]
mod tests;
mod uses;

use motet_core::event::{Failure, FailureKind};

pub use agent::PresetAgent;
pub(crate) use format::Counted;

use crate::permission::Permissions;

/// What the configuration may say of a preset; the defaults are the program's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetSettings {
    /// Where the program is, if not in the path under its own name.
    pub program: Option<String>,
    pub model: Option<String>,
    /// These programs cannot ask in the middle of their work, so `Ask` is refused.
    pub permissions: Permissions,
    /// Further arguments, after those of the preset.
    pub arguments: Vec<String>,
}

impl Default for PresetSettings {
    fn default() -> Self {
        Self { program: None, model: None, permissions: Permissions::Allow, arguments: Vec::new() }
    }
}

/// The agent of this preset.
pub fn agent(name: &str, settings: PresetSettings) -> Result<PresetAgent, Failure> {
    let wrong = |message: String| Failure { kind: FailureKind::Configuration, message };
    let Some(preset) = table::PRESETS.iter().find(|preset| preset.name == name) else {
        let known: Vec<&str> = names().collect();
        return Err(wrong(format!("there is no preset `{name}` (there are: {})", known.join(", "))));
    };
    if settings.permissions == Permissions::Ask {
        return Err(wrong(format!(
            "`{name}` cannot ask for permission when it is run as a command: allow or reject, or reach it over the Agent Client Protocol"
        )));
    }
    Ok(PresetAgent::new(preset, settings))
}

/// The presets there are.
pub fn names() -> impl Iterator<Item = &'static str> {
    table::PRESETS.iter().map(|preset| preset.name)
}

/// The program that a preset runs unless the configuration says otherwise.
pub fn program(name: &str) -> Option<&'static str> {
    table::PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.program)
}
