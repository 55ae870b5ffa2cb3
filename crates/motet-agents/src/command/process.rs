//! One program in a process group of its own, contained: whatever it prints, spawns or refuses to do, it ends.
//! It does not know what the program is for.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use motet_core::effect::Call;
use motet_core::event::{Failure, FailureKind};
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, Command};
use tokio::time::{Instant, timeout};

use super::group::{Group, not_started};
use super::lines::{Lines, MESSAGE_BYTES, READABLE_BYTES};
use super::log::Log;
use super::tail::Tail;
use crate::context::{Context, Progress, StopReason};
use crate::redaction::{Redactor, hidden};

/// Between the polite signal and the other one.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// How long the streams of a program that has ended may stay open before its left-over children are ended too.
const LINGER: Duration = Duration::from_secs(1);

/// Hears each line of a stream as it comes.
pub(crate) type Ear = Arc<dyn Fn(String) + Send + Sync>;

/// A program about to be started.
pub(super) struct Launch {
    command: Command,
    program: String,
    input: Vec<u8>,
    kept: usize,
    logs: Option<PathBuf>,
    hears_stdout: Option<Ear>,
    hears_empty_lines: bool,
    hears_stderr: Option<Ear>,
    redaction: Redactor,
}

pub(super) struct Ended {
    /// None if a signal ended it.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// Set if it was told to stop before it ended by itself.
    pub stopped: Option<StopReason>,
    pub stdout: Tail,
    pub stderr: Tail,
    pub duration_ms: u64,
}

impl Launch {
    pub fn new(words: &[String], within: Option<&str>, call: &Call, context: &Context) -> Result<Self, Failure> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(Failure { kind: FailureKind::Configuration, message: "there is no program to run: the command is empty".into() });
        };
        let mut command = Command::new(context.program(program));
        command.args(arguments).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        describe_task(&mut command, call, context);
        if let Some(directory) = super::directory(within, context)? {
            command.current_dir(directory);
        }
        let logs = log_base(call, context);
        let program = program.clone();
        let (input, kept, redaction) = (Vec::new(), super::KEPT_BYTES, context.redactor().and(&hidden()));
        Ok(Self { command, program, input, kept, logs, hears_stdout: None, hears_empty_lines: false, hears_stderr: None, redaction })
    }

    /// What the program reads on its standard input.
    pub fn reading(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// How many bytes of each stream are kept.
    pub fn keeping(mut self, bytes: usize) -> Self {
        self.kept = bytes;
        self
    }

    /// What the program finds in its environment besides what this process has. Nothing of it is secret.
    pub fn knowing<'a>(mut self, environment: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        self.command.envs(environment);
        self
    }

    /// Each line of standard error is progress.
    pub fn telling_stderr(mut self, context: &Context) -> Self {
        let context = context.clone();
        self.hears_stderr = Some(Arc::new(move |line| context.tell(Progress::Log(line))));
        self
    }

    /// Each line of standard output is heard as it comes.
    pub fn hearing_stdout(mut self, ear: Ear) -> Self {
        self.hears_stdout = Some(ear);
        self
    }

    /// Of standard output, the empty lines too.
    pub fn hearing_empty_lines(mut self, hears: bool) -> Self {
        self.hears_empty_lines = hears;
        self
    }

    /// Runs the program until it ends or is stopped. Dropping this kills the whole group at once.
    pub async fn run(mut self, context: &Context) -> Result<Ended, Failure> {
        let started = Instant::now();
        let mut child = self.command.spawn().map_err(|error| not_started(&self.program, &error))?;
        // It has its task now, whatever it makes of it.
        context.delay().begin();
        let mut group = Group::of(&child);
        let (stdout, stderr) = (Mutex::new(Tail::new(self.kept)), Mutex::new(Tail::new(self.kept)));
        let (input, outputs) = (child.stdin.take(), (child.stdout.take(), child.stderr.take()));
        let log = |stream: &str| self.logs.as_ref().map(|base| base.with_added_extension(stream).with_added_extension("log"));
        let out = Lines::new(MESSAGE_BYTES).with_empty(self.hears_empty_lines);
        let mut streams = Box::pin(async {
            tokio::join!(
                feed(input, &self.input),
                drain(outputs.0, &stdout, log("stdout"), out, self.hears_stdout.as_ref(), &self.redaction),
                drain(outputs.1, &stderr, log("stderr"), Lines::new(READABLE_BYTES), self.hears_stderr.as_ref(), &self.redaction)
            );
        });

        let mut open = true;
        let mut stopped = None;
        let mut kill_at = None;
        let status = loop {
            let deadline = kill_at.unwrap_or_else(Instant::now);
            tokio::select! {
                status = child.wait() => break status,
                () = &mut streams, if open => open = false,
                reason = context.stopped(), if stopped.is_none() => {
                    stopped = Some(reason);
                    kill_at = Some(Instant::now() + GRACE);
                    group.send(Signal::TERM);
                }
                () = tokio::time::sleep_until(deadline), if kill_at.is_some() => {
                    kill_at = None;
                    group.send(Signal::KILL);
                }
            }
        };
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        // Whoever is left was started by the program and has outlived it. What they still have to say is heard, for a moment.
        if open && timeout(LINGER, &mut streams).await.is_ok() {
            open = false;
        }
        if stopped.is_none() {
            tokio::join!(group.end(), async {
                if open {
                    let _ = timeout(GRACE, &mut streams).await;
                }
            });
        }
        drop(streams);
        let status = status.map_err(|error| not_started(&self.program, &error))?;
        let unlocked = |tail: Mutex<Tail>| tail.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (exit_code, signal) = (status.code(), status.signal());
        Ok(Ended { exit_code, signal, stopped, stdout: unlocked(stdout), stderr: unlocked(stderr), duration_ms })
    }
}

/// A program may well end without reading its input; that is its own business.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
}

/// Reads a stream to its end: keeps its last bytes, logs it, and tells of its lines. What must be hidden is taken out before anything
/// is cut, since nobody would know half a secret again.
pub(crate) async fn drain(
    stream: Option<impl AsyncRead + Unpin>,
    tail: &Mutex<Tail>,
    log: Option<PathBuf>,
    mut lines: Lines,
    ear: Option<&Ear>,
    redaction: &Redactor,
) {
    let Some(mut stream) = stream else { return };
    let mut log = Log::new(log);
    let mut clean = redaction.stream();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = stream.read(&mut buffer).await.unwrap_or(0);
        let bytes = if count > 0 { clean.push_bytes(&buffer[..count]) } else { clean.rest_bytes() };
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&bytes);
        if !bytes.is_empty() {
            log.write(&bytes).await;
        }
        if let Some(ear) = ear {
            lines.push(&bytes, |line| ear(line));
        }
        if count == 0 {
            break;
        }
        // A stream that always has more would keep whoever waits beside it from being asked: the end of its time among them.
        tokio::task::yield_now().await;
    }
    if let Some(ear) = ear {
        lines.end(&mut |line| ear(line));
    }
    log.close().await;
}

/// What every program that works on a task finds in its environment.
pub(crate) fn describe_task(command: &mut Command, call: &Call, context: &Context) {
    command.env("MOTET_RUN", call.run.as_str()).env("MOTET_TASK", call.task.as_str()).env("MOTET_KEY", &call.key);
    command.env("MOTET_ATTEMPT", call.attempt.to_string()).env("MOTET_DRIVER", std::process::id().to_string());
    match context.run_directory() {
        Some(directory) => command.env("MOTET_RUN_DIR", directory),
        // An outer run's directory is not this one's.
        None => command.env_remove("MOTET_RUN_DIR"),
    };
}

/// Attempt 2 of `building.1/api` logs to `building.1_api.2.stdout.log` and its like.
pub(crate) fn log_base(call: &Call, context: &Context) -> Option<PathBuf> {
    let directory = context.run_directory()?;
    Some(directory.join("logs").join(format!("{}.{}", file_name(call.task.as_str()), call.attempt)))
}

/// A name as a file can have it.
pub(crate) fn file_name(name: &str) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    name.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use std::task::{Context as Waker, Poll};

    use super::*;

    /// A stream that is never empty and never ends.
    struct Flood;

    impl AsyncRead for Flood {
        fn poll_read(self: std::pin::Pin<&mut Self>, _: &mut Waker<'_>, buffer: &mut tokio::io::ReadBuf<'_>) -> Poll<std::io::Result<()>> {
            let size = buffer.remaining();
            buffer.put_slice(&b"no\n".repeat(size / 3));
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn a_flood_gives_way_to_whoever_waits_beside_it() {
        let (tail, redaction) = (Mutex::new(Tail::new(100)), Redactor::default());
        let flood = drain(Some(Flood), &tail, None, Lines::new(READABLE_BYTES), None, &redaction);
        // The stream alone would never let go: the other is heard only because it is asked in between.
        tokio::select! {
            biased;
            () = flood => panic!("it has no end"),
            () = tokio::task::yield_now() => {}
        }
        assert!(tail.lock().expect("nobody else has it").total <= 2 * 64 * 1024);
    }
}
