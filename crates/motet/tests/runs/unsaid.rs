//! Calls of which nobody says what they cost: the budget holds for them all the same, and every sum that is shown agrees.

use motet_testkit::providers::{FakeProvider, Fault, Format, Line, Said};
use serde_json::Value;

use super::project::{Done, Project};

const TASKS: usize = 20;

/// Many tasks under a cap, each of which the workflow says may cost something, or does not.
fn many(limits: &str, agent: &str) -> Project {
    let project = Project::new();
    project.write(
        "workflows/many/workflow.yaml",
        &format!(
            "
workflow: many
version: 1.0.0
summary: Twenty tasks.
{limits}
agents: {{ worker: {{ prompt: prompts/worker.md, returns: {{ task: string }}, {agent} }} }}
trouble: {{ error: failed }}
start: working
states:
  working: {{ agent: worker, each: range({TASKS}), at_most: {TASKS}, with: {{ number: item }}, next: done }}
  done: {{ final: completed, output: {{ tasks: 'size(last.working)' }} }}
  failed: {{ final: failed, output: run.error }}
"
        ),
    );
    project.write("workflows/many/prompts/worker.md", "Work on {{ number }}.");
    project
}

/// One model whose price nobody knows, unless the settings say more.
fn asking_a_model(project: &Project, server: &FakeProvider, further: &str) {
    let url = server.base_url(Format::OpenAi);
    let provider = format!("[providers.paid]\nkind = 'openai-compatible'\nbase_url = '{url}'\n");
    project.write("motet.toml", &format!("{provider}\n[agents.worker]\nmodel = 'paid/m'\n{further}"));
}

/// What the tables of `motet cost` add up to, after it was held against the sums of the run and of the list.
fn sums(project: &Project) -> (f64, f64) {
    let cost = project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0);
    let total = |table: &str, column: &str| {
        let rows = cost[table].as_object().expect("a table").values();
        (rows.map(|row| row[column].as_f64().expect("a number")).sum::<f64>() * 1e6).round() / 1e6
    };
    let of = |whole: &Value| (whole["spent"].as_f64().expect("a number"), whole["uncertain"].as_f64().expect("a number"));
    for table in ["by_agent", "by_state", "by_model"] {
        assert_eq!((total(table, "cost"), total(table, "uncertain")), of(&cost), "{table}: {cost}");
    }
    assert_eq!(of(&project.list()[0]), of(&cost));
    of(&cost)
}

#[test]
fn a_model_of_unknown_price_is_booked_at_its_ceiling() {
    let project = many("", "retry: { attempts: 1 }");
    let server = FakeProvider::start([Line::says("done")]).with_models(&["m"]);
    asking_a_model(&project, &server, "");
    let run = project.motet(&["run", "many", "--budget", "1", "--max-call-cost", "0.3"]).exits(5);
    run.says(&["the next call may cost $0.30, and $0.10 of the budget of $1.00 is left for it; a budget of $1.20 would pay for it"])
        .says(&["$0.00, $0.90 uncertain", "motet resume"]);
    assert_eq!(server.counts().0, 3);
    assert_eq!(sums(&project), (0.0, 0.9));
    project.motet(&["list"]).exits(0).says(&["$0.00, $0.90 uncertain"]);
    project.motet(&["resume", "last", "--budget", "1.2"]).exits(5);
    assert_eq!(server.counts().0, 4, "the ceiling holds for a run that goes on, too");
    assert_eq!(sums(&project), (0.0, 1.2));
}

/// Says how many tokens it took, and not what they cost.
const CODEX: &str = r#"#!/bin/sh
cat > /dev/null
echo "$MOTET_TASK" >> begun.txt
echo '{"type":"thread.started","thread_id":"t-1"}'
echo '{"type":"item.completed","item":{"type":"agent_message","text":"{\"task\": \"done\"}"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1000,"output_tokens":10}}'
"#;

fn run_with_codex(price: &str) -> (Project, Done) {
    let project = many("limits: { cost: 1 }", "cost: 0.5");
    project.program("bin/codex", CODEX);
    project.write("motet.toml", &format!("[agents.worker]\npreset = 'codex'\n{price}\n"));
    let path = format!("{}:{}", project.root.join("bin").display(), std::env::var("PATH").expect("a path to programs"));
    let output = project.command(&["run", "many"]).env("PATH", path).output().expect("the binary runs");
    (project, Done::new(&["run", "many"], output))
}

#[test]
fn a_coding_agent_that_does_not_say_what_it_cost_is_booked_at_what_was_reserved() {
    let (project, run) = run_with_codex("");
    run.exits(5).says(&["$0.00, $1.00 uncertain"]);
    assert_eq!(project.read("begun.txt").lines().count(), 2);
    assert_eq!(sums(&project), (0.0, 1.0));
}

#[test]
fn what_nobody_says_is_not_called_nothing() {
    for model in ["", "with_model = 'big'\n"] {
        let project = many("", "");
        project.program("bin/codex", CODEX);
        project.write("motet.toml", &format!("[agents.worker]\npreset = 'codex'\nprogram = './bin/codex'\n{model}"));
        let run = project.motet(&["run", "many"]).exits(0);
        run.says(&["tokens, cost not told)"]);
        let cost = project.motet(&["cost", "last"]).exits(0);
        assert!(!cost.out.contains("$0.00"), "{}", cost.out);
        cost.says(&["cost not told", "not told: nobody says what 20 calls cost"]);
        let told = project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0);
        assert_eq!((&told["cost_not_told"], &told["by_model"]["codex"]["cost_not_told"]), (&20.into(), &20.into()), "{told}");
        untold_everywhere(&project, 20);
    }
}

/// Every other place that shows what the only run has cost says that nobody has told it.
#[track_caller]
fn untold_everywhere(project: &Project, calls: u64) {
    // Twice, since what was counted of an ended run is kept.
    for _ in 0..2 {
        for arguments in [&["list"][..], &[], &["status", "last"], &["cost"]] {
            project.motet(arguments).exits(0).says(&["not told"]);
        }
        let listed = project.motet(&["list", "--json"]).json().remove(0);
        let days = project.motet(&["cost", "--json"]).json().remove(0);
        for told in [&listed, &days, &project.status("last")["money"]] {
            assert_eq!((&told["spent"], &told["cost_not_told"]), (&0.0.into(), &calls.into()), "{told}");
        }
    }
    let sums = project.motet(&["cost"]).exits(0);
    assert!(!sums.out.lines().nth(1).is_some_and(|line| line.contains("  $0.00  ")), "{}", sums.out);
}

#[test]
fn what_is_told_and_what_is_not_are_kept_apart_in_every_sum() {
    let project = many("", "");
    project.program("bin/codex", CODEX);
    let agents = "[agents.worker]\npreset = 'codex'\nprogram = './bin/codex'\n\n[agents.builder]\ncommand = ['./builder.sh']\n";
    project.write("motet.toml", agents);
    project.motet(&["run", "many"]).exits(0);
    project.motet(&["run", "ship", "a boat", "--unattended"]).exits(0);
    assert_eq!(project.list().iter().map(|run| run["cost_not_told"].as_u64()).collect::<Vec<_>>(), [Some(0), Some(20)]);
    let sums = project.motet(&["cost"]).exits(0);
    let total = sums.out.lines().find(|line| line.starts_with("all ")).unwrap_or_else(|| panic!("no total: {}", sums.out));
    assert!(total.contains("$0.0040+"), "{}", sums.out);
    sums.says(&["nobody says what 20 calls cost"]);
}

#[test]
fn calls_of_a_child_run_that_nobody_tells_the_cost_of_are_counted_for_its_parent() {
    let project = many("", "");
    project.program("bin/codex", CODEX);
    project.write(
        "workflows/above/workflow.yaml",
        "workflow: above\nversion: 1.0.0\nsummary: Runs many.\nagents: { below: { workflow: many, timeout: 1h } }\ntrouble: { error: failed }\n\
         start: a\nstates:\n  a: { agent: below, next: end }\n  end: { final: completed }\n  failed: { final: failed }\n",
    );
    for role in ["worker", "'*'"] {
        project.write("motet.toml", &format!("[agents.{role}]\npreset = 'codex'\nprogram = './bin/codex'\n"));
        project.motet(&["run", "above"]).exits(0);
        let cost = project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0);
        assert_eq!(cost["cost_not_told"], 20, "{cost}");
        assert_eq!(project.list()[0]["cost_not_told"], 20);
    }
}

#[test]
fn a_coding_agent_with_a_price_is_booked_by_its_tokens() {
    let (project, run) = run_with_codex("price = { input_per_million = 1, output_per_million = 2 }");
    run.exits(0);
    assert_eq!(project.read("begun.txt").lines().count(), TASKS);
    assert_eq!(sums(&project), (0.0204, 0.0));
    let (project, run) = run_with_codex("price = { call = 0 }");
    run.exits(0);
    assert_eq!(sums(&project), (0.0, 0.0), "what is free by declaration is free");
}

#[test]
fn what_a_kill_left_uncertain_is_in_every_sum() {
    let project = Project::new();
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes"]);
    project.until_begun(2);
    running.kill();
    project.remove("wait.txt");
    project.motet(&["resume", "--yes"]).exits(0).says(&["$0.0040, $0.02 uncertain"]);
    assert_eq!(sums(&project), (0.004, 0.02));
    project.motet(&["cost", "last"]).exits(0).says(&["$0.0040 spent of $1.00, $0.02 uncertain", "builder (./builder.sh)       4"]);
}

#[test]
fn a_model_that_failed_before_another_answered_is_on_record_and_the_other_is_named() {
    let broken = FakeProvider::start([Line::Fails(Fault::Broken)]);
    let sound =
        FakeProvider::start([Line::Says(Said::new("Sip the Sea")), Line::says(r#"{"outcome": "approved", "score": 1, "feedback": ""}"#)]);
    let project = Project::new();
    let provider = |name: &str, server: &FakeProvider| {
        format!("[providers.{name}]\nkind = 'openai-compatible'\nbase_url = '{}'\nfree = true\n", server.base_url(Format::OpenAi))
    };
    let agents = "[agents.'*']\nmodel = 'broken/m'\nfallback = ['sound/n']\n";
    project.write("motet.toml", &format!("{}\n{}\n{agents}", provider("broken", &broken), provider("sound", &sound)));
    project.offline(&["run", "slogan", "tea"]).exits(0);
    let told = project.motet(&["log", "last", "--exchanges"]).exits(0);
    told.says(&["broken m", "── failed", "failed (500)", "sound n", "Sip the Sea"]);
    project.motet(&["cost", "last"]).exits(0).says(&["writer (sound/n)", "reviewer (sound/n)", "broken/m"]);
    let cost = project.motet(&["cost", "last", "--json"]).exits(0).json().remove(0);
    assert_eq!((&cost["by_model"]["broken/m"]["calls"], &cost["by_model"]["sound/n"]["calls"]), (&2.into(), &2.into()), "{cost}");
}
