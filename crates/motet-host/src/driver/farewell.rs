//! Those at work are heard before their run is cancelled, and before the driver ends: what they said and took until then is on record.
//! It stops nobody itself, and waits for nobody longer than was said.

use std::collections::BTreeSet;

use motet_core::event::{Failure, FailureKind, LastWords};
use motet_core::names::{RunId, TaskId};
use motet_core::units::Time;

use crate::engine::{Input, Outcome};

pub type Attempt = (RunId, TaskId, u32);

#[derive(Default)]
pub struct Farewells {
    cancels: Vec<Cancel>,
    closing: Option<Awaited>,
}

/// A run that is to be cancelled by this command.
struct Cancel {
    run: RunId,
    command: Input,
    awaited: Awaited,
    heard: Vec<Input>,
}

/// Attempts that were stopped, and until when they may speak.
pub struct Awaited {
    pub attempts: BTreeSet<Attempt>,
    pub until: Time,
}

impl Awaited {
    fn is_over(&self, now: Time) -> bool {
        self.attempts.is_empty() || self.until <= now
    }
}

impl Farewells {
    pub fn cancel(&mut self, run: RunId, command: Input, awaited: Awaited) {
        self.cancels.push(Cancel { run, command, awaited, heard: Vec::new() });
    }

    pub fn close(&mut self, awaited: Awaited) {
        self.closing.get_or_insert(awaited);
    }

    pub fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// The runs that are to be cancelled.
    pub fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.cancels.iter().map(|cancel| &cancel.run)
    }

    /// What the engine is told of this completion now. Nothing, if it is kept for the command that it waits with.
    pub fn take(&mut self, completed: Input) -> Option<Input> {
        let Input::Completed { run, task, attempt, outcome, usage, exchanges } = completed else { return Some(completed) };
        let spoke: Attempt = (run, task, attempt);
        let was_awaited = self.closing.as_mut().is_some_and(|awaited| awaited.attempts.remove(&spoke));
        let waiting: Vec<&mut Cancel> =
            self.cancels.iter_mut().filter_map(|cancel| cancel.awaited.attempts.remove(&spoke).then_some(cancel)).collect();
        let (run, task, attempt) = spoke;
        if let Some(cancel) = waiting.into_iter().next() {
            cancel.heard.push(Input::Heard { run, words: LastWords { task, attempt, usage, exchanges } });
            return None;
        }
        let outcome = match outcome {
            // It did not fail by itself.
            Outcome::Failed(failure) if was_awaited || (self.is_closing() && failure.kind == FailureKind::Cancelled) => {
                Outcome::Failed(Failure { kind: FailureKind::Interrupted, message: "the process ended while it ran".into() })
            }
            outcome => outcome,
        };
        Some(Input::Completed { run, task, attempt, outcome, usage, exchanges })
    }

    /// The commands that wait for nobody any more, each behind what was heard for it.
    pub fn ready(&mut self, now: Time) -> Vec<Input> {
        let ends = self.have_ended(now);
        let ready = self.cancels.extract_if(.., |cancel| ends || cancel.awaited.is_over(now));
        ready.flat_map(|cancel| cancel.heard.into_iter().chain([cancel.command])).collect()
    }

    /// Whether the driver may end.
    pub fn have_ended(&self, now: Time) -> bool {
        self.closing.as_ref().is_some_and(|awaited| awaited.is_over(now))
    }

    /// When nobody is waited for any more.
    pub fn next(&self) -> Option<Time> {
        self.cancels.iter().map(|cancel| &cancel.awaited).chain(&self.closing).map(|awaited| awaited.until).min()
    }
}
