//! Which facts of an answer stand in what was gathered for it: by their quotation, looked up in the archived text.
//! A fact that names a page which was never fetched, words that no page has, or more than its words say, does not come through here.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Gathered;
use super::borne::excess;
use crate::claim::quote;
use crate::text::Span;

/// An answer whose facts hold, and what was taken out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Grounded {
    pub answer: Value,
    pub ungrounded: Vec<Ungrounded>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ungrounded {
    pub statement: String,
    pub why: String,
}

/// Looks up every fact of the answer's list `field`. A fact that stands gets its source, its file, its exact words and
/// their place from the archive; the answer's `sources` become those of the facts that are left.
pub fn ground(answer: Value, field: &str, gathered: &Gathered) -> Grounded {
    let Value::Object(mut answer) = answer else { return Grounded { answer, ungrounded: Vec::new() } };
    let Some(Value::Array(facts)) = answer.remove(field) else {
        return Grounded { answer: Value::Object(answer), ungrounded: Vec::new() };
    };
    let (mut kept, mut ungrounded, mut used) = (Vec::new(), Vec::new(), Vec::new());
    for fact in facts {
        let Value::Object(mut fact) = fact else { continue };
        let statement = fact.get("statement").and_then(Value::as_str).unwrap_or_default().to_string();
        match place(&fact, gathered) {
            Ok(Place { url, words, span }) => {
                let source = gathered.sources.iter().find(|source| source.url == url);
                fact.insert("quote".into(), json!(words));
                fact.insert("span".into(), json!(span));
                fact.insert("sources".into(), json!([url]));
                fact.insert("raw_file".into(), json!(source.map(|source| &source.local_path)));
                used.push(url);
                kept.push(Value::Object(fact));
            }
            Err(why) => ungrounded.push(Ungrounded { statement, why }),
        }
    }
    let sources: Vec<_> = gathered.sources.iter().filter(|source| used.contains(&source.url)).collect();
    answer.insert("sources".into(), json!(sources));
    answer.insert(field.into(), Value::Array(kept));
    // What was thrown away is told, so that nobody wonders where it went.
    if !ungrounded.is_empty() {
        answer.insert("ungrounded".into(), json!(ungrounded));
    }
    Grounded { answer: Value::Object(answer), ungrounded }
}

/// Where a quotation stands.
struct Place {
    url: String,
    words: String,
    /// In bytes of the archived text.
    span: Span,
}

/// The first source in which the quotation stands and bears out its statement; else why none of them will do.
fn place(fact: &Map<String, Value>, gathered: &Gathered) -> Result<Place, String> {
    let said = |field: &str| fact.get(field).and_then(Value::as_str).unwrap_or_default();
    let (statement, quotation) = (said("statement"), said("quote"));
    if quotation.trim().is_empty() {
        return Err("it quotes nothing".into());
    }
    // The sources that the fact itself names come first, by address or by passage.
    let named: Vec<&str> = ["sources", "passages", "source", "passage"].iter().flat_map(|field| names(fact.get(*field))).collect();
    let is_named = |url: &str| {
        named.iter().any(|name| *name == url || gathered.passages.iter().any(|passage| passage.id == *name && passage.url == url))
    };
    let mut texts: Vec<(&String, &String)> = gathered.texts.iter().collect();
    texts.sort_by_key(|(url, _)| !is_named(url));
    let mut why = None;
    for (url, text) in texts {
        let Some(found) = quote::find(quotation, text) else { continue };
        let title = gathered.sources.iter().find(|source| source.url == *url).map_or("", |source| source.title.as_str());
        match excess(statement, quotation, found.span, text, title) {
            None => return Ok(Place { url: url.clone(), words: found.span.of(text).to_string(), span: found.span }),
            // What the first source lacks is told, since it is the one that was named.
            Some(excess) => drop(why.get_or_insert(excess)),
        }
    }
    Err(why.unwrap_or_else(|| "its quotation stands in nothing that was gathered".into()))
}

fn names(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
