//! What the numbers of a workflow are, given inputs: with defaults, at their maxima, or those of one run.
//! Bounds are monotone in the inputs, so the maxima stand for every run; each run is checked again with its own.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::codes;
use super::graph::{CounterKind, Graph};
use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::expression::{Expression, Formula, Scope, Variables};
use crate::units::{Usd, parse_duration};

/// One set of inputs that bounds are computed for.
#[derive(Debug)]
pub struct Inputs {
    /// How people call it: `with defaults`.
    pub label: &'static str,
    value: Value,
}

impl Variables for Inputs {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        (name == "input").then_some(Cow::Borrowed(&self.value))
    }
}

impl Inputs {
    /// The sets of inputs to check a definition with; the first is the one people think of.
    pub fn of(definition: &Definition, given: Option<&Value>) -> Vec<Inputs> {
        if let Some(given) = given {
            let mut value = given.clone();
            definition.input.fill_defaults(&mut value);
            return vec![Inputs { label: "with this input", value }];
        }
        let usual = typical(&definition.input.json, |schema| schema.get("default").or(schema.get("maximum")).or(schema.get("x-maximum")));
        let most = typical(&definition.input.json, |schema| schema.get("maximum").or(schema.get("x-maximum")).or(schema.get("default")));
        let is_same = usual == most;
        let mut sets = vec![Inputs { label: "with defaults", value: usual }];
        if !is_same {
            sets.push(Inputs { label: "at maximum inputs", value: most });
        }
        sets
    }

    /// The whole number that an expression over inputs gives.
    pub fn whole(&self, expression: &Expression) -> Result<u64, Box<Diagnostic>> {
        let unknown = expression.references().into_iter().find(|path| !self.has(path));
        let value = expression.evaluate(&Scope::new(self));
        match (unknown, value.as_f64()) {
            (None, Some(number)) if number >= 0.0 => Ok(number.floor() as u64),
            (unknown, _) => Err(Box::new(unknown_maximum(expression, unknown))),
        }
    }

    /// The room that each counter of the graph has; what cannot be known is reported and counts as no limit.
    pub fn rooms(&self, definition: &Definition, graph: &Graph, problems: &mut Vec<Diagnostic>) -> Vec<Option<u64>> {
        let room = |counter: &super::graph::Counter, problems: &mut Vec<Diagnostic>| match counter.kind {
            CounterKind::Unlimited => None,
            CounterKind::Limit(_) => Some(1),
            CounterKind::Limited => {
                let declared = definition.counters.get(counter.name.as_str())?;
                match self.whole(declared.max.as_ref()?) {
                    Ok(max) => Some(max.saturating_sub(u64::from(declared.first))),
                    Err(problem) => {
                        problems.push(*problem);
                        None
                    }
                }
            }
        };
        graph.counters.iter().map(|counter| room(counter, problems)).collect()
    }

    /// The declared limit of the run's cost; None if there is none, or if only a run's own input tells it.
    pub fn cost_limit(&self, definition: &Definition) -> Option<Usd> {
        Usd::from_dollars(self.value_of(definition.limits.cost.as_ref()?).as_f64()?)
    }

    pub fn time_limit_ms(&self, definition: &Definition) -> Option<u64> {
        match self.value_of(definition.limits.time.as_ref()?) {
            Value::String(text) => parse_duration(&text),
            value => value.as_f64().filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0).ceil() as u64),
        }
    }

    fn value_of(&self, formula: &Formula) -> Value {
        formula.evaluate(&Scope::new(self))
    }

    fn has(&self, path: &[String]) -> bool {
        let [root, rest @ ..] = path else { return true };
        root == "input" && rest.iter().try_fold(&self.value, |value, name| value.get(name)).is_some_and(|value| !value.is_null())
    }
}

fn unknown_maximum(expression: &Expression, path: Option<Vec<String>>) -> Diagnostic {
    let (what, help) = match path {
        Some(path) => (
            format!("nothing bounds `{}`", path.join(".")),
            format!("give `{}` a `maximum` or a `default`", path.last().map_or("the input", String::as_str)),
        ),
        None => {
            (format!("`{}` is not a number of at least zero", expression.source), "write a number, or an input that is one".to_string())
        }
    };
    Diagnostic::error(codes::UNKNOWN_MAXIMUM, what).at(&expression.span).label("a limit must be known").help(help)
}

/// An object with a value for each property that has one; objects inside it likewise.
fn typical<'a>(schema: &'a Value, choose: impl Fn(&'a Value) -> Option<&'a Value> + Copy) -> Value {
    let mut object = Map::new();
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let value = match choose(property) {
            Some(value) => Some(value.clone()),
            None if property.get("properties").is_some() => Some(typical(property, choose)),
            None => None,
        };
        object.extend(value.map(|value| (name.clone(), value)));
    }
    Value::Object(object)
}
