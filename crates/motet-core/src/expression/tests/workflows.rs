//! Every expression that the built-in workflows were sketched with.

use serde_json::{Value, json};

use super::*;

const EXPRESSIONS: &[&str] = &[
    "!run.partial",
    "\"Cover by other means: \" + task.title",
    "all.code_review",
    "best(data.iterations, \"score\").iteration",
    "best(result, \"score\")",
    "best(result, \"score\").item.slogan",
    "budget.left",
    "counters.iterations.used % 5 == 0",
    "counters.rounds.left == 0",
    "data.answers + result.answers",
    "data.assumptions + unanswered(data.questions)",
    "data.facts + result.facts",
    "data.phase == null",
    "data.quality.overall >= input.min_quality",
    "data.results.filter(r, r.kind == \"research\")",
    "data.review.outcome == \"approved\"",
    "data.reviews + result",
    "data.ux_required || result.tasks.exists(t, t.requires_ux_dx_review)",
    "either(data.documentation.summary, last.wrapping_up.summary)",
    "either(last.synthesis.summary, last.listing.summary)",
    "either(last.wrapping_up.summary, data.decision.summary)",
    "first(data.phases.filter(p, !(p.id in data.closed)))",
    "input.check_in == \"notify\" && counters.iterations.used % 10 == 0",
    "input.check_in == \"pause\" && counters.iterations.used % 10 == 0",
    "input.failure_strategy == \"abort\"",
    "input.lightweight == \"approve\"",
    "input.max_turns",
    "input.stop_when_converged && size(data.turns) >= 3 && similar(data.slogan, data.previous) > 0.95",
    "input.test_command + data.phase.test_args",
    "item",
    "last.dispatching.failed * 2 > size(data.tasks)",
    "last.dispatching.open == 0",
    "last.testing.summary",
    "latest(data.reviews)",
    "merge(data.phases, result.phases, \"id\")",
    "merge(data.sources, result.sources, \"url\")",
    "merge(data.tasks, result.task_updates, \"id\")",
    "messages",
    "range(input.candidates)",
    "result.all(r, r.outcome == \"rejected\")",
    "result.blocking_error != null",
    "result.done == 0",
    "result.exists(r, r.findings.exists(f, f.gap == \"research\"))",
    "result.exists(r, r.outcome == \"approved\")",
    "result.files < 3 && result.scope_clear",
    "result.findings.map(f, f.task)",
    "result.related == false",
    "result.status == \"blocked\"",
    "run.now",
    "run.stopped && data.quality.article == null",
    "size(data.audit.untraced) > 0",
    "size(data.facts) > 0",
    "task.fixes in data.failing",
    "task.phase == data.phase.id",
    "tokens(data.facts) > 20000",
];

#[test]
fn they_all_parse_and_hold_on_an_empty_run() {
    let nothing = Object(json!({}));
    for source in EXPRESSIONS {
        let expression = parse(source).unwrap_or_else(|diagnostic| panic!("{source}\n{}", diagnostic.render(|_| None)));
        let scope = Scope::new(&nothing);
        let value = expression.evaluate(&scope);
        assert!(!scope.is_exhausted(), "{source}");
        assert!(matches!(value, Value::Null | Value::Bool(_) | Value::Array(_)), "{source} = {value}");
    }
}

#[test]
fn a_run_of_a_workflow_reads_its_data() {
    let run = Object(json!({
        "input": { "candidates": 2, "test_command": ["cargo", "test"] },
        "data": {
            "phases": [{ "id": "p1" }, { "id": "p2", "test_args": ["--lib"] }], "closed": ["p1"], "phase": { "id": "p2", "test_args": ["--lib"] },
            "ux_required": false, "tasks": [{ "id": "t1", "phase": "p1" }, { "id": "t2", "phase": "p2" }],
        },
        "result": { "tasks": [{ "requires_ux_dx_review": true }], "task_updates": [{ "id": "t2", "phase": "p3" }, { "id": "t3" }] },
        "last": { "dispatching": { "failed": 2 } },
    }));
    let check = |source: &str, expected: Value| assert_eq!(parse(source).expect(source).evaluate(&Scope::new(&run)), expected, "{source}");
    check("range(input.candidates)", json!([0, 1]));
    check("first(data.phases.filter(p, !(p.id in data.closed)))", json!({ "id": "p2", "test_args": ["--lib"] }));
    check("input.test_command + data.phase.test_args", json!(["cargo", "test", "--lib"]));
    check("data.ux_required || result.tasks.exists(t, t.requires_ux_dx_review)", json!(true));
    check("merge(data.tasks, result.task_updates, \"id\").map(t, t.phase)", json!(["p1", "p3", null]));
    check("last.dispatching.failed * 2 > size(data.tasks)", json!(true));
}
