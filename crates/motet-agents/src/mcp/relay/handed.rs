//! A tool server as a coding agent is given it: a program that the agent starts, which is our relay with the server behind it.
//! No key and no address stands on a command line, where every user of the machine can read it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use motet_core::event::Failure;
use serde::{Deserialize, Serialize};

use super::Given;
use crate::mcp::declared::{McpServer, Reached, wrong};
use crate::secret::Secret;

/// The variable in which a relay finds the server that it reaches over http.
const ADDRESS: &str = "MOTET_RELAY_ADDRESS";

/// A server, and what of it an agent is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedServer {
    pub server: McpServer,
    pub given: Given,
    /// The first words of the program that stands between.
    pub(in crate::mcp) relay: Vec<String>,
}

/// What the agent starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayedServer {
    pub name: String,
    pub command: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub secret_env: BTreeMap<String, Secret>,
}

/// What a relay has to know of a server over http.
#[derive(Serialize, Deserialize)]
struct Address {
    url: String,
    headers: BTreeMap<String, String>,
    timeout_ms: u64,
    /// For each call; as long as for everything else, if it is not said.
    call_timeout_ms: Option<u64>,
    /// What of it nobody may see. The agent need not pass on the variables in which it stood.
    #[serde(default)]
    secrets: Vec<String>,
}

impl HandedServer {
    /// The relay of one attempt, which writes down what passes in this file.
    pub fn noting_in(&self, notes: &Path) -> RelayedServer {
        let name = self.server.name.clone();
        let mut command = self.relay.clone();
        command.extend([format!("--server={name}"), format!("--record={}", notes.display())]);
        match &self.given {
            Given::Everything => command.push("--all".into()),
            Given::Only(tools) => command.extend(tools.iter().map(|tool| format!("--allow={tool}"))),
        }
        match &self.server.reached {
            Reached::Stdio { command: words, env, secret_env, .. } => {
                command.extend(secret_env.keys().map(|variable| format!("--secret={variable}")));
                command.push("--".into());
                command.extend(words.iter().cloned());
                RelayedServer { name, command, env: env.clone(), secret_env: secret_env.clone() }
            }
            Reached::Http { url, headers } => {
                command.push(format!("--http={ADDRESS}"));
                let headers = headers.iter().map(|(name, value)| (name.clone(), value.reveal().to_string())).collect();
                let (timeout_ms, call_timeout_ms) = (in_ms(self.server.timeout), Some(in_ms(self.server.relayed_call)));
                let mut secrets: Vec<String> = self.server.secrets().iter().map(|secret| secret.reveal().to_string()).collect();
                secrets.sort_unstable();
                secrets.dedup();
                let address = serde_json::json!(Address { url: url.clone(), headers, timeout_ms, call_timeout_ms, secrets }).to_string();
                let secret_env = BTreeMap::from([(ADDRESS.to_string(), Secret::new(address))]);
                RelayedServer { name, command, env: BTreeMap::new(), secret_env }
            }
        }
    }
}

/// The server over http that the text of such a variable says.
pub fn read_address(name: &str, text: &str) -> Result<McpServer, Failure> {
    // What is wrong with it stays unsaid: it holds keys.
    let read: Result<Address, _> = serde_json::from_str(text);
    let Address { url, headers, timeout_ms, call_timeout_ms, secrets } =
        read.map_err(|_| wrong(format!("what is said of the tool server `{name}` cannot be read")))?;
    let headers = headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
    let reached = Reached::Http { url, headers };
    let (timeout, relayed_call) = (Duration::from_millis(timeout_ms), Duration::from_millis(call_timeout_ms.unwrap_or(timeout_ms)));
    let address_secrets = secrets.into_iter().map(Secret::new).collect();
    let server = McpServer { reached, timeout, relayed_call, address_secrets, ..McpServer::stdio(name, Vec::new()) };
    server.check()?;
    Ok(server)
}

fn in_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handed(server: McpServer, given: Given) -> RelayedServer {
        HandedServer { server, given, relay: vec!["relay".into()] }.noting_in(Path::new("/tmp/n"))
    }

    /// The words of the program that an agent starts.
    fn check(reached: Reached, given: Given, expected: &str) {
        let server = McpServer { reached, ..McpServer::stdio("s", Vec::new()) };
        assert_eq!(handed(server, given).command.join(" "), expected);
    }

    #[test]
    fn a_relay_is_told_what_it_gives_and_what_is_secret_by_name() {
        let secret_env = BTreeMap::from([("TOKEN".to_string(), Secret::new("sk-12345678"))]);
        let program = Reached::Stdio { command: vec!["serve".into(), "--all".into()], env: BTreeMap::new(), secret_env, directory: None };
        check(program.clone(), Given::Everything, "relay --server=s --record=/tmp/n --all --secret=TOKEN -- serve --all");
        let some = Given::Only(vec!["a".into(), "-b".into()]);
        check(program.clone(), some, "relay --server=s --record=/tmp/n --allow=a --allow=-b --secret=TOKEN -- serve --all");
        check(program, Given::Only(Vec::new()), "relay --server=s --record=/tmp/n --secret=TOKEN -- serve --all");
    }

    #[test]
    fn an_address_and_its_keys_are_told_in_the_environment_alone() {
        let headers = BTreeMap::from([("Authorization".to_string(), Secret::new("Bearer sk-12345678"))]);
        let reached = Reached::Http { url: "http://x/mcp?key=abc".into(), headers };
        check(reached.clone(), Given::Everything, "relay --server=s --record=/tmp/n --all --http=MOTET_RELAY_ADDRESS");
        let address_secrets = vec![Secret::new("abc")];
        let server = McpServer { reached, timeout: Duration::from_millis(700), address_secrets, ..McpServer::stdio("s", Vec::new()) };
        let relayed = handed(server.clone(), Given::Everything);
        let read = read_address("s", relayed.secret_env[ADDRESS].reveal()).expect("it can be read");
        // The relay knows all of them as what stands in the address, wherever they stood before.
        assert_eq!(read.address_secrets, ["Bearer sk-12345678", "abc"].map(Secret::new));
        assert_eq!((read.timeout, read.relayed_call), (Duration::from_millis(700), Duration::from_secs(600)));
        assert_eq!(McpServer { address_secrets: server.address_secrets.clone(), ..read }, server);
        assert!(read_address("s", "{\"url\": \"sk-12345678\"}").is_err_and(|failure| !failure.message.contains("sk-")));
    }
}
