//! Missions that go another way than straight through, with no model: plans that people change, errors that are resumed, and files that
//! cannot be written.

use motet_testkit::web::{Answer, Asked};
use serde_json::{Value, json};

use super::project::Project;
use super::sources::Web;

const QUESTION: &str = "Who opened the harbour bridge?";
const TIDES: &str = "# Tides\n\nThe moon causes the tides of the sea every day.\n";
const BRIDGE: &str = "# Bridge\n\nQueen Maud opened the harbour bridge in 1932.\n";

/// A project whose documents know nothing of the bridge.
fn project() -> Project {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/tides.md", TIDES);
    project
}

fn file(project: &Project, name: &str) -> String {
    project.read(format!(".motet/runs/{}/{name}", project.last()))
}

/// The tasks of a file, each as its id and title.
fn tasks(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("- [") && line.contains("(Status: "));
    lines.map(|line| line.split("] ").nth(1).unwrap_or(line).split(" (Status").next().unwrap_or(line).to_string()).collect()
}

#[test]
fn an_error_with_nothing_found_is_resumed_with_new_documents_and_the_tasks_that_a_person_added() {
    let project = project();
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs"]).exits(4);
    project.offline(&["approve", "last"]).exits(4).says(&["nothing found", "Resume after removing the cause"]);
    project.write("docs/bridge.md", BRIDGE);
    let path = format!(".motet/runs/{}/task.md", project.last());
    let added = "- [ ] E19: Search: Queen Maud of the harbour (Status: PENDING, DependsOn: none)\n\n# 3. Knowledge graph";
    project.write(&path, &project.read(&path).replace("\n# 3. Knowledge graph", added));
    project.offline(&["approve", "last", "resume"]).exits(4).says(&["E19"]);
    let plan = file(&project, "plan.md");
    assert!(plan.contains("E19: Search: Queen Maud of the harbour (Status: PENDING"), "{plan}");
    assert!(!plan.contains("COMPLETED"), "{plan}");
    project.offline(&["approve", "last"]);
    assert!(file(&project, "report.md").contains("Queen Maud opened the harbour bridge in 1932. [S01]"));
    assert!(file(&project, "task.md").contains("- [x] E19: Search: Queen Maud of the harbour (Status: COMPLETED"));
}

/// The planner puts the document in before it plans a second time, in the process that searched the first time.
#[test]
fn documents_that_come_while_a_run_is_driven_are_found_by_its_next_batch() {
    let project = project();
    let plan = json!({
        "core_question": QUESTION, "dimensions": [{ "name": "it" }], "estimated_iterations": 1,
        "tasks": [{ "id": "E1", "type": "Search", "title": QUESTION, "depends_on": [], "criticality": "optional", "dimension": "it" }],
    });
    project.write("plan.json", &plan.to_string());
    project.write("later.md", BRIDGE);
    project.write(
        "motet.toml",
        "[agents.planner]\ncommand = ['sh', '-c', 'cat > /dev/null; test -e planned && cp later.md docs/bridge.md; touch planned; cat plan.json']\n",
    );
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs", "--yes"]).exits(0);
    assert!(file(&project, "report.md").contains("Queen Maud opened the harbour bridge in 1932. [S01]"));
}

#[test]
fn edits_by_hand_and_every_change_that_was_asked_for_hold_in_all_later_plans() {
    let project = project();
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs"]).exits(4);
    let path = format!(".motet/runs/{}/plan.md", project.last());
    let before = tasks(&project.read(&path));
    let without = |text: String, id: &str| -> String {
        let is_other = |line: &&str| !line.contains(&format!("] {id}: "));
        text.lines().filter(is_other).map(|line| format!("{line}\n")).collect()
    };
    project.write(&path, &without(project.read(&path), "E2"));
    let changes = ["its tolls", "its colour", "remove E3", "its height", "its length", "its width", "its paint"];
    for change in changes {
        project.offline(&["approve", "last", "changes", "--text", change]).exits(4);
    }
    let after = tasks(&project.read(&path));
    let is_kept = |task: &&String| !task.starts_with("E2:") && !task.starts_with("E3:");
    let mut expected: Vec<String> = before.iter().filter(is_kept).cloned().collect();
    let asked = changes.iter().filter(|change| !change.starts_with("remove"));
    expected.extend(asked.enumerate().map(|(number, change)| format!("E{}: Search: As asked for: {change}", before.len() + number + 1)));
    assert_eq!(after, expected);
}

#[test]
fn a_run_whose_files_cannot_be_written_does_not_end_as_if_they_were_there() {
    let project = project();
    project.write("docs/bridge.md", BRIDGE);
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs"]).exits(4);
    let run = project.last();
    let folder = project.root.join(".motet/runs").join(&run);
    std::fs::create_dir(folder.join("report.md")).expect("a folder where the report should be");
    let done = project.offline(&["approve", "last"]).exits(1).says(&["report.md could not be written"]);
    assert!(done.err.contains(&format!("`motet resume {run}` writes the files")), "{}", done.err);
    assert_eq!(project.status(&run)["status"], "completed");
    assert!(!folder.join("report.md.new").exists(), "what could not take its place is gone");
    std::fs::remove_dir(folder.join("report.md")).expect("the folder is empty");
    project.offline(&["resume", &run]).exits(2).says(&["has ended: completed"]);
    assert!(file(&project, "report.md").contains("Queen Maud"));
}

#[test]
fn lines_of_a_log_that_could_not_be_written_are_written_once_there_is_room() {
    let project = project();
    project.write("docs/bridge.md", BRIDGE);
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs"]).exits(4);
    let folder = project.root.join(".motet/runs").join(project.last());
    std::fs::rename(folder.join("logs"), folder.join("elsewhere")).expect("the log is there");
    project.write(folder.join("logs").to_str().expect("a path"), "in the way");
    project.offline(&["approve", "last"]).exits(1).says(&["logs/orchestrator.log could not be written"]);
    std::fs::remove_file(folder.join("logs")).expect("it was in the way");
    project.offline(&["resume", "last"]).exits(2);
    let log = file(&project, "logs/orchestrator.log");
    assert!(log.contains("\"event\": \"Plan generation\"") && log.contains("\"event\": \"Completion\""), "{log}");
}

#[test]
fn a_mission_number_is_given_once() {
    let project = project();
    let number = ["-i", "mission_id=DR-20260101-001"];
    let run = |number: &[&str]| project.offline(&[&["run", "deep-research", QUESTION, "--docs", "docs"], number].concat());
    run(&number).exits(4);
    let first = project.last();
    run(&number).exits(2).says(&["`mission_id` is DR-20260101-001", &first]);
    run(&["-i", "mission_id=DR-20260101-002"]).exits(4);
    // None was given to these.
    run(&[]).exits(4);
    run(&[]).exits(4);
    assert_eq!(project.list().len(), 4);
}

#[test]
fn a_document_is_named_by_its_folder() {
    let project = project();
    project.write("my docs/a.md", BRIDGE);
    let told = ["--docs my docs/a.md: is a file", "name the folder that it is in"];
    project.offline(&["run", "deep-research", QUESTION, "--docs", "my docs/a.md"]).exits(2).says(&told);
    project.offline(&["run", "deep-research", QUESTION, "--docs", "none"]).exits(2).says(&["there is no such folder"]);
}

#[test]
fn a_mission_that_was_started_without_a_source_is_not_offered_to_be_resumed() {
    let project = project();
    project.offline(&["run", "deep-research", QUESTION]).exits(4);
    let done = project.offline(&["approve", "last"]).exits(4).says(&["there was no source to look at", "start it again with one"]);
    assert!(!done.shown().contains("resume"), "{}", done.shown());
    project.offline(&["approve", "last"]).exits(1);
    assert!(file(&project, "gaps.md").contains("There was no source to look at. Start it again with `--docs DIR`"));
}

#[test]
fn rules_say_which_constraints_they_do_not_apply() {
    let project = project();
    project.write("docs/bridge.md", BRIDGE);
    let constraints = r#"constraints={"time":"since 2020"}"#;
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs", "-i", constraints]).exits(4);
    assert!(file(&project, "plan.md").contains("- assumed: Rules apply no constraints: what is found is not held to time."));
    project.offline(&["approve", "last"]).exits(0);
    assert!(file(&project, "report.md").contains("- Rules apply no constraints: what was found is not held to time.\n"));
}

#[test]
fn a_plan_of_rules_is_estimated_to_cost_nothing() {
    let project = project();
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs"]).exits(4);
    let plan = file(&project, "plan.md");
    let count = tasks(&plan).len();
    let expected = [format!("- Tasks: {count}, of which"), format!("- Searches: {count}, with at most 6 pages"), "- Cost: nothing".into()];
    assert!(expected.iter().all(|line| plan.contains(line)), "{plan}");
}

/// SearXNG that finds one page, whatever it is asked.
fn one_page(asked: &Asked) -> Answer {
    let at = |path: &str| format!("http://{}{path}", asked.header("host").unwrap_or_default());
    match asked.path.as_str() {
        "/search" => Answer::json(&json!({"query": "q", "number_of_results": 1, "unresponsive_engines": [], "results": [
            {"url": at("/tides"), "title": "Tides", "content": "The moon.", "engine": "mojeek"}]})),
        "/tides" => super::sources::page("Tides", "The moon causes the tides of the sea every day."),
        _ => Answer::status(404),
    }
}

#[test]
fn another_way_asks_in_other_words_each_time() {
    let web = Web::start(one_page);
    let host = web.server.host();
    let project = project();
    let plan = json!({
        "core_question": "What became of the harbour bridge?", "estimated_iterations": 1,
        "dimensions": [{ "name": "opening", "questions": ["Who cut the ribbon?"] }],
        "tasks": [{ "id": "E1", "type": "Search", "title": "Find who opened the bridge at night", "depends_on": [], "criticality": "optional",
            "dimension": "opening", "parameters": { "queries": ["bridge opening ceremony"] } }],
    });
    project.write("plan.json", &plan.to_string());
    project.write(
        "motet.toml",
        &format!(
            "[agents.planner]\ncommand = ['sh', '-c', 'cat > /dev/null; cat plan.json']\n[agents.searcher]\ncommand = ['false']\n[sources]\nprivate = ['{host}']\ninterval = '1ms'\n[sources.searxng]\nbase_url = 'http://{host}'\n"
        ),
    );
    project.offline(&["run", "deep-research", QUESTION, "--unattended"]).exits(1);
    let asked = web.server.asked();
    let queries: Vec<String> = asked.iter().filter(|asked| asked.path == "/search").filter_map(|asked| asked.parameter("q")).collect();
    let different: std::collections::BTreeSet<&String> = queries.iter().collect();
    assert_eq!(different.len(), queries.len(), "nothing is searched for twice: {queries:?}");
    let log = file(&project, "logs/orchestrator.log");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let attempts = lines.iter().filter(|line| line["event"] == "Task dispatch" && line["agent_type"] == "searcher").count();
    assert_eq!(attempts, 4, "the task, another way, a compensating task, and another way for that: {log}");
    assert!(lines.iter().any(|line| line["error_type"] == "too_many_failures"), "{log}");
    assert!(queries.len() >= attempts, "{queries:?}");
}
