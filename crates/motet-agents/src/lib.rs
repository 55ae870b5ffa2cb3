//! Performs what the machine wants done: models, programs, people, scripted cases and built-in functions.
//! It knows no stores and no hosts: the program gives it one attempt at a time and journals what it came to.

mod agent;
mod answer;
pub mod builtins;
pub mod command;
mod context;
mod exchange;
pub mod model;
pub mod offline;
mod performer;
pub mod person;
pub mod scripted;
mod secret;
mod tools;

pub use agent::{Agent, BoxFuture, Found, Outcome, Request};
pub use context::{Context, Progress, Stop, StopReason};
pub use exchange::Exchange;
pub use performer::Performer;
pub use secret::Secret;
pub use tools::{Tool, ToolAnswer, Toolbox};
