//! What people do to a whole run: pause, cancel, fork, and what comes too late.

use serde_json::json;

use super::{Play, returns};
use crate::Fact;
use crate::event::{LastWords, Person, Usage};
use crate::rejected::Rejected;
use crate::state::TaskStatus;
use crate::units::{Time, Usd};

fn machine() -> Play {
    Play::new(
        r#"
data: { note: one }
agents: { worker: { prompt: prompts/w.md, cost: 1 } }
trouble: { error: lost }
start: first
states:
  first: { agent: worker, each: range(3), at_most: 3, next: second }
  second: { agent: worker, next: done }
  done: { final: completed, output: data.note }
  lost: { final: failed, output: null }
"#
        .replace("note: one", "note: '\"one\"'")
        .as_str(),
    )
    .start(json!({}))
}

fn ada() -> Person {
    Person::named("ada")
}

#[test]
fn a_paused_run_finishes_what_runs_and_starts_nothing() {
    let mut play = machine();
    play.say(Fact::TaskStarted { task: "first.1/1".into(), attempt: 1 }).unwrap();
    play.say(Fact::Paused { by: ada(), reason: "lunch".into() }).unwrap();
    assert_eq!(play.task("first.1/2").status, TaskStatus::Held);
    play.run(|_| returns(json!({})));
    assert_eq!(play.calls.len(), 1);
    assert!(matches!(play.say(Fact::Paused { by: ada(), reason: String::new() }), Err(Rejected::Paused(true))));
    play.say(Fact::Resumed { by: ada() }).unwrap();
    play.run(|_| returns(json!({})));
    assert_eq!(play.outcome(), "completed");
    assert_eq!(play.calls.len(), 4);
}

#[test]
fn a_cancelled_run_stops_its_calls_and_stays_cancelled() {
    let mut play = machine();
    play.start_queued();
    let effects = play.say(Fact::Cancelled { by: ada(), reason: String::new(), last_words: Vec::new() }).unwrap();
    assert_eq!(effects.iter().filter(|effect| matches!(effect, crate::Effect::StopTask { .. })).count(), 3);
    assert_eq!(play.outcome(), "cancelled");
    assert_eq!(play.state.money.uncertain.dollars(), 3.0, "what stopped calls cost is not known");
    assert_eq!(play.say(Fact::Resumed { by: ada() }), Err(Rejected::Ended));
    let late =
        Fact::TaskSucceeded { task: "first.1/1".into(), attempt: 1, result: json!({}), usage: Default::default(), exchanges: Vec::new() };
    assert_eq!(play.say(late), Err(Rejected::Ended));
}

#[test]
fn what_those_at_work_said_that_they_took_is_booked_when_the_run_is_cancelled() {
    let mut play = machine();
    play.start_queued();
    let said = |task: &str, attempt| LastWords {
        task: task.into(),
        attempt,
        usage: Usage { tokens_in: 7, cost: Usd(250_000), ..Usage::default() },
        exchanges: vec![json!({ "with": "model" })],
    };
    // The last is of an attempt that nobody knows.
    let last_words = vec![said("first.1/1", 1), said("first.1/2", 1), said("first.1/3", 9)];
    play.say(Fact::Cancelled { by: ada(), reason: String::new(), last_words }).unwrap();
    let money = &play.state.money;
    assert_eq!((money.spent.dollars(), money.uncertain.dollars(), money.reserved.dollars()), (0.5, 1.0, 0.0));
    assert_eq!(play.state.usage.tokens_in, 14);
}

#[test]
fn a_fork_goes_on_with_other_data() {
    let mut play = machine();
    let set = [("note".to_string(), json!("two"))].into();
    play.say(Fact::Forked { from: "run".into(), at_seq: 1, run: "fork".into(), set }).unwrap();
    play.run(|_| returns(json!({})));
    assert_eq!(play.output(), json!("two"));
    assert_eq!(play.state.run.as_ref().unwrap().id, "fork");
}

#[test]
fn nobody_worked_between_the_event_of_a_fork_and_the_fork() {
    let yaml = r#"
limits: { time: 10m }
agents: { worker: { prompt: prompts/w.md, timeout: 5m } }
trouble: { error: lost, time: late }
start: STATE
states:
  working: { agent: worker, next: done }
  asking: { gate: { ask: Go?, options: [yes_please, stop], deadline: 1h, otherwise: stop }, next: { yes_please: working, stop: lost } }
  done: { final: completed, output: null }
  late: { final: failed, output: null }
  lost: { final: failed, output: null }
"#;
    const DAY: i64 = 86_400_000;
    let fork = |play: &mut Play| {
        play.now = Time(play.now.0 + DAY);
        play.say(Fact::Forked { from: "run".into(), at_seq: 1, run: "fork".into(), set: Default::default() }).unwrap();
    };
    let mut play = Play::new(&yaml.replace("STATE", "working")).start(json!({}));
    play.now = Time(60_000);
    fork(&mut play);
    assert_eq!(play.state.timers["time"], Time(DAY + 660_000));
    let mut play = Play::new(&yaml.replace("STATE", "asking")).start(json!({}));
    fork(&mut play);
    assert_eq!(play.state.timers["deadline:asking.1"], Time(DAY + 3_600_000));
    assert_eq!(play.state.gates[&play.gate()].deadline, Some(Time(DAY + 3_600_000)));
}

#[test]
fn the_time_in_which_no_process_drove_the_run_is_not_time_at_work() {
    let mut play = Play::new(
        r#"
limits: { time: 10m }
agents: { worker: { prompt: prompts/w.md, timeout: 5m } }
trouble: { error: lost, time: lost }
start: working
states:
  working: { agent: worker, next: done }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    play.now = Time(60_000);
    play.start_queued();
    play.running.clear();
    play.now = Time(86_400_000);
    play.say(Fact::TaskInterrupted { task: "working.1".into(), attempt: 1, exchanges: Vec::new() }).unwrap();
    assert_eq!(play.state.timers["time"], Time(86_400_000 + 9 * 60_000));
    play.run(|_| returns(json!({})));
    assert_eq!(play.outcome(), "completed");
}

#[test]
fn a_run_that_another_process_takes_over_has_not_worked_in_between() {
    let mut play = Play::new(
        r#"
limits: { time: 10m }
agents: { worker: { prompt: prompts/w.md, timeout: 5m } }
trouble: { error: lost, time: lost }
start: working
states:
  working: { agent: worker, next: asking }
  asking: { gate: { ask: Go?, options: [yes_please, stop], deadline: 1h, otherwise: stop }, next: { yes_please: done, stop: lost } }
  done: { final: completed, output: null }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    play.now = Time(86_400_000);
    play.say(Fact::Recovered {}).unwrap();
    assert_eq!(play.state.timers["time"], Time(86_400_000 + 10 * 60_000), "nothing was running, and still the clock stood");
    play.run(|_| returns(json!({})));
    let deadline = play.state.gates[&play.gate()].deadline;
    play.now = Time(play.now.0 + 60_000);
    play.say(Fact::Recovered {}).unwrap();
    assert_eq!(play.state.gates[&play.gate()].deadline, deadline, "what people were given until when stays");
}

#[test]
fn a_completion_that_comes_twice_or_for_an_old_attempt_is_refused() {
    let mut play = machine();
    play.start_queued();
    let done = |attempt| Fact::TaskSucceeded {
        task: "first.1/1".into(),
        attempt,
        result: json!({}),
        usage: Default::default(),
        exchanges: Vec::new(),
    };
    assert!(play.say(done(2)).is_err());
    play.say(done(1)).unwrap();
    assert!(play.say(done(1)).is_err());
    assert!(play.say(Fact::TaskStarted { task: "first.1/1".into(), attempt: 1 }).is_err());
    assert!(play.say(Fact::TimerFired { timer: "timeout:first.1/1".into() }).is_err());
}
