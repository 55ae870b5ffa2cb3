//! Coding agents over the Agent Client Protocol: a program is started, asked, watched and answered, all over its standard streams.
//! It knows no particular agent; the protocol says what each can do.

mod agent;
mod desk;
mod files;
mod lines;
mod outcome;
mod permissions;
mod servers;
mod session;
mod settings;
mod terminals;
mod turn;

pub use agent::AcpAgent;
pub use settings::AcpSettings;
