//! Servers of tools, as the settings say it. Secrets are named by the variables that hold them.
//! It starts none: whoever uses a tool does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::addresses::{filled, has_password, place, refused, secret_part, secret_word, variables};
use super::settings::{Entry, Problem};

/// What a run keeps of a server of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolServer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// With `{NAME}` where the value of a variable belongs.
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// By name there, the variable here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers_env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// None: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
}

/// Words in the name of a variable that holds something secret.
const SECRET_WORDS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

impl ToolServer {
    pub fn read(entry: &Entry) -> Result<Self, Problem> {
        let server = Self {
            command: entry.texts("command"),
            url: entry.text("url"),
            env: entry.table("env"),
            secret_env: entry.table("secret_env"),
            headers_env: entry.table("headers_env"),
            timeout_ms: entry.milliseconds("timeout"),
            allow: entry.texts("allow"),
        };
        match (&server.command, &server.url) {
            (None, None) => return Err(entry.problem("command", "says neither `command` nor `url`: give one of them")),
            (Some(_), Some(_)) => return Err(entry.problem("url", "says both `command` and `url`: keep one")),
            (Some(_), None) if !server.headers_env.is_empty() => {
                return Err(entry.problem("headers_env", "has `headers_env`, which only a server with a `url` is sent"));
            }
            (None, Some(_)) if !server.env.is_empty() || !server.secret_env.is_empty() => {
                return Err(entry.problem("env", "has `env`, which only a server with a `command` is given"));
            }
            _ => {}
        }
        if let Some(why) = server.url.as_deref().and_then(unusable) {
            return Err(entry.problem("url", why));
        }
        if let Some(part) = server.command.as_deref().and_then(secret_word) {
            let help = "name the variable that holds it, as in secret_env = { API_KEY = \"VARIABLE\" }, and let the program read API_KEY";
            let why = format!("has what looks like a key in `command` ({part}), which would be kept with every run: {help}");
            return Err(entry.problem("command", why));
        }
        if entry.name.contains('.') {
            return Err(entry.problem("command", "has a `.` in its name, which stands between a server and its tool"));
        }
        if entry.name == super::OWN_TOOLS {
            return Err(entry.problem("command", "has the name by which Motet's own tools are given: choose another"));
        }
        let is_secret = |name: &&String| SECRET_WORDS.iter().any(|word| name.to_uppercase().contains(word));
        if let Some(name) = server.env.keys().find(is_secret) {
            let help =
                format!("has `{name}` in `env`, which looks secret: write secret_env = {{ {name} = \"VARIABLE\" }} and set the variable");
            return Err(entry.problem("env", help));
        }
        Ok(server)
    }

    /// The variables that hold its secrets.
    pub fn variables(&self) -> impl Iterator<Item = String> {
        let of_address = self.url.iter().flat_map(|url| variables(url).unwrap_or_default()).map(String::from);
        self.secret_env.values().chain(self.headers_env.values()).cloned().chain(of_address)
    }

    /// Where it listens, with the values of its variables; or the name of one that is not set.
    pub fn address(&self, lookup: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        filled(self.url.as_deref().unwrap_or_default(), lookup)
    }
}

/// Why an address cannot be kept with a run as it is written, without anything of it that may be secret.
fn unusable(url: &str) -> Option<String> {
    if has_password(url) {
        let shown = refused(url, place(url));
        let help = "name the variable that holds it, as in headers_env = { Authorization = \"VARIABLE\" }";
        return Some(format!("has a password in `url` ({shown}), which would be kept with every run: {help}"));
    }
    if let Some(part) = secret_part(url) {
        let shown = place(url);
        let help = "set a variable to it and write {VARIABLE} in its place, or send it as a header: headers_env = { Authorization = \"VARIABLE\" }";
        return Some(format!("has what looks like a key in `url` ({shown}, {part}), which would be kept with every run: {help}"));
    }
    variables(url).err()
}
