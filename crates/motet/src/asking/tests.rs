//! What a person is asked on a terminal, and what is done with odd answers.

use motet_core::names::{Digest, GateId, TaskId};
use motet_core::state::GateQuestion;
use motet_core::units::Time;

use super::*;

fn gate(options: &[&str], text_for: &[&str], questions: Vec<GateQuestion>) -> OpenGate {
    let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    OpenGate {
        id: GateId::new("approving.1"),
        kind: GateKind::State,
        ask: "Ship?".into(),
        show: None,
        options: texts(options),
        text_for: texts(text_for),
        questions,
        who: Vec::new(),
        except: Vec::new(),
        quorum: 1,
        opened_at: Time(0),
        deadline: None,
        otherwise: None,
        payload: Digest::new("seen"),
        answers: Vec::new(),
    }
}

fn question(id: &str, options: &[&str], default: Option<&str>) -> GateQuestion {
    GateQuestion {
        id: id.into(),
        question: format!("{id}?"),
        options: options.iter().map(ToString::to_string).collect(),
        default: default.map(String::from),
    }
}

/// What the lines come to: the refusals on the way, and the answer.
fn talk(gate: OpenGate, lines: &[&str]) -> (Vec<String>, Option<Answer>) {
    let mut dialogue = Dialogue::new(RunId::new("r"), gate, Person::named("ada"));
    let mut refused = Vec::new();
    for line in lines {
        match dialogue.line(line) {
            Next::Again(why) => refused.push(why),
            Next::More => {}
            Next::Answer(answer) => return (refused, Some(*answer)),
        }
    }
    (refused, None)
}

#[test]
fn an_option_is_chosen_by_number_name_or_beginning() {
    for line in ["2", "change", "ch"] {
        let (refused, answer) = talk(gate(&["approve", "change", "abort"], &[], vec![]), &[line]);
        assert_eq!((refused.len(), answer.unwrap().option.as_deref()), (0, Some("change")), "{line}");
    }
    for line in ["a", "", "4", "0", "maybe"] {
        let (refused, answer) = talk(gate(&["approve", "change", "abort"], &[], vec![]), &[line]);
        assert_eq!((refused.len(), answer), (1, None), "{line}");
    }
}

#[test]
fn an_option_that_needs_a_sentence_asks_for_one() {
    let (refused, answer) = talk(gate(&["approve", "change"], &["change"], vec![]), &["change", " ", "bluer"]);
    let answer = answer.unwrap();
    assert_eq!(refused, ["please write a sentence"]);
    assert_eq!((answer.option.as_deref(), answer.text.as_deref()), (Some("change"), Some("bluer")));
    assert_eq!(answer.seen, Some(Digest::new("seen")));
}

#[test]
fn questions_are_asked_one_by_one_and_defaults_stay_unsaid() {
    let questions =
        vec![question("tone", &["formal", "playful"], Some("formal")), question("name", &[], None), question("size", &[], Some("9"))];
    let (refused, answer) = talk(gate(&[], &[], questions), &["2", "", "Bo", ""]);
    assert_eq!(refused.len(), 1);
    let answers = answer.unwrap().answers;
    assert_eq!(answers.into_iter().collect::<Vec<_>>(), [("name".to_string(), "Bo".to_string()), ("tone".into(), "playful".into())]);
}

#[test]
fn an_agents_question_takes_a_text_or_its_default() {
    let asked = |default| OpenGate {
        kind: GateKind::Question { task: TaskId::new("t.1") },
        ..gate(&[], &[], vec![question("answer", &[], default)])
    };
    assert_eq!(talk(asked(None), &["", "blue"]).1.unwrap().text.as_deref(), Some("blue"));
    assert_eq!(talk(asked(Some("red")), &[""]).1.unwrap().text.as_deref(), Some("red"));
}

#[test]
fn a_question_with_options_takes_no_other_answer() {
    let (refused, answer) = talk(gate(&[], &[], vec![question("tone", &["formal", "playful"], None)]), &["angry", "3", "play"]);
    assert_eq!(refused, ["please choose one of formal, playful", "please choose one of formal, playful"]);
    assert_eq!(answer.unwrap().answers["tone"], "playful");
}

#[test]
fn whoever_plays_an_agent_writes_lines_until_an_empty_one() {
    let task = || OpenGate { kind: GateKind::Question { task: TaskId::new("t.1") }, ..gate(&[], &[], vec![]) };
    let (refused, answer) = talk(task(), &["", "{", "  \"a\": 1", "}", ""]);
    assert_eq!(refused, ["please write something"]);
    assert_eq!(answer.unwrap().text.as_deref(), Some("{\n  \"a\": 1\n}"));
    assert_eq!(yes(&task(), &Person::named("ada")), None);
}

#[test]
fn the_end_of_input_ends_what_was_written() {
    let task = OpenGate { kind: GateKind::Question { task: TaskId::new("t.1") }, ..gate(&[], &[], vec![]) };
    let mut dialogue = Dialogue::new(RunId::new("r"), task, Person::named("ada"));
    assert_eq!(dialogue.end(), None, "nothing was written");
    dialogue.line("{\"text\": \"ok\",");
    dialogue.line(" \"n\": 2}");
    assert_eq!(dialogue.end().and_then(|answer| answer.text).as_deref(), Some("{\"text\": \"ok\",\n \"n\": 2}"));
    let mut undecided = Dialogue::new(RunId::new("r"), gate(&["yes", "no"], &["no"], vec![]), Person::named("ada"));
    undecided.line("no");
    assert_eq!(undecided.end(), None, "a gate is not answered by going away");
}

#[test]
fn yes_takes_what_needs_no_thought_and_nothing_else() {
    let by = Person::named("ada");
    assert_eq!(yes(&gate(&["change", "approve"], &["change"], vec![]), &by).unwrap().option.as_deref(), Some("approve"));
    assert_eq!(yes(&gate(&["change"], &["change"], vec![]), &by).unwrap().text.as_deref(), Some("yes"));
    assert!(yes(&gate(&[], &[], vec![question("tone", &[], Some("formal"))]), &by).unwrap().answers.is_empty());
    assert_eq!(yes(&gate(&[], &[], vec![question("tone", &["a", "b"], None)]), &by).unwrap().answers["tone"], "a");
    assert_eq!(yes(&gate(&[], &[], vec![question("tone", &[], None)]), &by), None);
    let doubt = OpenGate { kind: GateKind::Interrupted { task: TaskId::new("t.1") }, ..gate(&["done", "run_again"], &[], vec![]) };
    assert_eq!(yes(&doubt, &by), None);
}
