<<<<<<< HEAD
//! The real program, killed a hundred times in the middle of its work.

use std::collections::{BTreeMap, BTreeSet};
=======
//! A long run whose process is killed a hundred times, wherever it happens to be.

use std::collections::BTreeMap;
>>>>>>> clir
use std::time::Duration;

use super::project::Project;

const TASKS: usize = 200;
const KILLS: usize = 100;
<<<<<<< HEAD
const AT_ONCE: usize = 4;

const MANY: &str = r#"
workflow: many
version: 1.0.0
summary: Two hundred tasks.
input: { n: { type: integer, minimum: 1, maximum: 1000, default: 200 } }
agents: { worker: { prompt: prompts/worker.md, returns: { task: string } } }
trouble: { error: failed }
start: working
states:
  working: { agent: worker, each: range(input.n), at_most: input.n, with: { number: item }, next: done }
  done: { final: completed, output: { tasks: 'last.working.map(t, t.task)' } }
  failed: { final: failed, output: run.error }
"#;

/// Writes down every attempt before it answers, so that what was done twice is seen.
const WORKER: &str =
    r#"cat > /dev/null; echo "$MOTET_RUN $MOTET_TASK $MOTET_ATTEMPT" >> begun.txt; sleep 0.15; echo "{\"task\": \"$MOTET_TASK\"}""#;

fn project() -> Project {
    let project = Project::new();
    project.write("workflows/many/workflow.yaml", MANY);
    project.write("workflows/many/prompts/worker.md", "Work on {{ number }}.");
    project.write("motet.toml", &format!("parallel = {AT_ONCE}\n[agents.worker]\ncommand = ['sh', '-c', '''{WORKER}''']\n"));
    project
}

#[test]
fn runs_killed_a_hundred_times_end_like_one_that_was_not() {
    let project = project();
    let mut kills = 0;
    // Moments differ from kill to kill, and are the same from test to test.
    let mut moment = 7_u64;
    while kills < KILLS {
        let mut arguments = vec!["run", "many"];
        let mut kills_of_this = 0;
        // A run that is finished before the kills are used up is followed by another.
        while kills < KILLS && (arguments[0] == "run" || project.list()[0]["status"] != "completed") {
            moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let runs_before = project.list().len();
            let running = project.start(&arguments);
            std::thread::sleep(Duration::from_millis(40 + (moment >> 33) % 260));
            running.kill();
            kills += 1;
            kills_of_this += 1;
            if arguments[0] == "resume" || project.list().len() > runs_before {
                arguments = vec!["resume", "last"];
            }
        }
        if project.list()[0]["status"] != "completed" {
            project.motet(&arguments).exits(0);
        }
        check(&project, &project.last(), kills_of_this);
    }
    assert!(kills >= KILLS);
}

fn check(project: &Project, run: &str, kills: usize) {
    let expected: Vec<String> = (1..=TASKS).map(|number| format!("working.1/{number}")).collect();
    let status = project.status(run);
    assert_eq!(status["output"]["tasks"], serde_json::json!(expected), "the result is that of an undisturbed run");
    project.motet(&["verify", run]).exits(0);
    project.motet(&["replay", run]).exits(0);
    check_attempts(project, run, kills);
}

/// Every attempt that the journal calls started ran at most once, the one that succeeded ran last, and a kill repeats no more than what ran.
fn check_attempts(project: &Project, run: &str, kills: usize) {
    let begun = project.read("begun.txt");
    let of_run = begun.lines().filter_map(|line| line.strip_prefix(run)?.trim().split_once(' '));
    let attempts: Vec<(&str, u64)> = of_run.map(|(task, attempt)| (task, attempt.parse().expect("a number"))).collect();
    let distinct: BTreeSet<_> = attempts.iter().collect();
    assert_eq!(distinct.len(), attempts.len(), "an attempt was performed twice");
    let mut succeeded: BTreeMap<String, u64> = BTreeMap::new();
    for line in project.motet(&["log", run, "--json"]).json() {
        if let Some(done) = line["event"]["fact"].get("task_succeeded") {
            let task = done["task"].as_str().expect("a task").to_string();
            let before = succeeded.insert(task, done["attempt"].as_u64().expect("a number"));
            assert_eq!(before, None, "a task succeeded twice: {line}");
        }
    }
    assert_eq!(succeeded.len(), TASKS);
    for (task, attempt) in &attempts {
        assert!(*attempt <= succeeded[*task], "{task} was performed again after it had succeeded");
    }
    let repeated = attempts.len() - TASKS;
    assert!(repeated <= kills * AT_ONCE, "{repeated} attempts were repeated by {kills} kills of {AT_ONCE} calls at most");
=======

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
>>>>>>> clir
}
