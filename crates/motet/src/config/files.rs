//! A file of settings as a layer: every value with its line, every unknown key with what was probably meant.
//! It reads one file; which files there are, and what counts over what, others say.

use std::path::Path as FilePath;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, Place};
use super::settings::{Layer, Origin, Path, Problem, Setting};

/// What a file says, and what is wrong with it.
pub fn read(path: &FilePath, text: &str) -> (Layer, Vec<Problem>) {
    let mut file = File { path, text, layer: Vec::new(), problems: Vec::new() };
    match DeTable::parse(text) {
        Ok(table) => file.take_table(&mut Vec::new(), table.get_ref()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().next().unwrap_or_default().to_string();
            file.problem(at, format!("this is not TOML: {message}"));
        }
    }
    (file.layer, file.problems)
}

struct File<'a> {
    path: &'a FilePath,
    text: &'a str,
    layer: Layer,
    problems: Vec<Problem>,
}

impl File<'_> {
    fn take_table(&mut self, above: &mut Path, table: &DeTable<'_>) {
        for (key, value) in table {
            above.push(key.get_ref().to_string());
            match keys::place(above) {
                Place::Leaf(leaf) => self.take_leaf(above, leaf, value),
                Place::Table => match value.get_ref().as_table() {
                    // Whoever begins a table means to say something in it.
                    Some(inner) if inner.is_empty() && above.len() > 1 => {
                        let settings = keys::siblings(above).join(", ");
                        self.problem(
                            key.span().start,
                            format!("[{}] says nothing: give some of {settings}, or take it away", above.join(".")),
                        );
                    }
                    Some(inner) => self.take_table(above, inner),
                    None => self.problem(value.span().start, format!("`{}` must be a table, as in [{}]", above.join("."), above.join("."))),
                },
                Place::Unknown(meant) => self.unknown(above, key.span().start, meant),
            }
            above.pop();
        }
    }

    fn take_leaf(&mut self, path: &Path, key: &keys::Key, value: &Spanned<DeValue<'_>>) {
        let at = value.span().start;
        let json = json(value.get_ref());
        if !key.kind.allows(&json) {
            return self.problem(at, format!("`{}` must be {}", path.join("."), key.kind.wanted()));
        }
        let origin = self.origin(at);
        self.layer.push((path.clone(), Setting { value: json, origin }));
    }

    fn unknown(&mut self, path: &Path, at: usize, meant: Option<String>) {
        let parents = &path[..path.len() - 1];
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", keys::siblings(parents).join(", ")),
        };
        self.problem(at, format!("there is no setting `{}`; {help}", path.join(".")));
    }

    fn problem(&mut self, at: usize, message: String) {
        let origin = self.origin(at);
        self.problems.push(Problem { origin, message });
    }

    fn origin(&self, at: usize) -> Origin {
        let line = self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        Origin::File { path: self.path.to_path_buf(), line }
    }
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from),
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(moment) => Value::String(moment.to_string()),
        DeValue::Array(values) => values.iter().map(|value| json(value.get_ref())).collect(),
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
            Value::Object(entries.collect::<Map<String, Value>>())
        }
    }
}
