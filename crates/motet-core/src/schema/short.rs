//! The short form of a schema, as workflows write it: `{ title: string, tags: [string], score: { type: number, minimum: 0 } }`.
//! It only writes the short form out; whether the result is a schema is the compiler's business.

use serde_json::{Map, Value, json};

use super::Required;
use crate::diagnostic::nearest;

const WORDS: [&str; 9] = ["string", "integer", "number", "boolean", "object", "array", "null", "duration", "any"];

/// The keywords that a property may have.
const KEYWORDS: [&str; 38] = [
    "type",
    "enum",
    "const",
    "default",
    "description",
    "title",
    "examples",
    "env",
    "unique",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "prefixItems",
    "contains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$defs",
];

/// A map with one of these is a schema; any other is an object in short form.
const MARKS: [&str; 12] =
    ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "items", "properties", "default", "description", "pattern"];

pub(super) fn expand(short: &Value, required: Required) -> Result<Value, String> {
    let fields = match short {
        Value::Object(fields) => fields,
        Value::Null => &Map::new(),
        other => return Err(format!("expected a map of names to types, found {other}")),
    };
    let is_schema =
        fields.contains_key("$schema") || (fields.get("type").is_some_and(|kind| kind == "object") && fields.contains_key("properties"));
    if is_schema {
        return Ok(short.clone());
    }
    let mut schema = object(fields)?;
    if required == Required::Input {
        let optional = |name: &Value| name.as_str().is_some_and(|name| schema["properties"][name].get("default").is_some());
        let needed: Vec<Value> = schema["required"].as_array().into_iter().flatten().filter(|name| !optional(name)).cloned().collect();
        schema["required"] = Value::Array(needed);
        schema["additionalProperties"] = false.into();
    }
    Ok(schema)
}

/// An object whose properties are all required.
fn object(fields: &Map<String, Value>) -> Result<Value, String> {
    let mut properties = Map::new();
    for (name, short) in fields {
        properties.insert(name.clone(), property(short).map_err(|problem| format!("`{name}`: {problem}"))?);
    }
    let required: Vec<&String> = fields.keys().collect();
    Ok(json!({ "type": "object", "required": required, "properties": properties }))
}

fn property(short: &Value) -> Result<Value, String> {
    match short {
        Value::String(word) => self::word(word.trim()),
        Value::Array(items) => match items.as_slice() {
            [] => Ok(json!({ "type": "array" })),
            [item] => Ok(json!({ "type": "array", "items": property(item)? })),
            _ => Err("a list names the one type of its items, as in `[string]`; for a choice write `{ enum: [a, b] }`".into()),
        },
        Value::Object(fields) if fields.is_empty() => Ok(json!({})),
        Value::Object(fields) if MARKS.iter().any(|mark| fields.contains_key(*mark)) => full(fields),
        Value::Object(fields) => object(fields),
        other => Err(format!("expected a type such as `string`, found {other}")),
    }
}

fn word(word: &str) -> Result<Value, String> {
    if let Some(item) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
        return Ok(json!({ "type": "array", "items": self::word(item.trim())? }));
    }
    match word {
        "any" => Ok(json!({})),
        known if WORDS.contains(&known) => Ok(json!({ "type": known })),
        other => Err(match nearest(other, WORDS) {
            Some(near) => format!("unknown type `{other}`, did you mean `{near}`?"),
            None => format!("unknown type `{other}`; known: {}", WORDS.join(", ")),
        }),
    }
}

/// A schema in which `items` and `properties` may be short again.
fn full(fields: &Map<String, Value>) -> Result<Value, String> {
    let mut schema = Map::new();
    for (keyword, value) in fields {
        if !KEYWORDS.contains(&keyword.as_str()) && !keyword.starts_with("x-") {
            return Err(match nearest(keyword, KEYWORDS) {
                Some(near) => format!("unknown keyword `{keyword}`, did you mean `{near}`?"),
                None => format!("unknown keyword `{keyword}`"),
            });
        }
        match (keyword.as_str(), value) {
            ("type", Value::String(kind)) if kind == "any" => {}
            ("type", Value::String(kind)) => {
                if let Value::Object(inner) = word(kind)? {
                    schema.extend(inner);
                }
            }
            ("items", items) => drop(schema.insert("items".into(), property(items)?)),
            ("properties", Value::Object(properties)) => {
                let object = object(properties)?;
                schema.insert("properties".into(), object["properties"].clone());
                if !fields.contains_key("required") {
                    schema.insert("required".into(), object["required"].clone());
                }
            }
            _ => drop(schema.insert(keyword.clone(), value.clone())),
        }
    }
    Ok(Value::Object(schema))
}
