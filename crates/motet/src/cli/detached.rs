//! A process of its own for a run: the same program, in a session of its own, writing to a log beside the run's files.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use motet_core::event::Person;
use motet_core::names::RunId;
use motet_host::Store as _;
use serde_json::json;

use super::{Context, Exit, Failure, MOTET, output};
use crate::home;

const LOG: &str = "logs/driver.log";
/// How long the other process may take until it drives the run.
const PATIENCE: Duration = Duration::from_secs(20);
const GLANCE: Duration = Duration::from_millis(20);

/// Leaves a run that nobody drives to another process, and returns once that one has it.
pub fn start(context: &Context, run: &RunId, by: &Person, yes: bool) -> Result<Exit, Failure> {
    let log = context.home.run_directory(run).join(LOG);
    let failed = |error: std::io::Error| Failure::failed(format!("the run could not be left to another process: {error}"));
    if let Some(parent) = log.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    let file = OpenOptions::new().create(true).append(true).open(&log).map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("--home").arg(&context.home.directory).args(["resume", run.as_str(), "--in-background", "--as", &by.name]);
    if yes {
        command.arg("--yes");
    }
    command.current_dir(&context.directory).stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file);
    let mut child = command.spawn().map_err(failed)?;
    wait(context, run, &mut child)?;
    if context.json {
        output::json(&json!({ "type": "detached", "run": run, "pid": child.id(), "log": log }));
    } else {
        output::line(run.as_str());
        let mut hint = format!("it goes on in process {}", child.id());
        hint.push_str(&format!("; `{MOTET} watch {run}` shows it, {} keeps its words", log.display()));
        output::error(&format!("{hint}\n"));
    }
    Ok(Exit::Ok)
}

/// There is no message from the other process but what it writes to the database.
fn wait(context: &Context, run: &RunId, child: &mut std::process::Child) -> Result<(), Failure> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let store = context.home.open()?.ok_or_else(|| Failure::failed("the database is gone"))?;
        let record = store.run(run)?.ok_or_else(|| Failure::failed(format!("run {run} is gone from the database")))?;
        let driven = home::driver_of(&store, &record)?.is_some_and(|driver| driver.pid == child.id());
        if driven || record.ended_at.is_some() {
            return Ok(());
        }
        if let Ok(Some(status)) = child.try_wait() {
            let log = std::fs::read_to_string(context.home.run_directory(run).join(LOG)).unwrap_or_default();
            let last = log.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n");
            // A run that only waits lets its process go at once, which is no failure.
            return if status.success() || status.code() == Some(4) {
                Ok(())
            } else {
                Err(Failure::failed(format!("the process that should drive run {run} ended ({status}): {last}"))
                    .help(format!("{MOTET} resume {run}")))
            };
        }
        std::thread::sleep(GLANCE);
    }
    Err(Failure::failed(format!("the process that should drive run {run} does not begin")).help(format!("{MOTET} resume {run}")))
}

/// Makes this process independent of the terminal it was started from.
pub fn detach() {
    // Only a process that leads a group already is refused, and that one is independent enough.
    let _ = rustix::process::setsid();
}
