//! Functions that a workflow may call by name: free, and named by what they do.
//! Those of this crate read nothing but their input; a program may add others, which may read what lies in a run's directory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use motet_core::event::FailureKind;
use serde_json::Value;

use crate::agent::Outcome;

mod brief;
mod catalogue;
mod document;
mod draft;
mod overlap;
mod plan;
mod quality;
mod readability;
mod report;
mod words;

/// What a built-in comes to, or what is wrong with its input.
pub type Answer = Result<Value, String>;

pub type PureFunction = fn(&Value) -> Answer;

#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// Of its input alone.
    Pure(PureFunction),
    /// Of its input and of what lies in the run's directory, where there is one: it reads there and never writes. Without a
    /// directory, as in a case, it is pure.
    Reading(fn(&Value, Option<&Path>) -> Answer),
}

const TABLE: &[(&str, PureFunction)] = &[
    ("brief.analyse", brief::analyse),
    ("document.assemble", document::assemble),
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

/// The built-ins that a program offers. Whoever plays, checks or records workflows is given the same ones. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Builtins(Arc<BTreeMap<&'static str, Function>>);

/// The pure ones of this crate.
impl Default for Builtins {
    fn default() -> Self {
        Self(Arc::new(TABLE.iter().map(|(name, function)| (*name, Function::Pure(*function))).collect()))
    }
}

impl Builtins {
    /// With more of them; one that has a name already takes its place.
    pub fn and(self, more: impl IntoIterator<Item = (&'static str, Function)>) -> Self {
        let mut all = (*self.0).clone();
        all.extend(more);
        Self(Arc::new(all))
    }

    /// Every built-in, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether it may read files, and so take its time.
    pub fn reads(&self, name: &str) -> bool {
        matches!(self.0.get(name), Some(Function::Reading(_)))
    }

    /// Calls a built-in. Wrong input is the workflow's fault, and trying again would not help.
    pub fn perform(&self, name: &str, input: &Value, run_directory: Option<&Path>) -> Outcome {
        let answer = match self.0.get(name) {
            Some(Function::Pure(function)) => function(input),
            Some(Function::Reading(function)) => function(input, run_directory),
            None => {
                let known = self.names().collect::<Vec<_>>().join(", ");
                return Outcome::failed(FailureKind::NotFound, format!("there is no built-in `{name}`; there are {known}"));
            }
        };
        match answer {
            Ok(result) => Outcome::returned(result),
            Err(problem) => Outcome::failed(FailureKind::InvalidWorkflow, format!("`{name}` cannot use its input: {problem}")),
        }
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
