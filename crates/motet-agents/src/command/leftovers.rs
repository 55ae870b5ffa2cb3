//! What an earlier attempt left running when the process that drove it was killed: it is ended before the task is begun again.
//! It looks only where the system tells a program's environment (`/proc`); elsewhere such a program ends when its pipes do.

use std::path::Path;

use motet_core::effect::Call;
use rustix::process::{Pid, Signal, kill_process};

use crate::context::{Context, Progress};

/// A program may start another while it is being ended; so it is looked for again, but not for ever.
const ROUNDS: usize = 5;

/// Ends every program that still works on this task for a process that is gone. What this very process has started ends with its
/// group, or has left it in order to stay.
pub(crate) fn end(call: &Call, context: &Context) {
    // The first attempt has none before it, and without a directory one run cannot be told from another of the same name.
    let Some(directory) = context.run_directory().filter(|_| call.attempt > 1) else { return };
    for _ in 0..ROUNDS {
        let found: Vec<Pid> = programs(call, directory).collect();
        if found.is_empty() {
            return;
        }
        for pid in found {
            context.tell(Progress::Log(format!("a program of an earlier attempt is ended: process {}", pid.as_raw_nonzero())));
            // One that has ended meanwhile needs nothing more.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn programs<'a>(call: &'a Call, directory: &'a Path) -> impl Iterator<Item = Pid> + use<'a> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|process| {
        let id: i32 = process.file_name().to_str()?.parse().ok()?;
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        let has = |name: &str, value: &[u8]| {
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| variable.strip_prefix(name.as_bytes()).is_some_and(|rest| rest == value))
        };
        let is_ours = has("MOTET_RUN=", call.run.as_str().as_bytes())
            && has("MOTET_TASK=", call.task.as_str().as_bytes())
            && has("MOTET_RUN_DIR=", directory.as_os_str().as_encoded_bytes());
        let this = std::process::id();
        let is_orphan = !has("MOTET_DRIVER=", this.to_string().as_bytes()) && id.unsigned_abs() != this;
        (is_ours && is_orphan).then(|| Pid::from_raw(id)).flatten()
    })
}
