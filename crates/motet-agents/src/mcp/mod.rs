//! Tools of any server that speaks the Model Context Protocol, over a pipe or over HTTP.
//! It knows no model: whoever is given a toolbox decides what to call.

mod answers;
mod declared;
mod mending;
mod relay;
mod running;
mod servers;
mod toolbox;
mod trouble;
mod wire;

pub use declared::{McpServer, Reached};
pub use relay::{Given, HandedServer, Relay, RelayedServer, read_address};
pub(crate) use relay::{Heard, Part, Passed, WayBack};
pub use servers::{Listed, Servers};
pub use toolbox::McpToolbox;
