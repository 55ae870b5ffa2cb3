//! One labelled claim, in any of the shapes that such sets come in.
//! Labels are compared as whole words: `no` inside `not_enough_info` decides nothing.

use std::fmt;
use std::io::{self, BufRead};

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

/// Why a line cannot be had.
#[derive(Debug)]
pub enum Unreadable {
    /// Only this line; the next one may be better.
    NotText,
    /// The reader itself: nothing comes after it.
    Broken(io::Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotText => write!(out, "it is not UTF-8 text"),
            Self::Broken(error) => write!(out, "it cannot be read: {error}"),
        }
    }
}

/// The lines that say something, with their numbers. A line that is no text is one problem; a reader that fails, such as that of a
/// folder, may fail for ever, so its first failure is the last line.
pub fn lines(mut reader: impl BufRead) -> impl Iterator<Item = (usize, Result<String, Unreadable>)> {
    let (mut number, mut is_over) = (0, false);
    std::iter::from_fn(move || {
        while !is_over {
            let mut bytes = Vec::new();
            number += 1;
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => is_over = true,
                Ok(_) if bytes.trim_ascii().is_empty() => {}
                Ok(_) => return Some((number, String::from_utf8(bytes).map_err(|_| Unreadable::NotText))),
                Err(error) => {
                    is_over = true;
                    return Some((number, Err(Unreadable::Broken(error))));
                }
            }
        }
        None
    })
}

/// Where the text of the source is looked for, in this order.
pub const SOURCE_FIELDS: [&str; 14] = [
    "source",
    "source_text",
    "evidence",
    "text",
    "document",
    "page",
    "doc",
    "premise",
    "passage",
    "evidence_text",
    "grounding",
    "reference",
    "references",
    "sources",
];

const CLAIM_FIELDS: [&str; 6] = ["claim", "statement", "sentence", "hypothesis", "summary", "response"];
const LABEL_FIELDS: [&str; 8] = ["label", "supported", "gold_label", "verdict", "is_supported", "entailed", "annotation", "truth"];
const CONTEXT_FIELDS: [&str; 5] = ["context", "title", "claim_context", "claim_title", "claim_section"];
const KIND_FIELDS: [&str; 5] = ["kind", "family", "category", "type", "dataset"];

/// The claim, the source and the context of an object that asks for a verdict.
pub fn asked(value: &Value) -> Result<(String, String, String), String> {
    let source = source(value)?;
    Ok((claim(value)?, source, context(value)))
}

fn claim(value: &Value) -> Result<String, String> {
    text(value, &CLAIM_FIELDS).ok_or_else(|| format!("it has no `claim`; {} are looked for", listed(&CLAIM_FIELDS)))
}

fn source(value: &Value) -> Result<String, String> {
    // Where nothing else is the source, the context is.
    let found = text(value, &SOURCE_FIELDS).or_else(|| text(value, &["context"]));
    found.ok_or_else(|| format!("it has no source text; {} and `context` are looked for", listed(&SOURCE_FIELDS)))
}

/// What stands around the claim, in the object itself or in its `meta`. What served as the source is no context.
fn context(value: &Value) -> String {
    if text(value, &SOURCE_FIELDS).is_none() {
        return String::new();
    }
    let places = [Some(value), value.get("meta")];
    let found = places.into_iter().flatten().flat_map(|place| CONTEXT_FIELDS.iter().filter_map(|name| text(place, &[name])));
    found.collect::<Vec<_>>().join("\n")
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
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
    let claim = claim(value)?;
    let label = LABEL_FIELDS.iter().find_map(|name| value.get(*name));
    let label = label.ok_or_else(|| format!("it has no `label`; {} are looked for", listed(&LABEL_FIELDS)))?;
    let truth = truth(label).ok_or_else(|| {
        format!("the label {label} is not known; true, false, 1, 0, \"supported\", \"partially_supported\" and \"not_supported\" are")
    })?;
    let context = context(value);
    let kind = text(value, &KIND_FIELDS);
    let unsupported = ["unsupported", "unsupported_tokens", "missing"].iter().find_map(|name| value.get(*name)?.as_array());
    let unsupported = unsupported.map(|list| list.iter().filter_map(Value::as_str).map(str::to_string).collect());
    Ok(Record { claim, source, context, truth, kind, unsupported })
}

/// A text, or texts in lists and objects of any depth: sentences, passages with a `text`, pages with a `body`.
fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| gathered(value.get(*name)?))
}

fn gathered(value: &Value) -> Option<String> {
    let joined = |parts: Vec<String>| (!parts.is_empty()).then(|| parts.join("\n"));
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => joined(parts.iter().filter_map(gathered).collect()),
        Value::Object(fields) => {
            joined(["title", "text", "body", "content", "sentence"].iter().filter_map(|name| gathered(fields.get(*name)?)).collect())
        }
        _ => None,
    }
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
            let is_in = |words: &str| words.split_whitespace().any(|known| known == word);
            match () {
                () if is_in(SUPPORTED) => Some(Truth::Supported),
                () if is_in(PARTLY) => Some(Truth::Partly),
                () if is_in(UNSUPPORTED) => Some(Truth::Unsupported),
                () => None,
            }
        }
        _ => None,
    }
}

const SUPPORTED: &str = "supported support supports true yes entailed entailment entails fully_supported completely_supported 1 e \
    attributable consistent faithful factual correct grounded verified accurate";

const PARTLY: &str = "partially_supported partial partially partly partly_supported partial_support mixed half_true mostly_supported \
    partially_correct partially_attributable";

const UNSUPPORTED: &str = "not_supported unsupported not_support no_support refuted refutes refute contradiction contradicted contradicts \
    contradict contradictory neutral false no not_enough_info not_enough_information nei none 0 n c not_entailed not_entailment \
    non_entailment not_attributable unattributable extrapolatory inconsistent unfaithful hallucinated hallucination nonfactual non_factual \
    not_factual incorrect ungrounded not_grounded unverifiable not_verifiable irrelevant no_evidence insufficient fabricated wrong";
