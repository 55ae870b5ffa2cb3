//! Somebody who answers for somebody else, in a run of the real binary: every surface says who it was, and why.

use super::project::Project;

const CODEX: &str = r#"#!/bin/sh
cat > /dev/null
echo '{"type":"thread.started","thread_id":"t-1"}'
echo '{"type":"item.completed","item":{"type":"agent_message","text":"{\"built\": \"a keel\"}"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1000,"output_tokens":10}}'
"#;

/// Nobody listens there.
const DEAD: &str = "[providers.dead]\nkind = 'openai-compatible'\nbase_url = 'http://127.0.0.1:1/v1'\nfree = true\n";

#[test]
fn rules_that_stand_in_for_a_model_are_never_taken_for_it() {
    let project = Project::new();
    project.write("motet.toml", &format!("{DEAD}[agents.'*']\nmodel = 'dead/m'\nfallback = ['offline']\n"));
    let line = "offline: rules stand in for the agents if dead/m cannot answer";
    let why = "offline answers instead of dead/m: ";
    let done = project.offline(&["run", "slogan", "tea"]).exits(0);
    assert_eq!(done.out.lines().next(), Some(line));
    done.says(&["writer (offline) answers generating.1/1", why]);
    project.motet(&["log", "last"]).exits(0).says(&["writer (offline) answers generating.1/1", why]);
    project.motet(&["log", "last", "--exchanges"]).exits(0).says(&[why]);
    project.motet(&["status", "last"]).exits(0).says(&[line, "offline answered instead of dead/m: "]);
    assert_eq!(project.status("last")["stood_in"][0]["instead_of"][0]["agent"], "dead/m");
    project.motet(&["cost", "last"]).exits(0).says(&["writer (offline)", "reviewer (offline)"]);
    let cost = project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0);
    assert_eq!(
        (&cost["played_by"]["writer"], cost["by_model"]["offline"]["calls"].as_u64() > Some(0)),
        (&["offline"].as_slice().into(), true)
    );
}

#[test]
fn rules_in_reserve_are_told_apart_from_rules_that_play() {
    let project = Project::new();
    let agents = "[agents.writer]\ncommand = ['echo', 'Drink Tea, Plain and Simple']\nfallback = ['dead/m', 'offline']\n";
    project.write("motet.toml", &format!("{DEAD}{agents}"));
    let done = project.offline(&["run", "slogan", "tea"]).exits(0);
    let lines: Vec<&str> = done.out.lines().take(2).collect();
    assert_eq!(
        lines,
        [
            "offline: no model is configured, so rules play reviewer (`motet init` to choose a model)",
            "offline: rules stand in for writer if none of echo Drink Tea, Plain and Simple, dead/m can answer"
        ]
    );
    let done = done.says(&["writer answers generating.1/1"]);
    assert!(!done.out.contains("instead of"), "{}", done.out);
    assert_eq!(project.status("last")["stood_in"], serde_json::json!([]));
}

#[test]
fn a_coding_agent_that_stands_in_is_named_with_the_reason() {
    let project = Project::new();
    project.program("bin/codex", CODEX);
    let path = format!("{}:{}", project.root.join("bin").display(), std::env::var("PATH").expect("a path to programs"));
    project.write("motet.toml", "[agents.builder]\npreset = 'claude'\nprogram = '/nope/claude'\nfallback = ['codex']\n");
    let output = project.command(&["run", "ship", "a boat", "--yes", "-i", "parts=1"]).env("PATH", path).output().expect("the binary runs");
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}");
    assert!(told.contains("builder (codex) answers building.1/1"), "{told}");
    assert!(told.contains("codex answers instead of claude: there is no program `/nope/claude`"), "{told}");
    project.motet(&["cost", "last"]).exits(0).says(&["builder (codex)"]);
    let cost = project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0);
    assert_eq!(
        cost["by_model"].as_object().map(|rows| rows.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["codex".to_string()]),
        "{cost}"
    );
}
