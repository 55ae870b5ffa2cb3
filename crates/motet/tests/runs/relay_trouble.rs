//! What a relay of tools does when something is wrong: with a line, with its server, with its agent, or with time.
//! What it does otherwise is in `relaying`.

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::time::Duration;

use motet_testkit::web::tools::search_server;
use motet_testkit::web::{Answer, Asked, Sent};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::project::{Done, Project};
use super::relaying::{CODING, WORKFLOW, relay};
use super::sources::Web;

const KEY: &str = "sk-in-the-address-0123456789";

fn call(id: u32, tool: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": {} } })
}

#[test]
fn a_key_in_an_address_is_told_to_nobody_though_no_variable_holds_it() {
    let url = format!("http://127.0.0.1:1/mcp?apiKey={KEY}");
    let address = json!({ "url": url, "headers": {}, "timeout_ms": 5000, "secrets": [KEY] }).to_string();
    let (done, notes) = relay(&Project::new(), &["--all", "--http=ADDRESS"], &address, &[call(1, "find")]);
    let done = done.exits(0).says(&["nothing listens at http://127.0.0.1:1/mcp?apiKey=[redacted]"]);
    assert!(notes.contains("apiKey=[redacted]") && !notes.contains(KEY) && !done.shown().contains(KEY), "{notes}{}", done.shown());
}

#[test]
fn an_agent_that_passes_no_variables_on_does_not_make_a_relay_talk() {
    let project = Project::new();
    project.write("workflows/using/workflow.yaml", WORKFLOW);
    project.write("workflows/using/prompts/builder.md", "Build.");
    let value = r#"s/.*"name":"MOTET_RELAY_ADDRESS","value":"\(.*}\)".*/\1/; s/\\"/"/g"#;
    let coding = CODING.replace(r#"s/.*"name":"TOKEN","value":"\([^"]*\)".*/\1/"#, value);
    project.program("coding.sh", &coding.replace("TOKEN=\"$key\" \"$program\"", "env -i MOTET_RELAY_ADDRESS=\"$key\" \"$program\""));
    let tools = "[tools.far]\nurl = 'http://127.0.0.1:1/mcp?apiKey={FAR_KEY}'\n";
    project.write("motet.toml", &format!("[agents.builder]\nacp = ['./coding.sh']\ntools = ['far.*']\n{tools}"));
    let arguments = ["run", "using", "--unattended"];
    let output = project.command(&arguments).env("FAR_KEY", KEY).output().expect("the binary runs");
    Done::new(&arguments, output).exits(0);
    let told = project.read("answers.txt");
    assert!(told.contains("nothing listens at http://127.0.0.1:1/mcp?apiKey=[redacted]") && !told.contains(KEY), "{told}");
    let session = project.read("session.txt");
    let (words, environment) = session.split_once("\"env\"").expect("both are told");
    assert!(environment.contains(KEY) && !words.contains(KEY), "{session}");
}

/// A server of tools over http whose answer to a call is this.
fn web(answer: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Web {
    Web::start(move |asked: &Asked| match asked.method == "POST" && asked.json()["method"] == "tools/call" {
        true => answer(&asked.json()),
        false => search_server(asked, |question| question.into()),
    })
}

fn address(web: &Web, call_timeout_ms: u64) -> String {
    json!({ "url": web.server.url("/mcp"), "headers": {}, "timeout_ms": 20_000, "call_timeout_ms": call_timeout_ms }).to_string()
}

/// What an agent is told of a call that is answered with this.
fn check_answer(answered: &str, told: &str) {
    let answered = answered.to_string();
    let web = web(move |asked| {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{answered}}}", asked["id"]);
        Answer::new(200, "application/json", body)
    });
    let (done, notes) = relay(&Project::new(), &["--all", "--http=ADDRESS"], &address(&web, 20_000), &[call(1, "find")]);
    let answers = done.exits(0).json();
    let text = answers[0]["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains(told) && !text.contains("refused"), "{answers:?}");
    assert!(notes.contains("\"note\":\"answered\""), "{notes}");
}

#[test]
fn a_tool_that_answers_strangely_has_not_refused() {
    let unread = "has answered in a way that cannot be read, so that what was asked may have been done";
    check_answer("{}", unread);
    check_answer(r#"{"content":[{"type":"hologram","x":1}]}"#, unread);
    check_answer(r#"{"content":[{"type":"text","text":"cut \ud83d"}]}"#, "cut \u{fffd}");
}

#[test]
fn a_tool_that_is_late_may_have_been_used() {
    let web = web(|_| Answer { body: Sent::Silence, ..Answer::status(200) });
    let (done, notes) = relay(&Project::new(), &["--all", "--http=ADDRESS"], &address(&web, 500), &[call(1, "find")]);
    done.exits(0).says(&["did not answer within 0.5 s", "`find` may have been done all the same"]);
    assert!(notes.contains("may have been done"), "{notes}");
}

/// A relay that goes on until its input ends.
fn started(project: &Project, options: &[&str], address: &str) -> Child {
    project.write("notes", "");
    let arguments: Vec<&str> = ["relay-tools", "--server=web", "--record=notes", "--all"].iter().chain(options).copied().collect();
    let mut command = project.command(&arguments);
    command.env("ADDRESS", address).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs")
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never happened: {what}");
}

#[test]
fn a_call_that_the_agent_takes_back_is_taken_back_from_the_server() {
    let web = web(|_| Answer { body: Sent::Silence, ..Answer::status(200) });
    let project = Project::new();
    let mut relay = started(&project, &["--http=ADDRESS"], &address(&web, 600_000));
    let asked = |method: &'static str| {
        web.server
            .asked()
            .into_iter()
            .filter(|asked| asked.method == "POST")
            .map(|asked| asked.json())
            .find(|asked| asked["method"] == method)
    };
    let mut input = relay.stdin.take().expect("it reads");
    writeln!(input, "{}", call(7, "find")).expect("it listens");
    until("the call reaches the server", || asked("tools/call").is_some());
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } }))
        .expect("it listens");
    until("the server hears of it", || asked("notifications/cancelled").is_some());
    let call = asked("tools/call").expect("it came");
    assert_eq!(asked("notifications/cancelled").map(|cancelled| cancelled["params"]["requestId"].clone()), Some(call["id"].clone()));
    until("it is written down", || project.read("notes").contains("the agent took the call back"));
    writeln!(input, "this is no message").expect("it listens");
    drop(input);
    let mut heard = String::new();
    relay.stdout.take().expect("it speaks").read_to_string(&mut heard).expect("text");
    assert!(relay.wait().expect("it ends").success());
    let heard: Vec<Value> = heard.lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    assert!(heard.len() == 1 && heard[0]["error"]["code"] == -32700, "{heard:?}");
}

/// A server that ends with neither its input nor its output, and is gone when the relay is that was ended in this way.
fn check_end(end: impl FnOnce(&mut Child)) {
    let project = Project::new();
    let mut relay = started(&project, &["--", "sh", "-c", "echo $$ > pid; exec sleep 60"], "");
    let pid = || std::fs::read_to_string(project.root.join("pid")).ok().and_then(|text| Pid::from_raw(text.trim().parse().ok()?));
    until("the server begins", || pid().is_some());
    end(&mut relay);
    relay.wait().expect("it ends");
    let pid = pid().expect("it has begun");
    let is_alive = test_kill_process(pid).is_ok();
    // Whatever is found, nothing is left behind.
    let _ = kill_process(pid, Signal::KILL);
    assert!(!is_alive, "the server goes on");
}

#[test]
fn no_server_outlives_its_relay() {
    check_end(|relay| drop(relay.stdin.take()));
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        check_end(|relay| kill_process(Pid::from_child(relay), signal).expect("it is there"));
    }
}
