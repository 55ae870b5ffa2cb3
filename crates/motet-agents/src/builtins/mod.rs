//! Functions that a workflow may call by name: pure, free, and named by what they do.
//! They read nothing but their input, so the same input always gives the same result.

use motet_core::event::FailureKind;
use serde_json::Value;

use crate::agent::Outcome;

mod brief;
mod catalogue;
mod document;
mod draft;
mod evidence;
mod overlap;
mod plan;
mod quality;
mod readability;
mod report;
mod words;

/// Takes the input, gives the result or says what is wrong with the input.
type Function = fn(&Value) -> Result<Value, String>;

const TABLE: &[(&str, Function)] = &[
    ("brief.analyse", brief::analyse),
    ("document.assemble", document::assemble),
    ("evidence.audit", evidence::audit),
    ("evidence.verify", evidence::verify),
    ("plan.by_rule", plan::by_rule),
    ("plan.optimise", plan::optimise::optimise),
    ("plan.revise", plan::revise),
    ("quality.score", quality::score),
    ("report.list", report::list),
    ("text.outline", words::outline),
    ("text.overlap", overlap::overlap),
    ("text.readability", readability::readability),
    ("text.similarity", words::similarity),
    ("text.words", words::words),
];

/// Every built-in, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

/// Calls a built-in. Wrong input is the workflow's fault, and trying again would not help.
pub fn perform(name: &str, input: &Value) -> Outcome {
    let Some((_, function)) = TABLE.iter().find(|(known, _)| *known == name) else {
        let known = names().collect::<Vec<_>>().join(", ");
        return Outcome::failed(FailureKind::NotFound, format!("there is no built-in `{name}`; there are {known}"));
    };
    match function(input) {
        Ok(result) => Outcome::returned(result),
        Err(problem) => Outcome::failed(FailureKind::InvalidWorkflow, format!("`{name}` cannot use its input: {problem}")),
    }
}

/// A text field of the input; a missing one is an error, since nothing can be said of no text.
fn text<'a>(input: &'a Value, field: &str) -> Result<&'a str, String> {
    match input.get(field) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("`{field}` must be a text, but is {}", kind(other))),
        None => Err(format!("`{field}` is missing")),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// To a few places, so that results read well and compare equal.
fn rounded(number: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    (number * scale).round() / scale
}

#[cfg(test)]
mod tests;
