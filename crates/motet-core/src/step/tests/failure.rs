//! Attempts that fail: retries, fallbacks, timeouts, restarts.

use serde_json::json;

use super::{Play, fails, returns};
use crate::Fact;
use crate::event::{FailureKind, Usage};
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
    play.say(Fact::TaskInterrupted { task: "working.1".into(), attempt: 1, usage: None, exchanges: Vec::new() }).unwrap();
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

#[test]
fn what_an_interrupted_task_said_that_it_took_is_booked_and_not_what_was_held_for_it() {
    for (class, spent, uncertain) in [("pure", 0.25, 0.0), ("idempotent", 0.25, 0.0), ("reconcilable", 0.0, 0.0), ("unsafe", 0.25, 0.0)] {
        let mut play = machine(&format!("prompt: prompts/w.md, class: {class}, cost: 1"));
        play.start_queued();
        play.running.clear();
        let usage = Some(Usage { cost: Usd(250_000), ..Usage::default() });
        let exchanges = vec![json!({ "with": "model" })];
        play.say(Fact::TaskInterrupted { task: "working.1".into(), attempt: 1, usage, exchanges }).unwrap();
        let money = &play.state.money;
        assert_eq!((money.spent.dollars(), money.uncertain.dollars()), (spent, uncertain), "{class}");
    }
}

#[test]
fn an_unsafe_task_that_says_itself_that_it_is_late_waits_for_a_person() {
    let mut play = machine("prompt: prompts/w.md, returns: { text: string }, class: unsafe, cost: 1, retry: { attempts: 3 }");
    play.run(|_| fails(FailureKind::Timeout, "`worker` did not answer within 30 s"));
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
