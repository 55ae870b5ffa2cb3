//! A model's text as an answer: its thoughts apart, and what the rest comes to.
//! It does not validate against the schema; it only asks which answers must be JSON at all.

use motet_core::event::FailureKind;
use serde_json::Value;

use crate::agent::Outcome;
use crate::answer;

const SHOWN_CHARACTERS: usize = 200;
/// For the model, which is told so when it is asked again, and for whoever configures it.
const ALLOW_MORE: &str = "a shorter answer is needed, or a higher `max_tokens` of the role";
/// No server keeps less in mind: one that stops before has another reason, or miscounts.
const SMALLEST_CONTEXT: u64 = 512;
const MAKE_ROOM: &str = "a shorter prompt is needed, or a server with a larger context";

const WORDS_WANTED: &str = "an answer in words is needed; a model that keeps silent about this prompt may be changed for another";

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

/// Where an answer was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It has as many tokens as were allowed.
    AtLimit(u64),
    /// It has far fewer, so the prompt and it have filled what the server keeps in mind.
    ContextFull { read: u64, written: u64 },
}

impl Cut {
    pub fn of(limit: u64, read: Option<u64>, written: Option<u64>) -> Self {
        match (read, written) {
            (Some(read), Some(written)) if written < limit / 10 * 9 && read.saturating_add(written) >= SMALLEST_CONTEXT => {
                Cut::ContextFull { read, written }
            }
            _ => Cut::AtLimit(limit),
        }
    }

    fn place(self) -> String {
        match self {
            Cut::AtLimit(limit) => format!("cut off at max_tokens ({limit})"),
            Cut::ContextFull { read, written } => {
                format!("cut off after {written} tokens (they and the {read} of the prompt fill the server's context)")
            }
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Cut::AtLimit(_) => ALLOW_MORE,
            Cut::ContextFull { .. } => MAKE_ROOM,
        }
    }
}

/// What an answer comes to. Of one that was cut off only whole JSON is an answer, since of a text nobody knows what is missing.
pub fn read(answer: &str, schema: Option<&Value>, cut_off: Option<Cut>) -> Outcome {
    if answer.is_empty() {
        let why = match cut_off {
            Some(cut) => format!(": it was {} before it began; {}", cut.place(), cut.advice()),
            None => format!(" — {WORDS_WANTED}"),
        };
        return Outcome::failed(FailureKind::InvalidOutput, format!("the model's answer is empty{why}"));
    }
    if wants_structure(schema) && answer::json_in(answer).is_none() {
        let message = match cut_off {
            Some(cut) => format!("the model's answer was {} and is not whole JSON; {}", cut.place(), cut.advice()),
            None => format!("the model's answer is not JSON: {}", shown(answer)),
        };
        return Outcome::failed(FailureKind::InvalidOutput, message);
    }
    // A model that was not asked for structure writes text; only an object is clearly meant as more than that.
    if !wants_structure(schema) && !answer::json_in(answer).is_some_and(|json| json.is_object()) {
        if let Some(cut) = cut_off {
            let message = format!("the model's answer was {} and is not whole; {}", cut.place(), cut.advice());
            return Outcome::failed(FailureKind::InvalidOutput, message);
        }
        return Outcome::returned(Value::String(answer.to_string()));
    }
    answer::read(answer, schema)
}

fn shown(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
