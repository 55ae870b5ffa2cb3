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
        let statement = statement(&fact).to_string();
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

/// The same for a list of which not everything is quoted: nothing is thrown away. What quotes something says in `stands` whether its
/// words stand there and bear it out, and if not, `why`; passages that it names by their ids become addresses.
pub fn mark(answer: Value, field: &str, gathered: &Gathered) -> Grounded {
    let Value::Object(mut answer) = answer else { return Grounded { answer, ungrounded: Vec::new() } };
    let Some(Value::Array(mut findings)) = answer.remove(field) else {
        return Grounded { answer: Value::Object(answer), ungrounded: Vec::new() };
    };
    let (mut ungrounded, mut used) = (Vec::new(), Vec::new());
    for finding in findings.iter_mut().filter_map(Value::as_object_mut) {
        // Nobody has a say in this but the archive.
        ["stands", "why", "span", "raw_file"].iter().for_each(|own| drop(finding.shift_remove(*own)));
        let found = Some(place(finding, gathered)).filter(|_| !quotation(finding).is_empty());
        let mut sources: Vec<String> = names(finding.get("sources")).into_iter().map(|name| address_of(name, gathered)).collect();
        match found {
            Some(Ok(Place { url, words, span })) => {
                let source = gathered.sources.iter().find(|source| source.url == url);
                finding.insert("quote".into(), json!(words));
                finding.insert("span".into(), json!(span));
                finding.insert("raw_file".into(), json!(source.map(|source| &source.local_path)));
                finding.insert("stands".into(), json!(true));
                sources.insert(0, url);
            }
            Some(Err(why)) => {
                finding.insert("stands".into(), json!(false));
                finding.insert("why".into(), json!(why));
                ungrounded.push(Ungrounded { statement: statement(finding).to_string(), why });
            }
            None => {}
        }
        let mut each_once: Vec<String> = Vec::new();
        sources.into_iter().for_each(|source| if !each_once.contains(&source) { each_once.push(source) });
        used.extend(each_once.iter().cloned());
        finding.insert("sources".into(), json!(each_once));
    }
    let sources: Vec<_> = gathered.sources.iter().filter(|source| used.contains(&source.url)).collect();
    answer.insert("sources".into(), json!(sources));
    answer.insert(field.into(), Value::Array(findings));
    Grounded { answer: Value::Object(answer), ungrounded }
}

/// What a fact states, and a finding claims.
fn statement(fact: &Map<String, Value>) -> &str {
    fact.get("statement").or_else(|| fact.get("claim")).and_then(Value::as_str).unwrap_or_default()
}

fn quotation(fact: &Map<String, Value>) -> &str {
    fact.get("quote").and_then(Value::as_str).unwrap_or_default().trim()
}

fn address_of(name: &str, gathered: &Gathered) -> String {
    gathered.passages.iter().find(|passage| passage.id == name).map_or(name, |passage| &passage.url).to_string()
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
    let (statement, quotation) = (statement(fact), quotation(fact));
    if quotation.is_empty() {
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
