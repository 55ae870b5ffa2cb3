//! Whether data that a person changed can be gone on with: its shape, its ids, its dependencies, and what the workflow refuses.
//! The machine asks before it takes an edit, whichever way the edit came; what is refused changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::form::{Form, key_of};
use super::import::edits_here;
use crate::definition::{Definition, Plan, PlanTasks, StateDefinition, Work};
use crate::expression::Scope;
use crate::names::AgentName;
use crate::state::{PlanTaskStatus, State};
use crate::step::{RunScope, flaws_of_tasks};

/// Why an edit cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The field of `data`.
    pub data: String,
    /// The id of the item, if it is about one.
    pub item: Option<String>,
    pub text: String,
}

/// Everything that is wrong with these changes, given the run as it stands. What was wrong before is nobody's edit.
pub fn judge(definition: &Definition, state: &State, changes: &BTreeMap<String, Value>) -> Vec<Flaw> {
    let mut after = state.clone();
    after.data.extend(changes.iter().map(|(name, value)| (name.clone(), value.clone())));
    let mut flaws = Vec::new();
    for (name, value) in changes {
        let before = state.data.get(name).unwrap_or(&Value::Null);
        let forms = forms_of(definition, state, name);
        for form in &forms {
            flaws.extend(shape(form, name, before, value));
        }
        // A list whose shape is wrong is not looked at any closer.
        if flaws.is_empty() {
            let already = items(definition, name, before);
            flaws.extend(items(definition, name, value).into_iter().filter(|flaw| !already.contains(flaw)));
            flaws.extend(under_way(definition, state, name, before, value));
        }
    }
    // What one list says may be wrong because another was changed.
    if flaws.is_empty() && !changes.is_empty() {
        for rule in &definition.files {
            let edits = edits_here(rule, state).filter_map(|edit| Some((edit.data(rule)?, edit.form.as_ref()?)));
            for (name, form) in edits {
                let already = refused(definition, state, &state.data, form, name);
                flaws.extend(refused(definition, &after, &state.data, form, name).into_iter().filter(|flaw| !already.contains(flaw)));
            }
        }
    }
    let mut seen = BTreeSet::new();
    flaws.retain(|flaw| seen.insert(flaw.text.clone()));
    flaws
}

fn forms_of<'d>(definition: &'d Definition, state: &'d State, name: &str) -> Vec<&'d Form> {
    let rules = definition.files.iter();
    let edits = rules.flat_map(|rule| edits_here(rule, state).filter(move |edit| edit.data(rule) == Some(name)));
    edits.filter_map(|edit| edit.form.as_ref()).collect()
}

/// The same that holds for a planner's result.
fn shape(form: &Form, name: &str, before: &Value, after: &Value) -> Vec<Flaw> {
    let flaw = |item: Option<&Value>, text: String| {
        let id = item.map(|item| key_of(&item["id"]));
        let text = id.as_ref().map_or_else(|| format!("{name}: {text}"), |id| format!("{id}: {text}"));
        Flaw { data: name.to_owned(), item: id, text }
    };
    let Value::Array(list) = after else { return vec![flaw(None, "this must be a list".into())] };
    let Some(like) = &form.like else { return Vec::new() };
    let already = like.list.problems(before);
    let of_list = like.list.problems(after).into_iter().filter(|problem| !already.contains(problem));
    let mut flaws: Vec<Flaw> = of_list.map(|problem| flaw(None, problem)).collect();
    let known = before.as_array().map_or(&[][..], Vec::as_slice);
    for item in list.iter().filter(|item| !known.contains(item)) {
        let was = known.iter().find(|known| known["id"] == item["id"]);
        let already = was.map_or_else(Vec::new, |was| like.item.problems(was));
        let problems = like.item.problems(item).into_iter().filter(|problem| !already.contains(problem));
        flaws.extend(problems.map(|problem| flaw(Some(item), problem)));
    }
    flaws
}

/// Ids are there once; what depends on something finds it, and nothing waits for itself.
fn items(definition: &Definition, name: &str, value: &Value) -> Vec<Flaw> {
    let Some(list) = value.as_array().filter(|list| list.iter().any(|item| item.get("id").is_some())) else { return Vec::new() };
    let flaw = |item: Option<String>, text: String| Flaw { data: name.to_owned(), item, text };
    if list.iter().any(|item| item.get("depends_on").is_some()) {
        let found = flaws_of_tasks(agents_of(definition, name).as_deref(), list);
        return found.into_iter().map(|(item, text)| flaw(item, text)).collect();
    }
    let mut seen = BTreeSet::new();
    let twice = list.iter().map(|item| key_of(&item["id"])).filter(|id| !seen.insert(id.clone()));
    twice.map(|id| flaw(Some(id.clone()), format!("two of {name} have the id {id}"))).collect()
}

/// What somebody has begun stays as it was given to them, and its result is for the task as it was.
fn under_way(definition: &Definition, state: &State, name: &str, before: &Value, after: &Value) -> Vec<Flaw> {
    let here = &state.here.state;
    let runs = definition.state(here.as_str()).and_then(|here| plan_of(here, name)).and(state.plans.get(here));
    let begun = runs.into_iter().flat_map(|plan| &plan.tasks).filter(|(_, task)| task.status == PlanTaskStatus::Running);
    let changed = begun.map(|(id, _)| id).filter(|id| found(before, id) != found(after, id));
    let text = |id: &String| format!("{id} is under way, and cannot be changed or taken out before it is done");
    changed.map(|id| Flaw { data: name.to_owned(), item: Some(id.clone()), text: text(id) }).collect()
}

fn found<'v>(list: &'v Value, id: &str) -> Option<&'v Value> {
    list.as_array()?.iter().find(|item| item["id"] == id)
}

/// Whom a task may name, where a plan runs this very list.
fn agents_of(definition: &Definition, name: &str) -> Option<Vec<AgentName>> {
    definition.states.iter().find_map(|state| plan_of(state, name)).map(|plan| plan.agents.clone())
}

/// The plan of a state that runs this very list.
fn plan_of<'d>(state: &'d StateDefinition, name: &str) -> Option<&'d Plan> {
    match &state.work {
        Work::Plan(plan) => match &plan.tasks {
            PlanTasks::Held(expression) if expression.source.trim().strip_prefix("data.") == Some(name) => Some(plan),
            _ => None,
        },
        _ => None,
    }
}

fn refused(definition: &Definition, after: &State, before: &serde_json::Map<String, Value>, form: &Form, name: &str) -> Vec<Flaw> {
    let Some(refuse) = &form.refuse else { return Vec::new() };
    let before = Value::Object(before.clone());
    let scope = RunScope::new(definition, after).before(&before);
    let scope = Scope::new(&scope);
    let reasons = match refuse.evaluate(&scope) {
        _ if scope.is_exhausted() => vec![Value::from(format!("`{}` takes too long to evaluate", refuse.source))],
        Value::Array(reasons) => reasons,
        Value::Null | Value::Bool(false) => Vec::new(),
        reason => vec![reason],
    };
    reasons.iter().map(|reason| Flaw { data: name.to_owned(), item: None, text: key_of(reason) }).collect()
}
