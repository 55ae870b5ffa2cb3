//! The real program, killed a hundred times in the middle of its work.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::project::Project;

const TASKS: usize = 200;
const KILLS: usize = 100;
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
}

/// The attempts that the kill interrupted are paid for, so no money is left to begin them all again.
#[test]
fn a_run_that_was_killed_with_calls_in_flight_becomes_a_case_that_plays_it_again() {
    let project = Project::new();
    let slow = "command = ['sh', '-c', 'cat > /dev/null; touch begun; sleep 600']\nprice = { call = 1.0 }\n";
    project.write("motet.toml", &format!("[agents.writer]\n{slow}[agents.reviewer]\n{slow}"));
    let running = project.start(&["run", "slogan", "tea", "-i", "candidates=3", "--budget", "3"]);
    project.until("the writers", || project.root.join("begun").exists());
    running.kill();
    project.motet(&["resume", "last"]).says(&["out of budget", "$3.00 uncertain"]);
    let cassette = project.motet(&["export", "last", "--cassette"]).exits(0).says(&["crash: true", "counters:"]);
    assert_eq!(cassette.out.matches("hangs: until_crash").count(), 3, "{}", cassette.out);
    project.write("recorded.yaml", &cassette.out);
    project.motet(&["test", "slogan", "--case", "recorded.yaml"]).exits(0).says(&["1 passed"]);
    project.motet(&["cancel", "last"]).exits(0);
    project.write("recorded.yaml", &project.motet(&["export", "last", "--cassette"]).exits(0).out);
    project.motet(&["test", "slogan", "--case", "recorded.yaml"]).exits(0).says(&["1 passed"]);
}
