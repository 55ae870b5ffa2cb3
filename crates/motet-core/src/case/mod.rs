//! A case: a scripted test of a workflow, as data. Playing it is someone else's business.
//!
//! ```yaml
//! case: approved on the second turn
//! input: { product: eco-friendly water bottles }
//! unattended: true                    # nobody answers gates: policy does
//! budget: 2.5                         # dollars, instead of the workflow's own limit
//! max_time: 10m
//! prices: { writer: { input_per_million: 3, output_per_million: 15, max_tokens: 500 } }   # what is reserved for its calls
//! agents:                             # by agent; a command by the name of its state
//!   writer: ["Hydrate Green", "Hydrate Green, Save Our Seas"]        # call by call: what comes back
//!   reviewer:
//!     - Good rhythm but vague.                                      # a text, or any value
//!     - { returns: SHIP IT!, delay_ms: 20, tokens: 12, cost: 0.01 } # the same, with what it took
//!     - { fails: unavailable, message: no route to host, times: 3 } # the next three calls
//!     - { asks: Which tone?, options: [formal, playful], default: formal }
//!     - { hangs: true, task: b1 }                                   # only for the task or item `b1`
//!     - { hangs: until_crash }                                      # a crash ends it, and the next line answers what begins again
//!   testing: { exit: 0, stdout: 12 passed }                         # not a list: the same, every time
//! gates:                              # by state; agents' questions under `question`, unsafe restarts under `interrupted`
//!   approving: [approve, { option: changes, text: more tests, by: ada, after: 5m }, silent]
//!   asking: [{ answers: { tone: formal } }]
//! events: [{ after: 10s, cancel: true }, { in: building, crash: true }, { in: stopped, resume: { budget: 10 } }]
//! expect: { status: completed, path: [generating, reviewing, completed] }
//! ```
//!
//! A mapping in an agent's list is a line if it has one of `returns`, `fails`, `asks`, `exit`, `hangs` and no key that a
//! line does not have; every other mapping is itself what comes back.

mod grammar;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{FailureKind, Price, Question};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub name: String,
    pub input: Value,
    pub unattended: bool,
    pub budget: Option<f64>,
    pub max_time_ms: Option<u64>,
    /// What is reserved for the calls of an agent, by its name.
    pub prices: BTreeMap<String, Price>,
    /// What each agent does, call by call, by agent name; commands by state name. The last line repeats if it says so.
    pub agents: BTreeMap<String, Vec<Line>>,
    /// What people answer, gate by gate, by state name (or `question`, `interrupted`).
    pub gates: BTreeMap<String, Vec<GateLine>>,
    /// What happens from outside at a moment.
    pub events: Vec<Happening>,
    pub expect: Expect,
}

/// One call of an agent or command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub does: Does,
    pub delay_ms: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost: f64,
    pub tool_calls: u64,
    /// How many calls this line answers; None: all that follow.
    pub times: Option<u32>,
    /// Only for a task whose id, plan task id or item contains this text.
    pub task: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    Returns(Value),
    Fails {
        kind: FailureKind,
        message: String,
    },
    Asks(Question),
    Exits {
        code: i32,
        stdout: String,
        stderr: String,
    },
    /// Never answers: the timeout must end it. After a crash it never answers again.
    Hangs,
    /// Never answers, and is over with the crash that finds it at work: what begins again has the next line.
    HangsUntilCrash,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateLine {
    pub option: Option<String>,
    pub text: Option<String>,
    pub answers: BTreeMap<String, String>,
    pub by: String,
    pub after_ms: u64,
    /// Let the deadline pass instead of answering.
    pub silent: bool,
    /// Data that the person edits in a file before answering.
    pub edits: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Happening {
    /// After the run's start, or after a state was entered.
    pub after_ms: u64,
    pub in_state: Option<String>,
    pub what: Happens,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happens {
    Pause,
    Resume {
        budget: Option<f64>,
        max_time_ms: Option<u64>,
        /// Data that the person edited in a file before.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        edits: BTreeMap<String, Value>,
    },
    Cancel,
    /// The process dies and a new one takes over.
    Crash,
}

/// What must hold at the end; what is absent is not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expect {
    pub status: Option<String>,
    pub because: Option<String>,
    /// The states entered, in order.
    pub path: Option<Vec<String>>,
    pub counters: BTreeMap<String, u32>,
    /// Fields that the output must have with these values; objects are compared field by field, recursively.
    pub output: Option<Value>,
    /// The same for the run's data.
    pub data: Option<Value>,
    /// Each must be contained in some warning, in this order.
    pub warnings: Option<Vec<String>>,
    pub notes: Option<Vec<String>>,
    pub errors: Option<Vec<String>>,
    /// The same, field by field, for each message, in order.
    pub messages: Option<Vec<Value>>,
    /// By path: text that the file must contain, a list of such texts, or `{ equals: … }` or `{ json: … }`.
    pub files: BTreeMap<String, Value>,
    pub spent: Option<f64>,
    pub tokens: Option<u64>,
    pub duration_ms: Option<u64>,
    /// How often each agent was called.
    pub calls: BTreeMap<String, u32>,
    /// Sets of plan task ids that ran at the same moment.
    pub together: Vec<Vec<String>>,
    /// Event facts that must be refused, by the words of the refusal.
    pub refused: Vec<String>,
}

/// Reads a case file (YAML).
pub fn parse(file: &str, text: &str) -> Result<Case, Vec<crate::diagnostic::Diagnostic>> {
    parse::parse(file, text)
}

/// The JSON Schema of a case file, for editors.
pub fn json_schema() -> Value {
    crate::language::schema_of(&grammar::CASE, "A case of a Motet workflow")
}
