//! A summary of what a run has to show, without anyone writing it: everything that exists, listed.
//! It invents nothing and judges nothing; an empty field is left out.

use serde_json::{Map, Value, json};

const SHOWN_CHARACTERS: usize = 200;
/// What says best what a thing is, in this order.
const TITLES: [&str; 11] =
    ["title", "summary", "subject", "name", "statement", "finding", "feedback", "description", "text", "outcome", "id"];

/// `{goal, …}` → `{summary, items}`: a Markdown list of everything else in the input, by field, and how many things that is.
/// A list is as many things as it has members; any other value is one; null, empty texts, lists and objects are nothing.
pub(super) fn list(input: &Value) -> Result<Value, String> {
    let empty = Map::new();
    let fields = match input {
        Value::Object(fields) => fields,
        Value::Null => &empty,
        _ => return Err("it must be an object".into()),
    };
    let mut summary = match fields.get("goal").and_then(Value::as_str) {
        Some(goal) => format!("# {}\n", one_line(goal)),
        None => "# What exists\n".to_string(),
    };
    let mut items = 0;
    for (name, value) in fields.iter().filter(|(name, value)| *name != "goal" && exists(value)) {
        let things: Vec<&Value> = match value {
            Value::Array(members) => members.iter().filter(|member| exists(member)).collect(),
            value => vec![value],
        };
        items += things.len();
        summary.push_str(&format!("\n## {} ({})\n\n", heading(name), things.len()));
        for thing in things {
            summary.push_str(&format!("- {}\n", titled(thing)));
        }
    }
    if items == 0 {
        summary.push_str("\nNothing was produced.\n");
    }
    Ok(json!({ "summary": summary, "items": items }))
}

fn exists(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(members) => members.iter().any(exists),
        Value::Object(fields) => fields.values().any(exists),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn heading(field: &str) -> String {
    let words = field.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn titled(thing: &Value) -> String {
    let Value::Object(fields) = thing else { return one_line(&plain(thing)) };
    let title = TITLES.iter().find_map(|name| fields.get(*name).filter(|value| value.is_string() && exists(value)));
    let outcome = fields.get("outcome").and_then(Value::as_str).filter(|outcome| title.and_then(Value::as_str) != Some(outcome));
    let title = one_line(&plain(title.unwrap_or(thing)));
    outcome.map_or(title.clone(), |outcome| format!("{outcome}: {title}"))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
