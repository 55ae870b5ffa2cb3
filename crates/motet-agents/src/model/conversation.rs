//! A request as a conversation: who says what to a model, in which order.
//! It knows no provider; how a message travels is the wire's business.

use std::fmt;
use std::sync::Arc;

use motet_core::effect::CallWork;
use motet_core::event::Question;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::Request;

/// A prompt that holds this line is split there: what comes before it is the system message.
pub const USER_LINE: &str = "---user---";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    System,
    User,
    Assistant,
    /// A tool, in answer to a call of the assistant.
    Tool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    #[serde(rename = "role")]
    pub speaker: Speaker,
    pub content: String,
    /// The tools that the assistant wants used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The id of the call that a tool's message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// The same turn as the provider gave it, so that it can be given back whole.
    #[serde(skip)]
    pub(crate) native: Native,
}

/// One use of a tool that a model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
    /// What the model wrote where that is no JSON object, such as half of one: then nobody knows what it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// A provider's own form of a turn, with signatures that only it can read. It is no part of what was said.
#[derive(Clone, Default)]
pub(crate) struct Native(pub(crate) Option<Arc<rig_core::message::Message>>);

impl PartialEq for Native {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Native(…)" } else { "Native" })
    }
}

impl Message {
    pub fn new(speaker: Speaker, content: impl Into<String>) -> Self {
        Self { speaker, content: content.into(), tool_calls: Vec::new(), answers: None, native: Native::default() }
    }

    /// What a tool said to a call.
    pub fn answering(call: &ToolCall, content: impl Into<String>) -> Self {
        Self { answers: Some(call.id.clone()), ..Self::new(Speaker::Tool, content) }
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
