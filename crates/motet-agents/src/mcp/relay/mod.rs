//! Stands between a coding agent and a tool server, in a process of its own: only what was given is called, and all of it is written down.
//! It knows no attempt: whoever performs one makes the file for its notes, and reads them when it is over.

mod asking;
mod ending;
mod handed;
mod note;
mod notebook;
mod passing;
mod reading;
mod remains;
mod watch;
mod way_back;

use std::io;
use std::path::Path;

pub use handed::{HandedServer, RelayedServer, read_address};
pub(crate) use note::Part;
pub(crate) use way_back::{Heard, Passed, WayBack};

use crate::redaction::{Redactor, hidden};
use notebook::Notebook;
use watch::Watch;

/// What of a server an agent may use. That nothing is named never means everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    Everything,
    Only(Vec<String>),
}

impl Given {
    pub fn gives(&self, tool: &str) -> bool {
        match self {
            Given::Everything => true,
            Given::Only(tools) => tools.iter().any(|given| given == tool),
        }
    }
}

/// One server's relay, about to begin.
pub struct Relay {
    watch: Watch,
}

impl Relay {
    /// `notes` is a file that is there already. Nothing that `redaction` or the whole process hides is written into it.
    pub fn new(given: Given, notes: &Path, redaction: &Redactor) -> io::Result<Self> {
        Ok(Self { watch: Watch::new(given, Notebook::open(notes, redaction.and(&hidden()))?) })
    }
}
