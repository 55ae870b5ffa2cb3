//! `motet tools`: the tools that Motet itself and the configured servers offer, by the names with which agents are given them.
//! Servers are started to be asked, and end with the command.

use std::collections::BTreeMap;

use motet_agents::Tool;
use motet_core::diagnostic::nearest;
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::casting;
use crate::config::{Config, OWN_TOOLS, ToolServer};
use crate::progress::{columns, words};
use crate::researching::own_tools;

#[derive(clap::Args)]
pub struct Args {
    /// Only the tools of this server
    server: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let config = Config::near(&context.directory)?;
    if args.server.as_deref().is_none_or(|name| name == OWN_TOOLS) {
        show(OWN_TOOLS, &own_tools(), context);
    }
    if args.server.as_deref() == Some(OWN_TOOLS) {
        return Ok(Exit::Ok);
    }
    let chosen = chosen(args.server.as_deref(), &config.tools)?;
    if chosen.is_empty() {
        if !context.json {
            let text = "no server of tools is configured; declare one as [tools.NAME] in motet.toml, with `command` or `url`";
            output::line(context.paint.text(Tone::Quiet, text));
        }
        return Ok(Exit::Ok);
    }
    let servers = casting::servers(&chosen);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("no server can be asked: {error}")))?;
    let (surroundings, _stop) = motet_agents::Context::new();
    let listed = runtime.block_on(servers.list(&surroundings));
    let mut exit = Exit::Ok;
    for server in &listed {
        match &server.tools {
            Ok(tools) => show(&server.server, tools, context),
            Err(failure) => {
                exit = Exit::Failed;
                match context.json {
                    true => output::json(&json!({ "server": server.server, "error": failure.message })),
                    false => output::error(&format!("error: {}\n", failure.message)),
                }
            }
        }
    }
    drop(servers);
    Ok(exit)
}

fn show(server: &str, tools: &[Tool], context: &Context) {
    let width = tools.iter().map(|tool| tool.name.chars().count()).max().unwrap_or(0);
    for tool in tools {
        if context.json {
            output::json(&json!({ "server": server, "tool": tool.name, "description": tool.description, "parameters": tool.parameters }));
            continue;
        }
        let about = words::one_line(&tool.description, columns().saturating_sub(width + 2).max(20));
        output::line(format!("{:<width$}  {}", tool.name, context.paint.text(Tone::Quiet, &about)));
    }
}

fn chosen(name: Option<&str>, tools: &BTreeMap<String, ToolServer>) -> Result<BTreeMap<String, ToolServer>, Failure> {
    let Some(name) = name else { return Ok(tools.clone()) };
    match tools.get(name) {
        Some(server) => Ok(BTreeMap::from([(name.to_string(), server.clone())])),
        None => {
            let failure = Failure::invalid(format!("there is no server of tools `{name}`"));
            Err(match nearest(name, tools.keys().map(String::as_str)) {
                Some(meant) => failure.help(format!("did you mean `{meant}`?")),
                None => failure.help(format!("declare it as [tools.{name}] in motet.toml, with `command` or `url`")),
            })
        }
    }
}
