//! What a validator has found, said so that a person can act on it.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::diagnostic::nearest;

/// One sentence, or one for each property that must not be there.
pub(super) fn of(error: &ValidationError<'_>, schema: &Value, stranger: &str) -> Vec<String> {
    let path = path(error.instance_path());
    let value = shown(error.instance());
    let about = |problem: String| match path.is_empty() {
        true => vec![problem],
        false => vec![format!("`{path}`: {problem}")],
    };
    match error.kind() {
        ValidationErrorKind::Required { property } => vec![format!("`{}` is missing", join(&path, property.as_str().unwrap_or_default()))],
        ValidationErrorKind::AdditionalProperties { unexpected } | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known = known_properties(schema, error.instance_path());
            unexpected.iter().map(|name| unknown(&join(&path, name), name, &known, stranger)).collect()
        }
        ValidationErrorKind::Type { kind } => about(format!("expected {}, found {value}", expected(kind))),
        ValidationErrorKind::Enum { options } => about(format!("{value} is not one of {}", listed(options))),
        ValidationErrorKind::Constant { expected_value } => about(format!("{value} is not {}", shown(expected_value))),
        ValidationErrorKind::Minimum { limit } => about(format!("{value} is less than the minimum of {limit}")),
        ValidationErrorKind::Maximum { limit } => about(format!("{value} is greater than the maximum of {limit}")),
        ValidationErrorKind::ExclusiveMinimum { limit } => about(format!("{value} is not greater than {limit}")),
        ValidationErrorKind::ExclusiveMaximum { limit } => about(format!("{value} is not less than {limit}")),
        ValidationErrorKind::MinLength { limit: 1 } => about("must not be empty".to_owned()),
        ValidationErrorKind::MinLength { limit } => about(format!("{value} is shorter than {limit} characters")),
        ValidationErrorKind::MaxLength { limit } => about(format!("{value} is longer than {limit} characters")),
        ValidationErrorKind::MinItems { limit } => about(format!("has fewer than {limit} items")),
        ValidationErrorKind::MaxItems { limit } => about(format!("has more than {limit} items")),
        ValidationErrorKind::UniqueItems => about("has the same item twice".to_owned()),
        // What the author says of it in words says more than how a machine tells.
        ValidationErrorKind::Pattern { pattern } => match node(schema, error.instance_path()).and_then(|node| node["description"].as_str())
        {
            Some(description) => about(format!("{value} does not fit: {description}")),
            None => about(format!("{value} does not match the pattern `{pattern}`")),
        },
        ValidationErrorKind::Format { format } => about(format!("{value} is not a valid {format}")),
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            about(format!("{value} fits none of the allowed shapes"))
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            about(format!("{value} fits more than one of the shapes of which it must fit one"))
        }
        ValidationErrorKind::Custom { message, .. } => about(message.clone()),
        _ => about(error.masked().to_string()),
    }
}

fn unknown(path: &str, name: &str, known: &[&str], stranger: &str) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("unknown {stranger} `{path}`, did you mean `{near}`?"),
        None if known.is_empty() => format!("unknown {stranger} `{path}`"),
        None => format!("unknown {stranger} `{path}`; known: {}", known.join(", ")),
    }
}

/// The properties that the object at a place may have.
fn known_properties<'s>(schema: &'s Value, location: &Location) -> Vec<&'s str> {
    let properties = node(schema, location).and_then(|node| node.get("properties")?.as_object());
    properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// What the schema says of a place, found by following its own structure.
fn node<'s>(schema: &'s Value, location: &Location) -> Option<&'s Value> {
    let mut node = Some(schema);
    for segment in location {
        node = node.and_then(|node| match segment {
            LocationSegment::Property(name) => node.get("properties")?.get(name.as_ref()),
            LocationSegment::Index(_) => node.get("items"),
        });
    }
    node
}

fn path(location: &Location) -> String {
    location.iter().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => join(&path, &name),
        LocationSegment::Index(position) => format!("{path}[{position}]"),
    })
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn expected(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => word(*kind).to_owned(),
        TypeKind::Multiple(kinds) => kinds.iter().map(word).collect::<Vec<_>>().join(" or "),
    }
}

fn word(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "text",
    }
}

fn listed(options: &Value) -> String {
    let words = options.as_array().into_iter().flatten().map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned));
    words.collect::<Vec<_>>().join(", ")
}

/// A value as it is written, cut where it becomes long.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        _ => {
            let written = value.to_string();
            match written.char_indices().nth(60) {
                Some((end, _)) => format!("{}…", &written[..end]),
                None => written,
            }
        }
    }
}
