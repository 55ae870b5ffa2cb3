//! Durations in a schema: text like `1h30m`, or a number of seconds, between two limits.
//! JSON Schema has no word for it, so the validator gets a keyword of its own; the schema that people see keeps `format`.

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value, json};

use crate::units::parse_duration;

pub(super) const KEYWORD: &str = "x-motet-duration";
const FORMAT: &str = "motet-duration";

/// The milliseconds a value means: text, or a number of seconds.
fn milliseconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => parse_duration(text),
        _ => value.as_f64().filter(|seconds| (0.0..1e12).contains(seconds)).map(|seconds| (seconds * 1000.0).round() as u64),
    }
}

fn shown(limit: &Value) -> String {
    limit.as_str().map_or_else(|| format!("{limit} s"), str::to_owned)
}

/// Turns `type: duration` with `minimum` and `maximum` into a string with a format, everywhere in a schema.
pub(super) fn write_out(schema: &mut Value) -> Result<(), String> {
    each(schema, &mut |node| {
        if node.get("type").is_some_and(|kind| kind == "duration") {
            node.insert("type".into(), "string".into());
            node.insert("format".into(), FORMAT.into());
            for limit in ["minimum", "maximum"] {
                if let Some(value) = node.remove(limit) {
                    node.insert(format!("x-{limit}"), value);
                }
            }
        }
        let is_duration = node.get("format").is_some_and(|format| format == FORMAT);
        let limits = ["x-minimum", "x-maximum"].into_iter().filter_map(|limit| Some((limit, node.get(limit)?)));
        let wrong = limits.into_iter().find(|(_, value)| is_duration && milliseconds(value).is_none());
        wrong.map_or(Ok(()), |(limit, value)| {
            let limit = limit.trim_start_matches("x-");
            Err(format!("the {limit} of a duration must be a duration such as `2h` or `30m`, not {value}"))
        })
    })
}

/// Gives every duration to the keyword, which also accepts numbers.
pub(super) fn as_keyword(schema: &mut Value) {
    let replaced: Result<(), String> = each(schema, &mut |node| {
        if node.get("format").is_some_and(|format| format == FORMAT) {
            node.remove("format");
            node.remove("type");
            let (least, most) = (node.remove("x-minimum"), node.remove("x-maximum"));
            node.insert(KEYWORD.into(), json!({ "minimum": least, "maximum": most }));
        }
        Ok(())
    });
    debug_assert_eq!(replaced, Ok(()), "replacing does not refuse anything");
}

type Change<'c> = dyn FnMut(&mut Map<String, Value>) -> Result<(), String> + 'c;

/// Changes every schema inside a schema, but nothing inside the values that a schema quotes.
fn each(schema: &mut Value, change: &mut Change<'_>) -> Result<(), String> {
    match schema {
        Value::Object(node) => {
            // In a map of properties a name such as `type` or `format` has a schema, not a text, so nothing is mistaken.
            change(node)?;
            let quoted = ["enum", "const", "default", "examples"];
            node.iter_mut().filter(|(key, _)| !quoted.contains(&key.as_str())).try_for_each(|(_, inner)| each(inner, change))
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| each(item, change)),
        _ => Ok(()),
    }
}

struct Limits {
    minimum: Value,
    maximum: Value,
}

pub(super) fn keyword<'a>(
    _: &'a Map<String, Value>,
    limits: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let limit = |name| limits.get(name).cloned().unwrap_or_default();
    Ok(Box::new(Limits { minimum: limit("minimum"), maximum: limit("maximum") }))
}

impl Limits {
    fn problem(&self, value: &Value) -> Option<String> {
        let Some(given) = milliseconds(value) else {
            return Some(format!("{value} is not a duration; write `90s`, `30m`, `2h` or a number of seconds"));
        };
        if milliseconds(&self.minimum).is_some_and(|least| given < least) {
            return Some(format!("{} is less than the minimum of {}", shown(value), shown(&self.minimum)));
        }
        let too_long = milliseconds(&self.maximum).is_some_and(|most| given > most);
        too_long.then(|| format!("{} is greater than the maximum of {}", shown(value), shown(&self.maximum)))
    }
}

impl<'i> Keyword<'i> for Limits {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        self.problem(instance).map_or(Ok(()), |problem| Err(ValidationError::custom(problem)))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.problem(instance).is_none()
    }
}
