//! What a model is told: prompt, system message, answers and corrections.

use motet_core::effect::{Answered, Call, CallWork};
use motet_core::event::Question;
use motet_core::units::Usd;
use serde_json::json;

use super::*;
use crate::agent::{Outcome, Request};

fn request(prompt: Option<&str>) -> Request {
    let call = Call {
        run: "run-1".into(),
        task: "writing.1".into(),
        attempt: 1,
        key: "k".into(),
        agent: "writer".into(),
        role: "writer".into(),
        work: CallWork::Prompt,
        input: json!({"product": "tea"}),
        correction: None,
        answers: Vec::new(),
        timeout_ms: 1000,
        class: Default::default(),
        works_in: None,
        model: Default::default(),
        reserved: Usd::ZERO,
        unattended: false,
    };
    Request { prompt: prompt.map(String::from), ..Request::new(call) }
}

fn check(request: &Request, expected: &[(Speaker, &str)]) {
    let found = conversation(request);
    let found: Vec<(Speaker, &str)> = found.iter().map(|message| (message.speaker, message.content.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_prompt_is_what_the_user_says() {
    check(&request(Some("Write a slogan.\n---\nFor tea.\n")), &[(Speaker::User, "Write a slogan.\n---\nFor tea.")]);
}

#[test]
fn a_user_line_splits_off_the_system_message() {
    check(&request(Some("You are terse.\n---user---\nWrite.\n")), &[(Speaker::System, "You are terse."), (Speaker::User, "Write.")]);
    check(&request(Some("---user---\nWrite.")), &[(Speaker::User, "Write.")]);
    check(&request(Some("a ---user--- b")), &[(Speaker::User, "a ---user--- b")]);
}

#[test]
fn without_a_prompt_the_input_speaks_for_itself() {
    check(&request(None), &[(Speaker::User, "{\n  \"product\": \"tea\"\n}")]);
}

#[test]
fn answers_and_corrections_follow_the_prompt() {
    let mut request = request(Some("Write."));
    let question =
        Question { question: "For whom?".into(), options: vec!["old".into(), "young".into()], default: None, ..Question::default() };
    request.call.answers.push(Answered { question, answer: "old".into(), by: "ada".into(), asked_in: 1 });
    request.call.correction = Some("`slogan` is missing".into());
    check(
        &request,
        &[
            (Speaker::User, "Write."),
            (Speaker::Assistant, "For whom?\nOptions: old / young"),
            (Speaker::User, "ada answers: old"),
            (
                Speaker::User,
                "Your last answer could not be used: `slogan` is missing\nAnswer the same request again, completely, and put this right.",
            ),
        ],
    );
}

#[test]
fn a_question_of_another_agent_is_put_into_words() {
    let begin = "Another agent asks you a question. Answer it directly and briefly.\n\n";
    for (input, asked) in [
        (json!({"question": "Which?"}), "Which?"),
        (json!({"question": {"question": "Which?", "options": ["a", "b"]}}), "Which?\nOptions: a / b"),
        (json!({"question": "Which?", "from": "writer"}), "Which?"),
    ] {
        let mut request = request(None);
        request.call.work = CallWork::AnswerQuestion;
        request.call.input = input;
        check(&request, &[(Speaker::User, &format!("{begin}{asked}"))]);
    }
}

#[test]
fn thoughts_are_kept_apart_from_the_answer() {
    for (text, thoughts, answer) in [
        ("plain", "", "plain"),
        ("<think>\nhm\n</think>\n\nanswer", "hm", "answer"),
        ("a<think>1</think>b<think>2</think>c", "1\n2", "abc"),
        ("<think>never ends", "never ends", ""),
        ("began before</think> answer", "began before", "answer"),
    ] {
        assert_eq!(separate_thoughts(text), Written { thoughts: thoughts.into(), answer: answer.into() }, "{text}");
    }
}

fn failure(outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed { failure, .. } => format!("{:?}: {}", failure.kind, failure.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_is_read_by_its_schema() {
    let scored = json!({"type": "object", "properties": {"score": {"type": "number"}}});
    let sole = json!({"type": "object", "properties": {"slogan": {"type": "string"}}});
    assert_eq!(read("{\"score\": 1}", Some(&scored), None), Outcome::returned(json!({"score": 1})));
    assert_eq!(read("Tea, please.", Some(&sole), None), Outcome::returned(json!("Tea, please.")));
    assert_eq!(read("42", None, None), Outcome::returned(json!("42")));
    assert_eq!(read("[1]", Some(&json!({"type": "array"})), None), Outcome::returned(json!([1])));
    assert_eq!(read("{\"a\": 1}", None, None), Outcome::returned(json!({"a": 1})));
    assert_eq!(failure(read("Score: 1", Some(&scored), None)), "InvalidOutput: the model's answer is not JSON: Score: 1");
    let more = "a shorter answer is needed, or a higher `max_tokens` of the role";
    let cut = |what: &str| format!("InvalidOutput: the model's answer was cut off at max_tokens (9) and is not whole{what}; {more}");
    assert_eq!(failure(read("{\"score\": ", Some(&scored), Some(Cut::AtLimit(9)))), cut(" JSON"));
    assert_eq!(read("{\"score\": 1}", Some(&scored), Some(Cut::AtLimit(9))), Outcome::returned(json!({"score": 1})));
    assert_eq!(failure(read("cut at the end", None, Some(Cut::AtLimit(9)))), cut(""));
    assert_eq!(failure(read("cut at the end", Some(&sole), Some(Cut::AtLimit(9)))), cut(""));
    assert_eq!(
        failure(read("", None, None)),
        "InvalidOutput: the model's answer is empty — an answer in words is needed; a model that keeps silent about this prompt may be changed for another"
    );
    let empty = format!("InvalidOutput: the model's answer is empty: it was cut off at max_tokens (9) before it began; {more}");
    assert_eq!(failure(read("", None, Some(Cut::AtLimit(9)))), empty);
    let full = Cut::of(8000, Some(7616), Some(576));
    let told = "InvalidOutput: the model's answer was cut off after 576 tokens (they and the 7616 of the prompt fill the server's context) and is not whole; a shorter prompt is needed, or a server with a larger context";
    assert_eq!(failure(read("cut at the end", None, Some(full))), told);
    assert_eq!((Cut::of(8000, Some(1), Some(7990)), Cut::of(9, None, None)), (Cut::AtLimit(8000), Cut::AtLimit(9)));
}
