//! What we want of a provider's client, and nothing else: send one conversation, hear it answered, list the models.
//! Retries, tools, schemas that fail and money are above it; bytes, headers and formats are below it.

use serde_json::Value;

use super::conversation::{Message, ToolCall};
use super::trouble::Trouble;
use crate::agent::BoxFuture;
use crate::tools::Tool;

/// One provider, as the agent sees it.
pub(crate) trait Wire: Send + Sync {
    /// Sends one conversation and tells the pieces of the answer as they come.
    fn chat<'a>(&'a self, chat: Chat, hear: &'a mut (dyn FnMut(Piece) + Send)) -> BoxFuture<'a, Result<Reply, Trouble>>;

    /// The names of the models that the server has.
    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, Trouble>>;

    /// The longest context that the model can have, if the server tells and lets us choose one.
    fn longest_context(&self) -> BoxFuture<'_, Result<Option<u64>, Trouble>>;

    /// The version of the server, if it tells.
    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Trouble>>;
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Chat {
    pub messages: Vec<Message>,
    pub temperature: Option<f64>,
    pub max_tokens: u64,
    pub seed: Option<u64>,
    /// Of a server that lets us choose.
    pub context_tokens: Option<u64>,
    /// The shape of the answer, already in a form that the provider takes.
    pub schema: Option<Value>,
    /// By names that every provider takes.
    pub tools: Vec<Tool>,
}

/// A part of an answer while it is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Thought(String),
}

/// A whole answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub text: String,
    /// What the provider itself calls thoughts; those in the text are separated later.
    pub thoughts: String,
    pub calls: Vec<ToolCall>,
    pub ending: Ending,
    /// The ending in the provider's own word, for the record.
    pub finish: String,
    /// None: the server did not count.
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    /// The turn to say again when the conversation goes on.
    pub turn: Message,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Done,
    /// The limit of tokens was reached.
    CutOff,
    WantsTools,
    /// The model declined, or the provider withheld the answer, for this reason.
    Refused(String),
    /// The model tried to use a tool and did not manage to say which, or how.
    Garbled,
}
