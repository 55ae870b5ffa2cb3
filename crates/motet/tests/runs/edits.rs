//! Edits: a person's change of a file becomes an event, or is refused with the line and the reason.

use std::path::PathBuf;

use super::project::Project;

/// A plan that can be edited at a gate, in a list, in a text, and where no file shows it.
const ERRANDS: &str = r#"
workflow: errands
version: 1.0.0
summary: Lists errands, asks, and runs them.
input: { goal: { type: string, minLength: 1 } }
data:
  errands: '[{"id": "a", "title": "Buy wood", "depends_on": []}, {"id": "b", "title": "Build it", "depends_on": ["a"]}]'
  ideas: '["paint"]'
  drafts: 0
agents:
  builder: { prompt: prompts/builder.md, returns: { built: string }, retry: { attempts: 1 } }
counters: { looks: { max: unlimited } }
trouble: { error: failed }
start: approving
states:
  approving:
    gate: { ask: "Go with {{ data.errands | length }} errands?", show: list.md, options: [go, look, abort], otherwise: go }
    save: { drafts: data.drafts + 1 }
    next: { go: running, look: { count: looks, to: approving }, abort: stopped }
  running:
    plan: { tasks: data.errands, agents: [builder], at_most: 9 }
    with: { task: task }
    next: musing
  musing:
    gate: { ask: Any ideas?, options: [done], otherwise: done }
    next: shipped
  shipped: { final: completed, output: { errands: data.errands, ideas: data.ideas } }
  stopped: { final: aborted }
  failed: { final: failed, output: { error: run.error.message } }
files:
  list.md:
    from: files/list.md.j2
    edits:
      data.errands:
        at: [approving]
        lines: '- {id}: {title}{depends_on, list " (after *)"}'
  never.md: { from: files/never.md.j2, since: stopped, edits: { data.ideas: [musing] } }
"#;

const LIST: &str = "# Errands for {{ input.goal }}, look {{ data.drafts }}

{% for errand in data.errands %}
- {{ errand.id }}: {{ errand.title }}{{ \" (after \" ~ errand.depends_on | join(\", \") ~ \")\" if errand.depends_on }}
{% endfor %}
";

pub fn waiting() -> (Project, String, PathBuf) {
    waiting_with(ERRANDS)
}

fn waiting_with(workflow: &str) -> (Project, String, PathBuf) {
    let project = Project::new();
    project.write("workflows/errands/workflow.yaml", workflow);
    project.write("workflows/errands/files/list.md.j2", LIST);
    project.write("workflows/errands/files/never.md.j2", "{{ data.ideas | json }}\n");
    project.write("workflows/errands/prompts/builder.md", "Do {{ task.title }}.");
    project.motet(&["run", "errands", "a boat"]).exits(4);
    let run = project.last();
    let list = PathBuf::from(".motet/runs").join(&run).join("list.md");
    assert!(project.read(&list).contains("- b: Build it (after a)"), "{}", project.read(&list));
    (project, run, list)
}

fn edit(project: &Project, list: &PathBuf, from: &str, to: &str) {
    let text = project.read(list);
    assert!(text.contains(from), "{text}");
    project.write(&list.display().to_string(), &text.replace(from, to));
}

#[test]
fn an_edited_file_is_taken_with_the_approval_and_its_difference_is_shown() {
    let (project, run, list) = waiting();
    edit(&project, &list, "- b: Build it (after a)", "- b: Build it well\n- c: Rest (after b)");
    project.motet(&["approve", &run]).exits(4).says(&["+ - b: Build it well", "- - b: Build it (after a)", "Any ideas?"]);
    let told = project.motet(&["log", &run]).exits(0);
    let told =
        told.says(&["ada edited errands in list.md", "@ errands[b].depends_on", "- \"a\"", "+ \"Build it well\"", "… and 1 line more"]);
    assert!(!told.out.contains("Rest"), "{}", told.out);
    project.motet(&["log", &run, "--verbose"]).exits(0).says(&["@ errands[c]", "\"title\":\"Rest\""]);
    let events = project.motet(&["log", &run, "--events"]).json();
    let edited = events.iter().find_map(|event| event["fact"].get("data_edited")).expect("the edit is journaled");
    assert!(edited["diff"].as_str().is_some_and(|diff| diff.contains("- \"Build it\"\n+ \"Build it well\"")), "{edited}");
    project.motet(&["approve", &run]).exits(0);
    let output = &project.status(&run)["output"]["errands"];
    assert_eq!(output[1], serde_json::json!({ "id": "b", "title": "Build it well", "depends_on": [] }));
    assert_eq!(output[2]["id"], "c");
    assert_eq!(project.read("done.txt").lines().count(), 3, "what was added was done, too");
    assert!(!project.root.join(list.with_file_name("list.md.yours")).exists());
}

#[test]
fn an_edit_that_cannot_be_taken_stops_the_approval_with_its_lines() {
    let (project, run, list) = waiting();
    edit(&project, &list, "(after a)", "(after x)");
    project.motet(&["approve", &run]).exits(2).says(&["list.md, line 4: task b depends on x", "--discard-edits"]);
    edit(&project, &list, "- b: Build it (after x)", "- b Build it");
    project.motet(&["approve", &run]).exits(2).says(&["list.md, line 4: `- b Build it` cannot be read"]);
    assert_eq!(project.status(&run)["status"], "waiting_user", "nothing was answered");
    project.motet(&["approve", &run, "--discard-edits"]).exits(4).says(&["list.md.yours"]);
    assert!(project.read(list.with_file_name("list.md.yours")).contains("- b Build it\n"));
    project.motet(&["approve", &run]).exits(0);
    assert_eq!(project.status(&run)["output"]["errands"][1]["title"], "Build it");
}

#[test]
fn the_journal_wins_over_an_edit_that_it_overtook() {
    let (project, run, list) = waiting();
    // Whoever answers without a look at the files leaves the edit of another behind.
    let text = project.read(&list).replace("Build it", "Break it");
    project.motet(&["approve", &run, "look"]).exits(4);
    let renewed = project.read(&list);
    assert!(renewed.contains("look 1"), "{renewed}");
    project.write(&list.display().to_string(), &text);
    // As if the process had died between the answer and the file.
    let manifest = list.with_file_name(".written.json").display().to_string();
    let digest = project.read(&manifest);
    let old: serde_json::Value = serde_json::from_str(&digest).expect("a manifest");
    let before = old["list.md"]["before"].clone();
    project.write(&manifest, &serde_json::json!({ "list.md": { "now": before } }).to_string());
    project.motet(&["approve", &run]).exits(2).says(&["the run has gone on", "list.md.yours"]);
    assert_eq!(project.read(&list), renewed);
    assert_eq!(project.read(list.with_file_name("list.md.yours")), text);
    project.motet(&["approve", &run]).exits(4);
}

#[test]
fn an_edit_survives_a_resume_that_changes_nothing() {
    let (project, run, list) = waiting();
    edit(&project, &list, "Buy wood", "Buy oak");
    project.motet(&["resume", &run]).exits(4);
    assert!(project.read(&list).contains("Buy oak"), "{}", project.read(&list));
    project.motet(&["approve", &run]).exits(4).says(&["+ - a: Buy oak"]);
}

#[test]
fn an_editor_is_opened_and_what_it_leaves_is_journaled() {
    let (project, run, list) = waiting();
    let motet = |editor: &str, arguments: &[&str]| {
        let output = project.command(arguments).env("VISUAL", editor).output().expect("the binary runs");
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code(), said)
    };
    let (code, said) = motet("sed -i s/wood/oak/", &["edit", &run]);
    assert!(code == Some(0) && said.contains("+ - a: Buy oak") && said.contains("journaled"), "{said}");
    assert!(project.read(&list).contains("Buy oak"));
    let (code, said) = motet("true", &["edit", &run]);
    assert!(code == Some(0) && said.contains("nothing was changed"), "{said}");
    let (code, said) = motet("sed -i s/oak/:/", &["edit", &run, "--json"]);
    assert!(code == Some(0) && said.contains("\"type\":\"edited\"") && said.contains("Buy :"), "{said}");
    let (code, said) = motet("sed -i 's/- a:/- a/'", &["edit", &run]);
    assert!(code == Some(2) && said.contains("line 3"), "{said}");
    let (code, said) = motet("false", &["edit", &run]);
    assert!(code == Some(1) && said.contains("the editor `false` ended"), "{said}");
    let (code, said) = motet("", &["edit", &run]);
    assert!(code == Some(2) && said.contains("neither $VISUAL nor $EDITOR"), "{said}");
}

#[test]
fn a_script_edits_from_a_file_and_is_told_what_is_wrong() {
    let (project, run, list) = waiting();
    let text = project.read(&list);
    project.write("new.md", &text.replace("Buy wood", "Buy oak"));
    project.motet(&["edit", &run, "--from", "new.md", "--as", "grace"]).exits(0).says(&["+ - a: Buy oak"]);
    project.motet(&["log", &run]).exits(0).says(&["grace edited errands in list.md"]);
    assert!(project.read(&list).contains("Buy oak"));
    project.write("new.md", &text.replace("- b:", "- a:"));
    let refused = project.motet(&["edit", &run, "--from", "new.md"]).exits(2);
    assert!(!refused.err.contains("--discard-edits"), "nothing on the disk was edited: {}", refused.err);
    refused.says(&["line 4: a stands in line 3 already", "mend the text"]);
    project.write("new.md", &text.replace("for a boat", "for a raft"));
    let refused = project.motet(&["edit", &run, "--from", "new.md"]).exits(2);
    refused.says(&["line 1: `# Errands for a raft, look 0` cannot be edited here", "a line that can be edited is `- a: Buy"]);
    project.motet(&["edit", &run, "--file", "plan.md", "--from", "new.md"]).exits(2).says(&["plan.md cannot be edited", "list.md"]);
    project.motet(&["approve", &run]).exits(4);
    // No file shows the ideas, so they are edited as they are.
    project.write("new.json", "{\"ideas\": [\"varnish\"]}");
    project.motet(&["edit", &run, "--from", "new.json"]).exits(0).says(&["varnish"]);
    project.motet(&["approve", &run]).exits(0);
    assert_eq!(project.status(&run)["output"]["ideas"], serde_json::json!(["varnish"]));
    project.motet(&["edit", &run]).exits(2).says(&["has ended"]);
}

#[test]
fn an_edit_reaches_the_process_that_drives_the_run() {
    let project = {
        let (project, run, _) = waiting();
        project.motet(&["cancel", &run]).exits(0);
        project
    };
    project.motet(&["run", "errands", "a raft", "--detach"]).exits(0);
    let run = project.last();
    project.until("the gate", || project.status(&run)["gates"][0]["gate"] == "approving.1");
    let list = PathBuf::from(".motet/runs").join(&run).join("list.md");
    project.until("the file", || !project.read(&list).is_empty());
    edit(&project, &list, "Buy wood", "Buy oak");
    project.motet(&["approve", &run]).exits(0).says(&["+ - a: Buy oak", "goes on in process"]);
    project.until("the second gate", || project.status(&run)["gates"][0]["gate"] == "musing.1");
    project.motet(&["approve", &run]).exits(0);
    project.until("the end", || project.status(&run)["status"] == "completed");
    assert_eq!(project.status(&run)["output"]["errands"][0]["title"], "Buy oak");
}

/// The same list, which can be edited while its errands are run.
fn running() -> (Project, String, PathBuf) {
    let (project, run, list) = waiting_with(&ERRANDS.replace("at: [approving]", "at: [approving, running]"));
    // Nothing is performed yet, but the first errand is under way.
    project.motet(&["approve", &run, "--only"]).exits(0);
    (project, run, list)
}

#[test]
fn an_edit_of_a_paused_run_is_shown_and_taken_when_it_is_resumed() {
    let (project, run, list) = running();
    project.motet(&["pause", &run]).exits(0);
    edit(&project, &list, "- b: Build it (after a)", "- b: Build it well (after a)\n- c: Rest (after b)");
    let resumed = project.motet(&["resume", &run]).exits(4);
    resumed.says(&["your edit of list.md:", "- - b: Build it (after a)", "+ - b: Build it well (after a)", "Any ideas?"]);
    project.motet(&["log", &run]).exits(0).says(&["ada edited errands in list.md"]);
    assert_eq!(project.read("done.txt"), "running.1/a\nrunning.1/b\nrunning.1/c\n");
    assert!(!project.root.join(list.with_file_name("list.md.yours")).exists());
    assert!(project.read(&list).contains("- c: Rest (after b)"), "{}", project.read(&list));
    project.motet(&["approve", &run]).exits(0);
    assert_eq!(project.status(&run)["output"]["errands"][1]["title"], "Build it well");
    // The case of it says what was edited, and goes the same way.
    let cassette = project.motet(&["export", &run, "--cassette"]).exits(0).says(&["resume:", "edits:", "Build it well"]);
    project.write("recorded.yaml", &cassette.out);
    project.motet(&["test", "errands", "--case", "recorded.yaml"]).exits(0);
}

#[test]
fn an_edit_of_a_run_whose_process_died_is_taken_when_it_is_resumed() {
    let (project, run, list) = running();
    project.write("wait.txt", "");
    let driving = project.start(&["resume", &run]);
    project.until_begun(1);
    driving.kill();
    edit(&project, &list, "Build it", "Build it well");
    project.remove("wait.txt");
    let resumed = project.motet(&["resume", &run, "--json"]).exits(4);
    let edited = resumed.json().into_iter().find(|line| line["type"] == "edited").expect("it is told");
    assert_eq!((&edited["file"], &edited["changes"]["errands"][1]["title"]), (&"list.md".into(), &"Build it well".into()));
    project.motet(&["approve", &run]).exits(0);
    assert_eq!(project.status(&run)["output"]["errands"][1]["title"], "Build it well");
}

#[test]
fn an_edit_that_cannot_be_taken_stops_the_resumption_and_is_not_lost() {
    let (project, run, list) = running();
    project.motet(&["pause", &run]).exits(0);
    edit(&project, &list, "Buy wood", "Buy oak");
    let refused = project.motet(&["resume", &run]).exits(2);
    refused.says(&["list.md, line 3: a is under way, and cannot be changed", &format!("motet resume {run} --discard-edits")]);
    assert_eq!(project.status(&run)["status"], "paused", "it is left as it is");
    edit(&project, &list, "Buy oak", "Buy wood");
    edit(&project, &list, "(after a)", "(after x)");
    project.motet(&["resume", &run]).exits(2).says(&["list.md, line 4: task b depends on x"]);
    assert!(project.read(&list).contains("(after x)"));
    project.motet(&["resume", &run, "--discard-edits"]).exits(4).says(&["list.md.yours"]);
    assert!(project.read(list.with_file_name("list.md.yours")).contains("(after x)"));
    project.motet(&["approve", &run]).exits(0);
    assert_eq!(project.read("done.txt").lines().count(), 2);
}

#[test]
fn an_edit_at_a_gate_where_the_run_is_paused_is_taken_when_it_is_resumed() {
    let (project, run, list) = waiting();
    project.motet(&["pause", &run]).exits(0);
    edit(&project, &list, "Buy wood", "Buy oak");
    project.motet(&["resume", &run]).exits(4).says(&["+ - a: Buy oak", "Go with 2 errands?"]);
    project.motet(&["log", &run]).exits(0).says(&["ada edited errands in list.md"]);
}

#[test]
fn an_edit_where_the_workflow_takes_none_is_told_and_left() {
    let (project, run, list) = waiting();
    project.motet(&["approve", &run, "--only"]).exits(0);
    project.motet(&["pause", &run]).exits(0);
    edit(&project, &list, "Build it", "Build it well");
    let told = project.motet(&["resume", &run]).exits(4);
    told.says(&[
        "note: list.md was edited, and can be edited at approving, not at running",
        "kept as list.md.yours once the run writes it anew",
    ]);
    project.motet(&["approve", &run]).exits(0);
    assert_eq!(project.status(&run)["output"]["errands"][1]["title"], "Build it");
}
