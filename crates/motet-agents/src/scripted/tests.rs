//! A case's lines, played in order, by agent and by task.

use std::collections::BTreeMap;

use motet_core::event::Question;
use motet_core::units::Time;
use serde_json::json;

use super::*;

fn line(does: Does) -> Line {
    Line { does, delay_ms: 0, tokens_in: 0, tokens_out: 0, cost: 0.0, tool_calls: 0, times: Some(1), task: None }
}

fn says(text: &str) -> Line {
    line(Does::Returns(json!(text)))
}

fn script(lines: &[(&str, Vec<Line>)]) -> Script {
    let agents: BTreeMap<String, Vec<Line>> = lines.iter().map(|(voice, lines)| (voice.to_string(), lines.clone())).collect();
    Script::new(Case { agents, ..Case::default() }, "cases/happy.yaml", Builtins::default())
}

fn call(agent: &str, task: &str, attempt: u32, work: CallWork) -> Call {
    Call {
        run: "run-1".into(),
        task: task.into(),
        attempt,
        key: format!("{task}#{attempt}"),
        agent: agent.into(),
        role: agent.into(),
        work,
        input: json!({}),
        correction: None,
        answers: Vec::new(),
        timeout_ms: 1000,
        class: Default::default(),
        works_in: None,
        model: Default::default(),
        reserved: Usd::ZERO,
        unattended: false,
    }
}

fn prompt(agent: &str, task: &str, attempt: u32) -> Call {
    call(agent, task, attempt, CallWork::Prompt)
}

fn command(task: &str) -> Call {
    call("", task, 1, CallWork::Command { words: vec!["cargo".into(), "test".into()], within: None })
}

/// What each call is answered, in a word: a result, `!` and a failure's message, `?` and a question, or `hangs`.
fn check(script: &mut Script, calls: &[(Call, &str)]) {
    for (call, expected) in calls {
        assert_eq!(in_a_word(script.answer(call)), *expected, "{} attempt {}", call.task, call.attempt);
    }
}

fn in_a_word(played: Played) -> String {
    match played.outcome {
        None => "hangs".into(),
        Some(Outcome::Returned { result, .. }) => result.as_str().map_or_else(|| result.to_string(), String::from),
        Some(Outcome::Failed { failure, .. }) => format!("! {}", failure.message),
        Some(Outcome::Asked { question, .. }) => format!("? {}", question.question),
    }
}

fn started(call: &Call) -> (Event, Vec<Effect>) {
    let fact = Fact::TaskStarted { task: call.task.clone(), attempt: call.attempt };
    (Event { seq: 1, at: Time(0), fact }, vec![Effect::Perform(Box::new(call.clone()))])
}

fn interrupted(call: &Call) -> (Event, Vec<Effect>) {
    let fact = Fact::TaskInterrupted { task: call.task.clone(), attempt: call.attempt, exchanges: Vec::new() };
    (Event { seq: 1, at: Time(0), fact }, Vec::new())
}

#[test]
fn lines_answer_in_order_and_as_often_as_they_say() {
    let again = Line { times: Some(2), ..says("two") };
    let always = Line { times: None, ..says("always") };
    let mut script = script(&[("writer", vec![says("one"), again, always])]);
    let calls: Vec<(Call, &str)> = ["one", "two", "two", "always", "always"]
        .into_iter()
        .enumerate()
        .map(|(visit, expected)| (prompt("writer", &format!("generating.{visit}"), 1), expected))
        .collect();
    check(&mut script, &calls);
}

#[test]
fn every_agent_has_its_own_lines() {
    let mut script = script(&[("writer", vec![says("w1"), says("w2")]), ("reviewer", vec![says("r1")])]);
    check(&mut script, &[(prompt("writer", "a.1", 1), "w1"), (prompt("reviewer", "b.1", 1), "r1"), (prompt("writer", "a.2", 1), "w2")]);
}

#[test]
fn a_missing_line_says_which_call_of_whom_in_which_file() {
    let mut script = script(&[("writer", vec![says("w1")])]);
    check(
        &mut script,
        &[
            (prompt("writer", "a.1", 1), "w1"),
            (
                prompt("writer", "a.2", 1),
                "! there is no line for call 2 of `writer` (a.2) in cases/happy.yaml: add one, or let an earlier line answer more calls with `times`",
            ),
            (
                prompt("editor", "e.1", 1),
                "! there is no line for `editor` (call 1 of e.1) in cases/happy.yaml: add one, or let an earlier line answer more calls with `times`",
            ),
        ],
    );
    let missing = script.answer(&prompt("writer", "a.3", 1)).outcome;
    assert!(matches!(missing, Some(Outcome::Failed { failure, .. }) if failure.kind == FailureKind::NotFound));
}

#[test]
fn a_named_task_has_a_part_of_its_own_whatever_the_order() {
    let for_api = |text: &str| Line { task: Some("api".into()), ..says(text) };
    let lines = vec![says("first"), for_api("api fails"), for_api("api works"), says("second")];
    let (api, api_again, web, docs) = (
        prompt("dev", "building.1/api", 1),
        prompt("dev", "building.1/api", 2),
        prompt("dev", "building.1/web", 1),
        prompt("dev", "building.1/docs", 1),
    );
    let expected = [(web, "first"), (api, "api fails"), (docs, "second"), (api_again, "api works")];
    check(&mut script(&[("dev", lines.clone())]), &expected);
    let [web, api, docs, api_again] = expected;
    check(&mut script(&[("dev", lines)]), &[api, web, api_again, docs]);
}

#[test]
fn a_named_task_goes_on_with_the_common_lines() {
    let for_api = Line { task: Some("api".into()), ..says("api") };
    let mut script = script(&[("dev", vec![for_api, Line { times: None, ..says("common") }])]);
    check(
        &mut script,
        &[(prompt("dev", "b.1/api", 1), "api"), (prompt("dev", "b.1/api", 2), "common"), (prompt("dev", "b.1/web", 1), "common")],
    );
}

#[test]
fn a_line_may_name_an_item_of_the_input() {
    let mut of_lisbon = prompt("scout", "scouting.1/2", 1);
    of_lisbon.input = json!({"item": {"city": "Lisbon"}});
    let lines = vec![says("anywhere"), Line { task: Some("Lisbon".into()), ..says("sunny") }];
    check(&mut script(&[("scout", lines)]), &[(of_lisbon, "sunny"), (prompt("scout", "scouting.1/1", 1), "anywhere")]);
}

#[test]
fn commands_are_scripted_by_their_state() {
    let failing = line(Does::Exits { code: 2, stdout: "1 failed\n\n".into(), stderr: "oh".into() });
    let mut script =
        script(&[("testing", vec![failing, line(Does::Returns(json!({"passed": false}))), line(Does::Returns(json!({"stdout": "ok"})))])]);
    let results: Vec<Value> = (1..=3)
        .map(|visit| match script.answer(&command(&format!("testing.{visit}"))).outcome {
            Some(Outcome::Returned { result, .. }) => result,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = json!({"command": "cargo test", "exit_code": 2, "passed": false, "timed_out": false, "stdout": "1 failed\n\n", "stderr": "oh", "summary": "1 failed", "duration_ms": 0});
    assert_eq!(results[0], expected);
    assert_eq!((&results[1]["exit_code"], &results[1]["passed"]), (&json!(1), &json!(false)));
    assert_eq!((&results[2]["exit_code"], &results[2]["passed"], &results[2]["summary"]), (&json!(0), &json!(true), &json!("ok")));
}

#[test]
fn a_command_without_a_line_is_never_run() {
    check(
        &mut script(&[]),
        &[(
            command("testing.1"),
            "! there is no line for `testing` (call 1 of testing.1) in cases/happy.yaml: add one, or let an earlier line answer more calls with `times`",
        )],
    );
}

#[test]
fn a_built_in_runs_for_real_unless_the_case_plays_it() {
    let work = CallWork::Builtin { name: "text.words".into() };
    let mut real = call("", "counting.1", 1, work.clone());
    real.input = json!({"text": "two words"});
    check(&mut script(&[]), &[(real.clone(), r#"{"words":2,"characters":9,"sentences":1,"paragraphs":1}"#)]);
    check(&mut script(&[("counting", vec![says("played")])]), &[(real, "played")]);
}

#[test]
fn failures_questions_and_silence_are_played_with_their_usage() {
    let question = Question { question: "Which?".into(), options: vec![], default: None, ..Question::default() };
    let dear = Line { tokens_in: 10, tokens_out: 20, tool_calls: 1, cost: 0.5, delay_ms: 70, ..line(Does::Asks(question)) };
    let failing = line(Does::Fails { kind: FailureKind::RateLimited, message: "slow down".into() });
    let mut script = script(&[("writer", vec![dear, failing, line(Does::Hangs)])]);
    let asked = script.answer(&prompt("writer", "a.1", 1));
    assert_eq!(asked.delay_ms, 70);
    let usage = Usage { tokens_in: 10, tokens_out: 20, tool_calls: 1, cost: Usd(500_000), ..Usage::default() };
    assert_eq!(asked.outcome.as_ref().map(Outcome::usage), Some(usage));
    check(
        &mut script,
        &[(prompt("writer", "a.1", 1), "? Which?"), (prompt("writer", "a.1", 2), "! slow down"), (prompt("writer", "a.1", 3), "hangs")],
    );
}

#[test]
fn a_program_that_plays_an_agent_is_read_like_one() {
    let exits = |code, stdout: &str, stderr: &str| line(Does::Exits { code, stdout: stdout.into(), stderr: stderr.into() });
    let mut script = script(&[("coder", vec![exits(0, "{\"a\": 1}", ""), exits(3, "", "boom")])]);
    check(
        &mut script,
        &[(prompt("coder", "a.1", 1), r#"{"a":1}"#), (prompt("coder", "a.1", 2), "! the program ended with exit code 3: boom")],
    );
}

#[test]
fn the_same_attempt_is_always_answered_the_same() {
    let mut script = script(&[("writer", vec![says("one"), says("two")])]);
    check(&mut script, &[(prompt("writer", "a.1", 1), "one"), (prompt("writer", "a.1", 1), "one"), (prompt("writer", "a.2", 1), "two")]);
}

#[test]
fn a_script_that_follows_the_journal_goes_on_where_the_dead_one_was() {
    let lines = || script(&[("writer", vec![says("one"), says("two"), says("three")])]);
    let (first, second, third) = (prompt("writer", "a.1/1", 1), prompt("writer", "a.1/2", 1), prompt("writer", "a.2", 1));
    let mut dead = lines();
    check(&mut dead, &[(first.clone(), "one"), (second.clone(), "two")]);

    let mut risen = lines();
    for (event, effects) in [started(&first), started(&second), interrupted(&first)] {
        risen.follow(&"run-1".into(), &event, &effects);
    }
    let once_more = prompt("writer", "a.1/1", 2);
    check(&mut risen, &[(third, "three"), (once_more, "one")]);
}

#[test]
fn a_line_that_hangs_until_a_crash_is_over_with_it() {
    let first = |task: &str| prompt("writer", task, 1);
    let lines = vec![line(Does::HangsUntilCrash), line(Does::Hangs), says("three")];
    let mut script = script(&[("writer", lines)]);
    check(&mut script, &[(first("a.1"), "hangs"), (first("b.1"), "hangs")]);
    for call in [first("a.1"), first("b.1")] {
        let (event, effects) = interrupted(&call);
        script.follow(&call.run, &event, &effects);
    }
    check(&mut script, &[(prompt("writer", "b.1", 2), "hangs"), (prompt("writer", "a.1", 2), "three")]);
}

#[test]
fn an_interrupted_attempt_that_runs_again_under_its_own_number_keeps_its_line() {
    let mut script = script(&[("writer", vec![says("one"), says("two")])]);
    let first = prompt("writer", "a.1", 1);
    for (event, effects) in [started(&first), interrupted(&first), started(&first)] {
        script.follow(&"run-1".into(), &event, &effects);
    }
    check(&mut script, &[(first, "one"), (prompt("writer", "a.2", 1), "two")]);
}

#[test]
fn a_fallback_does_not_take_over_the_line_of_the_interrupted_agent() {
    let mut script = script(&[("writer", vec![says("w1"), says("w2")]), ("spare", vec![says("s1")])]);
    check(&mut script, &[(prompt("writer", "a.1", 1), "w1"), (prompt("writer", "a.2", 1), "w2")]);
    let (event, effects) = interrupted(&prompt("writer", "a.2", 1));
    script.follow(&"run-1".into(), &event, &effects);
    check(&mut script, &[(prompt("spare", "a.2", 2), "s1")]);
}

#[test]
fn tasks_of_the_same_name_in_two_runs_are_two_calls() {
    let mut script = script(&[("writer", vec![says("one"), says("two"), says("three")])]);
    let in_run = |run: &str, attempt| Call { run: run.into(), ..prompt("writer", "a.1", attempt) };
    check(&mut script, &[(in_run("child-1", 1), "one"), (in_run("child-2", 1), "two"), (in_run("child-1", 1), "one")]);
    let (event, effects) = interrupted(&in_run("child-2", 1));
    script.follow(&"child-2".into(), &event, &effects);
    check(&mut script, &[(in_run("child-1", 2), "three"), (in_run("child-2", 2), "two")]);
}
