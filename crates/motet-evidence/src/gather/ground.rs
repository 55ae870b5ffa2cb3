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
/// words stand there and bear it out, and if not, `why`. Where they stand is written into its `sources`, or its `url` if it is a source
/// itself; passages that it names by their ids become addresses.
pub fn mark(answer: Value, field: &str, gathered: &Gathered) -> Grounded {
    let Value::Object(mut answer) = answer else { return Grounded { answer, ungrounded: Vec::new() } };
    let Some(Value::Array(mut items)) = answer.remove(field) else {
        return Grounded { answer: Value::Object(answer), ungrounded: Vec::new() };
    };
    let (mut ungrounded, mut used) = (Vec::new(), Vec::new());
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        without_marks(item);
        let standing = match stands(item, gathered) {
            Some(Ok(Place { url, words, span })) => {
                let source = gathered.sources.iter().find(|source| source.url == url);
                item.insert(if item.contains_key("quote") { "quote" } else { "excerpt" }.into(), json!(words));
                item.insert("span".into(), json!(span));
                item.insert("raw_file".into(), json!(source.map(|source| &source.local_path)));
                item.insert("stands".into(), json!(true));
                Some(url)
            }
            Some(Err(why)) => {
                item.insert("stands".into(), json!(false));
                item.insert("why".into(), json!(why));
                let titled = item.get("title").and_then(Value::as_str).unwrap_or_default();
                let named = Some(statement(item)).filter(|statement| !statement.is_empty()).unwrap_or(titled);
                ungrounded.push(Ungrounded { statement: named.to_string(), why });
                None
            }
            None => None,
        };
        used.extend(named_anew(item, standing, gathered));
    }
    let sources: Vec<_> = gathered.sources.iter().filter(|source| used.contains(&source.url)).collect();
    answer.insert("sources".into(), json!(sources));
    // Where the list is that of the sources themselves, it stays.
    answer.insert(field.into(), Value::Array(items));
    Grounded { answer: Value::Object(answer), ungrounded }
}

/// None: it quotes nothing. What states nothing is an excerpt.
fn stands(item: &Map<String, Value>, gathered: &Gathered) -> Option<Result<Place, String>> {
    if quotation(item).is_empty() {
        return None;
    }
    Some(if statement(item).is_empty() { excerpt(item, gathered) } else { place(item, gathered) })
}

/// The answer where nothing was gathered: marks that an agent set by itself are taken away.
pub fn unmark(mut answer: Value, field: &str) -> Value {
    let items = answer.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut).for_each(without_marks);
    answer
}

/// Nobody has a say in them but the archive.
fn without_marks(item: &mut Map<String, Value>) {
    ["stands", "why", "span", "raw_file"].iter().for_each(|mark| drop(item.shift_remove(*mark)));
}

/// Puts where it stands first among the addresses that it names. Gives all of them.
fn named_anew(item: &mut Map<String, Value>, standing: Option<String>, gathered: &Gathered) -> Vec<String> {
    let address = |name: &str| {
        let passage = gathered.passages.iter().find(|passage| passage.id == name);
        passage.map_or(name, |passage| &passage.url).to_string()
    };
    if let Some(named) = item.get("url").and_then(Value::as_str).map(address) {
        let url = standing.unwrap_or_else(|| named.clone());
        // Another page than it was said to be has another title.
        if let Some(source) = gathered.sources.iter().find(|source| source.url == url && url != named) {
            item.insert("title".into(), json!(source.title));
        }
        item.insert("url".into(), json!(url));
        return vec![url];
    }
    let named = names(item.get("sources")).into_iter().map(address);
    let mut each_once: Vec<String> = Vec::new();
    for url in standing.into_iter().chain(named) {
        if !each_once.contains(&url) {
            each_once.push(url);
        }
    }
    item.insert("sources".into(), json!(each_once));
    each_once
}

/// Where an excerpt stands: every line of it, on one page. What it is to say nobody claims.
fn excerpt(item: &Map<String, Value>, gathered: &Gathered) -> Result<Place, String> {
    let words = quotation(item);
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut texts: Vec<(&String, &String)> = gathered.texts.iter().collect();
    texts.sort_by_key(|(url, _)| item.get("url").and_then(Value::as_str) != Some(url));
    let found = texts.into_iter().find_map(|(url, text)| {
        let spans: Option<Vec<Span>> = lines.iter().map(|line| Some(quote::find(line, text)?.span)).collect();
        let spans = spans?;
        let span = Span::new(spans.iter().map(|span| span.start).min()?, spans.iter().map(|span| span.end).max()?);
        Some(Place { url: url.clone(), words: words.to_string(), span })
    });
    found.ok_or_else(|| NOWHERE.to_string())
}

const NOWHERE: &str = "its quotation stands in nothing that was gathered";

/// What a fact states, and a finding claims.
fn statement(fact: &Map<String, Value>) -> &str {
    fact.get("statement").or_else(|| fact.get("claim")).and_then(Value::as_str).unwrap_or_default()
}

fn quotation(fact: &Map<String, Value>) -> &str {
    fact.get("quote").or_else(|| fact.get("excerpt")).and_then(Value::as_str).unwrap_or_default().trim()
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
    Err(why.unwrap_or_else(|| NOWHERE.into()))
}

fn names(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
