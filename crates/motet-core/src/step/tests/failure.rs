//! Attempts that fail: retries, fallbacks, timeouts, restarts.

use serde_json::json;

use super::{Play, fails, returns};
use crate::Fact;
use crate::event::{Failure, FailureKind, Person, Usage};
use crate::step::tests::play::Reply;
use crate::units::{Time, Usd};

const MACHINE: &str = r#"
agents:
  worker: { AGENT }
  substitute: { prompt: prompts/s.md, returns: { text: string } }
trouble: { error: lost }
start: working
states:
  working: { agent: worker, next: done }
  done: { final: completed, output: last.working }
  lost: { final: failed, output: { error: run.error.message, attempts: run.error.attempts } }
"#;

fn machine(agent: &str) -> Play {
    Play::new(&MACHINE.replace("AGENT", agent)).start(json!({}))
}

#[test]
fn a_transient_failure_is_tried_again_after_its_wait() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string }, retry: { attempts: 3, wait: [2s, 4s] }");
    let mut calls = 0;
    play.run(|_| {
        calls += 1;
        if calls < 3 { fails(FailureKind::Unavailable, "down") } else { returns(json!("up")) }
    });
    assert_eq!(play.output(), json!({ "text": "up" }));
    assert_eq!(play.now, Time(6000), "nothing is left to chance");
}

#[test]
fn those_who_fail_together_do_not_come_back_together_but_always_at_the_same_moment() {
    let waits = |seed: u64| {
        let agent = "prompt: prompts/w.md, retry: { attempts: 9, wait: [100s] }";
        let mut play = Play::new(&MACHINE.replace("AGENT", agent)).start_with(json!({}), |started| started.seed = Some(seed));
        play.run(|_| fails(FailureKind::Unavailable, "down"));
        let fired = play.events.iter().filter(|event| matches!(event.fact, Fact::TimerFired { .. }));
        fired.map(|event| event.at.0).collect::<Vec<i64>>()
    };
    let first = waits(1);
    assert_eq!(first.len(), 8);
    let gaps: Vec<i64> = std::iter::once(&0).chain(&first).zip(&first).map(|(before, after)| after - before).collect();
    assert!(gaps.iter().all(|gap| (90_000..=110_000).contains(gap)), "{gaps:?}");
    assert!(gaps.iter().collect::<std::collections::BTreeSet<_>>().len() > 4, "they differ: {gaps:?}");
    assert_eq!(waits(1), first);
    assert_ne!(waits(2), first);
}

#[test]
fn an_error_says_how_the_run_came_there() {
    let mut play = machine("prompt: prompts/w.md, retry: { attempts: 2, wait: [1s] }");
    play.run(|_| fails(FailureKind::Timeout, "slow"));
    let trace = &play.state.errors[0].trace;
    assert_eq!(trace, &["entered working", "failure 1 of working.1: slow", "failure 2 of working.1: slow"]);
}

#[test]
fn after_the_last_attempt_the_state_is_in_trouble() {
    let mut play = machine("prompt: prompts/w.md, retry: { attempts: 3, wait: [2s, 4s] }");
    play.run(|_| fails(FailureKind::Timeout, "slow"));
    assert_eq!(play.output(), json!({ "error": "slow", "attempts": 3 }));
}

#[test]
fn a_permanent_failure_is_not_tried_again() {
    let mut play = machine("prompt: prompts/w.md, retry: { attempts: 3, wait: [2s] }");
    play.run(|_| fails(FailureKind::Refused, "no"));
    assert_eq!(play.calls.len(), 1);
}

#[test]
fn a_fallback_stands_in_once_the_agent_is_exhausted() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string }, retry: { attempts: 2, wait: [1s] }, fallback: [substitute]");
    play.run(|call| if call.agent == "worker" { fails(FailureKind::Crashed, "gone") } else { returns(json!("saved")) });
    let agents: Vec<_> = play.calls.iter().map(|call| call.agent.as_str()).collect();
    assert_eq!(agents, ["worker", "worker", "substitute"]);
    assert_eq!(play.output(), json!({ "text": "saved" }));
}

#[test]
fn a_stand_in_that_nobody_plays_does_not_hide_why_it_was_needed() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string }, fallback: [substitute]");
    play.run(|call| match call.agent.as_str() {
        "worker" => fails(FailureKind::Crashed, "it crashed"),
        _ => fails(FailureKind::Configuration, "no model plays it"),
    });
    assert_eq!(play.output()["error"], "it crashed; substitute could not stand in: no model plays it");
}

#[test]
fn an_answer_in_the_wrong_shape_is_asked_again_with_the_reason() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string, count: integer }, if_unclear: { ask_again: 1 }");
    play.run(|call| match &call.correction {
        None => returns(json!({ "text": "x" })),
        Some(reason) => {
            assert!(reason.contains("count"), "{reason}");
            returns(json!("```json\n{\"text\": \"x\", \"count\": 2}\n```"))
        }
    });
    assert_eq!(play.output(), json!({ "text": "x", "count": 2 }));
}

#[test]
fn an_answer_that_stays_wrong_fails_the_task() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string, count: integer }, if_unclear: { ask_again: 1 }");
    play.run(|_| returns(json!("words and\nwords")));
    assert_eq!(play.calls.len(), 2);
    assert_eq!(play.outcome(), "failed");
    assert_eq!(play.output()["error"], "the answer must be one JSON object and nothing else, and is “words and words”");
}

#[test]
fn what_an_unclear_verdict_becomes_is_nothing_to_an_answer_of_another_shape() {
    let all = "agents:\n  all: { if_unclear: { ask_again: 1, then: needs_revision } }";
    let machine = MACHINE.replace("agents:", all).replace("AGENT", "prompt: prompts/w.md, returns: { text: string, count: integer }");
    let mut play = Play::new(&machine).start(json!({}));
    play.run(|_| returns(json!({ "text": "almost" })));
    assert_eq!((play.calls.len(), play.outcome()), (2, "failed"));
}

#[test]
fn a_result_can_say_that_it_failed() {
    let mut play =
        machine("prompt: prompts/w.md, returns: { error: any }, fails_when: result.error != null, retry: { attempts: 2, wait: [1s] }");
    let mut calls = 0;
    play.run(|_| {
        calls += 1;
        returns(json!({ "error": if calls == 1 { json!("disk on fire") } else { json!(null) } }))
    });
    assert_eq!(play.outcome(), "completed");
    assert_eq!(calls, 2);
}

#[test]
fn an_attempt_that_hangs_is_ended_by_its_timeout() {
    let mut play = machine("prompt: prompts/w.md, timeout: 30s");
    play.run(|_| Reply::Hangs);
    assert_eq!(play.output()["error"], "no answer within 30s");
    assert_eq!(play.now, Time(30_000));
}

fn interrupted(class: &str) -> Play {
    let mut play =
        machine(&format!("prompt: prompts/w.md, returns: {{ text: string }}, class: {class}, cost: 1, retry: {{ attempts: 3 }}"));
    play.start_queued();
    play.running.clear();
    play.say(Fact::TaskInterrupted { task: "working.1".into(), attempt: 1, exchanges: Vec::new() }).unwrap();
    play
}

#[test]
fn an_interrupted_pure_task_runs_again_and_its_cost_is_booked() {
    let mut play = interrupted("pure");
    assert_eq!(play.state.money.uncertain.dollars(), 1.0);
    play.run(|call| returns(json!(format!("attempt {}", call.attempt))));
    assert_eq!(play.output(), json!({ "text": "attempt 2" }));
}

#[test]
fn an_interrupted_idempotent_task_is_sent_again_with_the_same_key() {
    let mut play = interrupted("idempotent");
    play.run(|_| returns(json!("x")));
    assert_eq!(play.calls[0].key, play.calls[1].key);
    assert_ne!(play.calls[0].attempt, play.calls[1].attempt);
}

#[test]
fn an_interrupted_reconcilable_task_is_asked_about() {
    let mut play = interrupted("reconcilable");
    assert!(matches!(&crate::outstanding(&play.definition, &play.state)[..], [crate::Effect::Reconcile(_)]));
    play.say(Fact::TaskFoundUndone { task: "working.1".into(), attempt: 1 }).unwrap();
    play.run(|_| returns(json!("x")));
    assert_eq!(play.calls.len(), 2);
}

#[test]
fn an_interrupted_unsafe_task_waits_for_a_person() {
    let mut play = interrupted("unsafe");
    play.run(|_| unreachable!("it must not run twice"));
    assert_eq!(play.state.gates.len(), 1);
    play.choose_as("ada", "done", Some(r#"{"text": "it was sent"}"#)).unwrap();
    assert_eq!(play.output(), json!({ "text": "it was sent" }));
    assert_eq!(play.calls.len(), 1);
}

/// What is booked of a task that said, when it was interrupted, that it had taken 0.25 of the 1 that was held for it; then, if its backend
/// is asked, what that says leads to the second amounts.
fn check_heard(class: &str, spent: f64, reserved: f64) -> Play {
    let mut play = machine(&format!("prompt: prompts/w.md, class: {class}, cost: 1, retry: {{ attempts: 1 }}"));
    play.start_queued();
    play.running.clear();
    play.say(said("working.1", FailureKind::Interrupted, 250_000)).unwrap();
    let money = &play.state.money;
    assert_eq!((money.spent.dollars(), money.uncertain.dollars(), money.reserved.dollars()), (spent, 0.0, reserved), "{class}");
    play
}

fn said(task: &str, kind: FailureKind, cost: u64) -> Fact {
    let error = Failure { kind, message: "the process ended".into() };
    Fact::TaskFailed { task: task.into(), attempt: 1, error, usage: Usage { cost: Usd(cost), ..Usage::default() }, exchanges: Vec::new() }
}

#[test]
fn what_an_interrupted_task_said_that_it_took_is_booked_and_not_what_was_held_for_it() {
    // Those that begin again are held for again, and no try is used up.
    assert_eq!(check_heard("pure", 0.25, 1.0).task("working.1").tries, 1);
    check_heard("idempotent", 0.25, 1.0);
    check_heard("unsafe", 0.25, 0.0);
    check_heard("reconcilable", 0.0, 1.0);
}

#[test]
fn what_an_interrupted_task_said_counts_where_its_backend_cannot_tell() {
    let spent = |play: &Play| (play.state.money.spent.dollars(), play.state.money.uncertain.dollars());
    let mut unknown = check_heard("reconcilable", 0.0, 1.0);
    unknown.say(said("working.1", FailureKind::Interrupted, 0)).unwrap();
    assert_eq!((spent(&unknown), unknown.state.gates.len()), ((0.25, 0.0), 1));
    let mut undone = check_heard("reconcilable", 0.0, 1.0);
    undone.say(Fact::TaskFoundUndone { task: "working.1".into(), attempt: 1 }).unwrap();
    assert_eq!(spent(&undone), (0.25, 0.0));
    let mut finished = check_heard("reconcilable", 0.0, 1.0);
    finished.say(said("working.1", FailureKind::Refused, 500_000)).unwrap();
    assert_eq!(spent(&finished), (0.5, 0.0), "whoever knows tells all of it");
    let mut cancelled = check_heard("reconcilable", 0.0, 1.0);
    cancelled.say(Fact::Cancelled { by: Person::named("ada"), reason: String::new(), last_words: Vec::new() }).unwrap();
    assert_eq!(spent(&cancelled), (0.25, 0.0));
}

#[test]
fn the_time_until_a_task_was_interrupted_counts_if_it_could_say_so() {
    let mut play = Play::new(&format!(
        "limits: {{ time: 10m }}{}",
        MACHINE.replace("AGENT", "prompt: prompts/w.md").replace("error: lost", "error: lost, time: lost")
    ));
    play = play.start(json!({}));
    play.start_queued();
    play.running.clear();
    play.now = Time(240_000);
    play.say(said("working.1", FailureKind::Interrupted, 0)).unwrap();
    assert_eq!(crate::step::time_left_ms(&play.state, play.now), Some(360_000));
}

#[test]
fn an_unsafe_task_that_says_itself_that_it_is_late_waits_for_a_person() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string }, class: unsafe, cost: 1, retry: { attempts: 3 }");
    play.run(|_| fails(FailureKind::Interrupted, "`worker` did not answer within 30 s"));
    assert_eq!(play.calls.len(), 1);
    let gate = play.gate();
    assert!(play.state.gates[&gate].ask.contains("must not run twice, and `worker` did not answer within 30 s"), "{gate}");
    play.choose_as("ada", "done", Some(r#"{"text": "it was sent"}"#)).unwrap();
    assert_eq!(play.output(), json!({ "text": "it was sent" }));
    assert_eq!(play.calls.len(), 1);
}

#[test]
fn an_unsafe_task_is_never_started_twice_by_the_machine() {
    let mut play = machine("prompt: prompts/w.md, class: unsafe, retry: { attempts: 5, wait: [1s] }");
    play.run(|_| fails(FailureKind::Unavailable, "who knows"));
    assert_eq!(play.calls.len(), 1);
    assert_eq!(play.outcome(), "failed");
}
