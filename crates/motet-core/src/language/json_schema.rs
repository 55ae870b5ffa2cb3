//! The published JSON Schema of the language, generated from the grammar, for editors that complete and explain.
//! It is looser than the reader: names, expressions and what belongs together are checked by `load` alone.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::grammar::{Key, Mapping, PLAN_TASK, Shape};

/// The schema of a file whose top is this mapping.
pub fn of(top: &'static Mapping, title: &str) -> Value {
    let mut definitions = BTreeMap::new();
    define(top, &mut definitions);
    let mut schema = definitions.remove(top.name).unwrap_or_default();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("title".into(), title.into());
        fields.insert("$defs".into(), definitions.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into());
    }
    schema
}

/// Names the keys that a whole file needs. Nested mappings name none: where a workflow extends another, parts are enough.
pub fn require(schema: &mut Value, top: &Mapping, unless: Option<&str>) {
    let required: Vec<&str> = top.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    schema["anyOf"] = unless.map(|key| json!({ "required": [key] })).into_iter().chain([json!({ "required": required })]).collect();
}

fn define(mapping: &'static Mapping, definitions: &mut BTreeMap<&'static str, Value>) {
    if definitions.contains_key(mapping.name) {
        return;
    }
    definitions.insert(mapping.name, Value::Null);
    let properties: Map<String, Value> = mapping.keys.iter().map(|key| (key.name.to_owned(), property(key, definitions))).collect();
    let open = mapping.name == PLAN_TASK.name;
    let schema = json!({ "description": mapping.about, "type": "object", "properties": properties, "additionalProperties": open });
    definitions.insert(mapping.name, schema);
}

fn property(key: &Key, definitions: &mut BTreeMap<&'static str, Value>) -> Value {
    let schema = shape(&key.shape, definitions);
    // A key without a value is the same as no key, and null removes what an extended workflow says.
    let mut schema = match key.required {
        true => schema,
        false => json!({ "anyOf": [schema, { "type": "null" }] }),
    };
    schema["description"] = key.about.into();
    schema
}

fn shape(shape_of: &Shape, definitions: &mut BTreeMap<&'static str, Value>) -> Value {
    match shape_of {
        Shape::Text => json!({ "type": ["string", "number", "boolean"] }),
        Shape::Name => json!({ "type": "string" }),
        Shape::Expression => json!({ "type": ["string", "number", "boolean"] }),
        Shape::Formula | Shape::Anything => json!({}),
        Shape::Duration => json!({ "type": "string", "pattern": "^([0-9]+(ms|s|m|h|d))+$" }),
        Shape::Integer => json!({ "type": "integer" }),
        Shape::Number => json!({ "type": "number" }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Percent => json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$" }),
        Shape::Word(words) => json!({ "enum": words }),
        Shape::List(item) => json!({ "type": "array", "items": shape(item, definitions) }),
        Shape::Names(value) => json!({ "type": "object", "additionalProperties": nullable(value, definitions) }),
        Shape::Mapping(mapping) => {
            define(mapping, definitions);
            json!({ "$ref": format!("#/$defs/{}", mapping.name) })
        }
        Shape::Either(shapes) => json!({ "anyOf": shapes.iter().map(|one| shape(one, definitions)).collect::<Vec<_>>() }),
    }
}

fn nullable(value: &Shape, definitions: &mut BTreeMap<&'static str, Value>) -> Value {
    match shape(value, definitions) {
        open if open == json!({}) => open,
        schema => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}
