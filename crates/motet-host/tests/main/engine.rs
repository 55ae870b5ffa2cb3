//! The engine with real workflows, turn by turn.

use std::collections::VecDeque;

use motet_core::event::{Answer, Fact, Failure, FailureKind, Person, Usage};
use motet_core::names::RunId;
use motet_core::state::{Outcome as Ending, State};
use motet_core::units::Time;
use motet_core::{Call, view};
use motet_host::engine::{Action, Command, Definitions, Input, Outcome, Places, Refusal, Settings, Token};
use motet_host::{Engine, Memory, Store, journal};
use motet_testkit::workflows::Shelf;
use serde_json::{Value, json};

/// One process: an engine, and the calls it has given out.
pub struct Process {
    pub engine: Engine<Memory>,
    pub shelf: Shelf,
    pub now: Time,
    pub given: VecDeque<Box<Call>>,
    pub reconciled: Vec<Call>,
    pub stopped: Vec<String>,
    pub replies: Vec<Result<Vec<RunId>, Refusal>>,
    pub ended: Vec<(String, Ending, Value)>,
    pub idle: Vec<String>,
    pub appended: Vec<(bool, usize)>,
}

impl Process {
    pub fn new(storage: &Memory, settings: Settings) -> Self {
        let shelf = Shelf::new();
        let engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(shelf.clone()), settings);
        Self {
            engine,
            shelf,
            now: Time(1_000_000),
            given: VecDeque::new(),
            reconciled: Vec::new(),
            stopped: Vec::new(),
            replies: Vec::new(),
            ended: Vec::new(),
            idle: Vec::new(),
            appended: Vec::new(),
        }
    }

    pub fn turn(&mut self, inputs: Vec<Input>) {
        for action in self.engine.turn(self.now, inputs) {
            match action {
                Action::Perform { call, .. } => self.given.push_back(call),
                Action::Reconcile { call, .. } => self.reconciled.push(*call),
                Action::Stop { run, task, attempt } => self.stopped.push(format!("{run} {task} {attempt}")),
                Action::Reply { result, .. } => self.replies.push(result),
                Action::Ended { run, ended } => self.ended.push((run.to_string(), ended.outcome, ended.output)),
                Action::Idle { run } => self.idle.push(run.to_string()),
                Action::Advanced(advanced) => self.appended.push((advanced.rebuilt, advanced.appended.len())),
                Action::Unreadable { run, error } => panic!("{run}: {error}"),
                Action::Stalled { error, .. } => panic!("{error}"),
                Action::Unstalled | Action::Fenced => {}
            }
        }
    }

    pub fn start(&mut self, workflow: &str, run: &str, input: Value) {
        let started = Box::new(self.shelf.started(workflow, run, input));
        let definition = self.shelf.definition(workflow);
        self.turn(vec![Input::Start { token: Token(1), started, definition }]);
        self.replies.pop().unwrap().unwrap();
    }

    pub fn complete(&mut self, call: &Call, outcome: Outcome) {
        let input = completed(call, outcome);
        self.turn(vec![input]);
    }

    /// Answers every call the same way until nothing is given out any more.
    pub fn work(&mut self) {
        while let Some(call) = self.given.pop_front() {
            self.complete(&call, Outcome::Succeeded(json!("fine")));
        }
    }

    pub fn command(&mut self, run: &str, command: Command) -> Result<Vec<RunId>, Refusal> {
        self.turn(vec![Input::Command { token: Token(2), run: RunId::new(run), command }]);
        self.replies.pop().unwrap()
    }

    pub fn claim_all(&mut self) -> Vec<String> {
        self.turn(vec![Input::ClaimAll { token: Token(3) }]);
        let mut runs: Vec<String> = self.replies.pop().unwrap().unwrap().iter().map(RunId::to_string).collect();
        runs.sort();
        runs
    }

    fn state(&self, run: &str) -> &State {
        self.engine.look(&RunId::new(run)).unwrap().1
    }

    fn given(&self) -> Vec<String> {
        self.given.iter().map(|call| format!("{} {}", call.task, call.attempt)).collect()
    }
}

pub fn completed(call: &Call, outcome: Outcome) -> Input {
    Input::Completed {
        run: call.run.clone(),
        task: call.task.clone(),
        attempt: call.attempt,
        outcome,
        usage: Usage::default(),
        exchanges: Vec::new(),
    }
}

fn process() -> Process {
    Process::new(&Memory::new(), Settings::default())
}

fn ada() -> Person {
    Person::named("ada")
}

fn answer(process: &Process, run: &str, option: &str) -> Command {
    let gate = process.state(run).gates.keys().next().unwrap().clone();
    let answer = Answer { by: ada(), option: Some(option.into()), text: None, answers: Default::default(), seen: None };
    Command::Answer { gate, answer }
}

#[test]
fn a_chain_of_tasks_costs_one_commit_per_task() {
    let mut process = process();
    process.start("chain", "r", json!({ "n": 20 }));
    process.work();
    assert_eq!(process.ended, [("r".into(), Ending::Completed, json!({ "results": 20 }))]);
    let stats = process.engine.stats();
    assert_eq!((stats.commits, stats.events), (21, 41));
}

#[test]
fn everything_that_waits_is_committed_at_once() {
    let mut process = process();
    for number in 0..10 {
        process.start("broad", &format!("r{number}"), json!({}));
    }
    let calls: Vec<_> = process.given.drain(..).collect();
    assert_eq!(calls.len(), 40);
    let before = process.engine.stats().commits;
    process.turn(calls.iter().map(|call| completed(call, Outcome::Succeeded(json!("fine")))).collect());
    assert_eq!(process.engine.stats().commits, before + 1);
    process.work();
    assert_eq!(process.ended.len(), 10);
}

#[test]
fn a_completion_that_comes_twice_or_too_late_is_dropped() {
    let mut process = process();
    process.start("chain", "r", json!({ "n": 2 }));
    let call = process.given.pop_front().unwrap();
    let twice = || completed(&call, Outcome::Succeeded(json!("fine")));
    process.turn(vec![twice(), twice()]);
    process.turn(vec![twice()]);
    assert_eq!(process.engine.stats().dropped, 2);
    process.work();
    assert_eq!(process.ended[0].2, json!({ "results": 2 }));
}

#[test]
fn places_bound_what_is_at_work_and_a_freed_one_is_taken_in_the_same_turn() {
    let places = Places { total: 3, ..Places::default() };
    let mut process = Process::new(&Memory::new(), Settings { places, ..Settings::default() });
    process.start("broad", "r", json!({}));
    assert_eq!(process.given.len(), 3);
    let call = process.given.pop_front().unwrap();
    process.complete(&call, Outcome::Succeeded(json!("fine")));
    assert_eq!(process.given.len(), 3);
    process.work();
    assert_eq!(process.ended.len(), 1);
}

#[test]
fn a_retry_waits_for_its_timer() {
    let mut process = process();
    process.start("chain", "r", json!({ "n": 1 }));
    let call = process.given.pop_front().unwrap();
    let failure = Failure { kind: FailureKind::Unavailable, message: "down".into() };
    process.complete(&call, Outcome::Failed(failure));
    assert!(process.given.is_empty());
    assert_eq!(process.idle, ["r"]);
    let due = process.engine.next_timer().unwrap();
    assert!((1800..=2200).contains(&due.since(process.now)), "two seconds, give or take a tenth");
    process.turn(vec![]);
    assert!(process.given.is_empty(), "it is not time yet");
    process.now = due;
    process.turn(vec![]);
    assert_eq!(process.given(), ["working.1 2"]);
}

#[test]
fn commands_are_answered_with_the_machines_own_words() {
    let mut process = process();
    process.start("careful", "r", json!({}));
    let refused = process.command("r", Command::Resume { by: ada() }).unwrap_err();
    assert_eq!(refused.to_string(), "run r: the run is not paused");
    let unknown = process.command("nowhere", Command::Resume { by: ada() }).unwrap_err();
    assert!(unknown.to_string().contains("no run nowhere"), "{unknown}");
    process.work();
    let wrong = process.command("r", answer(&process, "r", "perhaps")).unwrap_err();
    assert!(wrong.to_string().contains("perhaps"), "{wrong}");
    process.command("r", answer(&process, "r", "go")).unwrap();
    process.work();
    assert_eq!(process.ended, [("r".into(), Ending::Completed, json!({ "said": "go" }))]);
}

#[test]
fn a_pause_holds_the_queue_and_a_resume_lets_it_go() {
    let places = Places { total: 2, ..Places::default() };
    let mut process = Process::new(&Memory::new(), Settings { places, ..Settings::default() });
    process.start("broad", "r", json!({}));
    process.command("r", Command::Pause { by: ada(), reason: "lunch".into() }).unwrap();
    process.work();
    assert!(process.given.is_empty());
    assert_eq!(process.engine.store().run(&"r".into()).unwrap().unwrap().status, "paused");
    process.command("r", Command::Resume { by: ada() }).unwrap();
    process.work();
    assert_eq!(process.ended.len(), 1);
}

#[test]
fn a_cancelled_run_stops_its_calls_and_stays_cancelled() {
    let mut process = process();
    process.start("broad", "r", json!({}));
    process.command("r", Command::Cancel { by: ada(), reason: String::new() }).unwrap();
    assert_eq!(process.stopped.len(), 4);
    assert_eq!(process.ended[0].1, Ending::Cancelled);
    process.work();
    assert_eq!(process.engine.stats().dropped, 4);
    assert_eq!(process.engine.next_timer(), None);
    let refused = process.command("r", Command::Resume { by: ada() }).unwrap_err();
    assert_eq!(refused.to_string(), "run r: the run has ended");
}

#[test]
fn a_restart_goes_on_at_the_exact_task() {
    let storage = Memory::new();
    let mut first = Process::new(&storage, Settings::default());
    first.start("chain", "r", json!({ "n": 5 }));
    for _ in 0..2 {
        let call = first.given.pop_front().unwrap();
        first.complete(&call, Outcome::Succeeded(json!("fine")));
    }
    drop(first);
    let mut second = Process::new(&storage, Settings::default());
    assert_eq!(second.claim_all(), ["r"]);
    assert_eq!(second.given(), ["working.3 2"]);
    assert_eq!(second.appended[0], (true, 9), "the growing file is made anew from all eight events and the takeover");
    second.work();
    assert_eq!(second.ended, [("r".into(), Ending::Completed, json!({ "results": 5 }))]);
    assert!(journal::verify(&storage, &"r".into()).unwrap().is_ok());
}

#[test]
fn classes_decide_what_a_restart_does() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("careful", "r", json!({}));
    process.work();
    process.command("r", answer(&process, "r", "go")).unwrap();
    let restart = |process: Process| {
        drop(process);
        let mut next = Process::new(&storage, Settings::default());
        next.claim_all();
        next
    };
    // Reconcilable: the backend is asked, also when the asking itself is interrupted.
    let process = restart(process);
    assert_eq!((process.given.len(), process.reconciled.len()), (0, 1));
    let mut process = restart(process);
    let call = process.reconciled.pop().unwrap();
    assert_eq!(call.task, "registering.1");
    process.complete(&call, Outcome::Undone);
    let call = process.given.pop_front().unwrap();
    process.complete(&call, Outcome::Succeeded(json!("registered")));
    // Idempotent: sent again under the same key.
    let key = process.given[0].key.clone();
    let mut process = restart(process);
    assert_eq!((process.given.len(), &process.given[0].key), (1, &key));
    let call = process.given.pop_front().unwrap();
    process.complete(&call, Outcome::Succeeded(json!("sent")));
    // Unsafe: a person is asked.
    assert_eq!(process.given[0].task, "deploying.1");
    let mut process = restart(process);
    assert!(process.given.is_empty());
    let done = answer(&process, "r", "done");
    let done = match done {
        Command::Answer { gate, mut answer } => {
            answer.text = Some("deployed".into());
            Command::Answer { gate, answer }
        }
        other => other,
    };
    process.command("r", done).unwrap();
    assert_eq!(process.ended.len(), 1);
}

#[test]
fn a_run_that_another_process_drives_is_refused_until_that_one_is_gone() {
    let storage = Memory::new();
    let mut first = Process::new(&storage, Settings::default());
    first.start("chain", "r", json!({}));
    let mut second = Process::new(&storage, Settings::default());
    second.turn(vec![Input::Claim { token: Token(1), run: "r".into() }]);
    let refused = second.replies.pop().unwrap().unwrap_err().to_string();
    assert!(refused.contains("driven by process"), "{refused}");
    assert!(second.claim_all().is_empty());
    first.engine.release().unwrap();
    second.turn(vec![Input::Claim { token: Token(1), run: "r".into() }]);
    second.replies.pop().unwrap().unwrap();
    second.work();
    assert_eq!(second.ended.len(), 1);
}

#[test]
fn a_fenced_engine_gives_nothing_out_any_more() {
    let storage = Memory::new();
    let mut first = Process::new(&storage, Settings::default());
    first.start("chain", "r", json!({}));
    first.engine.store().lose_lock();
    let mut second = Process::new(&storage, Settings::default());
    second.claim_all();
    let call = first.given.pop_front().unwrap();
    first.complete(&call, Outcome::Succeeded(json!("fine")));
    assert!(first.given.is_empty());
    let refused = first.command("r", Command::Resume { by: ada() }).unwrap_err();
    assert_eq!(refused, Refusal::Fenced);
    second.work();
    assert_eq!(second.ended.len(), 1);
}

#[test]
fn children_run_inside_their_parents_and_give_them_their_output() {
    let mut process = process();
    process.start("family", "r", json!({ "levels": 2 }));
    process.work();
    let (run, ending, output) = process.ended.last().unwrap();
    assert_eq!((run.as_str(), *ending), ("r", Ending::Completed));
    let innermost = json!({ "first": 2, "second": null });
    assert_eq!(*output, json!({ "first": 2, "second": { "first": 2, "second": innermost } }));
    assert_eq!(process.ended.len(), 6, "three families and three chains");
}

#[test]
fn children_survive_a_restart_and_are_not_started_twice() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("family", "r", json!({ "levels": 1 }));
    let mut restarts = 0;
    while process.ended.iter().all(|(run, ..)| run != "r") {
        let before = process.ended.len();
        if let Some(call) = process.given.pop_front() {
            process.complete(&call, Outcome::Succeeded(json!("fine")));
        }
        if process.ended.iter().skip(before).any(|(run, ..)| run == "r") {
            break;
        }
        process = Process::new(
            &{
                drop(process);
                storage.reader()
            },
            Settings::default(),
        );
        process.claim_all();
        restarts += 1;
        assert!(restarts < 50);
    }
    let runs = storage.runs(&Default::default()).unwrap();
    assert_eq!(runs.len(), 4);
    assert!(runs.iter().all(|run| run.status == "completed"), "{runs:?}");
}

#[test]
fn a_cancelled_parent_takes_its_children_with_it() {
    let mut process = process();
    process.start("family", "r", json!({}));
    assert!(process.idle.is_empty(), "a parent whose child works is not idle");
    process.command("r", Command::Cancel { by: ada(), reason: String::new() }).unwrap();
    assert_eq!(process.ended.len(), 2);
    assert!(process.ended.iter().all(|(_, ending, _)| *ending == Ending::Cancelled));
    assert_eq!(process.stopped.len(), 1);
}

#[test]
fn a_workflow_that_starts_itself_for_ever_is_stopped() {
    let mut process = process();
    process.start("family", "r", json!({ "levels": 40 }));
    process.work();
    assert_eq!(process.ended.last().unwrap().1, Ending::Failed);
    assert!(process.ended.len() < 40);
}

#[test]
fn resting_runs_leave_memory_and_come_back() {
    let storage = Memory::new();
    let settings = || Settings { most_resting: 5, ..Settings::default() };
    let mut process = Process::new(&storage, settings());
    for number in 0..20 {
        process.start("careful", &format!("r{number:02}"), json!({}));
        process.work();
    }
    process.turn(vec![]);
    assert!(process.engine.look(&"r00".into()).is_none(), "it has left memory");
    assert_eq!(process.engine.open_runs().len(), 20);
    let mut process = Process::new(
        &{
            drop(process);
            storage.reader()
        },
        settings(),
    );
    assert_eq!(process.claim_all().len(), 20);
    // A command brings one back; the deadline of the gate brings all others back.
    process.turn(vec![]);
    let run = process.engine.open_runs().into_iter().find(|run| process.engine.look(run).is_none()).unwrap();
    process.command(run.as_str(), Command::Pause { by: ada(), reason: "wait".into() }).unwrap();
    process.now = process.now.plus(25 * 3_600_000);
    process.turn(vec![]);
    assert_eq!(process.ended.len(), 19 + usize::from(process.ended.iter().any(|(ended, ..)| *ended == run.to_string())));
}

#[test]
fn a_fork_shares_the_past_and_has_its_own_future() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("careful", "r", json!({}));
    process.work();
    let at_gate = process.state("r").seq;
    process.command("r", answer(&process, "r", "stop")).unwrap();
    assert_eq!(process.ended[0].1, Ending::Aborted);
    let fork = |from: &str, run: &str, at_seq| Input::Fork {
        token: Token(1),
        from: RunId::new(from),
        at_seq,
        run: RunId::new(run),
        set: [("said".to_string(), json!("before"))].into(),
    };
    process.turn(vec![fork("r", "f", at_gate)]);
    process.replies.pop().unwrap().unwrap();
    process.command("f", answer(&process, "f", "go")).unwrap();
    process.turn(vec![fork("f", "g", at_gate + 1)]);
    process.replies.pop().unwrap().unwrap();
    process.work();
    assert_eq!(process.ended[1], ("f".into(), Ending::Completed, json!({ "said": "go" })));
    assert!(process.engine.look(&"g".into()).is_some());
    for run in ["r", "f", "g"] {
        assert!(journal::verify(&storage, &run.into()).unwrap().is_ok(), "{run}");
    }
    let own = storage.contents().runs[&RunId::new("f")].rows[0].seq;
    assert_eq!(own, at_gate + 1, "nothing before the fork is copied");
    process.turn(vec![fork("r", "h", 99)]);
    assert!(matches!(process.replies.pop().unwrap(), Err(Refusal::NoSuchEvent { seq: 99, .. })));
    process.turn(vec![fork("r", "f", 1)]);
    assert!(process.replies.pop().unwrap().unwrap_err().to_string().contains("run f already"));
}

#[test]
fn the_growing_files_of_a_fork_begin_with_what_it_shares() {
    let mut process = Process::new(&Memory::new(), Settings::default());
    process.start("chain", "r", json!({}));
    process.work();
    let lines: usize = process.appended.iter().map(|(_, lines)| lines).sum();
    process.appended.clear();
    let at_seq = 4;
    process.turn(vec![Input::Fork { token: Token(1), from: "r".into(), at_seq, run: "f".into(), set: Default::default() }]);
    process.work();
    let rebuilt = process.appended.remove(0);
    assert!(rebuilt.0 && rebuilt.1 > 0, "{rebuilt:?}");
    let own: usize = process.appended.iter().map(|(_, lines)| lines).sum();
    assert!(rebuilt.1 + own >= lines, "the whole story is there: {} and {own} of {lines} lines", rebuilt.1);
}

#[test]
fn a_run_that_only_waited_when_its_process_died_has_not_worked_since() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("chain", "r", json!({}));
    let call = process.given.pop_front().unwrap();
    let failure = Failure { kind: FailureKind::Unavailable, message: "down".into() };
    process.complete(&call, Outcome::Failed(failure));
    assert!(process.given.is_empty(), "it waits before it is tried again");
    let then = process.now;
    drop(process);
    let mut process = Process::new(&storage.reader(), Settings::default());
    process.now = then.plus(86_400_000);
    process.claim_all();
    let clock = &process.state("r").clock;
    let worked = clock.used_ms + clock.running_since.map_or(0, |since| process.now.since(since));
    assert!(worked < 60_000, "a day without a process is not a day of work: {worked} ms");
}

#[test]
fn snapshots_shorten_a_load_and_change_nothing() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("chain", "r", json!({ "n": 300 }));
    while let Some(call) = process.given.pop_front() {
        if call.task == "working.250" {
            break;
        }
        process.complete(&call, Outcome::Succeeded(json!("x".repeat(2000))));
    }
    let live = process.state("r").clone();
    drop(process);
    let snapshot = storage.snapshot(&"r".into()).unwrap().expect("a snapshot was written");
    assert!(snapshot.seq > 50);
    let record = storage.run(&"r".into()).unwrap().unwrap();
    let definitions = Definitions::new(Shelf::new());
    let loaded = journal::load(&storage, &record, &definitions).unwrap();
    let replayed = journal::replay(&storage, &record, &definitions, u64::MAX, |_, _, _| {}).unwrap();
    assert_eq!((&loaded.state, &replayed.state), (&live, &live));
    assert!(loaded.journal_bytes < replayed.journal_bytes / 2);
    storage.contents().runs.get_mut("r").unwrap().snapshot.as_mut().unwrap().content = b"{}".to_vec();
    assert_eq!(journal::load(&storage, &record, &definitions).unwrap().state, live, "a snapshot that does not decode is ignored");
}

#[test]
fn a_result_that_could_not_be_read_back_is_a_failure() {
    let mut process = process();
    process.start("chain", "r", json!({ "n": 1 }));
    let call = process.given.pop_front().unwrap();
    let deep = (0..120).fold(json!(1), |inside, _| json!([inside]));
    process.complete(&call, Outcome::Succeeded(deep));
    assert!(process.state("r").tasks.values().any(|task| task.errors[0].message.contains("levels deep")));
}

#[test]
fn a_start_under_a_known_id_is_refused() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("chain", "r", json!({ "n": 1 }));
    process.work();
    process.turn(vec![]);
    let started = Box::new(process.shelf.started("chain", "r", json!({})));
    let definition = process.shelf.definition("chain");
    process.turn(vec![Input::Start { token: Token(1), started, definition }]);
    assert!(process.replies.pop().unwrap().unwrap_err().to_string().contains("run r already"));
}

#[test]
fn the_record_says_what_a_list_shows() {
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.start("careful", "r", json!({}));
    process.work();
    let record = storage.run(&"r".into()).unwrap().unwrap();
    assert_eq!((record.status.as_str(), record.state.as_str(), record.summary.gate.as_deref()), ("running", "approving", Some("Go?")));
    let (definition, state) = process.engine.look(&"r".into()).unwrap();
    let _ = view(definition, state);
    assert!(matches!(journal::events(&storage, &"r".into(), 0).unwrap()[0].fact, Fact::RunStarted(_)));
}
