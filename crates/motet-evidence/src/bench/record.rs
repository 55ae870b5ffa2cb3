//! One labelled claim, in any of the shapes that such sets come in.
//! What cannot be read is a problem with its line's number; the rest goes on.

use std::fmt;
use std::io::BufRead;

use serde_json::{Map, Value, json};

use super::fields::{self, named};
use super::label::{Truth, truth};
use super::lines::lines;

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub claim: String,
    pub source: String,
    pub context: String,
    pub truth: Truth,
    /// What kind of claim the set says it is, if it says so.
    pub kind: Option<String>,
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
    lines(reader).flat_map(|(number, line)| {
        let problem = |why: String| Problem { line: number, why };
        match line.map_err(|why| why.to_string()).and_then(|line| line_records(&line)) {
            Ok(records) => records.into_iter().map(Ok).collect(),
            Err(why) => vec![Err(problem(why))],
        }
    })
}

/// What is asked of a line that wants a verdict.
#[derive(Debug)]
pub struct Asked {
    pub claim: String,
    pub source: String,
    pub context: String,
    /// All else that the line says of the claim. The source is what made the line long, and whoever asked has it.
    pub fields: Map<String, Value>,
}

impl Asked {
    /// One claim with its source, or one source with a list of `claims`, each of them an object or only its text.
    pub fn all_of(value: &Value) -> Result<Vec<Self>, String> {
        let (field, source) = fields::source(value)?;
        let asked = |value: &Value, field: &str| {
            let mut fields = value.as_object().cloned().unwrap_or_default();
            fields.shift_remove(field);
            Ok(Self { claim: fields::claim(value, field)?, context: fields::context(value, field), source: source.clone(), fields })
        };
        match listed(value) {
            Some(claims) => {
                claims.iter().map(|claim| asked(&claim.as_str().map_or(claim.clone(), |text| json!({ "claim": text })), "")).collect()
            }
            None => Ok(vec![asked(value, &field)?]),
        }
    }
}

/// One claim with its source, or one source with a list of `claims`.
fn line_records(line: &str) -> Result<Vec<Record>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
    let (field, source) = fields::source(&value)?;
    match listed(&value) {
        Some(claims) => claims.iter().map(|claim| record(claim, "", source.clone())).collect(),
        None => Ok(vec![record(&value, &field, source)?]),
    }
}

fn listed(value: &Value) -> Option<&Vec<Value>> {
    named(value, "claims").and_then(|(_, claims)| claims.as_array())
}

fn record(value: &Value, source_field: &str, source: String) -> Result<Record, String> {
    let claim = fields::claim(value, source_field)?;
    let words = labelled_words(value);
    let marks: Option<Vec<bool>> = words.as_ref().map(|words| words.iter().map(|(_, is_unsupported)| *is_unsupported).collect());
    let truth = truth(value, marks.as_deref())?;
    let listed = ["unsupported", "unsupported_tokens", "missing"].iter().find_map(|name| named(value, name)?.1.as_array());
    let listed = listed.map(|list| list.iter().filter_map(Value::as_str).map(str::to_string).collect());
    let marked =
        || words.map(|words| words.into_iter().filter(|(_, is_unsupported)| *is_unsupported).map(|(word, _)| word.to_string()).collect());
    let unsupported = listed.or_else(marked);
    Ok(Record { claim, source, context: fields::context(value, source_field), truth, kind: fields::kind(value), unsupported })
}

/// The words of the claim, each with whether it is unsupported, where a set marks every one of them.
fn labelled_words(value: &Value) -> Option<Vec<(&str, bool)>> {
    let words = named(value, "claim_tokens")?.1.as_array()?;
    let marks = ["non_supported_spans", "non_supported_tokens"].iter().find_map(|name| named(value, name)?.1.as_array())?;
    (words.len() == marks.len()).then_some(())?;
    words.iter().zip(marks).map(|(word, mark)| Some((word.as_str()?, mark.as_bool()?))).collect()
}
