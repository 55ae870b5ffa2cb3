//! The servers of tools that the settings declare: whether each answers, and whether it has what is allowed and given of it.
//! They are started to be asked, and no tool is called.

use std::collections::BTreeMap;

use motet_core::diagnostic::nearest;
use motet_core::event::FailureKind;

use super::{Finding, Mark};
use crate::casting;
use crate::config::{Config, EVERYBODY, ToolServer};
use crate::progress::words;

const EVERY: &str = "*";

pub async fn findings(config: &Config) -> Vec<Finding> {
    // Whether an allowed tool exists is only known of a server that is asked for all of them.
    let whole: BTreeMap<String, ToolServer> =
        config.tools.iter().map(|(name, server)| (name.clone(), ToolServer { allow: None, ..server.clone() })).collect();
    let servers = casting::servers(&whole);
    let (context, _stop) = motet_agents::Context::new();
    let mut findings = Vec::new();
    for listed in servers.list(&context).await {
        let what = format!("tools of {}", listed.server);
        match listed.tools {
            Ok(tools) => {
                let names: Vec<&str> = tools.iter().filter_map(|tool| Some(tool.name.split_once('.')?.1)).collect();
                let allowed = names.iter().filter(|name| allows(config.tools.get(&listed.server), name)).count();
                let count = words::count(names.len() as u64, "tool");
                let of_them = if allowed == names.len() { String::new() } else { format!(", {allowed} allowed") };
                let text = format!("{count}{of_them} in {} ms; `motet tools {}` lists them", listed.duration_ms, listed.server);
                let wrong = wrong(config, &listed.server, &names);
                findings.push(Finding::new(&what, if allowed > 0 { Mark::Good } else { Mark::Warning }, text));
                findings.extend(wrong.into_iter().map(|text| Finding::new(&what, Mark::Bad, text)));
            }
            Err(failure) => {
                let mark = if failure.kind == FailureKind::Configuration { Mark::Bad } else { Mark::Warning };
                findings.push(Finding::new(what, mark, failure.message));
            }
        }
    }
    findings
}

/// What is allowed or given of a server that does not have it.
fn wrong(config: &Config, server: &str, names: &[&str]) -> Vec<String> {
    let missing = |tool: &str| {
        let has = names.join(", ");
        nearest(tool, names.iter().copied()).map_or_else(|| format!("it has {has}"), |meant| format!("did you mean `{meant}`?"))
    };
    let declared = config.tools.get(server);
    let allowed = declared.and_then(|declared| declared.allow.as_ref()).into_iter().flatten();
    let mut wrong: Vec<String> = allowed
        .filter(|tool| *tool != EVERY && !names.contains(&tool.as_str()))
        .map(|tool| format!("`allow` of [tools.{server}] has `{tool}`, which the server does not; {}", missing(tool)))
        .collect();
    for (role, player) in &config.agents {
        let table = if role == EVERYBODY { "[agents.\"*\"]".to_string() } else { format!("[agents.{role}]") };
        let given = player.tools.iter().filter_map(|tool| tool.split_once('.')).filter(|(of, tool)| *of == server && *tool != EVERY);
        for (_, tool) in given.filter(|(_, tool)| !names.contains(tool)) {
            wrong.push(format!("{table} has the tool `{server}.{tool}`, which the server does not; {}", missing(tool)));
        }
    }
    wrong
}

fn allows(server: Option<&ToolServer>, tool: &str) -> bool {
    let allow = server.and_then(|server| server.allow.as_ref());
    allow.is_none_or(|allow| allow.is_empty() || allow.iter().any(|allowed| allowed == EVERY || allowed == tool))
}
