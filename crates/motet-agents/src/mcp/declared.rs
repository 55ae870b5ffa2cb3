//! A tool server as the configuration declares it: what it is called, how it is reached, and what of it may be used.
//! Declaring starts nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use motet_core::event::{Failure, FailureKind};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};

use crate::address::{PartedAddress, secrets_in_address};
use crate::redaction::{Redactor, hidden};
use crate::secret::Secret;

/// How long a server may take where the configuration does not say.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long a call may take that a coding agent makes, where the configuration does not say: such an agent can wait, and has a time of its own.
const RELAYED_CALL: Duration = Duration::from_secs(600);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// What its tools are called by: `name.tool`.
    pub name: String,
    pub reached: Reached,
    /// How long it may take to start, and how long for each answer.
    pub timeout: Duration,
    /// How long it may take for a call that a coding agent makes through a relay.
    pub relayed_call: Duration,
    /// What its address was filled with.
    pub address_secrets: Vec<Secret>,
    /// The tools of this server that agents may be given at all; empty: every one.
    pub allow: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A program that is started and spoken to over its standard input and output.
    Stdio {
        command: Vec<String>,
        env: BTreeMap<String, String>,
        /// Set like the others, and shown to nobody.
        secret_env: BTreeMap<String, Secret>,
        /// Where it runs; None: where this process does.
        directory: Option<PathBuf>,
    },
    /// A server that is running somewhere else.
    Http { url: String, headers: BTreeMap<String, Secret> },
}

impl McpServer {
    pub fn stdio(name: impl Into<String>, command: Vec<String>) -> Self {
        let reached = Reached::Stdio { command, env: BTreeMap::new(), secret_env: BTreeMap::new(), directory: None };
        Self::reached(name.into(), reached)
    }

    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        let reached = Reached::Http { url: url.into(), headers: BTreeMap::new() };
        Self::reached(name.into(), reached)
    }

    fn reached(name: String, reached: Reached) -> Self {
        Self { name, reached, timeout: TIMEOUT, relayed_call: RELAYED_CALL, address_secrets: Vec::new(), allow: Vec::new() }
    }

    /// What is wrong with the declaration, if anything is.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let name = &self.name;
        let letters = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if name.is_empty() || !name.chars().all(letters) {
            return Err(wrong(format!("a tool server cannot be called `{name}`: use letters, digits, `-` and `_`")));
        }
        match &self.reached {
            Reached::Stdio { command, .. } if command.is_empty() => {
                Err(wrong(format!("the tool server `{name}` has an empty command: give the program that starts it")))
            }
            Reached::Stdio { .. } => Ok(()),
            Reached::Http { url, headers } => {
                let usable = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
                if !usable {
                    let shown = PartedAddress::of(url).without_query();
                    return Err(wrong(
                        self.redacted(&format!("the address of the tool server `{name}` is not an http or https address: {shown}")),
                    ));
                }
                for (header, value) in headers {
                    // The value stays unsaid: it may well be a key.
                    if HeaderName::try_from(header).is_err() || HeaderValue::from_str(value.reveal()).is_err() {
                        return Err(wrong(format!("the header `{header}` of the tool server `{name}` cannot be sent")));
                    }
                }
                Ok(())
            }
        }
    }

    pub(super) fn allows(&self, tool: &str) -> bool {
        self.allow.is_empty() || self.allow.iter().any(|allowed| allowed == "*" || allowed == tool)
    }

    /// What nobody may see of it.
    pub fn secrets(&self) -> Vec<Secret> {
        let (secrets, in_address) = match &self.reached {
            Reached::Stdio { secret_env, .. } => (secret_env, Vec::new()),
            Reached::Http { url, headers } => (headers, secrets_in_address(url)),
        };
        secrets.values().chain(&self.address_secrets).cloned().chain(in_address).collect()
    }

    /// Its secrets and those of the whole process, taken out of what it says.
    pub fn redaction(&self) -> Redactor {
        Redactor::new(self.secrets()).and(&hidden())
    }

    pub(super) fn redacted(&self, text: &str) -> String {
        self.redaction().text(text).into_owned()
    }
}

pub(super) fn wrong(message: String) -> Failure {
    Failure { kind: FailureKind::Configuration, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(server: McpServer, told: &str) {
        let failure = server.check().expect_err("it cannot be used");
        assert_eq!(failure.kind, FailureKind::Configuration);
        assert!(failure.message.contains(told), "{}", failure.message);
    }

    #[test]
    fn a_declaration_that_cannot_work_is_refused() {
        check(McpServer::stdio("a.b", vec!["x".into()]), "cannot be called `a.b`");
        check(McpServer::stdio("", vec!["x".into()]), "cannot be called");
        check(McpServer::stdio("a", Vec::new()), "empty command");
        check(McpServer::http("a", "ftp://x"), "not an http or https address: ftp://x");
        let mut server = McpServer::http("a", "http://x/mcp");
        assert_eq!(server.check(), Ok(()));
        server.reached = Reached::Http { url: "http://x".into(), headers: [("K".into(), Secret::new("top\nsecret"))].into() };
        check(server.clone(), "the header `K`");
        assert!(!server.check().expect_err("as before").message.contains("secret"));
    }
}
