//! Coding agents over the Agent Client Protocol: a program is started, asked, watched and answered, all over its standard streams.
//! It knows no particular agent; the protocol says what each can do.

mod agent;
mod choices;
mod counting;
mod desk;
mod files;
mod ground;
mod leave;
mod lines;
mod named;
mod outcome;
mod permissions;
mod probe;
mod record;
mod servers;
mod session;
mod settings;
mod terminals;
mod traffic;
mod turn;

pub use agent::AcpAgent;
pub use probe::{Greeting, probe};
pub use settings::AcpSettings;
