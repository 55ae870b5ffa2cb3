//! Attempts that are stopped: what they had said and taken is in the journal, whoever stopped them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use motet_core::event::{Event, Fact, Failure, FailureKind, Person, Usage};
use motet_core::names::{RunId, TaskId};
use motet_core::units::Time;
use motet_core::{Call, Definition};
use motet_host::engine::{Command, Definitions, Outcome, Refusal, Settings};
use motet_host::store::Error;
use motet_host::{Done, Driver, Engine, Handle, Memory, Perform, Request, journal};
use motet_testkit::workflows::Shelf;
use serde_json::{Value, json};

use crate::giving_up::Picky;

/// Performs nothing. Asked to stop, an attempt speaks at once, or when it is let.
#[derive(Clone)]
struct Players {
    kept: Arc<Mutex<BTreeMap<(RunId, TaskId), Done>>>,
    speak: bool,
    /// They are stopped, and not waited for.
    deaf: Arc<Mutex<BTreeSet<TaskId>>>,
    begun: std::sync::mpsc::Sender<TaskId>,
}

impl Players {
    fn say(&self, run: &str, task: &str, outcome: Outcome) {
        if let Some(done) = self.kept.lock().unwrap().remove(&(run.into(), task.into())) {
            done.finish(outcome, Usage { tokens_in: 7, ..Usage::default() }, vec![json!({ "said": task })]);
        }
    }
}

impl Perform for Players {
    fn perform(&self, call: Call, _definition: &Arc<Definition>, done: Done) {
        self.kept.lock().unwrap().insert((call.run.clone(), call.task.clone()), done);
        let _ = self.begun.send(call.task);
    }

    fn reconcile(&self, _call: Call, _definition: &Arc<Definition>, _done: Done) {
        panic!("a driver that ends begins nothing");
    }

    fn stop(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {}

    fn hear(&self, run: &RunId, task: &TaskId, _attempt: u32) -> u64 {
        if self.speak {
            self.say(run.as_str(), task.as_str(), stopped());
        }
        if self.deaf.lock().unwrap().contains(task) { 0 } else { 7000 }
    }
}

fn stopped() -> Outcome {
    Outcome::Failed(Failure { kind: FailureKind::Cancelled, message: "stopped".into() })
}

struct Process {
    handle: Handle,
    time: Arc<AtomicI64>,
    players: Players,
    begun: Receiver<TaskId>,
    thread: JoinHandle<Result<(), Error>>,
    memory: Memory,
    shelf: Shelf,
}

impl Process {
    fn start(speak: bool) -> Self {
        Self::with(Shelf::new(), speak)
    }

    fn with(shelf: Shelf, speak: bool) -> Self {
        let (memory, time) = (Memory::new(), Arc::new(AtomicI64::new(1_700_000_000_000)));
        let (begun, told) = channel();
        let players = Players { kept: Arc::default(), speak, deaf: Arc::default(), begun };
        let engine = Engine::new(memory.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
        let clock = time.clone();
        let driver = Driver::new(engine, players.clone(), move || Time(clock.load(Ordering::SeqCst)), None);
        let handle = driver.handle();
        Self { handle, time, players, begun: told, thread: driver.spawn().unwrap(), memory, shelf }
    }

    /// Starts a run and waits until so many of its tasks are at work.
    fn run(self, workflow: &str, tasks: usize) -> Self {
        let started = Box::new(self.shelf.started(workflow, "r", json!({})));
        self.handle.ask(Request::Start { started, definition: self.shelf.definition(workflow) }).unwrap();
        (0..tasks).for_each(|_| drop(self.begun.recv().unwrap()));
        self
    }

    fn cancel(&self) -> Receiver<Result<Vec<RunId>, Refusal>> {
        let (answer, answered) = channel();
        let command = Command::Cancel { by: Person::named("ada"), reason: String::new() };
        self.handle.ask_then(Request::Command { run: "r".into(), command }, move |result| drop(answer.send(result)));
        answered
    }

    fn tasks(&self) -> Vec<&'static str> {
        let words = |state: &motet_core::State| state.tasks.values().map(|task| task.status.word()).collect();
        // The first look wakes the driver, the second sees what came of that.
        self.handle.look(&"r".into(), |_, _| ());
        self.handle.look(&"r".into(), move |_, state| words(state)).unwrap_or_default()
    }

    fn end(self, run: &RunId) -> Vec<Event> {
        self.handle.shut_down();
        self.thread.join().unwrap().unwrap();
        journal::events(&self.memory.open_driver(Time(0)), run, 0).unwrap()
    }
}

/// What the last words of a cancelled run are.
fn last_words(events: &[Event]) -> Vec<(String, u64, Vec<Value>)> {
    let Some(Fact::Cancelled { last_words, .. }) = events.last().map(|event| &event.fact) else { panic!("{events:?}") };
    last_words.iter().map(|words| (words.task.to_string(), words.usage.tokens_in, words.exchanges.clone())).collect()
}

#[test]
fn a_run_is_cancelled_with_what_those_at_work_had_said() {
    let process = Process::start(true).run("broad", 4);
    process.cancel().recv().unwrap().unwrap();
    let words = last_words(&process.end(&"r".into()));
    assert_eq!(words.len(), 4);
    assert_eq!(words[0], ("spreading.1/1".into(), 7, vec![json!({ "said": "spreading.1/1" })]));
}

#[test]
fn a_run_is_cancelled_without_those_who_do_not_speak_in_time() {
    let process = Process::start(false).run("broad", 4);
    let answered = process.cancel();
    // One fails by itself just then, and one is done: nothing goes on for that.
    process.players.say("r", "spreading.1/1", Outcome::Failed(Failure { kind: FailureKind::Refused, message: "no".into() }));
    process.players.say("r", "spreading.1/2", Outcome::Succeeded(json!("fine")));
    assert_eq!(process.tasks(), ["running"; 4]);
    process.time.fetch_add(6999, Ordering::SeqCst);
    assert_eq!(process.tasks(), ["running"; 4]);
    process.time.fetch_add(1, Ordering::SeqCst);
    process.tasks();
    answered.recv().unwrap().unwrap();
    let words = last_words(&process.end(&"r".into()));
    assert_eq!(words.iter().map(|(task, ..)| task.as_str()).collect::<Vec<_>>(), ["spreading.1/1", "spreading.1/2"]);
}

#[test]
fn nothing_is_taken_up_in_a_run_that_is_about_to_be_cancelled() {
    let process = Process::start(false).run("broad", 4);
    process.players.say("r", "spreading.1/1", Outcome::Failed(Failure { kind: FailureKind::Unavailable, message: "down".into() }));
    assert_eq!(process.tasks(), ["waiting", "running", "running", "running"]);
    let answered = process.cancel();
    process.tasks();
    process.time.fetch_add(6000, Ordering::SeqCst);
    assert_eq!(process.tasks(), ["queued", "running", "running", "running"]);
    (2..=4).for_each(|number| process.players.say("r", &format!("spreading.1/{number}"), stopped()));
    answered.recv().unwrap().unwrap();
    assert!(process.begun.try_recv().is_err());
    assert_eq!(last_words(&process.end(&"r".into())).len(), 3);
}

#[test]
fn those_who_work_for_a_child_run_are_heard_when_its_parent_is_cancelled_which_learns_what_it_took() {
    for of_child in [true, false] {
        let process = Process::start(true).run("family", 1);
        let child = process.players.kept.lock().unwrap().keys().next().unwrap().0.clone();
        process.cancel().recv().unwrap().unwrap();
        match of_child {
            true => assert_eq!(last_words(&process.end(&child)), [("working.1".into(), 7, vec![json!({ "said": "working.1" })])]),
            false => assert_eq!(last_words(&process.end(&"r".into())), [("first.1".into(), 7, vec![])]),
        }
    }
}

#[test]
fn no_child_run_begins_in_a_run_that_is_about_to_be_cancelled() {
    let siblings = "
workflow: siblings
version: 1.0.0
summary: Two child runs at once.
agents: { chain: { workflow: chain, timeout: 24h, retry: { attempts: 2, wait: [1s] } } }
trouble: { error: lost }
start: both
states:
  both: { agent: chain, each: range(2), at_most: 2, with: { n: 1 }, next: done }
  done: { final: completed, output: null }
  lost: { final: failed, output: run.error.message }
";
    let process = Process::with(Shelf::of(&[motet_testkit::workflows::CHAIN, siblings]), false).run("siblings", 2);
    let first = process.players.kept.lock().unwrap().keys().next().unwrap().0.clone();
    process.players.say(first.as_str(), "working.1", Outcome::Failed(Failure { kind: FailureKind::Refused, message: "no".into() }));
    let sorted = || {
        let mut tasks = process.tasks();
        tasks.sort_unstable();
        tasks
    };
    assert_eq!(sorted(), ["running", "waiting"]);
    let answered = process.cancel();
    process.tasks();
    process.time.fetch_add(6000, Ordering::SeqCst);
    assert_eq!(sorted(), ["queued", "running"]);
    let second = process.players.kept.lock().unwrap().keys().next().unwrap().0.clone();
    process.players.say(second.as_str(), "working.1", stopped());
    answered.recv().unwrap().unwrap();
    assert!(process.begun.try_recv().is_err());
}

#[test]
fn a_run_that_is_cancelled_twice_is_cancelled_once() {
    let process = Process::start(false).run("chain", 1);
    let (first, second) = (process.cancel(), process.cancel());
    process.tasks();
    process.players.say("r", "working.1", stopped());
    assert!(first.recv().unwrap().is_ok());
    assert!(second.recv().unwrap().is_err());
    assert_eq!(last_words(&process.end(&"r".into())).len(), 1);
}

#[test]
fn a_driver_that_ends_hears_those_at_work_and_leaves_their_tasks_to_the_next() {
    let process = Process::start(false).run("broad", 4);
    let (handle, players) = (process.handle.clone(), process.players.clone());
    handle.shut_down();
    // Whoever has finished just then has finished; whoever says nothing is left for the next process to find.
    handle.look(&"r".into(), |_, _| ());
    players.say("r", "spreading.1/1", stopped());
    players.say("r", "spreading.1/2", Outcome::Succeeded(json!("fine")));
    handle.look(&"r".into(), |_, _| ());
    process.time.fetch_add(7000, Ordering::SeqCst);
    let events = process.end(&"r".into());
    let [.., interrupted, done] = &events[..] else { panic!("{events:?}") };
    let Fact::TaskFailed { task, error, usage, exchanges, .. } = &interrupted.fact else { panic!("{interrupted:?}") };
    assert_eq!((task.as_str(), error.kind, usage.tokens_in), ("spreading.1/1", FailureKind::Interrupted, 7));
    assert_eq!(exchanges, &[json!({ "said": "spreading.1/1" })]);
    assert!(matches!(&done.fact, Fact::TaskSucceeded { task, .. } if *task == "spreading.1/2"));
}

#[test]
fn nobody_is_waited_for_by_a_driver_that_ends_when_everybody_has_spoken() {
    let events = Process::start(true).run("broad", 4).end(&"r".into());
    let is_interrupted = |fact: &Fact| matches!(fact, Fact::TaskFailed { error, .. } if error.kind == FailureKind::Interrupted);
    assert_eq!(events.iter().filter(|event| is_interrupted(&event.fact)).count(), 4);
}

#[test]
fn whoever_was_stopped_and_not_awaited_has_not_failed_when_the_driver_ends() {
    let process = Process::start(false).run("broad", 4);
    process.players.deaf.lock().unwrap().insert("spreading.1/1".into());
    let (handle, players) = (process.handle.clone(), process.players.clone());
    handle.shut_down();
    handle.look(&"r".into(), |_, _| ());
    players.say("r", "spreading.1/1", stopped());
    handle.look(&"r".into(), |_, _| ());
    process.time.fetch_add(7000, Ordering::SeqCst);
    let events = process.end(&"r".into());
    let Some(Fact::TaskFailed { task, error, .. }) = events.last().map(|event| &event.fact) else { panic!("{events:?}") };
    assert_eq!((task.as_str(), error.kind), ("spreading.1/1", FailureKind::Interrupted));
}

#[test]
fn nobody_is_stopped_for_a_cancellation_that_cannot_be_written() {
    let (shelf, refusals, time) = (Shelf::new(), Arc::new(AtomicU32::new(0)), Arc::new(AtomicI64::new(1_700_000_000_000)));
    let store = Picky { inner: Memory::new().open_driver(Time(0)), error: Error::Busy, refusals: refusals.clone() };
    let (begun, told) = channel();
    let players = Players { kept: Arc::default(), speak: true, deaf: Arc::default(), begun };
    let engine = Engine::new(store, Definitions::new(shelf.clone()), Settings::default());
    let clock = time.clone();
    let driver = Driver::new(engine, players.clone(), move || Time(clock.load(Ordering::SeqCst)), None);
    let handle = driver.handle();
    let thread = driver.spawn().unwrap();
    let started = Box::new(shelf.started("broad", "bad", json!({})));
    handle.ask(Request::Start { started, definition: shelf.definition("broad") }).unwrap();
    (0..4).for_each(|_| drop(told.recv().unwrap()));
    refusals.store(1_000_000, Ordering::SeqCst);
    players.say("bad", "spreading.1/1", Outcome::Succeeded(json!("fine")));
    handle.look(&"bad".into(), |_, _| ());
    let cancel = || {
        let command = Command::Cancel { by: Person::named("ada"), reason: String::new() };
        handle.ask(Request::Command { run: "bad".into(), command })
    };
    assert!(matches!(cancel(), Err(Refusal::Journal(_))));
    assert_eq!(players.kept.lock().unwrap().len(), 3);
    refusals.store(0, Ordering::SeqCst);
    time.fetch_add(60_000, Ordering::SeqCst);
    handle.look(&"bad".into(), |_, _| ());
    cancel().unwrap();
    assert_eq!(players.kept.lock().unwrap().len(), 0);
    handle.shut_down();
    thread.join().unwrap().unwrap();
}
