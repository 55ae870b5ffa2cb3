//! Agents that answer with a question.

use std::collections::BTreeMap;

use serde_json::json;

use super::play::Reply;
use super::{Play, fails, returns};
use crate::Fact;
use crate::effect::CallWork;
use crate::event::{Answer, FailureKind, Person, Question};

fn machine(questions: &str) -> Play {
    Play::new(&format!(
        r#"
agents: {{ worker: {{ prompt: prompts/w.md, returns: {{ text: string }}, timeout: 1m }}, architect: {{ prompt: prompts/a.md }} }}
questions: {{ {questions} }}
trouble: {{ error: lost }}
start: working
states:
  working: {{ agent: worker, next: done }}
  done: {{ final: completed, output: last.working.text }}
  lost: {{ final: failed, output: run.error.message }}
"#
    ))
}

fn worker(call: &crate::Call) -> Reply {
    match call.answers.first() {
        None => Reply::Asks(Question { question: "Tabs?".into(), options: vec![], default: Some("spaces".into()) }),
        Some(answered) => returns(json!(format!("{} by {}", answered.answer, answered.by))),
    }
}

#[test]
fn another_agent_answers_first() {
    let mut play = machine("answered_by: [architect, person], at_most: 2, otherwise: default").start(json!({}));
    play.run(|call| match &call.work {
        CallWork::AnswerQuestion => {
            assert_eq!(call.input["question"], "Tabs?");
            returns(json!("tabs"))
        }
        _ => worker(call),
    });
    assert_eq!(play.output(), "tabs by architect");
}

#[test]
fn a_person_is_asked_when_the_agent_cannot_answer_and_the_clock_stands_still() {
    let mut play = machine("answered_by: [architect, person], at_most: 2, deadline: 1h, otherwise: default").start(json!({}));
    play.run(|call| if call.work == CallWork::AnswerQuestion { fails(FailureKind::Refused, "no idea") } else { worker(call) });
    assert_eq!(play.state.gates.len(), 1);
    assert_eq!(play.state.timers.len(), 1, "only the deadline of the question: {:?}", play.state.timers);
    let answer = Answer { by: Person::named("ada"), option: None, text: Some("both".into()), answers: BTreeMap::new(), seen: None };
    let gate = play.gate();
    play.say(Fact::GateAnswered { gate, answer }).unwrap();
    play.run(worker);
    assert_eq!(play.output(), "both by ada");
}

#[test]
fn the_default_holds_at_the_deadline_and_at_once_when_unattended() {
    let mut play = machine("at_most: 1, deadline: 1h, otherwise: default").start(json!({}));
    play.run(worker);
    play.next_timer();
    play.run(worker);
    assert_eq!(play.output(), "spaces by policy");
    let mut play = machine("at_most: 1, deadline: 1h, otherwise: default").start_with(json!({}), |started| started.unattended = true);
    play.run(worker);
    assert_eq!(play.output(), "spaces by policy");
}

#[test]
fn an_agent_may_not_ask_for_ever() {
    let mut play = machine("at_most: 2, otherwise: default").start_with(json!({}), |started| started.unattended = true);
    play.run(|_| Reply::Asks(Question { question: "Why?".into(), options: vec![], default: Some("because".into()) }));
    assert_eq!(play.calls.len(), 3);
    assert_eq!(play.outcome(), "failed");
}
