//! A state that is being left starts nothing new, asks nobody, and takes the way that was decided first.

use serde_json::json;

use super::{Play, returns};
use crate::Fact;
use crate::event::{Failure, FailureKind, Question};
use crate::units::Time;

/// Two tasks at once: the first is started, and so is the second.
fn machine(questions: &str) -> Play {
    let mut play = Play::new(&format!(
        r#"
agents: {{ worker: {{ prompt: prompts/w.md, timeout: 1m }}, architect: {{ prompt: prompts/a.md, timeout: 1m }} }}
questions: {{ {questions}, at_most: 2 }}
trouble: {{ error: lost }}
start: working
states:
  working: {{ agent: worker, each: range(2), at_most: 2, next: done }}
  done: {{ final: completed, output: null }}
  lost: {{ final: failed, output: run.error.message }}
"#
    ))
    .start(json!({}));
    play.start_queued();
    play
}

fn fail(play: &mut Play, task: &str) {
    let error = Failure { kind: FailureKind::Refused, message: "no".into() };
    play.say(Fact::TaskFailed { task: task.into(), attempt: 1, error, usage: Default::default(), exchanges: Vec::new() }).unwrap();
}

fn ask(play: &mut Play, task: &str) {
    let question = Question { question: "Tabs?".into(), options: vec![], default: None, ..Question::default() };
    play.say(Fact::TaskAsked { task: task.into(), attempt: 1, question, usage: Default::default(), exchanges: Vec::new() }).unwrap();
}

#[test]
fn a_question_asked_while_the_state_is_left_is_put_to_nobody() {
    for questions in ["answered_by: [architect]", "answered_by: [person]", "answered_by: [architect, person]"] {
        let mut play = machine(questions);
        fail(&mut play, "working.1/1");
        ask(&mut play, "working.1/2");
        assert_eq!(play.outcome(), "failed", "{questions}");
        assert!(play.state.gates.is_empty());
        play.check_replay();
    }
}

#[test]
fn an_agent_that_cannot_answer_a_question_that_was_given_up_asks_nobody_else() {
    for questions in ["answered_by: [architect]", "answered_by: [architect, person]"] {
        let mut play = machine(questions);
        ask(&mut play, "working.1/1");
        play.start_queued();
        fail(&mut play, "working.1/2");
        fail(&mut play, "working.1/1?1architect");
        assert_eq!(play.outcome(), "failed", "{questions}");
        assert!(play.state.gates.is_empty());
        play.check_replay();
    }
}

#[test]
fn a_limit_that_ended_the_work_is_not_forgotten_over_what_fails_afterwards() {
    let mut play = Play::new(
        r#"
limits: { time: 10s }
agents: { worker: { prompt: prompts/w.md, timeout: 1m } }
trouble: { error: lost, time: late }
start: working
states:
  working: { agent: worker, each: range(2), at_most: 2, next: done }
  done: { final: completed, output: null }
  late: { final: failed, output: '"late"' }
  lost: { final: failed, output: '"lost"' }
"#,
    )
    .start(json!({}));
    play.say(Fact::TaskStarted { task: "working.1/1".into(), attempt: 1 }).unwrap();
    play.next_timer();
    assert_eq!(play.now, Time(10_000));
    fail(&mut play, "working.1/1");
    assert_eq!(play.output(), "late");
}

#[test]
fn a_call_is_not_stopped_by_the_time_limit() {
    let mut play = Play::new(
        r#"
limits: { time: 10s }
agents: { worker: { prompt: prompts/w.md, timeout: 1m } }
trouble: { error: lost, time: late }
start: working
states:
  working: { call: text.words, with: { text: '"a b"' }, next: done }
  done: { final: completed, output: last.working }
  late: { final: failed, output: '"late"' }
  lost: { final: failed, output: '"lost"' }
"#,
    )
    .start(json!({}));
    play.next_timer();
    play.run(|_| returns(json!(2)));
    assert_eq!(play.output(), 2, "it waited for a place, and goes on as `check` says");
}

#[test]
fn a_call_has_nothing_to_do_with_an_agent_of_its_state_s_name() {
    let mut play = Play::new(
        r#"
limits: { cost: 1 }
agents: { counting: { prompt: prompts/w.md, cost: 5, returns: { text: string }, retry: { attempts: 3 } } }
trouble: { error: lost, budget: lost }
start: counting
states:
  counting: { call: text.words, next: done }
  asking: { agent: counting, next: done }
  done: { final: completed, output: last.counting }
  lost: { final: failed, output: '"lost"' }
"#,
    )
    .start(json!({}));
    play.run(|_| returns(json!({ "words": 2 })));
    assert_eq!(play.output(), json!({ "words": 2 }));
}
