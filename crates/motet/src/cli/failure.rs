//! Why a command could not be carried out, and what to do next. Printed in one place, here.

use std::io::Write as _;

use motet_host::engine::Refusal;
use motet_host::{control, journal, store};

use super::output::clean;
use super::{Exit, MOTET};

#[derive(Debug)]
pub struct Failure {
    pub message: String,
    /// Each a next step.
    pub help: Vec<String>,
    pub exit: Exit,
}

impl Failure {
    /// The user can put it right on the command line or in a file.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: Vec::new(), exit: Exit::Invalid }
    }

    /// It was right to ask, and it did not work.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::invalid(message) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Says it on the error stream. If even that cannot be written, the exit code still tells.
    pub fn print(&self) -> Exit {
        let mut out = std::io::stderr().lock();
        if !self.message.is_empty() {
            let _ = writeln!(out, "error: {}", clean(&self.message));
        }
        for help in &self.help {
            let _ = writeln!(out, "help: {}", clean(help).replace('\n', "\n      "));
        }
        self.exit
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::NotFound(_) => Failure::invalid(error.to_string()),
            store::Error::Driven { run, pid, since, .. } => {
                let short = since.to_string();
                let failure = Failure::failed(format!("run {run} is being driven by process {pid} since {short}"));
                Failure { exit: Exit::Driven, ..failure }
                    .help(format!("`{MOTET} watch {run}` shows it here; `{MOTET} pause {run}` and `{MOTET} cancel {run}` reach it"))
            }
            other => Failure::failed(other.to_string()),
        }
    }
}

impl From<journal::Error> for Failure {
    fn from(error: journal::Error) -> Self {
        match error {
            journal::Error::Store(error) => error.into(),
            other => Failure::failed(other.to_string()),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Journal(error) => error.into(),
            Refusal::Rejected { .. } | Refusal::NoSuchEvent { .. } | Refusal::TooDeep => Failure::invalid(refusal.to_string()),
            other => Failure::failed(other.to_string()),
        }
    }
}

impl From<control::Error> for Failure {
    fn from(error: control::Error) -> Self {
        Failure::failed(error.to_string())
    }
}
