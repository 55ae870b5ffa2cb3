//! The tools that one agent was given by name; nobody can call another one through it, whatever it asks for.
//! The servers behind it are shared with everybody else.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::event::Failure;
use serde_json::Value;

use super::declared::wrong;
use super::servers::Servers;
use crate::agent::BoxFuture;
use crate::context::{Context, Progress};
use crate::tools::{Tool, ToolAnswer, Toolbox};

pub(super) const EVERY: &str = "*";

pub struct McpToolbox {
    servers: Servers,
    /// Server and tool; `*` for every tool.
    given: BTreeSet<(String, String)>,
}

impl McpToolbox {
    pub(super) fn new(servers: Servers, names: &[String]) -> Result<Self, Failure> {
        let mut given = BTreeSet::new();
        for name in names {
            let Some((server, tool)) = name.split_once('.').filter(|(_, tool)| !tool.is_empty()) else {
                return Err(wrong(format!("`{name}` is no name of a tool: write `server.tool`, or `server.*` for all of its tools")));
            };
            if let Some(failure) = servers.unusable(server) {
                return Err(failure.clone());
            }
            let Some(declared) = servers.declared(server) else {
                let known: Vec<&str> = servers.names().collect();
                let known = if known.is_empty() { "none is".into() } else { known.join(", ") };
                return Err(wrong(format!("`{name}`: no tool server `{server}` is declared (declared: {known})")));
            };
            if tool != EVERY && !declared.allows(tool) {
                return Err(wrong(format!("`{name}`: the declaration of the tool server `{server}` does not allow this tool")));
            }
            given.insert((server.to_string(), tool.to_string()));
        }
        Ok(Self { servers, given })
    }

    /// What was given of each server.
    pub(super) fn by_server(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut servers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (server, tool) in &self.given {
            servers.entry(server.clone()).or_default().insert(tool.clone());
        }
        servers
    }

    fn gives(&self, server: &str, tool: &str) -> bool {
        let pair = |tool: &str| (server.to_string(), tool.to_string());
        let declared = self.servers.declared(server).is_some_and(|declared| declared.allows(tool));
        declared && (self.given.contains(&pair(tool)) || self.given.contains(&pair(EVERY)))
    }

    async fn answer(&self, name: &str, arguments: Value, context: &Context) -> ToolAnswer {
        let error = |text: String| ToolAnswer { text, is_error: true };
        let Some((server, tool)) = name.split_once('.').filter(|(server, tool)| self.gives(server, tool)) else {
            return error(format!("you were given no tool `{name}`"));
        };
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            Value::Null => Default::default(),
            other => return error(format!("the arguments of `{name}` must be a JSON object, not {other}")),
        };
        context.tell(Progress::Log(format!("calls {name}")));
        self.servers.call(server, tool, arguments, context).await
    }
}

impl Toolbox for McpToolbox {
    fn tools<'a>(&'a self, context: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        Box::pin(async move {
            let servers: BTreeSet<&str> = self.given.iter().map(|(server, _)| server.as_str()).collect();
            let mut tools = Vec::new();
            for server in servers {
                let offered = self.servers.tools_of(server, context).await?;
                let is_given = |tool: &Tool| tool.name.split_once('.').is_some_and(|(server, tool)| self.gives(server, tool));
                for (_, tool) in self.given.iter().filter(|(of, tool)| of == server && tool != EVERY) {
                    if !offered.iter().any(|offered| offered.name == format!("{server}.{tool}")) {
                        let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
                        return Err(wrong(format!("the tool server `{server}` has no tool `{tool}` (it has: {})", names.join(", "))));
                    }
                }
                tools.extend(offered.into_iter().filter(is_given));
            }
            Ok(tools)
        })
    }

    fn call<'a>(&'a self, name: &'a str, arguments: Value, context: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(self.answer(name, arguments, context))
    }
}
