//! The way through a workflow: transitions, counters, messages, trouble.

use serde_json::json;

use super::{Play, returns};
use crate::event::FailureKind;
use crate::step::tests::fails;

const LOOP: &str = r#"
input: { max: { type: integer, minimum: 1, maximum: 9, default: 3 } }
data: { draft: null, drafts: [] }
counters: { turns: { first: 1, max: input.max } }
agents:
  writer: { prompt: prompts/w.md, returns: { text: string } }
  judge: { prompt: prompts/j.md, returns: verdict, words: { approved: [OK], needs_revision: ["NO"] } }
trouble: { error: lost }
start: writing
states:
  writing:
    agent: writer
    with: { turn: counters.turns.used, last: data.draft }
    save: { draft: result.text }
    add: { drafts: result.text }
    sends: { type: draft }
    next: judging
  judging:
    agent: judge
    with: { draft: data.draft, inbox: messages }
    next:
      approved: { to: done, because: "approved {{ data.draft }}" }
      needs_revision: { count: turns, to: writing, exceeded: { to: done, partial: true, because: enough, warn: "gave up after {{ counters.turns.used }}" } }
  done: { final: completed, output: { draft: data.draft, drafts: data.drafts, because: run.because } }
  lost: { final: failed, output: { error: run.error.message, kind: run.error.kind } }
"#;

#[test]
fn a_loop_ends_when_its_judge_approves() {
    let mut play = Play::new(LOOP).start(json!({}));
    let mut turn = 0;
    play.run(|call| match call.agent.as_str() {
        "writer" => {
            turn += 1;
            assert_eq!(call.input["turn"], turn);
            returns(json!(format!("draft {turn}")))
        }
        _ => returns(json!(if turn == 2 { "OK!" } else { "NO" })),
    });
    assert_eq!(play.path(), "writing judging writing judging done");
    assert_eq!(play.outcome(), "completed");
    assert_eq!(play.output(), json!({ "draft": "draft 2", "drafts": ["draft 1", "draft 2"], "because": "approved draft 2" }));
}

#[test]
fn a_counter_that_is_used_up_takes_the_other_way() {
    let mut play = Play::new(LOOP).start(json!({ "max": 2 }));
    play.run(|call| returns(json!(if call.agent == "writer" { "draft" } else { "NO" })));
    assert_eq!(play.path(), "writing judging writing judging done");
    assert_eq!(play.outcome(), "partial");
    assert_eq!(play.output()["because"], "enough");
    assert_eq!(play.warnings(), ["gave up after 2"]);
}

#[test]
fn a_message_goes_to_whoever_works_next() {
    let mut play = Play::new(LOOP).start(json!({ "max": 1 }));
    play.run(|call| {
        if call.agent == "judge" {
            assert_eq!(call.input["inbox"][0]["from"], "writer");
            assert_eq!(call.input["inbox"][0]["body"], json!({ "text": "draft" }));
        }
        returns(json!(if call.agent == "writer" { "draft" } else { "OK" }))
    });
    assert_eq!(play.state.messages.len(), 1);
    assert_eq!(play.state.messages[0].to, "judge");
}

#[test]
fn an_error_leads_where_trouble_says() {
    let mut play = Play::new(LOOP).start(json!({}));
    play.run(|_| fails(FailureKind::Configuration, "no such model"));
    assert_eq!(play.path(), "writing lost");
    assert_eq!(play.output(), json!({ "error": "no such model", "kind": "configuration" }));
}

#[test]
fn input_that_does_not_fit_is_rejected_with_every_problem() {
    use crate::rejected::Rejected;
    let mut play = Play::new(LOOP);
    let Err(Rejected::InvalidInput(problems)) = play.try_start(json!({ "max": 20, "other": 1 }), |_| {}) else { panic!("it was taken") };
    assert_eq!(problems.len(), 2, "{problems:?}");
}

#[test]
fn one_task_per_item_and_the_best_of_them() {
    let mut play = Play::new(
        r#"
input: { n: { type: integer, minimum: 0, maximum: 5, default: 3 } }
data: { best: null }
agents: { writer: { prompt: prompts/w.md, returns: { text: string, score: number } } }
trouble: { error: lost }
start: writing
states:
  writing:
    agent: writer
    each: range(input.n)
    at_most: 4
    with: { number: item }
    save: { best: 'best(result, "score")' }
    next: done
  done: { final: completed, output: { text: data.best.text, item: data.best.item, all: size(last.writing) } }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    play.run(|call| {
        let number = call.input["number"].as_u64().unwrap() as usize;
        returns(json!({ "text": format!("t{number}"), "score": ([1, 7, 3])[number] }))
    });
    assert_eq!(play.most_at_once, 3);
    assert_eq!(play.output(), json!({ "text": "t1", "item": 1, "all": 3 }));
}

#[test]
fn no_items_is_no_work() {
    let mut play = Play::new(
        r#"
agents: { writer: { prompt: prompts/w.md } }
trouble: { error: done }
start: writing
states:
  writing: { agent: writer, each: data.none, at_most: 4, next: done }
  done: { final: completed, output: { n: size(last.writing) } }
data: { none: null }
"#,
    )
    .start(json!({}));
    play.run(|_| unreachable!("nobody is asked"));
    assert_eq!(play.output(), json!({ "n": 0 }));
}

#[test]
fn a_command_is_judged_by_its_exit_code_alone() {
    let yaml = r#"
input: { words: { type: array, items: string } }
trouble: { error: lost }
start: testing
states:
  testing: { command: { run: 'input.words + ["-q"]', timeout: 5s }, next: { passed: good, failed: bad } }
  good: { final: completed, output: null }
  bad: { final: failed, output: last.testing }
  lost: { final: aborted, output: null }
"#;
    let mut play = Play::new(yaml).start(json!({ "words": ["cargo", "test"] }));
    play.run(|call| {
        assert_eq!(call.work, crate::CallWork::Command { words: vec!["cargo".into(), "test".into(), "-q".into()], within: None });
        returns(json!({ "passed": true, "exit_code": 0 }))
    });
    assert_eq!(play.path(), "testing good");
    let mut play = Play::new(yaml).start(json!({ "words": ["cargo"] }));
    play.run(|_| super::play::Reply::Hangs);
    assert_eq!(play.path(), "testing bad");
    assert_eq!(play.output()["timed_out"], true);
}

#[test]
fn a_return_runs_only_the_items_that_failed() {
    let mut play = Play::new(
        r#"
counters: { again: { max: 1 } }
agents: { worker: { prompt: prompts/w.md, returns: { text: string } } }
trouble: { error: stuck }
start: working
states:
  working: { agent: worker, each: range(3), at_most: 3, with: { number: item }, next: done }
  stuck: { next: { count: again, to: back, exceeded: lost } }
  done: { final: completed, output: 'last.working.map(m, m.text)' }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    let mut failed = false;
    play.run(|call| {
        if call.input["number"] == 1 && !std::mem::replace(&mut failed, true) {
            return fails(FailureKind::Refused, "not now");
        }
        returns(json!(format!("item {}", call.input["number"])))
    });
    assert_eq!(play.output(), json!(["item 0", "item 1", "item 2"]));
    assert_eq!(play.calls.len(), 4, "the two that were done are not done again");
}
