//! Caps over many runs, prices that are known or not, and what runs have cost.

use motet_testkit::providers::{FakeProvider, Format, Line, Said};

use super::project::Project;

fn with(settings: &str) -> Project {
    let project = Project::new();
    let players = project.read("motet.toml");
    project.write("motet.toml", &format!("{players}\n{settings}\n"));
    project
}

#[test]
fn a_run_may_spend_what_other_runs_of_the_day_have_left() {
    let project = with("[budget]\nper_day = 0.03");
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0).says(&["this run may spend $0.03: budget.per_day is $0.03"]);
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0).says(&["this run may spend $0.0260", "$0.0040"]);
    assert_eq!(project.status("last")["money"]["cap"], 0.026);
    project.motet(&["cost"]).exits(0).says(&["ship", "$0.0080"]);
}

#[test]
fn an_open_run_keeps_what_it_may_spend() {
    let project = with("[budget]\nper_workflow = { ship = 0.5 }");
    project.motet(&["run", "ship", "a boat", "--budget", "0.4"]).exits(4);
    project.motet(&["run", "ship", "a boat"]).exits(4).says(&["this run may spend $0.10"]);
    let refused = project.motet(&["run", "ship", "a boat"]).exits(2);
    refused.says(&["budget.per_workflow.ship is $0.50", "nothing is left of it", "motet config show", "motet cost"]);
    let last = project.last();
    project.motet(&["resume", &last, "--budget", "0.2"]).exits(2).says(&["this run may have $0.10 at most"]);
    project.motet(&["cancel", &last]).exits(0);
    project.motet(&["run", "ship", "a boat", "--budget", "5"]).exits(4).says(&["this run may spend $0.10"]);
}

#[test]
fn runs_that_start_at_once_are_not_given_the_same_money() {
    let project = with("[budget]\nper_day = 0.3");
    // The database is there, so that all of them begin alike.
    project.motet(&["run", "ship", "a boat", "--budget", "0.1"]).exits(4);
    let started: Vec<_> = (0..4).map(|_| project.start(&["run", "ship", "a boat", "--budget", "0.2"])).collect();
    let codes: Vec<Option<i32>> = started.into_iter().map(|run| run.wait().code).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(4)).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(2)).count(), 3, "{codes:?}");
}

#[test]
fn an_unknown_price_under_a_budget_is_refused_with_two_ways_out() {
    let project = Project::new();
    let server = FakeProvider::start([Line::Silent]);
    project.write("motet.toml", &format!("[providers.openai]\nbase_url = '{}'\n", server.base_url(Format::OpenAi)));
    let run = |further: &[&str]| {
        let arguments = [&["run", "ship", "tea", "--agent", "builder=openai/unheard-of", "--budget", "1"], further].concat();
        project.command(&arguments).env("OPENAI_API_KEY", "sk-0123456789abcdef").output().unwrap()
    };
    let refused = run(&[]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{told}");
    for part in ["builder (openai/unheard-of)", "--price builder=INPUT,OUTPUT", "prices.yaml", "--max-call-cost USD"] {
        assert!(told.contains(part), "{part:?} is missing: {told}");
    }
    assert!(project.list().is_empty());
    for way_out in [["--max-call-cost", "0.1"], ["--price", "builder=3,15"]] {
        assert_eq!(run(&way_out).status.code(), Some(4), "{way_out:?}");
    }
}

#[test]
fn a_key_that_is_not_there_is_told_before_a_run_starts() {
    let project = Project::new();
    let told = project.motet(&["run", "ship", "tea", "--agent", "builder=openai/gpt-4.1"]).exits(2);
    told.says(&["nobody can play `builder`", "the variable OPENAI_API_KEY is not set", "motet doctor"]);
    assert!(project.list().is_empty());
}

#[test]
fn what_a_run_has_cost_is_told_by_agent_and_state() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "--yes", "-i", "parts=3"]).exits(0);
    project.motet(&["cost", "last"]).exits(0).says(&[
        "$0.0060 spent of $1.00",
        "by agent",
        "builder (./builder.sh)",
        "by state",
        "building",
    ]);
    let told = project.motet(&["cost", "last", "--json"]).json().remove(0);
    assert_eq!(told["by_agent"]["builder"]["calls"], 3);
    assert_eq!(told["by_state"]["building"]["cost"], 0.006);
    assert_eq!(project.list()[0]["spent"], 0.006);
    project.motet(&["list"]).exits(0).says(&["$0.0060"]);
}

#[test]
fn a_fork_is_charged_only_for_what_it_spends_itself() {
    let project = with("[budget]\nper_day = 0.03");
    project.motet(&["run", "ship", "a boat", "--yes", "--budget", "0.02"]).exits(0);
    let origin = project.last();
    let events = project.motet(&["log", &origin, "--events"]).json();
    let built = events.iter().rposition(|event| event["fact"].get("task_succeeded").is_some()).expect("something was built");
    // Both parts were paid for by the run that it comes from.
    project.motet(&["fork", &origin, "--at", &(built + 1).to_string(), "--yes"]).exits(0);
    let told = project.motet(&["cost", "last", "--json"]).json().remove(0);
    assert_eq!((&told["spent"], &told["inherited"]), (&serde_json::json!(0.0), &serde_json::json!(0.004)), "{told}");
    assert!(told["by_agent"].as_object().is_some_and(serde_json::Map::is_empty), "{told}");
    project.motet(&["cost", "last"]).exits(0).says(&["$0.00 spent", &format!("after $0.0040 that {origin} had spent before the fork")]);
    project.motet(&["status", "last"]).exits(0).says(&["after $0.0040 before the fork"]);
    project.motet(&["cost"]).exits(0).says(&["ship", "$0.0040"]);
    assert_eq!((&project.list()[0]["spent"], &project.list()[0]["inherited"]), (&serde_json::json!(0.0), &serde_json::json!(0.004)));
    // One part less was built before the fork, so that it pays for that one.
    project.motet(&["fork", &origin, "--at", &built.to_string(), "--yes"]).exits(0);
    let told = project.motet(&["cost", "last", "--json"]).json().remove(0);
    assert_eq!((&told["spent"], &told["inherited"]), (&serde_json::json!(0.002), &serde_json::json!(0.002)), "{told}");
    assert_eq!(told["by_agent"]["builder"]["calls"], 1);
    // Six thousandths are spent of the day's thirty.
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0).says(&["this run may spend $0.0240"]);
}

#[test]
fn what_was_overrun_before_a_fork_is_not_told_of_the_fork() {
    let project = Project::new();
    let text = project.read("workflows/ship/workflow.yaml");
    project.write("workflows/ship/workflow.yaml", &text.replace("cost: 0.01", "cost: 0.0015"));
    project.motet(&["run", "ship", "a boat", "--yes"]).exits(0);
    let overrun = |run: &str| project.motet(&["cost", run, "--json"]).json().remove(0)["overrun"].clone();
    let origin = project.last();
    assert_eq!(overrun(&origin), serde_json::json!(0.001));
    let events = project.motet(&["log", &origin, "--events"]).json();
    let built = events.iter().rposition(|event| event["fact"].get("task_succeeded").is_some()).expect("something was built");
    project.motet(&["fork", &origin, "--at", &(built + 1).to_string(), "--yes"]).exits(0);
    assert_eq!(overrun("last"), serde_json::json!(0.0));
}

/// What `motet cost` tells, in words and as JSON, of a slogan that a paid model writes so.
fn cost_of(lines: Vec<Line>) -> (String, serde_json::Value) {
    let server = FakeProvider::start(lines).with_models(&["m"]);
    let project = Project::new();
    let url = server.base_url(Format::OpenAi);
    project.write(
        "motet.toml",
        &format!(
            "[providers.paid]\nkind = 'openai-compatible'\nbase_url = '{url}'\n\n\
             [agents.'*']\nmodel = 'paid/m'\nprice = {{ input_per_million = 1000, output_per_million = 2000 }}\n"
        ),
    );
    project.offline(&["run", "slogan", "tea", "--budget", "20"]).exits(0);
    let told = project.motet(&["cost", "last"]).exits(0).out;
    (told, project.motet(&["cost", "last", "--json"]).json().remove(0))
}

fn approval() -> Line {
    Line::says(r#"{"outcome": "approved", "score": 1, "feedback": ""}"#)
}

#[test]
fn what_nobody_counted_is_marked_as_an_estimate() {
    let (told, cost) = cost_of(vec![Line::Says(Said::new("Sip the Sea").uncounted()), approval()]);
    assert_eq!((&cost["by_agent"]["writer"]["estimated"], &cost["by_agent"]["reviewer"]["estimated"]), (&true.into(), &false.into()));
    assert!(cost["by_agent"]["writer"]["tokens_in"].as_u64() > Some(20) && cost["uncertain"] == 0.0, "{cost}");
    assert!(told.contains("~ holds calls that nobody counted for us"), "{told}");
}

#[test]
fn a_paid_call_that_broke_off_is_uncertain_and_no_longer_free() {
    let (told, cost) = cost_of(vec![Line::Cuts, Line::says("Sip the Sea"), approval()]);
    let uncertain = cost["uncertain"].as_f64().expect("a number");
    assert!(uncertain > 0.0 && cost["spent"].as_f64() > Some(0.0), "{cost}");
    assert_eq!(cost["by_agent"]["writer"]["uncertain"].as_f64(), Some(uncertain));
    assert_eq!(cost["by_model"]["paid/m"]["calls"], 3, "the call that broke off is one of them: {cost}");
    assert!(told.contains(" uncertain"), "{told}");
}

#[test]
fn a_recording_of_a_run_that_ran_out_of_money_plays_again() {
    let server = FakeProvider::start([Line::says("Sip the Sea"), Line::says("Too vague.")]).with_models(&["m"]);
    let project = Project::new();
    let url = server.base_url(Format::OpenAi);
    project.write(
        "motet.toml",
        &format!(
            "[providers.paid]\nkind = 'openai-compatible'\nbase_url = '{url}'\n\n\
             [agents.'*']\nmodel = 'paid/m'\nprice = {{ input_per_million = 1000, output_per_million = 2000 }}\n"
        ),
    );
    project.motet(&["run", "slogan", "tea", "--budget", "8"]);
    let cost = project.motet(&["cost", "last", "--json"]).json().remove(0);
    assert!(cost["spent"].as_f64() > Some(0.0), "{cost}");
    let cassette = project.motet(&["export", "last", "--cassette"]).exits(0).says(&["prices:", "input_per_million: 1000"]);
    project.write("recorded.yaml", &cassette.out);
    project.motet(&["test", "slogan", "--case", "recorded.yaml"]).exits(0);
}
