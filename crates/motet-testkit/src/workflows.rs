//! Small workflows that together use everything the machine can do, and the shelf they stand on.
//! They are written for tests: their agents do nothing, so that a script can say what each call gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use motet_core::event::{EVENT_VERSION, Person, RunStarted};
use motet_core::language::{Library, load};
use motet_core::names::RunId;
use motet_core::{Definition, Folder};
use motet_host::Workflows;
use serde_json::Value;

/// One task after another, `n` times.
pub const CHAIN: &str = r#"
workflow: chain
version: 1.0.0
summary: One task after another.
input: { n: { type: integer, minimum: 1, maximum: 10000, default: 3 }, size: { type: integer, minimum: 0, maximum: 100000, default: 10 } }
data: { results: 0 }
counters: { rounds: { max: input.n } }
agents: { worker: { prompt: prompts/work.md, timeout: 10m, retry: { attempts: 3, wait: [2s, 4s] } } }
trouble: { error: lost }
start: choosing
states:
  choosing:
    next: { count: rounds, to: working, exceeded: done }
  working: { agent: worker, with: { n: counters.rounds.used, size: input.size }, save: { results: data.results + 1 }, next: choosing }
  done: { final: completed, output: { results: data.results } }
  lost: { final: failed, output: run.error.message }
files:
  progress.md: { from: files/progress.md }
  log.txt: { from: files/line.md, append: true }
"#;

/// Many at once, then a plan with dependencies, with retries, a stand-in and a hanging call.
pub const BROAD: &str = r#"
workflow: broad
version: 1.0.0
summary: Many tasks at once, and a plan.
data:
  tasks:
    - { id: '"a"' }
    - { id: '"b"' }
    - { id: '"c"', depends_on: ['"a"', '"b"'] }
    - { id: '"d"', depends_on: ['"c"'] }
    - { id: '"e"' }
agents:
  worker: { prompt: prompts/work.md, timeout: 5m, retry: { attempts: 4, wait: [2s, 4s] }, cost: 0.01 }
  flaky: { prompt: prompts/work.md, timeout: 1m, retry: { attempts: 2, wait: [1s] }, fallback: [worker], cost: 0.01 }
limits: { cost: 100 }
trouble: { error: lost, budget: lost }
start: spreading
states:
  spreading: { agent: worker, each: range(4), at_most: 4, with: { item: item }, next: planning }
  planning:
    plan: { tasks: data.tasks, agents: [flaky], at_most: 10, max_parallel: 2 }
    with: { task: task.id }
    next: { done: done, incomplete: lost }
  done: { final: completed, output: { spread: size(last.spreading), done: last.planning.done } }
  lost: { final: failed, output: run.error.message }
"#;

/// People: a gate before the work, an agent that asks, and work that must not be done twice.
pub const CAREFUL: &str = r#"
workflow: careful
version: 1.0.0
summary: Asks before it acts, and never acts twice.
data: { said: null }
agents:
  planner: { prompt: prompts/work.md, timeout: 10m, retry: { attempts: 3, wait: [1s] } }
  deployer: { prompt: prompts/work.md, timeout: 2h, class: unsafe }
  registrar: { prompt: prompts/work.md, timeout: 10m, class: reconcilable, retry: { attempts: 3, wait: [1s] } }
  mailer: { prompt: prompts/work.md, timeout: 10m, class: idempotent, retry: { attempts: 3, wait: [1s] } }
questions: { answered_by: [person], at_most: 2, deadline: 1h, otherwise: default }
trouble: { error: lost }
start: planning
states:
  planning: { agent: planner, next: approving }
  approving:
    gate: { ask: "Go?", options: [go, stop], deadline: 24h, otherwise: stop }
    save: { said: result.option }
    next: { go: registering, stop: aborted }
  registering: { agent: registrar, next: mailing }
  mailing: { agent: mailer, next: deploying }
  deploying: { agent: deployer, next: done }
  done: { final: completed, output: { said: data.said } }
  aborted: { final: aborted }
  lost: { final: failed, output: run.error.message }
"#;

/// Two child runs, one after another, one of which has a child of its own.
pub const FAMILY: &str = r#"
workflow: family
version: 1.0.0
summary: Tasks that are whole runs.
input: { levels: { type: integer, minimum: 0, maximum: 40, default: 1 } }
agents:
  chain: { workflow: chain, timeout: 24h, retry: { attempts: 2, wait: [1s] } }
  family: { workflow: family, timeout: 24h }
trouble: { error: lost }
start: first
states:
  first: { agent: chain, with: { n: 2 }, next: deciding }
  deciding:
    next:
      - { when: input.levels > 0, to: second }
      - done
  second: { agent: family, with: { levels: input.levels - 1 }, next: done }
  done: { final: completed, output: { first: last.first.results, second: last.second } }
  lost: { final: failed, output: run.error.message }
"#;

/// A child run that asks people.
pub const GUARDED: &str = r#"
workflow: guarded
version: 1.0.0
summary: A task that is a careful run.
agents: { careful: { workflow: careful, timeout: 48h } }
trouble: { error: lost }
start: delegating
states:
  delegating: { agent: careful, next: done }
  done: { final: completed, output: last.delegating }
  lost: { final: failed, output: run.error.message }
"#;

/// The workflows above, as the program would find them.
#[derive(Clone)]
pub struct Shelf {
    folders: Arc<BTreeMap<String, Folder>>,
    definitions: Arc<BTreeMap<String, Arc<Definition>>>,
}

impl Shelf {
    pub fn new() -> Self {
        Self::of(&[CHAIN, BROAD, CAREFUL, FAMILY, GUARDED])
    }

    /// Panics with what is wrong with a text that is no workflow.
    pub fn of(texts: &[&str]) -> Self {
        let name = |text: &str| text.lines().find_map(|line| line.strip_prefix("workflow: ")).unwrap_or_default().trim().to_string();
        let folders: BTreeMap<String, Folder> = texts.iter().map(|text| (name(text), folder(text))).collect();
        let mut shelf = Self { folders: Arc::new(folders), definitions: Arc::default() };
        let loaded = shelf.folders.iter().map(|(name, folder)| match shelf.load(folder.clone()) {
            Ok(definition) => (name.clone(), definition),
            Err(problems) => panic!("{problems}"),
        });
        shelf.definitions = Arc::new(loaded.collect());
        shelf
    }

    pub fn definition(&self, name: &str) -> Arc<Definition> {
        self.definitions[name].clone()
    }

    /// The first event of a run.
    pub fn started(&self, workflow: &str, run: &str, mut input: Value) -> RunStarted {
        let definition = self.definition(workflow);
        definition.input.fill_defaults(&mut input);
        RunStarted {
            version: EVENT_VERSION,
            run: RunId::new(run),
            workflow: definition.name.clone(),
            workflow_version: definition.version.clone(),
            digest: definition.digest.clone(),
            input,
            by: Person::named("ada"),
            unattended: false,
            cost: None,
            time_ms: None,
            prices: BTreeMap::new(),
            children: BTreeMap::new(),
            people: BTreeMap::new(),
            bindings: Value::Null,
            parent: None,
            number: None,
            seed: None,
        }
    }

    fn load(&self, folder: Folder) -> Result<Arc<Definition>, String> {
        let texts = folder.clone();
        let loaded = load(folder, self).map_err(|problems| {
            problems.iter().map(|problem| problem.render(|file| texts.get(file).map(String::as_str))).collect::<String>()
        });
        loaded.map(|(definition, _)| Arc::new(definition))
    }
}

impl Default for Shelf {
    fn default() -> Self {
        Self::new()
    }
}

impl Library for Shelf {
    fn workflow(&self, name: &str) -> Option<Folder> {
        self.folders.get(name).cloned()
    }

    fn has_builtin(&self, _name: &str) -> bool {
        true
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Workflows for Shelf {
    fn named(&self, name: &str) -> Result<Arc<Definition>, String> {
        self.definitions.get(name).cloned().ok_or_else(|| format!("there is no workflow {name}"))
    }

    fn of(&self, folder: Folder) -> Result<Arc<Definition>, String> {
        // Processes come and go by the thousand in a simulation; what they would compile is the same every time.
        let known = self.definitions.values().find(|definition| definition.folder == folder);
        known.map_or_else(|| self.load(folder), |definition| Ok(definition.clone()))
    }
}

fn folder(text: &str) -> Folder {
    let files = [
        ("workflow.yaml", text),
        ("prompts/work.md", "Do it."),
        ("files/progress.md", "{{ data.results }} results\n"),
        ("files/line.md", "{{ event.seq }} {{ event.kind }}"),
    ];
    let wanted = files.iter().filter(|(path, _)| *path == "workflow.yaml" || text.contains(path));
    wanted.map(|(path, content)| (path.to_string(), content.to_string())).collect()
}
