//! What every model backend shares: a request as a conversation, and a model's text as an answer.
//! It speaks to no server; each provider has its own file for that.

use motet_core::effect::CallWork;
use motet_core::event::{FailureKind, Question};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Outcome, Request};
use crate::answer;

/// A prompt that holds this line is split there: what comes before it is the system message.
pub const USER_LINE: &str = "---user---";

const SHOWN_CHARACTERS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    System,
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    #[serde(rename = "role")]
    pub speaker: Speaker,
    pub content: String,
}

impl Message {
    fn new(speaker: Speaker, content: impl Into<String>) -> Self {
        Self { speaker, content: content.into() }
    }
}

/// The prompt, the questions already answered, and why the last answer could not be used.
pub fn conversation(request: &Request) -> Vec<Message> {
    let call = &request.call;
    let prompt = request.prompt.clone().unwrap_or_else(|| match call.work {
        CallWork::AnswerQuestion => asked_of_us(&call.input),
        _ => pretty(&call.input),
    });
    let mut messages = split(&prompt);
    for answered in &call.answers {
        messages.push(Message::new(Speaker::Assistant, as_asked(&answered.question)));
        messages.push(Message::new(Speaker::User, format!("{} answers: {}", answered.by, answered.answer)));
    }
    if let Some(correction) = &call.correction {
        let wanted = "Answer the same request again, completely, and put this right.";
        messages.push(Message::new(Speaker::User, format!("Your last answer could not be used: {correction}\n{wanted}")));
    }
    messages
}

/// A conversation for someone who reads it as one text.
pub fn as_text(messages: &[Message]) -> String {
    messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// What a model wrote, with its thoughts apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub thoughts: String,
    pub answer: String,
}

/// Separates `<think>…</think>` from the answer. Thoughts that never end leave no answer; an end without a beginning
/// ends thoughts that began in the model's own template.
pub fn separate_thoughts(text: &str) -> Written {
    let mut thoughts = Vec::new();
    let mut answer = String::new();
    let mut rest = text;
    if let Some((before, after)) = rest.split_once("</think>")
        && !before.contains("<think>")
    {
        thoughts.push(before.trim());
        rest = after;
    }
    while let Some((before, inside)) = rest.split_once("<think>") {
        answer.push_str(before);
        let (thought, after) = inside.split_once("</think>").unwrap_or((inside, ""));
        thoughts.push(thought.trim());
        rest = after;
    }
    answer.push_str(rest);
    Written { thoughts: thoughts.join("\n"), answer: answer.trim().to_string() }
}

/// Whether the answer must be JSON: everything but plain text and an object that one text can stand for.
pub fn wants_structure(schema: Option<&Value>) -> bool {
    schema.is_some_and(|schema| !answer::is_sole_text(schema))
}

/// What an answer comes to. `cut_off`: the limit of tokens, if it ended there.
pub fn read(answer: &str, schema: Option<&Value>, cut_off: Option<u64>) -> Outcome {
    if answer.is_empty() {
        let why = cut_off.map_or(String::new(), |limit| format!(": it was cut off at max_tokens ({limit}) before it began; allow more"));
        return Outcome::failed(FailureKind::InvalidOutput, format!("the model's answer is empty{why}"));
    }
    if wants_structure(schema) && answer::json_in(answer).is_none() {
        let message = match cut_off {
            Some(limit) => format!("the model's answer was cut off at max_tokens ({limit}) and is not whole JSON; allow more"),
            None => format!("the model's answer is not JSON: {}", shown(answer)),
        };
        return Outcome::failed(FailureKind::InvalidOutput, message);
    }
    // A model that was not asked for structure writes text; only an object is clearly meant as more than that.
    if !wants_structure(schema) && !answer::json_in(answer).is_some_and(|json| json.is_object()) {
        return Outcome::returned(Value::String(answer.to_string()));
    }
    answer::read(answer, schema)
}

fn split(prompt: &str) -> Vec<Message> {
    let lines: Vec<&str> = prompt.lines().collect();
    match lines.iter().position(|line| line.trim_end() == USER_LINE) {
        Some(position) => {
            let (system, user) = (lines[..position].join("\n"), lines[position + 1..].join("\n"));
            let mut messages = vec![Message::new(Speaker::System, system.trim()), Message::new(Speaker::User, user.trim())];
            messages.retain(|message| !message.content.is_empty());
            messages
        }
        None => vec![Message::new(Speaker::User, prompt.trim())],
    }
}

/// The question of another agent, as the machine puts it into the input.
fn asked_of_us(input: &Value) -> String {
    let question = input.get("question").unwrap_or(input);
    let asked = match question {
        Value::String(text) => text.clone(),
        nested => serde_json::from_value::<Question>(nested.clone()).map_or_else(|_| pretty(input), |question| as_asked(&question)),
    };
    format!("Another agent asks you a question. Answer it directly and briefly.\n\n{asked}")
}

fn as_asked(question: &Question) -> String {
    if question.options.is_empty() {
        return question.question.clone();
    }
    format!("{}\nOptions: {}", question.question, question.options.join(" / "))
}

fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => format!("{value:#}"),
    }
}

fn shown(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests;
