//! Runs that other runs start: their gates are asked and answered like any others, and the run above goes on.

use super::project::Project;

pub const FLEET: &str = r#"
workflow: fleet
version: 1.0.0
summary: Ships one thing by another workflow.
input: { goal: { type: string, minLength: 1 } }
data: { shipped: null }
limits: { cost: 1 }
agents:
  yard: { workflow: ship, timeout: 1h, cost: 0.5, retry: { attempts: 1 } }
trouble: { error: failed }
start: shipping
states:
  shipping:
    agent: yard
    with: { goal: input.goal }
    save: { shipped: result.goal }
    next: done
  done: { final: completed, output: { shipped: data.shipped } }
  failed: { final: failed }
"#;

#[test]
fn the_gate_of_a_child_is_answered_and_the_parent_goes_on() {
    let project = Project::new();
    project.write("workflows/fleet/workflow.yaml", FLEET);
    project.motet(&["run", "fleet", "a boat"]).exits(4).says(&["Before a boat is built:", "motet answer child-"]);
    let child = project.motet(&["inbox", "--json"]).json()[0]["run"].as_str().unwrap().to_string();
    project.motet(&["answer", &child, "tone=formal"]).exits(4).says(&["Ship a boat?", &format!("motet approve {child} approve")]);
    project.motet(&["approve", &child]).exits(0).says(&["shipped  a boat", "fleet-"]);
    assert_eq!(project.list().len(), 1, "a list shows what people started");
    assert_eq!(project.motet(&["list", "--all", "--json"]).json().len(), 2);
}

#[test]
fn yes_answers_for_children_too() {
    let project = Project::new();
    project.write("workflows/fleet/workflow.yaml", FLEET);
    project.motet(&["run", "fleet", "a boat", "--yes"]).exits(0).says(&["shipped  a boat"]);
}
