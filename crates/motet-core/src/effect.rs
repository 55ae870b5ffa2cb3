//! What the machine wants done: imperative, plain data, with ids that are the same on every replay.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::{Class, ModelSettings};
use crate::event::Question;
use crate::names::{AgentName, GateId, RunId, TaskId, TimerId};
use crate::state::Ended;
use crate::units::{Time, Usd};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Take this up when there is a free place: say `TaskStarted`, and once that is durable, perform it.
    StartTask(Box<Call>),
    /// The task has been started: perform it now. Follows `TaskStarted` only.
    Perform(Box<Call>),
    /// Ask the backend of an interrupted task what became of this attempt.
    Reconcile(Box<Call>),
    /// Nobody waits for this any more; end it.
    StopTask {
        task: TaskId,
        attempt: u32,
    },
    SetTimer {
        timer: TimerId,
        at: Time,
    },
    ClearTimer {
        timer: TimerId,
    },
    /// A person is needed; what is asked is in the state.
    OpenGate {
        gate: GateId,
    },
    CloseGate {
        gate: GateId,
    },
    /// The run is over.
    Finish {
        ended: Ended,
    },
}

/// One attempt at one task: all that a backend needs to perform it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub run: RunId,
    pub task: TaskId,
    pub attempt: u32,
    /// The same for every sending of the same request, so that a backend can tell a repetition.
    pub key: String,
    pub agent: AgentName,
    pub role: String,
    pub work: CallWork,
    /// What `with` gave.
    pub input: Value,
    /// Why the last answer to the same request could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    /// Questions the agent asked on this task, with their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answered>,
    pub timeout_ms: u64,
    pub class: Class,
    /// The name of the working tree that the task needs for itself while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub works_in: Option<String>,
    pub model: ModelSettings,
    pub reserved: Usd,
    /// Nobody attends the run, so that whoever would ask people what is decided already need not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallWork {
    /// Whoever plays the role answers the agent's prompt, which `Definition::prompt` renders from the input.
    Prompt,
    /// Whoever plays the role answers another agent's question, given in the input.
    AnswerQuestion,
    Builtin {
        name: String,
    },
    Workflow {
        name: String,
    },
    Command {
        words: Vec<String>,
        within: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub question: Question,
    pub answer: String,
    pub by: String,
    /// The attempt that asked. What is allowed once is allowed to the attempt after it and to no other: of any later one nobody knows
    /// whether it has been done already.
    #[serde(default)]
    pub asked_in: u32,
}
