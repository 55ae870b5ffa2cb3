//! Where words go: what becomes of a command whose answer nobody takes, and which stream says what under `--json`.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::project::{Done, Project};

/// A report that says what none of its sources says.
const BAD: &str = "# Bridges\n\nThe bridge cost 40 million euros in 1931 [1].\n\n## References\n\n[1] Nowhere, https://example.org/none\n";

/// With a run that has ended, one that waits, a workflow that cannot be loaded, and a report that does not hold.
fn project() -> Project {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0);
    project.motet(&["run", "ship", "a kite"]).exits(4);
    project.write("workflows/broken/workflow.yaml", "workflow: broken\nstates: {}\n");
    project.write("report.md", BAD);
    project
}

/// What a command comes to if nothing can be written to its standard output, and if nobody reads it.
#[track_caller]
fn check(project: &Project, arguments: &[&str], to_a_full_disk: i32, to_nobody: i32) {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    let done = Done::new(arguments, project.command(arguments).stdout(full).output().expect("the binary runs"));
    let done = done.exits(to_a_full_disk);
    assert_eq!(done.err.matches("standard output cannot be written").count(), 1, "{}", done.shown());

    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let done = Done::new(arguments, project.command(arguments).stdout(writer).output().expect("the binary runs"));
    let done = done.exits(to_nobody);
    assert!(!done.err.contains("cannot be written") && !done.err.contains("panicked"), "{}", done.shown());
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success_and_one_that_nobody_reads_is_no_failure() {
    let project = project();
    check(&project, &["list"], 1, 0);
    check(&project, &["export", "last"], 1, 0);
    check(&project, &["--help"], 1, 0);
    check(&project, &["completions", "bash"], 1, 0);
    check(&project, &["status", "last", "--json"], 1, 0);
    check(&project, &["graph", "ship"], 1, 0);
    check(&project, &["verify", "report.md"], 1, 1);
    check(&project, &["check", "broken"], 1, 1);
    check(&project, &["watch", "last"], 1, 4);
    check(&project, &["run", "slogan", "--demo", "--pace", "0"], 1, 0);
}

#[test]
fn a_run_goes_on_when_its_reader_has_seen_enough() {
    let project = Project::new();
    project.write("wait.txt", "");
    let mut command = project.command(&["run", "ship", "a boat", "--yes"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("it says something");
    project.until_begun(2);
    project.remove("wait.txt");
    let done = Done::new(&["run"], child.wait_with_output().expect("it ends")).exits(0);
    assert_eq!(done.err, "", "nobody is to be told");
    assert_eq!(project.status("last")["status"], "completed");
    assert_eq!(project.read("done.txt").lines().count(), 2);
}

/// Every command in some of its ways, with `--json` added to each. The first word is the command.
const COMMANDS: &[&[&str]] = &[
    &["list"],
    &["builtins"],
    &["list", "--open", "--limit", "1"],
    &["status", "last"],
    &["status", "last", "--graph"],
    &["watch", "last"],
    &["log", "last"],
    &["log", "last", "--events"],
    &["log", "last", "--exchanges"],
    &["messages", "last"],
    &["inbox"],
    &["replay", "last"],
    &["verify"],
    &["verify", "last"],
    &["verify", "report.md"],
    &["evidence", "check"],
    &["evidence", "check", "--claim", "It is.", "--source", "report.md"],
    &["export", "last"],
    &["export", "last", "--dir", "exported"],
    &["export", "last", "--cassette"],
    &["export", "last", "--docx", "plan.md"],
    &["export", "last", "--warc", "-"],
    &["gc"],
    &["gc", "--dry-run"],
    &["migrate"],
    &["check", "ship"],
    &["check", "broken"],
    &["check", "nosuch"],
    &["check", "ship", "nosuch"],
    &["test", "slogan"],
    &["test", "broken"],
    &["test", "nosuch"],
    &["graph", "ship"],
    &["graph", "ship", "--svg"],
    &["graph", "broken"],
    &["new", "fresh"],
    &["new", "fresh"],
    &["workflows"],
    &["config", "show"],
    &["config", "keys"],
    &["cost"],
    &["cost", "last"],
    &["tools"],
    &["doctor"],
    &["completions", "bash"],
    &["edit", "last", "--from", "report.md"],
    &["pause", "last"],
    &["resume", "last"],
    &["approve", "last"],
    &["answer", "last", "tone=formal", "--only"],
    &["fork", "last", "--at", "1", "--yes"],
    &["cancel", "last"],
    &["run", "ship", "a car", "--yes"],
    &["run", "broken"],
    &["run", "nosuch"],
    &["run", "slogan", "--demo", "--pace", "0"],
    &["run", "ship", "a cart", "--detach"],
    &["init", "--yes"],
    &["init", "--agent", "offline", "--force"],
];

#[track_caller]
fn speaks_json(project: &Project, arguments: &[&str]) {
    let done = project.motet(&[arguments, &["--json"]].concat());
    for told in done.json() {
        assert!(told.is_object(), "{}", done.shown());
    }
    let is_silent = done.err.is_empty() && done.out.is_empty();
    assert!(!is_silent || done.code == Some(0), "it does not say why: {}", done.shown());
    assert!(done.code != Some(2) || done.err.contains("error"), "an error is told in words: {}", done.shown());
}

#[test]
fn every_line_that_any_command_prints_under_json_is_an_object() {
    let fresh = Project::new();
    for arguments in COMMANDS.iter().filter(|arguments| !["run", "init", "new"].contains(&arguments[0])) {
        speaks_json(&fresh, arguments);
    }
    assert!(!fresh.root.join(".motet").exists(), "nothing of this runs anything");
    let project = project();
    for arguments in COMMANDS {
        speaks_json(&project, arguments);
    }
    // One of them is driven by a process of its own, which would wait at its gate for ever.
    for open in project.motet(&["list", "--open", "--json"]).exits(0).json() {
        project.motet(&["cancel", open["run"].as_str().expect("an id")]).exits(0);
    }
}

#[test]
fn no_command_is_missing_among_those_whose_json_is_looked_at() {
    let help = Project::new().motet(&["--help"]).exits(0).out;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = listed.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        assert!(COMMANDS.iter().any(|arguments| arguments[0] == name), "{name}");
    }
}

#[test]
fn why_a_workflow_cannot_be_used_is_told_on_the_error_stream_unless_it_was_asked_for() {
    let project = project();
    for (arguments, code) in [(&["run", "broken"], 2), (&["graph", "broken"], 1)] {
        let done = project.motet(arguments).exits(code);
        assert!(done.out.is_empty() && done.err.contains("workflows/broken/workflow.yaml"), "{}", done.shown());
    }
    let done = project.motet(&["test", "broken"]).exits(1);
    assert!(!done.out.contains("workflow.yaml") && done.err.contains("workflows/broken/workflow.yaml"), "{}", done.shown());
    let done = project.motet(&["check", "broken"]).exits(1);
    assert!(done.err.is_empty() && done.out.contains("workflows/broken/workflow.yaml"), "{}", done.shown());
    let done = project.motet(&["check", "nosuch", "--json"]).exits(2);
    assert!(done.out.is_empty() && done.err.contains("nosuch"), "{}", done.shown());
}
