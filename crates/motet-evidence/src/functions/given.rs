//! Facts and sources as workflows keep them: plain objects, of which only what is needed here is read.
//! What is missing in one of them is empty, never an error; only a list that is no list is refused.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fact::Confidence;

pub struct Fact<'a> {
    pub value: &'a Value,
    pub id: &'a str,
    pub statement: &'a str,
    /// Empty if it quotes nothing.
    pub quote: &'a str,
    /// As the fact names them: addresses, or ids.
    pub sources: Vec<&'a str>,
    /// Those that it was read in, without those that an earlier audit found to say the same.
    pub own: Vec<&'a str>,
    pub raw_file: &'a str,
    /// What the agent that found it claimed, however often it has been rated since.
    pub claimed: Confidence,
}

pub struct Source<'a> {
    pub id: &'a str,
    pub url: &'a str,
    pub title: &'a str,
    pub kind: &'a str,
    pub accessed: &'a str,
    pub local_path: &'a str,
    pub official: bool,
    pub authors: Vec<&'a str>,
    /// As precise as anybody says: a year, a month or a day.
    pub published: &'a str,
    pub doi: &'a str,
}

impl<'a> Fact<'a> {
    pub fn all(input: &'a Value) -> Result<Vec<Self>, String> {
        Ok(list(input, "facts")?.iter().map(Self::of).collect())
    }

    fn of(value: &'a Value) -> Self {
        let sources = texts(&value["sources"]);
        let confirming = texts(&value["confirmed_by"]);
        let claimed = confidence(text(value, "claimed")).or_else(|| confidence(text(value, "confidence")));
        Self {
            value,
            id: text(value, "id"),
            statement: text(value, "statement"),
            quote: text(value, "quote").trim(),
            own: sources.iter().copied().filter(|name| !confirming.contains(name)).collect(),
            sources,
            raw_file: text(value, "raw_file"),
            claimed: claimed.unwrap_or(Confidence::Low),
        }
    }

    /// The words that it rests on; without a quotation there is only what it says itself.
    pub fn words(&self) -> &'a str {
        if self.quote.is_empty() { self.statement } else { self.quote }
    }
}

impl<'a> Source<'a> {
    pub fn all(input: &'a Value) -> Result<Vec<Self>, String> {
        Ok(list(input, "sources")?.iter().map(Self::of).collect())
    }

    fn of(value: &'a Value) -> Self {
        Self {
            id: text(value, "id"),
            url: text(value, "url"),
            title: text(value, "title"),
            kind: text(value, "type"),
            accessed: text(value, "accessed"),
            local_path: text(value, "local_path"),
            official: value["official"] == true,
            authors: texts(&value["authors"]),
            published: text(value, "published"),
            doi: text(value, "doi"),
        }
    }
}

/// Sources by every name they go by.
pub struct Registry<'a>(BTreeMap<&'a str, &'a Source<'a>>);

impl<'a> Registry<'a> {
    pub fn of(sources: &'a [Source<'a>]) -> Self {
        let named =
            |source: &'a Source<'a>| [source.url, source.id].into_iter().filter(|name| !name.is_empty()).map(move |name| (name, source));
        Self(sources.iter().flat_map(named).collect())
    }

    pub fn find(&self, name: &str) -> Option<&'a Source<'a>> {
        self.0.get(name).copied()
    }

    /// The registered ones among those that a fact names.
    pub fn behind(&self, names: &[&str]) -> Vec<&'a Source<'a>> {
        names.iter().filter_map(|name| self.find(name)).collect()
    }
}

pub fn list<'a>(input: &'a Value, field: &str) -> Result<&'a [Value], String> {
    match input.get(field) {
        Some(Value::Array(list)) => Ok(list),
        None | Some(Value::Null) if input.is_object() => Ok(&[]),
        None | Some(Value::Null) => Err(format!("it must be an object with `{field}`, but is {}", kind(input))),
        Some(other) => Err(format!("`{field}` must be a list, but is {}", kind(other))),
    }
}

pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a list; anything else has none.
pub fn texts(value: &Value) -> Vec<&str> {
    members(value).iter().filter_map(Value::as_str).collect()
}

pub fn members(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub fn confidence(word: &str) -> Option<Confidence> {
    [Confidence::Low, Confidence::Medium, Confidence::High].into_iter().find(|confidence| word_of(*confidence) == word)
}

pub fn word_of(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "Low",
        Confidence::Medium => "Medium",
        Confidence::High => "High",
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
