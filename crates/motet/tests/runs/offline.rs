//! Runs without a model, through the real binary: rules play the built-in workflows to a normal end, the same way every time, and say
//! that they do; what they cannot play is refused before anything starts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::moments::{without_durations, without_moments};
use super::project::Project;

const CODER: &str = r#"#!/bin/sh
cat > /dev/null
echo '{"status": "done", "type": "code", "summary": "made by a program", "paths": ["a.txt"], "files": ["a.txt"]}'
"#;

/// Finds one fact for every task, each with a number of its own.
const SEARCHER: &str = r#"#!/bin/sh
cat > /dev/null
number=$(echo "$MOTET_TASK" | tr -dc 0-9)
url="https://example.org/$number"
mkdir -p "$MOTET_RUN_DIR/assets/web"
echo "<html><body><p>In case $number it is so. That is all there is to say about it.</p></body></html>" > "$MOTET_RUN_DIR/assets/web/$number.html"
echo "{\"facts\": [{\"statement\": \"In case $number it is so.\", \"sources\": [\"$url\"], \"confidence\": \"Medium\", \"raw_file\": \"assets/web/$number.html\", \"quote\": \"In case $number it is so.\"}],
 \"sources\": [{\"url\": \"$url\", \"title\": \"Source $number\", \"type\": \"HTML\"}]}"
"#;

fn project() -> Project {
    let project = Project::new();
    project.program("coder.sh", CODER);
    project
}

/// What a run came to, without what must differ between two runs: its id, and everything that is counted or timed.
fn outcome(project: &Project, arguments: &[&str], exit: i32, because: &str) -> (Value, Vec<(String, String)>) {
    let arguments = [&["run"], arguments, &["--unattended", "--json"]].concat();
    let lines = project.offline(&arguments).exits(exit).json();
    assert_eq!(lines[0]["type"], "notice", "the first line says that no model is asked");
    assert!(lines[0]["text"].as_str().unwrap_or_default().starts_with("offline: no model is configured"), "{}", lines[0]);
    let result = lines.last().expect("a last line");
    assert_eq!(result["because"].as_str().unwrap_or_default(), because, "{arguments:?}");
    let run = result["run"].as_str().expect("an id");
    let answers = lines.iter().filter(|line| line["event"]["fact"].get("task_succeeded").is_some());
    assert!(answers.count() > 1, "rules answer something");
    let files = result["files"].as_array().expect("the files").iter().map(|path| {
        let path = path.as_str().expect("a path");
        let text = project.read(path);
        assert!(!text.trim().is_empty(), "{path} is empty");
        if path.ends_with(".json") {
            serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        }
        (constant(path, run), constant(&text, run))
    });
    let files = files.collect();
    (serde_json::from_str(&constant(&result["output"].to_string(), run)).expect("still JSON"), files)
}

/// Moments become zeroes, and how long something took a dash.
fn constant(text: &str, run: &str) -> String {
    without_durations(&without_moments(&text.replace(run, "RUN")))
}

/// Rules alone give the same twice.
#[track_caller]
fn check(project: &Project, arguments: &[&str], exit: i32, because: &str) -> String {
    let (first, second) = (outcome(project, arguments, exit, because), outcome(project, arguments, exit, because));
    let lasting = |(output, files): &(Value, Vec<(String, String)>)| {
        // Messages of one and the same millisecond stand in either order.
        let sorted = |text: &str| text.lines().map(str::trim).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("\n");
        let has_messages = |path: &str| path.contains("messages") || path.contains("/inbox/");
        let files = files.iter().map(|(path, text)| (path.clone(), if has_messages(path) { sorted(text) } else { text.clone() }));
        (output.clone(), files.collect::<Vec<_>>())
    };
    assert_eq!(lasting(&first), lasting(&second), "{arguments:?} ends the same way twice");
    told(first)
}

/// Where programs work beside rules, they answer in any order.
#[track_caller]
fn check_with_programs(project: &Project, arguments: &[&str], exit: i32, because: &str) -> String {
    told(outcome(project, arguments, exit, because))
}

fn told((output, files): (Value, Vec<(String, String)>)) -> String {
    files.into_iter().map(|(_, text)| text).chain([output.to_string()]).collect::<Vec<_>>().join("\n")
}

#[test]
fn slogans_are_composed_and_approved() {
    let project = project();
    for workflow in ["slogan", "slogan-classic"] {
        let text = check(&project, &[workflow, "eco-friendly water bottles"], 0, "approved");
        assert!(text.contains("Eco-Friendly Water Bottles, Plain and Simple"), "{text}");
        let long = "A subscription box that delivers seasonal vegetables from local farms every Friday, so that you eat well";
        assert!(check(&project, &[workflow, long, "-i", "candidates=2"], 0, "approved").contains("Subscription Box"));
        check(&project, &[workflow, "???"], 0, "approved");
    }
}

#[test]
fn research_reports_what_the_question_brings_along_and_otherwise_the_gaps() {
    let project = project();
    let text = check(&project, &["research", "What is the state of solid-state batteries?"], 3, "REJECTED");
    assert!(text.contains("Not looked up, because no model plays the researcher: What is the state of solid-state batteries?"), "{text}");
    let stated =
        "Cells reach 400 Wh/kg (see https://example.org/cells). Cars come in 2027, says https://example.org/cars. What is in the way?";
    let text = check(&project, &["research", stated, "-i", "reviewers=3"], 0, "APPROVED");
    assert!(text.contains("[https://example.org/cells](https://example.org/cells)") && text.contains("What is in the way?"), "{text}");
}

#[test]
fn architecture_decides_by_rule_and_plans_every_requirement() {
    let project = project();
    let text = check(&project, &["architecture", "Import photos from phones, find faces and share albums with family"], 0, "APPROVED");
    for part in ["find faces", "share albums with family", "One program", "No model has weighed them"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    check(&project, &["architecture", "Build a URL shortener", "-i", "refine_requirements=false"], 0, "APPROVED");
}

#[test]
fn an_article_is_laid_out_from_its_brief_and_says_that_it_is_no_article() {
    let project = project();
    let brief = ["article", "The history of tea in Europe", "-i", r#"key_points=["How tea came", "Who drank it"]"#];
    let sources = ["-i", r#"sources_to_include=["https://example.org/tea"]"#, "-i", "content_type=analysis", "-i", "length=4000"];
    let text = check(&project, &[&brief[..], &sources[..]].concat(), 3, "the writer has nothing to add");
    for part in ["This is a layout and not yet an article", "## How Tea Came", "https://example.org/tea"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    check(&project, &["article", "What is Python?", "-i", "min_quality=0.3", "-i", "research_depth=deep"], 0, "quality threshold met");
}

#[test]
fn deep_research_without_sources_ends_with_what_was_not_answered() {
    let project = project();
    let because = "nothing found: there was no source to look at (give --docs or --web)";
    let text = check(&project, &["deep-research", "Heat pumps in old houses"], 1, because);
    assert!(text.contains("What is said of"), "{text}");
    let text = check(&project, &["deep-research", "1. Which heat pumps suit old houses?\n2. What do they cost?"], 1, because);
    assert!(text.contains("What do they cost?"), "{text}");
}

#[test]
fn deep_research_plans_reflects_and_reports_by_rule_on_facts_that_others_bring() {
    let project = project();
    project.program("searcher.sh", SEARCHER);
    project.write("motet.toml", "[agents.searcher]\ncommand = ['./searcher.sh']\n");
    for topic in ["Heat pumps in old houses", "Which heat pumps suit old houses? What do they cost?"] {
        let text = check_with_programs(&project, &["deep-research", topic], 0, "report verified");
        assert!(text.contains("In case 11 it is so.") && text.contains("every sentence is a fact as it was recorded"), "{text}");
    }
}

#[test]
fn whoever_writes_the_code_rules_plan_and_judge_by_what_was_run() {
    let project = project();
    let config = "[agents.developer]\ncommand = ['./coder.sh']\n[agents.code-implementer]\ncommand = ['./coder.sh']\n[agents.ux-dx-quality]\nperson = true\n";
    project.write("motet.toml", config);
    project.commit();
    let specifications = ["Add login, password reset and an audit log", "1. Count the words of a text\n2. Print them in order"];
    for specification in specifications {
        let text = check_with_programs(&project, &["development", specification, "-i", r#"test_command=["true"]"#], 0, "documented");
        assert!(text.contains("The code itself was not read"), "{text}");
        let commands = [
            "-i",
            "feature=words",
            "-i",
            r#"test_command=["true"]"#,
            "-i",
            r#"build_command=["true"]"#,
            "-i",
            "unattended_approval=approve",
        ];
        let text = check_with_programs(&project, &[&["feature", specification], &commands[..]].concat(), 0, "");
        let phases = if specification.contains("login") { 3 } else { 2 };
        assert!(text.contains(&format!("Counted by rules: {phases} phases, ")) && text.contains(" 0 waivers."), "{text}");
        assert_eq!(project.status("last")["output"]["phases"].as_array().unwrap().len(), phases);
    }
}

#[test]
fn code_that_nobody_can_write_is_refused_before_the_run_starts() {
    let project = project();
    let development = ["run", "development", "Add login", "-i", r#"test_command=["true"]"#];
    let done = project.offline(&development).exits(2);
    done.says(&[
        "development cannot run without a model: no rule can play developer (developer, documenter, reviser)",
        "[agents.developer]",
        "motet init",
        "--demo",
    ]);
    let feature = ["run", "feature", "x", "-i", "feature=x", "-i", r#"test_command=["true"]"#, "-i", r#"build_command=["true"]"#];
    project.offline(&feature).exits(2).says(&["code-implementer (implementer); ux-dx-quality (ux_reviewer)"]);
    assert!(project.list().is_empty());
}

#[test]
fn the_agents_of_child_runs_are_looked_at_too() {
    let project = project();
    let fleet = "workflow: fleet\nversion: 1.0.0\nsummary: Ships.\ninput: { goal: string }\nagents: { yard: { workflow: ship } }\ntrouble: { error: failed }\n\
                 start: shipping\nstates:\n  shipping: { agent: yard, with: { goal: input.goal }, next: done }\n  done: { final: completed }\n  failed: { final: failed }\n";
    project.write("workflows/fleet/workflow.yaml", fleet);
    project.remove("motet.toml");
    project.offline(&["run", "fleet", "a boat"]).exits(2).says(&["fleet cannot run without a model: no rule can play builder"]);
    project.write("workflows/ship/offline.yaml", "builder: { built: '\"part \" + string(part) + \" of \" + goal' }\n");
    project.offline(&["run", "fleet", "a boat", "--unattended"]).exits(0);
    project.offline(&["run", "ship", "a boat", "--unattended"]).exits(0).says(&["built  part 1 of a boat"]);
}

#[test]
fn every_surface_says_that_rules_play() {
    let project = project();
    let line = "offline: no model is configured, so rules play the agents (`motet init` to choose a model)";
    let done = project.offline(&["run", "slogan", "tea"]).exits(0);
    assert_eq!(done.out.lines().next(), Some(line));
    project.offline(&["status", "last"]).exits(0).says(&[line]);
    assert_eq!(project.status("last")["agents"]["writer"]["backend"], "offline");
    let journal = project.offline(&["export", "last"]).exits(0).out;
    assert!(journal.contains("offline"), "{journal}");
    project.write("motet.toml", "[agents.writer]\ncommand = ['echo', 'Drink Tea, Plain and Simple']\n");
    let done = project.offline(&["run", "slogan", "tea"]).exits(0);
    assert_eq!(done.out.lines().next(), Some("offline: no model is configured, so rules play reviewer (`motet init` to choose a model)"));
    let json = project.offline(&["run", "slogan", "tea", "--json"]).exits(0).json();
    assert_eq!(json[0]["type"], "notice");
}

#[test]
fn whoever_has_chosen_rules_is_told_where_and_not_to_choose_a_model() {
    let project = project();
    project.write("motet.toml", "[agents.'*']\noffline = true\n");
    let done = project.offline(&["run", "slogan", "tea"]).exits(0);
    let first = done.out.lines().next().unwrap_or_default();
    assert!(first.starts_with("offline: rules play the agents, as ") && first.ends_with("motet.toml:2 says"), "{first}");
    project.offline(&["status", "last"]).exits(0).says(&[first]);
    let done = project.offline(&["run", "slogan", "tea", "--agent", "*=offline"]).exits(0);
    assert_eq!(done.out.lines().next(), Some("offline: rules play the agents, as --agent says"));
}

#[test]
fn whoever_goes_on_with_a_run_is_told_first_that_rules_play() {
    let project = project();
    project.remove("motet.toml");
    project.write("workflows/ship/offline.yaml", "builder: { built: '\"part \" + string(part) + \" of \" + goal' }\n");
    let line = "offline: no model is configured, so rules play the agents (`motet init` to choose a model)";
    let first = |arguments: &[&str], exit: i32| {
        let done = project.offline(arguments).exits(exit);
        assert_eq!(done.out.lines().next(), Some(line), "{arguments:?}: {}", done.out);
        assert_eq!(done.out.matches(line).count(), 1, "{arguments:?}: {}", done.out);
    };
    first(&["run", "ship", "a boat"], 4);
    first(&["answer", "last", "tone=formal"], 4);
    first(&["resume", "last"], 4);
    first(&["fork", "last", "--at", "2"], 4);
    let json = project.offline(&["approve", "last", "--json"]).exits(0).json();
    assert_eq!((&json[0]["type"], &json[0]["text"]), (&"notice".into(), &line.into()), "{}", json[0]);
    project.offline(&["run", "ship", "a boat"]).exits(4);
    let only = project.offline(&["answer", "last", "tone=formal", "--only"]).exits(0);
    assert!(!only.out.contains("offline:"), "nothing is driven on: {}", only.out);
}

#[test]
fn a_run_by_rules_costs_nothing_whatever_its_workflow_reserves_for_a_model() {
    let project = project();
    project.offline(&["run", "architecture", "Build a URL shortener", "--unattended", "--budget", "0.01"]).exits(0);
    assert_eq!(project.status("last")["money"]["spent"], 0.0);
}
