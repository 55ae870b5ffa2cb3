//! What commands say under `--json` of money and time: the same names, in the same units, whichever command says it.

use serde_json::{Value, json};

use super::project::Project;

/// Fields that hold dollars.
const MONEY: [&str; 8] = ["spent", "reserved", "uncertain", "inherited", "overrun", "cap", "left", "cost"];
/// What is not ours to write: events as they are journaled, and what a run was given.
const FOREIGN: [&str; 4] = ["event", "journal", "bindings", "input"];

/// Fails where an amount is no number of dollars, or a moment no date.
fn look(command: &str, name: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            let own = fields.iter().filter(|(name, _)| !FOREIGN.contains(&name.as_str()));
            own.for_each(|(name, value)| look(command, name, value));
        }
        Value::Array(items) => items.iter().for_each(|item| look(command, name, item)),
        Value::Null => {}
        _ if name == "at" || name.ends_with("_at") || name == "deadline" => {
            let text = value.as_str().unwrap_or_default();
            assert!(text.starts_with("20") && text.contains('T') && text.ends_with('Z'), "{command}: {name} is {value}");
        }
        _ if MONEY.contains(&name) || name == "cost_limit" => {
            // No run here may cost more than a dollar.
            let is_dollars = value.is_f64() && value.as_f64() <= Some(1.0);
            assert!(is_dollars, "{command}: {name} is {value}");
        }
        _ => {}
    }
}

fn told(project: &Project, command: &str) -> Value {
    let words: Vec<&str> = command.split(' ').chain(["--json"]).collect();
    let lines = project.motet(&words).json();
    lines.iter().for_each(|line| look(command, "", line));
    lines.last().cloned().unwrap_or_default()
}

/// What each command says of the same run at the same place.
fn check(project: &Project, expected: &[(&str, &str, Value)]) {
    for (command, place, value) in expected {
        let told = told(project, command);
        assert_eq!(told.pointer(place), Some(value), "{command} at {place}: {told}");
    }
}

#[test]
fn money_is_dollars_and_moments_are_dates_in_every_command() {
    let project = Project::new();
    let run = project.motet(&["run", "ship", "a boat", "--yes", "--json"]).exits(0).json();
    run.iter().for_each(|line| look("run", "", line));
    let view = &run.last().expect("a result")["view"];
    assert_eq!((&view["money"]["spent"], &view["money"]["cap"], &view["usage"]["cost"]), (&json!(0.004), &json!(1.0), &json!(0.004)));
    check(
        &project,
        &[
            ("list", "/spent", json!(0.004)),
            ("status last", "/money/spent", json!(0.004)),
            ("status last", "/money/cap", json!(1.0)),
            ("status last", "/money/left", json!(0.996)),
            ("watch last", "/money/spent", json!(0.004)),
            ("export last", "/view/money/spent", json!(0.004)),
            ("cost last", "/spent", json!(0.004)),
            ("cost last", "/cap", json!(1.0)),
            ("cost last", "/by_agent/builder/cost", json!(0.004)),
            ("cost", "/spent", json!(0.004)),
            ("check ship", "/bounds/0/cost_limit", json!(1.0)),
        ],
    );
    let at = |command: &str, place: &str| told(&project, command).pointer(place).cloned().expect("a moment");
    for field in ["/created_at", "/updated_at", "/ended_at"] {
        assert_eq!(at("list", field), at("status last", field), "{field}");
    }
    assert_eq!(at("status last", "/started_at"), at("export last", "/view/started_at"));
    assert_eq!(at("status last", "/path/0/at"), at("export last", "/path/0/at"));
}

#[test]
fn a_gate_and_a_message_say_when_in_dates_and_are_called_the_same_everywhere() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    let (gate, shown) = (told(&project, "inbox"), told(&project, "status last"));
    assert_eq!(gate["gate"], shown["gates"][0], "the inbox shows a gate as the status does");
    assert_eq!((&told(&project, "list")["status"], &shown["status"]), (&json!("waiting_user"), &json!("waiting_user")));
    project.motet(&["run", "development", "--demo", "--pace", "0"]).exits(0);
    assert!(told(&project, "messages last")["at"].is_string());
    told(&project, "log last");
}

#[test]
fn what_a_fork_has_spent_is_the_same_in_every_command() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0);
    let events = project.motet(&["log", "last", "--events"]).json();
    let built = events.iter().rposition(|event| event["fact"].get("task_succeeded").is_some()).expect("something was built");
    project.motet(&["fork", "last", "--at", &built.to_string(), "--yes"]).exits(0);
    let (spent, inherited) = (json!(0.002), json!(0.002));
    check(
        &project,
        &[
            ("list --limit 1", "/spent", spent.clone()),
            ("list --limit 1", "/inherited", inherited.clone()),
            ("status last", "/money/spent", spent.clone()),
            ("status last", "/money/inherited", inherited.clone()),
            ("cost last", "/spent", spent),
            ("cost last", "/inherited", inherited),
        ],
    );
}

#[test]
fn a_value_for_a_fork_is_shown_as_a_shell_would_pass_it_on() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0);
    project.motet(&["fork", "last", "--at", "3", "--set", "plan=x"]).exits(2).says(&["--set 'plan=\"x\"'"]);
}
