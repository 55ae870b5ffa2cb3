//! A program and everything it started, as one group that one signal reaches.
//! It does not wait for the program itself: who started it does that.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use motet_core::event::{Failure, FailureKind};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::Child;
use tokio::time::{Instant, sleep};

use super::process::GRACE;

/// How often it is looked whether anybody is left.
const LOOK: Duration = Duration::from_millis(20);

/// The program and everything it started; killed when this is dropped.
pub(crate) struct Group(Option<Pid>);

/// The groups of this process, for whoever ends it without dropping anything.
static LIVE: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Kills every program that this process has started, with everything those have started.
pub fn kill_all() {
    for group in live().drain(..) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn live() -> MutexGuard<'static, Vec<Pid>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Group {
    pub fn of(child: &Child) -> Self {
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        live().extend(group);
        Self(group)
    }

    pub fn send(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // There is nothing to do about a group that is gone already.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Ends whoever is left now that the program itself has ended: asked first, killed a moment later. What shall live on (a server, say)
    /// leaves the group by itself, as daemons do.
    pub async fn end(&mut self) {
        if self.is_alive() {
            self.send(Signal::TERM);
            if !self.is_gone_within(GRACE).await {
                self.send(Signal::KILL);
                // Nobody survives this, but it is not always over at once.
                self.is_gone_within(GRACE / 4).await;
            }
        }
        self.forget();
    }

    /// The id may soon be another group's.
    fn forget(&mut self) {
        if let Some(group) = self.0.take() {
            live().retain(|live| *live != group);
        }
    }

    async fn is_gone_within(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.is_alive() && Instant::now() < deadline {
            sleep(LOOK).await;
        }
        !self.is_alive()
    }

    fn is_alive(&self) -> bool {
        self.0.is_some_and(|group| test_kill_process_group(group).is_ok())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Signal::KILL);
        self.forget();
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
