//! The host from outside: both stores under one suite, and the engine with real workflows.

mod engine;
mod stores;
