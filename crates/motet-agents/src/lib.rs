//! Performs what the machine wants done: models, programs, people, scripted cases and built-in functions.
//! It knows no stores and no hosts: the program gives it one attempt at a time and journals what it came to.

pub mod acp;
mod address;
mod agent;
mod answer;
pub mod builtins;
pub mod command;
mod connecting;
mod context;
mod conversation;
mod delay;
mod doubt;
mod exchange;
mod fallback;
pub mod mcp;
pub mod model;
pub mod offline;
mod performer;
mod permission;
pub mod person;
mod pricing;
mod redaction;
mod room;
pub mod scripted;
mod secret;
mod spool;
mod tools;
pub mod worktree;

pub use address::{PartedAddress, secrets_in_address};
pub use agent::{Agent, BoxFuture, Found, Outcome, Request};
pub use context::{Context, Progress, Stop, StopReason};
pub use delay::Delay;
pub use exchange::{Exchange, PassedOver};
pub use fallback::{FallbackAgent, Link};
pub use performer::{LAST_WORDS, Performer};
pub use permission::{Absence, Permissions};
pub use pricing::PricedAgent;
pub use redaction::{Redactor, hidden, hide};
pub use secret::Secret;
pub use spool::Spool;
pub use tools::{Tool, ToolAnswer, Toolbox};
