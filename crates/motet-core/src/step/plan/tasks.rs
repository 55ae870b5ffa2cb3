//! What is known of a plan's tasks, and whether a plan can be run at all. Nothing here changes a run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::definition::{Definition, Plan, PlanTasks, Work};
use crate::expression::{Expression, Scope, canonical};
use crate::names::{AgentName, Digest};
use crate::state::{PlanRecord, PlanTaskStatus, State};
use crate::step::scope::RunScope;

/// What is known of a plan: its tasks with their status, and counts.
pub(crate) fn summary(definition: &Definition, state: &State, name: &str) -> Value {
    let Some(Work::Plan(plan)) = definition.state(name).map(|state| &state.work) else { return Value::Null };
    let record = record_of(state, name);
    let chosen = chosen_tasks(definition, state, plan, record);
    let blocked = blocked(record, &chosen);
    let tasks: Vec<Value> = chosen.iter().map(|task| merged(record, task, &blocked)).collect();
    let count = |statuses: &[&str]| tasks.iter().filter(|task| statuses.iter().any(|status| task["status"] == *status)).count();
    json!({
        "done": count(&["done"]),
        "failed": count(&["failed", "skipped"]),
        "skipped": count(&["skipped"]),
        "blocked": count(&["blocked"]),
        "open": count(&["ready", "waiting", "running"]),
        "tasks": tasks,
    })
}

pub(super) fn record_of<'s>(state: &'s State, name: &str) -> &'s PlanRecord {
    static EMPTY: PlanRecord = PlanRecord { tasks: BTreeMap::new(), added: Vec::new() };
    state.plans.get(name).unwrap_or(&EMPTY)
}

/// The plan as it stands: what data or the text says, and what the machine added.
pub(super) fn all_tasks(definition: &Definition, state: &State, plan: &Plan, record: &PlanRecord) -> Vec<Value> {
    let mut tasks = match &plan.tasks {
        PlanTasks::Written(tasks) => tasks.clone(),
        PlanTasks::Held(expression) => match expression.evaluate(&Scope::new(&RunScope::new(definition, state))) {
            Value::Array(tasks) => tasks,
            _ => Vec::new(),
        },
    };
    tasks.extend(record.added.iter().cloned());
    tasks
}

/// The tasks a visit of the state is about.
pub(super) fn chosen_tasks(definition: &Definition, state: &State, plan: &Plan, record: &PlanRecord) -> Vec<Value> {
    let tasks = all_tasks(definition, state, plan, record);
    tasks.into_iter().filter(|task| is_chosen(definition, state, plan, task)).collect()
}

pub(super) fn is_chosen(definition: &Definition, state: &State, plan: &Plan, task: &Value) -> bool {
    let chosen = |only: &Expression| only.evaluate(&Scope::new(&RunScope::new(definition, state).task(task))) == Value::Bool(true);
    plan.only.as_ref().is_none_or(chosen)
}

pub(super) fn merged(record: &PlanRecord, task: &Value, blocked: &BTreeSet<&str>) -> Value {
    let mut fields = task.as_object().cloned().unwrap_or_default();
    let known = record.tasks.get(id_of(task));
    fields.insert("status".to_string(), status_of(record, task, blocked).into());
    fields.insert("result".to_string(), known.map_or(Value::Null, |known| known.result.clone()));
    fields.insert("attempts".to_string(), json!(known.map_or(0, |known| known.attempts)));
    let error = known.and_then(|known| known.error.as_ref());
    fields.insert("error".to_string(), error.map_or(Value::Null, |error| json!({ "kind": error.kind, "message": error.message })));
    Value::Object(fields)
}

fn status_of(record: &PlanRecord, task: &Value, blocked: &BTreeSet<&str>) -> &'static str {
    match record.tasks.get(id_of(task)) {
        Some(known) if known.compensated_by.is_some() => "compensated",
        Some(known) => match known.status {
            PlanTaskStatus::Running => "running",
            PlanTaskStatus::Done => "done",
            PlanTaskStatus::Skipped => "skipped",
            PlanTaskStatus::Failed => "failed",
        },
        None if dependencies(task).all(|dependency| is_met(record, dependency)) => "ready",
        None if blocked.contains(id_of(task)) => "blocked",
        None => "waiting",
    }
}

/// The tasks that have not run and never will: a dependency failed for good, is not there, or is itself one of them.
pub(super) fn blocked<'t>(record: &PlanRecord, tasks: &'t [Value]) -> BTreeSet<&'t str> {
    let ids: BTreeSet<&str> = tasks.iter().map(id_of).collect();
    let is_lost = |dependency: &str| match record.tasks.get(dependency) {
        Some(known) => match &known.compensated_by {
            Some(instead) => record.tasks.get(instead).is_some_and(|instead| instead.status == PlanTaskStatus::Failed),
            None => known.status == PlanTaskStatus::Failed,
        },
        None => !ids.contains(dependency),
    };
    let open = || tasks.iter().filter(|task| !record.tasks.contains_key(id_of(task)));
    let mut dependents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for task in open() {
        for dependency in dependencies(task) {
            dependents.entry(dependency).or_default().push(id_of(task));
        }
    }
    let mut found: Vec<&str> = open().filter(|task| dependencies(task).any(is_lost)).map(id_of).collect();
    let mut blocked = BTreeSet::new();
    while let Some(id) = found.pop() {
        if blocked.insert(id) {
            found.extend(dependents.get(id).into_iter().flatten());
        }
    }
    blocked
}

pub(super) fn is_met(record: &PlanRecord, dependency: &str) -> bool {
    let Some(known) = record.tasks.get(dependency) else { return false };
    match (&known.compensated_by, known.status) {
        (Some(instead), _) => is_met(record, instead),
        (None, PlanTaskStatus::Done | PlanTaskStatus::Skipped) => true,
        (None, PlanTaskStatus::Running | PlanTaskStatus::Failed) => false,
    }
}

/// Ids are there and unique, dependencies exist, nothing waits for itself, and every agent may be named here.
pub(super) fn validate(plan: &Plan, tasks: &[Value]) -> Result<(), String> {
    match flaws(Some(&plan.agents), tasks).into_iter().next() {
        Some((_, flaw)) => Err(flaw),
        None => Ok(()),
    }
}

/// Everything that keeps tasks from being run, each with the task it is about. Without `agents`, anybody may be named.
pub(crate) fn flaws(agents: Option<&[AgentName]>, tasks: &[Value]) -> Vec<(Option<String>, String)> {
    let mut flaws = Vec::new();
    let mut ids = BTreeSet::new();
    for task in tasks {
        let Some(id) = task["id"].as_str().filter(|id| !id.is_empty()) else {
            flaws.push((None, format!("a task has no id: {task}")));
            continue;
        };
        let mut flaw = |text: String| flaws.push((Some(id.to_string()), text));
        // Tasks that answer questions are named after the task that asked, with a question mark between.
        if id.contains('?') {
            flaw(format!("the id {id} has a question mark in it"));
        }
        if !ids.insert(id) {
            flaw(format!("two tasks have the id {id}"));
        }
        if let (Some(agent), Some(agents)) = (task["agent"].as_str(), agents)
            && agents.iter().all(|known| known != agent)
        {
            let agents: Vec<_> = agents.iter().map(AgentName::as_str).collect();
            flaw(format!("task {id} names the agent {agent}, which is not one of {}", agents.join(", ")));
        }
    }
    for task in tasks {
        for missing in dependencies(task).filter(|dependency| !ids.contains(dependency)) {
            flaws.push((Some(id_of(task).to_string()), format!("task {} depends on {missing}, which is not in the plan", id_of(task))));
        }
    }
    if flaws.is_empty()
        && let Some(cycle) = cycle(tasks)
    {
        flaws.push((cycle.first().cloned(), format!("tasks wait for each other: {}", cycle.join(" → "))));
    }
    flaws
}

/// Kahn's order; what is left over when nothing more is free contains a cycle.
fn cycle(tasks: &[Value]) -> Option<Vec<String>> {
    let mut waiting: BTreeMap<&str, BTreeSet<&str>> = tasks.iter().map(|task| (id_of(task), dependencies(task).collect())).collect();
    let mut dependents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for task in tasks {
        for dependency in dependencies(task) {
            dependents.entry(dependency).or_default().push(id_of(task));
        }
    }
    let mut free: Vec<&str> = waiting.iter().filter(|(_, on)| on.is_empty()).map(|(id, _)| *id).collect();
    while let Some(id) = free.pop() {
        waiting.remove(id);
        for dependent in dependents.get(id).into_iter().flatten() {
            if let Some(on) = waiting.get_mut(dependent) {
                on.remove(id);
                if on.is_empty() {
                    free.push(dependent);
                }
            }
        }
    }
    let (start, _) = waiting.first_key_value()?;
    let mut path = vec![*start];
    loop {
        let next = *waiting.get(path.last()?)?.iter().find(|dependency| waiting.contains_key(**dependency))?;
        if let Some(seen) = path.iter().position(|id| *id == next) {
            return Some(path[seen..].iter().chain([&next]).map(|id| id.to_string()).collect());
        }
        path.push(next);
    }
}

pub(super) fn id_of(task: &Value) -> &str {
    task["id"].as_str().unwrap_or("")
}

pub(super) fn dependencies(task: &Value) -> impl Iterator<Item = &str> {
    task["depends_on"].as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str)
}

pub(super) fn agent_of(plan: &Plan, task: &Value) -> AgentName {
    let named = task["agent"].as_str().map(AgentName::new);
    named.or_else(|| plan.agents.first().cloned()).unwrap_or_else(|| "".into())
}

pub(super) fn digest(task: &Value) -> Digest {
    Digest::of(canonical(task).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_whose_fields_are_written_in_another_order_is_the_same_task() {
        let (one, other) = (json!({ "id": "A", "title": "t" }), json!({ "title": "t", "id": "A" }));
        assert_eq!(digest(&one), digest(&other));
        assert_ne!(digest(&one), digest(&json!({ "id": "A", "title": "u" })));
    }
}
