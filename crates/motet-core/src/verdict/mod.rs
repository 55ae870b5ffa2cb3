//! How a reviewer's answer becomes a verdict: from its structure if it has one, from its words if not.
//! It never guesses: what can be read in two ways is unclear, and the machine asks again.

mod reading;
mod sentences;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::definition::{Phrase, Words};

/// What a text says, by the workflow's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Exactly one outcome is meant.
    Clear(String),
    /// Some phrase is there, but inside a longer sentence, or beside another outcome's, or also denied.
    Unclear(String),
    /// No phrase at all, or only in a sentence that denies it or makes it depend on something.
    Silent,
}

/// The outcomes of a verdict whose agent has no words of its own, and what is also said for them.
const COMMON: [(&str, &[&str]); 3] = [
    ("approved", &["approved", "approve", "pass", "passed", "accept", "accepted", "lgtm"]),
    (
        "needs_revision",
        &["needs_revision", "needs_work", "revise", "revision_needed", "request_changes", "changes_requested", "fail", "failed"],
    ),
    ("rejected", &["rejected", "reject"]),
];

/// Reads free text.
pub fn read(text: &str, words: &Words) -> Reading {
    let outcomes: Vec<String> = match words.0.is_empty() {
        true => COMMON.map(|(outcome, _)| outcome.to_owned()).to_vec(),
        false => words.0.iter().map(|(outcome, _)| outcome.clone()).collect(),
    };
    reading::read(text, &phrases(words, &outcomes)).reading
}

/// Brings an agent's answer (text, or an object with `outcome` or `verdict`) into the one verdict shape
/// `{ outcome, score, feedback, findings, evidence, raw }`, or says why it cannot be done.
///
/// Where exactly one outcome has no words, text that says nothing means that one: a reviewer who does not say
/// "SHIP IT" has not approved.
pub fn normalise(answer: &Value, words: &Words, outcomes: &[String]) -> Result<Value, String> {
    match answer {
        Value::Object(fields) => match stated(fields) {
            Some(stated) => shape(recognise(stated, words, outcomes)?, fields, "", answer),
            None => Err(format!("the answer has no `outcome`; it must be one of {}", outcomes.join(", "))),
        },
        Value::String(text) if !text.trim().is_empty() => from_text(text, words, outcomes),
        _ => Err(format!("the answer is empty; it must say one of {}", outcomes.join(", "))),
    }
}

/// The shape of a verdict with these outcomes, for a model that can be held to one. What else it says is welcome.
pub fn schema(outcomes: &[String]) -> Value {
    json!({
        "type": "object",
        "required": ["outcome", "score", "feedback"],
        "properties": {
            "outcome": { "type": "string", "enum": outcomes },
            "score": { "type": "number", "minimum": 0, "maximum": 1 },
            "feedback": { "type": "string" },
        },
        "additionalProperties": true,
    })
}

fn from_text(text: &str, words: &Words, outcomes: &[String]) -> Result<Value, String> {
    let raw = Value::from(text);
    let mut found: Option<(String, Map<String, Value>, &str)> = None;
    for (fields, rest) in objects(text) {
        let Some(stated) = stated(&fields) else { continue };
        let outcome = recognise(stated, words, outcomes)?;
        match &found {
            Some((other, ..)) if *other != outcome => return Err(format!("the answer states both `{other}` and `{outcome}`")),
            Some(_) => {}
            None => found = Some((outcome, fields, rest)),
        }
    }
    if let Some((outcome, fields, before)) = found {
        return shape(outcome, &fields, before.trim(), &raw);
    }
    let phrases = phrases(words, outcomes);
    let read = reading::read(text, &phrases);
    let outcome = match read.reading {
        Reading::Clear(outcome) => outcome,
        Reading::Unclear(reason) => only_silence(text, &phrases, silent_outcome(words, outcomes)).ok_or(reason)?,
        Reading::Silent => silent_outcome(words, outcomes).ok_or_else(|| format!("the answer states none of {}", outcomes.join(", ")))?,
    };
    shape(outcome, &Map::new(), &read.rest, &raw)
}

/// The outcome that silence means, where the text mentions that one and no other: "it still needs work" is no approval.
fn only_silence(text: &str, phrases: &[(&str, reading::Wanted<'_>)], silent: Option<String>) -> Option<String> {
    let silent = silent?;
    let others: Vec<(&str, reading::Wanted<'_>)> = phrases.iter().filter(|(outcome, _)| *outcome != silent).copied().collect();
    (reading::read(text, &others).reading == Reading::Silent).then_some(silent)
}

/// What silence means: the one outcome that nothing has to be said for.
fn silent_outcome(words: &Words, outcomes: &[String]) -> Option<String> {
    let mut wordless = outcomes.iter().filter(|outcome| !words.0.is_empty() && words_of(words, outcome).is_empty());
    wordless.next().filter(|_| wordless.next().is_none()).cloned()
}

fn words_of<'w>(words: &'w Words, outcome: &str) -> &'w [Phrase] {
    words.0.iter().find(|(name, _)| name == outcome).map_or(&[], |(_, phrases)| phrases)
}

/// The phrases to look for: the workflow's, and for an outcome without any its name and what is commonly said for it.
fn phrases<'w>(words: &'w Words, outcomes: &'w [String]) -> Vec<(&'w str, reading::Wanted<'w>)> {
    let mut phrases = Vec::new();
    for outcome in outcomes {
        let own = words_of(words, outcome);
        phrases.extend(own.iter().map(|phrase| match phrase {
            Phrase::Text(text) => (outcome.as_str(), reading::Wanted::Text(text)),
            Phrase::Pattern(pattern) => (outcome.as_str(), reading::Wanted::Pattern(pattern)),
        }));
        if own.is_empty() {
            let common = COMMON.iter().find(|(name, _)| name == outcome).map_or(&[][..], |(_, common)| common);
            phrases.extend(
                std::iter::once(outcome.as_str()).chain(common.iter().copied()).map(|text| (outcome.as_str(), reading::Wanted::Text(text))),
            );
        }
    }
    phrases
}

/// The value of `outcome` or `verdict`, whatever its case.
fn stated(fields: &Map<String, Value>) -> Option<&Value> {
    ["outcome", "verdict"].iter().find_map(|wanted| field(fields, &[wanted])).filter(|value| !value.is_null())
}

fn field<'f>(fields: &'f Map<String, Value>, names: &[&str]) -> Option<&'f Value> {
    names.iter().find_map(|wanted| fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value))
}

/// The outcome that a structured answer states: its name, one of its words, or what is commonly said for it.
fn recognise(stated: &Value, words: &Words, outcomes: &[String]) -> Result<String, String> {
    let text = match stated {
        Value::String(text) => text.as_str(),
        Value::Bool(true) => "approved",
        Value::Bool(false) => "needs_revision",
        other => return Err(format!("{other} is not an outcome; it must be one of {}", outcomes.join(", "))),
    };
    let said = sentences::words(text);
    let is_said = |phrase: &str| sentences::words(phrase) == said;
    let by_name = || outcomes.iter().find(|outcome| is_said(outcome));
    let by_word = || {
        outcomes.iter().find(|outcome| {
            words_of(words, outcome).iter().any(|phrase| match phrase {
                Phrase::Text(phrase) => is_said(phrase),
                Phrase::Pattern(pattern) => pattern.is_match(text),
            })
        })
    };
    let by_custom = || {
        let common = COMMON.iter().find(|(_, common)| common.iter().any(|phrase| is_said(phrase)));
        common.and_then(|(name, _)| outcomes.iter().find(|outcome| outcome == name))
    };
    let outcome = by_name().or_else(by_word).or_else(by_custom).cloned();
    outcome.ok_or_else(|| format!("`{text}` is not an outcome; it must be one of {}", outcomes.join(", ")))
}

fn shape(outcome: String, fields: &Map<String, Value>, rest: &str, raw: &Value) -> Result<Value, String> {
    let list = |names: &[&str]| match field(fields, names) {
        Some(Value::Array(items)) => Value::Array(items.clone()),
        None | Some(Value::Null) => json!([]),
        Some(single) => json!([single]),
    };
    let feedback = field(fields, &["feedback", "comments", "comment", "reason", "summary"]).filter(|feedback| !feedback.is_null());
    Ok(json!({
        "outcome": outcome,
        "score": score(fields)?,
        "feedback": feedback.cloned().unwrap_or_else(|| rest.into()),
        "findings": list(&["findings", "issues"]),
        "evidence": list(&["evidence"]),
        "raw": raw,
    }))
}

/// The score that is stated, if any. Scores are compared with each other, so one on a scale of its own would win or lose unjustly.
fn score(fields: &Map<String, Value>) -> Result<Option<Value>, String> {
    let Some(stated) = field(fields, &["score"]).filter(|score| !score.is_null()) else { return Ok(None) };
    let score = match stated {
        Value::String(text) => text.trim().parse::<f64>().ok().map(Value::from),
        other => Some(other.clone()),
    };
    let within = |score: &Value| score.as_f64().is_some_and(|score| (0.0..=1.0).contains(&score));
    score.filter(within).map(Some).ok_or_else(|| format!("`score` is {stated}; it must be a number from 0 to 1"))
}

/// The JSON objects that stand in a text, each with the text before it. The number of tries is limited, because every
/// brace could begin one.
fn objects(text: &str) -> Vec<(Map<String, Value>, &str)> {
    let mut objects = Vec::new();
    let mut from = 0;
    for _ in 0..64 {
        let Some(start) = text[from..].find('{').map(|offset| from + offset) else { break };
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
        match stream.next() {
            Some(Ok(fields)) => {
                objects.push((fields, text[..start].trim_end().trim_end_matches("json").trim_end_matches('`')));
                from = start + stream.byte_offset();
            }
            _ => from = start + 1,
        }
    }
    objects
}
