//! The keys of `workflow.yaml` as a page for people, from the schema that editors use.
//! What a key means stands in the grammar; nothing is said here that is not said there.

use serde_json::Value;

const TOP: &str = "\
# The keys of `workflow.yaml`

<!-- Written by `cargo xtask docs` from the grammar. -->

Every key of a workflow, by where it stands. How they are used together is told in [the guide](../guide/write.md); what stands where a
value is computed, in [expressions](expressions.md); functions for `call`, in [built-ins](builtins.md). Editors complete and check all of this
with [workflow.schema.json](workflow.schema.json).
";

/// The page, from the text of the schema.
pub fn page(schema: &str) -> Result<String, String> {
    let schema: Value = serde_json::from_str(schema).map_err(|error| format!("the schema of workflows is no JSON: {error}"))?;
    let mut text = format!("{TOP}{}", section("workflow.yaml", &schema));
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        text.push_str(&section(name, part));
    }
    Ok(text)
}

fn section(name: &str, part: &Value) -> String {
    let about = part["description"].as_str().map_or_else(String::new, |about| format!("\n{about}\n"));
    let keys = properties(part);
    let rows = keys.iter().map(|(key, value)| {
        let about = value["description"].as_str().unwrap_or_default();
        format!("| `{key}` | {} | {} |\n", taken(value).replace('|', "\\|"), about.replace('|', "\\|"))
    });
    let table = if keys.is_empty() { String::new() } else { format!("\n| key | takes | |\n|---|---|---|\n{}", rows.collect::<String>()) };
    format!("\n## {name}\n{about}{table}")
}

/// The keys of an object, wherever in its alternatives they are listed.
fn properties(part: &Value) -> Vec<(&String, &Value)> {
    let own = part["properties"].as_object().into_iter().flatten();
    let alternatives = part["anyOf"].as_array().into_iter().flatten();
    let mut keys: Vec<(&String, &Value)> = own.collect();
    for (key, value) in alternatives.flat_map(properties) {
        if !keys.iter().any(|(known, _)| *known == key) {
            keys.push((key, value));
        }
    }
    keys
}

/// What may stand behind a key, in a few words.
fn taken(value: &Value) -> String {
    if let Some(part) = value["$ref"].as_str().and_then(|place| place.rsplit('/').next()) {
        return format!("[{part}](#{part})");
    }
    if let Some(words) = value["enum"].as_array() {
        return words
            .iter()
            .map(|word| format!("`{}`", word.as_str().map_or_else(|| word.to_string(), str::to_string)))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(alternatives) = value["anyOf"].as_array() {
        let mut ways: Vec<String> = Vec::new();
        for way in alternatives.iter().map(taken).filter(|way| !way.is_empty()) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        return ways.join(" or ");
    }
    let items = |of: &Value| Some(taken(of)).filter(|of| !of.is_empty()).map_or_else(String::new, |of| format!(" of {of}"));
    match value["type"].as_str() {
        Some("array") => format!("list{}", items(&value["items"])),
        Some("object") => format!("mapping{}", items(&value["additionalProperties"])),
        Some("null") => String::new(),
        Some("string") => "text".to_string(),
        Some(other) => other.to_string(),
        // A number or a truth value is written as text is.
        None if value["type"].is_array() => "value".to_string(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_listed_with_what_they_take() {
        let schema = r##"{
            "description": "A workflow.",
            "properties": {
                "agents": {"anyOf": [{"type": "object", "additionalProperties": {"$ref": "#/$defs/agent"}}, {"type": "null"}], "description": "Who."},
                "summary": {"type": ["string", "number"], "description": "What."}
            },
            "$defs": {"agent": {"anyOf": [{"properties": {"effort": {"enum": ["low", "high"], "description": "How | hard."}}}]}}
        }"##;
        let page = page(schema).expect("a page");
        for part in [
            "## workflow.yaml\n\nA workflow.\n",
            "| `agents` | mapping of [agent](#agent) | Who. |",
            "| `summary` | value | What. |",
            "## agent\n\n| key | takes | |\n|---|---|---|\n| `effort` | `low`, `high` | How \\| hard. |",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        assert!(super::page("nothing").is_err());
    }
}
