//! Durable steps: how fast they are, and how much they write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

use motet_core::Definition;
use motet_core::event::{EVENT_VERSION, Person, RunStarted};
use motet_core::names::RunId;
use motet_host::driver::{Driver, Handle, Notice, Perform, Request, wall_clock};
use motet_host::engine::{Definitions, Engine, Settings};
use motet_host::{Places, Sqlite};
use serde_json::{Value, json};

use crate::machines::{Bare, CHAIN, Instantly, definition, kilobyte};

/// One commit of one row of 200 bytes after another, as durable as the journal's.
pub fn raw_commits_per_s(home: &Path) -> f64 {
    let path = home.join("raw.db");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection.pragma_update(None, "journal_mode", "WAL").expect("WAL");
    connection.pragma_update(None, "synchronous", "FULL").expect("FULL");
    connection.execute("CREATE TABLE IF NOT EXISTS rows (key INTEGER PRIMARY KEY, body BLOB)", ()).expect("a table");
    let body = [b'x'; 200];
    let count = 3000;
    let started = Instant::now();
    for _ in 0..count {
        connection
            .prepare_cached("INSERT INTO rows (body) VALUES (?1)")
            .and_then(|mut insert| insert.execute([&body[..]]))
            .expect("a commit");
    }
    f64::from(count) / started.elapsed().as_secs_f64()
}

/// One run, a thousand no-op tasks one after another.
pub fn chain_steps_per_s(home: &Path) -> f64 {
    let count = 1000;
    let definition = definition(CHAIN);
    let best = (0..3).map(|round| {
        let home = home.join(format!("chain-{round}"));
        let driven = Driven::new(&home, Instantly(Value::Null), 64);
        let started = Instant::now();
        driven.run_all(1, &definition, count);
        f64::from(count) / started.elapsed().as_secs_f64()
    });
    best.fold(0.0, f64::max)
}

/// A thousand runs at once, ten tasks each.
pub fn fanout_steps_per_s(home: &Path) -> f64 {
    let definition = definition(CHAIN);
    let best = (0..3).map(|round| {
        let home = home.join(format!("fanout-{round}"));
        let driven = Driven::new(&home, Instantly(Value::Null), 1000);
        let started = Instant::now();
        driven.run_all(1000, &definition, 10);
        10_000.0 / started.elapsed().as_secs_f64()
    });
    best.fold(0.0, f64::max)
}

/// What one task with a result of a kilobyte adds to the database.
pub fn bytes_per_step(home: &Path, count: u32) -> f64 {
    let home = home.join(format!("bytes-{count}"));
    let empty = {
        Driven::new(&home, Instantly(Value::Null), 1).shut_down();
        size(&home)
    };
    let driven = Driven::new(&home, Instantly(kilobyte()), 1);
    driven.run_all(1, &definition(CHAIN), count);
    driven.shut_down();
    (size(&home) - empty) as f64 / f64::from(count)
}

/// The database after everything in its log has been moved into it.
fn size(home: &Path) -> u64 {
    let path = home.join("motet.db");
    let connection = rusqlite::Connection::open(&path).expect("the database");
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).expect("a checkpoint");
    drop(connection);
    std::fs::metadata(&path).map_or(0, |file| file.len())
}

/// A driver on a thread of its own, over SQLite.
pub struct Driven {
    pub handle: Handle,
    thread: std::thread::JoinHandle<Result<(), motet_host::store::Error>>,
}

impl Driven {
    pub fn new(home: &Path, perform: impl Perform + 'static, places: usize) -> Self {
        let store = Sqlite::open_driver(home, wall_clock()()).expect("a store");
        let settings = Settings { places: Places { total: places, ..Places::default() }, ..Settings::default() };
        let engine = Engine::new(store, Definitions::new(Bare), settings);
        let driver = Driver::new(engine, perform, wall_clock(), None::<PathBuf>);
        let handle = driver.handle();
        Self { handle, thread: driver.spawn().expect("a thread") }
    }

    /// Starts so many runs and waits until all have ended.
    pub fn run_all(&self, runs: usize, definition: &Arc<Definition>, count: u32) {
        let (ended, all_ended) = channel();
        self.handle.watch(move |notice| match notice {
            Notice::Ended { .. } => ended.send(()).is_ok(),
            _ => true,
        });
        self.start_all(runs, definition, count);
        for _ in 0..runs {
            all_ended.recv().expect("the driver lives");
        }
    }

    pub fn start_all(&self, runs: usize, definition: &Arc<Definition>, count: u32) {
        for number in 0..runs {
            let request = Request::Start { started: Box::new(started(definition, number, count)), definition: definition.clone() };
            self.handle.ask_then(request, |result| drop(result.expect("the run starts")));
        }
    }

    pub fn shut_down(self) {
        self.handle.shut_down();
        self.thread.join().expect("the driver ends").expect("the driver ends well");
    }
}

fn started(definition: &Definition, number: usize, count: u32) -> RunStarted {
    RunStarted {
        version: EVENT_VERSION,
        run: RunId::new(format!("{}-{number:05}", definition.name)),
        workflow: definition.name.clone(),
        workflow_version: definition.version.clone(),
        digest: definition.digest.clone(),
        input: json!({ "n": count }),
        by: Person::named("bench"),
        unattended: false,
        cost: None,
        time_ms: None,
        prices: Default::default(),
        children: Default::default(),
        people: Default::default(),
        bindings: Value::Null,
        parent: None,
        number: None,
        seed: None,
    }
}
