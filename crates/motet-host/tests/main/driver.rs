//! Whole drivers: threads, a database on a disk, files, and commands from outside.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use motet_core::event::{Answer, Failure, FailureKind, Person, Usage};
use motet_core::names::{RunId, TaskId};
use motet_core::units::Time;
use motet_core::{Call, Definition};
use motet_host::control::{self, Ask, Server, Tell};
use motet_host::engine::{Command, Definitions, Outcome, Settings};
use motet_host::store::{DriverId, Error};
use motet_host::{Done, Driver, Engine, Handle, HeldUp, Memory, Notice, Perform, Request, Sqlite, Store, journal, wall_clock};
use motet_testkit::workflows::Shelf;
use serde_json::{Value, json};

use crate::stores::Home;

/// Answers at once, or keeps calls for ever.
struct Performer {
    hang: bool,
    performed: Arc<Mutex<Vec<String>>>,
    kept: Mutex<Vec<Done>>,
}

impl Perform for Performer {
    fn perform(&self, call: Call, _definition: &Arc<Definition>, done: Done) {
        self.performed.lock().unwrap().push(call.task.to_string());
        if self.hang {
            self.kept.lock().unwrap().push(done);
        } else {
            std::thread::spawn(move || done.finish(Outcome::Succeeded(json!("fine")), Usage::default(), Vec::new()));
        }
    }

    fn reconcile(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        done.finish(Outcome::Undone, Usage::default(), Vec::new());
    }

    fn stop(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {
        self.kept.lock().unwrap().clear();
    }
}

struct Process {
    handle: Handle,
    id: DriverId,
    notices: Receiver<String>,
    performed: Arc<Mutex<Vec<String>>>,
    thread: JoinHandle<Result<(), Error>>,
    _server: Server,
    shelf: Shelf,
}

impl Process {
    fn start(home: &Home, hang: bool) -> Self {
        let shelf = Shelf::new();
        let clock = wall_clock();
        let store = Sqlite::open_driver(&home.0, clock()).unwrap();
        let id = store.driver_id().unwrap().clone();
        let engine = Engine::new(store, Definitions::new(shelf.clone()), Settings::default());
        let performed = Arc::new(Mutex::new(Vec::new()));
        let performer = Performer { hang, performed: performed.clone(), kept: Mutex::default() };
        let driver = Driver::new(engine, performer, clock, Some(home.0.clone()));
        let handle = driver.handle();
        let (sender, notices) = channel();
        handle.watch(move |notice| note(notice, &sender));
        let server = Server::start(&home.0, &id, handle.clone()).unwrap();
        Self { handle, id, notices, performed, thread: driver.spawn().unwrap(), _server: server, shelf }
    }

    fn run(&self, workflow: &str, run: &str, input: Value) {
        let started = Box::new(self.shelf.started(workflow, run, input));
        self.handle.ask(Request::Start { started, definition: self.shelf.definition(workflow) }).unwrap();
    }

    fn expect(&self, expected: &str) {
        loop {
            match self.notices.recv_timeout(Duration::from_secs(20)) {
                Ok(notice) if notice == expected => return,
                Ok(_) => {}
                Err(error) => panic!("{expected}: {error}"),
            }
        }
    }

    fn shut_down(self) -> Result<(), Error> {
        self.handle.shut_down();
        self.thread.join().unwrap()
    }
}

fn note(notice: &Notice<'_>, sender: &Sender<String>) -> bool {
    let text = match notice {
        Notice::Advanced { run, events, .. } => format!("{run} advanced {}", events.len()),
        Notice::Idle { run } => format!("{run} idle"),
        Notice::Ended { run, ended } => format!("{run} {}", ended.outcome.word()),
        Notice::FileProblem { run, problem } => format!("{run} {}: {}", problem.path, problem.why),
        Notice::Unreadable { error, .. } => error.to_string(),
        Notice::Stalled { error, .. } => error.to_string(),
        Notice::Unstalled | Notice::Fenced => "other".into(),
    };
    sender.send(text).is_ok()
}

fn read(home: &Home, path: &str) -> String {
    std::fs::read_to_string(home.0.join("runs").join(path)).unwrap()
}

fn answer(process: &Process, run: &str, option: &str) -> Command {
    let gate = process.handle.look(&RunId::new(run), |_, state| state.gates.keys().next().cloned()).unwrap().unwrap();
    let by = Person::named("ada");
    Command::Answer { gate, answer: Answer { by, option: Some(option.into()), text: None, answers: Default::default(), seen: None } }
}

#[test]
fn a_run_goes_to_its_end_and_leaves_its_files() {
    let home = Home::new();
    let process = Process::start(&home, false);
    process.run("chain", "r", json!({ "n": 5 }));
    process.expect("r completed");
    process.shut_down().unwrap();
    assert_eq!(read(&home, "r/progress.md"), "5 results\n");
    let log = read(&home, "r/log.txt");
    assert_eq!(log.lines().count(), 11, "{log}");
    assert_eq!(log.lines().next(), Some("1 run_started"));
    let store = Sqlite::open(&home.0).unwrap();
    assert_eq!(journal::verify(&store, &"r".into()).unwrap().unwrap().events, 11);
}

#[test]
fn a_shut_down_leaves_a_run_that_the_next_process_goes_on_with() {
    let home = Home::new();
    let process = Process::start(&home, true);
    process.run("chain", "r", json!({ "n": 2 }));
    process.expect("r advanced 2");
    process.shut_down().unwrap();
    let mut log = read(&home, "r/log.txt");
    log.push_str("a line that a crash left behind\n");
    std::fs::write(home.0.join("runs/r/log.txt"), log).unwrap();
    let process = Process::start(&home, false);
    assert_eq!(process.handle.ask(Request::ClaimAll).unwrap(), [RunId::new("r")]);
    process.expect("r completed");
    assert_eq!(*process.performed.lock().unwrap(), ["working.1", "working.2"]);
    process.shut_down().unwrap();
    let log = read(&home, "r/log.txt");
    assert_eq!(log.lines().count(), 8, "{log}");
    assert!(log.contains("3 recovered\n4 task_interrupted"));
}

#[test]
fn commands_come_in_from_other_processes() {
    let home = Home::new();
    let process = Process::start(&home, false);
    process.run("careful", "r", json!({}));
    process.expect("r idle");
    let send = |ask: &Ask| control::send(&home.0, &process.id, ask).unwrap();
    let Tell::Status { view } = send(&Ask::Status { run: "r".into() }) else { panic!("no status") };
    assert!(view.is_object());
    let told = send(&Ask::Command { run: "r".into(), command: Command::Resume { by: Person::named("ada") } });
    assert_eq!(told, Tell::Refused { why: "run r: the run is not paused".into() });
    let mut subscription = control::subscribe(&home.0, &process.id, &Ask::Subscribe { run: Some("r".into()) }).unwrap();
    assert_eq!(subscription.next().unwrap().unwrap(), Tell::Subscribed);
    // The watcher is registered by a message to the driver, which this question goes behind.
    let told = send(&Ask::Command { run: "r".into(), command: answer(&process, "r", "go") });
    assert_eq!(told, Tell::Done { runs: vec!["r".into()] });
    process.expect("r completed");
    process.shut_down().unwrap();
    let told: Vec<Tell> = subscription.map(Result::unwrap).collect();
    let seqs: Vec<u64> = told.iter().filter_map(|tell| if let Tell::Event { event, .. } = tell { Some(event.seq) } else { None }).collect();
    assert_eq!(seqs, (4..=10).collect::<Vec<_>>());
    assert!(told.contains(&Tell::Ended { run: "r".into(), outcome: "completed".into() }));
}

#[test]
fn a_driver_that_has_ended_is_gone_for_its_clients() {
    let home = Home::new();
    let process = Process::start(&home, false);
    let id = process.id.clone();
    process.shut_down().unwrap();
    let error = control::send(&home.0, &id, &Ask::Status { run: "r".into() }).unwrap_err();
    assert!(matches!(error, control::Error::Gone { .. }), "{error}");
    assert!(error.to_string().contains("motet resume"));
}

#[test]
fn a_second_process_is_told_who_drives() {
    let home = Home::new();
    let first = Process::start(&home, true);
    first.run("chain", "r", json!({}));
    let second = Process::start(&home, false);
    let refused = second.handle.ask(Request::Claim { run: "r".into() }).unwrap_err().to_string();
    assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
    let driver = Sqlite::open(&home.0).unwrap().run(&"r".into()).unwrap().unwrap().driver.unwrap();
    assert_eq!(driver, first.id);
    first.shut_down().unwrap();
    second.handle.ask(Request::Claim { run: "r".into() }).unwrap();
    second.expect("r completed");
    second.shut_down().unwrap();
}

#[test]
fn a_call_that_is_dropped_has_crashed_and_is_tried_again() {
    let home = Home::new();
    let process = Process::start(&home, true);
    process.run("chain", "r", json!({}));
    process.expect("r advanced 2");
    let cancelled = Command::Cancel { by: Person::named("ada"), reason: String::new() };
    process.run("chain", "s", json!({}));
    // Stopping one run makes this performer drop every call it keeps.
    process.handle.ask(Request::Command { run: "s".into(), command: cancelled }).unwrap();
    process.expect("r advanced 1");
    let message = process.handle.look(&"r".into(), |_, state| state.tasks.values().next().map(|task| task.errors[0].message.clone()));
    assert!(message.flatten().unwrap().contains("without an answer"));
    process.shut_down().unwrap();
}

/// Keeps every call, and says how long it was held up. Told to wait no longer, it has done nothing.
#[derive(Default)]
struct Slow {
    held_up: Arc<Mutex<HeldUp>>,
    kept: Arc<Mutex<Vec<Done>>>,
    last_words_ms: u64,
}

impl Perform for Slow {
    fn perform(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        self.kept.lock().unwrap().push(done);
    }

    fn reconcile(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        done.finish(Outcome::Undone, Usage::default(), Vec::new());
    }

    fn stop(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {}

    fn withdraw(&self, _run: &RunId, _task: &TaskId, _attempt: u32) -> bool {
        self.held_up.lock().unwrap().grows
    }

    fn wait_no_longer(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {
        if self.held_up.lock().unwrap().grows {
            let kept = std::mem::take(&mut *self.kept.lock().unwrap());
            kept.into_iter().for_each(|done| done.finish(Outcome::Undone, Usage::default(), Vec::new()));
        }
    }

    fn held_up(&self, _run: &RunId, _task: &TaskId, _attempt: u32) -> HeldUp {
        *self.held_up.lock().unwrap()
    }

    fn last_words_ms(&self, _run: &RunId, _task: &TaskId, _attempt: u32) -> u64 {
        self.last_words_ms
    }
}

/// A driver whose only run has so many minutes for a task that may take ten, after so many minutes of being held up or not.
fn after(limit: Option<u64>, minutes: i64, held_up: HeldUp) -> (Handle, impl FnOnce() -> Memory) {
    let shelf = Shelf::new();
    let time = Arc::new(AtomicI64::new(1_700_000_000_000));
    let (clock, memory) = (time.clone(), Memory::new());
    let performer = Slow { held_up: Arc::new(Mutex::new(held_up)), ..Slow::default() };
    let engine = Engine::new(memory.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    let driver = Driver::new(engine, performer, move || Time(clock.load(Ordering::SeqCst)), None);
    let handle = driver.handle();
    let thread = driver.spawn().unwrap();
    let mut started = Box::new(shelf.started("chain", "r", json!({})));
    started.time_ms = limit.map(|minutes| minutes * 60_000);
    handle.ask(Request::Start { started, definition: shelf.definition("chain") }).unwrap();
    time.fetch_add(minutes * 60_000, Ordering::SeqCst);
    // The first look wakes the driver, the next ones see what came of that.
    for _ in 0..3 {
        let _ = handle.look(&"r".into(), |_, _| ());
    }
    let closing = handle.clone();
    let end = move || {
        closing.shut_down();
        thread.join().unwrap().unwrap();
        memory
    };
    (handle, end)
}

#[test]
fn at_the_time_limit_of_a_run_what_is_only_held_up_ends_and_what_runs_goes_on() {
    let tasks = |handle: &Handle| {
        let of =
            |state: &motet_core::State| state.tasks.values().map(|task| (task.status.word(), task.reserved.0, task.errors.len())).collect();
        handle.look(&"r".into(), move |_, state| (state.ended.is_some() || format!("{:?}", state.status).contains("Paused"), of(state)))
    };
    let held_up = HeldUp { so_far_ms: 60_000, grows: true };
    let (handle, end) = after(Some(5), 6, held_up);
    assert_eq!(tasks(&handle), Some((true, vec![("held", 0, 0)])), "the run is paused, and the task may begin again");
    end();
    let (handle, end) = after(Some(5), 6, HeldUp::default());
    assert_eq!(tasks(&handle), Some((false, vec![("running", 0, 0)])), "what runs finishes");
    end();
    // Past its limit nothing of a run is put off, however long it is held up.
    let (handle, end) = after(Some(5), 11, HeldUp { so_far_ms: 11 * 60_000, grows: false });
    assert_eq!(tasks(&handle).map(|(_, tasks)| tasks[0].2), Some(1));
    end();
}

#[test]
fn a_driver_that_is_shut_down_takes_back_what_was_not_begun() {
    let undone = |held_up: HeldUp| {
        let (_handle, end) = after(None, 1, held_up);
        let events = journal::events(&end().open_driver(Time(0)), &"r".into(), 0).unwrap();
        events.iter().filter(|event| matches!(event.fact, motet_core::Fact::TaskFoundUndone { .. })).count()
    };
    assert_eq!(undone(HeldUp { so_far_ms: 60_000, grows: true }), 1);
    assert_eq!(undone(HeldUp::default()), 0, "what had begun is for the next process to see to");
}

#[test]
fn an_attempt_that_was_held_up_has_so_much_more_time() {
    const MINUTE: i64 = 60_000;
    let shelf = Shelf::new();
    let (time, held_up) = (Arc::new(AtomicI64::new(1_700_000_000_000)), Arc::new(Mutex::new(HeldUp::default())));
    let clock = time.clone();
    let performer = Slow { held_up: held_up.clone(), ..Slow::default() };
    let engine = Engine::new(Memory::new().open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    let driver = Driver::new(engine, performer, move || Time(clock.load(Ordering::SeqCst)), None);
    let handle = driver.handle();
    let thread = driver.spawn().unwrap();
    let started = Box::new(shelf.started("chain", "r", json!({})));
    handle.ask(Request::Start { started, definition: shelf.definition("chain") }).unwrap();
    // What has failed so much later, if its attempt may take ten minutes.
    let failed_after = |minutes: i64, held_up_now: HeldUp| {
        *held_up.lock().unwrap() = held_up_now;
        time.fetch_add(minutes * MINUTE, Ordering::SeqCst);
        let errors = || handle.look(&"r".into(), |_, state| state.tasks.values().map(|task| task.errors.len()).sum::<usize>());
        // The first look wakes the driver, the second sees what came of that.
        errors().and_then(|_| errors()).unwrap()
    };
    assert_eq!(failed_after(9, HeldUp::default()), 0);
    assert_eq!(failed_after(2, HeldUp { so_far_ms: 5 * 60_000, grows: false }), 0, "it has four minutes left");
    assert_eq!(failed_after(60, HeldUp { so_far_ms: 60 * 60_000, grows: true }), 0, "it is held up still");
    assert_eq!(failed_after(1, HeldUp { so_far_ms: 65 * 60_000, grows: false }), 0);
    assert_eq!(failed_after(4, HeldUp { so_far_ms: 65 * 60_000, grows: false }), 1);
    handle.shut_down();
    thread.join().unwrap().unwrap();
}

/// What a task that may take ten minutes has failed of, so many seconds after they are over. Its performer speaks one second after them,
/// or never. A run with a limit has no time left by then.
fn check_last_words(limit: Option<u64>, speaks: bool, seconds_late: i64, expected: Option<&str>) {
    let shelf = Shelf::new();
    let time = Arc::new(AtomicI64::new(1_700_000_000_000));
    let (clock, performer) = (time.clone(), Slow { last_words_ms: 7000, ..Slow::default() });
    let kept = performer.kept.clone();
    let engine = Engine::new(Memory::new().open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    let driver = Driver::new(engine, performer, move || Time(clock.load(Ordering::SeqCst)), None);
    let handle = driver.handle();
    let thread = driver.spawn().unwrap();
    let mut started = Box::new(shelf.started("chain", "r", json!({})));
    started.time_ms = limit;
    handle.ask(Request::Start { started, definition: shelf.definition("chain") }).unwrap();
    let failed_after = |seconds: i64| {
        time.fetch_add(seconds * 1000, Ordering::SeqCst);
        let first = |state: &motet_core::State| state.tasks.values().find_map(|task| Some(task.errors.first()?.message.clone()));
        let look = || handle.look(&"r".into(), move |_, state| first(state)).flatten();
        // The first look wakes the driver, the second sees what came of that.
        look().or_else(look)
    };
    assert_eq!(failed_after(601), None, "the machine was not heard first");
    let speaking = if speaks { kept.lock().unwrap().pop() } else { None };
    if let Some(done) = speaking {
        let failure = Failure { kind: FailureKind::Timeout, message: "late, after two answers".into() };
        done.finish(Outcome::Failed(failure), Usage::default(), Vec::new());
    }
    assert_eq!(failed_after(seconds_late - 1).as_deref(), expected, "{limit:?} {speaks} {seconds_late}");
    handle.shut_down();
    thread.join().unwrap().unwrap();
}

#[test]
fn whoever_performs_a_call_is_heard_before_the_machine_says_that_its_time_is_up() {
    for limit in [None, Some(300_000)] {
        check_last_words(limit, true, 2, Some("late, after two answers"));
        check_last_words(limit, false, 6, None);
        check_last_words(limit, false, 8, Some("no answer within 10m"));
    }
}

#[test]
fn a_home_with_a_long_path_has_a_socket_too() {
    let home = Home::new();
    let deep = Home(home.0.join("x".repeat(120)));
    std::fs::create_dir_all(&deep.0).unwrap();
    let process = Process::start(&deep, false);
    let told = control::send(&deep.0, &process.id, &Ask::Status { run: "nowhere".into() }).unwrap();
    assert!(matches!(told, Tell::Refused { .. }));
    process.shut_down().unwrap();
}

#[test]
fn the_clock_does_not_go_back() {
    let clock = wall_clock();
    let first: Time = clock();
    assert!(clock() >= first && first.0 > 1_700_000_000_000);
}
