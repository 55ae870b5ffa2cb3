//! What a request for permission has named, as far as people were shown it: files, and a command with where and with what it runs.
//! It gives no leave; it only tells whether what is done is what was named.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{CreateTerminalRequest, ToolCallContent, ToolCallUpdateFields};
use serde_json::{Map, Value};

use super::ground::Ground;
use super::permissions::SHOWN_CHARACTERS;
use crate::command::shown;

/// A longer text in a tool's input is neither a path nor a command that somebody has read.
const LONGEST_NAME: usize = 4096;
/// What agents call the fields of a tool's input, without case and signs. What stands in any other field is not what is done: it may be
/// the content of a file, a reason, or a text to look for.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filepath",
    "filepaths",
    "absolutepath",
    "abspath",
    "relativepath",
    "notebookpath",
    "targetfile",
    "targetpath",
    "newpath",
    "destinationpath",
];
const COMMANDS: &[&str] = &["command", "cmd", "commandline", "shellcommand", "script"];
const ARGUMENTS: &[&str] = &["args", "arguments"];
const DIRECTORIES: &[&str] = &["cwd", "workdir", "workingdir", "workingdirectory", "directory"];
const ENVIRONMENTS: &[&str] = &["env", "environment"];
/// Where the shells of a system are. A file that is only called like one may be anything.
const PLACES_OF_SHELLS: &[&str] = &["", "/bin/", "/usr/bin/", "/usr/local/bin/"];

/// What agents add to every command they run, and what changes nothing but how it prints. A value: only with it.
const INERT: &[(&str, Option<&str>)] = &[
    ("CLAUDECODE", None),
    ("TERM", None),
    ("NO_COLOR", None),
    ("PAGER", Some("cat")),
    ("GIT_PAGER", Some("cat")),
    ("GIT_EDITOR", Some("true")),
];

#[derive(Debug, Default)]
pub(super) struct Named {
    paths: Vec<PathBuf>,
    /// Each in every form in which it means the same.
    commands: Vec<String>,
    /// None: the task's own.
    directory: Option<PathBuf>,
    environment: BTreeMap<String, String>,
}

impl Named {
    pub fn of(fields: &ToolCallUpdateFields) -> Self {
        let mut named = Self::default();
        named.paths.extend(fields.locations.iter().flatten().map(|location| location.path.clone()));
        match &fields.raw_input {
            Some(Value::Object(input)) if is_shown(fields) => named.take(input),
            Some(_) => {}
            // Only without an input is it shown what files become.
            None => named.paths.extend(fields.content.iter().flatten().filter_map(|content| match content {
                ToolCallContent::Diff(diff) => Some(diff.path.clone()),
                _ => None,
            })),
        }
        named.paths.retain(|path| !path.as_os_str().is_empty() && path.as_os_str().len() <= LONGEST_NAME);
        named.commands.retain(|command| !command.is_empty() && command.len() <= LONGEST_NAME);
        named
    }

    fn take(&mut self, input: &Map<String, Value>) {
        self.paths.extend(fields(input, PATHS).flat_map(|value| words(value).unwrap_or_default()).map(|path| PathBuf::from(path.trim())));
        let arguments = fields(input, ARGUMENTS).next().filter(|arguments| arguments.as_array().is_none_or(|list| !list.is_empty()));
        for value in fields(input, COMMANDS) {
            match (value, arguments) {
                (Value::String(line), None) => self.commands.push(line.trim().into()),
                (Value::String(program), Some(arguments)) => {
                    let arguments = words(arguments).filter(|_| arguments.is_array());
                    self.commands.extend(arguments.into_iter().flat_map(|arguments| forms(program, &arguments)));
                }
                (list, _) => {
                    let words = words(list).unwrap_or_default();
                    self.commands.extend(words.split_first().into_iter().flat_map(|(program, arguments)| forms(program, arguments)));
                }
            }
        }
        self.directory = fields(input, DIRECTORIES).next().and_then(Value::as_str).map(PathBuf::from);
        self.environment = fields(input, ENVIRONMENTS).next().map(variables).unwrap_or_default();
    }

    /// Whether this file was named, by any path that leads to it.
    pub fn is_file(&self, place: &Path, ground: &Ground) -> bool {
        self.paths.iter().any(|path| ground.writable(path).is_ok_and(|named| named == *place))
    }

    /// Whether this command was named, to be run in this directory and with these variables: with others it is another command.
    pub fn is_run(&self, request: &CreateTerminalRequest, ground: &Ground) -> bool {
        let run = match request.args.is_empty() {
            // Some agents give a whole line and no arguments.
            true => vec![request.command.trim().to_string()],
            false => forms(&request.command, &request.args),
        };
        let place = |directory: Option<&Path>| directory.map_or(Ok(ground.root.clone()), |directory| ground.readable(directory));
        let is_there = match (place(request.cwd.as_deref()), place(self.directory.as_deref())) {
            (Ok(wanted), Ok(named)) => wanted == named,
            _ => false,
        };
        let added = request.env.iter().map(|variable| (&variable.name, &variable.value));
        let is_as_named = match self.environment.is_empty() {
            true => added.into_iter().all(|(name, value)| is_inert(name, value)),
            false => added.collect::<BTreeMap<_, _>>() == self.environment.iter().collect(),
        };
        is_there && is_as_named && run.iter().any(|form| self.commands.contains(form))
    }
}

fn is_inert(name: &str, value: &str) -> bool {
    INERT.iter().any(|(inert, only)| *inert == name && only.is_none_or(|only| only == value))
}

/// Of a longer input people have seen only the beginning.
fn is_shown(fields: &ToolCallUpdateFields) -> bool {
    fields.raw_input.as_ref().is_none_or(|input| format!("{input:#}").chars().count() <= SHOWN_CHARACTERS)
}

/// The values of the fields that are called one of these.
fn fields<'a>(input: &'a Map<String, Value>, called: &'a [&str]) -> impl Iterator<Item = &'a Value> {
    let is_called = |name: &str| {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
        called.contains(&plain.as_str())
    };
    input.iter().filter(move |(name, value)| is_called(name) && !value.is_null()).map(|(_, value)| value)
}

/// One text, or a list of nothing but texts.
fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(values) => values.iter().map(|value| value.as_str().map(String::from)).collect(),
        _ => None,
    }
}

/// `{"NAME": "value"}`, or as the protocol itself has it, `[{"name": "NAME", "value": "value"}]`.
fn variables(value: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map(String::from);
    match value {
        Value::Object(table) => table.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect(),
        Value::Array(list) => list.iter().filter_map(|variable| Some((text(&variable["name"])?, text(&variable["value"])?))).collect(),
        _ => BTreeMap::new(),
    }
}

/// A program with its arguments as a line; and of `sh -c …` what the shell runs.
fn forms(program: &str, arguments: &[String]) -> Vec<String> {
    let words: Vec<String> = std::iter::once(program.to_string()).chain(arguments.iter().cloned()).collect();
    let inner = match arguments {
        [option, line] if is_shell(program) && runs_a_line(option) => Some(line.trim().to_string()),
        _ => None,
    };
    std::iter::once(shown(&words)).chain(inner).collect()
}

fn is_shell(program: &str) -> bool {
    let (place, name) = program.rfind('/').map_or(("", program), |end| program.split_at(end + 1));
    PLACES_OF_SHELLS.contains(&place) && ["sh", "bash", "dash", "zsh"].contains(&name)
}

/// `-c`, and `-lc` of a login shell.
fn runs_a_line(option: &str) -> bool {
    ["-c", "-lc", "-cl"].contains(&option)
}
