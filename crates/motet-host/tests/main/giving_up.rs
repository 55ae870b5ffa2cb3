//! Runs that cannot go on in this process, and the others, which do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use motet_core::event::{Price, Usage};
use motet_core::language::load;
use motet_core::names::{Digest, RunId, StateName};
use motet_core::units::{Time, Usd};
use motet_host::engine::{Action, Definitions, Input, Outcome, Refusal, Settings, Token};
use motet_host::store::{Claim, Commit, DriverId, DriverRecord, Error, Filter, Removal, Removed, Row, RunRecord, Snapshot};
use motet_host::{Engine, Memory, Store};
use motet_testkit::workflows::Shelf;
use serde_json::json;

/// A store that refuses, so many times, whatever is written of the run `bad`.
pub struct Picky {
    pub inner: Memory,
    pub error: Error,
    pub refusals: Arc<AtomicU32>,
}

impl Store for Picky {
    fn commit(&mut self, commit: &Commit) -> Result<(), Error> {
        let is_bad = commit.changes.iter().any(|change| change.record.id.as_str() == "bad");
        let refuses = |left: u32| left.checked_sub(1).filter(|_| is_bad);
        match self.refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, refuses) {
            Ok(_) => Err(self.error.clone()),
            Err(_) => self.inner.commit(commit),
        }
    }

    fn run(&self, run: &RunId) -> Result<Option<RunRecord>, Error> {
        self.inner.run(run)
    }

    fn runs(&self, filter: &Filter) -> Result<Vec<RunRecord>, Error> {
        self.inner.runs(filter)
    }

    fn rows(&self, run: &RunId, after: u64, most: usize) -> Result<Vec<Row>, Error> {
        self.inner.rows(run, after, most)
    }

    fn payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
        self.inner.payload(digest)
    }

    fn snapshot(&self, run: &RunId) -> Result<Option<Snapshot>, Error> {
        self.inner.snapshot(run)
    }

    fn claim(&mut self, claim: &Claim, now: Time) -> Result<Vec<RunRecord>, Error> {
        self.inner.claim(claim, now)
    }

    fn next_number(&mut self, workflow: &str, today: i64) -> Result<u32, Error> {
        self.inner.next_number(workflow, today)
    }

    fn release(&mut self) -> Result<(), Error> {
        self.inner.release()
    }

    fn driver(&self, driver: &DriverId) -> Result<Option<DriverRecord>, Error> {
        self.inner.driver(driver)
    }

    fn remove(&mut self, removal: &Removal) -> Result<Removed, Error> {
        self.inner.remove(removal)
    }
}

fn start(shelf: &Shelf, token: u64, run: &str) -> Input {
    let started = Box::new(shelf.started("chain", run, json!({})));
    Input::Start { token: Token(token), started, definition: shelf.definition("chain") }
}

/// What was performed, what was refused and to whom, and which runs were given up.
fn told(actions: Vec<Action>) -> (Vec<String>, Vec<u64>, Vec<String>) {
    let (mut performed, mut refused, mut given_up) = (Vec::new(), Vec::new(), Vec::new());
    for action in actions {
        match action {
            Action::Perform { call, .. } => performed.push(call.run.to_string()),
            Action::Reply { token, result: Err(_) } => refused.push(token.0),
            Action::Unreadable { run, .. } => given_up.push(run.to_string()),
            Action::Stalled { error, .. } => panic!("everything waits: {error}"),
            Action::Fenced => panic!("the engine gave up"),
            _ => {}
        }
    }
    (performed, refused, given_up)
}

#[test]
fn what_the_store_refuses_for_good_concerns_only_the_runs_it_is_about() {
    let id = || RunId::new("bad");
    let corrupt = Error::Corrupt { what: "run bad".into(), why: "it is another's".into() };
    for error in [corrupt, Error::TooLong(id()), Error::Conflict { run: id(), expected: None, found: Some(3) }] {
        let shelf = Shelf::new();
        let store = Picky { inner: Memory::new().open_driver(Time(0)), error, refusals: Arc::new(u32::MAX.into()) };
        let mut engine = Engine::new(store, Definitions::new(shelf.clone()), Settings::default());
        let actions = engine.turn(Time(1000), vec![start(&shelf, 1, "good"), start(&shelf, 2, "bad"), start(&shelf, 3, "better")]);
        let (mut performed, refused, given_up) = told(actions);
        performed.sort();
        assert_eq!((performed, refused, given_up), (vec!["better".into(), "good".into()], vec![2], vec!["bad".into()]));
        assert_eq!(engine.open_runs(), [RunId::new("better"), RunId::new("good")]);
        assert_eq!(told(engine.turn(Time(2000), vec![start(&shelf, 4, "bad")])), (vec![], vec![4], vec!["bad".into()]), "alone, too");
    }
}

#[test]
fn what_is_written_at_the_second_try_is_told_while_its_run_can_be_looked_at() {
    let (shelf, refusals) = (Shelf::new(), Arc::new(AtomicU32::new(0)));
    let store = Picky { inner: Memory::new().open_driver(Time(0)), error: Error::Full, refusals: refusals.clone() };
    let mut engine = Engine::new(store, Definitions::new(shelf.clone()), Settings::default());
    let (mut now, mut inputs, mut has_ended) = (1000, vec![start(&shelf, 1, "bad")], false);
    while !inputs.is_empty() {
        refusals.store(1, Ordering::SeqCst);
        let refused = engine.turn(Time(now), std::mem::take(&mut inputs));
        assert!(refused.iter().any(|action| matches!(action, Action::Stalled { .. })), "the disk is full");
        now += 60_000;
        for action in engine.turn(Time(now), Vec::new()) {
            match action {
                Action::Advanced(advanced) => {
                    let (_, state) = engine.look(&advanced.run).expect("whoever is told may look");
                    has_ended |= state.ended.is_some();
                }
                Action::Perform { call, .. } => inputs.push(Input::Completed {
                    run: call.run,
                    task: call.task,
                    attempt: call.attempt,
                    outcome: Outcome::Succeeded(json!("fine")),
                    usage: Usage::default(),
                    exchanges: Vec::new(),
                }),
                _ => {}
            }
        }
    }
    assert!(has_ended);
}

#[test]
fn somebody_else_who_writes_to_a_run_of_ours_fences_us() {
    let shelf = Shelf::new();
    let error = Error::Conflict { run: RunId::new("bad"), expected: Some(2), found: Some(3) };
    let store = Picky { inner: Memory::new().open_driver(Time(0)), error, refusals: Arc::new(u32::MAX.into()) };
    let mut engine = Engine::new(store, Definitions::new(shelf.clone()), Settings::default());
    let actions = engine.turn(Time(1000), vec![start(&shelf, 1, "bad")]);
    assert!(actions.iter().any(|action| matches!(action, Action::Fenced)));
}

#[test]
fn a_machine_that_fails_under_one_run_does_not_end_the_others() {
    let shelf = Shelf::new();
    let storage = Memory::new();
    let mut engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    // A definition that no loader would give out: its first state leads to one that it does not have.
    let (mut broken, _) = load(shelf.definition("chain").folder.clone(), &shelf).unwrap();
    broken.index.remove(&StateName::new("working"));
    let started = Box::new(shelf.started("chain", "bad", json!({})));
    let bad = Input::Start { token: Token(2), started, definition: Arc::new(broken) };
    let actions = engine.turn(Time(1000), vec![start(&shelf, 1, "good"), bad]);
    let reply = actions.iter().find_map(|action| match action {
        Action::Reply { token: Token(2), result: Err(refusal) } => Some(refusal.clone()),
        _ => None,
    });
    assert!(matches!(&reply, Some(refusal @ Refusal::Journal(_)) if refusal.to_string().contains("a defect of Motet")), "{reply:?}");
    assert_eq!(told(actions), (vec!["good".into()], vec![2], vec!["bad".into()]));
    assert_eq!(storage.run(&RunId::new("bad")).unwrap(), None, "nothing of it was written");
    assert_eq!(engine.open_runs(), [RunId::new("good")]);
}

/// A chain whose last state the machine does not find, which no loader would give out.
fn without_an_end(shelf: &Shelf) -> Arc<motet_core::Definition> {
    let (mut broken, _) = load(shelf.definition("chain").folder.clone(), shelf).unwrap();
    broken.index.remove(&StateName::new("done"));
    Arc::new(broken)
}

/// Finishes the only call among these actions.
fn finished(actions: &[Action]) -> Input {
    let call = actions.iter().find_map(|action| match action {
        Action::Perform { call, .. } => Some(call.clone()),
        _ => None,
    });
    let call = call.expect("something is performed");
    let usage = Usage { cost: Usd(5), ..Usage::default() };
    let outcome = motet_host::engine::Outcome::Succeeded(json!("fine"));
    Input::Completed { run: call.run, task: call.task, attempt: call.attempt, outcome, usage, exchanges: Vec::new() }
}

#[test]
fn a_run_under_which_the_machine_fails_is_written_down_and_can_be_taken_up_again() {
    let shelf = Shelf::new();
    let storage = Memory::new();
    let mut engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    let started = Box::new(shelf.started("chain", "bad", json!({ "n": 1 })));
    let actions = engine.turn(Time(1000), vec![Input::Start { token: Token(1), started, definition: without_an_end(&shelf) }]);
    let (before, bad) = (storage.run(&RunId::new("bad")).unwrap().unwrap(), RunId::new("bad"));
    let actions = engine.turn(Time(2000), vec![finished(&actions), start(&shelf, 2, "good")]);
    assert_eq!(told(actions), (vec!["good".into()], vec![], vec!["bad".into()]), "the other one works");

    let after = storage.run(&bad).unwrap().unwrap();
    assert_eq!((after.seq, after.hash, after.driver.clone()), (before.seq, before.hash, None), "its journal is as it was, and it is free");
    let why = after.summary.broken.expect("why it stands still");
    assert!(why.contains("a defect of Motet") && why.contains("done"), "{why}");
    assert_eq!(motet_host::journal::verify(&storage, &bad).unwrap().unwrap().events, before.seq);

    // A process with a machine that knows better.
    let mut engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    let mut actions = engine.turn(Time(3000), vec![Input::Claim { token: Token(1), run: bad.clone() }]);
    while !actions.iter().any(|action| matches!(action, Action::Ended { .. })) {
        actions = engine.turn(Time(4000), vec![finished(&actions)]);
    }
    let ended = storage.run(&bad).unwrap().unwrap();
    assert_eq!((ended.status.as_str(), ended.summary.broken), ("completed", None));
}

/// What is installed: as the shelf has it, but for the chain.
struct Damaged(Shelf);

impl motet_host::engine::Workflows for Damaged {
    fn named(&self, name: &str) -> Result<Arc<motet_core::Definition>, String> {
        if name == "chain" { Ok(without_an_end(&self.0)) } else { motet_host::engine::Workflows::named(&self.0, name) }
    }

    fn of(&self, folder: motet_core::Folder) -> Result<Arc<motet_core::Definition>, String> {
        motet_host::engine::Workflows::of(&self.0, folder)
    }
}

#[test]
fn a_run_that_waits_for_one_that_cannot_go_on_is_told() {
    let shelf = Shelf::new();
    let storage = Memory::new();
    let mut engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(Damaged(shelf.clone())), Settings::default());
    let mut started = Box::new(shelf.started("family", "parent", json!({ "levels": 0 })));
    started.prices.insert("worker".into(), Price { call: Usd(700), ..Price::default() });
    let mut now = Time(1000);
    let mut actions = engine.turn(now, vec![Input::Start { token: Token(1), started, definition: shelf.definition("family") }]);
    for _ in 0..20 {
        if engine.look(&RunId::new("parent")).is_some_and(|(_, state)| state.ended.is_some()) {
            break;
        }
        let inputs = if actions.iter().any(|action| matches!(action, Action::Perform { .. })) { vec![finished(&actions)] } else { vec![] };
        now = now.plus(2000);
        actions = engine.turn(now, inputs);
    }
    let parent = storage.run(&RunId::new("parent")).unwrap().unwrap();
    assert_eq!(parent.status, "failed");
    let (_, state) = engine.look(&RunId::new("parent")).expect("it has just ended");
    let error = state.error.clone().expect("an error").failure.message;
    assert!(error.contains("the child run") && error.contains("cannot go on"), "{error}");
    // Each of two children was paid for one task, and broke down with the answer to the next, for which 700 were held.
    let money = &state.money;
    assert_eq!((money.spent, money.uncertain, money.overrun, money.reserved), (Usd(10), Usd(1400), Usd::ZERO, Usd::ZERO));
}
