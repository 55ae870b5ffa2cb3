//! What the backends do from outside: real programs, real sockets that speak the providers' formats, a real clock or a paused one.

mod acp;
mod command;
mod containment;
mod cuts;
mod fallback;
mod mcp;
mod mcp_from_npm;
mod models;
mod performer;
mod person;
mod presets;
mod stand_ins;

use std::sync::{Arc, Mutex};

use motet_agents::{Context, Outcome, Progress, Request, Stop};
use motet_core::effect::{Call, CallWork};
use motet_core::event::FailureKind;
use motet_core::units::Usd;
use serde_json::{Value, json};

fn request(work: CallWork, input: Value) -> Request {
    Request::new(Call {
        run: "tea-1".into(),
        task: "writing.1/api".into(),
        attempt: 2,
        key: "tea-1:writing.1/api:2".into(),
        agent: "writer".into(),
        role: "writer".into(),
        work,
        input,
        correction: None,
        answers: Vec::new(),
        timeout_ms: 60_000,
        class: Default::default(),
        works_in: None,
        model: Default::default(),
        reserved: Usd::ZERO,
        unattended: false,
    })
}

fn prompted(prompt: &str) -> Request {
    Request { prompt: Some(prompt.into()), ..request(CallWork::Prompt, json!({"product": "tea"})) }
}

fn failure(outcome: Outcome) -> (FailureKind, String) {
    match outcome {
        Outcome::Failed { failure, .. } => (failure.kind, failure.message),
        other => panic!("it should have failed: {other:?}"),
    }
}

fn returned(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Returned { result, .. } => result,
        other => panic!("it should have returned: {other:?}"),
    }
}

/// Whether some process still has this marker in its arguments.
fn lives(marker: &str) -> bool {
    let processes = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(marker))
}

/// Whether the processes with this marker are gone, soon.
async fn ends(marker: &str) -> bool {
    for _ in 0..200 {
        if !lives(marker) {
            return true;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    false
}

/// A context that keeps what it is told.
fn listening() -> (Context, Stop, Arc<Mutex<Vec<Progress>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (context, stop) = Context::new();
    let ear = heard.clone();
    (context.telling(move |progress| ear.lock().expect("no test panicked").push(progress)), stop, heard)
}

/// A fresh directory that is removed with the value.
struct Directory(std::path::PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("motet-agents-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory can be made");
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
