//! Performs what the machine wants done: models, programs, people, scripted cases and built-in functions.
//! It knows no stores and no hosts: the program gives it one attempt at a time and journals what it came to.

mod agent;
mod answer;
pub mod builtins;
pub mod command;
mod context;
pub mod model;
pub mod ollama;
mod performer;
pub mod person;
pub mod scripted;

pub use agent::{Agent, BoxFuture, Found, Outcome, Request};
pub use context::{Context, Progress, Stop, StopReason};
pub use performer::Performer;
