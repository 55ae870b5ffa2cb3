//! Commands that the agent asks us to run, in the task's directory: each in a process group of its own, its output bounded.
//! They end with the attempt, whatever the agent does about them.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_client_protocol::v1::schema::{CreateTerminalRequest, TerminalExitStatus, TerminalId};
use rustix::process::Signal;
use tokio::process::Command;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::ground::Ground;
use super::record::{OUTPUT_BYTES, Record, Started};
use crate::command::group::{Group, not_started};
use crate::command::lines::Lines;
use crate::command::process::{GRACE, drain};
use crate::command::tail::Tail;
use crate::redaction::Redactor;

/// How much output is kept where the agent asks for no limit, and the most it may ask for.
const KEPT_BYTES: u64 = 1024 * 1024;
const MOST_BYTES: u64 = 8 * 1024 * 1024;
const MOST_TERMINALS: usize = 32;
/// How long output may still come from children of a command that has ended.
const LINGER: Duration = Duration::from_millis(500);

#[derive(Default)]
pub(super) struct Terminals(Mutex<(u64, BTreeMap<String, Terminal>)>);

struct Terminal {
    output: Arc<Mutex<Tail>>,
    /// How much of it the agent wants.
    wanted: usize,
    started: Arc<Started>,
    exit: watch::Receiver<Option<TerminalExitStatus>>,
    kill: Arc<Notify>,
    keeper: JoinHandle<()>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The keeper holds the group, and the group is killed with it.
        self.keeper.abort();
        self.started.ended(self.exit.borrow().as_ref());
    }
}

pub(super) struct Output {
    pub text: String,
    pub is_cut: bool,
    pub exit: Option<TerminalExitStatus>,
}

impl Terminals {
    pub fn create(&self, ground: &Ground, request: &CreateTerminalRequest, record: &Arc<Record>) -> Result<TerminalId, String> {
        let directory = match &request.cwd {
            Some(cwd) => ground.readable(cwd)?,
            None => ground.root.clone(),
        };
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.1.len() >= MOST_TERMINALS {
            return Err(format!("{MOST_TERMINALS} terminals are open already; release some"));
        }
        let terminal = start(request, directory, record)?;
        inner.0 += 1;
        let id = format!("terminal-{}", inner.0);
        inner.1.insert(id.clone(), terminal);
        Ok(TerminalId::new(id))
    }

    pub fn output(&self, id: &TerminalId) -> Result<Output, String> {
        self.with(id, |terminal| {
            let tail = terminal.output.lock().unwrap_or_else(PoisonError::into_inner);
            Output { text: tail.last(terminal.wanted), is_cut: tail.total > terminal.wanted as u64, exit: terminal.exit.borrow().clone() }
        })
    }

    pub fn exit(&self, id: &TerminalId) -> Result<watch::Receiver<Option<TerminalExitStatus>>, String> {
        self.with(id, |terminal| terminal.exit.clone())
    }

    pub fn kill(&self, id: &TerminalId) -> Result<(), String> {
        self.with(id, |terminal| terminal.kill.notify_one())
    }

    pub fn release(&self, id: &TerminalId) -> Result<(), String> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.1.remove(&*id.0).map(drop).ok_or_else(|| unknown(id))
    }

    /// The attempt is over, and so is everything that still runs.
    pub fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clear();
    }

    fn with<T>(&self, id: &TerminalId, look: impl FnOnce(&Terminal) -> T) -> Result<T, String> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.1.get(&*id.0).map(look).ok_or_else(|| unknown(id))
    }
}

fn start(request: &CreateTerminalRequest, directory: PathBuf, record: &Arc<Record>) -> Result<Terminal, String> {
    // Some agents give a whole line and no arguments; that is for a shell to read.
    let mut command = match request.args.is_empty() && request.command.contains(char::is_whitespace) {
        true => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &request.command]);
            shell
        }
        false => {
            let mut plain = Command::new(&request.command);
            plain.args(&request.args);
            plain
        }
    };
    command.envs(request.env.iter().map(|variable| (&variable.name, &variable.value))).current_dir(&directory);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_started(&request.command, &error).message)?;
    let mut group = Group::of(&child);
    let wanted = usize::try_from(request.output_byte_limit.unwrap_or(KEPT_BYTES).min(MOST_BYTES)).unwrap_or(usize::MAX);
    let output = Arc::new(Mutex::new(Tail::new(wanted.max(OUTPUT_BYTES))));
    let started = Arc::new(Started::new(record.clone(), request, &directory, output.clone()));
    let (exited, exit) = watch::channel(None);
    let kill = Arc::new(Notify::new());
    let (tail, killed, ended) = (output.clone(), kill.clone(), started.clone());
    let keeper = tokio::spawn(async move {
        let (streams, open) = ((child.stdout.take(), child.stderr.take()), Redactor::default());
        let (out, err) = (Lines::new(1), Lines::new(1));
        let mut reading = Box::pin(async {
            tokio::join!(drain(streams.0, &tail, None, out, None, &open), drain(streams.1, &tail, None, err, None, &open))
        });
        let mut is_open = true;
        let status = loop {
            tokio::select! {
                status = child.wait() => break status.ok(),
                _ = &mut reading, if is_open => is_open = false,
                () = killed.notified() => group.send(Signal::KILL),
            }
        };
        if is_open && timeout(LINGER, &mut reading).await.is_ok() {
            is_open = false;
        }
        tokio::join!(group.end(), async {
            if is_open {
                let _ = timeout(GRACE, &mut reading).await;
            }
        });
        let exit = status.map_or_else(TerminalExitStatus::new, exit_status);
        // Before anybody hears of it: whoever does may end the turn.
        ended.ended(Some(&exit));
        exited.send_replace(Some(exit));
    });
    Ok(Terminal { output, wanted, started, exit, kill, keeper })
}

fn exit_status(status: ExitStatus) -> TerminalExitStatus {
    let code = status.code().and_then(|code| u32::try_from(code).ok());
    TerminalExitStatus::new().exit_code(code).signal(status.signal().map(|signal| signal.to_string()))
}

fn unknown(id: &TerminalId) -> String {
    format!("there is no terminal `{}`", id.0)
}
