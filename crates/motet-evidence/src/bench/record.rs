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
    reader.lines().enumerate().flat_map(|(number, line)| {
        let problem = |why: String| Problem { line: number + 1, why };
        match line {
            Err(error) => vec![Err(problem(format!("it cannot be read: {error}")))],
            Ok(line) if line.trim().is_empty() => Vec::new(),
            Ok(line) => match line_records(&line) {
                Ok(records) => records.into_iter().map(Ok).collect(),
                Err(why) => vec![Err(problem(why))],
            },
        }
    })
}

/// Where the text of the source is looked for.
pub const SOURCE_FIELDS: [&str; 6] = ["source", "source_text", "evidence", "text", "document", "page"];

/// The claim, the source and the context of an object that asks for a verdict.
pub fn asked(value: &Value) -> Result<(String, String, String), String> {
    let claim = text(value, &["claim", "statement", "sentence"]).ok_or("it has no `claim`")?;
    Ok((claim, source(value)?, text(value, &["context", "title"]).unwrap_or_default()))
}

fn source(value: &Value) -> Result<String, String> {
    let found = text(value, &SOURCE_FIELDS);
    found.ok_or_else(|| "it has no source text; `source`, `source_text`, `evidence` and `text` are looked for".to_string())
}

/// One claim with its source, or one source with a list of `claims`.
fn line_records(line: &str) -> Result<Vec<Record>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
    let source = source(&value)?;
    match value.get("claims").and_then(Value::as_array) {
        Some(claims) => claims.iter().map(|claim| record(claim, source.clone())).collect(),
        None => Ok(vec![record(&value, source)?]),
    }
}

fn record(value: &Value, source: String) -> Result<Record, String> {
    let claim = text(value, &["claim", "statement", "sentence"]).ok_or("it has no `claim`")?;
    let label = value.get("label").or_else(|| value.get("supported")).ok_or("it has no `label`")?;
    let truth = truth(label).ok_or_else(|| {
        format!("the label {label} is not known; true, false, 1, 0, \"supported\", \"partially_supported\" and \"not_supported\" are")
    })?;
    let context = text(value, &["context", "title"]).unwrap_or_default();
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
