//! What was said to a backend and what it answered, word for word: for the record, never for the machine.
//! What streams by while an answer is written is progress and is not kept.

use motet_core::event::{Price, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Message, ToolCall};
use crate::pricing::priced;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "with", rename_all = "snake_case")]
pub enum Exchange {
    Model {
        provider: String,
        model: String,
        sent: Vec<Message>,
        /// As it came, thoughts and all.
        answer: String,
        /// The tools that the model asked for with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// Why the model stopped, in the provider's own word.
        finish: String,
        usage: Usage,
    },
    Tool {
        name: String,
        arguments: Value,
        answer: String,
        is_error: bool,
        /// A relay between a coding agent and a tool server has seen it, and put it into a file that the agent could have written too.
        #[serde(default, skip_serializing_if = "is_false")]
        is_relayed: bool,
    },
    /// Who answered was not the first who was asked.
    StandIn { agent: String, instead_of: Vec<PassedOver> },
    /// A conversation with a coding agent that can be taken up again by its id.
    Conversation { agent: String, id: String, sent: String, answer: String, usage: Usage },
}

/// Who could not answer, in the order in which they were asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOver {
    pub agent: String,
    pub why: String,
}

impl Exchange {
    /// Whether the attempt may end with it: an answer, and not the use of a tool.
    pub(crate) fn may_be_the_last(&self) -> bool {
        match self {
            Exchange::Model { calls, .. } => calls.is_empty(),
            Exchange::Conversation { .. } | Exchange::StandIn { .. } => true,
            Exchange::Tool { .. } => false,
        }
    }

    /// The same, with what it cost where it does not say.
    pub(crate) fn priced(mut self, price: &Price) -> Self {
        match &mut self {
            Exchange::Model { usage, .. } | Exchange::Conversation { usage, .. } => *usage = priced(*usage, price),
            Exchange::Tool { .. } | Exchange::StandIn { .. } => {}
        }
        self
    }
}

fn is_false(value: &bool) -> bool {
    !value
}
