//! Shapes of inputs and results: JSON Schema, with durations.
//! Nothing is fetched: a schema refers only to itself.

mod duration;
mod sentences;
mod short;
#[cfg(test)]
mod tests;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

/// A schema, compiled once.
#[derive(Debug)]
pub struct Schema {
    pub json: Value,
    validator: Validator,
    /// What a property that must not be there is called.
    stranger: &'static str,
}

/// Which properties of a short form must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Required {
    /// Those without a default; others than the named are refused.
    Input,
    /// All; others may be there too.
    All,
}

impl Schema {
    /// Compiles a JSON Schema. Durations are `{"type": "string", "format": "motet-duration"}` with `x-maximum` and `x-minimum` as text;
    /// they accept text like `2h` and a number of seconds.
    pub fn compile(json: Value) -> Result<Self, String> {
        Self::named(json, "field")
    }

    /// Reads the short form: a map from a property's name to a word (`string`, `[string]`, `any`, …), to a schema, or to
    /// another such map. A whole JSON Schema is taken as it is.
    pub fn from_short(short: &Value, required: Required) -> Result<Self, String> {
        let json = short::expand(short, required)?;
        let schema = Self::named(json, if required == Required::Input { "input" } else { "field" })?;
        schema.check_defaults()?;
        Ok(schema)
    }

    fn named(mut json: Value, stranger: &'static str) -> Result<Self, String> {
        duration::write_out(&mut json)?;
        let mut compiled = json.clone();
        duration::as_keyword(&mut compiled);
        let patterns = PatternOptions::regex().size_limit(1 << 20).dfa_size_limit(1 << 20);
        let options = jsonschema::options().offline().with_pattern_options(patterns).with_keyword(duration::KEYWORD, duration::keyword);
        let validator = options.build(&compiled).map_err(|error| {
            let place = error.instance_path().as_str().to_owned();
            let place = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
            format!("not a usable JSON Schema{place}: {error}")
        })?;
        Ok(Self { json, validator, stranger })
    }

    /// What is wrong with a value, one sentence each, naming the field; empty if it fits.
    pub fn problems(&self, value: &Value) -> Vec<String> {
        let mut problems: Vec<String> = Vec::new();
        for error in self.validator.iter_errors(value) {
            for sentence in sentences::of(&error, &self.json, self.stranger) {
                if !problems.contains(&sentence) {
                    problems.push(sentence);
                }
            }
        }
        problems
    }

    /// Sets absent top-level properties to their defaults. Null counts as an empty object.
    pub fn fill_defaults(&self, value: &mut Value) {
        let defaults = self.defaults();
        if value.is_null() && self.json.get("properties").is_some() {
            *value = Value::Object(Map::new());
        }
        if let Value::Object(fields) = value {
            for (name, default) in defaults {
                fields.entry(name).or_insert(default);
            }
        }
    }

    /// The one property, if the schema is an object with exactly one and that is a string: free text can stand for it.
    pub fn sole_text(&self) -> Option<&str> {
        let properties = self.json.get("properties")?.as_object()?;
        let (name, property) = properties.iter().next().filter(|_| properties.len() == 1)?;
        (self.resolve(property)?.get("type")? == "string").then_some(name.as_str())
    }

    /// The values that the property at this path may have, if it is an enumeration of strings.
    pub fn enumeration(&self, path: &[&str]) -> Option<Vec<String>> {
        let mut schema = self.resolve(&self.json)?;
        for name in path {
            schema = self.resolve(schema.get("properties")?.get(name)?)?;
        }
        if let Some(constant) = schema.get("const") {
            return Some(vec![constant.as_str()?.to_owned()]);
        }
        schema.get("enum")?.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
    }

    /// A top-level property's schema.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.json.get("properties")?.get(name)
    }

    /// Follows references within the schema, as far as they lead somewhere.
    pub(crate) fn resolve<'s>(&'s self, mut schema: &'s Value) -> Option<&'s Value> {
        for _ in 0..32 {
            match schema.get("$ref").and_then(Value::as_str) {
                None => return Some(schema),
                Some(reference) => schema = self.json.pointer(reference.strip_prefix('#')?)?,
            }
        }
        None
    }

    fn defaults(&self) -> Vec<(String, Value)> {
        let properties = self.json.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties.filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone()))).collect()
    }

    /// A default that its own property refuses would surface only when a run starts.
    fn check_defaults(&self) -> Result<(), String> {
        let defaults = self.defaults();
        let mut value = Value::Object(defaults.iter().cloned().collect());
        self.fill_defaults(&mut value);
        let errors = self.validator.iter_errors(&value);
        let wrong =
            errors.filter(|error| !error.instance_path().as_str().is_empty()).flat_map(|error| sentences::of(&error, &self.json, ""));
        wrong.map(|sentence| format!("the default of {sentence}")).next().map_or(Ok(()), Err)
    }
}
