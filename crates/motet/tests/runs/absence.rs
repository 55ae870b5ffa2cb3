//! Runs that nobody attends: what holds at every kind of gate, and coding agents that ask for leave.

use super::project::{Done, Project};

/// One agent, which may ask once, and a gate; what holds where nobody answers is filled in.
const WORKFLOW: &str = r#"
workflow: alone
version: 1.0.0
summary: Something is built, and somebody should look at it.
agents:
  builder: { prompt: prompts/builder.md, returns: { built: string }, timeout: 60s, retry: { attempts: 1 } }
questions: { answered_by: [person], at_most: 0, otherwise: QUESTIONS }
trouble: { error: failed }
start: building
states:
  building: { agent: builder, next: looking }
  looking:
    gate: { ask: Is it good?, options: [yes_it_is, no], otherwise: GATE }
    next: { yes_it_is: good, no: bad }
  good: { final: completed, output: { built: last.building.built } }
  bad: { final: aborted }
  failed: { final: failed, output: { why: run.error.message } }
"#;

/// Speaks the Agent Client Protocol, and asks whether it may remove something before it says what it did.
const CODING: &str = r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
said() {
  printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\\"built\\": \\"%s\\"}"}}}}\n' "$1"
  answer "$prompt" '{"stopReason":"end_turn"}'
}
while read -r line; do
  case "$line" in
    *'"method":"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) answer "$(id "$line")" '{"sessionId":"s-1"}' ;;
    *'"method":"session/prompt"'*)
      prompt=$(id "$line")
      echo '{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"t1","title":"Remove target/","rawInput":{"command":"rm -r target"}},"options":[{"optionId":"yes","name":"Sure","kind":"allow_once"},{"optionId":"no","name":"Never","kind":"reject_once"}]}}' ;;
    *'"id":"p1"'*'"yes"'*) said removed ;;
    *'"id":"p1"'*'"no"'*) said kept ;;
    *'"id":"p1"'*) answer "$prompt" '{"stopReason":"cancelled"}' ;;
  esac
done
"#;

const ASKS: &str = r#"cat | grep -q '"answers":\[\]' && echo '{"question": "Which wood?", "options": ["oak", "elm"], "default": "oak"}' || echo '{"built": "of what was said"}'"#;

fn project(questions: &str, gate: &str, player: &str) -> Project {
    let project = Project::new();
    let text = WORKFLOW.replace("QUESTIONS", questions).replace("GATE", gate);
    let most = if player.contains("sh', '-c") { 1 } else { 0 };
    project.write("workflows/alone/workflow.yaml", &text.replace("at_most: 0", &format!("at_most: {most}")));
    project.write("workflows/alone/prompts/builder.md", "Build.");
    project.program("coding.sh", CODING);
    project.write("motet.toml", &format!("[agents.builder]\n{player}\n"));
    project
}

fn unattended(questions: &str, gate: &str, player: &str) -> (Project, Done) {
    let project = project(questions, gate, player);
    let done = project.motet(&["run", "alone", "--unattended"]);
    (project, done)
}

fn asking() -> String {
    format!("command = ['sh', '-c', '''{ASKS}''']")
}

#[test]
fn a_gate_takes_its_option_waits_or_fails() {
    let works = "command = ['echo', '{\"built\": \"it\"}']";
    let (project, done) = unattended("fail", "yes_it_is", works);
    done.exits(0).says(&["nobody attends: gate looking.1 takes “yes_it_is”"]);
    project.motet(&["log", "last"]).exits(0).says(&["nobody attends: gate looking.1 takes “yes_it_is”"]);
    unattended("fail", "no", works).1.exits(1).says(&["aborted"]);
    unattended("fail", "fail", works).1.exits(1).says(&["nobody was there to answer at gate looking.1: Is it good?"]);
    let (project, done) = unattended("fail", "wait", works);
    done.exits(4).says(&["Is it good?", "motet approve"]);
    project.motet(&["approve", "last"]).exits(0);
}

#[test]
fn a_question_takes_its_default_waits_or_fails() {
    let (project, done) = unattended("default", "yes_it_is", &asking());
    done.exits(0).says(&["nobody answered, so “oak” was taken"]);
    project.motet(&["log", "last"]).exits(0).says(&["Which wood?"]);
    unattended("fail", "yes_it_is", &asking()).1.exits(1).says(&["nobody answered its question: Which wood?"]);
    let (project, done) = unattended("wait", "yes_it_is", &asking());
    done.exits(4).says(&["builder asks: Which wood?"]);
    project.motet(&["answer", "last", "pine"]).exits(2).says(&["`pine` is not one of oak, elm"]);
    project.motet(&["answer", "last", "elm"]).exits(0).says(&["of what was said"]);
}

#[test]
fn the_task_of_a_person_fails_or_waits() {
    unattended("default", "yes_it_is", "person = true").1.exits(1).says(&["a person plays builder, and nobody was there"]);
    unattended("default", "yes_it_is", "person = true\nunattended = 'fail'").1.exits(1).says(&["nobody was there"]);
    let (project, done) = unattended("default", "yes_it_is", "person = true\nunattended = 'wait'");
    done.exits(4).says(&["You play builder"]);
    project.motet(&["answer", "last", "a chair"]).exits(0).says(&["a chair"]);
}

#[test]
fn leave_is_refused_given_waited_for_or_the_task_fails() {
    for (policy, code, told) in [
        ("", 0, "kept"),
        ("unattended = 'reject'", 0, "kept"),
        ("unattended = 'allow'", 0, "removed"),
        ("unattended = 'fail'", 1, "nobody was there to permit it: Remove target/"),
        ("unattended = 'wait'", 4, "rm -r target"),
    ] {
        let (_project, done) = unattended("fail", "yes_it_is", &format!("acp = ['./coding.sh']\n{policy}"));
        done.exits(code).says(&[told]);
    }
}

#[test]
fn leave_is_asked_for_at_a_gate_of_its_own_with_the_exact_request() {
    let project = project("fail", "yes_it_is", "acp = ['./coding.sh']");
    // Whoever says yes to everything has not seen this.
    project.motet(&["run", "alone", "--yes"]).exits(4).says(&["builder asks for permission: Remove target/", "only a person can tell"]);
    project.motet(&["inbox"]).exits(0).says(&["Remove target/", "\"command\": \"rm -r target\"", "motet approve", "allow_once", "deny"]);
    let gate = project.motet(&["inbox", "--json"]).json().remove(0);
    assert_eq!(gate["gate"]["options"], serde_json::json!(["allow_once", "deny"]));
    assert_eq!(gate["gate"]["kind"], "permission", "{gate}");
    project.motet(&["answer", "last", "sure"]).exits(2).says(&["wants one of allow_once, deny"]);
    project.motet(&["approve", "last", "deny", "--text", "it is mine", "--as", "grace"]).exits(4).says(&["Is it good?"]);
    project.motet(&["log", "last"]).exits(0).says(&[
        "builder asks for permission in building.1: Remove target/",
        "grace answers gate",
        "deny",
    ]);
    project.motet(&["approve", "last", "yes_it_is"]).exits(0).says(&["kept"]);
    project.motet(&["replay", "last"]).exits(0);
    plays_again(&project, &["permission: true", "deny"]);
}

/// The run as a case of its workflow, which goes the same way.
fn plays_again(project: &Project, parts: &[&str]) {
    let cassette = project.motet(&["export", "last", "--cassette"]).exits(0).says(parts);
    project.write("workflows/alone/cases/recorded.yaml", &cassette.out);
    project.motet(&["test", "alone"]).exits(0).says(&["1"]);
    project.remove("workflows/alone/cases/recorded.yaml");
}

#[test]
fn a_run_with_a_person_in_it_is_a_case_that_plays() {
    let project = project("fail", "yes_it_is", "person = true");
    project.motet(&["run", "alone"]).exits(4).says(&["You play builder"]);
    project.motet(&["answer", "last", "a chair"]).exits(4);
    project.motet(&["approve", "last", "yes_it_is"]).exits(0).says(&["a chair"]);
    plays_again(&project, &["person: true", "a chair"]);
}

#[test]
fn a_run_that_nobody_attended_is_a_case_that_plays() {
    for policy in ["", "unattended = 'allow'", "unattended = 'fail'", "unattended = 'wait'"] {
        let (project, _done) = unattended("fail", "yes_it_is", &format!("acp = ['./coding.sh']\n{policy}"));
        plays_again(&project, &["unattended: true"]);
    }
    let (project, _done) = unattended("default", "yes_it_is", "person = true\nunattended = 'wait'");
    plays_again(&project, &["unattended: wait"]);
}

/// Speaks the protocol, and without a word of asking has a command run and a file written before it says what it did.
const BOLD: &str = r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while read -r line; do
  case "$line" in
    *'"method":"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) answer "$(id "$line")" '{"sessionId":"s-1"}' ;;
    *'"method":"session/prompt"'*)
      prompt=$(id "$line")
      echo '{"jsonrpc":"2.0","id":"t1","method":"terminal/create","params":{"sessionId":"s-1","command":"sh","args":["-c","echo ran > ran.txt"]}}' ;;
    *'"method":"session/cancel"'*) answer "$prompt" '{"stopReason":"cancelled"}' ;;
    *'"id":"t1"'*) echo '{"jsonrpc":"2.0","id":"w1","method":"fs/write_text_file","params":{"sessionId":"s-1","path":"written.txt","content":"bold"}}' ;;
    *'"id":"w1"'*)
      echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"built\": \"what could be\"}"}}}}'
      answer "$prompt" '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

#[test]
fn what_an_agent_does_without_asking_waits_at_a_gate_or_is_refused() {
    let project = project("fail", "yes_it_is", "acp = ['./bold.sh']");
    project.program("bold.sh", BOLD);
    let is_there = |file: &str| project.root.join(file).exists();
    project.motet(&["run", "alone", "--unattended"]).exits(0).says(&["what could be"]);
    assert!(!is_there("ran.txt") && !is_there("written.txt"), "nobody had allowed it");

    project.motet(&["run", "alone", "--yes"]).exits(4).says(&["builder asks for permission: Run sh -c 'echo ran > ran.txt'"]);
    assert!(!is_there("ran.txt") && !is_there("written.txt"), "nobody has allowed it yet");
    project.motet(&["approve", "last", "allow_once"]).exits(4).says(&["Write written.txt", "bold"]);
    assert!(!is_there("written.txt"), "only the command was allowed");
    project.motet(&["approve", "last", "deny"]).exits(4);
    project.motet(&["log", "last"]).exits(0).says(&["Run sh -c", "allow_once", "Write written.txt", "deny"]);
}

#[test]
fn settings_that_nobody_could_follow_are_refused() {
    let (_project, done) = unattended("fail", "fail", "person = true\nunattended = 'allow'");
    done.exits(2).says(&["can only `wait` or `fail`"]);
    let (_project, done) = unattended("fail", "fail", "command = ['true']\nunattended = 'wait'");
    done.exits(2).says(&["only a `person` and `acp` ask people anything"]);
}
