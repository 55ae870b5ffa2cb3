//! Why an event does not apply. The state is unchanged when one of these comes back.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The event's number is not the next one.
    OutOfOrder {
        expected: u64,
        found: u64,
    },
    /// The run has no event yet, or has its first already.
    NotStarted,
    AlreadyStarted,
    /// Finished stays finished.
    Ended,
    /// Written by another version, or for another workflow.
    Incompatible(String),
    /// The input does not fit the workflow.
    InvalidInput(Vec<String>),
    /// No open task, attempt, timer or gate of this name: a duplicate, or too late.
    Unknown(String),
    /// The task exists, but is not where this event could apply.
    Illegal {
        what: String,
        is: String,
    },
    /// The gate does not take this answer.
    Refused {
        gate: String,
        why: String,
    },
    /// Data was changed in a way, or at a place, that the workflow does not allow.
    Edit {
        /// The state.
        at: String,
        problems: Vec<String>,
    },
    /// The run is (not) paused.
    Paused(bool),
}

impl fmt::Display for Rejected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::OutOfOrder { expected, found } => write!(out, "event {found} came where event {expected} was due"),
            Rejected::NotStarted => out.write_str("the run has not been started"),
            Rejected::AlreadyStarted => out.write_str("the run has been started already"),
            Rejected::Ended => out.write_str("the run has ended"),
            Rejected::Incompatible(why) => out.write_str(why),
            Rejected::InvalidInput(problems) => write!(out, "the input does not fit the workflow: {}", problems.join("; ")),
            Rejected::Unknown(what) => write!(out, "there is no open {what}"),
            Rejected::Illegal { what, is } => write!(out, "{what} is {is}"),
            Rejected::Refused { gate, why } => write!(out, "gate {gate} does not take this answer: {why}"),
            Rejected::Edit { at, problems } => write!(out, "the edit cannot be taken at {at}: {}", problems.join("; ")),
            Rejected::Paused(true) => out.write_str("the run is paused already"),
            Rejected::Paused(false) => out.write_str("the run is not paused"),
        }
    }
}

impl std::error::Error for Rejected {}
