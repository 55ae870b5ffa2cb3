//! What a backend is: it gets one attempt at one task and says what it came to.
//! It starts no further attempt and books no retry: what it repeats or waits for stays inside the one that it was given.

use std::future::Future;
use std::pin::Pin;

use motet_core::effect::Call;
use motet_core::event::{Failure, FailureKind, Question, Usage};
use motet_core::units::Usd;
use serde_json::Value;

use crate::context::Context;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One backend.
///
/// A backend should end soon after `context.stopped()` resolves. One that does not is dropped,
/// so dropping the future must release whatever it holds.
pub trait Agent: Send + Sync {
    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome>;

    /// Whether it answers by the workflow's own rules, which are then worked out for it.
    fn follows_rules(&self) -> bool {
        false
    }

    /// Whether it changes files where it works, so that tasks must be kept apart there.
    fn changes_files(&self) -> bool {
        false
    }

    /// Whether an attempt that is stopped still says what it took. Of others nobody knows, and all that was reserved may be spent.
    fn tells_what_it_took(&self) -> bool {
        true
    }

    /// Whether what its answers cost is settled when they come: by a price, or because nothing can be owed for them. Of others, an answer
    /// that says nothing of its cost may have cost all that was reserved.
    fn is_settled(&self) -> bool {
        false
    }

    /// What one call of it may cost at most, however much is said in it. None: that depends, or nobody knows.
    fn ceiling(&self) -> Option<Usd> {
        None
    }

    /// What became of an attempt that a crash interrupted. Most backends cannot tell.
    fn reconcile<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Found> {
        let _ = (request, context);
        Box::pin(async { Found::Unknown })
    }
}

/// One attempt, with what only the program can add to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub call: Call,
    /// The agent's prompt, rendered from the call's input.
    pub prompt: Option<String>,
    /// The JSON Schema of the expected result; None: anything, and text is kept as text.
    pub schema: Option<Value>,
    /// A shape that the answer should have where a model can be held to it, and need not have otherwise: text will do.
    pub preferred: Option<Value>,
    /// What the workflow's own rules answer, for a backend that asks no model.
    pub offline: Option<Value>,
}

impl Request {
    pub fn new(call: Call) -> Self {
        Self { call, prompt: None, schema: None, preferred: None, offline: None }
    }
}

/// What one attempt came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Returned {
        result: Value,
        usage: Usage,
    },
    Failed {
        failure: Failure,
        usage: Usage,
    },
    /// The agent needs to know something before it can go on.
    Asked {
        question: Question,
        usage: Usage,
    },
}

impl Outcome {
    /// A result that cost nothing.
    pub fn returned(result: Value) -> Self {
        Outcome::Returned { result, usage: Usage::default() }
    }

    /// A failure that cost nothing.
    pub fn failed(kind: FailureKind, message: impl Into<String>) -> Self {
        Outcome::Failed { failure: Failure { kind, message: message.into() }, usage: Usage::default() }
    }

    pub fn usage(&self) -> Usage {
        match self {
            Outcome::Returned { usage, .. } | Outcome::Failed { usage, .. } | Outcome::Asked { usage, .. } => *usage,
        }
    }

    /// The same outcome, booked with this usage.
    pub(crate) fn with_usage(self, usage: Usage) -> Self {
        match self {
            Outcome::Returned { result, .. } => Outcome::Returned { result, usage },
            Outcome::Failed { failure, .. } => Outcome::Failed { failure, usage },
            Outcome::Asked { question, .. } => Outcome::Asked { question, usage },
        }
    }
}

/// What a backend knows of an interrupted attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// It had finished; this is what it came to.
    Finished(Outcome),
    /// Nothing was done, so it may run again.
    Undone,
    /// Nobody can tell.
    Unknown,
}

impl Found {
    /// What to book for the attempt: None if it was never done, a failure of kind `Interrupted` if nobody can tell.
    pub fn settle(self, call: &Call) -> Option<Outcome> {
        match self {
            Found::Finished(outcome) => Some(outcome),
            Found::Undone => None,
            Found::Unknown => Some(Outcome::failed(
                FailureKind::Interrupted,
                format!(
                    "attempt {} of {} was interrupted, and the backend of `{}` cannot tell what became of it",
                    call.attempt, call.task, call.role
                ),
            )),
        }
    }
}
