//! Whether what came back is what was asked for, and in which shape it is kept.

use serde_json::Value;

use crate::definition::{Definition, Returns};
use crate::effect::CallWork;
use crate::state::Task;
use crate::step::machine::current_agent;
use crate::step::on_task::with_score;
use crate::verdict;

/// The result as the run keeps it, or what the agent must be told when it is asked again.
pub(super) fn accept(definition: &Definition, task: &Task, result: &Value) -> Result<Value, String> {
    if task.work == CallWork::AnswerQuestion {
        return answer_text(result).and_then(|text| one_of(&task.input["options"], text));
    }
    let Some(agent) = current_agent(definition, task) else { return Ok(result.clone()) };
    if result.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Err("the answer was empty".to_string());
    }
    match &agent.returns {
        Returns::Anything => Ok(result.clone()),
        Returns::Verdict => verdict::normalise(result, &agent.words, &agent.outcomes()).map(with_score),
        Returns::Schema(schema) => {
            let value = match (result, schema.sole_text()) {
                (Value::String(text), sole) => match (json_in(text), sole) {
                    (Some(value), _) if schema.problems(&value).is_empty() => value,
                    (_, Some(field)) => Value::Object([(field.to_string(), Value::String(unquoted(text)))].into_iter().collect()),
                    (Some(value), None) => value,
                    (None, None) => return Err(format!("the answer must be one JSON object and nothing else, and is “{}”", shown(text))),
                },
                (other, _) => other.clone(),
            };
            let problems = schema.problems(&value);
            if problems.is_empty() { Ok(value) } else { Err(problems.join("; ")) }
        }
    }
}

/// As much of an answer as it takes to recognise it.
fn shown(text: &str) -> String {
    const CHARACTERS: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The option that an agent means: the one that it wrote, or the only one whose words stand in what it wrote.
/// Without options any text will do.
fn one_of(options: &Value, text: String) -> Result<Value, String> {
    let options: Vec<&str> = options.as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str).collect();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let said = words(&text);
    let is_said = |option: &&&str| {
        let option = words(option);
        !option.is_empty() && said.windows(option.len()).any(|part| part == option)
    };
    let mut mentioned = options.iter().filter(is_said);
    let only = mentioned.next().filter(|_| mentioned.next().is_none());
    match options.iter().find(|option| **option == text).or(only) {
        Some(option) => Ok(Value::from(*option)),
        None if options.is_empty() => Ok(Value::String(text)),
        None => Err(format!("the answer must be one of {}", options.join(", "))),
    }
}

fn answer_text(result: &Value) -> Result<String, String> {
    let text = match result {
        Value::String(text) => Some(text.as_str()),
        Value::Object(fields) => fields.get("answer").and_then(Value::as_str),
        _ => None,
    };
    text.map(str::trim).filter(|text| !text.is_empty()).map(String::from).ok_or_else(|| "the answer must be a text".to_string())
}

/// The JSON object or list in a text: all of it, in a fence, or between the first and the last brace.
pub(crate) fn json_in(text: &str) -> Option<Value> {
    let structured = |text: &str| serde_json::from_str::<Value>(text).ok().filter(|value| value.is_object() || value.is_array());
    let fenced = || {
        let start = text.find("```")? + 3;
        let body = &text[start..];
        let body = &body[body.find('\n')? + 1..];
        structured(body[..body.find("```")?].trim())
    };
    let braced = || structured(&text[text.find('{')?..=text.rfind('}')?]);
    structured(text.trim()).or_else(fenced).or_else(braced)
}

/// Models like to put a short answer in quotation marks.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = [('"', '"'), ('“', '”'), ('\'', '\'')].iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.filter(|inner| !inner.contains(['"', '“', '”'])).unwrap_or(text).to_string()
}
