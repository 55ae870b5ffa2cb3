//! How a reviewer's answer becomes a verdict: from its structure if it has one, from its words if not.

use serde_json::Value;

use crate::definition::Words;

/// What a text says, by the workflow's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Exactly one outcome is meant.
    Clear(String),
    /// Some phrase is there, but inside a longer sentence, negated, or beside another outcome's.
    Unclear(String),
    /// No phrase at all.
    Silent,
}

/// Reads free text.
pub fn read(text: &str, words: &Words) -> Reading {
    let _ = (text, words);
    unimplemented!()
}

/// Brings an agent's answer (text, or an object with `outcome` or `verdict`) into the one verdict shape
/// `{ outcome, score, feedback, findings, evidence, raw }`, or says why it cannot be done.
pub fn normalise(answer: &Value, words: &Words, outcomes: &[String]) -> Result<Value, String> {
    let _ = (answer, words, outcomes);
    unimplemented!()
}
