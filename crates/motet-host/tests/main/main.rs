//! The host from outside: both stores under one suite, the engine with real workflows, and whole processes.
#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod driver;
mod engine;
mod families;
mod farewell;
mod giving_up;
mod stores;
