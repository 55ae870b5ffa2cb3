//! Judges, once everything has been read, what expressions, texts and templates refer to.
//! Whether a value is there already when it is read depends on the path and is left to `check`.

use std::collections::{BTreeMap, BTreeSet};

use super::agents::chain;
use super::codes;
use super::reader::suggest;
use super::reading::{Reading, Sees, Use};
use crate::definition::{Agent, Does, Folder, GATHERED, Responder, StateDefinition};
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
    let is_extra = (root == "event" && one.sees == Sees::Event) || (root == "before" && one.sees == Sees::Edit);
    if !ROOTS.contains(&root) && !is_extra {
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
        "data" | "before" => reading.names.data.iter().map(String::as_str).collect(),
        "counters" => reading.names.counters.keys().map(String::as_str).collect(),
        "last" | "all" | "plans" => reading.names.states.iter().map(String::as_str).collect(),
        _ => return,
    };
    let what = match root {
        "input" => "the input has no field",
        "data" | "before" => "`data` does not declare",
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
        let users = state.agents();
        let mut all: BTreeSet<AgentName> = users.iter().flat_map(|agent| chain(agents, agent)).collect();
        all.extend(users.into_iter().cloned());
        for agent in all.iter().filter_map(|name| agents.get(name)) {
            let given = given(state, agent);
            let asked = reading.given_uses.iter().filter(|(name, _)| *name == agent.name).flat_map(|(_, uses)| uses);
            let asked: Vec<(Vec<String>, Span)> = asked.map(|one| (one.path.clone(), one.span.clone())).collect();
            for (path, span) in asked {
                not_given(reading, &format!("`gather` of `{}`", agent.name), state, &given, &path, &span);
            }
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

/// What an agent sees when it is asked in this state.
pub fn given<'s>(state: &'s StateDefinition, agent: &Agent) -> BTreeSet<&'s str> {
    let named = state.with.iter().chain(state.alternative()).map(|(name, _)| name.as_str());
    named.chain(PROMPT_EXTRAS).chain(agent.gather.as_ref().map(|_| GATHERED)).collect()
}

/// Says so if a path begins with something that an agent does not see.
pub fn not_given(reading: &mut Reading<'_>, who: &str, state: &StateDefinition, given: &BTreeSet<&str>, path: &[String], span: &Span) {
    let Some(root) = path.first().filter(|root| !given.contains(root.as_str())) else { return };
    let message = format!("{who} reads `{root}`, which the state `{}` does not give", state.name);
    let problem = reading.reader.error(codes::PROMPT_VARIABLE, span, message);
    problem.label = format!("`with` of `{}` has no `{root}`", state.name);
    suggest(problem, root, given.iter().copied());
}

fn missing(references: &[Vec<String>], given: &BTreeSet<&str>) -> BTreeSet<String> {
    references.iter().filter_map(|path| path.first()).filter(|name| !given.contains(name.as_str())).cloned().collect()
}

/// What is declared and never used is probably a slip; in a file with errors it only could not be seen.
pub fn unused(reading: &mut Reading<'_>, agents: &BTreeMap<AgentName, Agent>, answered_by: &[Responder], states: &[StateDefinition]) {
    if reading.reader.problems.iter().any(|problem| problem.is_error()) {
        return;
    }
    let mut used: BTreeSet<AgentName> = states.iter().flat_map(StateDefinition::agents).cloned().collect();
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
