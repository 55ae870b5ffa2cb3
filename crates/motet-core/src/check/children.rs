//! Whether what a state gives to a whole run of another workflow is what that workflow declares as its input.
//! It judges names, and values that stand in the text; what an expression comes to, only a run knows.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::codes;
use crate::definition::{Agent, Definition, Does, IfTaskFails, StateDefinition, Work};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::expression::{Formula, Scope, Variables};
use crate::names::AgentName;
use crate::schema::Schema;

/// `workflow` finds a workflow by name. Of one that cannot be had nothing is said here: that is a problem of its own.
pub fn problems(definition: &Definition, workflow: impl Fn(&str) -> Option<Arc<Definition>>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for state in &definition.states {
        let mut held = BTreeSet::new();
        for name in started(definition, state) {
            if held.insert(name)
                && let Some(child) = workflow(name)
            {
                problems.extend(against(state, &child));
            }
        }
    }
    problems
}

/// The workflows that the tasks of a state run, also those of agents that only stand in.
fn started<'d>(definition: &'d Definition, state: &'d StateDefinition) -> Vec<&'d str> {
    let agents: Vec<&AgentName> = match &state.work {
        Work::Agent { agent, .. } => vec![agent],
        Work::Plan(plan) => plan.agents.iter().collect(),
        Work::Decide | Work::Gate(_) | Work::Command(_) | Work::Call(_) | Work::Final { .. } => Vec::new(),
    };
    let known = |name: &&'d AgentName| definition.agents.get(*name);
    let first: Vec<&Agent> = agents.iter().filter_map(known).collect();
    let all = first.iter().copied().chain(first.iter().flat_map(|agent| agent.fallback.iter().filter_map(|name| known(&name))));
    let workflows = all.filter_map(|agent| match &agent.does {
        Does::Workflow(name) => Some(name.as_str()),
        Does::Prompt(_) | Does::Builtin(_) => None,
    });
    workflows.collect()
}

fn against(state: &StateDefinition, child: &Definition) -> Vec<Diagnostic> {
    let given: Vec<(&String, &Formula)> = state.with.iter().chain(added(state)).map(|(name, formula)| (name, formula)).collect();
    let mut problems = Vec::new();
    let always = |name: &str| state.with.iter().any(|(given, _)| given == name);
    for missing in required(&child.input).filter(|name| !always(name)) {
        let problem = Diagnostic::error(codes::CHILD_INPUT, format!("`{}` does not give `{missing}` to {}", state.name, child.name));
        let label = format!("{} cannot be run without it", child.name);
        problems.push(problem.at(&state.span).label(label).help(format!("add `{missing}: …` to its `with`")));
    }
    for (name, formula) in given {
        let span = formula.expressions().first().map_or(&state.span, |expression| &expression.span);
        match child.input.property(name) {
            None => problems.extend(unknown(state, child, name, span)),
            Some(property) => problems.extend(misfit(state, child, (name, property), formula, span)),
        }
    }
    problems
}

/// What a second attempt adds.
fn added(state: &StateDefinition) -> &[(String, Formula)] {
    let if_fails: Option<&IfTaskFails> = match &state.work {
        Work::Agent { if_task_fails, .. } => if_task_fails.as_ref(),
        Work::Plan(plan) => Some(&plan.if_task_fails),
        Work::Decide | Work::Gate(_) | Work::Command(_) | Work::Call(_) | Work::Final { .. } => None,
    };
    if_fails.and_then(|if_fails| if_fails.alternative.as_deref()).unwrap_or_default()
}

/// The inputs that must be given, since nothing stands in for them.
fn required(input: &Schema) -> impl Iterator<Item = &str> {
    let names = input.json.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| input.property(name).is_none_or(|property| property.get("default").is_none()))
}

fn unknown(state: &StateDefinition, child: &Definition, name: &str, span: &Span) -> Option<Diagnostic> {
    let is_closed = child.input.json.get("additionalProperties") == Some(&Value::Bool(false));
    // Names of a pattern are not listed one by one.
    if !is_closed || child.input.json.get("patternProperties").is_some() {
        return None;
    }
    let known: Vec<&str> =
        child.input.json.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| &**name).collect();
    let problem =
        Diagnostic::error(codes::CHILD_INPUT, format!("{} has no input `{name}`, which `{}` gives to it", child.name, state.name));
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("{} has no input at all", child.name),
        None => format!("it has {}", known.join(", ")),
    };
    Some(problem.at(span).label("would be refused when the run starts").help(help))
}

/// A value that stands in the text, and that the input does not take.
fn misfit(
    state: &StateDefinition,
    child: &Definition,
    (name, property): (&str, &Value),
    formula: &Formula,
    span: &Span,
) -> Option<Diagnostic> {
    if formula.expressions().iter().any(|expression| !expression.references().is_empty()) {
        return None;
    }
    let value = formula.evaluate(&Scope::new(&Nothing));
    let mut alone = json!({ "type": "object", "properties": { name: property } });
    if let Some(definitions) = child.input.json.get("$defs") {
        alone["$defs"] = definitions.clone();
    }
    let why = Schema::compile(alone).ok()?.problems(&json!({ name: value }));
    let first = why.into_iter().next()?;
    let problem = Diagnostic::error(codes::CHILD_INPUT, format!("`{}` gives {} what it does not take: {first}", state.name, child.name));
    Some(problem.at(span).label("would be refused when the run starts").help(format!("{} declares it as {property}", child.name)))
}

/// What stands in the text reads nothing.
struct Nothing;

impl Variables for Nothing {
    fn variable(&self, _name: &str) -> Option<Cow<'_, Value>> {
        None
    }
}
