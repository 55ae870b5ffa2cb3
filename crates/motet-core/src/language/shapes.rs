//! Reads the shape of an input or a result: a schema file, or the short form by field, with the place of what is wrong in it.
//! What the short form means is `schema`'s business.

use serde_json::{Map, Value};

use super::codes;
use super::reading::Reading;
use super::yaml::{Kind, Node};
use crate::diagnostic::Span;
use crate::schema::{Required, Schema};

pub fn shape(reading: &mut Reading<'_>, node: &Node, required: Required) -> Option<Schema> {
    match &node.kind {
        Kind::Scalar { text, .. } => schema_file(reading, text, &node.span),
        Kind::Map(_) => short_form(reading, node, required),
        Kind::List(_) => reading.reader.wrong(node, "the path of a schema, or fields with their types"),
    }
}

fn schema_file(reading: &mut Reading<'_>, path: &str, span: &Span) -> Option<Schema> {
    let text = reading.file(path, span, "schema")?;
    match serde_json::from_str(text).map(Schema::compile) {
        Ok(Ok(schema)) => return Some(schema),
        Ok(Err(why)) => {
            reading.reader.error(codes::SCHEMA, span, format!("`{path}`: {why}"));
        }
        Err(error) => {
            let place = Span { file: path.into(), line: error.line().max(1), column: error.column().max(1), length: 1 };
            reading.reader.error(codes::SCHEMA, &place, format!("`{path}` is not JSON: {error}"));
        }
    }
    None
}

/// The whole is compiled; if that fails, each field alone, so that every field with a problem is shown.
fn short_form(reading: &mut Reading<'_>, node: &Node, required: Required) -> Option<Schema> {
    let why = match Schema::from_short(&node.to_json(), required) {
        Ok(schema) => return Some(schema),
        Err(why) => why,
    };
    let before = reading.reader.problems.len();
    for (key, value) in reading.reader.map(node, "fields")? {
        let alone = Map::from_iter([(key.text.clone(), value.to_json())]);
        if let Err(why) = Schema::from_short(&Value::Object(alone), required) {
            let place =
                place_of(value, &why).unwrap_or_else(|| if value.scalar().is_some() { value.span.clone() } else { key.span.clone() });
            reading.reader.error(codes::SCHEMA, &place, why);
        }
    }
    if reading.reader.problems.len() == before {
        reading.reader.error(codes::SCHEMA, &node.span, why);
    }
    None
}

/// The first word that a message quotes and that stands inside the field.
fn place_of(node: &Node, message: &str) -> Option<Span> {
    message.split('`').skip(1).step_by(2).find_map(|word| find(node, word))
}

fn find(node: &Node, word: &str) -> Option<Span> {
    match &node.kind {
        Kind::Scalar { text, .. } => (text == word).then(|| node.span.clone()),
        Kind::List(items) => items.iter().find_map(|item| find(item, word)),
        Kind::Map(entries) => entries.iter().find_map(|(key, value)| match key.text == word {
            true => Some(key.span.clone()),
            false => find(value, word),
        }),
    }
}
