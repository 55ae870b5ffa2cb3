//! One labelled claim, in any of the shapes that such sets come in.
//! Labels are compared as whole words: `no` inside `not_enough_info` decides nothing.

use std::fmt;
use std::io::BufRead;

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Supported,
    Partly,
    Unsupported,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub claim: String,
    pub source: String,
    pub context: String,
    pub truth: Truth,
    /// The numbers and names of the claim that are not supported, if the set says so.
    pub unsupported: Option<Vec<String>>,
}

/// A line that is no labelled claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Problem {}

/// The records of a reader; empty lines are passed over.
pub fn records(reader: impl BufRead) -> impl Iterator<Item = Result<Record, Problem>> {
    reader.lines().enumerate().filter_map(|(number, line)| {
        let problem = |why: String| Problem { line: number + 1, why };
        match line {
            Err(error) => Some(Err(problem(format!("it cannot be read: {error}")))),
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => Some(record(&line).map_err(problem)),
        }
    })
}

fn record(line: &str) -> Result<Record, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
    let claim = text(&value, &["claim", "statement", "sentence"]).ok_or("it has no `claim`")?;
    let source = text(&value, &["source", "source_text", "evidence", "text", "document", "page"])
        .ok_or("it has no source text; `source`, `source_text`, `evidence` and `text` are looked for")?;
    let label = value.get("label").or_else(|| value.get("supported")).ok_or("it has no `label`")?;
    let truth = truth(label).ok_or_else(|| {
        format!("the label {label} is not known; true, false, 1, 0, \"supported\", \"partially_supported\" and \"not_supported\" are")
    })?;
    let context = text(&value, &["context", "title"]).unwrap_or_default();
    let unsupported = ["unsupported", "unsupported_tokens", "missing"].iter().find_map(|name| value.get(*name)?.as_array());
    let unsupported = unsupported.map(|list| list.iter().filter_map(Value::as_str).map(str::to_string).collect());
    Ok(Record { claim, source, context, truth, unsupported })
}

/// A text, or a list of sentences.
fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match value.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")),
        _ => None,
    })
}

fn truth(label: &Value) -> Option<Truth> {
    match label {
        Value::Bool(true) => Some(Truth::Supported),
        Value::Bool(false) => Some(Truth::Unsupported),
        Value::Number(number) => match number.as_f64()? {
            1.0 => Some(Truth::Supported),
            0.0 => Some(Truth::Unsupported),
            share if share > 0.0 && share < 1.0 => Some(Truth::Partly),
            _ => None,
        },
        Value::String(word) => {
            let word = word.trim().to_lowercase().replace([' ', '-'], "_");
            match word.as_str() {
                "supported" | "support" | "supports" | "true" | "yes" | "entailed" | "entailment" | "fully_supported" | "1" => {
                    Some(Truth::Supported)
                }
                "partially_supported" | "partial" | "partially" | "partly" | "partly_supported" | "mixed" => Some(Truth::Partly),
                "not_supported" | "unsupported" | "not_support" | "refuted" | "refutes" | "contradiction" | "contradicted" | "neutral"
                | "false" | "no" | "not_enough_info" | "nei" | "none" | "0" => Some(Truth::Unsupported),
                _ => None,
            }
        }
        _ => None,
    }
}
