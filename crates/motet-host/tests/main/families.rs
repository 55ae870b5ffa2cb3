//! Parents and children: what is said to one, and paid by one, and what concerns the other.

use motet_core::event::{ChildTerms, Fact, FailureKind, Person, Price, Usage};
use motet_core::names::RunId;
use motet_core::units::{Time, Usd};
use motet_host::engine::{Command, Definitions, Input, Outcome, Refusal, Settings, Token};
use motet_host::{Engine, Memory, journal};
use motet_testkit::workflows::Shelf;
use serde_json::{Value, json};

use crate::engine::Process;

fn ada() -> Person {
    Person::named("ada")
}

#[test]
fn a_pause_reaches_the_children_of_children() {
    let mut process = Process::new(&Memory::new(), Settings::default());
    process.start("family", "r", json!({ "levels": 2 }));
    while process.engine.open_runs().len() < 3 {
        let call = process.given.pop_front().unwrap();
        process.complete(&call, Outcome::Succeeded(json!("fine")));
    }
    process.command("r", Command::Pause { by: ada(), reason: "lunch".into() }).unwrap();
    process.work();
    assert_eq!(process.engine.open_runs().len(), 3, "what ran has finished, and nothing more has begun");
    process.command("r", Command::Resume { by: ada() }).unwrap();
    process.work();
    assert!(process.engine.open_runs().is_empty());
}

const SPENDER: &str = r#"
workflow: spender
version: 1.0.0
summary: One call that costs something.
agents: { worker: { prompt: prompts/work.md, cost: 0.4 } }
trouble: { error: lost }
start: working
states:
  working: { agent: worker, next: done }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#;

const PAYER: &str = r#"
workflow: payer
version: 1.0.0
summary: A task that is a run that costs something.
limits: { cost: 5 }
agents: { spender: { workflow: spender, timeout: 24h, cost: 1 } }
trouble: { error: lost }
start: paying
states:
  paying: { agent: spender, next: asking }
  asking: { gate: { ask: Go on?, options: [go, stop], otherwise: go }, next: { go: done, stop: lost } }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#;

fn payer(storage: &Memory) -> Process {
    let shelf = Shelf::of(&[SPENDER, PAYER]);
    let mut process = Process::new(storage, Settings::default());
    process.engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    process.shelf = shelf;
    process
}

#[test]
fn what_a_child_may_have_spent_is_spent_to_its_parent() {
    let storage = Memory::new();
    let mut process = payer(&storage);
    process.start("payer", "r", json!({}));
    drop(process);
    let mut process = payer(&storage.reader());
    process.claim_all();
    let call = process.given.pop_front().unwrap();
    let usage = Usage { cost: Usd(400_000), ..Usage::default() };
    let outcome = Outcome::Succeeded(json!("fine"));
    process.turn(vec![Input::Completed { run: call.run, task: call.task, attempt: call.attempt, outcome, usage, exchanges: Vec::new() }]);
    let (_, state) = process.engine.look(&RunId::new("r")).unwrap();
    let booked = (state.money.spent, state.money.uncertain);
    assert_eq!(booked, (Usd(400_000), Usd(400_000)), "one call that ended, and one of which nobody knows");
}

#[test]
fn a_child_that_nobody_has_priced_may_spend_what_its_parent_has_left() {
    let shelf = Shelf::of(&[SPENDER, &PAYER.replace(", cost: 1 }", " }")]);
    let mut process = Process::new(&Memory::new(), Settings::default());
    process.engine = Engine::new(Memory::new().open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    process.shelf = shelf;
    process.start("payer", "r", json!({}));
    let reserved = |process: &Process| process.engine.look(&RunId::new("r")).unwrap().1.money.reserved;
    assert_eq!(reserved(&process), Usd(5_000_000), "all that is left");
    let call = process.given.pop_front().expect("the child works: it has money");
    let usage = Usage { cost: Usd(400_000), ..Usage::default() };
    let (outcome, exchanges) = (Outcome::Succeeded(json!("fine")), Vec::new());
    process.turn(vec![Input::Completed { run: call.run, task: call.task, attempt: call.attempt, outcome, usage, exchanges }]);
    let (_, state) = process.engine.look(&RunId::new("r")).unwrap();
    assert_eq!((state.money.spent, state.money.reserved), (Usd(400_000), Usd::ZERO), "what it did not spend is given back");
}

#[test]
fn a_child_has_the_prices_and_the_players_of_its_own_workflow() {
    let mut process = payer(&Memory::new());
    let mut started = Box::new(process.shelf.started("payer", "r", json!({})));
    started.prices.insert("worker".into(), Price { call: Usd(1), ..Price::default() });
    started.bindings = json!({ "agents": { "spender": "above" }, "roles": "everybody's" });
    let prices = [("worker".to_string(), Price { call: Usd(700_000), ..Price::default() })].into();
    started.children.insert("spender".into(), ChildTerms { prices, bindings: json!({ "agents": { "worker": "below" } }) });
    let definition = process.shelf.definition("payer");
    process.turn(vec![Input::Start { token: Token(1), started, definition }]);
    let child = process.given.pop_front().expect("the child works").run;
    let (_, state) = process.engine.look(&child).unwrap();
    assert_eq!(state.money.reserved, Usd(700_000), "by its own price, though an agent of another workflow has the same name");
    let bindings = &state.run.as_ref().unwrap().bindings;
    assert_eq!(*bindings, json!({ "agents": { "worker": "below" }, "roles": "everybody's" }));
}

#[test]
fn a_child_that_cannot_pay_fails_the_task_that_it_performs() {
    let shelf = Shelf::of(&[SPENDER, &PAYER.replace("cost: 1 }", "cost: 0.3 }")]);
    let storage = Memory::new();
    let mut process = Process::new(&storage, Settings::default());
    process.engine = Engine::new(storage.open_driver(Time(0)), Definitions::new(shelf.clone()), Settings::default());
    process.shelf = shelf;
    process.start("payer", "r", json!({}));
    assert!(process.given.is_empty() && process.engine.open_runs().is_empty(), "neither waits for anybody");
    let events = journal::events(&storage.reader(), &RunId::new("r"), 0).unwrap();
    let failed = events.iter().find_map(|event| match &event.fact {
        Fact::TaskFailed { error, .. } => Some(error),
        _ => None,
    });
    let error = failed.expect("the task has failed");
    assert_eq!(error.kind, FailureKind::Budget);
    assert!(error.message.starts_with("the child run used up what it was given: the next call may cost $0.40"), "{}", error.message);
}

#[test]
fn an_input_that_could_not_be_read_back_is_refused() {
    let mut process = Process::new(&Memory::new(), Settings::default());
    let deep = (0..120).fold(json!(1), |inside, _| Value::Array(vec![inside]));
    let started = Box::new(process.shelf.started("chain", "r", json!({ "n": deep })));
    let definition = process.shelf.definition("chain");
    process.turn(vec![Input::Start { token: Token(1), started, definition }]);
    assert_eq!(process.replies.pop(), Some(Err(Refusal::TooDeep)));
    assert!(process.engine.open_runs().is_empty());
}
