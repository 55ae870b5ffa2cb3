//! Files as projections of a run: which there are, and what stands in them, given a state. Writing them is the host's business.

use serde_json::Value;

use crate::definition::{Definition, FileRule, StateDefinition};
use crate::event::{Event, Fact};
use crate::expression::Scope;
use crate::names::TaskId;
use crate::state::State;
use crate::step::RunScope;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projected {
    /// Relative to the run's own directory, as the workflow's text gave it; not yet known to stay inside.
    pub path: String,
    /// The content, or why it could not be made.
    pub content: Result<String, String>,
    /// People may write into it, and what they wrote must not be lost.
    pub editable: bool,
}

/// Every whole file that exists in this state, in the order of the workflow.
pub fn project(definition: &Definition, state: &State) -> Vec<Projected> {
    let rules = definition.files.iter().filter(|rule| !rule.append && is_due(rule, state));
    rules.flat_map(|rule| rendered(definition, state, rule, None)).map(|(_, file)| file).collect()
}

/// What an event, just applied, adds to the files that grow. Empty texts are left out.
pub fn appended(definition: &Definition, state: &State, event: &Event) -> Vec<Projected> {
    let rules = definition.files.iter().filter(|rule| rule.append && is_due(rule, state));
    let mut event_value: Option<Value> = None;
    let mut projected = Vec::new();
    for rule in rules {
        let event = event_value.get_or_insert_with(|| event_for_templates(definition, state, event));
        projected.extend(rendered(definition, state, rule, Some(event)).into_iter().map(|(_, file)| file));
    }
    projected.retain(|file| file.content.as_ref().is_ok_and(|content| !content.trim().is_empty()) || file.content.is_err());
    projected
}

/// Whether the workflow has files that grow, so that a host can skip asking.
pub fn has_appended(definition: &Definition) -> bool {
    definition.files.iter().any(|rule| rule.append)
}

pub(crate) fn is_due(rule: &FileRule, state: &State) -> bool {
    rule.since.as_ref().is_none_or(|since| state.visits.contains_key(since))
}

/// Each file of a rule, with the item it is about.
pub(crate) fn rendered(definition: &Definition, state: &State, rule: &FileRule, event: Option<&Value>) -> Vec<(Value, Projected)> {
    let null = Value::Null;
    let items = match &rule.each {
        Some(each) => match each.evaluate(&Scope::new(&RunScope::new(definition, state))) {
            Value::Array(items) => items,
            _ => Vec::new(),
        },
        None => vec![Value::Null],
    };
    let files = items.into_iter().map(|item| {
        let scope = RunScope::new(definition, state).item(&item).event(event.unwrap_or(&null));
        let path = definition.templates.render_text(&rule.path, &scope);
        let content = definition.templates.render_file(&rule.from, &scope);
        (item, Projected { path, content, editable: !rule.edits.is_empty() })
    });
    files.collect()
}

/// `{ seq, at, kind, … }` with the fact's own fields beside its kind, and the passages it caused. A task that starts in another way than
/// before has in `alternative` what it was given instead.
fn event_for_templates(definition: &Definition, state: &State, event: &Event) -> Value {
    let mut fields = serde_json::Map::new();
    if let Ok(Value::Object(fact)) = serde_json::to_value(&event.fact)
        && let Some((kind, Value::Object(body))) = fact.into_iter().next()
    {
        fields = body;
        fields.insert("kind".to_string(), Value::String(kind));
    }
    if let Fact::TaskStarted { task, .. } = &event.fact {
        fields.insert("alternative".to_string(), given_instead(definition, state, task));
    }
    fields.insert("passages".to_string(), RunScope::new(definition, state).passages_of(event.seq));
    fields.insert("seq".to_string(), event.seq.into());
    fields.insert("at".to_string(), Value::String(event.at.to_string()));
    Value::Object(fields)
}

/// What `if_task_fails.alternative` added to what a task is given; null for a task that is tried as it was meant.
fn given_instead(definition: &Definition, state: &State, task: &TaskId) -> Value {
    let Some(running) = state.tasks.get(task).filter(|running| running.alternative) else { return Value::Null };
    let named = definition.state(state.here.state.as_str()).map(StateDefinition::alternative).unwrap_or_default();
    named.iter().map(|(name, _)| (name.clone(), running.input[name.as_str()].clone())).collect()
}
