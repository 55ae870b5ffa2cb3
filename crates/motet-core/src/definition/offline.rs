//! What rules answer in place of a model: the workflow's own `offline.yaml`, evaluated on what `with` gave.
//! Nothing here looks anything up or knows more than the call; an agent without a rule is simply not played.

use std::fmt::Write as _;

use serde_json::Value;

use super::prompt::Given;
use crate::definition::{Definition, Does, Returns};
use crate::effect::{Call, CallWork};
use crate::expression::Scope;
use crate::names::AgentName;

/// What the composed text of an agent without a rule begins with, so that nobody takes it for a model's.
pub const COMPOSED: &str = "Composed by rules from what was given; no model was asked.";

/// How much of one given text is shown again.
const LONGEST_EXTRACT: usize = 600;
const MOST_ITEMS: usize = 10;

impl Definition {
    /// The answer that rules give to this call, if they can give one.
    pub fn offline(&self, call: &Call) -> Option<Value> {
        if call.work != CallWork::Prompt {
            return None;
        }
        match self.offline.get(&call.agent) {
            Some(rule) => Some(rule.evaluate(&Scope::new(&Given { definition: self, call }))),
            None if self.answers_freely(&call.agent) => Some(composed(&call.input).into()),
            None => None,
        }
    }

    /// Whether rules can play this agent: it has one, or any text will do, or it needs nobody to play it.
    pub fn plays_offline(&self, agent: &AgentName) -> bool {
        let needs_somebody = self.agents.get(agent).is_some_and(|agent| matches!(agent.does, Does::Prompt(_)));
        !needs_somebody || self.offline.contains_key(agent) || self.answers_freely(agent)
    }

    fn answers_freely(&self, agent: &AgentName) -> bool {
        self.agents.get(agent).is_some_and(|agent| matches!(agent.returns, Returns::Anything))
    }
}

/// What was given, by name, each as an extract of itself.
fn composed(input: &Value) -> String {
    let mut text = String::from(COMPOSED);
    for (name, value) in input.as_object().into_iter().flatten() {
        let shown = shown(value);
        if !shown.is_empty() {
            let _ = write!(text, "\n\n{}:\n{shown}", name.replace('_', " "));
        }
    }
    text
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shortened(text),
        Value::Array(items) => {
            let lines = items.iter().take(MOST_ITEMS).map(|item| format!("- {}", shown(item).replace('\n', " ")));
            let rest = items.len().saturating_sub(MOST_ITEMS);
            let more = (rest > 0).then(|| format!("- and {rest} more"));
            lines.chain(more).collect::<Vec<_>>().join("\n")
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => shortened(&value.to_string()),
    }
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(LONGEST_EXTRACT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}
