//! The workflows that are measured, and a performer that does nothing at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use motet_core::check::check;
use motet_core::event::Usage;
use motet_core::language::{Library, load};
use motet_core::names::{RunId, TaskId};
use motet_core::{Call, Definition, Folder};
use motet_host::Workflows;
use motet_host::driver::{Done, Perform};
use motet_host::engine::Outcome;
use serde_json::{Value, json};

/// One no-op task after another.
pub const CHAIN: &str = "
workflow: chain
version: 1.0.0
summary: One task after another.
input: { n: { type: integer, minimum: 1, maximum: 1000000 } }
counters: { rounds: { first: 1, max: input.n } }
agents: { worker: { prompt: prompts/work.md } }
trouble: { error: lost }
start: working
states:
  working: { agent: worker, next: { count: rounds, to: working, exceeded: done } }
  done: { final: completed, output: null }
  lost: { final: failed, output: run.error.message }
";

/// Waits for a person.
pub const GATE: &str = "
workflow: gate
version: 1.0.0
summary: Waits for a person.
input: { n: { type: integer, minimum: 1, maximum: 1000000 } }
trouble: { error: done }
start: asking
states:
  asking: { gate: { ask: 'Go on with {{ input.n }}?', options: [go, stop], otherwise: stop }, next: done }
  done: { final: completed, output: null }
";

/// What stands on no shelf: only the workflows above, and none of the program's built-ins.
pub struct Bare;

impl Library for Bare {
    fn workflow(&self, _name: &str) -> Option<Folder> {
        None
    }
    fn has_builtin(&self, _name: &str) -> bool {
        true
    }
    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Workflows for Bare {
    fn named(&self, name: &str) -> Result<Arc<Definition>, String> {
        Err(format!("there is no workflow {name}"))
    }
    fn of(&self, folder: Folder) -> Result<Arc<Definition>, String> {
        load(folder, &Bare).map(|(definition, _)| Arc::new(definition)).map_err(|problems| format!("{problems:?}"))
    }
}

pub fn definition(yaml: &str) -> Arc<Definition> {
    let folder = Folder::from([("workflow.yaml".to_string(), yaml.to_string()), ("prompts/work.md".to_string(), "Work.".to_string())]);
    Bare.of(folder).expect("the measured workflow loads")
}

/// Answers every call at once with the same result.
pub struct Instantly(pub Value);

impl Perform for Instantly {
    fn perform(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        done.finish(Outcome::Succeeded(self.0.clone()), Usage::default(), Vec::new());
    }
    fn reconcile(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        done.finish(Outcome::Undone, Usage::default(), Vec::new());
    }
    fn stop(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {}
}

/// Never answers, and tells that it was asked.
pub struct Never(pub Sender<()>);

impl Perform for Never {
    fn perform(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        let _ = self.0.send(());
        std::mem::forget(done);
    }
    fn reconcile(&self, call: Call, definition: &Arc<Definition>, done: Done) {
        self.perform(call, definition, done);
    }
    fn stop(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {}
}

/// Reads and checks every workflow of the repository.
pub fn check_all_ms() -> f64 {
    let workflows = motet_testkit::repository().join("workflows");
    let folders: Vec<Folder> = children(&workflows).iter().map(|path| read_folder(path)).collect();
    let shelf = Shelf(folders.clone());
    let started = Instant::now();
    for folder in folders {
        let (definition, _) = load(folder, &shelf).unwrap_or_else(|problems| panic!("a workflow does not load: {problems:?}"));
        std::hint::black_box(check(&definition, None));
    }
    started.elapsed().as_secs_f64() * 1000.0
}

struct Shelf(Vec<Folder>);

impl Library for Shelf {
    fn workflow(&self, name: &str) -> Option<Folder> {
        let line = format!("workflow: {name}\n");
        self.0.iter().find(|folder| folder.get("workflow.yaml").is_some_and(|text| text.starts_with(&line))).cloned()
    }
    fn has_builtin(&self, _name: &str) -> bool {
        true
    }
    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

fn children(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    paths
}

fn read_folder(root: &Path) -> Folder {
    let mut folder = Folder::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(children(&path));
        } else if let (Ok(text), Ok(name)) = (std::fs::read_to_string(&path), path.strip_prefix(root)) {
            folder.insert(name.to_string_lossy().into_owned(), text);
        }
    }
    folder
}

pub fn kilobyte() -> Value {
    // Text that does not repeat, so that no compression flatters the number.
    let mut seed = 7_u64;
    let text: String = (0..1000)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + (seed >> 59) as u8 % 26)
        })
        .collect();
    json!({ "text": text })
}
