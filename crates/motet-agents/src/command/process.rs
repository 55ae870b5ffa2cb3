//! One program in a process group of its own, contained: whatever it prints, spawns or refuses to do, it ends.
//! It does not know what the program is for.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use motet_core::effect::Call;
use motet_core::event::{Failure, FailureKind};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, timeout};

use super::tail::Tail;
use crate::context::{Context, Progress, StopReason};

/// Between the polite signal and the other one.
const GRACE: Duration = Duration::from_secs(2);
/// How long the streams of a program that has ended may stay open before its left-over children are ended too.
const LINGER: Duration = Duration::from_secs(1);
/// The most that is written to one log file.
const LOGGED_BYTES: u64 = 64 * 1024 * 1024;
/// A line of progress longer than this is cut.
const LINE_BYTES: usize = 4096;

/// A program about to be started.
pub(super) struct Launch {
    command: Command,
    program: String,
    input: Vec<u8>,
    kept: usize,
    logs: Option<PathBuf>,
    stderr_is_progress: bool,
}

pub(super) struct Ended {
    /// None if a signal ended it.
    pub exit_code: Option<i32>,
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
        let mut command = Command::new(program);
        command.args(arguments).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("MOTET_RUN", call.run.as_str()).env("MOTET_TASK", call.task.as_str()).env("MOTET_KEY", &call.key);
        command.env("MOTET_ATTEMPT", call.attempt.to_string());
        match context.run_directory() {
            Some(directory) => command.env("MOTET_RUN_DIR", directory),
            // An outer run's directory is not this one's.
            None => command.env_remove("MOTET_RUN_DIR"),
        };
        if let Some(directory) = super::directory(within, context)? {
            command.current_dir(directory);
        }
        let logs = context.run_directory().map(|directory| directory.join("logs").join(log_name(call)));
        Ok(Self { command, program: program.clone(), input: Vec::new(), kept: super::KEPT_BYTES, logs, stderr_is_progress: false })
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

    pub fn telling_stderr(mut self) -> Self {
        self.stderr_is_progress = true;
        self
    }

    /// Runs the program until it ends or is stopped. Dropping this kills the whole group at once.
    pub async fn run(mut self, context: &Context) -> Result<Ended, Failure> {
        let started = Instant::now();
        let mut child = self.command.spawn().map_err(|error| not_started(&self.program, &error))?;
        let mut group = Group::of(&child);
        let (stdout, stderr) = (Mutex::new(Tail::new(self.kept)), Mutex::new(Tail::new(self.kept)));
        let (input, outputs) = (child.stdin.take(), (child.stdout.take(), child.stderr.take()));
        let log = |stream: &str| self.logs.as_ref().map(|base| base.with_added_extension(stream).with_added_extension("log"));
        let progress = self.stderr_is_progress.then_some(context);
        let mut streams = Box::pin(async {
            tokio::join!(
                feed(input, &self.input),
                drain(outputs.0, &stdout, log("stdout"), None),
                drain(outputs.1, &stderr, log("stderr"), progress)
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
        // Whoever still holds the streams was started by the program and has outlived it.
        let outlived = open && timeout(LINGER, &mut streams).await.is_err();
        if outlived {
            group.send(Signal::TERM);
            let _ = timeout(GRACE, &mut streams).await;
        }
        drop(streams);
        if stopped.is_none() && !outlived {
            group.release();
        }
        let status = status.map_err(|error| not_started(&self.program, &error))?;
        let unlocked = |tail: Mutex<Tail>| tail.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Ended { exit_code: status.code(), stopped, stdout: unlocked(stdout), stderr: unlocked(stderr), duration_ms })
    }
}

/// The program and everything it started; killed when this is dropped.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }

    fn send(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // There is nothing to do about a group that is gone already.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Nobody is left, or only such as let go of the streams on purpose. The id may soon be another group's.
    fn release(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Signal::KILL);
    }
}

/// A program may well end without reading its input; that is its own business.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
}

async fn drain(stream: Option<impl AsyncRead + Unpin>, tail: &Mutex<Tail>, log: Option<PathBuf>, progress: Option<&Context>) {
    let Some(mut stream) = stream else { return };
    let mut log = Log::new(log);
    let mut lines = Lines::default();
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let bytes = &buffer[..count];
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        log.write(bytes).await;
        if let Some(context) = progress {
            lines.push(bytes, |line| context.tell(Progress::Log(line)));
        }
    }
    if let Some(context) = progress {
        lines.push(b"\n", |line| context.tell(Progress::Log(line)));
    }
    log.close().await;
}

/// A log file that is made with its first byte and stops growing at a limit. A log that cannot be written never stops a task.
struct Log {
    path: Option<PathBuf>,
    file: Option<tokio::fs::File>,
    written: u64,
}

impl Log {
    fn new(path: Option<PathBuf>) -> Self {
        Self { path, file: None, written: 0 }
    }

    async fn write(&mut self, bytes: &[u8]) {
        if let Some(path) = self.path.take() {
            self.file = create(&path).await.ok();
        }
        let Some(file) = &mut self.file else { return };
        let _ = file.write_all(bytes).await;
        self.written += bytes.len() as u64;
        if self.written >= LOGGED_BYTES {
            let _ = file.write_all(b"\n[the rest is not kept: the log is full]\n").await;
            self.close().await;
        }
    }

    async fn close(&mut self) {
        if let Some(mut file) = self.file.take() {
            let _ = file.flush().await;
        }
    }
}

async fn create(path: &Path) -> io::Result<tokio::fs::File> {
    if let Some(directory) = path.parent() {
        tokio::fs::create_dir_all(directory).await?;
    }
    tokio::fs::File::create(path).await
}

/// Cuts a stream of bytes into lines for people.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Lines {
    fn push(&mut self, bytes: &[u8], tell: impl Fn(String)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_BYTES.saturating_sub(self.0.len());
            self.0.extend(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.0).trim_end().to_string();
                self.0.clear();
                if !line.is_empty() {
                    tell(line);
                }
            }
        }
    }
}

/// `building.1/api` attempt 2 logs to `building.1_api.2.stdout.log`.
fn log_name(call: &Call) -> String {
    let safe = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    format!("{}.{}", call.task.as_str().chars().map(safe).collect::<String>(), call.attempt)
}

fn not_started(program: &str, error: &io::Error) -> Failure {
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
