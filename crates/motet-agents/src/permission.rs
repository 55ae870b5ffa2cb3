//! What is answered when a coding agent asks whether it may do something.
//! It is a policy, not a wall: a program that does not ask is held only by its process group and by its own sandbox.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permissions {
    /// Everything it asks for, inside the task's directory.
    Allow,
    /// Reading only: nothing is written and no command is run through us.
    Reject,
    /// A person decides what it asks for, and what it has us write or run without asking: the run waits at a gate, and the conversation
    /// goes on with the answer.
    #[default]
    Ask,
}

/// What holds of a request that a person should decide, in a run that nobody attends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Absence {
    #[default]
    Reject,
    Allow,
    /// The run waits until somebody comes.
    Wait,
    /// The task fails.
    Fail,
}

/// What an agent may have us do. Leave can be given for all of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DeedKind {
    Write,
    Run,
}
