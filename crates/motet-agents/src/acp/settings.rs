//! What the configuration says of an agent that speaks the protocol.

use std::collections::BTreeMap;

use crate::permission::Permissions;
use crate::secret::Secret;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcpSettings {
    /// What it is called in records and messages.
    pub name: String,
    /// The program and its arguments, such as `gemini --experimental-acp`.
    pub command: Vec<String>,
    pub env: BTreeMap<String, Secret>,
    pub permissions: Permissions,
    /// The mode to work in, by the agent's own id for it.
    pub mode: Option<String>,
    /// Further settings of the session by the agent's own ids, such as its model.
    pub options: BTreeMap<String, String>,
}

impl AcpSettings {
    pub fn new(name: impl Into<String>, command: Vec<String>) -> Self {
        let (name, permissions) = (name.into(), Permissions::default());
        Self { name, command, env: BTreeMap::new(), permissions, mode: None, options: BTreeMap::new() }
    }
}
