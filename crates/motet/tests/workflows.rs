//! Commands about workflows, as a person uses them.

use std::path::Path;
use std::process::Command;

use motet_testkit::repository;

use crate::scratch::Scratch;

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn motet(directory: &Path, arguments: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_motet"));
    let output =
        command.args(arguments).current_dir(directory).env_remove("MOTET_HOME").env("COLUMNS", "100").output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8");
    Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// The command ends with this code, and says all of these things, in this order, on either stream.
#[track_caller]
fn check(directory: &Path, arguments: &[&str], code: i32, says: &[&str]) {
    let said = motet(directory, arguments);
    let all = format!("{}{}", said.out, said.err);
    let mut rest = all.as_str();
    for expected in says {
        match rest.find(expected) {
            Some(position) => rest = &rest[position + expected.len()..],
            None => panic!("motet {arguments:?} does not say {expected:?} (there):\n{all}"),
        }
    }
    assert_eq!(said.code, Some(code), "motet {arguments:?} says:\n{all}");
    assert!(!all.contains("panicked"), "{all}");
}

fn small(name: &str) -> String {
    format!("workflow: {name}\nversion: 1.0.0\nsummary: Small.\nstart: end\nstates: {{ end: {{ final: completed }} }}\n")
}

#[test]
fn every_workflow_of_the_repository_holds_and_all_its_cases_pass() {
    check(&repository(), &["check", "--all"], 0, &["properties hold"]);
    check(&repository(), &["test", "--all"], 0, &[" passed, 0 failed"]);
}

#[test]
fn the_built_in_ones_need_no_repository() {
    let scratch = Scratch::new();
    check(scratch.path(), &["workflows"], 0, &["slogan", "1.0.0", "built in", "A writer and a reviewer"]);
    check(scratch.path(), &["check", "slogan"], 0, &["slogan 1.0.0: 7 states, 11 transitions, 3 properties hold", "✓", "declared limits"]);
    check(scratch.path(), &["test", "slogan", "--coverage"], 0, &["coverage: 11 of 11 transitions (100 %)", "passed, 0 failed"]);
    check(scratch.path(), &["test", "slogan", "--case", "max-turns", "--verbose"], 0, &["→ completed", "1 passed, 0 failed"]);
}

#[test]
fn a_new_workflow_passes_its_check_and_covers_itself() {
    let scratch = Scratch::new();
    check(
        scratch.path(),
        &["new", "hello"],
        0,
        &["workflows/hello is ready", "motet check hello", "motet test hello", "motet graph hello"],
    );
    check(scratch.path(), &["check", "hello"], 0, &["2 properties hold"]);
    check(scratch.path(), &["test", "hello", "--min-coverage", "100"], 0, &["5 passed, 0 failed"]);
    check(scratch.path(), &["new", "hello"], 2, &["exists already; nothing was changed"]);
    check(scratch.path(), &["new", "../hello"], 2, &["cannot be the name of a workflow"]);
    check(scratch.path(), &["new", "slogan"], 2, &["built in", "extends: slogan"]);
    check(scratch.path(), &["new", "there", "--dir", "elsewhere"], 0, &["motet check elsewhere/there"]);
    check(scratch.path(), &["check", "elsewhere/there"], 0, &["2 properties hold"]);
}

#[test]
fn a_broken_workflow_is_shown_with_every_mistake() {
    let scratch = Scratch::new();
    scratch.write("workflows/bad/workflow.yaml", small("bad") + "strt: end\nagents: { a: { prompt: prompts/none.md } }\n");
    let says = [
        "error[M",
        "--> workflows/bad/workflow.yaml:6:1",
        "strt: end",
        "^^^^",
        "did you mean `start`?",
        "prompts/none.md",
        "bad: 2 errors",
    ];
    check(scratch.path(), &["check", "bad"], 1, &says);
    check(scratch.path(), &["test", "bad"], 1, &["error[M", "bad: 2 errors"]);
    check(scratch.path(), &["graph", "bad"], 1, &["error[M"]);
    check(scratch.path(), &["workflows"], 0, &["bad", "2 errors, the first:"]);
    scratch.write("workflows/worse/workflow.yaml", "workflow: [\n  oh: no");
    check(scratch.path(), &["check", "worse"], 1, &["error[M0101]", "worse: 1 error"]);
}

#[test]
fn a_property_that_does_not_hold_is_refuted_with_a_path() {
    let scratch = Scratch::new();
    let text = "
workflow: leaky
version: 1.0.0
summary: Leaks.
start: asking
states:
  asking:
    gate: { ask: Go?, options: [look, go], otherwise: look }
    next: { look: looking, go: end }
  looking: { next: end }
  end: { final: completed }
require: { looked at: every path to end passes looking }
";
    scratch.write("leaky/workflow.yaml", text);
    check(scratch.path(), &["check", "leaky"], 1, &["0 of 1 properties hold", "✗ looked at", "asking –go→ end"]);
}

#[test]
fn input_that_cannot_be_used_is_refused_in_a_sentence() {
    let scratch = Scratch::new();
    check(scratch.path(), &["check", "slogn"], 2, &["there is no workflow `slogn`; did you mean `slogan`?", "there are: "]);
    check(scratch.path(), &["check", "./nowhere"], 2, &["has no `workflow.yaml`"]);
    check(scratch.path(), &["check", "slogan", "-i", "max_turns=99"], 2, &["max_turns"]);
    check(scratch.path(), &["check", "slogan", "-i", "max_turns"], 2, &["not of the form key=value"]);
    check(scratch.path(), &["check", "slogan", "--input", "none.json"], 2, &["none.json cannot be read"]);
    check(scratch.path(), &["check", "--nonsense"], 2, &["--nonsense"]);
    scratch.write("workflows/mine/workflow.yaml", small("mine"));
    check(scratch.path(), &["test", "mine"], 2, &["no case was played"]);
    scratch.write("workflows/mine/notes.md", b"caf\xe9");
    check(scratch.path(), &["check", "mine"], 2, &["notes.md is not UTF-8 (line 1)"]);
    scratch.write("workflows/mine/notes.md", vec![b'-'; 10 << 20]);
    check(scratch.path(), &["check", "mine"], 2, &["notes.md has 10.0 MiB"]);
}

#[test]
fn real_input_tightens_the_bounds() {
    let scratch = Scratch::new();
    check(scratch.path(), &["check", "slogan", "-i", "product=tea", "-i", "max_turns=2"], 0, &["at most 2 of 2"]);
    scratch.write("input.json", r#"{ "product": "tea", "max_turns": 4 }"#);
    check(scratch.path(), &["check", "slogan", "--input", "input.json"], 0, &["at most 4 of 4"]);
}

#[test]
fn a_failed_case_says_what_differs() {
    let scratch = Scratch::new();
    check(scratch.path(), &["new", "hello"], 0, &[]);
    let case = "
case: wrong in three ways
input: { topic: tea }
agents: { writer: { title: Tea, text: There is tea. } }
gates: { approving: approve }
expect:
  path: [drafting, published]
  output: { title: Coffee }
  files: { announcement.md: There is coffee. }
";
    scratch.write("workflows/hello/cases/wrong.yaml", case);
    let says = [
        "✗ wrong in three ways (cases/wrong.yaml)",
        "path\n",
        "drafting\n",
        "+ actual    approving\n",
        "published\n",
        "output.title\n",
        "- expected  \"Coffee\"\n",
        "+ actual    \"Tea\"\n",
        "file announcement.md\n",
        "it does not contain: There is coffee.\n",
        "+ actual    # Tea\n",
        "5 passed, 1 failed",
    ];
    check(scratch.path(), &["test"], 1, &says);
    scratch.write("workflows/hello/cases/wrong.yaml", "case: c\nexpct: {}\n");
    check(
        scratch.path(),
        &["test", "hello"],
        1,
        &["unknown key `expct`", "--> workflows/hello/cases/wrong.yaml:2:1", "did you mean `expect`?"],
    );
    scratch.write("workflows/hello/cases/wrong.yaml", "case: c\nagents: { writr: x }\nexpect: {}\n");
    check(scratch.path(), &["test", "hello"], 1, &["there is no agent, command or call `writr`; did you mean `writer`?"]);
    check(scratch.path(), &["test", "hello", "--case", "nobody", "--min-coverage", "90"], 1, &["and 90 % are wanted", "no case takes"]);
}

#[test]
fn a_machine_is_drawn_in_every_format() {
    let scratch = Scratch::new();
    check(scratch.path(), &["graph", "slogan"], 0, &["stateDiagram-v2"]);
    check(scratch.path(), &["graph", "slogan", "--dot"], 0, &["digraph"]);
    check(scratch.path(), &["graph", "slogan", "--svg"], 0, &["<svg"]);
    check(scratch.path(), &["graph", "slogan", "--terminal"], 0, &["● generating", "└─"]);
    check(scratch.path(), &["graph", "slogan", "--svg", "--dot"], 2, &["cannot be used with"]);
    check(scratch.path(), &["graph", "slogan", "-o", "machine.svg"], 0, &[]);
    assert!(std::fs::read_to_string(scratch.path().join("machine.svg")).unwrap().starts_with("<svg"));
    check(scratch.path(), &["graph", "slogan", "-o", "no/such/place.svg"], 2, &["cannot be written"]);
}

#[test]
fn json_is_one_object_per_line() {
    let scratch = Scratch::new();
    scratch.write("workflows/bad/workflow.yaml", small("bad") + "strt: end\n");
    for (arguments, key) in [
        (&["--json", "check", "--all"][..], "ok"),
        (&["--json", "test", "slogan"], "passed"),
        (&["--json", "workflows"], "digest"),
        (&["--json", "check", "bad"], "diagnostics"),
        (&["--json", "new", "hello"], "folder"),
    ] {
        let said = motet(scratch.path(), arguments);
        assert!(!said.out.is_empty(), "{arguments:?}: {}", said.err);
        let lines = said.out.lines().map(serde_json::from_str::<serde_json::Value>);
        let lines: Vec<serde_json::Value> = lines.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}: {}", said.out));
        assert!(lines.iter().all(serde_json::Value::is_object), "{}", said.out);
        assert!(lines.last().unwrap().get(key).is_some(), "{}", said.out);
    }
}

#[test]
fn colour_is_only_for_terminals_unless_asked_for() {
    let scratch = Scratch::new();
    let is_coloured = |arguments: &[&str]| motet(scratch.path(), arguments).out.contains('\u{1b}');
    assert!(!is_coloured(&["check", "slogan"]));
    assert!(is_coloured(&["check", "slogan", "--color", "always"]));
    assert!(!is_coloured(&["check", "slogan", "--color", "never"]));
}
