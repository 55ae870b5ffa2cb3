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

/// One of them, with what whoever writes a workflow must know of it.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub name: &'static str,
    /// What it is given and what it gives, as `{…} → {…}`.
    pub shape: &'static str,
    pub about: &'static str,
    pub function: Function,
}

const fn pure(name: &'static str, function: PureFunction, shape: &'static str, about: &'static str) -> Builtin {
    Builtin { name, shape, about, function: Function::Pure(function) }
}

const TABLE: &[Builtin] = &[
    pure(
        "brief.analyse",
        brief::analyse,
        "{brief, workers} → {complexity_score, band, workers, recommended_workers, estimated_cost, estimated_time_seconds, problems, …}",
        "How complex a brief is, which workers it asks for, what they would cost and take, and what in it contradicts itself.",
    ),
    pure(
        "document.assemble",
        document::assemble,
        "{brief, results, sources, iterations: [{iteration, score, quality}], passed} → {document, quality, sources, iteration, improvement, improvement_points, system_notes}",
        "The article of the best scored iteration in which something was written.",
    ),
    pure(
        "plan.by_rule",
        plan::by_rule,
        "{brief, workers, analysis, revision, previous} → {complexity, steps, rationale}",
        "A plan of the workers that the analysis recommends; with a revision, of those of the previous plan, more and less as it says.",
    ),
    pure(
        "plan.optimise",
        plan::optimise::optimise,
        "{plan: {complexity, steps, estimates}, workers, number, budget, time, instructions} → {plan, before, time_saved, cost_saved}",
        "The plan with an id, estimates and tasks with their dependencies, within `budget` (dollars) and `time` (seconds) if they are given.",
    ),
    pure(
        "plan.revise",
        plan::revise,
        "{quality, plan, workers} → {revision_reason, feedback, add_workers, remove_workers, instructions}",
        "For each issue of a score the workers that are good for it; one that is in the plan already is told what was wrong.",
    ),
    pure(
        "quality.score",
        quality::score,
        "{brief, results, sources, iteration, weights} → {overall, components, measures, completeness, issues, feedback, words, …}",
        "How good what was written is, by measures; `issues` say what is below the brief's `min_quality` and what kind of worker would help.",
    ),
    pure(
        "report.list",
        report::list,
        "{goal, …} → {summary, items}",
        "A Markdown list of everything else in the input, by field, and how many things that is.",
    ),
    pure(
        "text.outline",
        words::outline,
        "{text} → {headings: [{level, title, words}], depth}",
        "The headings of a Markdown text, each with the number of words under it.",
    ),
    pure(
        "text.overlap",
        overlap::overlap,
        "{text, sources: [text or {id, text}]} → {overlap, longest: {words, text, source}, sources: [{source, overlap, longest}]}",
        "The share of the text's runs of five words that some source has too, and the longest run of words in common.",
    ),
    pure(
        "text.readability",
        readability::readability,
        "{text} → {grade, ease, words, sentences, syllables, words_per_sentence}",
        "Flesch-Kincaid grade and reading ease; null of a text without words.",
    ),
    pure(
        "text.similarity",
        words::similarity,
        "{a, b} → {similarity}",
        "From 0 to 1: one minus the edit distance over the length of the longer text; long texts are compared word by word.",
    ),
    pure("text.words", words::words, "{text} → {words, characters, sentences, paragraphs}", "How much text it is."),
];

/// The built-ins that a program offers. Whoever plays, checks or records workflows is given the same ones. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Builtins(Arc<BTreeMap<&'static str, Builtin>>);

/// The pure ones of this crate.
impl Default for Builtins {
    fn default() -> Self {
        Self(Arc::new(TABLE.iter().map(|builtin| (builtin.name, *builtin)).collect()))
    }
}

impl Builtin {
    /// The fields that its result has, by its shape.
    fn gives(&self) -> impl Iterator<Item = &'static str> {
        let result = self.shape.split_once('→').map_or("", |(_, result)| result.trim());
        let mut depth = 0;
        let fields = result.split(move |letter| {
            depth += i32::from("{[".contains(letter)) - i32::from("}]".contains(letter));
            depth == 1 && letter == ','
        });
        let named = fields.map(|field| field.trim_start_matches('{').trim_end_matches('}').split(':').next().unwrap_or_default().trim());
        named.filter(|name| !name.is_empty() && *name != "…")
    }
}

impl Builtins {
    /// With more of them; one that has a name already takes its place.
    pub fn and(self, more: impl IntoIterator<Item = Builtin>) -> Self {
        let mut all = (*self.0).clone();
        all.extend(more.into_iter().map(|builtin| (builtin.name, builtin)));
        Self(Arc::new(all))
    }

    /// Every built-in, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// The same with what they are for.
    pub fn iter(&self) -> impl Iterator<Item = &Builtin> {
        self.0.values()
    }

    fn function(&self, name: &str) -> Option<Function> {
        self.0.get(name).map(|builtin| builtin.function)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether it may read files, and so take its time.
    pub fn reads(&self, name: &str) -> bool {
        matches!(self.function(name), Some(Function::Reading(_)))
    }

    /// Calls a built-in. Wrong input is the workflow's fault, and trying again would not help.
    pub fn perform(&self, name: &str, input: &Value, run_directory: Option<&Path>) -> Outcome {
        let answer = match self.function(name) {
            Some(Function::Pure(function)) => function(input),
            Some(Function::Reading(function)) => function(input, run_directory),
            None => {
                let known = self.names().collect::<Vec<_>>().join(", ");
                return Outcome::failed(FailureKind::NotFound, format!("there is no built-in `{name}`; there are {known}"));
            }
        };
        match answer {
            Ok(result) => {
                // What the reference promises is held to what every case and every test really gets.
                let lacks = |builtin: &Builtin| builtin.gives().find(|field| result.get(field).is_none());
                debug_assert_eq!(self.0.get(name).and_then(lacks), None, "`{name}` does not give what its shape says");
                Outcome::returned(result)
            }
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
