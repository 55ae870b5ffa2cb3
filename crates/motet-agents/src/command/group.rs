//! A program and everything it started, as one group that one signal reaches.
//! It does not wait for anybody: who started the program does that.

use std::io;

use motet_core::event::{Failure, FailureKind};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// The program and everything it started; killed when this is dropped.
pub(crate) struct Group(Option<Pid>);

impl Group {
    pub fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }

    pub fn send(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // There is nothing to do about a group that is gone already.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Nobody is left, or only such as let go of the streams on purpose. The id may soon be another group's.
    pub fn release(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Signal::KILL);
    }
}

pub(crate) fn not_started(program: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure {
            kind: FailureKind::NotFound,
            message: format!("there is no program `{program}`: install it, or give its path in the command"),
        },
        io::ErrorKind::PermissionDenied => {
            Failure { kind: FailureKind::Configuration, message: format!("`{program}` may not be run: it is not executable for this user") }
        }
        _ => Failure { kind: FailureKind::Configuration, message: format!("`{program}` could not be started: {error}") },
    }
}
