//! Many open runs in one process: some whose tasks never end, some that wait for a person.
//! The functions here are the whole life of a process of their own, which another one watches and kills.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use motet_core::names::{RunId, TaskId};
use motet_core::{Call, Definition};
use motet_host::driver::{Done, Handle, Notice, Perform, Request};
use serde_json::json;

use super::lines::{LINE, drive_in};
use crate::workflows::Shelf;

const WAITING: &str = r#"
workflow: waiting
version: 1.0.0
summary: Asks a person and waits.
start: asking
states:
  asking: { gate: { ask: "May it go on?", options: [approve, reject], otherwise: wait }, next: { approve: done, reject: done } }
  done: { final: completed, output: true }
"#;

/// Starts runs whose tasks never end, and returns when all of them are at work.
pub fn stuck_crowd(home: &Path, runs: u64) -> Result<(), String> {
    let shelf = Shelf::of(&[LINE]);
    let (perform, begun) = Never::new(runs);
    let (handle, _driver) = drive_in(home, &shelf, perform)?;
    start(&handle, &shelf, "line", runs);
    begun.recv().map_err(|_| "the driver ended before the runs were at work".to_string())
}

/// Takes up every open run, and returns when all of them are at work again.
pub fn take_up(home: &Path, runs: u64) -> Result<(), String> {
    let shelf = Shelf::of(&[LINE]);
    let (perform, begun) = Never::new(runs);
    let (handle, _driver) = drive_in(home, &shelf, perform)?;
    let claimed = handle.ask(Request::ClaimAll).map_err(|refusal| refusal.to_string())?;
    if claimed.len() as u64 != runs {
        return Err(format!("{} runs were found where {runs} were left", claimed.len()));
    }
    begun.recv().map_err(|_| "the driver ended before the runs were at work".to_string())
}

/// Starts runs that wait for a person, and returns when all of them do.
pub fn gate_crowd(home: &Path, runs: u64) -> Result<(), String> {
    let shelf = Shelf::of(&[WAITING]);
    let (perform, _) = Never::new(u64::MAX);
    let (handle, _driver) = drive_in(home, &shelf, perform)?;
    let (sender, idle) = channel();
    handle.watch(move |notice| match notice {
        Notice::Idle { .. } => sender.send(()).is_ok(),
        _ => true,
    });
    start(&handle, &shelf, "waiting", runs);
    (0..runs).try_for_each(|_| idle.recv()).map_err(|_| "the driver ended before the runs waited".to_string())?;
    // The driver's thread goes on for as long as the process does.
    std::mem::forget(handle);
    Ok(())
}

fn start(handle: &Handle, shelf: &Shelf, workflow: &str, runs: u64) {
    for number in 0..runs {
        let started = Box::new(shelf.started(workflow, &format!("{workflow}-{number}"), json!({})));
        let request = Request::Start { started, definition: shelf.definition(workflow) };
        handle.ask_then(request, |result| assert!(result.is_ok(), "{result:?}"));
    }
}

/// Takes every call and answers none; says when it has this many.
struct Never {
    left: AtomicU64,
    all: Sender<()>,
}

impl Never {
    fn new(calls: u64) -> (Self, Receiver<()>) {
        let (all, begun) = channel();
        (Self { left: AtomicU64::new(calls), all }, begun)
    }
}

impl Perform for Never {
    fn perform(&self, _: Call, _: &Arc<Definition>, done: Done) {
        // A dropped `done` would say that the call has crashed.
        std::mem::forget(done);
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            // Nobody listens any more only if the measurement has failed already.
            let _ = self.all.send(());
        }
    }

    fn reconcile(&self, call: Call, definition: &Arc<Definition>, done: Done) {
        self.perform(call, definition, done);
    }

    fn stop(&self, _: &RunId, _: &TaskId, _: u32) {}
}
