//! The shape of an answer, in the form that each provider can hold a model to; in words where it cannot.
//! What a provider promises is never believed: the answer is validated against the workflow's own schema afterwards.

mod refusals;

use serde_json::{Map, Value, json};

use super::conversation::{Message, Speaker};
use super::provider::{ModelSettings, ProviderKind, StructuredOutput};
use super::reading::wants_structure;

/// How a model is told the shape of its answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// There is none, or free text can stand for it.
    Free,
    /// The provider holds the model to this schema.
    Held(Value),
    /// The model is asked for it.
    InWords(Value),
}

/// The shape for one request of this kind of provider.
pub(super) fn of(kind: ProviderKind, settings: &ModelSettings, schema: Option<&Value>, with_tools: bool) -> Shape {
    let Some(schema) = schema.filter(|schema| wants_structure(Some(schema))) else { return Shape::Free };
    if settings.structured == StructuredOutput::Off {
        return Shape::InWords(schema.clone());
    }
    let held = match kind {
        ProviderKind::Ollama => Some(schema.clone()),
        // A server that is held to a schema by a grammar cannot call a tool at the same time.
        ProviderKind::OpenAiCompatible | ProviderKind::Gemini if with_tools => None,
        ProviderKind::OpenAiCompatible => Some(schema.clone()),
        ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Gemini => closed(schema),
    };
    held.map_or_else(|| Shape::InWords(schema.clone()), Shape::Held)
}

/// A shape that is only preferred is asked for where a grammar takes it as it is. In the strict form of others it would cost
/// what the answer may say besides.
pub(super) fn preferred(kind: ProviderKind, settings: &ModelSettings, schema: &Value, with_tools: bool) -> Shape {
    let has_grammar = matches!(kind, ProviderKind::Ollama | ProviderKind::OpenAiCompatible);
    let may_hold = has_grammar && !with_tools && settings.structured == StructuredOutput::Auto;
    if may_hold { Shape::Held(schema.clone()) } else { Shape::Free }
}

impl Shape {
    /// Adds to the conversation what the provider does not enforce.
    pub fn tell(&self, messages: &mut Vec<Message>) {
        let Shape::InWords(schema) = self else { return };
        let told = format!("Answer with one JSON value and nothing else. It must match this JSON Schema:\n{schema}");
        match messages.iter_mut().rev().find(|message| message.speaker == Speaker::User) {
            Some(last) => last.content = format!("{}\n\n{told}", last.content),
            None => messages.push(Message::new(Speaker::User, told)),
        }
    }
}

/// The same value without the nulls that stand for what may be absent: a schema that is closed has no other word for it.
pub(super) fn without_nulls(value: Value, schema: &Value) -> Value {
    strip(value, schema, schema, 0)
}

const DEEPEST: usize = 32;

/// The schema in the strict form that some providers want: objects that are closed, every property required, those that may
/// be absent null instead, and only the keywords that say what a value looks like. None: it cannot be said so.
fn closed(schema: &Value) -> Option<Value> {
    let mut whole = close(schema, 0)?;
    for definitions in ["$defs", "definitions"] {
        if let Some(all) = schema.get(definitions).and_then(Value::as_object) {
            let all: Option<Map<String, Value>> = all.iter().map(|(name, one)| Some((name.clone(), close(one, 0)?))).collect();
            whole.as_object_mut()?.insert(definitions.into(), all?.into());
        }
    }
    (whole.get("type")? == "object").then_some(whole)
}

fn close(schema: &Value, depth: usize) -> Option<Value> {
    let fields = schema.as_object().filter(|_| depth < DEEPEST)?;
    if let Some(reference) = fields.get("$ref") {
        return Some(json!({ "$ref": reference }));
    }
    if let Some(constant) = fields.get("const") {
        return Some(json!({ "enum": [constant] }));
    }
    let mut closed = Map::new();
    if let Some(description) = fields.get("description") {
        closed.insert("description".into(), description.clone());
    }
    if let Some(values) = fields.get("enum") {
        closed.insert("enum".into(), values.clone());
        if let Some(kind) = fields.get("type").filter(|kind| kind.is_string()) {
            closed.insert("type".into(), kind.clone());
        }
        return Some(closed.into());
    }
    if let Some(variants) = fields.get("anyOf").or_else(|| fields.get("oneOf")).and_then(Value::as_array) {
        let variants: Option<Vec<Value>> = variants.iter().map(|variant| close(variant, depth + 1)).collect();
        closed.insert("anyOf".into(), variants?.into());
        return Some(closed.into());
    }
    match fields.get("type")? {
        Value::Array(kinds) => {
            let one = |kind: &Value| {
                let mut alone = fields.clone();
                alone.insert("type".into(), kind.clone());
                close(&alone.into(), depth + 1)
            };
            closed.insert("anyOf".into(), kinds.iter().map(one).collect::<Option<Vec<Value>>>()?.into());
        }
        kind if kind == "object" => {
            if fields.get("additionalProperties").is_some_and(Value::is_object) || fields.contains_key("patternProperties") {
                return None;
            }
            let properties = fields.get("properties")?.as_object().filter(|properties| !properties.is_empty())?;
            let mut all = Map::new();
            for (name, property) in properties {
                let property = close(property, depth + 1)?;
                let may_be_absent = !is_required(fields, name);
                all.insert(name.clone(), if may_be_absent { json!({ "anyOf": [property, { "type": "null" }] }) } else { property });
            }
            closed.insert("type".into(), kind.clone());
            closed.insert("required".into(), all.keys().cloned().collect::<Vec<_>>().into());
            closed.insert("properties".into(), all.into());
            closed.insert("additionalProperties".into(), false.into());
        }
        kind if kind == "array" => {
            closed.insert("type".into(), kind.clone());
            closed.insert("items".into(), close(fields.get("items")?, depth + 1)?);
        }
        kind => {
            closed.insert("type".into(), kind.clone());
        }
    }
    Some(closed.into())
}

fn strip(value: Value, schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(fields) = resolve(schema, root).filter(|_| depth < DEEPEST) else { return value };
    match value {
        Value::Object(object) => {
            let property = |name: &str| fields.get("properties").and_then(|properties| properties.get(name));
            let kept = object.into_iter().filter_map(|(name, value)| match property(&name) {
                Some(property) if value.is_null() && !is_required(fields, &name) && !takes_null(property, root) => None,
                Some(property) => Some((name, strip(value, property, root, depth + 1))),
                None => Some((name, value)),
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => match fields.get("items") {
            Some(schema) => items.into_iter().map(|item| strip(item, schema, root, depth + 1)).collect::<Vec<_>>().into(),
            None => Value::Array(items),
        },
        other => other,
    }
}

fn resolve<'a>(mut schema: &'a Value, root: &'a Value) -> Option<&'a Map<String, Value>> {
    for _ in 0..DEEPEST {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
            None => return schema.as_object(),
        }
    }
    None
}

fn is_required(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get("required").and_then(Value::as_array).is_some_and(|required| required.iter().any(|required| required == name))
}

/// Whether null is a value of its own here; a schema that says nothing about types takes it.
fn takes_null(schema: &Value, root: &Value) -> bool {
    let Some(fields) = resolve(schema, root) else { return true };
    if let Some(values) = fields.get("enum").and_then(Value::as_array) {
        return values.iter().any(Value::is_null);
    }
    if let Some(variants) = fields.get("anyOf").or_else(|| fields.get("oneOf")).and_then(Value::as_array) {
        return variants.iter().any(|variant| takes_null(variant, root));
    }
    match fields.get("type") {
        Some(Value::String(kind)) => kind == "null",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        _ => fields.get("const").is_none_or(Value::is_null),
    }
}

#[cfg(test)]
mod tests;
