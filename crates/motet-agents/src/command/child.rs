//! A program that is talked with: its standard input and output are given to whoever speaks its protocol, the rest is contained here.
//! It knows no protocol; a program that runs once from input to output is a `Launch` instead.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use motet_core::event::{Failure, FailureKind};
use rustix::process::Signal;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::agent::last_words;
use super::group::{Group, not_started};
use super::lines::{Lines, READABLE_BYTES};
use super::process::{Ear, GRACE, drain};
use super::tail::Tail;
use crate::redaction::{Redactor, hidden};

/// How much of standard error is kept to be quoted.
const QUOTED_BYTES: usize = 16 * 1024;

/// The program with all it started; everything is killed when this is dropped.
pub(crate) struct Companion {
    process: Child,
    group: Group,
    stderr: Arc<Mutex<Tail>>,
    drained: JoinHandle<()>,
}

impl Companion {
    /// Starts the program. `log` is where its standard error goes, `ear` who hears it, both without what `redaction` hides and what is
    /// secret to the whole process.
    pub fn start(
        mut command: Command,
        log: Option<PathBuf>,
        ear: Option<Ear>,
        redaction: &Redactor,
    ) -> Result<(Self, ChildStdin, ChildStdout), Failure> {
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = command.as_std().get_program().to_string_lossy().into_owned();
        let mut process = command.spawn().map_err(|error| not_started(&program, &error))?;
        let group = Group::of(&process);
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            let message = format!("`{program}` was started without standard input and output");
            return Err(Failure { kind: FailureKind::Crashed, message });
        };
        let stderr = Arc::new(Mutex::new(Tail::new(QUOTED_BYTES)));
        let (stream, tail, redaction) = (process.stderr.take(), stderr.clone(), redaction.and(&hidden()));
        let drained = tokio::spawn(async move { drain(stream, &tail, log, Lines::new(READABLE_BYTES), ear.as_ref(), &redaction).await });
        Ok((Self { process, group, stderr, drained }, stdin, stdout))
    }

    /// Asks the program to end, waits a little, and ends it with all it started. Tells how it ended, if it did so by itself.
    pub async fn end(mut self) -> Option<ExitStatus> {
        let by_itself = timeout(GRACE / 4, self.process.wait()).await.ok().and_then(Result::ok);
        if by_itself.is_none() {
            self.group.send(Signal::TERM);
            let _ = timeout(GRACE, self.process.wait()).await;
        }
        if self.process.try_wait().is_ok_and(|status| status.is_none()) {
            self.group.send(Signal::KILL);
            let _ = timeout(GRACE, self.process.wait()).await;
        }
        self.group.end().await;
        // Its last words may still be on their way.
        let _ = timeout(GRACE / 2, &mut self.drained).await;
        by_itself
    }

    /// What it prints on standard error, to be quoted even after its end.
    pub fn stderr(&self) -> LastWords {
        LastWords(self.stderr.clone())
    }
}

pub(crate) struct LastWords(Arc<Mutex<Tail>>);

impl LastWords {
    /// The last lines, empty if there are none.
    pub fn last_words(&self) -> String {
        last_words(&self.0.lock().unwrap_or_else(PoisonError::into_inner).text())
    }
}

/// How a program ended, for people: `ended with exit code 3`.
pub(crate) fn how_it_ended(exit_code: Option<i32>, signal: Option<i32>) -> String {
    match (exit_code, signal) {
        (Some(137), _) => "ended with exit code 137: it was killed, most often because memory ran out".into(),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(9)) => "was killed (signal 9), most often because memory ran out".into(),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended without saying how".into(),
    }
}

/// The same of a status.
pub(crate) fn how_status(status: ExitStatus) -> String {
    how_it_ended(status.code(), status.signal())
}

/// Whether the program died rather than failed: by a signal, or as a shell tells of one.
pub(crate) fn was_killed(exit_code: Option<i32>) -> bool {
    exit_code.is_none_or(|code| code > 128)
}
