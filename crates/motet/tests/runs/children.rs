//! Runs that other runs start: their gates are asked and answered like any others, and the run above goes on.

use motet_testkit::providers::{FakeProvider, Format, Line};

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

/// A fleet by another workflow, so that the ship is a grandchild.
const ARMADA: &str = r#"
workflow: armada
version: 1.0.0
summary: Ships one thing by a workflow that ships it by another.
input: { goal: { type: string, minLength: 1 } }
limits: { cost: 1 }
agents:
  admiral: { workflow: fleet, timeout: 1h, cost: 0.9, retry: { attempts: 1 } }
trouble: { error: failed }
start: shipping
states:
  shipping: { agent: admiral, with: { goal: input.goal }, next: done }
  done: { final: completed, output: { shipped: last.shipping.shipped } }
  failed: { final: failed }
"#;

fn fleet() -> Project {
    let project = Project::new();
    project.write("workflows/fleet/workflow.yaml", FLEET);
    project.write("workflows/armada/workflow.yaml", ARMADA);
    project
}

fn waiting_child(project: &Project) -> String {
    project.motet(&["inbox", "--json"]).json()[0]["run"].as_str().expect("a run that asks").to_string()
}

#[test]
fn what_a_child_may_cost_is_reserved_and_without_it_the_task_fails() {
    let project = fleet();
    let told = project.motet(&["run", "fleet", "a boat", "--yes", "--price", "builder=0.6"]).exits(1);
    told.says(&["the child run used up what it was given", "the next call may cost $0.60", "the budget of $0.50"]);
    assert_eq!(project.read("begun.txt"), "", "nothing is done that cannot be paid for");
    project.motet(&["run", "fleet", "a boat", "--yes", "--price", "builder=0.3"]).exits(0);
}

/// A workflow with a plan of these tasks, each `id: agent`, and these agents.
fn plan(project: &Project, name: &str, tasks: &str, who: &str, agents: &str) {
    let workflow = format!(
        "
workflow: {name}
version: 1.0.0
summary: Several things side by side.
input: {{ goal: string }}
data: {{ tasks: [{tasks}] }}
agents: {{ {agents} }}
trouble: {{ error: failed }}
start: working
states:
  working:
    plan: {{ tasks: data.tasks, agents: [{who}], at_most: 6, max_parallel: 2 }}
    with: {{ goal: input.goal }}
    next: {{ done: done, incomplete: failed }}
  done: {{ final: completed, output: null }}
  failed: {{ final: failed, output: {{ error: run.because }} }}
"
    );
    project.write(&format!("workflows/{name}/workflow.yaml"), &workflow);
    project.write(&format!("workflows/{name}/prompts/work.md"), "Work.");
}

#[test]
fn a_child_that_runs_out_of_money_lets_what_runs_finish() {
    let project = fleet();
    let task = |id: &str, agent: &str, after: &str| format!("{{ id: \"'{id}'\", agent: \"'{agent}'\", depends_on: [{after}] }}");
    let tasks = [task("a", "slow", ""), task("b", "quick", ""), task("c", "dear", "'\"b\"'")].join(", ");
    let agent = |name: &str| format!("{name}: {{ prompt: prompts/work.md, returns: {{ text: string }} }}");
    plan(&project, "kid", &tasks, "slow, quick, dear", &[agent("slow"), agent("quick"), agent("dear")].join(", "));
    plan(&project, "dad", &task("a", "kid", ""), "kid", "kid: { workflow: kid, timeout: 1h }");
    project.write(
        "motet.toml",
        r#"agents.slow.command = ["sh", "-c", "cat >/dev/null; echo begun >> slow.txt; until [ -e quick.txt ]; do sleep 0.1; done; sleep 1; echo ended >> slow.txt; echo x"]
agents.quick.command = ["sh", "-c", "cat >/dev/null; until [ -e slow.txt ]; do sleep 0.1; done; echo x | tee quick.txt"]
agents.dear.command = ["sh", "-c", "cat >/dev/null; echo x"]
"#,
    );
    let arguments = ["run", "dad", "a boat", "--budget", "0.2", "--price", "dear=0.3", "--price", "slow=0", "--price", "quick=0"];
    project.motet(&arguments).exits(1).says(&["the child run used up what it was given"]);
    assert_eq!(project.read("slow.txt"), "begun\nended\n");
}

#[test]
fn a_run_that_was_killed_at_its_own_work_does_not_wait_for_its_child() {
    let project = fleet();
    let tasks = r#"{ id: "'a'", agent: "'own'" }, { id: "'b'", agent: "'asking'" }"#;
    plan(
        &project,
        "dad",
        tasks,
        "own, asking",
        "own: { prompt: prompts/work.md, returns: { text: string } }, asking: { workflow: ship, timeout: 1h }",
    );
    project.write(
        "motet.toml",
        r#"agents.own.command = ["sh", "-c", "cat >/dev/null; echo x >> own.txt; exec sleep 30"]
agents.builder.command = ["./builder.sh"]"#,
    );
    let running = project.start(&["run", "dad", "a boat"]);
    project.until("a gate is open and the own task has begun", || {
        let asked = project.motet(&["inbox", "--json"]).json();
        !asked.is_empty() && project.root.join("own.txt").exists()
    });
    running.kill();
    project.motet(&["list"]).exits(0).says(&["interrupted"]);
    assert_eq!(project.status("last")["status"], "interrupted");
}

#[test]
fn an_unknown_price_of_a_child_is_refused_like_one_of_the_run_itself() {
    let project = fleet();
    let server = FakeProvider::start([Line::Silent]);
    let settings = project.read("motet.toml") + &format!("[providers.openai]\nbase_url = '{}'\n", server.base_url(Format::OpenAi));
    project.write("motet.toml", &settings);
    let run = |workflow: &str| {
        let arguments = ["run", workflow, "tea", "--agent", "builder=openai/unheard-of", "--budget", "1"];
        let output = project.command(&arguments).env("OPENAI_API_KEY", "sk-0123456789abcdef").output().unwrap();
        super::project::Done::new(&arguments, output)
    };
    for workflow in ["fleet", "armada"] {
        run(workflow).exits(2).says(&["builder (openai/unheard-of)", "--price builder=INPUT,OUTPUT"]);
    }
    assert!(project.list().is_empty());
}

#[test]
fn a_run_whose_grandchild_waits_is_left_and_said_to_wait() {
    let project = fleet();
    let told = project.motet(&["run", "armada", "a boat"]).exits(4);
    told.says(&["waits for a child run", "Before a boat is built:", "motet answer child-"]);
    let child = waiting_child(&project);
    assert_eq!(project.list()[0]["status"], "waiting_user");
    project.motet(&["list"]).exits(0).says(&["waiting", &format!("{child}: Before a boat")]);
    project.motet(&["status", "last"]).exits(0).says(&[&format!("waits for its child run {child}")]);
    assert_eq!(project.status("last")["status"], "waiting_user");
    project.motet(&["resume", "last"]).exits(4).says(&["waits for a child run"]);
    project.motet(&["answer", &child, "tone=formal"]).exits(4).says(&["waits for a child run", "Ship a boat?"]);
    project.motet(&["approve", &child]).exits(0).says(&["shipped  a boat"]);
}

#[test]
fn a_child_is_paused_and_goes_on_by_its_own_name() {
    let project = fleet();
    project.motet(&["run", "fleet", "a boat"]).exits(4);
    let child = waiting_child(&project);
    project.motet(&["pause", &child, "--reason", "lunch"]).exits(0);
    let left = project.motet(&["resume", "last"]).exits(4);
    left.says(&["waits for a child run", &format!("{child} is paused: lunch"), &format!("motet resume {child}")]);
    project.motet(&["resume", "last", "--yes"]).exits(4).says(&[&format!("{child} is paused: lunch")]);
    project.motet(&["resume", &child, "--budget", "5"]).exits(2).says(&["has no budget of its own", "--budget USD"]);
    assert_eq!(project.status("last")["money"]["cap"], 1.0, "nobody else was given it instead");
    project.motet(&["resume", &child, "--max-time", "20m", "--yes"]).exits(0).says(&["shipped  a boat"]);
    let limits = project.motet(&["log", &child, "--events"]).json();
    let raised = |event: &&serde_json::Value| event["fact"].get("limits_raised").is_some();
    assert_eq!(limits.iter().find(raised).expect("the child has more time")["fact"]["limits_raised"]["time_ms"], 1_200_000);
}

const WRAP: &str = r#"
workflow: wrap
version: 1.0.0
summary: Has something done by another workflow.
input: { goal: { type: string, minLength: 1 } }
agents:
  agency: { workflow: CHILD, timeout: 1h }
trouble: { error: failed }
start: asking
states:
  asking: { agent: agency, with: { INPUT: input.goal }, next: done }
  done: { final: completed, output: last.asking }
  failed: { final: failed }
"#;

fn wrapped(child: &str, input: &str) -> Project {
    let project = Project::new();
    project.write("workflows/wrap/workflow.yaml", &WRAP.replace("CHILD", child).replace("INPUT", input));
    project
}

#[test]
fn rules_that_play_in_a_child_are_announced_and_its_files_name_its_players() {
    let project = wrapped("slogan", "product");
    project.write("motet.toml", "");
    let done = project.offline(&["run", "wrap", "tea", "--unattended"]).exits(0);
    let done = done.says(&["offline: no model is configured, so rules play the agents"]);
    assert!(!done.shown().contains("could not be written"), "{}", done.shown());
    let child = project.motet(&["list", "--all", "--json"]).json().into_iter().find(|run| run["workflow"] == "slogan").unwrap();
    assert_eq!(project.status(child["run"].as_str().unwrap())["agents"]["writer"]["backend"], "offline");
    project.motet(&["status", "last"]).exits(0).says(&["rules play the agents"]);
}

#[test]
fn a_child_that_needs_sources_or_a_repository_is_told_before_the_run_starts() {
    let project = wrapped("deep-research", "topic");
    let told = project.motet(&["run", "wrap", "tides", "--model", "tiny"]).exits(2);
    told.says(&["wrap has nothing to search", "--docs DIR"]);
    let project = wrapped("patch", "goal");
    project.write(
        "workflows/patch/workflow.yaml",
        "workflow: patch\nversion: 1.0.0\nsummary: Changes files.\ninput: { goal: string }\n\
         agents: { builder: { prompt: p.md, returns: { built: string }, works_in: worktree } }\ntrouble: { error: failed }\nstart: coding\n\
         states:\n  coding: { agent: builder, next: done }\n  done: { final: completed, output: last.coding }\n  failed: { final: failed }\n",
    );
    project.write("workflows/patch/p.md", "Change it.");
    project.motet(&["run", "wrap", "tea"]).exits(2).says(&["builder of patch change files"]);
    assert!(project.list().is_empty());
}

#[test]
fn a_recorded_case_speaks_for_the_agents_and_people_of_child_runs() {
    let project = fleet();
    for workflow in ["fleet", "armada"] {
        project.motet(&["run", workflow, "a boat", "--yes"]).exits(0);
        let cassette = project.motet(&["export", "last", "--cassette"]).exits(0).says(&["builder:", "asking:", "approving:"]);
        for silent in ["yard:", "admiral:"] {
            assert!(!cassette.out.contains(silent), "{}", cassette.out);
        }
        project.write(&format!("workflows/{workflow}/cases/recorded.yaml"), &cassette.out);
        project.motet(&["test", workflow]).exits(0);
        project.motet(&["run", workflow, "--case", "recorded", "--pace", "0"]).exits(0).says(&["shipped  a boat"]);
    }
}

#[test]
fn what_a_run_would_give_its_child_wrongly_is_found_before_it_starts() {
    let project = fleet();
    project.motet(&["check", "fleet"]).exits(0);
    let wrong = FLEET.replace("with: { goal: input.goal }", "with: { gaol: input.goal, parts: 21 }");
    project.write("workflows/fleet/workflow.yaml", &wrong);
    let told = project.motet(&["check", "fleet"]).exits(1);
    told.says(&[
        "error[M0212]: `shipping` does not give `goal` to ship",
        "workflows/fleet/workflow.yaml:13:3",
        "ship cannot be run without it",
    ])
    .says(&["ship has no input `gaol`, which `shipping` gives to it", "workflows/fleet/workflow.yaml:15:19", "did you mean `goal`?"])
    .says(&["`shipping` gives ship what it does not take: `parts`"]);
    let report = project.motet(&["check", "fleet", "--json"]).exits(1).json().remove(0);
    assert_eq!(report["ok"], false);
    project.motet(&["run", "fleet", "a boat"]).exits(2).says(&["M0212", "fleet cannot be run: the check found errors"]);
    assert!(project.list().is_empty());
}
