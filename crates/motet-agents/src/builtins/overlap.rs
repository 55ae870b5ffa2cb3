//! How much of a text is taken over word for word from its sources.
//! It compares words, not meaning: a paraphrase is none of its business.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::words::words_of;
use super::{kind, rounded, text};

const GRAM: usize = 5;

/// `{text, sources: [text or {id, text}]}` → `{overlap, longest: {words, text, source}, sources: [{source, overlap, longest}]}`.
/// `overlap` is the share of the text's runs of five words that some source has too; `longest` is the longest run of words
/// in common. A source is called by its `id`, or by its number from one.
pub(super) fn overlap(input: &Value) -> Result<Value, String> {
    let text = folded(text(input, "text")?);
    let sources = sources(input.get("sources"))?;
    let grams: BTreeSet<&[String]> = text.windows(GRAM).collect();
    let mut shared = BTreeSet::new();
    let mut longest: Option<(usize, usize, &str)> = None;
    let mut each = Vec::new();
    for (name, words) in &sources {
        let theirs: BTreeSet<&[String]> = words.windows(GRAM).collect();
        let common: BTreeSet<&[String]> = grams.intersection(&theirs).copied().collect();
        let (begin, length) = longest_run(&text, words);
        each.push(json!({ "source": name, "overlap": share(common.len(), grams.len()), "longest": length }));
        shared.extend(common);
        if length > longest.map_or(0, |(_, length, _)| length) {
            longest = Some((begin, length, name));
        }
    }
    let longest =
        longest.map(|(begin, length, name)| json!({ "words": length, "text": text[begin..begin + length].join(" "), "source": name }));
    Ok(json!({
        "overlap": share(shared.len(), grams.len()),
        "longest": longest.unwrap_or_else(|| json!({ "words": 0, "text": "", "source": null })),
        "sources": each,
    }))
}

fn folded(text: &str) -> Vec<String> {
    words_of(text).map(str::to_lowercase).collect()
}

fn sources(given: Option<&Value>) -> Result<Vec<(String, Vec<String>)>, String> {
    let sources = match given {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(sources)) => sources,
        Some(other) => return Err(format!("`sources` must be a list, but is {}", kind(other))),
    };
    let read = |(position, source): (usize, &Value)| {
        let number = (position + 1).to_string();
        match source {
            Value::String(text) => Ok((number, folded(text))),
            Value::Object(fields) => {
                let name = fields.get("id").and_then(Value::as_str).map_or(number, String::from);
                Ok((name, folded(text(source, "text").map_err(|problem| format!("source {}: {problem}", position + 1))?)))
            }
            other => Err(format!("source {} must be a text or an object, but is {}", position + 1, kind(other))),
        }
    };
    sources.iter().enumerate().map(read).collect()
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { rounded(part as f64 / whole as f64, 4) }
}

/// Where the longest common run begins in `text`, and how many words it has. Words become numbers first, and only
/// places where both texts have the same word are visited.
fn longest_run(text: &[String], source: &[String]) -> (usize, usize) {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, word) in source.iter().enumerate() {
        places.entry(word).or_default().push(position);
    }
    let mut best = (0, 0);
    // The length of the common run that ends at a word of the source, for the word of the text before.
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    for (position, word) in text.iter().enumerate() {
        let mut now = BTreeMap::new();
        for place in places.get(word.as_str()).map_or(&[][..], Vec::as_slice) {
            let length = place.checked_sub(1).and_then(|previous| before.get(&previous)).copied().unwrap_or(0) + 1;
            now.insert(*place, length);
            if length > best.1 {
                best = (position + 1 - length, length);
            }
        }
        before = now;
    }
    best
}
