//! A run's input from the command line: a file, and `key=value` pairs that override it.

use std::fs;
use std::path::{Path, PathBuf};

use motet_core::Definition;
use serde_json::{Map, Value};

#[derive(clap::Args)]
pub struct InputArgs {
    /// A file with the input, as JSON
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// One field of the input, as key=value
    #[arg(short, value_name = "KEY=VALUE")]
    i: Vec<String>,
}

impl InputArgs {
    /// None if nothing was given; otherwise the input with the workflow's defaults, known to fit it.
    pub fn read(&self, directory: &Path, definition: &Definition) -> Result<Option<Value>, String> {
        if self.input.is_none() && self.i.is_empty() {
            return Ok(None);
        }
        let mut fields = match &self.input {
            Some(file) => read_file(&directory.join(file))?,
            None => Map::new(),
        };
        for pair in &self.i {
            let Some((key, text)) = pair.split_once('=') else { return Err(format!("`{pair}` is not of the form key=value")) };
            fields.insert(key.to_owned(), value(definition, key, text));
        }
        let mut input = Value::Object(fields);
        definition.input.fill_defaults(&mut input);
        match definition.input.problems(&input) {
            problems if problems.is_empty() => Ok(Some(input)),
            problems => Err(format!("the input does not fit the workflow: {}", problems.join("; "))),
        }
    }
}

fn read_file(path: &Path) -> Result<Map<String, Value>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(format!("{} must hold a JSON object", path.display())),
        Err(error) => Err(format!("{} is not JSON: {error}", path.display())),
    }
}

/// A text where the workflow wants a text; otherwise JSON as far as it is that.
fn value(definition: &Definition, key: &str, text: &str) -> Value {
    let wants_text = definition.input.property(key).is_some_and(|schema| schema["type"] == "string");
    let parsed = if wants_text { None } else { serde_json::from_str(text).ok() };
    parsed.unwrap_or_else(|| Value::String(text.to_owned()))
}
