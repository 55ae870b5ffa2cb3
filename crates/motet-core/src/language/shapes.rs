//! Reads the shape of an input or a result: a schema file, or JSON Schema's words in a short form by field.
//! Validating values is `schema`'s business.

use serde_json::{Map, Value, json};

use super::reader::suggest;
use super::reading::Reading;
use super::yaml::{Key, Kind, Node};
use super::{codes, grammar};
use crate::diagnostic::Span;
use crate::schema::Schema;

/// A whole shape. `closed`: an object may not have fields that are not declared.
pub fn shape(reading: &mut Reading<'_>, node: &Node, closed: bool) -> Option<Schema> {
    let json = match &node.kind {
        Kind::Scalar { text, .. } => schema_file(reading, text, &node.span)?,
        Kind::Map(entries) if is_json_schema(entries) => node.to_json(),
        Kind::Map(entries) => {
            let mut schema = object(reading, entries);
            if closed {
                schema["additionalProperties"] = false.into();
            }
            schema
        }
        Kind::List(_) => return reading.reader.wrong(node, "the path of a schema, or fields with their types"),
    };
    match Schema::compile(json) {
        Ok(schema) => Some(schema),
        Err(why) => {
            reading.reader.error(codes::SCHEMA, &node.span, format!("this shape is not a JSON Schema: {why}"));
            None
        }
    }
}

/// A shape that is written in JSON Schema itself rather than in the short form.
fn is_json_schema(entries: &[(Key, Node)]) -> bool {
    let value = |name: &str| entries.iter().find(|(key, _)| key.text == name).map(|(_, value)| value);
    value("type").and_then(Node::scalar) == Some("object") && value("properties").is_some_and(|node| matches!(node.kind, Kind::Map(_)))
}

fn schema_file(reading: &mut Reading<'_>, path: &str, span: &Span) -> Option<Value> {
    let text = reading.file(path, span, "schema")?.to_owned();
    match serde_json::from_str(&text) {
        Ok(json) => Some(json),
        Err(error) => {
            let place = Span { file: path.into(), line: error.line().max(1), column: error.column().max(1), length: 1 };
            reading.reader.error(codes::SCHEMA, &place, format!("`{path}` is not JSON: {error}"));
            None
        }
    }
}

fn object(reading: &mut Reading<'_>, entries: &[(Key, Node)]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (key, node) in entries {
        let Some(mut field) = field(reading, node) else { continue };
        let optional = field.as_object_mut().and_then(|field| field.remove("optional")) == Some(Value::Bool(true));
        if !optional && field.get("default").is_none() {
            required.push(Value::String(key.text.clone()));
        }
        properties.insert(key.text.clone(), field);
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// One field: a type, `[a type]` for a list, JSON Schema's words, or a mapping of fields for an object.
fn field(reading: &mut Reading<'_>, node: &Node) -> Option<Value> {
    match &node.kind {
        Kind::Scalar { text, .. } if text.ends_with(".json") => schema_file(reading, text, &node.span),
        Kind::Scalar { text, .. } => type_of(reading, text, node),
        Kind::List(items) => match items.as_slice() {
            [item] => Some(json!({ "type": "array", "items": field(reading, item)? })),
            _ => reading.reader.wrong(node, "one type in brackets, such as `[string]`"),
        },
        Kind::Map(entries) if is_in_words(entries) => in_words(reading, node, entries),
        Kind::Map(entries) => Some(object(reading, entries)),
    }
}

fn type_of(reading: &mut Reading<'_>, name: &str, node: &Node) -> Option<Value> {
    match name {
        "anything" => Some(json!({})),
        "duration" => Some(json!({ "type": "string", "format": "motet-duration" })),
        name if grammar::TYPES.contains(&name) => Some(json!({ "type": name })),
        name => {
            let problem = reading.reader.error(codes::WRONG_TYPE, &node.span, format!("unknown type {}", node.describe()));
            suggest(problem, name, grammar::TYPES.iter().copied());
            None
        }
    }
}

/// Told from an object with a field called `type` by what stands there.
fn is_in_words(entries: &[(Key, Node)]) -> bool {
    entries.iter().any(|(key, value)| match key.text.as_str() {
        "type" => value.scalar().is_some(),
        "enum" | "anyOf" | "oneOf" | "allOf" => matches!(value.kind, Kind::List(_)),
        "const" | "default" | "optional" => true,
        _ => false,
    })
}

fn in_words(reading: &mut Reading<'_>, node: &Node, entries: &[(Key, Node)]) -> Option<Value> {
    reading.reader.fields(node, &grammar::FIELD, &node.span)?;
    let mut schema = Map::new();
    let type_node = entries.iter().find(|(key, _)| key.text == "type").map(|(_, value)| value);
    if let Some(type_node) = type_node {
        let name = reading.reader.text(type_node, "the name of a type")?;
        schema.extend(type_of(reading, name, type_node)?.as_object().cloned().unwrap_or_default());
    }
    let is_duration = schema.contains_key("format");
    for (key, value) in entries.iter().filter(|(key, _)| key.text != "type") {
        let (name, value) = match key.text.as_str() {
            limit @ ("minimum" | "maximum") if is_duration => {
                reading.reader.duration(value)?;
                (format!("x-{limit}"), value.scalar().map_or(Value::Null, Value::from))
            }
            "items" => ("items".to_owned(), field(reading, value)?),
            "properties" => {
                let fields = object(reading, reading_entries(value));
                for part in ["properties", "required"] {
                    schema.entry(part).or_insert_with(|| fields[part].clone());
                }
                continue;
            }
            "required" => {
                schema.insert("required".into(), value.to_json());
                continue;
            }
            name => (name.to_owned(), value.to_json()),
        };
        schema.insert(name, value);
    }
    let only_texts = |values: &Value| values.as_array().is_some_and(|values| values.iter().all(Value::is_string));
    if !schema.contains_key("type") && schema.get("enum").is_some_and(only_texts) {
        schema.insert("type".into(), "string".into());
    }
    check_default(reading, entries, &schema);
    Some(Value::Object(schema))
}

fn reading_entries(node: &Node) -> &[(Key, Node)] {
    match &node.kind {
        Kind::Map(entries) => entries,
        _ => &[],
    }
}

/// A default that does not fit would fail every run that relies on it.
fn check_default(reading: &mut Reading<'_>, entries: &[(Key, Node)], schema: &Map<String, Value>) {
    let Some((_, default)) = entries.iter().find(|(key, _)| key.text == "default") else { return };
    let mut bare = schema.clone();
    bare.remove("optional");
    let Ok(schema) = Schema::compile(Value::Object(bare)) else { return };
    if let Some(why) = schema.problems(&default.to_json()).first() {
        reading.reader.error(codes::SCHEMA, &default.span, format!("the default does not fit: {why}"));
    }
}
