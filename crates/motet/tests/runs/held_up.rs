//! A provider that takes few calls: a run waits for it, says so, and fails of nothing.

use std::time::Duration;

use motet_testkit::providers::{FakeProvider, Fault, Format, Line};

use super::project::{Done, Project};

const TASKS: usize = 40;

const WORKFLOW: &str = "
workflow: many
version: 1.0.0
summary: Forty tasks, each of which may take three seconds and is tried once.
agents: { worker: { prompt: prompts/worker.md, returns: { task: string }, timeout: 3s, retry: { attempts: 1 } } }
trouble: { error: failed }
start: working
states:
  working: { agent: worker, each: range(40), at_most: 40, with: { number: item }, next: done }
  done: { final: completed, output: { tasks: 'size(last.working)' } }
  failed: { final: failed, output: run.error }
";

fn project(server: &FakeProvider) -> Project {
    let project = Project::new();
    project.write("workflows/many/workflow.yaml", WORKFLOW);
    project.write("workflows/many/prompts/worker.md", "Work on {{ number }}.");
    let provider = format!("[providers.slow]\nkind = 'openai-compatible'\nbase_url = '{}'\nfree = true", server.base_url(Format::OpenAi));
    project.write("motet.toml", &format!("parallel = {TASKS}\n\n{provider}\n\n[agents.worker]\nmodel = 'slow/m'\n"));
    project
}

/// All tasks at once against a server that takes five in a second, so that the whole lasts longer than a task may take.
fn run(further: &[&str]) -> Done {
    let server = FakeProvider::start([Line::says("done")]).with_models(&["m"]).allowing(5, Duration::from_secs(1), Some("1"));
    let project = project(&server);
    let done = project.motet(&[&["run", "many"], further].concat()).exits(0);
    assert_eq!(server.counts().0, TASKS as u64, "{}", done.shown());
    assert!(server.counts().1 > 0, "the server was never too busy, so this proves nothing");
    assert_eq!(project.status("last")["output"]["tasks"], TASKS);
    done
}

#[test]
fn a_fan_out_that_lasts_longer_than_its_tasks_may_take_completes_and_says_once_that_it_waits() {
    let told = run(&[]).out;
    let waits: Vec<&str> = told.lines().filter(|line| line.contains("waiting for slow, which takes no calls for")).collect();
    assert!((1..=2).contains(&waits.len()), "{told}");
}

#[test]
fn whoever_reads_json_is_told_that_it_waits() {
    let told = run(&["--json"]).json();
    let is_told =
        |line: &serde_json::Value| line["type"] == "notice" && line["text"].as_str().is_some_and(|text| text.contains("takes no calls"));
    assert!(told.iter().any(is_told), "{told:?}");
}

#[test]
fn whoever_asks_how_a_run_stands_is_told_that_it_waits() {
    let server = FakeProvider::start([Line::Fails(Fault::TooMany(Some("3600".into())))]).with_models(&["m"]);
    let project = project(&server);
    let running = project.start(&["run", "many"]);
    project.until("the call being refused", || !server.chats().is_empty());
    project.until("the wait being told", || {
        project.motet(&["status", "last"]).out.contains("held up: waiting for slow, which takes no calls for 3")
    });
    let status = project.status("last");
    assert_eq!((status["status"].as_str(), status["held_up"][0]["by"].as_str()), (Some("running"), Some("slow")), "{status:#}");
    assert!(status["held_up"][0]["line"].as_str().is_some_and(|line| line.contains("takes no calls for 3")), "{status:#}");
    assert!(status["held_up"][0]["until"].as_str().is_some_and(|until| until.ends_with('Z')), "{status:#}");
    let note = project.root.join(format!(".motet/runs/{}/logs/held_up.json", project.last()));
    assert!(note.is_file());
    project.motet(&["cancel", "last"]).exits(0);
    running.wait().exits(1);
    assert_eq!(project.status("last")["held_up"], serde_json::json!([]));
    assert!(!note.exists(), "a run that is over waits for nothing");
}
