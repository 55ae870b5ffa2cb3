//! What is said to a coding agent, at first and when its conversation goes on, and how its last message is read.
//! It sends nothing; and it judges nothing beyond the shape of an answer.

use motet_core::effect::Call;
use motet_core::event::FailureKind;
use serde_json::Value;

use crate::agent::{Outcome, Request};
use crate::answer::json_in;
use crate::model::{as_text, conversation, read as read_model, wants_structure};

/// The whole task, for an agent that knows nothing of it yet.
pub(crate) fn opened(request: &Request) -> String {
    format!("{}{}", as_text(&conversation(request)), form(request.schema.as_ref()))
}

/// What an agent that knows the task needs to hear: answers it has not been told, why its answer was no good, or to go on.
pub(crate) fn continued(request: &Request, told: usize) -> String {
    let call = &request.call;
    let mut said: Vec<String> = call
        .answers
        .iter()
        .skip(told)
        .map(|answered| format!("To your question\n\n{}\n\n{} answers: {}", answered.question.question, answered.by, answered.answer))
        .collect();
    match &call.correction {
        Some(correction) => said.push(format!(
            "Your last answer could not be used: {correction}\nAnswer the same request again, completely, and put this right."
        )),
        None if said.is_empty() => said.push(
            "You were interrupted. Go on with the task where you stopped; what you have done already is still there. \
             When it is done, give your answer as you were asked to at first."
                .into(),
        ),
        None => said.push("Go on with the task.".into()),
    }
    format!("{}{}", said.join("\n\n"), form(request.schema.as_ref()))
}

/// What a last message comes to. An agent that talks around its JSON is understood if exactly that is fenced.
pub(crate) fn read(message: &str, schema: Option<&Value>, call: &Call) -> Outcome {
    let message = message.trim();
    if message.is_empty() {
        return Outcome::failed(FailureKind::InvalidOutput, format!("`{}` ended without a final message", call.agent));
    }
    if wants_structure(schema)
        && json_in(message).is_none()
        && let Some(block) = last_fenced(message)
    {
        return read_model(block, schema, None);
    }
    read_model(message, schema, None)
}

/// How the answer must look, where that is not free.
fn form(schema: Option<&Value>) -> String {
    let Some(schema) = schema.filter(|schema| wants_structure(Some(schema))) else { return String::new() };
    format!(
        "\n\nYour last message is your answer and is read by a program: one JSON value that fits the JSON Schema below, without a word around it. \
         If you cannot go on without knowing something, it is {{\"question\": \"…\"}} instead.\n\n```json\n{schema:#}\n```"
    )
}

/// The last block between fences that is JSON.
fn last_fenced(message: &str) -> Option<&str> {
    let parts: Vec<&str> = message.split("```").collect();
    let blocks = parts.iter().skip(1).step_by(2).rev();
    blocks.filter_map(|block| block.split_once('\n')).map(|(_language, body)| body.trim()).find(|body| json_in(body).is_some())
}

#[cfg(test)]
pub(super) mod tests {
    use motet_core::effect::{Answered, CallWork};
    use motet_core::event::Question;
    use serde_json::json;

    use super::*;

    pub fn request(prompt: &str) -> Request {
        let call = Call {
            run: "r".into(),
            task: "building.1/api".into(),
            attempt: 1,
            key: "k".into(),
            agent: "coder".into(),
            role: "coder".into(),
            work: CallWork::Prompt,
            input: json!({}),
            correction: None,
            answers: Vec::new(),
            timeout_ms: 1000,
            class: Default::default(),
            works_in: None,
            model: Default::default(),
            reserved: Default::default(),
            unattended: false,
        };
        Request { prompt: Some(prompt.into()), ..Request::new(call) }
    }

    fn answered(question: &str, answer: &str) -> Answered {
        let question = Question { question: question.into(), options: Vec::new(), default: None, ..Question::default() };
        Answered { question, answer: answer.into(), by: "ann".into(), asked_in: 1 }
    }

    fn check(message: &str, schema: Option<Value>, expected: Value) {
        match read(message, schema.as_ref(), &request("x").call) {
            Outcome::Returned { result, .. } => assert_eq!(result, expected, "{message}"),
            other => panic!("{message}: {other:?}"),
        }
    }

    #[test]
    fn the_first_message_says_how_the_answer_must_look() {
        let mut request = request("Build it.");
        assert_eq!(opened(&request), "Build it.");
        request.schema = Some(json!({"type": "object", "properties": {"files": {"type": "array"}}}));
        let said = opened(&request);
        assert!(said.starts_with("Build it.\n\n") && said.contains("\"files\""), "{said}");
    }

    #[test]
    fn a_conversation_goes_on_with_what_is_new() {
        let mut request = request("Build it.");
        assert!(continued(&request, 0).starts_with("You were interrupted."));
        request.call.answers = vec![answered("Which port?", "80"), answered("Which host?", "here")];
        let said = continued(&request, 1);
        assert!(said.starts_with("To your question\n\nWhich host?\n\nann answers: here") && !said.contains("Which port?"), "{said}");
        request.call.correction = Some("`files` is missing".into());
        let said = continued(&request, 2);
        assert!(said.starts_with("Your last answer could not be used: `files` is missing"), "{said}");
    }

    #[test]
    fn json_among_words_is_found_where_json_is_wanted() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "number"}}});
        check("{\"a\": 1}", Some(schema.clone()), json!({"a": 1}));
        check("Done:\n```sh\nls\n```\nand\n```json\n{\"a\": 2}\n```\nBye.", Some(schema), json!({"a": 2}));
        check("Done:\n```json\n{\"a\": 2}\n```", None, json!("Done:\n```json\n{\"a\": 2}\n```"));
    }

    #[test]
    fn silence_is_no_answer() {
        let outcome = read("  \n", None, &request("x").call);
        assert!(matches!(&outcome, Outcome::Failed { failure, .. } if failure.kind == FailureKind::InvalidOutput), "{outcome:?}");
    }
}
