//! What goes into a turn and what comes out of it, as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use motet_core::event::{Answer, Event, Fact, Failure, LastWords, Person, Question, RunStarted, Usage};
use motet_core::files::Projected;
use motet_core::names::{GateId, RunId, TaskId};
use motet_core::state::Ended;
use motet_core::units::{Time, Usd};
use motet_core::{Call, Definition, Rejected};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{journal, store};

/// Names a question to the engine, so that its answer finds the asker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token(pub u64);

pub enum Input {
    Start {
        token: Token,
        started: Box<RunStarted>,
        definition: Arc<Definition>,
    },
    /// A new run that shares another's first events.
    Fork {
        token: Token,
        from: RunId,
        at_seq: u64,
        run: RunId,
        set: BTreeMap<String, Value>,
    },
    /// Load an open run and go on with it.
    Claim {
        token: Token,
        run: RunId,
    },
    /// The same for every open run that nobody drives.
    ClaimAll {
        token: Token,
    },
    Command {
        token: Token,
        run: RunId,
        command: Command,
    },
    /// What became of a call that was performed or reconciled.
    Completed {
        run: RunId,
        task: TaskId,
        attempt: u32,
        outcome: Outcome,
        usage: Usage,
        /// For the record.
        exchanges: Vec<Value>,
    },
    /// What an attempt that was stopped had come to: said before the command for whose sake it was stopped, in the same turn.
    Heard {
        run: RunId,
        words: LastWords,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Succeeded(Value),
    Failed(Failure),
    Asked(Question),
    /// Nothing had been done: by a call that was asked about, or one that was withdrawn before it began.
    Undone,
}

/// What a person may tell a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    Answer { gate: GateId, answer: Answer },
    Pause { by: Person, reason: String },
    Resume { by: Person },
    Cancel { by: Person, reason: String },
    RaiseLimits { by: Person, cost: Option<Usd>, time_ms: Option<u64> },
    EditData { by: Person, file: String, changes: BTreeMap<String, Value> },
}

impl From<Command> for Fact {
    fn from(command: Command) -> Fact {
        match command {
            Command::Answer { gate, answer } => Fact::GateAnswered { gate, answer },
            Command::Pause { by, reason } => Fact::Paused { by, reason },
            Command::Resume { by } => Fact::Resumed { by },
            // What those at work came to can only be told by whoever has stopped them.
            Command::Cancel { by, reason } => Fact::Cancelled { by, reason, last_words: Vec::new() },
            Command::RaiseLimits { by, cost, time_ms } => Fact::LimitsRaised { by, cost, time_ms },
            // What it changes can only be told by whoever has the run.
            Command::EditData { by, file, changes } => Fact::DataEdited { by, file, changes, diff: String::new() },
        }
    }
}

/// What is to be done now that the turn is durable, in this order.
#[derive(Debug)]
pub enum Action {
    Perform {
        call: Box<Call>,
        definition: Arc<Definition>,
    },
    /// Ask the backend what became of this attempt.
    Reconcile {
        call: Box<Call>,
        definition: Arc<Definition>,
    },
    Stop {
        run: RunId,
        task: TaskId,
        attempt: u32,
    },
    Reply {
        token: Token,
        result: Result<Vec<RunId>, Refusal>,
    },
    /// What happened to a run, in order, once per run and turn.
    Advanced(Advanced),
    /// The run has nothing to do but to wait: for a person, a moment, or to be resumed.
    Idle {
        run: RunId,
    },
    Ended {
        run: RunId,
        ended: Box<Ended>,
    },
    /// An open run cannot be loaded, or cannot go on here.
    Unreadable {
        run: RunId,
        error: journal::Error,
    },
    /// Nothing can be written; everything waits, and it is tried again at this moment.
    Stalled {
        error: store::Error,
        until: Time,
    },
    /// What could not be written is written.
    Unstalled,
    /// Another process has taken over: nothing of this engine counts any more.
    Fenced,
}

#[derive(Debug)]
pub struct Advanced {
    pub run: RunId,
    pub events: Vec<Event>,
    /// Lines for files that only grow.
    pub appended: Vec<Projected>,
    /// The lines are all that the files hold, not what is new.
    pub rebuilt: bool,
}

/// Why a command had no effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    Rejected {
        run: RunId,
        rejected: Rejected,
    },
    Journal(journal::Error),
    /// A value that could be written but not read back.
    TooDeep,
    NoSuchEvent {
        run: RunId,
        seq: u64,
        last: u64,
    },
    /// An open run that this process does not drive.
    NotDriven(RunId),
    /// The engine lost its lease.
    Fenced,
    /// The driver has ended.
    Closed,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Rejected { run, rejected } => write!(out, "run {run}: {rejected}"),
            Refusal::Journal(error) => error.fmt(out),
            Refusal::TooDeep => {
                write!(out, "the value is nested more than {} levels deep; make it flatter", journal::deepest_allowed())
            }
            Refusal::NoSuchEvent { run, seq, last } => write!(out, "run {run} has no event {seq}; its events are 1 to {last}"),
            Refusal::NotDriven(run) => write!(out, "run {run} is not driven by this process; go on with it by `motet resume {run}`"),
            Refusal::Fenced => store::Error::Fenced.fmt(out),
            Refusal::Closed => out.write_str("this process is ending and takes no more commands; resume the run and try again"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<journal::Error> for Refusal {
    fn from(error: journal::Error) -> Self {
        Refusal::Journal(error)
    }
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Self {
        Refusal::Journal(journal::Error::Store(error))
    }
}
