//! Case files as people write them, right and wrong.

use std::collections::BTreeMap;

use super::{Case, Does, GateLine, Happening, Happens, Line, json_schema, parse};
use crate::event::{FailureKind, Price, Question};
use crate::units::Usd;
use serde_json::json;

const WHOLE: &str = r#"case: approved on the second turn
input: { product: eco-friendly water bottles }
unattended: true
budget: 2.5
max_time: 10m
agents:
  writer: ["Hydrate Green", { slogan: "Save Our Seas" }, null]
  reviewer:
    - Good rhythm but vague.
    - { returns: SHIP IT!, delay_ms: 20, tokens: 12, tokens_in: 3, cost: 0.01, tool_calls: 1 }
    - { fails: rate_limited, message: slow down, times: 3 }
    - { asks: Which tone?, options: [formal, playful], default: formal }
    - { hangs: true, task: b1, times: all }
    - { returns: true, comment: this is an object }
  testing: { exit: 1, stdout: 12 passed }
gates:
  approving: [approve, { option: changes, text: more tests, by: ada, after: 5m, edits: { tasks: [] } }, silent]
  asking: { answers: { tone: formal } }
events: [{ after: 10s, cancel: true }, { in: building, crash: true }, { in: stopped, resume: { budget: 10 } }, { pause: true }]
expect:
  status: completed
  path: [generating, completed]
  counters: { turns: 2 }
  output: { final_slogan: Save Our Seas }
  duration: 1m30s
  calls: { writer: 2 }
  together: [[a, b], [c]]
  files: { report.md: [Seas] }
"#;

fn read(text: &str) -> Case {
    parse("cases/one.yaml", text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// All that is said about a part exchanged in a good case.
fn check(part: &str, instead: &str) -> String {
    assert!(WHOLE.contains(part), "{part}");
    let text = WHOLE.replacen(part, instead, 1);
    match parse("cases/one.yaml", &text) {
        Ok(_) => String::new(),
        Err(problems) => problems.iter().map(|problem| problem.render(|_| Some(&text))).collect::<Vec<_>>().join("\n"),
    }
}

fn returns(value: serde_json::Value) -> Line {
    Line { does: Does::Returns(value), delay_ms: 0, tokens_in: 0, tokens_out: 0, cost: 0.0, tool_calls: 0, times: Some(1), task: None }
}

#[test]
fn plain_values_come_back_as_they_are() {
    let case = read(WHOLE);
    assert_eq!(
        case.agents["writer"],
        [returns(json!("Hydrate Green")), returns(json!({ "slogan": "Save Our Seas" })), returns(json!(null))]
    );
    let strange = json!({ "returns": true, "comment": "this is an object" });
    assert_eq!(case.agents["reviewer"][5], returns(strange), "a key that no line has makes it an object");
}

#[test]
fn lines_say_what_else_a_call_does() {
    let case = read(WHOLE);
    let lines = &case.agents["reviewer"];
    let ship = Line { delay_ms: 20, tokens_in: 3, tokens_out: 12, cost: 0.01, tool_calls: 1, ..returns(json!("SHIP IT!")) };
    assert_eq!(lines[1], ship);
    let fails = Does::Fails { kind: FailureKind::RateLimited, message: "slow down".into() };
    assert_eq!(lines[2], Line { does: fails, times: Some(3), ..returns(json!(null)) });
    let options = vec!["formal".to_owned(), "playful".to_owned()];
    let question = Question { question: "Which tone?".into(), options, default: Some("formal".into()), ..Question::default() };
    assert_eq!(lines[3].does, Does::Asks(question));
    assert_eq!((&lines[4].does, lines[4].times, lines[4].task.as_deref()), (&Does::Hangs, None, Some("b1")));
    let until_crash = read(&WHOLE.replace("hangs: true", "hangs: until_crash"));
    assert_eq!(until_crash.agents["reviewer"][4].does, Does::HangsUntilCrash);
    let exits = Does::Exits { code: 1, stdout: "12 passed".into(), stderr: String::new() };
    assert_eq!(case.agents["testing"], [Line { does: exits, times: None, ..returns(json!(null)) }], "not a list: every time");
}

#[test]
fn gates_and_events_are_read() {
    let case = read(WHOLE);
    let [approve, changes, silent] = &case.gates["approving"][..] else { panic!("three answers") };
    assert_eq!((approve.option.as_deref(), approve.silent), (Some("approve"), false));
    let edited = GateLine {
        option: Some("changes".into()),
        text: Some("more tests".into()),
        by: "ada".into(),
        after_ms: 300_000,
        ..approve.clone()
    };
    assert_eq!(*changes, GateLine { edits: [("tasks".to_owned(), json!([]))].into(), ..edited });
    assert!(silent.silent && silent.option.is_none());
    assert_eq!(case.gates["asking"][0].answers["tone"], "formal");
    let cancel = Happening { after_ms: 10_000, in_state: None, what: Happens::Cancel };
    let crash = Happening { after_ms: 0, in_state: Some("building".into()), what: Happens::Crash };
    let resume = Happening {
        in_state: Some("stopped".into()),
        what: Happens::Resume { budget: Some(10.0), max_time_ms: None, edits: BTreeMap::new() },
        ..crash.clone()
    };
    let pause = Happening { in_state: None, what: Happens::Pause, ..crash.clone() };
    assert_eq!(case.events, [cancel, crash, resume, pause]);
}

#[test]
fn the_rest_is_read() {
    let case = read(WHOLE);
    assert_eq!((case.unattended, case.budget, case.max_time_ms), (true, Some(2.5), Some(600_000)));
    assert_eq!(case.input, json!({ "product": "eco-friendly water bottles" }));
    assert_eq!(case.expect.status.as_deref(), Some("completed"));
    assert_eq!(case.expect.path, Some(vec!["generating".into(), "completed".into()]));
    assert_eq!((case.expect.counters["turns"], case.expect.calls["writer"], case.expect.duration_ms), (2, 2, Some(90_000)));
    assert_eq!(case.expect.together, [vec!["a", "b"], vec!["c"]]);
    assert_eq!(case.expect.warnings, None, "what is absent is not compared");
    assert_eq!(read("case: nothing\nexpect: { status: completed }\n").input, json!({}));
}

#[test]
fn mistakes_are_shown_like_those_of_a_workflow() {
    insta::assert_snapshot!(check("unattended: true", "unatended: true"), @r#"
    error[M0102]: unknown key `unatended` in a case
     --> cases/one.yaml:3:1
      |
    3 | unatended: true
      | ^^^^^^^^^
      = help: did you mean `unattended`?
    "#);
    insta::assert_snapshot!(check("delay_ms: 20", "dealy_ms: 20"), @r#"
    error[M0102]: unknown key `dealy_ms` in a line
      --> cases/one.yaml:10:28
       |
    10 |     - { returns: SHIP IT!, dealy_ms: 20, tokens: 12, tokens_in: 3, cost: 0.01, tool_calls: 1 }
       |                            ^^^^^^^^
       = help: did you mean `delay_ms`?
       = help: to return this mapping itself, write it under `returns`
    "#);
    insta::assert_snapshot!(check("fails: rate_limited", "fails: ratelimited"), @r#"
    error[M0109]: expected `timeout`, `unavailable`, `rate_limited`, `invalid_output`, `reported`, `crashed`, `interrupted`, `refused`, `not_found`, `configuration`, `invalid_workflow`, `budget` or `cancelled`, found `ratelimited`
      --> cases/one.yaml:11:16
       |
    11 |     - { fails: ratelimited, message: slow down, times: 3 }
       |                ^^^^^^^^^^^
       = help: did you mean `rate_limited`?
    "#);
    insta::assert_snapshot!(check("message: slow down", "stdout: slow down"), @r#"
    error[M0127]: `stdout` belongs to `exit`
      --> cases/one.yaml:11:30
       |
    11 |     - { fails: rate_limited, stdout: slow down, times: 3 }
       |                              ^^^^^^
    "#);
    insta::assert_snapshot!(check("{ after: 10s, cancel: true }", "{ after: 10, cancel: true, crash: true }"), @r#"
    error[M0109]: expected a duration such as `500ms`, `30s`, `10m`, `2h` or `1h30m`, found `10`
      --> cases/one.yaml:19:19
       |
    19 | events: [{ after: 10, cancel: true, crash: true }, { in: building, crash: true }, { in: stopped, resume: { budget: 10 } }, { pause: true }]
       |                   ^^

    error[M0103]: an event needs exactly one of `pause`, `resume`, `cancel` and `crash`
      --> cases/one.yaml:19:10
       |
    19 | events: [{ after: 10, cancel: true, crash: true }, { in: building, crash: true }, { in: stopped, resume: { budget: 10 } }, { pause: true }]
       |          ^
    "#);
    insta::assert_snapshot!(check("  status: completed\n  path: [generating, completed]", "  status: complete\n  pathh: [generating, completed]"), @r#"
    error[M0102]: unknown key `pathh` in `expect`
      --> cases/one.yaml:22:3
       |
    22 |   pathh: [generating, completed]
       |   ^^^^^
       = help: did you mean `path`?

    error[M0109]: expected `completed`, `partial`, `failed`, `aborted`, `cancelled`, `running`, `waiting` or `paused`, found `complete`
      --> cases/one.yaml:21:11
       |
    21 |   status: complete
       |           ^^^^^^^^
       = help: did you mean `completed`?
    "#);
    insta::assert_snapshot!(check("case: approved on the second turn\n", ""), @r#"
    error[M0103]: a case needs the key `case`
     --> cases/one.yaml:1:1
      |
    1 | input: { product: eco-friendly water bottles }
      | ^
      = help: `case`: What the case shows, in a sentence.
    "#);
    insta::assert_snapshot!(check("{ exit: 1, stdout: 12 passed }", "{ exit: 1, hangs: true }"), @r#"
    error[M0127]: a line has `exit` or `hangs`, not both
      --> cases/one.yaml:15:23
       |
    15 |   testing: { exit: 1, hangs: true }
       |                       ^^^^^
    "#);
}

#[test]
fn the_published_schema_takes_a_case_and_refuses_slips() {
    let schema = json_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let fits = |text: &str| validator.is_valid(&crate::language::yaml::parse("case", text).unwrap().to_json());
    assert!(fits(WHOLE));
    assert!(!fits(&WHOLE.replace("unattended:", "unatended:")));
    assert!(!fits(&WHOLE.replace("  status: completed", "  status: complete")));
    assert!(!fits(&WHOLE.replace("cancel: true", "cancle: true")));
    assert!(!fits("input: {}\n"));
}

#[test]
fn a_question_says_whose_it_is_and_what_holds_where_nobody_is_there() {
    let asked = |line: &str| match &read(&WHOLE.replacen("{ asks: Which tone?, options: [formal, playful], default: formal }", line, 1))
        .agents["reviewer"][3]
        .does
    {
        Does::Asks(question) => question.clone(),
        other => panic!("it should ask: {other:?}"),
    };
    let task = asked("{ asks: Review it., person: true, unattended: wait }");
    assert_eq!((task.is_task, task.is_permission, task.unattended), (true, false, Some(crate::event::Unattended::Wait)));
    let leave = asked("{ asks: Remove it, permission: true }");
    assert_eq!((leave.is_task, leave.is_permission, leave.unattended), (false, true, None));
    let asks = "{ asks: Which tone?, options: [formal, playful], default: formal }";
    assert!(check(asks, "{ asks: x, person: true, permission: true }").contains("either the program's"));
    assert!(check(asks, "{ returns: x, person: true }").contains("`person` belongs to `asks`"));
    assert!(check(asks, "{ asks: x, unattended: never }").contains("unattended"));
}

#[test]
fn a_price_is_read_in_dollars_and_an_unknown_key_of_it_is_told() {
    let price = |inside: &str| parse("cases/one.yaml", &format!("case: c\nprices: {{ writer: {{ {inside} }} }}\nexpect: {{}}\n"));
    let expected = Price { call: Usd(10_000), input_per_million: Usd(3_000_000), max_tokens: Some(50), turns: Some(3), ..Price::default() };
    let case = price("call: 0.01, input_per_million: 3, max_tokens: 50, turns: 3").expect("it is a case");
    assert_eq!(case.prices, [("writer".to_string(), expected)].into());
    let problems = price("input_per_milion: 3").expect_err("it is misspelt");
    assert!(problems.iter().any(|problem| problem.message.contains("input_per_milion")), "{problems:#?}");
}
