//! A provider that takes no calls at all: a run ends at its own time all the same, and who leaves it owes nothing.

use motet_testkit::providers::{FakeProvider, Fault, Format, Line};
use rustix::process::Signal;

use super::project::Project;

const WORKFLOW: &str = "
workflow: wait
version: 1.0.0
summary: One task, tried once.
limits: { time: LIMIT }
agents: { worker: { prompt: prompts/worker.md, timeout: 20m, retry: { attempts: 1 } } }
trouble: { error: failed }
start: working
states:
  working: { agent: worker, next: done }
  done: { final: completed, output: { said: last.working } }
  failed: { final: failed, output: { error: run.error.message } }
";

fn project(server: &FakeProvider, limit: &str) -> Project {
    let project = Project::new();
    project.write("workflows/wait/workflow.yaml", &WORKFLOW.replace("LIMIT", limit));
    project.write("workflows/wait/prompts/worker.md", "Work.");
    let url = server.base_url(Format::OpenAi);
    project.write(
        "motet.toml",
        &format!(
            "[providers.slow]\nkind = 'openai-compatible'\nbase_url = '{url}'\n\n\
             [agents.worker]\nmodel = 'slow/m'\nprice = {{ input_per_million = 1000, output_per_million = 2000 }}\n"
        ),
    );
    project
}

fn refuses() -> Line {
    Line::Fails(Fault::TooMany(Some("3600".into())))
}

#[test]
fn a_call_that_is_only_held_up_ends_with_the_time_of_its_run() {
    let server = FakeProvider::start([refuses()]).with_models(&["m"]);
    let project = project(&server, "2s");
    let told = project.motet(&["run", "wait", "--budget", "20"]).exits(5);
    told.says(&["which takes no calls for 36", "Rate limit reached for requests", "the time limit is reached"]);
    let status = project.status("last");
    assert_eq!((&status["status"], &status["money"]["uncertain"]), (&"paused".into(), &0.0.into()), "{status}");
}

#[test]
fn whoever_leaves_while_a_call_waits_owes_nothing_for_it() {
    let server = FakeProvider::start([refuses(), refuses(), Line::says("done")]).with_models(&["m"]);
    let project = project(&server, "10m");
    let running = project.start(&["run", "wait", "--budget", "20"]);
    project.until("the call being held up", || project.motet(&["status", "last"]).out.contains("held up: "));
    running.send(Signal::INT);
    running.wait().exits(130);
    let cost = project.motet(&["cost", "last", "--json"]).json().remove(0);
    assert_eq!((&cost["spent"], &cost["uncertain"]), (&0.0.into(), &0.0.into()), "{cost}");
    let events = project.motet(&["log", "last", "--events"]).json();
    let undone = |event: &serde_json::Value| event["fact"].get("task_found_undone").is_some();
    assert_eq!(events.iter().filter(|event| undone(event)).count(), 1, "{events:?}");
    // It is told that the next process knows nothing of a call half done.
    let resumed = project.start(&["resume", "last"]);
    project.until("the call being made again", || server.chats().len() == 2);
    project.until("the call being held up again", || project.motet(&["status", "last"]).out.contains("held up: "));
    resumed.send(Signal::INT);
    resumed.wait().exits(130);
    assert_eq!(project.motet(&["cost", "last", "--json"]).json().remove(0)["uncertain"], 0.0);
}
