//! Reads a whole workflow: gathers the names, reads each part with them, and judges what the parts say of each other.
//! What a part itself means is read in the part's own file.

use std::collections::{BTreeMap, BTreeSet};

use sha2::Digest as _;

use super::reader::{Fields, Reader};
use super::reading::{Names, Reading, Sees};
use super::states::Context;
use super::yaml::{Key, Kind, Node};
use super::{Library, agents, codes, extends, files, grammar, offline, require, resolve, shapes, states, transitions};
use crate::definition::{Counter, Definition, Folder, Limits, StateDefinition, Work};
use crate::diagnostic::Diagnostic;
use crate::expression::{Expression, Formula};
use crate::names::{CounterName, Digest, StateName};
use crate::schema::{Required, Schema};
use crate::template::Templates;
use crate::units::parse_duration;

/// Words that already mean something where a state's name could stand.
const RESERVED_STATES: &[&str] = &["back", "skip", "block", "trouble"];
const RESERVED_AGENTS: &[&str] = &["person", "policy"];

const MOST_NAMES: usize = 5000;
/// Nobody reads more than this of one file at once.
const MOST_PROBLEMS: usize = 500;

pub fn load(folder: Folder, library: &dyn Library) -> Result<(Definition, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (folder, tree) = extends::expand(folder, library)?;
    let mut reading = Reading {
        reader: Reader::default(),
        folder: &folder,
        library,
        templates: Templates::default(),
        compiled: BTreeSet::new(),
        names: Names::default(),
        uses: Vec::new(),
        given_uses: Vec::new(),
    };
    let definition = workflow(&mut reading, &tree);
    let mut problems = std::mem::take(&mut reading.reader.problems);
    drop(reading);
    problems.sort_by(|left, right| (&left.span, left.code, &left.message).cmp(&(&right.span, right.code, &right.message)));
    problems.dedup();
    if problems.len() > MOST_PROBLEMS {
        let rest = problems.len() - MOST_PROBLEMS;
        problems.truncate(MOST_PROBLEMS);
        problems.push(Diagnostic::error(codes::TOO_LARGE, format!("there are {rest} more problems, which are not shown")));
    }
    match definition {
        Some(definition) if !problems.iter().any(Diagnostic::is_error) => Ok((Definition { folder, ..definition }, problems)),
        _ => Err(problems),
    }
}

fn workflow(reading: &mut Reading<'_>, tree: &Node) -> Option<Definition> {
    let fields = reading.reader.fields(tree, &grammar::WORKFLOW, &tree.span)?;
    if is_crowded(reading, &fields) {
        return None;
    }
    gather_names(reading, &fields);
    compile_templates(reading);
    let input = match fields.get("input") {
        Some(node) => shapes::shape(reading, node, Required::Input),
        None => Schema::compile(serde_json::json!({ "type": "object" })).ok(),
    };
    let data = reading.formulas(fields.get("data"), "data", Sees::Input);
    let counters = counters(reading, fields.get("counters"));
    let agents = agents::agents(reading, fields.get("agents"));
    let questions = agents::questions(reading, fields.get("questions"));
    let trouble = transitions::trouble(reading, fields.get("trouble"), "trouble", &tree.span);
    let states = all_states(reading, &fields, &Context { agents: &agents, input: input.as_ref() });
    let limits = limits(reading, fields.get("limits"));
    let groups = groups(reading, fields.get("groups"));
    let require = require::require(reading, fields.get("require"), &states);
    let files = files::files(reading, fields.get("files"), &agents);
    let start = fields.get("start").and_then(|node| reading.state_name(node));
    let missing_includes = reading.templates.unresolved();
    reading.reader.problems.extend(missing_includes);
    resolve::variables(reading, input.as_ref());
    resolve::prompts(reading, &agents, &states);
    let offline = offline::rules(reading, &agents, &states);
    resolve::unused(reading, &agents, &questions.answered_by, &states);
    let keeps_all = resolve::keeps_all(&reading.uses, &states);
    let text =
        |reading: &mut Reading<'_>, key: &str| fields.get(key).and_then(|node| reading.reader.text(node, "a text")).map(str::to_owned);
    let aliases = reading.reader.texts(fields.get("aliases"), "name");
    let named = fields.get("workflow").and_then(|node| node.scalar().map(|name| (name, &node.span)));
    for (name, span) in aliases.iter().copied().chain(named).filter(|(name, _)| !extends::is_workflow_name(name)) {
        let problem = reading.reader.error(codes::BAD_NAME, span, format!("`{name}` cannot be the name of a workflow"));
        problem.help.push("a name has letters, digits, `-` and `_`, and at most 64 characters".into());
    }
    let aliases = aliases.into_iter().map(|(alias, _)| alias.to_owned()).collect();
    Some(Definition {
        name: text(reading, "workflow")?,
        version: text(reading, "version")?,
        summary: text(reading, "summary")?,
        aliases,
        digest: digest(reading.folder),
        folder: Folder::new(),
        input: input?,
        data,
        limits,
        counters,
        agents,
        questions,
        trouble,
        groups,
        start: start?,
        index: states.iter().enumerate().map(|(position, state)| (state.name.clone(), position)).collect(),
        states,
        require,
        files,
        templates: std::mem::take(&mut reading.templates),
        offline,
        keeps_all,
    })
}

/// Some questions about a workflow take time with the square of its size, so there is a size.
fn is_crowded(reading: &mut Reading<'_>, fields: &Fields<'_>) -> bool {
    let mut crowded = false;
    for key in ["states", "agents", "counters", "data", "groups", "require", "files"] {
        if let Some(Node { span, kind: Kind::Map(entries) }) = fields.get(key)
            && entries.len() > MOST_NAMES
        {
            reading.reader.error(codes::TOO_LARGE, span, format!("`{key}` may have {MOST_NAMES} entries, and has {}", entries.len()));
            crowded = true;
        }
    }
    crowded
}

/// Names first, so that every part can be judged while it is read, in whatever order the file has them.
fn gather_names(reading: &mut Reading<'_>, fields: &Fields<'_>) {
    let entries = |key: &str| match fields.get(key).map(|node| &node.kind) {
        Some(Kind::Map(entries)) => entries.as_slice(),
        _ => &[],
    };
    for (key, value) in entries("states") {
        check_name(&mut reading.reader, key, "state", RESERVED_STATES);
        reading.names.states.insert(key.text.clone());
        if extends::value_of(value, "gate").is_some_and(|gate| !gate.is_null()) {
            reading.names.gates.insert(key.text.clone());
        }
        if extends::value_of(value, "plan").is_some_and(|plan| !plan.is_null()) {
            reading.names.plans.insert(key.text.clone());
        }
    }
    for (key, _) in entries("agents").iter().filter(|(key, _)| key.text != "all") {
        check_name(&mut reading.reader, key, "agent", RESERVED_AGENTS);
        reading.names.agents.insert(key.text.clone());
    }
    for (key, value) in entries("counters") {
        check_name(&mut reading.reader, key, "counter", &[]);
        let unlimited = extends::value_of(value, "max").and_then(Node::scalar) == Some("unlimited");
        reading.names.counters.insert(key.text.clone(), unlimited);
    }
    for (key, _) in entries("data") {
        check_name(&mut reading.reader, key, "field of `data`", &[]);
        reading.names.data.insert(key.text.clone());
    }
}

fn check_name(reader: &mut Reader, key: &Key, what: &str, reserved: &[&str]) {
    let is_identifier = key.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && key.text.len() <= 64;
    let is_yaml_word = matches!(key.text.as_str(), "on" | "off" | "yes" | "no" | "true" | "false" | "null");
    if reserved.contains(&key.text.as_str()) || is_yaml_word {
        reader.error(codes::BAD_NAME, &key.span, format!("`{}` already means something, so no {what} can be called that", key.text));
    } else if !is_identifier {
        let problem = reader.error(codes::BAD_NAME, &key.span, format!("`{}` cannot be the name of a {what}", key.text));
        problem.help.push("a name has letters, digits and `_`, begins with a letter, and has at most 64 characters".into());
    }
}

/// Everything under `prompts/` and `files/` is compiled, so that one template can include another.
fn compile_templates(reading: &mut Reading<'_>) {
    let is_template = |path: &str| path.starts_with("prompts/") || path.starts_with("files/");
    for (path, text) in reading.folder.iter().filter(|(path, _)| is_template(path)) {
        reading.compiled.insert(path.clone());
        let compiled = reading.templates.file(path, text);
        reading.reader.keep(compiled);
    }
}

fn counters(reading: &mut Reading<'_>, node: Option<&Node>) -> BTreeMap<CounterName, Counter> {
    let mut counters = BTreeMap::new();
    for (key, value) in reading.reader.entries(node, "counters") {
        let Some(fields) = reading.reader.fields(value, &grammar::COUNTER, &key.span) else { continue };
        let first = fields.get("first").and_then(|node| reading.reader.count(node, 0)).unwrap_or(0);
        let max: Option<Expression> = match fields.get("max") {
            Some(node) if node.scalar() == Some("unlimited") => None,
            node => reading.expression_of(node, Sees::Input),
        };
        counters.insert(CounterName::new(&key.text), Counter { first, max, span: key.span.clone() });
    }
    counters
}

fn all_states(reading: &mut Reading<'_>, fields: &Fields<'_>, context: &Context<'_>) -> Vec<StateDefinition> {
    let entries = reading.reader.entries(fields.get("states"), "states");
    let states: Vec<StateDefinition> = entries.iter().filter_map(|(key, value)| states::state(reading, key, value, context)).collect();
    let ends = |(_, value): &(Key, Node)| extends::value_of(value, "final").is_some_and(|node| !node.is_null());
    if fields.has("states") && !entries.iter().any(ends) && !states.iter().any(|state| matches!(state.work, Work::Final { .. })) {
        let span = fields.key_span("states");
        let problem = reading.reader.error(codes::NO_END, &span, "no state ends the run");
        problem.help.push("add a state such as `completed: { final: completed }`".into());
    }
    states
}

fn limits(reading: &mut Reading<'_>, node: Option<&Node>) -> Limits {
    let Some(fields) = node.and_then(|node| reading.reader.fields(node, &grammar::LIMITS, &node.span)) else {
        return Limits::default();
    };
    let cost = fields.get("cost").and_then(|node| reading.quantity(node, Sees::Input));
    let time = fields.get("time").and_then(|node| match node.scalar() {
        Some(text) if parse_duration(text).is_some() => Some(Formula::Literal(text.into())),
        _ => reading.quantity(node, Sees::Input),
    });
    let mut keep = BTreeMap::new();
    for (key, value) in reading.reader.entries(fields.get("keep"), "keep") {
        let share = reading.reader.percent(value);
        keep.extend(reading.known_state(&key.text, &key.span).zip(share));
    }
    if keep.values().sum::<f64>() > 1.0 + 1e-9 {
        let span = fields.key_span("keep");
        reading.reader.error(codes::KEEP, &span, "the shares held back are more than the whole budget");
    }
    if fields.has("keep") && !fields.has("cost") {
        let span = fields.key_span("keep");
        let problem = reading.reader.error(codes::KEEP, &span, "`keep` holds back a share of `cost`, and there is no `cost`");
        problem.help.push("add `cost: 5`, or an input, to `limits`".into());
    }
    Limits { cost, time, keep }
}

fn groups(reading: &mut Reading<'_>, node: Option<&Node>) -> Vec<(String, Vec<StateName>)> {
    let mut groups = Vec::new();
    for (key, value) in reading.reader.entries(node, "groups") {
        let names = reading.reader.texts(Some(value), "state");
        groups.push((key.text.clone(), names.into_iter().filter_map(|(name, span)| reading.known_state(name, span)).collect()));
    }
    groups
}

/// Of every text that can change what a run does. Lengths stand before the parts, so that no two folders look the same.
fn digest(folder: &Folder) -> Digest {
    let mut hash = sha2::Sha256::new();
    for (path, text) in folder.iter().filter(|(path, _)| extends::belongs_to_behaviour(path)) {
        for part in [path, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    Digest::from_bytes(&hash.finalize())
}
