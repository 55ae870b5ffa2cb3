//! The seam between the host and whoever performs calls.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use motet_core::event::{Failure, FailureKind, Usage};
use motet_core::names::{RunId, TaskId};
use motet_core::units::Usd;
use motet_core::{Call, Definition};
use serde_json::Value;

use super::handle::Message;
use crate::engine::{Input, Outcome};

/// Performs calls. Every method returns at once; the work is done elsewhere and reported through `Done`.
pub trait Perform: Send {
    fn perform(&self, call: Call, definition: &Arc<Definition>, done: Done);

    /// Finds out what became of an attempt that a restart interrupted. `Undone` if nothing was done;
    /// a failure of the kind `Interrupted` if that cannot be told.
    fn reconcile(&self, call: Call, definition: &Arc<Definition>, done: Done);

    /// Nobody waits for this attempt any more.
    fn stop(&self, run: &RunId, task: &TaskId, attempt: u32);

    /// Takes an attempt back if it only waits for somebody who takes no calls and nothing of it was ever done. True if so: then
    /// nothing will be done any more.
    fn withdraw(&self, run: &RunId, task: &TaskId, attempt: u32) -> bool {
        let _ = (run, task, attempt);
        false
    }

    /// The time of the run is up: whatever of the attempt only waits, now or later, is given up, and what is under way goes on.
    fn wait_no_longer(&self, run: &RunId, task: &TaskId, attempt: u32) {
        let _ = (run, task, attempt);
    }

    /// How long the attempt was held up by somebody else, which does not count as its own time.
    fn held_up(&self, run: &RunId, task: &TaskId, attempt: u32) -> HeldUp {
        let _ = (run, task, attempt);
        HeldUp::default()
    }

    /// Stops an attempt whose run is to be cancelled, or whose process ends, and says for how long what it came to may be waited for.
    /// Nothing, where nobody performs it or there is nothing to be heard.
    fn hear(&self, run: &RunId, task: &TaskId, attempt: u32) -> u64 {
        let _ = (run, task, attempt);
        0
    }

    /// How long the attempt may still take, once its time is up, to say what it came to. If the machine ends it first, all that it
    /// said, counted and used is lost. Nothing, where nobody performs it.
    fn last_words_ms(&self, run: &RunId, task: &TaskId, attempt: u32) -> u64 {
        let _ = (run, task, attempt);
        0
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldUp {
    pub so_far_ms: u64,
    /// It is held up still.
    pub grows: bool,
}

/// Where the outcome of one call goes. Dropped without an outcome, it says that the call crashed.
pub struct Done {
    sender: Sender<Message>,
    call: Option<(RunId, TaskId, u32)>,
    /// What it means that no outcome came.
    lost: FailureKind,
    /// What may have been spent then.
    reserved: Usd,
}

impl Done {
    pub(super) fn new(sender: Sender<Message>, call: &Call) -> Self {
        Self {
            sender,
            call: Some((call.run.clone(), call.task.clone(), call.attempt)),
            lost: FailureKind::Crashed,
            reserved: call.reserved,
        }
    }

    /// Of a call that asks what became of another: if it crashes, nothing is known of that one.
    pub(super) fn of_reconciling(sender: Sender<Message>, call: &Call) -> Self {
        let mut done = Self::new(sender, call);
        done.lost = FailureKind::Interrupted;
        done
    }

    pub fn finish(mut self, outcome: Outcome, usage: Usage, exchanges: Vec<Value>) {
        self.send(outcome, usage, exchanges);
    }

    fn send(&mut self, outcome: Outcome, usage: Usage, exchanges: Vec<Value>) {
        if let Some((run, task, attempt)) = self.call.take() {
            let completed = Input::Completed { run, task, attempt, outcome, usage, exchanges };
            // A driver that has ended does not wait for it; the next process finds the call interrupted.
            let _ = self.sender.send(Message::Completed(Box::new(completed)));
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        let message = "whatever performed the call ended without an answer".to_string();
        // What it took until then, nobody has counted.
        let usage = Usage { estimated: true, ..Usage::unknown(self.reserved) };
        self.send(Outcome::Failed(Failure { kind: self.lost, message }), usage, Vec::new());
    }
}
