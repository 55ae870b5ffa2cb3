//! What an agent may use besides its own words: tools, listed by name and called with JSON.
//! It knows no protocol: a server of tools implements `Toolbox`, a model's loop uses it.

use motet_core::event::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::BoxFuture;
use crate::context::Context;

/// One tool, as a model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// `server.tool`, so that two servers may have tools of the same name.
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: Value,
}

/// What a tool said. A tool that fails says so to whoever called it; that is no failure of the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    pub text: String,
    pub is_error: bool,
}

/// The tools that one agent was given, and no others.
pub trait Toolbox: Send + Sync {
    /// Fails only if nothing can be listed at all, with what to do about it.
    fn tools<'a>(&'a self, context: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>>;

    /// Calls one of them. A name that was not given is answered with an error, never passed on. Whoever calls puts it on record.
    fn call<'a>(&'a self, name: &'a str, arguments: Value, context: &'a Context) -> BoxFuture<'a, ToolAnswer>;
}
