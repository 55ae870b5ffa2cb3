//! What an agent says and does in one turn, gathered from its updates.
//! It answers nothing: requests of the agent are answered at the desk.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, MessageId, PlanEntryStatus, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolKind,
};
use motet_core::units::Usd;
use serde_json::Value;

use super::counting::Known;
use crate::context::{Context, Progress};

/// A message longer than this is no answer.
pub(super) const MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// So many tool calls are remembered.
const CALLS: usize = 10_000;
/// Longer arguments are not remembered, nor more than this of all together.
const ARGUMENT_BYTES: usize = 64 * 1024;
const ALL_ARGUMENT_BYTES: usize = 4 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Turn {
    /// The last message; the answer, once the turn has ended.
    pub message: String,
    /// How long the last message was, also where not all of it is kept.
    pub message_bytes: usize,
    is_message_open: bool,
    message_id: Option<MessageId>,
    calls: BTreeMap<String, Announced>,
    /// All that were told, also those that are not remembered.
    tool_calls: usize,
    /// The arguments of the calls of this turn, by their ids, as far as they were told and there is room for them.
    arguments: BTreeMap<String, Known>,
    /// How much there is of them.
    argument_bytes: usize,
    /// What the whole conversation has cost, as far as it was told in dollars.
    pub cost: Option<Usd>,
}

/// What the agent has said of a tool call so far.
#[derive(Clone, Default)]
struct Announced {
    /// What it does, in the agent's words.
    title: Option<String>,
    kind: Option<ToolKind>,
}

impl Turn {
    pub fn on_update(&mut self, update: SessionUpdate, context: &Context) {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.on_message(chunk, context),
            SessionUpdate::ToolCall(call) => {
                self.is_message_open = false;
                self.tool_calls += 1;
                context.tell(Progress::Log(call.title.clone()));
                let id = call.tool_call_id.to_string();
                if self.arguments.len() < CALLS {
                    self.arguments.entry(id.clone()).or_default();
                }
                self.remember(&id, call.raw_input);
                self.announce(id, Some(call.title), Some(call.kind));
            }
            SessionUpdate::ToolCallUpdate(update) => self.on_tool_call_update(update, context),
            SessionUpdate::Plan(plan) => {
                let current = plan.entries.iter().find(|entry| entry.status == PlanEntryStatus::InProgress);
                if let Some(entry) = current {
                    context.tell(Progress::Log(format!("plan: {}", entry.content)));
                }
            }
            SessionUpdate::UsageUpdate(usage) => {
                let dollars = usage.cost.filter(|cost| cost.currency.eq_ignore_ascii_case("usd"));
                self.cost = dollars.and_then(|cost| Usd::from_dollars(cost.amount)).or(self.cost);
            }
            // Thoughts, the echo of our own words, and what concerns an editor.
            _ => {}
        }
    }

    /// Adds what was said of the tool call before, where this says nothing.
    pub fn complete(&self, update: &mut ToolCallUpdate) {
        let Some(known) = self.calls.get(&update.tool_call_id.to_string()) else { return };
        let fields = &mut update.fields;
        fields.title = fields.title.take().or_else(|| known.title.clone());
        fields.kind = fields.kind.or(known.kind);
    }

    /// What is known of the arguments of each call of this turn.
    pub fn told(&self) -> impl Iterator<Item = Known> {
        let others = self.tool_calls - self.arguments.len();
        self.arguments.values().cloned().chain(std::iter::repeat_n(None, others))
    }

    /// What was replayed of an earlier turn is not part of this one.
    pub fn begin(&mut self) {
        *self = Self { calls: std::mem::take(&mut self.calls), cost: self.cost, ..Self::default() };
    }

    fn on_message(&mut self, chunk: ContentChunk, context: &Context) {
        let ContentBlock::Text(text) = chunk.content else { return };
        let is_another = chunk.message_id.is_some() && chunk.message_id != self.message_id;
        if !self.is_message_open || is_another {
            self.message.clear();
            self.message_bytes = 0;
            self.is_message_open = true;
        }
        self.message_id = chunk.message_id;
        self.message_bytes += text.text.len();
        if self.message_bytes <= MESSAGE_BYTES {
            self.message.push_str(&text.text);
        }
        context.tell(Progress::Text(text.text));
    }

    fn on_tool_call_update(&mut self, update: ToolCallUpdate, context: &Context) {
        self.is_message_open = false;
        let id = update.tool_call_id.to_string();
        self.remember(&id, update.fields.raw_input);
        self.announce(id.clone(), update.fields.title, update.fields.kind);
        if update.fields.status == Some(ToolCallStatus::Failed) {
            let title = self.calls.get(&id).and_then(|call| call.title.as_deref()).unwrap_or("a tool call");
            context.tell(Progress::Log(format!("failed: {title}")));
        }
    }

    /// Agents that tell a call in pieces begin with nothing, which therefore says nothing.
    fn remember(&mut self, id: &str, input: Option<Value>) {
        let says_something = |input: &Value| !input.is_null() && input.as_object().is_none_or(|fields| !fields.is_empty());
        let (Some(input), Some(known)) = (input.filter(says_something), self.arguments.get_mut(id)) else { return };
        let length = |input: &Value| input.to_string().len();
        self.argument_bytes -= known.take().as_ref().map_or(0, length);
        let bytes = length(&input);
        if bytes <= ARGUMENT_BYTES && self.argument_bytes + bytes <= ALL_ARGUMENT_BYTES {
            self.argument_bytes += bytes;
            *known = Some(input);
        }
    }

    fn announce(&mut self, id: String, title: Option<String>, kind: Option<ToolKind>) {
        if self.calls.len() < CALLS || self.calls.contains_key(&id) {
            let known = self.calls.entry(id).or_default();
            known.title = title.or_else(|| known.title.take());
            known.kind = kind.or(known.kind);
        }
    }
}
