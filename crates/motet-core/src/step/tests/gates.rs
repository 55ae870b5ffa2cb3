//! Gates: who may answer, with what, and what holds when nobody does.

use std::collections::BTreeMap;

use serde_json::json;

use super::Play;
use crate::Fact;
use crate::event::{Answer, Person};
use crate::names::Digest;
use crate::units::Time;

fn machine(gate: &str) -> Play {
    Play::new(&format!(
        r#"
input: {{ policy: {{ enum: [approve, wait, abort], default: wait }} }}
data: {{ plan: [1, 2], text: null }}
counters: {{ changes: {{ max: unlimited }} }}
trouble: {{ error: aborted }}
start: asking
states:
  asking:
    gate: {{ ask: "Plan of {{{{ data.plan | length }}}}: go?", options: [approve, change, abort], text_for: [change], {gate} }}
    save: {{ text: result.text }}
    next:
      approve: done
      change: {{ count: changes, to: asking }}
      abort: aborted
  done: {{ final: completed, output: {{ by: last.asking.by, text: data.text }} }}
  aborted: {{ final: aborted, output: null }}
files: {{ plan.md: {{ from: files/plan.md.j2, edits: {{ data.plan: [asking] }} }} }}
"#
    ))
}

#[test]
fn a_gate_takes_only_its_own_options() {
    let mut play = machine("otherwise: abort").start(json!({}));
    assert_eq!(play.state.gates[&play.gate()].ask, "Plan of 2: go?");
    assert!(play.choose("maybe").unwrap_err().to_string().contains("approve, change, abort"));
    assert!(play.choose("change").unwrap_err().to_string().contains("needs a sentence"));
    play.choose_as("ada", "change", Some("more tests")).unwrap();
    play.choose("approve").unwrap();
    assert_eq!(play.path(), "asking asking done");
    play.check_replay();
}

#[test]
fn an_answer_to_a_closed_gate_is_refused() {
    let mut play = machine("otherwise: abort").start(json!({}));
    let gate = play.gate();
    play.choose_as("ada", "change", Some("x")).unwrap();
    let answer = Answer { by: Person::named("ada"), option: Some("approve".into()), text: None, answers: BTreeMap::new(), seen: None };
    assert!(play.say(Fact::GateAnswered { gate, answer }).is_err());
}

#[test]
fn only_its_people_may_answer_and_not_whoever_asked() {
    let people = || BTreeMap::from([("approver".to_string(), vec!["ada".to_string(), "bob".to_string(), "cy".to_string()])]);
    let mut play = machine("who: [approver], except: [requester], quorum: 2, otherwise: abort")
        .start_with(json!({}), |started| started.people = people());
    assert!(play.choose_as("eve", "approve", None).unwrap_err().to_string().contains("eve is not one of its people"));
    assert!(play.choose_as("ada", "approve", None).unwrap_err().to_string().contains("having started the run"));
    play.choose_as("bob", "approve", None).unwrap();
    assert_eq!(play.outcome(), "open", "two must agree");
    assert!(play.choose_as("bob", "approve", None).unwrap_err().to_string().contains("answered already"));
    play.choose_as("cy", "approve", None).unwrap();
    assert_eq!(play.outcome(), "completed");
}

#[test]
fn people_who_disagree_may_change_their_minds() {
    let mut play = machine("quorum: 2, otherwise: abort").start(json!({}));
    play.choose_as("ada", "approve", None).unwrap();
    play.choose_as("bob", "abort", None).unwrap();
    assert!(play.choose_as("bob", "abort", None).unwrap_err().to_string().contains("answered already"));
    play.choose_as("bob", "approve", None).unwrap();
    assert_eq!(play.outcome(), "completed");
    let mut play = machine("quorum: 2, otherwise: abort").start(json!({}));
    play.choose_as("ada", "approve", None).unwrap();
    play.choose_as("ada", "abort", None).unwrap();
    play.choose_as("bob", "approve", None).unwrap();
    assert_eq!(play.outcome(), "open", "who has changed their mind does not count for both");
}

#[test]
fn nobody_approves_what_they_have_not_seen() {
    let mut play = machine("otherwise: abort").start(json!({}));
    let seen = play.state.gates[&play.gate()].payload.clone();
    play.say(Fact::DataEdited {
        by: Person::named("ada"),
        file: "plan.md".into(),
        changes: BTreeMap::from([("plan".into(), json!([1, 2, 3]))]),
        diff: String::new(),
    })
    .unwrap();
    assert_eq!(play.state.gates[&play.gate()].ask, "Plan of 3: go?");
    let answer = |seen: Digest| Answer {
        by: Person::named("ada"),
        option: Some("approve".into()),
        text: None,
        answers: BTreeMap::new(),
        seen: Some(seen),
    };
    let gate = play.gate();
    assert!(play.say(Fact::GateAnswered { gate: gate.clone(), answer: answer(seen) }).unwrap_err().to_string().contains("look again"));
    let seen = play.state.gates[&gate].payload.clone();
    play.say(Fact::GateAnswered { gate, answer: answer(seen) }).unwrap();
    assert_eq!(play.outcome(), "completed");
}

#[test]
fn data_can_be_edited_only_where_the_workflow_says() {
    let mut play = machine("otherwise: abort").start(json!({}));
    let edit = |name: &str| Fact::DataEdited {
        by: Person::named("ada"),
        file: "plan.md".into(),
        changes: BTreeMap::from([(name.to_string(), json!(1))]),
        diff: String::new(),
    };
    assert!(play.say(edit("text")).is_err());
    assert!(play.say(edit("nothing")).is_err());
    assert!(play.say(edit("plan")).is_ok());
}

#[test]
fn an_item_is_edited_in_its_own_list_and_nowhere_else() {
    let mut play = Play::new(
        r#"
data: { tasks: [], approved: false }
start: asking
states:
  asking: { gate: { ask: Go?, options: [go, stop] }, next: done }
  done: { final: completed, output: data.approved }
files:
  "{{ item.id }}.md": { each: data.tasks, from: files/task.md, edits: { item: [asking] } }
"#,
    )
    .start(json!({}));
    let edit = |name: &str, value| Fact::DataEdited {
        by: Person::named("ada"),
        file: "a.md".into(),
        changes: BTreeMap::from([(name.to_string(), value)]),
        diff: String::new(),
    };
    assert!(play.say(edit("approved", json!(true))).is_err());
    assert!(play.say(edit("tasks", json!([{ "id": "a" }]))).is_ok());
}

#[test]
fn at_the_deadline_the_policy_answers() {
    let mut play = machine("deadline: 1h, otherwise: abort").start(json!({}));
    play.next_timer();
    assert_eq!(play.now, Time(3_600_000));
    assert_eq!(play.outcome(), "aborted");
}

#[test]
fn an_unattended_run_takes_the_policy_at_once() {
    let play = machine("otherwise: input.policy").start_with(json!({ "policy": "approve" }), |started| started.unattended = true);
    assert_eq!(play.output(), json!({ "by": "policy", "text": null }));
    let play = machine("otherwise: input.policy").start_with(json!({}), |started| started.unattended = true);
    assert_eq!(play.outcome(), "open", "the policy says wait");
}

#[test]
fn questions_have_defaults() {
    let yaml = r#"
data: { questions: [] , answers: [] }
trouble: { error: done }
agents: { analyst: { prompt: prompts/a.md, returns: { questions: any } } }
start: looking
states:
  looking: { agent: analyst, save: { questions: result.questions }, next: asking }
  asking:
    gate: { ask: Some questions, questions: data.questions, deadline: 24h, otherwise: defaults }
    save: { answers: result.answers }
    next: done
  done: { final: completed, output: data.answers }
"#;
    let mut play = Play::new(yaml).start(json!({}));
    play.run(|_| super::returns(json!({ "questions": [{ "id": "lang", "question": "Which language?", "default": "Rust" }, { "id": "db", "question": "Which database?" }] })));
    let answer = |answers: &[(&str, &str)]| Answer {
        by: Person::named("ada"),
        option: None,
        text: None,
        answers: answers.iter().map(|(id, text)| (id.to_string(), text.to_string())).collect(),
        seen: None,
    };
    let gate = play.gate();
    assert!(play.say(Fact::GateAnswered { gate: gate.clone(), answer: answer(&[]) }).unwrap_err().to_string().contains("db"));
    assert!(play.say(Fact::GateAnswered { gate: gate.clone(), answer: answer(&[("dbx", "x")]) }).unwrap_err().to_string().contains("dbx"));
    play.say(Fact::GateAnswered { gate, answer: answer(&[("db", "SQLite")]) }).unwrap();
    assert_eq!(play.output()[0], json!({ "id": "lang", "question": "Which language?", "answer": "Rust", "assumed": true }));
    assert_eq!(play.output()[1]["answer"], "SQLite");
}

#[test]
fn a_run_whose_gate_can_never_open_is_not_started() {
    let people = |names: &[&str]| BTreeMap::from([("approver".to_string(), names.iter().map(|name| name.to_string()).collect())]);
    let start = |names: &[&str]| {
        let mut play = machine("who: [approver], except: [requester], quorum: 2, otherwise: abort");
        play.try_start(json!({}), |started| started.people = people(names)).map_err(|rejected| rejected.to_string())
    };
    assert!(start(&["ada", "bob"]).unwrap_err().contains("wants 2 of approver, and only 1 may answer it"));
    assert_eq!(start(&["ada", "bob", "cy"]), Ok(()));
}

#[test]
fn a_gate_that_must_be_answered_fails_the_run_where_nobody_is() {
    let play = machine("otherwise: fail").start_with(json!({}), |started| started.unattended = true);
    assert_eq!(play.outcome(), "failed");
    let error = play.state.error.clone().map(|error| error.failure.message);
    assert_eq!(error.as_deref(), Some("nobody was there to answer at gate asking.1: Plan of 2: go?"));
    play.check_replay();
    let mut play = machine("deadline: 1h, otherwise: fail").start(json!({}));
    play.next_timer();
    assert_eq!(play.outcome(), "failed");
    play = machine("deadline: 1h, otherwise: fail").start(json!({}));
    play.choose("approve").unwrap();
    assert_eq!(play.outcome(), "completed");
}
