//! What a run is started with, and everything that keeps it from starting.

use serde_json::json;

use super::project::{Done, Project};

const CASE: &str = "approved-on-the-second-turn";

#[test]
fn a_bundled_case_is_played_and_said_so() {
    let project = Project::new();
    let done = project.motet(&["run", "slogan", "--case", CASE]).exits(0);
    done.says(&[
        "playing the bundled case “approved on the second turn",
        "no model is used",
        "Hydrate Green, Save Our Seas",
        "session.json",
    ]);
    let run = project.last();
    let session: serde_json::Value = serde_json::from_str(&project.read(format!(".motet/runs/{run}/session.json"))).unwrap();
    assert_eq!(session["completion_reason"], "approved");
    assert_eq!(session["turn_count"], 2);
    let status = project.status(&run);
    assert_eq!(status["status"], "completed");
    assert_eq!(status["by"], "ada");
    assert_eq!(status["input"]["product"], "eco-friendly water bottles");
}

#[test]
fn the_demo_is_the_first_case_with_a_goal_of_ones_own() {
    let project = Project::new();
    project
        .motet(&["run", "slogan", "tea", "--demo", "--pace", "0"])
        .exits(0)
        .says(&["its agents say what the case says, whatever the goal"]);
    assert_eq!(project.status("last")["input"]["product"], "tea");
}

#[test]
fn a_case_plays_its_people_and_events_and_hours_of_it_take_no_time() {
    let project = Project::new();
    let case = "case: a slow day\ninput: { goal: a kite }\nagents:\n  builder: { returns: { built: wing }, times: all, delay_ms: 30000 }\n\
        gates:\n  asking: { answers: { tone: playful }, by: bea, after: 3h }\n  approving: [{ option: halve, by: cleo, after: 20h }]\n\
        events: [{ in: building, after: 10s, pause: true }, { in: building, after: 2h, resume: true }]\nexpect: {}\n";
    project.write("kite.yaml", case);
    project.motet(&["run", "ship", "--case", "kite.yaml", "--pace", "0"]).exits(3).says(&["its agents, people and events", "bea", "cleo"]);
    let log = project.motet(&["log", "last", "--events"]).json();
    let at = |line: &serde_json::Value| line["at"].as_i64().expect("a moment");
    let facts: Vec<&str> = log.iter().filter_map(|line| line["fact"].as_object()?.keys().next()).map(String::as_str).collect();
    assert!(facts.contains(&"paused") && facts.contains(&"resumed"), "{facts:?}");
    assert!(at(&log[log.len() - 1]) - at(&log[0]) >= 23 * 3_600_000, "every wait is in the journal's own time");
    project.motet(&["run", "ship", "--case", "kite.yaml", "--pace", "-1"]).exits(2).says(&["not a factor"]);
}

#[test]
fn a_play_that_is_killed_goes_on_with_the_lines_that_nobody_heard() {
    let project = Project::new();
    let case = "case: three gates\ninput: { goal: a kite, parts: 1 }\nagents:\n  builder: [{ returns: { built: wing } }]\n\
        gates:\n  asking: { answers: { tone: playful }, by: bea }\n  approving: [{ option: halve, by: cleo, after: 1m }]\nexpect: {}\n";
    project.write("kite.yaml", case);
    let running = project.start(&["run", "ship", "--case", "kite.yaml", "--pace", "1"]);
    project.until("the second gate", || !project.list().is_empty() && project.status("last")["state"] == "approving");
    running.kill();
    let log = project.motet(&["log", "last", "--events"]).json();
    assert_eq!(log.iter().filter(|line| line["fact"].get("gate_answered").is_some()).count(), 1);
    project.motet(&["approve", "last", "approve"]).exits(0).says(&["completed"]);
}

#[test]
fn a_case_from_a_file_is_kept_with_the_run() {
    let project = Project::new();
    let case = "case: two parts\ninput: { goal: a kite }\nagents:\n  builder: { returns: { built: wing }, times: all }\nexpect: {}\n";
    project.write("kite.yaml", case);
    project.motet(&["run", "ship", "--case", "kite.yaml"]).exits(4);
    project.remove("kite.yaml");
    project.motet(&["answer", "last", "tone=formal"]).exits(4).says(&["“wing”"]);
}

#[test]
fn inputs_are_read_by_their_types() {
    let project = Project::new();
    let pairs = ["-i", "parts=1", "-i", "tags=red, blue", "-i", "fast=yes", "-i", "patience=90s"];
    project.motet(&[&["run", "ship", "a boat"], &pairs[..]].concat()).exits(4);
    let expected = json!({ "goal": "a boat", "parts": 1, "tags": ["red", "blue"], "fast": true, "patience": "90s" });
    assert_eq!(project.status("last")["input"], expected);
    project.write("input.json", r#"{"goal": "a ship", "parts": 3}"#);
    project.motet(&["run", "ship", "--input", "input.json", "-i", "parts=4"]).exits(4);
    assert_eq!(project.status("last")["input"]["parts"], 4);
    assert_eq!(project.status("last")["input"]["goal"], "a ship");
}

#[test]
fn every_problem_of_an_input_is_told_with_the_list_of_inputs() {
    let project = Project::new();
    let done = project.motet(&["run", "ship", "-i", "part=1", "-i", "fast=perhaps", "-i", "patience"]).exits(2);
    done.says(&["did you mean `parts`?", "`fast` is `perhaps`, but must be yes or no", "`patience` is not of the form key=value"]);
    let done = project.motet(&["run", "ship", "-i", "parts=99", "-i", "patience=2h"]).exits(2);
    done.says(&["`goal` is missing", "`parts`", "`patience`", "whole number 1 to 20, 2 unless given", "text, the goal"]);
    project.motet(&["run", "ship", "--input", "nowhere.json"]).exits(2).says(&["nowhere.json cannot be read"]);
    project.write("list.json", "[1]");
    project.motet(&["run", "ship", "--input", "list.json"]).exits(2).says(&["must hold a JSON object"]);
    assert!(project.list().is_empty(), "nothing of this has started a run");
}

#[test]
fn an_input_may_come_from_a_variable_that_the_workflow_names() {
    let project = Project::new();
    let with = |value: &str, arguments: &[&str]| {
        let output = project.command(&[&["run", "slogan", "--case", CASE], arguments].concat()).env("OLLAMA_MAX_TURNS", value).output();
        output.unwrap().status.code()
    };
    assert_eq!(with("3", &[]), Some(0));
    assert_eq!(project.status("last")["input"]["max_turns"], 3);
    assert_eq!(with("3", &["-i", "max_turns=4"]), Some(0));
    assert_eq!(project.status("last")["input"]["max_turns"], 4);
    assert_eq!(with("many", &[]), Some(2));
    assert_eq!(with("99", &[]), Some(2));
}

#[test]
fn what_does_not_fit_is_told_in_the_words_of_whoever_wrote_the_workflow() {
    let project = Project::new();
    let done = project.motet(&["run", "deep-research", "a question", "-i", "mission_id=7"]).exits(2);
    let done = done.says(&["`mission_id`: \"7\" does not fit: DR-YYYYMMDD-NNN", "text, empty unless given"]);
    assert!(!done.shown().contains("[0-9]"), "{}", done.shown());
}

#[test]
fn a_variable_that_cannot_be_used_is_named_once_and_listed_where_the_message_says() {
    let project = Project::new();
    let output = project.command(&["run", "ship", "tea"]).env("OLLAMA_MAX_TOKENS", "5000").output().unwrap();
    let done = Done::new(&["run", "ship", "tea"], output).exits(2);
    let done = done.says(&["$OLLAMA_MAX_TOKENS: must be a whole number from 1 to 4096, not `5000`", "motet config keys"]);
    assert_eq!(done.err.matches("OLLAMA_MAX_TOKENS").count(), 1, "{}", done.shown());
    project.motet(&["config", "keys"]).exits(0).says(&["| `OLLAMA_MAX_TOKENS` | a whole number from 1 to 4096 |", "| `MOTET_HOME` |"]);
}

#[test]
fn where_nothing_was_run_nothing_is_the_last() {
    let project = Project::new();
    project.motet(&["status"]).exits(2).says(&["error: nothing has been run here yet", "motet run --help"]);
    project.motet(&["verify", "ship-abcde"]).exits(2).says(&["there is no run ship-abcde"]);
    project.motet(&["list", "--limit", "0"]).exits(2).says(&["0 is not in 1.."]);
    project.motet(&["evidence", "check"]).exits(2).says(&["--claim TEXT --source FILE", "--batch FILE"]);
}

#[test]
fn the_options_of_every_command_stand_below_its_own() {
    let help = Project::new().motet(&["run", "--help"]).exits(0).out;
    let place = |text: &str| help.find(text).expect(text);
    let (own, common) = (place("\nOptions:"), place("\nOptions of every command:"));
    assert!(own < place("--budget") && place("--as") < common && common < place("--json"), "{help}");
}

#[test]
fn rows_and_lines_fit_the_screen() {
    let project = Project::new();
    project.motet(&["run", "deep-research", "--demo", "--pace", "0"]).exits(0);
    for arguments in [&["workflows"][..], &["check", "--all"], &["status", "last"], &["cost", "last"]] {
        let output = project.command(arguments).env("COLUMNS", "80").output().unwrap();
        let done = Done::new(arguments, output).exits(0);
        // What an agent wrote and where files are is shown as it is.
        let own = done.out.lines().take_while(|line| line.trim() != "output");
        let wide: Vec<&str> = own.filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{arguments:?}: {wide:#?}");
    }
    let whole = project.motet(&["workflows"]).exits(0).out;
    assert!(whole.lines().any(|line| line.chars().count() > 100), "a pipe gets all of it: {whole}");
    assert!(project.motet(&["workflows", "--json"]).json()[0]["digest"].is_string());
}

#[test]
fn without_a_model_the_ways_out_are_told_before_a_run_starts() {
    let project = Project::new();
    let done = project.motet(&["run", "slogan", "tea"]).exits(2);
    done.says(&["127.0.0.1:9", "OLLAMA_BASE_URL", "motet run slogan --demo"]);
    assert!(project.list().is_empty());
}

#[test]
fn what_cannot_be_found_is_told_with_what_is_near() {
    let project = Project::new();
    project.motet(&["run", "shp", "x"]).exits(2).says(&["did you mean `ship`?"]);
    project.motet(&["run", "slogan", "--case", "aproved"]).exits(2).says(&["there is no case `aproved`", CASE]);
    project.motet(&["status", "nothing"]).exits(2).says(&["there is no run nothing"]);
    project.motet(&["runn"]).exits(2).says(&["run"]);
}

#[test]
fn a_workflow_with_mistakes_is_refused_with_their_places() {
    let project = Project::new();
    let text = project.read("workflows/ship/workflow.yaml").replace("next: approving", "next: aproving");
    project.write("workflows/ship/workflow.yaml", &text);
    project.motet(&["run", "ship", "x"]).exits(2).says(&["unknown state `aproving`", "did you mean `approving`?", "-->"]);
    assert!(project.list().is_empty());
}

#[test]
fn a_workflow_that_cannot_be_proven_is_refused() {
    let project = Project::new();
    let text = project.read("workflows/ship/workflow.yaml").replace("trouble: { error: failed }\n", "");
    project.write("workflows/ship/workflow.yaml", &text);
    project.motet(&["run", "ship", "x"]).exits(2).says(&["nothing says what happens when `building` fails", "cannot be run"]);
}

#[test]
fn mistakes_in_the_configuration_are_told_with_their_line() {
    let project = Project::new();
    project.write("motet.toml", "[agents.builder]\ncomand = ['./builder.sh']\n");
    project.motet(&["run", "ship", "x"]).exits(2).says(&["motet.toml:2", "no setting `agents.builder.comand`"]);
}

#[test]
fn the_home_is_the_nearest_above_or_the_one_that_is_named() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--case", CASE]).exits(0);
    std::fs::create_dir_all(project.root.join("deep/er")).unwrap();
    let below = project.command(&["list", "--json"]).current_dir(project.root.join("deep/er")).output().unwrap();
    assert!(String::from_utf8_lossy(&below.stdout).contains("slogan-"));
    let named = project.command(&["list"]).env("MOTET_HOME", "elsewhere").output().unwrap();
    assert!(String::from_utf8_lossy(&named.stdout).contains("nothing has been run here yet"));
    project.motet(&["--home", "elsewhere", "list"]).exits(0).says(&["nothing has been run here yet"]);
    assert!(!project.root.join("elsewhere").exists(), "looking creates nothing");
}

#[test]
fn a_changed_workflow_is_for_new_runs_and_an_open_one_ends_as_it_began() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    let open = project.last();
    let text = project
        .read("workflows/ship/workflow.yaml")
        .replace("output: { goal: input.goal,", "output: { colour: '\"red\"', goal: input.goal,");
    project.write("workflows/ship/workflow.yaml", &text);
    project.motet(&["answer", &open, "tone=formal"]).exits(4);
    project.motet(&["approve", &open]).exits(0);
    assert_eq!(project.status(&open)["output"].get("colour"), None, "the open run keeps the workflow it began with");
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0);
    let new = project.status("last");
    assert_eq!(new["output"]["colour"], "red");
    assert_ne!(new["digest"], project.status(&open)["digest"]);
}

#[test]
fn what_to_do_next_names_the_directory_that_was_named() {
    let project = Project::new();
    let waits = project.motet(&["run", "ship", "a boat", "--home", "other runs"]).exits(4);
    waits.says(&["motet --home 'other runs' answer ship-"]);
    project.motet(&["inbox", "--home", "other runs"]).exits(0).says(&["motet --home 'other runs' answer ship-"]);
    project
        .motet(&["answer", "last", "tone=formal", "--only", "--home", "other runs"])
        .exits(0)
        .says(&["`motet --home 'other runs' resume"]);
    project.motet(&["status", "nothing", "--home", "other runs"]).exits(2).says(&["`motet --home 'other runs' list`"]);
    project.motet(&["run", "ship", "a boat"]).exits(4).says(&["answer  motet answer ship-"]);
}
