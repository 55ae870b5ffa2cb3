//! A conversation with a coding agent: its id, kept so that it survives this process, and what is said in it.
//! How an agent is reached, and how it is asked to take a conversation up again, each backend knows for itself.

mod kept;
mod trouble;
mod words;

pub(crate) use kept::{Conversation, DIRECTORY};
pub(crate) use trouble::{is_unknown_conversation, kind};
pub(crate) use words::{continued, opened, read};
