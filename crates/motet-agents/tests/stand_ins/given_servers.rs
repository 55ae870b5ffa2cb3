//! The tool servers that the coding agent was given, used as a real one uses them: started, asked one thing, and heard.
//! It speaks no more of their protocol than a call.

use std::io::Write;

use agent_client_protocol::v1::schema::McpServer;
use serde_json::json;

use super::coding_agent::store;

/// The servers of the session that was opened last, in the protocol's own words.
pub fn keep(servers: &[McpServer]) {
    let _ = std::fs::write(store().join("servers"), serde_json::to_vec(servers).unwrap_or_default());
}

pub fn given() -> Vec<McpServer> {
    std::fs::read(store().join("servers")).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

pub fn described(server: &McpServer) -> String {
    match server {
        McpServer::Stdio(server) => format!("{} (stdio)", server.name),
        McpServer::Http(server) => format!("{} (http)", server.name),
        _ => "something else".into(),
    }
}

/// The file that the relay of a server writes into.
pub fn record_of(server: &McpServer) -> Option<String> {
    let McpServer::Stdio(server) = server else { return None };
    server.args.iter().find_map(|word| word.strip_prefix("--record=")).map(String::from)
}

/// What a tool of the first server answers.
pub fn used(tool: &str) -> Option<String> {
    call(&given().into_iter().next()?, tool, json!({"text": "hello"}), true)
}

/// `SERVER.TOOL ARGUMENTS`: what the tool answers. Whoever does not wait for it leaves the server running.
pub fn call_of(said: &str, waits: bool) -> Option<String> {
    let (name, arguments) = said.split_once(' ').unwrap_or((said, "{}"));
    let (server, tool) = name.split_once('.')?;
    let server = given().into_iter().find(|given| matches!(given, McpServer::Stdio(given) if given.name == server))?;
    call(&server, tool, serde_json::from_str(arguments).unwrap_or_default(), waits)
}

fn call(server: &McpServer, tool: &str, arguments: serde_json::Value, waits: bool) -> Option<String> {
    let McpServer::Stdio(server) = server else { return None };
    let mut command = std::process::Command::new(&server.command);
    let piped = std::process::Stdio::piped;
    let env = server.env.iter().map(|variable| (&variable.name, &variable.value));
    let mut child = command.args(&server.args).envs(env).stdin(piped()).stdout(piped()).spawn().ok()?;
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let mut input = child.stdin.take()?;
    writeln!(input, "{call}").ok()?;
    if !waits {
        std::mem::forget((input, child));
        return None;
    }
    drop(input);
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()).find(|answer| answer["id"] == 7)?;
    let said = answer["result"]["content"][0]["text"].as_str().or_else(|| answer["error"]["message"].as_str());
    said.map(String::from)
}
