//! Runs of tasks in a line, alone and by the thousand, through the real driver with agents that answer at once.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

use motet_core::event::Usage;
use motet_core::names::{RunId, TaskId};
use motet_core::{Call, Definition};
use motet_host::driver::{Done, Driver, Handle, Notice, Perform, Request, wall_clock};
use motet_host::engine::{Definitions, Engine, Outcome, Settings};
use motet_host::{Places, Sqlite};
use serde_json::{Value, json};

use super::home::Home;
use crate::workflows::Shelf;

/// `n` tasks one after another; each counts itself and saves nothing.
pub const LINE: &str = r#"
workflow: line
version: 1.0.0
summary: Tasks one after another.
input: { n: { type: integer, minimum: 1, maximum: 100000, default: 10 }, size: { type: integer, minimum: 0, maximum: 100000, default: 10 } }
counters: { rounds: { first: 1, max: input.n } }
agents: { worker: { prompt: prompts/work.md, timeout: 1h } }
trouble: { error: lost }
start: working
states:
  working: { agent: worker, with: { size: input.size }, next: { count: rounds, to: working, exceeded: done } }
  done: { final: completed, output: true }
  lost: { final: failed, output: run.error.message }
"#;

pub fn chain_steps_per_second(tasks: u64) -> Result<f64, String> {
    let home = Home::new()?;
    Ok(tasks as f64 / seconds(&home, 1, json!({ "n": tasks }))?)
}

pub fn fanout_steps_per_second(runs: u64, tasks: u64) -> Result<f64, String> {
    let home = Home::new()?;
    Ok((runs * tasks) as f64 / seconds(&home, runs, json!({ "n": tasks }))?)
}

/// What one task with a result of a kilobyte adds to the database.
pub fn bytes_per_step(tasks: u64) -> Result<f64, String> {
    let home = Home::new()?;
    seconds(&home, 1, json!({ "n": 1, "size": 1000 }))?;
    let before = home.database_bytes()?;
    seconds(&home, 1, json!({ "n": tasks, "size": 1000 }))?;
    Ok((home.database_bytes()? - before) as f64 / tasks as f64)
}

/// How long this many runs take from the first request to the last ending.
fn seconds(home: &Home, runs: u64, input: Value) -> Result<f64, String> {
    let shelf = Shelf::of(&[LINE]);
    let (handle, driver) = drive(home, &shelf, Echo)?;
    let (sender, endings) = channel();
    handle.watch(move |notice| match notice {
        Notice::Ended { .. } => sender.send(()).is_ok(),
        _ => true,
    });
    let began = Instant::now();
    let salt = began.elapsed().as_nanos() + u128::from(runs) + home.database_bytes().map_or(0, u128::from);
    for number in 0..runs {
        let started = Box::new(shelf.started("line", &format!("line-{salt}-{number}"), input.clone()));
        handle.ask_then(Request::Start { started, definition: shelf.definition("line") }, |result| assert!(result.is_ok(), "{result:?}"));
    }
    for _ in 0..runs {
        endings.recv().map_err(|_| "the driver ended before the runs did".to_string())?;
    }
    let seconds = began.elapsed().as_secs_f64();
    handle.shut_down();
    driver.join().map_err(|_| "the driver panicked".to_string())?.map_err(|error| error.to_string())?;
    Ok(seconds)
}

type Driving = std::thread::JoinHandle<Result<(), motet_host::store::Error>>;

/// A driver on this home, with room for everything at once.
pub fn drive(home: &Home, shelf: &Shelf, perform: impl Perform + 'static) -> Result<(Handle, Driving), String> {
    drive_in(home.path(), shelf, perform)
}

pub fn drive_in(home: &std::path::Path, shelf: &Shelf, perform: impl Perform + 'static) -> Result<(Handle, Driving), String> {
    let clock = wall_clock();
    let store = Sqlite::open_driver(home, clock()).map_err(|error| error.to_string())?;
    let places = Places { total: 100_000, ..Places::default() };
    let engine = Engine::new(store, Definitions::new(shelf.clone()), Settings { places, ..Settings::default() });
    let driver = Driver::new(engine, perform, clock, None);
    let handle = driver.handle();
    Ok((handle, driver.spawn().map_err(|error| error.to_string())?))
}

/// Answers every call at once with as much text as it was asked for.
struct Echo;

impl Perform for Echo {
    fn perform(&self, call: Call, _: &Arc<Definition>, done: Done) {
        let size = call.input["size"].as_u64().unwrap_or(0);
        done.finish(Outcome::Succeeded(json!({ "text": "x".repeat(size as usize) })), Usage::default());
    }

    fn reconcile(&self, _: Call, _: &Arc<Definition>, done: Done) {
        done.finish(Outcome::Undone, Usage::default());
    }

    fn stop(&self, _: &RunId, _: &TaskId, _: u32) {}
}
