//! A gate as a form for an editor: the answer above a line, what is asked below it. What stands below is never part of the answer.
//! It opens no editor and sends nothing; whether an answer may pass, the machine says.

use std::collections::BTreeMap;

use motet_core::definition::Returns;
use motet_core::event::{Answer, Person};
use motet_core::state::{GateKind, OpenGate};
use motet_core::{Event, Fact, step};
use motet_host::wall_clock;
use serde_json::{Map, Value, json};

use crate::cli::Failure;
use crate::home::Mirror;

/// Divides the answer from what is asked.
const LINE: &str = "──────── your answer stands above this line; what stands below is only for you to read ────────";
/// Deeper than this a shape is left for the person to look up.
const DEEPEST: usize = 6;

const CHOICE: &str = "choice";
const TEXT: &str = "text";

/// A form as it is opened.
pub struct Form {
    answer: String,
    asked: String,
}

impl Form {
    pub fn of(mirror: &Mirror, gate: &OpenGate) -> Self {
        let answer = match Kind::of(gate) {
            Kind::Task => task(mirror, gate),
            Kind::Question => gate.questions.first().and_then(|question| question.default.clone()).unwrap_or_default(),
            Kind::Questions => {
                let defaults =
                    gate.questions.iter().map(|question| (question.id.clone(), json!(question.default.clone().unwrap_or_default())));
                pretty(&Value::Object(defaults.collect()))
            }
            Kind::Choice => pretty(&json!({ CHOICE: "", TEXT: "" })),
        };
        Self { answer, asked: asked(gate) }
    }

    pub fn text(&self) -> String {
        format!("{}\n{LINE}\n\n{}\n", self.answer, self.asked)
    }

    /// What somebody began to write for the same question, and had to leave.
    pub fn is_begun_in(&self, text: &str) -> bool {
        text.split_once(LINE).is_some_and(|(_, asked)| asked.trim() == self.asked.trim())
    }

    pub fn is_untouched_in(&self, text: &str) -> bool {
        written(text) == self.answer.trim()
    }

    /// Of what kind the answer is, as editors know it.
    pub fn ending(&self) -> &'static str {
        if self.answer.starts_with('{') { "json" } else { "md" }
    }
}

/// The answer that a form gives, once the machine would take it.
pub fn answer(mirror: &Mirror, gate: &OpenGate, by: &Person, text: &str) -> Result<Answer, Failure> {
    let written = written(text);
    let mut answer = Answer { by: by.clone(), option: None, text: None, answers: BTreeMap::new(), seen: Some(gate.payload.clone()) };
    match Kind::of(gate) {
        Kind::Task | Kind::Question => answer.text = Some(written.to_string()),
        Kind::Questions => answer.answers = fields(written)?,
        Kind::Choice => {
            let mut fields = fields(written)?;
            (answer.option, answer.text) = (fields.remove(CHOICE), fields.remove(TEXT));
            if let Some(other) = fields.keys().next() {
                return Err(Failure::invalid(format!("`{other}` is neither `{CHOICE}` nor `{TEXT}`")));
            }
        }
    }
    let mut after = mirror.state.clone();
    let fact = Fact::GateAnswered { gate: gate.id.clone(), answer: answer.clone() };
    let event = Event { seq: after.seq + 1, at: wall_clock()(), fact };
    step(&mirror.definition, &mut after, &event).map_err(|rejected| Failure::invalid(rejected.to_string()))?;
    Ok(answer)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A person plays an agent.
    Task,
    /// An agent asks one thing.
    Question,
    Questions,
    Choice,
}

impl Kind {
    fn of(gate: &OpenGate) -> Self {
        match gate.kind {
            _ if !gate.options.is_empty() => Kind::Choice,
            GateKind::Question { .. } if gate.questions.is_empty() => Kind::Task,
            GateKind::Question { .. } => Kind::Question,
            _ if gate.questions.is_empty() => Kind::Question,
            _ => Kind::Questions,
        }
    }
}

/// What the agent must return, with nothing in it yet. One text needs no shape.
fn task(mirror: &Mirror, gate: &OpenGate) -> String {
    let GateKind::Question { task } = &gate.kind else { return String::new() };
    let agent = mirror.state.tasks.get(task).and_then(|task| mirror.definition.agent_of(task));
    match agent.map(|agent| &agent.returns) {
        Some(Returns::Schema(schema)) if schema.sole_text().is_none() => pretty(&skeleton(&schema.json, &schema.json, 0)),
        Some(Returns::Verdict) => pretty(&json!({ "outcome": "", "feedback": "" })),
        Some(Returns::Schema(_) | Returns::Anything) | None => String::new(),
    }
}

fn skeleton(schema: &Value, whole: &Value, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|reference| whole.pointer(reference.strip_prefix('#')?)) {
        return skeleton(target, whole, depth + 1);
    }
    if let Some(given) = schema.get("default").or_else(|| schema.get("const")) {
        return given.clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].as_array()?.iter().filter_map(Value::as_str).find(|kind| *kind != "null"));
    match (kind, schema["properties"].as_object()) {
        (_, Some(properties)) => {
            let fields = properties.iter().map(|(name, property)| (name.clone(), skeleton(property, whole, depth + 1)));
            Value::Object(fields.collect::<Map<String, Value>>())
        }
        (Some("object"), None) => json!({}),
        (Some("array"), _) => json!([]),
        (Some("number" | "integer"), _) => json!(0),
        (Some("boolean"), _) => json!(false),
        (Some("null"), _) => Value::Null,
        _ => json!(""),
    }
}

/// For whoever fills it in: what is asked, and what can be answered.
fn asked(gate: &OpenGate) -> String {
    let mut lines = vec![gate.ask.trim_end().to_string()];
    for question in &gate.questions {
        let options = if question.options.is_empty() { String::new() } else { format!(" (one of {})", question.options.join(", ")) };
        lines.push(match Kind::of(gate) {
            Kind::Questions => format!("{}: {}{options}", question.id, question.question),
            _ => format!("{}{options}", question.question),
        });
    }
    for option in &gate.options {
        let needs = if gate.text_for.contains(option) { ", with a `text` that says what or why" } else { "" };
        lines.push(format!("{CHOICE}: {option}{needs}"));
    }
    lines.join("\n")
}

/// What stands above the line.
fn written(text: &str) -> &str {
    text.split_once(LINE).map_or(text, |(above, _)| above).trim()
}

/// What is empty was not answered.
fn fields(written: &str) -> Result<BTreeMap<String, String>, Failure> {
    let fields: Map<String, Value> = serde_json::from_str(written)
        .map_err(|error| Failure::invalid(format!("what stands above the line is no JSON object: {error}")))?;
    let mut read = BTreeMap::new();
    for (name, value) in fields {
        let text = match value {
            Value::String(text) => text.trim().to_string(),
            Value::Null => String::new(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => return Err(Failure::invalid(format!("`{name}` must be a text"))),
        };
        if !text.is_empty() {
            read.insert(name, text);
        }
    }
    Ok(read)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: Value, expected: Value) {
        assert_eq!(skeleton(&schema, &schema, 0), expected);
    }

    #[test]
    fn a_shape_is_shown_with_nothing_in_it() {
        let part = json!({ "type": "object", "properties": { "name": { "type": "string" }, "sure": { "type": "boolean" } } });
        check(
            json!({ "$defs": { "part": part }, "type": "object", "properties": {
                "title": { "type": "string" }, "count": { "type": ["null", "integer"] }, "tags": { "type": "array" },
                "kind": { "enum": ["a", "b"] }, "best": { "$ref": "#/$defs/part" }, "level": { "type": "string", "default": "low" },
            }}),
            json!({ "title": "", "count": 0, "tags": [], "kind": "", "best": { "name": "", "sure": false }, "level": "low" }),
        );
    }

    #[test]
    fn a_shape_that_holds_itself_comes_to_an_end() {
        let schema = json!({ "type": "object", "properties": { "next": { "$ref": "#" } } });
        assert!(skeleton(&schema, &schema, 0).to_string().ends_with("null}}}}"), "{}", skeleton(&schema, &schema, 0));
    }

    #[test]
    fn what_stands_below_the_line_is_no_answer() {
        let form = Form { answer: String::new(), asked: "# What?".into() };
        let filled = form.text().replacen('\n', "# A heading\ntext\n", 1);
        assert_eq!(written(&filled), "# A heading\ntext");
        assert!(form.is_untouched_in(&form.text()) && !form.is_untouched_in(&filled) && form.is_begun_in(&filled));
        assert!(!Form { answer: String::new(), asked: "Who?".into() }.is_begun_in(&filled));
    }

    #[test]
    fn fields_are_texts_and_what_is_empty_is_left_out() {
        let read = fields("{\"a\": \" x \", \"b\": \"\", \"c\": 3, \"d\": null}").unwrap_or_default();
        assert_eq!(read, BTreeMap::from([("a".to_string(), "x".to_string()), ("c".to_string(), "3".to_string())]));
        assert!(fields("a: x").is_err() && fields("{\"a\": []}").is_err());
    }
}
