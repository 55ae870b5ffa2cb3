//! A run's input from the command line: a file, `key=value` pairs that come before it, and the goal that needs no key.
//! What an input may be, the workflow's schema says; here texts only become values of the types it names.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use motet_core::Definition;
use motet_core::diagnostic::nearest;
use serde_json::{Map, Value};

use super::Failure;
use crate::given;

#[derive(clap::Args)]
pub struct InputArgs {
    /// A file with the input as JSON; - for standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// One field of the input, as key=value
    #[arg(short, value_name = "KEY=VALUE")]
    i: Vec<String>,
}

/// What a variable of the environment is set to.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What counts besides the arguments.
#[derive(Default)]
pub struct Sources<'a> {
    pub goal: Option<&'a str>,
    /// Of a case that is played.
    pub case: Option<&'a Value>,
    pub environment: Option<Lookup<'a>>,
}

impl InputArgs {
    /// None if nothing was given; otherwise the input with the workflow's defaults, known to fit it.
    pub fn read(&self, directory: &Path, definition: &Definition) -> Result<Option<Value>, Failure> {
        if self.input.is_none() && self.i.is_empty() {
            return Ok(None);
        }
        self.assemble(directory, definition, &Sources::default()).map(Some)
    }

    /// Arguments come before the case, the case before the environment, the environment before the workflow's defaults.
    pub fn assemble(&self, directory: &Path, definition: &Definition, sources: &Sources<'_>) -> Result<Value, Failure> {
        let mut fields = match sources.case {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        if let Some(file) = &self.input {
            fields.extend(read_file(directory, file)?);
        }
        let mut problems = Vec::new();
        if let Some(goal) = sources.goal {
            match goal_field(definition) {
                Some(field) => drop(fields.insert(field, Value::String(goal.to_string()))),
                None => problems.push(format!("{} takes no goal: every text among its inputs has a default", definition.name)),
            }
        }
        let mut named: Vec<String> = sources.goal.and_then(|_| goal_field(definition)).into_iter().collect();
        for pair in &self.i {
            let Some((key, text)) = pair.split_once('=') else {
                problems.push(format!("`{pair}` is not of the form key=value"));
                continue;
            };
            if named.iter().any(|named| named == key) {
                problems.push(twice(definition, sources, key));
                continue;
            }
            named.push(key.to_string());
            match value(definition, key, text) {
                Ok(value) => drop(fields.insert(key.to_string(), value)),
                Err(why) => problems.push(why),
            }
        }
        let variables = add_environment(definition, sources, &mut fields, &mut problems);
        let mut input = given::value(Value::Object(fields));
        definition.input.fill_defaults(&mut input);
        // What could not even be read is no field, so the schema may find it missing a second time.
        let unread: Vec<String> = self.i.iter().filter_map(|pair| pair.split_once('=')).map(|(key, _)| format!("`{key}`")).collect();
        let unfitting = definition.input.problems(&input).into_iter();
        let unfitting = unfitting.filter(|problem| !(problem.ends_with("is missing") && unread.iter().any(|key| problem.starts_with(key))));
        problems.extend(unfitting.map(|problem| with_variable(problem, &variables)));
        if problems.is_empty() { Ok(input) } else { Err(unfit(definition, &problems)) }
    }
}

/// Which of the two was meant, nobody can tell.
fn twice(definition: &Definition, sources: &Sources<'_>, key: &str) -> String {
    match sources.goal.filter(|_| goal_field(definition).as_deref() == Some(key)) {
        Some(goal) => format!("`{key}` is given twice: as the goal “{goal}”, and with -i"),
        None => format!("`{key}` is given twice with -i"),
    }
}

/// Takes what was not given from the variables that the workflow names; says which variable each came from.
fn add_environment(
    definition: &Definition,
    sources: &Sources<'_>,
    fields: &mut Map<String, Value>,
    problems: &mut Vec<String>,
) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    let Some(lookup) = sources.environment else { return variables };
    for (name, schema) in properties(definition) {
        let Some(variable) = schema.get("env").and_then(Value::as_str).filter(|_| !fields.contains_key(name)) else { continue };
        let Some(text) = lookup(variable).filter(|text| !text.trim().is_empty()) else { continue };
        match typed(schema, text.trim()) {
            Ok(value) => drop(fields.insert(name.clone(), value)),
            Err(wanted) => problems.push(format!("{variable} is `{text}`, but `{name}` must be {wanted}")),
        }
        variables.push((name.clone(), variable.to_string()));
    }
    variables
}

fn with_variable(problem: String, variables: &[(String, String)]) -> String {
    let from = variables.iter().find(|(name, _)| problem.contains(&format!("`{name}`")));
    match from {
        Some((_, variable)) => format!("{problem} (from {variable})"),
        None => problem,
    }
}

fn properties(definition: &Definition) -> impl Iterator<Item = (&String, &Value)> {
    definition.input.json.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The input that the goal fills: the first text, in the order of the workflow's file, that has no default.
pub fn goal_field(definition: &Definition) -> Option<String> {
    let required: Vec<&str> = definition.input.json["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_text = |schema: &Value| schema["type"] == "string" && schema.get("enum").is_none() && schema.get("default").is_none();
    let texts = properties(definition).filter(|(name, schema)| required.contains(&name.as_str()) && is_text(schema));
    // The schema has lost the order in which people wrote it; the file has it still.
    let written = definition.folder.get("workflow.yaml").and_then(|text| text.split_once("\ninput:")).map_or("", |(_, after)| after);
    let place = |name: &str| written.find(&format!(" {name}:")).unwrap_or(usize::MAX);
    texts.map(|(name, _)| name).min_by_key(|name| (place(name), name.as_str())).cloned()
}

fn read_file(directory: &Path, file: &Path) -> Result<Map<String, Value>, Failure> {
    let shown = if file == Path::new("-") { "standard input".into() } else { file.display().to_string() };
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(directory.join(file))
    };
    let text = text.map_err(|error| Failure::invalid(format!("{shown} cannot be read: {error}")))?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Failure::invalid(format!("{shown} must hold a JSON object: {{\"key\": value, …}}"))),
        Err(error) => Err(Failure::invalid(format!("{shown} is not JSON: {error}"))),
    }
}

fn value(definition: &Definition, key: &str, text: &str) -> Result<Value, String> {
    let Some(schema) = definition.input.property(key) else {
        // A schema that is open takes anything; a closed one says what is near.
        if definition.input.json.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Ok(json_or_text(text));
        }
        let near = nearest(key, properties(definition).map(|(name, _)| name.as_str()));
        return Err(match near {
            Some(near) => format!("there is no input `{key}`, did you mean `{near}`?"),
            None => format!("there is no input `{key}`"),
        });
    };
    typed(schema, text).map_err(|wanted| format!("`{key}` is `{text}`, but must be {wanted}"))
}

/// A text as a value of the type that a schema names; the error says what is wanted.
fn typed(schema: &Value, text: &str) -> Result<Value, String> {
    let parsed = || serde_json::from_str::<Value>(text).ok();
    match schema["type"].as_str() {
        Some("string") => Ok(Value::String(text.to_string())),
        Some("boolean") => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(Value::Bool(true)),
            "false" | "no" | "off" | "0" => Ok(Value::Bool(false)),
            _ => Err("yes or no".into()),
        },
        Some("integer") => parsed().filter(|value| value.is_i64() || value.is_u64()).ok_or_else(|| "a whole number".into()),
        Some("number") => parsed().filter(Value::is_number).ok_or_else(|| "a number".into()),
        Some("array") if text.trim_start().starts_with('[') => parsed().ok_or_else(|| "a list as JSON, such as [\"a\", \"b\"]".into()),
        Some("array") => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            items.map(|item| typed(&schema["items"], item)).collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        Some("object") => parsed().filter(Value::is_object).ok_or_else(|| "an object as JSON, such as {\"key\": 1}".into()),
        _ => Ok(json_or_text(text)),
    }
}

fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string()))
}

fn unfit(definition: &Definition, problems: &[String]) -> Failure {
    let listed: String = problems.iter().map(|problem| format!("\n  - {problem}")).collect();
    let failure = Failure::invalid(format!("the input does not fit {}{listed}", definition.name));
    failure.help(format!("{} takes\n{}", definition.name, inputs(definition).join("\n")))
}

/// Every input with its type, its default and what it is for.
pub fn inputs(definition: &Definition) -> Vec<String> {
    let goal = goal_field(definition);
    let rows: Vec<[String; 3]> = properties(definition)
        .map(|(name, schema)| {
            let default = schema.get("default").map(|default| match default {
                Value::String(text) if text.is_empty() => ", empty unless given".into(),
                Value::Null => ", none unless given".into(),
                Value::Array(items) if items.is_empty() => ", empty unless given".into(),
                Value::String(text) => format!(", {text} unless given"),
                other => format!(", {other} unless given"),
            });
            let need = default.unwrap_or_else(|| if goal.as_ref() == Some(name) { ", the goal".into() } else { ", required".into() });
            let about = schema["description"].as_str().unwrap_or_default();
            [name.clone(), format!("{}{need}", type_words(schema)), about.to_string()]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, types) = (width(0), width(1));
    rows.iter().map(|[name, kind, about]| format!("  {name:<names$}  {kind:<types$}  {about}").trim_end().to_string()).collect()
}

fn type_words(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let words: Vec<String> = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), String::from)).collect();
        return words.join(" | ");
    }
    let word = match (schema["type"].as_str(), schema["format"].as_str()) {
        (_, Some("motet-duration")) => "duration",
        (Some("string"), _) => "text",
        (Some("integer"), _) => "whole number",
        (Some("number"), _) => "number",
        (Some("boolean"), _) => "yes or no",
        (Some("array"), _) => "list",
        (Some("object"), _) => "object",
        _ => "anything",
    };
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, Value::Null) => word.to_string(),
        (least, Value::Null) => format!("{word} from {least}"),
        (Value::Null, most) => format!("{word} up to {most}"),
        (least, most) => format!("{word} {least} to {most}"),
    }
}

#[cfg(test)]
mod tests;
