//! What the configuration says of an agent that speaks the protocol.

use std::collections::BTreeMap;

use crate::mcp::HandedServer;
use crate::permission::{Absence, Permissions};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcpSettings {
    /// What it is called in records and messages. Which of two it is, the command says.
    pub name: String,
    /// The program and its arguments, such as `gemini --experimental-acp`.
    pub command: Vec<String>,
    pub permissions: Permissions,
    /// Of what people should decide, where nobody is there.
    pub absence: Absence,
    /// The tool servers that its sessions are given.
    pub servers: Vec<HandedServer>,
    /// The mode to work in, by the agent's own id for it.
    pub mode: Option<String>,
    /// The model to work with, by the agent's own name for it.
    pub model: Option<String>,
    /// Further settings of the session by the agent's own ids.
    pub options: BTreeMap<String, String>,
}

impl AcpSettings {
    pub fn new(name: impl Into<String>, command: Vec<String>) -> Self {
        Self {
            name: name.into(),
            command,
            permissions: Permissions::default(),
            absence: Absence::default(),
            servers: Vec::new(),
            mode: None,
            model: None,
            options: BTreeMap::new(),
        }
    }
}
