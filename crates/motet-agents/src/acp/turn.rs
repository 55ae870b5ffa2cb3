//! What an agent says and does in one turn, gathered from its updates.
//! It answers nothing: requests of the agent are answered at the desk.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, MessageId, PlanEntryStatus, SessionUpdate, ToolCallStatus, ToolCallUpdate,
};
use motet_core::units::Usd;

use crate::context::{Context, Progress};

/// A message longer than this is no answer.
const MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// Titles of so many tool calls are remembered.
const TITLES: usize = 10_000;

#[derive(Default)]
pub(super) struct Turn {
    /// The last message; the answer, once the turn has ended.
    pub message: String,
    is_message_open: bool,
    message_id: Option<MessageId>,
    /// What each tool call does, in the agent's words.
    pub titles: BTreeMap<String, String>,
    pub tool_calls: u64,
    /// What the whole conversation has cost, as far as it was told in dollars.
    pub cost: Option<Usd>,
}

impl Turn {
    pub fn on_update(&mut self, update: SessionUpdate, context: &Context) {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.on_message(chunk, context),
            SessionUpdate::ToolCall(call) => {
                self.is_message_open = false;
                self.tool_calls += 1;
                context.tell(Progress::Log(call.title.clone()));
                self.name(call.tool_call_id.to_string(), call.title);
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

    /// What was replayed of an earlier turn is not part of this one.
    pub fn begin(&mut self) {
        *self = Self { titles: std::mem::take(&mut self.titles), cost: self.cost, ..Self::default() };
    }

    fn on_message(&mut self, chunk: ContentChunk, context: &Context) {
        let ContentBlock::Text(text) = chunk.content else { return };
        let is_another = chunk.message_id.is_some() && chunk.message_id != self.message_id;
        if !self.is_message_open || is_another {
            self.message.clear();
            self.is_message_open = true;
        }
        self.message_id = chunk.message_id;
        if self.message.len() + text.text.len() <= MESSAGE_BYTES {
            self.message.push_str(&text.text);
        }
        context.tell(Progress::Text(text.text));
    }

    fn on_tool_call_update(&mut self, update: ToolCallUpdate, context: &Context) {
        self.is_message_open = false;
        let id = update.tool_call_id.to_string();
        if let Some(title) = update.fields.title {
            self.name(id.clone(), title);
        }
        if update.fields.status == Some(ToolCallStatus::Failed) {
            let title = self.titles.get(&id).map_or("a tool call", String::as_str);
            context.tell(Progress::Log(format!("failed: {title}")));
        }
    }

    fn name(&mut self, id: String, title: String) {
        if self.titles.len() < TITLES || self.titles.contains_key(&id) {
            self.titles.insert(id, title);
        }
    }
}
