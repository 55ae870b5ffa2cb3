//! Models: one agent for every provider, behind one narrow trait, governed per provider.
//! The machine's retries, budgets and fallbacks are not here; an attempt ends with what it came to.

mod account;
mod agent;
mod attempt;
mod calling;
mod context_window;
mod conversation;
mod environment;
mod governor;
mod limits;
mod pool;
mod probe;
mod provider;
mod reading;
mod rig;
mod said;
mod shape;
mod tool_use;
mod toolbelt;
mod transport;
mod trouble;
mod wire;

pub use agent::ModelAgent;
pub use attempt::{MOST_CALLS, MOST_CALLS_WITH_TOOLS};
pub use conversation::{Message, Speaker, ToolCall, USER_LINE, as_text, conversation};
pub use environment::{OLLAMA_VARIABLES, OllamaSettings, Problem};
pub use governor::Governor;
pub use probe::Probe;
pub use provider::{
    DEFAULT_CONCURRENCY, DEFAULT_MAX_TURNS, DEFAULT_REQUEST_TIMEOUT, ModelSettings, Provider, ProviderKind, StructuredOutput,
};
pub use reading::{Cut, Written, read, separate_thoughts, wants_structure};
pub(crate) use transport::{causes, innermost};
pub(crate) use trouble::{encryption, is_refusal};

#[cfg(test)]
mod tests;
