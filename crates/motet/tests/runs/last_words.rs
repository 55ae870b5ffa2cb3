//! Attempts that end before they are done: what was said and used until then stays on record, and what is lost is not called nothing.

use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use motet_testkit::web::tools::search_server;
use rustix::process::Signal;
use serde_json::Value;

use super::project::{Done, Project};
use super::sources::Web;

/// One task of one model, with a tool.
struct Stage {
    project: Project,
    server: FakeProvider,
    _web: Web,
}

impl Stage {
    /// The model looks two things up and then falls silent; the settings of the agent are the workflow's.
    fn new(agent: &str, role: &str) -> Self {
        let project = Project::new();
        let workflow = format!(
            "
workflow: one
version: 1.0.0
summary: One task.
agents: {{ worker: {{ prompt: prompts/worker.md, returns: {{ text: string }}, retry: {{ attempts: 1 }}, {agent} }} }}
trouble: {{ error: failed }}
start: working
states:
  working: {{ agent: worker, next: done }}
  done: {{ final: completed }}
  failed: {{ final: failed, output: {{ error: run.error.message }} }}
"
        );
        project.write("workflows/one/workflow.yaml", &workflow);
        project.write("workflows/one/prompts/worker.md", "Work.");
        let web = Web::start(|asked| search_server(asked, |question| format!("all about {question}")));
        let look_up = |what: &str| Line::Says(Said::new("").using("web_find", serde_json::json!({ "question": what })));
        let server = FakeProvider::start([look_up("tea"), look_up("cups"), Line::Silent]).with_models(&["m"]);
        let settings = format!(
            "[providers.paid]\nkind = 'openai-compatible'\nbase_url = '{}'\n[tools.web]\nurl = '{}'\n\
             [agents.worker]\nmodel = 'paid/m'\ntools = ['web.find']\n{role}",
            server.base_url(Format::OpenAi),
            web.server.url("/mcp")
        );
        project.write("motet.toml", &settings);
        Self { project, server, _web: web }
    }

    fn exchanges(&self) -> Done {
        self.project.motet(&["log", "last", "--exchanges"]).exits(0)
    }

    fn cost(&self) -> Value {
        self.project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0)
    }
}

const PRICED: &str = "price = { input_per_million = 1, output_per_million = 1 }\n";

/// How a task that is late fails, and that everything is kept which happened before.
fn check_late(agent: &str, role: &str, expected: &str) {
    let stage = Stage::new(agent, role);
    stage.project.motet(&["run", "one", "--budget", "5"]).exits(1).says(&[expected]);
    check_kept(&stage);
}

/// That everything is kept which happened before the model fell silent.
fn check_kept(stage: &Stage) {
    stage.exchanges().says(&["all about tea", "all about cups", "was stopped in its answer"]);
    let cost = stage.cost();
    assert_eq!((&cost["tools_used"], &cost["by_model"]["paid/m"]["calls"]), (&2.into(), &3.into()), "{cost}");
    let tokens = cost["by_model"]["paid/m"]["tokens_in"].as_u64();
    assert!(tokens.is_some_and(|tokens| tokens >= 2 * 26), "what was counted is booked: {cost}");
}

#[test]
fn what_was_said_before_a_task_was_late_is_kept() {
    check_late("timeout: 3s", PRICED, "`worker` did not answer within 3 s");
    check_late("timeout: 3s, class: idempotent", PRICED, "`worker` did not answer within 3 s");
    let shorter = format!("{PRICED}timeout = '3s'\n");
    check_late("timeout: 10m", &shorter, "`worker` did not answer within 3 s");
}

/// What is told of the cost of an attempt that was stopped, and of what was said in it.
fn check_stopped(stage: &Stage, calls_not_told: u64) {
    check_kept(stage);
    let (cost, shown) = (stage.cost(), stage.project.motet(&["cost", "last"]).exits(0).out);
    assert_eq!((&cost["cost_not_told"], &cost["by_agent"]["worker"]["calls"]), (&calls_not_told.into(), &1.into()), "{cost}");
    assert_eq!(shown.contains("cost not told"), calls_not_told > 0, "{shown}");
    assert_eq!(shown.contains("$0.00 spent"), calls_not_told == 0, "{shown}");
}

#[test]
fn what_a_cancelled_task_took_is_not_called_nothing() {
    for (role, calls_not_told) in [("", 1), ("price = { call = 0 }\n", 0)] {
        let stage = Stage::new("timeout: 10m", role);
        let running = stage.project.start(&["run", "one"]);
        stage.project.until("the third call", || stage.server.chats().len() == 3);
        stage.project.motet(&["cancel", "last"]).exits(0);
        running.wait();
        check_stopped(&stage, calls_not_told);
    }
}

#[test]
fn what_an_interrupted_task_took_is_not_called_nothing() {
    for (role, calls_not_told) in [("", 1), ("price = { call = 0 }\n", 0)] {
        let stage = Stage::new("timeout: 10m", role);
        let running = stage.project.start(&["run", "one"]);
        stage.project.until("the third call", || stage.server.chats().len() == 3);
        running.send(Signal::INT);
        running.wait().exits(130);
        check_stopped(&stage, calls_not_told);
        stage.project.motet(&["export", "last", "--cassette"]).exits(0);
        stage.project.motet(&["cancel", "last"]).exits(0);
        stage.project.motet(&["export", "last", "--cassette"]).exits(0);
    }
}

#[test]
fn what_an_interrupted_task_said_of_its_cost_is_in_every_row_though_its_backend_is_never_asked() {
    let stage = Stage::new("timeout: 10m, class: reconcilable", PRICED);
    let running = stage.project.start(&["run", "one", "--budget", "5"]);
    stage.project.until("the third call", || stage.server.chats().len() == 3);
    running.send(Signal::INT);
    running.wait().exits(130);
    stage.project.motet(&["cancel", "last"]).exits(0);
    let cost = stage.cost();
    let all = cost["spent"].as_f64().zip(cost["uncertain"].as_f64()).map(|(spent, uncertain)| spent + uncertain);
    let of = |row: &Value| row["cost"].as_f64().zip(row["uncertain"].as_f64()).map(|(certain, uncertain)| certain + uncertain);
    assert!(all.is_some_and(|all| all > 0.0), "{cost}");
    assert_eq!((of(&cost["by_agent"]["worker"]), of(&cost["by_state"]["working"])), (all, all), "{cost}");
}

#[test]
fn what_a_program_spent_that_was_stopped_nobody_knows() {
    for signal in [Some(Signal::INT), None] {
        let stage = Stage::new("timeout: 10m", "");
        stage.project.write("motet.toml", "[agents.worker]\ncommand = ['sh', '-c', 'touch begun; sleep 600']\nprice = { call = 0.5 }\n");
        let running = stage.project.start(&["run", "one", "--budget", "2"]);
        stage.project.until("the program", || stage.project.root.join("begun").exists());
        match signal {
            Some(signal) => running.send(signal),
            None => drop(stage.project.motet(&["cancel", "last"]).exits(0)),
        }
        running.wait();
        let cost = stage.cost();
        assert_eq!((&cost["spent"], &cost["uncertain"]), (&0.0.into(), &0.5.into()), "{cost}");
    }
}

#[test]
fn what_an_unsafe_task_took_that_people_are_asked_about_is_not_called_nothing() {
    let stage = Stage::new("timeout: 2s, class: unsafe", "");
    stage.project.motet(&["run", "one"]).says(&["must not run twice", "`worker` did not answer within 2 s"]);
    check_stopped(&stage, 1);
    // A user who gives it less time changes nothing in that.
    let stage = Stage::new("timeout: 10m, class: unsafe", "timeout = '2s'\n");
    stage.project.motet(&["run", "one"]).says(&["must not run twice", "`worker` did not answer within 2 s"]);
    check_stopped(&stage, 1);
}

#[test]
fn what_a_killed_task_took_is_not_called_nothing() {
    let stage = Stage::new("timeout: 10m", "");
    let running = stage.project.start(&["run", "one"]);
    stage.project.until("the third call", || stage.server.chats().len() == 3);
    running.kill();
    stage.exchanges().says(&["nothing is on record that was said to a model", "whose process was killed", "working.1, attempt 1"]);
    let running = stage.project.start(&["resume", "last"]);
    stage.project.until("the call being sent again", || stage.server.chats().len() == 4);
    stage.exchanges().says(&["all about tea", "all about cups", "whose process was killed", "working.1, attempt 1; working.1, attempt 2"]);
    let cost = stage.cost();
    assert_eq!((&cost["cost_not_told"], &cost["by_agent"]["worker"]["calls"]), (&1.into(), &1.into()), "{cost}");
    stage.project.motet(&["cancel", "last"]).exits(0);
    running.wait();
    assert_eq!(stage.cost()["cost_not_told"], 2);
}

#[test]
fn a_second_interrupt_ends_the_programs_as_well() {
    let stage = Stage::new("timeout: 10m", "");
    stage.project.program("stubborn.sh", "#!/bin/sh\ntrap '' INT TERM\necho $$ > pid\nwhile true; do sleep 1; done\n");
    stage.project.write("motet.toml", "[agents.worker]\ncommand = ['./stubborn.sh']\n");
    let running = stage.project.start(&["run", "one"]);
    stage.project.until("the program", || !stage.project.read("pid").trim().is_empty());
    let program = std::path::PathBuf::from("/proc").join(stage.project.read("pid").trim());
    assert!(program.exists());
    running.send(Signal::INT);
    // It is waited for; whoever does not want to wait says so.
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.send(Signal::INT);
    running.wait().exits(130);
    stage.project.until("the end of the program", || !program.exists());
}
