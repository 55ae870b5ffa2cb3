//! What can be read of a run afterwards, and how runs are forked and removed.

use serde_json::Value;

use super::project::Project;

#[test]
fn the_log_tells_what_happened_and_what_followed() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    let done = project.motet(&["log"]).exits(0);
    done.says(&[
        "ada started slogan 1.0.0",
        "→ generating",
        "writer answers generating.1/1: “Hydrate Green, Live Clean”",
        "→ completed because approved",
    ]);
    let events = project.motet(&["log", "last", "--events"]).exits(0).json();
    assert!(events[0]["fact"]["run_started"].is_object());
    let told = project.motet(&["log", "last", "--json"]).exits(0).json();
    assert_eq!(told.len(), events.len());
    assert_eq!(told[0]["event"], events[0]);
}

#[test]
fn the_log_says_why_an_answer_is_asked_for_again() {
    let project = Project::new();
    let workflow = "
workflow: shaped
version: 1.0.0
summary: One answer of one shape.
agents:
  all: { if_unclear: { ask_again: 1, then: needs_revision } }
  worker: { prompt: prompts/worker.md, returns: { files: [string] } }
trouble: { error: failed }
start: working
states:
  working: { agent: worker, next: done }
  done: { final: completed, output: last.working }
  failed: { final: failed, output: run.error }
";
    project.write("workflows/shaped/workflow.yaml", workflow);
    project.write("workflows/shaped/prompts/worker.md", "Work.");
    project.write("motet.toml", r#"agents.worker.command = ["sh", "-c", "cat > /dev/null; echo '{\"summary\": \"done\"}'"]"#);
    let why = "the answer is not taken, and asked for again: ";
    let done = project.motet(&["run", "shaped"]).exits(1).says(&[why, "files", "attempt 2", "worker gave up"]);
    assert_eq!(done.shown().matches(why).count(), 1, "the second time it is given up");
    project.motet(&["log"]).exits(0).says(&[why]);
}

#[test]
fn an_export_holds_everything() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    let whole: Value = serde_json::from_str(&project.motet(&["export", "last"]).exits(0).out).unwrap();
    assert_eq!(whole["output"]["final_slogan"], "Hydrate Green, Save Our Seas");
    assert_eq!(whole["journal"].as_array().unwrap().len() as u64, whole["view"]["events"].as_u64().unwrap());
    assert!(whole["files"]["session.json"].as_str().unwrap().contains("approved"));
    project.motet(&["export", "last", "--dir", "out"]).exits(0);
    for path in ["out/run.json", "out/journal.jsonl", "out/workflow/workflow.yaml", "out/files/session.json"] {
        assert!(!project.read(path).is_empty(), "{path}");
    }
}

#[test]
fn a_markdown_file_of_a_run_becomes_a_word_document() {
    let project = Project::new();
    project.motet(&["run", "deep-research", "--demo", "--pace", "0"]).exits(0);
    let told = project.motet(&["export", "last", "--docx", "report.md", "--json"]).exits(0).json();
    let bytes = std::fs::read(told[0]["docx"].as_str().unwrap()).unwrap();
    let document = docx_rs::read_docx(&bytes).expect("a document that can be read");
    let text: String = document.document.children.iter().map(said).collect::<Vec<_>>().join("\n");
    let report = project.read(format!(".motet/runs/{}/report.md", told[0]["run"].as_str().unwrap()));
    let title = report.lines().find_map(|line| line.strip_prefix("# ")).unwrap();
    assert_eq!(text.lines().next(), Some(title));
    let sources = report.lines().filter(|line| line.starts_with("- [")).count();
    assert!(sources > 0 && text.lines().filter(|line| line.starts_with('[')).count() == sources, "{text}");
    project.motet(&["export", "last", "--docx", "nothing.md"]).exits(2).says(&["no Markdown file nothing.md", "report.md"]);
}

fn said(child: &docx_rs::DocumentChild) -> String {
    match child {
        docx_rs::DocumentChild::Paragraph(paragraph) => paragraph.raw_text(),
        _ => String::new(),
    }
}

#[test]
fn a_run_becomes_a_case_that_plays_it_again() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    let done = project.motet(&["export", "last", "--cassette"]).exits(0);
    project.write("recorded.yaml", &done.out);
    project.motet(&["test", "slogan", "--case", "recorded.yaml", "--verbose"]).exits(0).says(&["1 passed", "recorded from slogan-"]);
    project.write("recorded.yaml", &done.out.replace("SHIP IT!", "Not yet."));
    project.motet(&["test", "slogan", "--case", "recorded.yaml"]).exits(1).says(&["path", "0 passed, 1 failed"]);
    project.motet(&["log", "last", "--exchanges"]).exits(0).says(&["nothing is on record that was said to a model"]);
}

#[test]
fn a_real_run_of_every_workflow_that_rules_play_becomes_a_case() {
    let tides = "Tides are the rise and fall of the sea, caused by the gravity of the Moon. The highest tides of Fundy reach 16 metres.";
    for arguments in [
        &["slogan", "tea"][..],
        &["article", "Tides of the sea", "--docs", "docs"],
        &["research", "What causes the tides of the sea?", "--docs", "docs"],
        &["deep-research", "What causes the tides of the sea?", "--docs", "docs"],
        &["architecture", "Build a URL shortener"],
    ] {
        let project = Project::new();
        project.remove("motet.toml");
        project.write("docs/tides.md", &format!("# Tides\n\n{tides}\n"));
        project.offline(&[&["run"], arguments, &["--unattended"]].concat());
        let done = project.offline(&["export", "last", "--cassette"]);
        assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.err);
        project.write("recorded.yaml", &done.out);
        project.offline(&["test", arguments[0], "--case", "recorded.yaml"]).exits(0).says(&["1 passed"]);
    }
}

#[test]
fn a_fork_pays_for_nothing_before_its_event() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0);
    let origin = project.last();
    let told = project.motet(&["log", &origin, "--json"]).json();
    let before = told.iter().find(|line| line["followed"].to_string().contains("Ship a boat?")).unwrap();
    let at = before["seq"].to_string();
    let done = project.motet(&["fork", &origin, "--at", &at, "--set", "plan=[{\"built\": \"mast\"}]", "--yes"]).exits(0);
    done.says(&["goes on from event", "mast"]);
    assert_eq!(project.read("done.txt").lines().count(), 2, "the parts were not built again");
    assert_eq!(project.list()[0]["forked_from"][0], Value::String(origin.clone()));
    project.motet(&["verify"]).exits(0);
    project.motet(&["replay", "last"]).exits(0).says(&["the same state"]);
    project.motet(&["fork", &origin, "--at", "999"]).exits(2).says(&["its events are 1 to"]);
    project.motet(&["fork", &origin, "--at", &at, "--set", "plan=mast"]).exits(2).says(&["is not JSON", "plan=\"mast\""]);
    project.motet(&["fork", &origin, "--at", &at, "--set", "colour=1"]).exits(2).says(&["has no data `colour`"]);
}

#[test]
fn a_forked_case_plays_on_from_its_event() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    project.motet(&["fork", "last", "--at", "4"]).exits(0).says(&["Good rhythm but vague", "Hydrate Green, Save Our Seas"]);
}

#[test]
fn a_run_is_named_by_the_beginning_of_its_id() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["status", "ship"]).exits(0).says(&["a boat is built"]);
    project.motet(&["run", "ship", "a car"]).exits(4);
    project.motet(&["status", "ship"]).exits(2).says(&["can mean 2 runs"]);
    project.motet(&["resume"]).exits(2).says(&["2 runs can go on"]);
}

#[test]
fn gc_removes_what_has_ended_and_nothing_else() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    let ended = project.last();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["gc"]).exits(0).says(&["nothing to remove"]);
    std::thread::sleep(std::time::Duration::from_millis(10));
    project.motet(&["gc", "--older-than", "0s", "--dry-run"]).exits(0).says(&["would remove 1 run", &ended]);
    assert_eq!(project.list().len(), 2);
    project.motet(&["gc", "--older-than", "0s", "--keep", "1"]).exits(0).says(&["nothing to remove"]);
    project.motet(&["gc", "--older-than", "0s"]).exits(0).says(&["removed 1 run", &ended]);
    assert_eq!(project.list().len(), 1);
    assert!(!project.root.join(".motet/runs").join(&ended).exists());
    assert_eq!(project.list()[0]["status"], "waiting_user");
}

#[test]
fn nothing_at_all_shows_gates_then_runs_then_what_to_try() {
    let project = Project::new();
    project.motet(&[]).exits(0).says(&["--demo", "motet workflows"]);
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    project.motet(&["run", "ship", "a boat"]).exits(4);
    let shown = project.motet(&[]).exits(0).out;
    let places: Vec<usize> = ["waiting for you", "open runs", "ended", "next"].iter().map(|part| shown.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{shown}");
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let project = Project::new();
    project.motet(&["doctor"]).exits(0).says(&["will be made by the first run", "127.0.0.1:9"]);
    project.write("motet.toml", "[agents.builder]\n");
    project.motet(&["doctor"]).exits(1).says(&["[agents.builder] says nothing"]);
}

#[test]
fn completions_name_the_commands() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish"] {
        project.motet(&["completions", shell]).exits(0).says(&["resume", "approve"]);
    }
}

#[test]
fn a_run_stays_with_its_version_and_is_told_whether_it_could_move() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["migrate", "--dry-run"]).exits(0).says(&["every open run has the version"]);
    let text = project.read("workflows/ship/workflow.yaml");
    project
        .write("workflows/ship/workflow.yaml", &text.replace("summary: Builds some parts, asks, ships.", "summary: Builds, asks, ships."));
    project.motet(&["migrate", "--dry-run"]).exits(0).says(&["could move to the installed ship"]);
    project.write("workflows/ship/workflow.yaml", &text.replace("start: asking", "start: building"));
    project.motet(&["migrate", "--dry-run"]).exits(0).says(&["stays with its version", "building instead of asking"]);
    project.motet(&["migrate"]).exits(0).says(&["stays with its version"]);
    project.motet(&["answer", "last", "tone=formal", "--only"]).exits(0);
    project.motet(&["status", "last", "--json"]).exits(0).says(&["building"]);
}

/// Ends one call after the other, each in a moment.
const MANY: &str = r#"
workflow: many
version: 1.0.0
summary: Many small tasks.
agents: { builder: { prompt: p.md, returns: { built: string }, timeout: 60s } }
trouble: { error: failed }
start: working
states:
  working: { agent: builder, each: range(120), at_most: 120, next: done }
  done: { final: completed, output: size(last.working) }
  failed: { final: failed }
"#;

#[test]
fn a_journal_that_is_being_written_is_read_as_it_stood_at_one_moment() {
    let project = Project::new();
    project.write("workflows/many/workflow.yaml", MANY);
    project.write("workflows/many/p.md", "Work.");
    project.write("motet.toml", &format!("parallel = 2\n{}", project.read("motet.toml")));
    let running = project.start(&["run", "many"]);
    project.until_begun(2);
    let mut read = 0;
    while project.read("done.txt").lines().count() < 110 {
        project.motet(&["replay", "last"]).exits(0);
        project.motet(&["verify", "last"]).exits(0);
        let exported = project.motet(&["export", "last", "--json"]).exits(0).json().remove(0);
        let events = exported["journal"].as_array().expect("the journal").len();
        assert_eq!(exported["view"]["events"], events, "the journal ends where the view does");
        assert!(exported["head"].is_string(), "it is unbroken");
        read += 1;
    }
    assert!(read > 0, "somebody has read it while it was written");
    running.wait().exits(0);
}
