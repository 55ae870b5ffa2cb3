//! Agents that answer with a question.

use std::collections::BTreeMap;

use serde_json::json;

use super::play::Reply;
use super::{Play, fails, returns};
use crate::Fact;
use crate::effect::CallWork;
use crate::event::{Answer, FailureKind, Person, Question, Unattended};
use crate::state::GateKind;

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
        None => Reply::Asks(Question { question: "Tabs?".into(), options: vec![], default: Some("spaces".into()), ..Question::default() }),
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
    play.run(|_| {
        Reply::Asks(Question { question: "Why?".into(), options: vec![], default: Some("because".into()), ..Question::default() })
    });
    assert_eq!(play.calls.len(), 3);
    assert_eq!(play.outcome(), "failed");
}

fn person(call: &crate::Call) -> Reply {
    match call.answers.iter().rfind(|answered| answered.question.is_task) {
        None => {
            Reply::Asks(Question { question: "Write it.".into(), options: vec![], default: None, is_task: true, ..Question::default() })
        }
        Some(answered) => returns(json!(answered.answer)),
    }
}

fn says(play: &mut Play, text: &str) -> Result<(), String> {
    let answer = Answer { by: Person::named("ada"), option: None, text: Some(text.into()), answers: BTreeMap::new(), seen: None };
    let gate = play.gate();
    play.say(Fact::GateAnswered { gate, answer }).map(drop).map_err(|rejected| rejected.to_string())
}

#[test]
fn a_person_plays_an_agent_where_no_agent_may_ask() {
    let mut play = machine("answered_by: [architect], at_most: 0, otherwise: default").start(json!({}));
    play.run(person);
    let gate = &play.state.gates[&play.gate()];
    assert_eq!(gate.ask, "You play worker in working.1.\n\nWrite it.");
    assert!(says(&mut play, "  ").unwrap_err().contains("an answer is needed"));
    assert!(says(&mut play, "{\"text\": 3}").is_ok(), "a text can stand for the one field");
    play.run(person);
    assert_eq!(play.output(), "{\"text\": 3}");
    play.check_replay();
}

#[test]
fn a_failed_attempt_of_a_person_is_asked_anew() {
    let mut play = machine("at_most: 0").start(json!({}));
    play.run(person);
    says(&mut play, "first").unwrap();
    play.run(|_| fails(FailureKind::Unavailable, "lost on the way"));
    while play.state.gates.is_empty() && play.outcome() == "open" {
        play.next_timer();
        play.run(person);
    }
    assert_eq!(play.outcome(), "failed", "one attempt is all this agent has");
}

#[test]
fn nobody_plays_an_agent_where_nobody_is() {
    let mut play = machine("at_most: 2, otherwise: default").start_with(json!({}), |started| started.unattended = true);
    play.run(person);
    assert_eq!(play.output(), "a person plays worker, and nobody was there");
    let mut play = machine("at_most: 2, deadline: 1h, otherwise: default").start(json!({}));
    play.run(person);
    play.next_timer();
    assert_eq!(play.output(), "a person plays worker, and nobody was there");
}

#[test]
fn an_answer_is_one_of_the_options() {
    let asks = |call: &crate::Call| match call.answers.first() {
        None => Reply::Asks(Question {
            question: "Tabs?".into(),
            options: vec!["yes".into(), "no".into()],
            default: None,
            ..Question::default()
        }),
        Some(answered) => returns(json!(answered.answer)),
    };
    let mut play = machine("answered_by: [person], at_most: 1").start(json!({}));
    play.run(asks);
    assert!(says(&mut play, "perhaps").unwrap_err().contains("`perhaps` is not one of yes, no"));
    says(&mut play, " yes ").unwrap();
    play.run(asks);
    assert_eq!(play.output(), "yes");
    let mut answers = vec!["Well…", "“No.”"].into_iter();
    let mut play = machine("answered_by: [architect], at_most: 1").start(json!({}));
    play.run(|call| match call.work {
        CallWork::AnswerQuestion => returns(json!(answers.next().unwrap_or("no"))),
        _ => asks(call),
    });
    assert_eq!(play.output(), "no", "asked again, the agent means an option");
}

/// A program that asks for leave before its work, as often as it was not given `Tabs?` for good.
fn careful(unattended: Option<Unattended>) -> impl Fn(&crate::Call) -> Reply {
    move |call| match call.answers.len() {
        3 => returns(json!(call.answers.iter().map(|answered| answered.answer.as_str()).collect::<Vec<_>>().join(", "))),
        number => Reply::Asks(Question {
            question: format!("rm -r target/{number}"),
            options: vec!["allow_once".into(), "deny".into()],
            default: Some("deny".into()),
            is_permission: true,
            unattended,
            ..Question::default()
        }),
    }
}

#[test]
fn leave_is_asked_of_people_alone_and_counts_as_no_question() {
    let mut play = machine("answered_by: [architect], at_most: 0, deadline: 1h, otherwise: default").start(json!({}));
    for (option, text) in [("allow_once", None), ("deny", Some("not that one")), ("allow_once", None)] {
        play.run(careful(None));
        let gate = play.state.gates[&play.gate()].clone();
        assert!(matches!(&gate.kind, GateKind::Permission { task } if task.as_str() == "working.1"), "{gate:?}");
        assert!(gate.ask.starts_with("worker asks for permission: rm -r target/") && gate.deadline.is_none(), "{gate:?}");
        assert!(play.choose("perhaps").unwrap_err().to_string().contains("allow_once, deny"));
        play.choose_as("ada", option, text).unwrap();
    }
    play.run(|call| {
        // Each answer is known with the attempt that asked for it, so that leave for once can be told from leave that was used.
        let asked_in: Vec<u32> = call.answers.iter().map(|answered| answered.asked_in).collect();
        assert_eq!((asked_in, call.attempt), (vec![1, 2, 3], 4));
        careful(None)(call)
    });
    assert_eq!(play.output(), "allow_once, deny: not that one, allow_once");
    play.check_replay();
}

#[test]
fn leave_that_nobody_can_give_is_refused_unless_the_user_says_otherwise() {
    let unattended = |policy: Option<Unattended>| {
        let mut play = machine("at_most: 0").start_with(json!({}), |started| started.unattended = true);
        play.run(careful(policy));
        play
    };
    assert_eq!(unattended(None).output(), "deny, deny, deny");
    assert_eq!(unattended(Some(Unattended::Default)).output(), "deny, deny, deny");
    assert_eq!(unattended(Some(Unattended::Fail)).output(), "nobody was there to permit it: rm -r target/0");
    let mut waits = unattended(Some(Unattended::Wait));
    waits.choose("allow_once").unwrap();
    assert_eq!(waits.outcome(), "open");
}

#[test]
fn a_question_may_wait_though_nobody_attends() {
    let mut play = machine("at_most: 1, deadline: 1h, otherwise: wait").start_with(json!({}), |started| started.unattended = true);
    play.run(worker);
    assert!(play.state.timers.is_empty(), "it waits for as long as it takes: {:?}", play.state.timers);
    says(&mut play, "tabs").unwrap();
    play.run(worker);
    assert_eq!(play.output(), "tabs by ada");
    let mut play = machine("at_most: 1, otherwise: wait").start_with(json!({}), |started| started.unattended = true);
    play.run(person);
    says(&mut play, "done").unwrap();
    play.run(person);
    assert_eq!(play.output(), "done");
}
