//! Judges, once everything has been read, what expressions, texts and templates refer to.
//! Whether a value is there already when it is read depends on the path and is left to `check`.

use std::collections::{BTreeMap, BTreeSet};

use super::agents::chain;
use super::codes;
use super::reader::suggest;
use super::reading::{Reading, Sees, Use};
use crate::definition::{Agent, Does, Folder, Responder, StateDefinition, Work};
use crate::diagnostic::Span;
use crate::names::{AgentName, StateName};
use crate::schema::Schema;

/// What everything sees while a run goes on.
pub const ROOTS: [&str; 12] = ["input", "data", "result", "item", "task", "last", "all", "counters", "budget", "run", "messages", "plans"];

/// What a prompt sees beside `with`.
pub const PROMPT_EXTRAS: [&str; 2] = ["correction", "answers"];

pub fn variables(reading: &mut Reading<'_>, input: Option<&Schema>) {
    for one in std::mem::take(&mut reading.uses) {
        variable(reading, &one, input);
        reading.uses.push(one);
    }
}

fn variable(reading: &mut Reading<'_>, one: &Use, input: Option<&Schema>) {
    let Some(root) = one.path.first().map(String::as_str) else { return };
    let is_event = root == "event" && one.sees == Sees::Event;
    if !ROOTS.contains(&root) && !is_event {
        let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &one.span, format!("there is nothing called `{root}`"));
        suggest(problem, root, ROOTS);
        if one.path.len() == 1 {
            problem.help.push(format!("a text inside an expression stands in quotation marks of its own: '\"{root}\"'"));
        }
        return;
    }
    if one.sees == Sees::Input && root != "input" {
        let problem = reading.reader.error(codes::ONLY_INPUT, &one.span, format!("`{}` cannot be used here", one.path.join(".")));
        problem.label = "this must be known before the run begins, so only `input` can be used".into();
        return;
    }
    let Some(field) = one.path.get(1).map(String::as_str) else { return };
    let known: Vec<&str> = match root {
        "input" => match input.and_then(|schema| schema.json.get("properties")).and_then(|properties| properties.as_object()) {
            Some(properties) => properties.keys().map(String::as_str).collect(),
            None => return,
        },
        "data" => reading.names.data.iter().map(String::as_str).collect(),
        "counters" => reading.names.counters.keys().map(String::as_str).collect(),
        "last" | "all" | "plans" => reading.names.states.iter().map(String::as_str).collect(),
        _ => return,
    };
    let what = match root {
        "input" => "the input has no field",
        "data" => "`data` does not declare",
        "counters" => "there is no counter",
        _ => "there is no state",
    };
    if !known.contains(&field) {
        let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &one.span, format!("`{}`: {what} `{field}`", one.path.join(".")));
        suggest(problem, field, known);
        return;
    }
    if let ("counters", Some(part)) = (root, one.path.get(2)) {
        let parts = ["used", "left", "max"];
        if !parts.contains(&part.as_str()) {
            let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &one.span, format!("a counter has no `{part}`"));
            suggest(problem, part, parts);
        }
    }
}

/// The states whose earlier results something reads.
pub fn keeps_all(uses: &[Use], states: &[StateDefinition]) -> BTreeSet<StateName> {
    let mut kept = BTreeSet::new();
    for one in uses.iter().filter(|one| one.path.first().is_some_and(|root| root == "all")) {
        match one.path.get(1) {
            Some(state) => drop(kept.insert(StateName::new(state))),
            // The name is computed, so it could be any.
            None => kept.extend(states.iter().map(|state| state.name.clone())),
        }
    }
    kept
}

/// A prompt sees only what `with` gives it, in every state that uses it.
pub fn prompts(reading: &mut Reading<'_>, agents: &BTreeMap<AgentName, Agent>, states: &[StateDefinition]) {
    for state in states {
        let mut given: BTreeSet<&str> = state.with.iter().map(|(name, _)| name.as_str()).chain(PROMPT_EXTRAS).collect();
        given.extend(state.alternative().iter().map(|(name, _)| name.as_str()));
        let users = users(state);
        let mut all: BTreeSet<AgentName> = users.iter().flat_map(|agent| chain(agents, agent)).collect();
        all.extend(users.into_iter().cloned());
        for agent in all.iter().filter_map(|name| agents.get(name)) {
            let Does::Prompt(path) = &agent.does else { continue };
            for name in missing(&reading.templates.references(path), &given) {
                let span = in_template(reading.folder, path, std::slice::from_ref(&name)).unwrap_or_else(|| agent.span.clone());
                let message = format!("the prompt reads `{name}`, which the state `{}` does not give", state.name);
                let problem = reading.reader.error(codes::PROMPT_VARIABLE, &span, message);
                problem.label = format!("`with` of `{}` has no `{name}`", state.name);
                suggest(problem, &name, given.iter().copied());
                problem.help.push(format!("add `{name}: …` to `with` of the state in line {}", state.span.line));
            }
        }
    }
}

fn missing(references: &[Vec<String>], given: &BTreeSet<&str>) -> BTreeSet<String> {
    references.iter().filter_map(|path| path.first()).filter(|name| !given.contains(name.as_str())).cloned().collect()
}

/// The agents that a state asks first.
pub fn users(state: &StateDefinition) -> Vec<&AgentName> {
    match &state.work {
        Work::Agent { agent, .. } => vec![agent],
        Work::Plan(plan) => plan.agents.iter().collect(),
        Work::Decide | Work::Gate(_) | Work::Command(_) | Work::Call(_) | Work::Final { .. } => Vec::new(),
    }
}

/// What is declared and never used is probably a slip; in a file with errors it only could not be seen.
pub fn unused(reading: &mut Reading<'_>, agents: &BTreeMap<AgentName, Agent>, answered_by: &[Responder], states: &[StateDefinition]) {
    if reading.reader.problems.iter().any(|problem| problem.is_error()) {
        return;
    }
    let mut used: BTreeSet<AgentName> = states.iter().flat_map(users).cloned().collect();
    used.extend(answered_by.iter().filter_map(|responder| match responder {
        Responder::Agent(agent) => Some(agent.clone()),
        Responder::Person => None,
    }));
    let further: Vec<AgentName> = used.iter().flat_map(|agent| chain(agents, agent)).collect();
    used.extend(further);
    for agent in agents.values().filter(|agent| !used.contains(&agent.name)) {
        reading.reader.warning(codes::UNUSED, &agent.span, format!("no state uses the agent `{}`", agent.name));
    }
}

/// How far into a tag of a template a name is looked for, in bytes.
const LONGEST_TAG: usize = 1000;

/// Where a template reads a path, if it can be found in its text.
pub fn in_template(folder: &Folder, file: &str, path: &[String]) -> Option<Span> {
    let text = folder.get(file)?;
    let written = path.join(".");
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let opens = text.match_indices('{').map(|(open, _)| open).filter(|open| text[open + 1..].starts_with(['{', '%']));
    let place = opens.map(|open| open + 2).find_map(|start| {
        let end = text.floor_char_boundary(start.saturating_add(LONGEST_TAG));
        let tag = text.get(start..end)?.split('}').next()?;
        let (place, _) = tag.match_indices(&written).find(|(place, _)| {
            let (before, after) = (&tag[..*place], &tag[place + written.len()..]);
            !before.ends_with(|c: char| is_name(c) || c == '.') && !after.starts_with(is_name)
        })?;
        Some(start + place)
    })?;
    let line = text[..place].matches('\n').count() + 1;
    let column = text[..place].rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some(Span { file: file.into(), line, column, length: written.chars().count() })
}
