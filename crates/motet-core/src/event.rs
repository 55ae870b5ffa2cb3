//! Facts, past tense. The journal is a list of these and nothing else decides what a run is.
//! Everything that follows from a fact (states entered, counters, messages) is derived by `step`, never written down.

mod usage;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::names::{Digest, GateId, RunId, TaskId, TimerId};
use crate::units::{Time, Usd};
pub use usage::{Price, Usage};

/// The version written into every event. A journal with another one is refused, loudly.
pub const EVENT_VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// From one, without gaps.
    pub seq: u64,
    pub at: Time,
    pub fact: Fact,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    RunStarted(Box<RunStarted>),
    /// A host took the task up; it is performed once this is durable.
    TaskStarted {
        task: TaskId,
        attempt: u32,
    },
    TaskSucceeded {
        task: TaskId,
        attempt: u32,
        result: Value,
        #[serde(default)]
        usage: Usage,
        /// What was said to the backend and what it answered, for the record: the machine does not look at it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchanges: Vec<Value>,
    },
    TaskFailed {
        task: TaskId,
        attempt: u32,
        error: Failure,
        #[serde(default)]
        usage: Usage,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchanges: Vec<Value>,
    },
    /// The agent answered with a question instead of a result.
    TaskAsked {
        task: TaskId,
        attempt: u32,
        question: Question,
        #[serde(default)]
        usage: Usage,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchanges: Vec<Value>,
    },
    /// A restart found the task started and not finished.
    TaskInterrupted {
        task: TaskId,
        attempt: u32,
        /// What it had left on record.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exchanges: Vec<Value>,
    },
    /// Another process took the run over: since the last event nobody was at work on it.
    Recovered {},
    /// What a reconcilable task's backend said of an interrupted attempt: nothing was done, so it may run again.
    TaskFoundUndone {
        task: TaskId,
        attempt: u32,
    },
    TimerFired {
        timer: TimerId,
    },
    GateAnswered {
        gate: GateId,
        answer: Answer,
    },
    /// A person changed a projected file; `changes` are new values of top-level data.
    DataEdited {
        by: Person,
        file: String,
        changes: BTreeMap<String, Value>,
        /// What stood at each place that changed and what stands there now, for the record: the machine does not look at it. Journals
        /// from before it was kept have none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        diff: String,
    },
    Paused {
        by: Person,
        reason: String,
    },
    Resumed {
        by: Person,
    },
    Cancelled {
        by: Person,
        reason: String,
        /// Of those who were at work, as far as they could be heard.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        last_words: Vec<LastWords>,
    },
    /// New limits of the whole run; what is absent stays.
    LimitsRaised {
        by: Person,
        #[serde(default)]
        cost: Option<Usd>,
        #[serde(default)]
        time_ms: Option<u64>,
    },
    /// First event of a fork after the prefix it shares; `set` are new values of top-level data.
    Forked {
        from: RunId,
        at_seq: u64,
        run: RunId,
        set: BTreeMap<String, Value>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStarted {
    pub version: u32,
    pub run: RunId,
    pub workflow: String,
    pub workflow_version: String,
    /// Pins the whole folder.
    pub digest: Digest,
    /// As given, after defaults were filled in.
    pub input: Value,
    pub by: Person,
    /// Nobody will answer: gates take their `otherwise` at once.
    #[serde(default)]
    pub unattended: bool,
    /// Tighter or wider than the workflow's own limits.
    #[serde(default)]
    pub cost: Option<Usd>,
    #[serde(default)]
    pub time_ms: Option<u64>,
    /// What a call of an agent may cost, by agent name, from the user's configuration.
    #[serde(default)]
    pub prices: BTreeMap<String, Price>,
    /// What holds in the runs that tasks of this one start, by the name of their workflow: two workflows may call an agent alike.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<String, ChildTerms>,
    /// Who holds which role; empty: anyone may act in any.
    #[serde(default)]
    pub people: BTreeMap<String, Vec<String>>,
    /// How the host found the agents' backends: opaque to the machine, kept for a resume.
    #[serde(default)]
    pub bindings: Value,
    #[serde(default)]
    pub parent: Option<Parent>,
    /// Which run of its workflow this is on its day, counted by the host. None: nobody has counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// What chance decides for this run is drawn from this. None: nothing is left to chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// What an attempt that was stopped had taken and said until then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastWords {
    pub task: TaskId,
    pub attempt: u32,
    #[serde(default)]
    pub usage: Usage,
    /// For the record: the machine does not look at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Value>,
}

/// The task of another run that this run performs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parent {
    pub run: RunId,
    pub task: TaskId,
}

/// What another workflow's runs are started with instead of what the run that starts them has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildTerms {
    #[serde(default)]
    pub prices: BTreeMap<String, Price>,
    /// Laid over the bindings of the run above, field by field.
    #[serde(default)]
    pub bindings: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
}

impl Person {
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), roles: Vec::new() }
    }

    /// Whom the journal names when the machine itself decided by policy.
    pub fn policy() -> Self {
        Self::named("policy")
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Nobody answered in time.
    Timeout,
    /// Not reachable, or broken on the other side, for now.
    Unavailable,
    RateLimited,
    /// It came back in the wrong shape.
    InvalidOutput,
    /// The result itself said that it failed.
    Reported,
    /// The backend died under the call.
    Crashed,
    /// It was stopped with its process, or nobody can tell what became of it.
    Interrupted,
    /// The backend declined.
    Refused,
    /// No such model, program, workflow or built-in.
    NotFound,
    /// The configuration is wrong.
    Configuration,
    /// A template, an expression or a plan cannot be used.
    InvalidWorkflow,
    /// There was no money left to reserve.
    Budget,
    Cancelled,
}

impl FailureKind {
    /// Whether another attempt may end differently.
    pub fn is_transient(self) -> bool {
        match self {
            FailureKind::Timeout
            | FailureKind::Unavailable
            | FailureKind::RateLimited
            | FailureKind::InvalidOutput
            | FailureKind::Reported
            | FailureKind::Crashed
            | FailureKind::Interrupted => true,
            FailureKind::Refused
            | FailureKind::NotFound
            | FailureKind::Configuration
            | FailureKind::InvalidWorkflow
            | FailureKind::Budget
            | FailureKind::Cancelled => false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub question: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What holds when nobody answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The task itself, put to people because a person plays the agent: the answer is the result.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_task: bool,
    /// Whether the agent's program may do something. It is no question of the workflow: only people answer it, and it does not count.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_permission: bool,
    /// What holds in a run that nobody attends, where the user's configuration says so. None: what the workflow says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unattended: Option<Unattended>,
}

impl Question {
    /// Whether only people can answer it, whoever else answers the workflow's questions.
    pub fn is_for_people(&self) -> bool {
        self.is_task || self.is_permission
    }
}

/// What becomes of a question that nobody is there to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unattended {
    /// The question's own default holds.
    Default,
    /// It stays open until somebody comes.
    Wait,
    /// The task fails.
    Fail,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub by: Person,
    /// The chosen option, where the gate has options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Answers by question id, where the gate has questions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, String>,
    /// The digest of what was shown, so that nobody approves what they have not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Digest>,
}
