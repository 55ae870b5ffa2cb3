//! The life of a task, as one table; the diagram in the docs is made from it.

use crate::state::{Task, TaskStatus};
use TaskStatus::{Asking, Cancelled, Done, Failed, Held, Queued, Reconciling, Running, Uncertain, Waiting};

/// Every move a task may make, with the reason.
pub const MOVES: &[(TaskStatus, TaskStatus, &str)] = &[
    (Held, Queued, "there is money, room and time"),
    (Held, Failed, "it cannot even be asked"),
    (Held, Cancelled, "the state is left"),
    (Queued, Running, "a host took it up"),
    (Queued, Held, "a pause or a limit came first"),
    (Queued, Cancelled, "the run was cancelled"),
    (Running, Done, "a usable result"),
    (Running, Waiting, "another attempt, later"),
    (Running, Held, "another attempt, at once"),
    (Running, Failed, "no attempt is left"),
    (Running, Asking, "it asked a question"),
    (Running, Reconciling, "a restart; its backend is asked"),
    (Running, Uncertain, "a restart or a timeout; a person is asked"),
    (Running, Cancelled, "the run was cancelled"),
    (Waiting, Held, "the wait is over"),
    (Waiting, Cancelled, "a limit came first"),
    (Asking, Held, "it was answered"),
    (Asking, Waiting, "nobody answered; another attempt, later"),
    (Asking, Failed, "nobody answered"),
    (Asking, Cancelled, "a limit came first"),
    (Reconciling, Done, "it had finished"),
    (Reconciling, Held, "it had not been done"),
    (Reconciling, Waiting, "it had failed; another attempt, later"),
    (Reconciling, Failed, "it had failed"),
    (Reconciling, Uncertain, "its backend cannot tell"),
    (Reconciling, Cancelled, "the run was cancelled"),
    (Uncertain, Done, "a person knows the result"),
    (Uncertain, Held, "a person lets it run again"),
    (Uncertain, Waiting, "the person's result was not usable"),
    (Uncertain, Failed, "a person gave it up"),
    (Uncertain, Cancelled, "the run was cancelled"),
];

pub fn may_move(from: TaskStatus, to: TaskStatus) -> bool {
    MOVES.iter().any(|(start, end, _)| (*start, *end) == (from, to))
}

impl Task {
    /// The only place where a task's status changes.
    pub(super) fn move_to(&mut self, to: TaskStatus) {
        assert!(may_move(self.status, to), "task {} cannot go from {:?} to {to:?}", self.id, self.status);
        self.status = to;
    }
}

impl TaskStatus {
    pub fn is_terminal(self) -> bool {
        matches!(self, Done | Failed | Cancelled)
    }

    /// Something outside will say how it goes on.
    pub fn is_active(self) -> bool {
        matches!(self, Queued | Running | Waiting | Asking | Reconciling | Uncertain)
    }

    pub fn word(self) -> &'static str {
        match self {
            Held => "held",
            Queued => "queued",
            Running => "running",
            Waiting => "waiting",
            Asking => "asking",
            Reconciling => "reconciling",
            Uncertain => "uncertain",
            Done => "done",
            Failed => "failed",
            Cancelled => "cancelled",
        }
    }
}
