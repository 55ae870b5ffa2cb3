//! What an agent is told: its prompt, rendered from what `with` gave.
//! Nothing else of the run is visible there, so that what a prompt depends on can be read in the workflow.

use std::borrow::Cow;

use serde_json::Value;

use crate::definition::{Agent, Definition, Does, StateDefinition, Work};
use crate::effect::Call;
use crate::expression::{Formula, Variables};

impl Definition {
    /// The agent's prompt for one call. The error is a sentence that names the file and the line.
    pub fn prompt(&self, call: &Call) -> Result<String, String> {
        let agent: &Agent = self.agents.get(&call.agent).ok_or_else(|| format!("the workflow has no agent `{}`", call.agent))?;
        let Does::Prompt(path) = &agent.does else {
            return Err(format!("the agent `{}` has no prompt", call.agent));
        };
        self.templates.render_file(path, &Given { definition: self, call })
    }
}

/// A prompt, and a rule that stands in for whoever would answer it, sees the fields of the call's input, `correction` and `answers`.
pub(super) struct Given<'a> {
    pub definition: &'a Definition,
    pub call: &'a Call,
}

impl Variables for Given<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        if let Some(value) = self.call.input.get(name) {
            return Some(Cow::Borrowed(value));
        }
        match name {
            "correction" => Some(Cow::Owned(self.call.correction.clone().map_or(Value::Null, Value::String))),
            "answers" => serde_json::to_value(&self.call.answers).ok().map(Cow::Owned),
            // A second way is tried only after the first has failed; until then what it adds is nothing.
            name if self.definition.states.iter().any(|state| has_alternative(state, name)) => Some(Cow::Owned(Value::Null)),
            _ => None,
        }
    }
}

fn has_alternative(state: &StateDefinition, name: &str) -> bool {
    state.alternative().iter().any(|(field, _)| field == name)
}

impl StateDefinition {
    /// What is added to `with` when a failed task is tried in another way.
    pub fn alternative(&self) -> &[(String, Formula)] {
        let rule = match &self.work {
            Work::Agent { if_task_fails, .. } => if_task_fails.as_ref(),
            Work::Plan(plan) => Some(&plan.if_task_fails),
            Work::Decide | Work::Gate(_) | Work::Command(_) | Work::Call(_) | Work::Final { .. } => None,
        };
        rule.and_then(|rule| rule.alternative.as_deref()).unwrap_or_default()
    }
}
