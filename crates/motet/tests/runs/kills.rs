//! A long run whose process is killed a hundred times, wherever it happens to be.

use std::collections::BTreeMap;
use std::time::Duration;

use super::project::Project;

const TASKS: usize = 200;
const KILLS: usize = 100;

const MARCH: &str = r#"
workflow: march
version: 1.0.0
summary: Takes one step after another.
input: { steps: { type: integer, minimum: 1, maximum: 1000 } }
data: { taken: [] }
counters: { steps: { first: 1, max: input.steps } }
agents:
  walker: { prompt: prompts/walker.md, returns: { step: string }, timeout: 60s }
trouble: { error: failed }
start: stepping
states:
  stepping:
    agent: walker
    with: { taken: size(data.taken) }
    add: { taken: result.step }
    next: { count: steps, to: stepping, exceeded: { to: arrived } }
  arrived: { final: completed, output: { taken: data.taken } }
  failed: { final: failed }
"#;

/// Leaves a mark for every step it really took. It takes its time, so that a process does not get far before it is killed.
const WALKER: &str =
    "#!/bin/sh\ncat > /dev/null\nsleep 0.02\necho \"$MOTET_TASK\" >> steps.txt\necho \"{\\\"step\\\": \\\"$MOTET_TASK\\\"}\"\n";

/// Numbers that look random and are the same in every test run.
struct Jitter(u64);

impl Jitter {
    fn milliseconds(&mut self, most: u64) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis((self.0 >> 33) % (most + 1))
    }
}

#[test]
fn a_hundred_kills_lose_nothing_and_repeat_at_most_what_was_under_way() {
    let project = Project::new();
    project.write("workflows/march/workflow.yaml", MARCH);
    project.write("workflows/march/prompts/walker.md", "Step {{ taken }}.");
    project.write("builder.sh", WALKER);
    project.write("motet.toml", "[agents.walker]\ncommand = ['./builder.sh']\n");
    let marks = || project.read("steps.txt").lines().count();
    let mut jitter = Jitter(7);
    let mut kills = 0;
    let steps = format!("steps={TASKS}");
    let mut running = project.start(&["run", "march", "-i", &steps]);
    while kills < KILLS {
        let before = marks();
        project.until("another step", || marks() > before);
        std::thread::sleep(jitter.milliseconds(20));
        running.kill();
        kills += 1;
        running = project.start(&["resume", "last"]);
    }
    running.wait().exits(0).says(&["completed"]);

    let taken: Vec<String> = (1..=TASKS).map(|number| format!("stepping.{number}")).collect();
    assert_eq!(
        project.motet(&["export", "last"]).exits(0).out.parse::<serde_json::Value>().unwrap()["output"]["taken"],
        serde_json::json!(taken)
    );
    let mut marked: BTreeMap<String, usize> = BTreeMap::new();
    for mark in project.read("steps.txt").lines() {
        *marked.entry(mark.to_string()).or_default() += 1;
    }
    assert!(taken.iter().all(|step| marked.contains_key(step)), "every step was really taken");
    assert!(marks() <= TASKS + kills, "{} steps were taken for {TASKS}, with {kills} kills", marks());
    let told = project.motet(&["log", "last", "--events"]).exits(0).json();
    let succeeded = told.iter().filter(|event| event["fact"].get("task_succeeded").is_some()).count();
    assert_eq!(succeeded, TASKS, "every step is in the journal exactly once");
    project.motet(&["verify"]).exits(0);
    project.motet(&["replay", "last"]).exits(0);
}
