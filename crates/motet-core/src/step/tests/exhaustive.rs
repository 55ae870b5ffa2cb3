//! Small machines, walked exhaustively: every event that can happen, in every state that can be reached.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use super::play::Play;
use crate::event::{Answer, Event, Fact, Failure, FailureKind, Person, Question};
use crate::state::{State, Status, TaskStatus};
use crate::step::{outstanding, step};
use crate::{Definition, Effect};

/// What matters of a state for how it can go on: everything but moments and histories.
fn essence(state: &State) -> String {
    let mut value = serde_json::to_value(state).expect("a state can be written");
    for history in
        ["seq", "now", "path", "warnings", "notes", "errors", "error", "clock", "usage", "because", "visits", "messages", "ended"]
    {
        value[history] = Value::Null;
    }
    fn forget_moments(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| {
                    !name.ends_with("_at")
                        && !["at", "attempt", "attempts", "errors", "deadline", "payload", "ask"].contains(&name.as_str())
                });
                fields.values_mut().for_each(forget_moments);
            }
            Value::Array(items) => items.iter_mut().for_each(forget_moments),
            _ => {}
        }
    }
    forget_moments(&mut value);
    value["timers"] = state.timers.keys().map(|timer| Value::String(timer.to_string())).collect();
    // A gate of a task is numbered by the attempt, of which there may be any number.
    static NUMBERS: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| regex::Regex::new(r"\?\d+").expect("a pattern"));
    NUMBERS.replace_all(&value.to_string(), "?n").into_owned()
}

/// Everything that could be said to a run now. The machine may still refuse some of it.
fn sayable(definition: &Definition, state: &State) -> Vec<Fact> {
    let ada = || Person::named("ada");
    let mut facts = Vec::new();
    for effect in outstanding(definition, state) {
        if let Effect::StartTask(call) = effect {
            facts.push(Fact::TaskStarted { task: call.task, attempt: call.attempt });
        }
    }
    for task in state.tasks.values() {
        let (id, attempt) = (task.id.clone(), task.attempt);
        let usage = Default::default();
        if matches!(task.status, TaskStatus::Running | TaskStatus::Reconciling) {
            facts.push(Fact::TaskSucceeded { task: id.clone(), attempt, result: json!("OK"), usage, exchanges: Vec::new() });
            facts.push(Fact::TaskSucceeded { task: id.clone(), attempt, result: json!("perhaps"), usage, exchanges: Vec::new() });
            for kind in [FailureKind::Unavailable, FailureKind::Refused, FailureKind::Interrupted] {
                facts.push(Fact::TaskFailed {
                    task: id.clone(),
                    attempt,
                    error: Failure { kind, message: "x".into() },
                    usage,
                    exchanges: Vec::new(),
                });
            }
        }
        if task.status == TaskStatus::Running {
            let question = Question { question: "Why?".into(), options: vec![], default: Some("so".into()), ..Question::default() };
            facts.push(Fact::TaskAsked { task: id.clone(), attempt, question, usage, exchanges: Vec::new() });
            facts.push(Fact::TaskInterrupted { task: id.clone(), attempt, exchanges: Vec::new() });
        }
        if matches!(task.status, TaskStatus::Running | TaskStatus::Reconciling) {
            facts.push(Fact::TaskFoundUndone { task: id, attempt });
        }
    }
    facts.extend(state.timers.keys().map(|timer| Fact::TimerFired { timer: timer.clone() }));
    for gate in state.gates.values() {
        let options: Vec<Option<String>> =
            if gate.options.is_empty() { vec![None] } else { gate.options.iter().cloned().map(Some).collect() };
        for option in options {
            let answer = Answer { by: ada(), option, text: Some("OK".into()), answers: BTreeMap::new(), seen: None };
            facts.push(Fact::GateAnswered { gate: gate.id.clone(), answer });
        }
    }
    match state.status {
        Status::Paused { .. } => {
            facts.push(Fact::Resumed { by: ada() });
            facts.push(Fact::Cancelled { by: ada(), reason: String::new(), last_words: Vec::new() });
            let cost = state.money.cap.map(|cap| cap + crate::units::Usd(2_000_000)).filter(|cap| cap.0 <= 4_000_000);
            facts.extend(cost.map(|cost| Fact::LimitsRaised { by: ada(), cost: Some(cost), time_ms: None }));
        }
        _ => facts.push(Fact::Paused { by: ada(), reason: "tea".into() }),
    }
    facts
}

/// Walks everything; returns how many states there are.
fn walk(yaml: &str) -> usize {
    let play = Play::new(yaml).start(json!({}));
    let definition = &play.definition;
    let mut known: BTreeMap<String, State> = BTreeMap::new();
    let mut before: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut ended = BTreeSet::new();
    let mut queue = VecDeque::from([play.state.clone()]);
    known.insert(essence(&play.state), play.state.clone());
    while let Some(state) = queue.pop_front() {
        let here = essence(&state);
        if state.ended.is_some() {
            ended.insert(here);
            continue;
        }
        let mut goes_on = false;
        for fact in sayable(definition, &state) {
            let control = matches!(fact, Fact::Paused { .. });
            let mut next = state.clone();
            let event = Event { seq: state.seq + 1, at: state.now, fact };
            if step(definition, &mut next, &event).is_err() {
                assert_eq!(next, state, "a rejected event changed the state: {event:?}");
                continue;
            }
            goes_on |= !control;
            let there = essence(&next);
            before.entry(there.clone()).or_default().insert(here.clone());
            if let std::collections::btree_map::Entry::Vacant(unknown) = known.entry(there) {
                unknown.insert(next.clone());
                queue.push_back(next);
            }
        }
        assert!(goes_on, "nothing can happen any more: {state:#?}");
        assert!(known.len() < 20_000, "the machine is not small");
    }
    let mut leads_to_an_end = ended.clone();
    let mut pending: Vec<String> = ended.into_iter().collect();
    while let Some(state) = pending.pop() {
        for earlier in before.get(&state).into_iter().flatten() {
            if leads_to_an_end.insert(earlier.clone()) {
                pending.push(earlier.clone());
            }
        }
    }
    for (essence, state) in &known {
        assert!(leads_to_an_end.contains(essence), "no end can be reached from {state:#?}");
    }
    known.len()
}

#[test]
fn from_every_state_of_a_review_loop_something_can_happen_and_an_end_can_be_reached() {
    let states = walk(
        r#"
counters: { turns: { max: 1 } }
limits: { time: 1h }
agents:
  writer: { prompt: prompts/w.md, class: reconcilable, retry: { attempts: 2, wait: [1s] } }
  judge: { prompt: prompts/j.md, class: unsafe, returns: verdict, words: { approved: [OK], needs_revision: ["NO"] }, if_unclear: { ask_again: 1, then: needs_revision } }
trouble: { error: lost, time: lost }
start: writing
states:
  writing: { agent: writer, next: judging }
  judging: { agent: judge, next: { approved: done, needs_revision: { count: turns, to: writing, exceeded: done } } }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#,
    );
    assert!(states > 50, "only {states} states were reached");
}

#[test]
fn from_every_state_of_an_asking_agent_something_can_happen_and_an_end_can_be_reached() {
    let states = walk(
        r#"
questions: { answered_by: [other, person], at_most: 1, deadline: 1m, otherwise: default }
agents:
  writer: { prompt: prompts/w.md, fallback: [other] }
  other: { prompt: prompts/o.md, class: idempotent }
trouble: { error: lost }
start: writing
states:
  writing: { agent: writer, next: done }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#,
    );
    assert!(states > 20, "only {states} states were reached");
}

#[test]
fn from_every_state_of_a_budgeted_plan_something_can_happen_and_an_end_can_be_reached() {
    let states = walk(
        r#"
counters: { again: { max: 1 } }
limits: { cost: 2 }
agents: { worker: { prompt: prompts/w.md, cost: 1 } }
trouble: { error: { to: stuck } }
start: building
states:
  building:
    plan:
      tasks: [{ id: a }, { id: b, depends_on: [a] }]
      agents: [worker]
      at_most: 3
      if_task_fails: { alternative: { other: true }, critical: block, optional: skip }
    next: { done: done, incomplete: { to: stuck, back: building } }
  stuck: { gate: { ask: What now?, options: [retry, stop], deadline: 1h, otherwise: stop }, next: { retry: { count: again, to: back, exceeded: lost }, stop: lost } }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#,
    );
    assert!(states > 50, "only {states} states were reached");
}
