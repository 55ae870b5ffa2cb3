//! One event as bytes, with its large values taken out, and back again. Decoding is strict: what is not known stops.
//! A large value is a field of the fact over the limit; it is replaced by `{"$payload": digest}`.

use std::collections::BTreeMap;

use motet_core::Folder;
use motet_core::event::{EVENT_VERSION, Event, Fact};
use motet_core::names::{Digest, RunId};
use serde_json::{Map, Value};

use super::{Error, LARGE};
use crate::store::Payload;

const PAYLOAD: &str = "$payload";
/// Around a value that itself looks like one of ours.
const LITERAL: &str = "$literal";

/// The JSON reader stops at a depth of 128, and an event adds a few levels of its own.
const DEEPEST: usize = 100;

pub struct Encoded {
    pub body: Vec<u8>,
    pub payloads: Vec<Payload>,
}

pub fn encode(event: &Event) -> Encoded {
    let body = to_bytes(event);
    // Neither a large field nor one that needs a mark around it can be in here.
    if body.len() <= LARGE && !contains_mark(&body) {
        return Encoded { body, payloads: Vec::new() };
    }
    let mut payloads = Vec::new();
    let mut value = serde_json::to_value(event).unwrap_or_default();
    for field in fields(&mut value) {
        let content = to_bytes(field);
        if content.len() > LARGE {
            let digest = Digest::of(&content);
            *field = marked(PAYLOAD, Value::String(digest.as_str().to_string()));
            payloads.push(Payload { digest, content: content.into() });
        } else if mark_of(field).is_some() {
            *field = marked(LITERAL, field.take());
        }
    }
    Encoded { body: to_bytes(&value), payloads }
}

/// Reads an event. `payload` is asked for contents by digest.
pub fn decode(
    run: &RunId,
    seq: u64,
    body: &[u8],
    mut payload: impl FnMut(&Digest) -> Result<Option<Vec<u8>>, crate::store::Error>,
) -> Result<Event, Error> {
    let undecodable = |why: String| Error::Undecodable { run: run.clone(), seq, why };
    let event: Event = if contains_mark(body) {
        let mut value: Value = serde_json::from_slice(body).map_err(|error| undecodable(error.to_string()))?;
        for field in fields(&mut value) {
            match mark_of(field) {
                Some((PAYLOAD, Value::String(digest))) => {
                    let digest = Digest::new(digest);
                    let missing = || Error::MissingPayload { run: run.clone(), seq, digest: digest.clone() };
                    let content = payload(&digest)?.ok_or_else(missing)?;
                    if Digest::of(&content) != digest {
                        return Err(Error::ChangedPayload { run: run.clone(), seq, digest });
                    }
                    *field = serde_json::from_slice(&content).map_err(|error| undecodable(error.to_string()))?;
                }
                Some((LITERAL, literal)) => *field = literal.clone(),
                Some((mark, _)) => return Err(undecodable(format!("a {mark} without a digest"))),
                None => {}
            }
        }
        serde_json::from_value(value).map_err(|error| undecodable(error.to_string()))?
    } else {
        serde_json::from_slice(body).map_err(|error| undecodable(error.to_string()))?
    };
    if event.seq != seq {
        return Err(undecodable(format!("it says that it is event {}", event.seq)));
    }
    match &event.fact {
        Fact::RunStarted(started) if started.version != EVENT_VERSION => {
            Err(undecodable(format!("it has version {}, and only version {EVENT_VERSION} is known", started.version)))
        }
        _ => Ok(event),
    }
}

/// Whether a value is nested so deeply that it could be written but not read back.
pub fn is_too_deep(value: &Value) -> bool {
    fn exceeds(value: &Value, left: usize) -> bool {
        match value {
            Value::Array(items) => left == 0 || items.iter().any(|item| exceeds(item, left - 1)),
            Value::Object(fields) => left == 0 || fields.values().any(|field| exceeds(field, left - 1)),
            _ => false,
        }
    }
    exceeds(value, DEEPEST)
}

pub fn deepest_allowed() -> usize {
    DEEPEST
}

/// The content under which a workflow's texts are pinned.
pub fn pack_folder(folder: &Folder) -> Vec<u8> {
    to_bytes(folder)
}

pub fn unpack_folder(content: &[u8]) -> Result<Folder, String> {
    serde_json::from_slice::<BTreeMap<String, String>>(content).map_err(|error| error.to_string())
}

/// The fields of an event's fact, in the JSON form `{"fact": {"<kind>": {<field>: …}}}`.
fn fields(event: &mut Value) -> impl Iterator<Item = &mut Value> {
    let fact = event.get_mut("fact").and_then(Value::as_object_mut);
    let body = fact.and_then(|fact| fact.values_mut().next()).and_then(Value::as_object_mut);
    body.into_iter().flat_map(|body| body.values_mut())
}

fn marked(mark: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(mark.to_string(), value)]))
}

fn mark_of(value: &Value) -> Option<(&str, &Value)> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let (name, inside) = fields.iter().next()?;
    matches!(name.as_str(), PAYLOAD | LITERAL).then_some((name.as_str(), inside))
}

fn contains_mark(body: &[u8]) -> bool {
    let holds = |mark: &str| body.windows(mark.len()).any(|window| window == mark.as_bytes());
    body.contains(&b'$') && (holds(PAYLOAD) || holds(LITERAL))
}

/// Events and JSON values have string keys and no numbers that JSON lacks, so this cannot fail.
fn to_bytes(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
