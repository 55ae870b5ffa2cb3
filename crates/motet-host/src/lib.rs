//! Drives the machine durably: journal, stores, the engine with its timers and places, the loop around it, and control from other processes.
//! It knows no models, prompts, command line or HTTP, and has no async runtime: whoever performs calls brings their own.

pub mod control;
pub mod driver;
pub mod engine;
pub mod files;
pub mod gc;
pub mod journal;
pub mod store;

pub use driver::{Clock, Done, Driver, Handle, HeldUp, Notice, Perform, Request, wall_clock};
pub use engine::{Action, Engine, Input, Places, Token, Workflows};
pub use store::{Memory, RunRecord, Sqlite, Store};
