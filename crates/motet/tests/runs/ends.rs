//! Every exit code, and what is said with it.

use super::project::Project;

/// A run of which nothing is asked.
const BUILDING: [&str; 4] = ["run", "ship", "a boat", "--yes"];

#[test]
fn completed_is_0() {
    let project = Project::new();
    let done = project.motet(&BUILDING).exits(0);
    done.says(&["ada started ship 1.0.0", "→ building", "builder answers building.1/1", "completed", "goal  a boat", "plan.md"]);
    assert_eq!(project.read("done.txt").lines().count(), 2);
}

#[test]
fn failed_is_1_with_the_error() {
    let project = Project::new();
    project.write("fail.txt", "");
    project.motet(&BUILDING).exits(1).says(&["failed", "no wood left"]);
    assert_eq!(project.list()[0]["status"], "failed");
}

#[test]
fn aborted_and_cancelled_are_1() {
    let project = Project::new();
    project.motet(&["run", "ship", "x"]).exits(4);
    project.motet(&["answer", "last", "tone=formal"]).exits(4);
    project.motet(&["approve", "last", "abort"]).exits(1).says(&["was aborted"]);
    project.motet(&["run", "ship", "x"]).exits(4);
    project.motet(&["cancel", "last", "--reason", "too late"]).exits(0);
    project.motet(&["watch", "last"]).exits(1).says(&["cancelled: too late"]);
}

#[test]
fn partial_is_3() {
    let project = Project::new();
    project.motet(&["run", "ship", "x"]).exits(4);
    project.motet(&["answer", "last", "tone=formal"]).exits(4);
    project.motet(&["approve", "last", "halve"]).exits(3).says(&["completed in part"]);
}

#[test]
fn waiting_is_4_with_the_commands_that_answer() {
    let project = Project::new();
    let done = project.motet(&["run", "ship", "a boat"]).exits(4);
    done.says(&["waits for a person", "Before a boat is built:", "Which tone? (formal, playful) [formal]", "motet answer ship-"]);
}

#[test]
fn out_of_budget_is_5_and_more_goes_on() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--yes", "--budget", "0.005"]).exits(5).says(&["out of budget", "motet resume", "--budget"]);
    assert_eq!(project.read("done.txt"), "", "nothing was done that could not be paid");
    assert_eq!(project.status("last")["status"], "out_of_budget");
    project.motet(&["resume", "last", "--yes", "--budget", "0.001"]).exits(5);
    project.motet(&["resume", "last", "--yes", "--budget", "0.5"]).exits(0).says(&["completed"]);
    assert_eq!(project.status("last")["money"]["spent"], 0.004);
}

#[test]
fn wrong_usage_is_2() {
    let project = Project::new();
    project.motet(&["run", "ship", "x", "--budget", "much"]).exits(2).says(&["not an amount of dollars"]);
    project.motet(&["run", "ship", "x", "--max-time", "5"]).exits(2).says(&["not a duration"]);
    project.motet(&["approve", "last"]).exits(2);
}

#[test]
fn an_unattended_run_asks_nobody() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--unattended"]).exits(0);
    assert_eq!(project.status("last")["unattended"], true);
}

#[test]
fn json_is_one_object_per_line_and_ends_with_the_result() {
    let project = Project::new();
    let lines = project.motet(&["run", "ship", "a boat", "--unattended", "--json"]).exits(0).json();
    let (last, events) = lines.split_last().unwrap();
    assert_eq!(last["type"], "result");
    assert_eq!(last["exit"], 0);
    assert_eq!(last["output"]["goal"], "a boat");
    let numbers: Vec<u64> = events.iter().map(|line| line["event"]["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let waiting = project.motet(&["run", "ship", "a boat", "--json"]).exits(4).json();
    assert_eq!(waiting.last().unwrap()["type"], "status");
    assert_eq!(waiting.last().unwrap()["view"]["gates"][0]["questions"][0]["id"], "tone");
}
