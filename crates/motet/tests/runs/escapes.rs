//! What agents say among our own words: nothing of it can move the cursor, so nobody approves another thing than they see.

use super::project::Project;

/// What would show another text than was said, as JSON writes it and as it is.
const WRITTEN: &str = r"rm -rf /\u001b[1G\u001b[2Kls -l\r\u009b2J\u202e";
const SAID: &str = "rm -rf /\u{1b}[1G\u{1b}[2Kls -l\r\u{9b}2J\u{202e}";
const SHOWN: &str = "rm -rf /[1G[2Kls -l";

fn project(program: &str) -> Project {
    let project = Project::new();
    project.program("builder.sh", &format!("#!/bin/sh\ncat > /dev/null\n{program}"));
    project
}

/// That all of these show it, and none of them as it was said.
#[track_caller]
fn check(project: &Project, commands: &[(&[&str], i32)]) {
    for (arguments, code) in commands {
        let done = project.motet(arguments).exits(*code);
        let all = format!("{}{}", done.out, done.err);
        assert!(all.contains(SHOWN), "{}", done.shown());
        assert!(!all.contains(['\u{1b}', '\r', '\u{9b}', '\u{202e}']), "{arguments:?}: {all:?}");
    }
}

#[test]
fn an_answer_cannot_draw_on_the_terminal_and_is_whole_in_json() {
    let project = project(&format!("cat <<'END'\n{{\"result\": {{\"built\": \"{WRITTEN}\"}}}}\nEND\n"));
    let run: &[&str] = &["run", "ship", "a boat", "--yes", "-i", "parts=1"];
    check(&project, &[(run, 0), (&["status", "last"], 0), (&["log", "last"], 0), (&["log", "last", "--verbose"], 0)]);
    assert_eq!(project.status("last")["output"]["parts"][0]["built"], SAID);
    assert!(project.motet(&["export", "last"]).exits(0).out.contains("\\u001b[1G\\u001b[2Kls -l\\r\u{9b}2J\u{202e}"));
}

#[test]
fn an_error_cannot_draw_on_the_terminal() {
    let project = project("printf 'rm -rf /\\033[1G\\033[2Kls -l\\302\\2332J\\342\\200\\256' >&2\nexit 3\n");
    check(&project, &[(&["run", "ship", "a boat", "--yes", "-i", "parts=1"], 1), (&["status", "last"], 0), (&["log", "last"], 0)]);
}
