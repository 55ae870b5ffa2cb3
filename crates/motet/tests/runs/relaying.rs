//! A coding agent that calls tools of a server through `motet relay-tools`: what it called is in the journal, and nothing is left behind.

use std::io::Write as _;
use std::process::Stdio;

use motet_testkit::web::tools::search_server;
use serde_json::{Value, json};

use super::project::{Done, Project};
use super::sources::Web;

pub const WORKFLOW: &str = r#"
workflow: using
version: 1.0.0
summary: Something is built with tools.
agents:
  builder: { prompt: prompts/builder.md, returns: { built: string }, timeout: 60s, retry: { attempts: 1 } }
trouble: { error: failed }
start: building
states:
  building: { agent: builder, next: built }
  built: { final: completed, output: { built: last.building.built } }
  failed: { final: failed, output: { why: run.error.message } }
"#;

/// Speaks the Agent Client Protocol, and starts its first tool server as it was told to, for two calls at once.
pub const CODING: &str = r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":{"text":"with %s"}}}\n' "$1" "$2" "$OPENAI_API_KEY"; }
while read -r line; do
  case "$line" in
    *'"method":"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*)
      echo "$line" > session.txt
      program=$(printf '%s' "$line" | sed 's/.*"command":"\([^"]*\)".*/\1/')
      words=$(printf '%s' "$line" | sed 's/.*"args":\[\([^]]*\)\].*/\1/; s/","/" "/g')
      key=$(printf '%s' "$line" | sed 's/.*"name":"TOKEN","value":"\([^"]*\)".*/\1/')
      answer "$(id "$line")" '{"sessionId":"s-1"}' ;;
    *'"method":"session/prompt"'*)
      eval "set -- $words"
      { call 1 look; call 2 change; } | TOKEN="$key" "$program" "$@" > answers.txt
      [ -e fail.txt ] && { echo 'no wood left' >&2; exit 3; }
      echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"built\": \"it\"}"}}}}'
      answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

/// A server of tools, which says its key to whoever asks it anything.
const TOOLS: &str = r#"#!/bin/sh
while read -r line; do
  number=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"my key is %s"}]}}\n' "$number" "$TOKEN"
done
"#;

const KEYS: [&str; 2] = ["sk-known-to-everybody-0123456789", "sk-of-the-server-0123456789"];

fn project(tools: &str) -> Project {
    let project = Project::new();
    project.write("workflows/using/workflow.yaml", WORKFLOW);
    project.write("workflows/using/prompts/builder.md", "Build.");
    project.write("temporary/here.txt", "what does not last");
    project.program("coding.sh", CODING);
    project.program("tools.sh", TOOLS);
    project.write(
        "motet.toml",
        &format!(
            "[agents.builder]\nacp = ['./coding.sh']\ntools = {tools}\n\
             [tools.files]\ncommand = ['./tools.sh']\nsecret_env = {{ TOKEN = 'SERVER_KEY' }}\n"
        ),
    );
    project
}

fn motet(project: &Project, arguments: &[&str]) -> Done {
    let mut command = project.command(arguments);
    command.env("OPENAI_API_KEY", KEYS[0]).env("SERVER_KEY", KEYS[1]).env("TMPDIR", project.root.join("temporary"));
    Done::new(arguments, command.output().expect("the binary runs"))
}

/// What is in the journal of each call: the tool, its answer, and whether that is an error.
fn check(project: &Project, code: i32, expected: &[(&str, &str, bool)]) {
    motet(project, &["run", "using", "--unattended"]).exits(code);
    let lines = motet(project, &["log", "last", "--exchanges", "--json"]).exits(0).json();
    let tools: Vec<&Value> = lines.iter().map(|line| &line["exchange"]).filter(|exchange| exchange["with"] == "tool").collect();
    let expected: Vec<Value> = expected
        .iter()
        .map(|(name, answer, is_error)| {
            let arguments = json!({ "text": "with [redacted]" });
            json!({ "with": "tool", "name": name, "arguments": arguments, "answer": answer, "is_error": is_error, "is_relayed": true })
        })
        .collect();
    assert_eq!(tools, expected.iter().collect::<Vec<_>>());
    let usage = &project.status("last")["usage"];
    assert_eq!(usage["tool_calls"], json!(expected.len()), "{usage}");
    let shown = motet(project, &["log", "last", "--exchanges"]).exits(0).says(&[
        "files.look, seen by a relay",
        "with [redacted]",
        "my key is [redacted]",
    ]);
    let kept = project.files(".motet").into_iter().chain([(String::new(), shown.out.into_bytes())]);
    for (name, content) in kept {
        assert!(!KEYS.iter().any(|key| content.windows(key.len()).any(|part| part == key.as_bytes())), "a key is in {name}");
    }
    assert_eq!(project.files("temporary").len(), 1, "something is left behind");
}

#[test]
fn what_a_coding_agent_calls_is_in_the_journal() {
    let both = [("files.look", "my key is [redacted]", false), ("files.change", "my key is [redacted]", false)];
    let whole = project("['files.*']");
    check(&whole, 0, &both);
    assert!(whole.read("answers.txt").contains(KEYS[1]), "the agent itself is told what the tool says");
    whole.write("fail.txt", "");
    check(&whole, 1, &both);
    let refused = ("files.change", "you were given no tool `change`", true);
    check(&project("['files.look']"), 0, &[both[0], refused]);
}

#[test]
fn no_key_is_on_the_command_line_that_an_agent_is_given() {
    let project = project("['files.*']");
    motet(&project, &["run", "using", "--unattended"]).exits(0);
    let told = project.read("session.txt");
    let (words, environment) = told.split_once("\"env\"").expect("both are told");
    assert!(environment.contains(KEYS[1]) && !words.contains(KEYS[1]), "{told}");
}

#[test]
fn such_a_run_is_a_case_that_plays() {
    let project = project("['files.*']");
    motet(&project, &["run", "using", "--unattended"]).exits(0);
    motet(&project, &["replay", "last"]).exits(0);
    let cassette = motet(&project, &["export", "last", "--cassette"]).exits(0).says(&["tool_calls: 2"]);
    project.write("workflows/using/cases/recorded.yaml", &cassette.out);
    motet(&project, &["test", "using"]).exits(0);
}

/// What the relay says to an agent that says this, and what it has written down.
pub fn relay(project: &Project, options: &[&str], address: &str, said: &[Value]) -> (Done, String) {
    project.write("notes", "");
    let arguments: Vec<&str> = ["relay-tools", "--server=web", "--record=notes"].iter().chain(options).copied().collect();
    let mut command = project.command(&arguments);
    command.env("ADDRESS", address).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut input = child.stdin.take().expect("it reads");
    for message in said {
        // A relay that refuses to begin does not listen either.
        let _ = writeln!(input, "{message}");
    }
    drop(input);
    (Done::new(&arguments, child.wait_with_output().expect("it ends")), project.read("notes"))
}

#[test]
fn a_server_over_http_is_relayed_with_its_tools_alone() {
    let web = Web::start(|asked| search_server(asked, |question| format!("found {question}")));
    let project = Project::new();
    let address = json!({ "url": web.server.url("/mcp"), "headers": { "X-Key": KEYS[0] }, "timeout_ms": 20_000 }).to_string();
    let ask = |id: u32, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let call = |id: u32, tool: &str| ask(id, "tools/call", json!({ "name": tool, "arguments": { "question": KEYS[0] } }));
    let said = [
        ask(1, "initialize", json!({ "protocolVersion": "2025-03-26" })),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        ask(2, "tools/list", json!({})),
        call(3, "find"),
        call(4, "lose"),
        ask(5, "resources/list", json!({})),
    ];
    let (done, notes) = relay(&project, &["--allow=find", "--http=ADDRESS"], &address, &said);
    let answers = done.exits(0).json();
    let of = |id: u32| answers.iter().find(|answer| answer["id"] == id).cloned().unwrap_or_default();
    assert_eq!(answers.len(), 5, "{answers:?}");
    assert_eq!(of(1)["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(of(2)["result"]["tools"][0]["inputSchema"]["required"], json!(["question"]));
    assert_eq!(of(3)["result"]["content"][0]["text"], format!("found {}", KEYS[0]));
    assert_eq!(of(4)["error"]["message"], "you were given no tool `lose`");
    assert_eq!(of(5)["error"]["code"], -32601);
    assert!(notes.lines().count() == 3 && notes.contains("found [redacted]") && !notes.contains(KEYS[0]), "{notes}");
    assert!(web.server.asked().iter().all(|asked| asked.header("x-key") == Some(KEYS[0])), "the header was not sent");
    let (done, _) = relay(&project, &["--all", "--http=ADDRESS"], &address, &said[2..3]);
    assert_eq!(done.exits(0).json()[0]["result"]["tools"][0]["name"], "find");
}

#[test]
fn a_relay_that_was_told_too_little_does_not_begin() {
    let project = Project::new();
    for (options, told) in [
        (&["--", "cat"][..], "--allow"),
        (&["--all", "--allow=read", "--", "cat"], "cannot be used with"),
        (&["--all"], "--http"),
        (&["--all", "--http=UNSET"], "the variable UNSET is not set"),
        (&["--all", "--http=ADDRESS"], "what is said of the tool server `web` cannot be read"),
        (&["--all", "--", "./no-such-program"], "cannot be started"),
    ] {
        let (done, notes) = relay(&project, options, "no address", &[]);
        assert!(done.code != Some(0) && notes.is_empty(), "{}", done.shown());
        done.says(&[told]);
    }
    let done = project.motet(&["relay-tools", "--server=web", "--record=nowhere", "--all", "--", "cat"]);
    done.exits(1).says(&["what is called cannot be written down in nowhere"]);
}
