//! Money: reserved before a call, settled after it, never overspent.

use serde_json::json;

use super::{Play, returns};
use crate::Fact;
use crate::event::{Person, Price};
use crate::step::tests::play::{Reply, cost, nothing};
use crate::units::Usd;

const MANY: &str = r#"
input: { n: { type: integer, minimum: 1, maximum: 500, default: 200 }, cap: { type: number, minimum: 0, maximum: 1000, default: 5.7 } }
limits: { cost: input.cap }
agents: { worker: { prompt: prompts/w.md, cost: 0.1 } }
TROUBLE
start: working
states:
  working: { agent: worker, each: range(input.n), at_most: input.n, next: done }
  done: { final: completed, output: { n: size(last.working) } }
  stopped: { final: failed, output: { stopped: run.stopped, because: run.because } }
"#;

#[test]
fn exactly_as_many_calls_run_as_the_budget_allows() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped, budget: stopped }")).start(json!({}));
    play.run(|_| cost(nothing(), 0.1));
    assert_eq!(play.calls.len(), 57);
    assert_eq!(play.state.money.spent, Usd(5_700_000));
    assert_eq!(play.output(), json!({ "stopped": "budget", "because": "budget reached" }));
}

#[test]
fn a_budget_the_workflow_does_not_answer_parks_the_run_until_it_is_raised() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped }")).start(json!({ "n": 60 }));
    play.run(|_| cost(nothing(), 0.1));
    assert!(play.is_paused());
    assert_eq!(play.calls.len(), 57);
    play.say(Fact::LimitsRaised { by: Person::named("ada"), cost: Some(Usd(6_000_000)), time_ms: None }).unwrap();
    play.say(Fact::Resumed { by: Person::named("ada") }).unwrap();
    play.run(|_| cost(nothing(), 0.1));
    assert_eq!(play.output(), json!({ "n": 60 }));
    assert_eq!(play.calls.len(), 60);
}

#[test]
fn no_count_of_a_backend_is_too_large_to_be_added_up() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped }")).start(json!({ "n": 2 }));
    let usage =
        crate::event::Usage { tokens_in: u64::MAX, tokens_out: u64::MAX, tool_calls: u64::MAX, cost: Usd(u64::MAX), ..Default::default() };
    play.run(|_| Reply::Returns(nothing(), usage));
    assert_eq!(play.state.usage, usage);
}

#[test]
fn money_that_was_reserved_and_not_spent_is_free_again() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped, budget: stopped }")).start(json!({ "cap": 1.1 }));
    play.run(|_| cost(nothing(), 0.005));
    assert_eq!(play.output(), json!({ "n": 200 }), "a call more than is spent is enough for 200 calls at half a cent");
    assert_eq!(play.most_at_once, 11);
}

#[test]
fn what_an_agent_charges_beyond_its_reservation_is_told() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped, budget: stopped }")).start(json!({ "n": 1 }));
    play.run(|_| cost(nothing(), 0.3));
    assert_eq!(play.state.money.overrun, Usd(200_000));
    assert_eq!(play.warnings().len(), 1);
}

#[test]
fn an_agent_without_a_price_is_stopped_once_what_it_charged_has_used_the_budget_up() {
    let mut play = Play::new(
        r#"
limits: { cost: 0.5 }
agents: { worker: { prompt: prompts/w.md } }
trouble: { error: stopped, budget: stopped }
start: one
states:
  one: { agent: worker, next: two }
  two: { agent: worker, next: three }
  three: { agent: worker, next: done }
  done: { final: completed, output: null }
  stopped: { final: failed, output: run.stopped }
"#,
    )
    .start(json!({}));
    play.run(|_| cost(nothing(), 0.3));
    assert_eq!(play.path(), "one two three stopped");
    assert_eq!(play.calls.len(), 2);
    assert_eq!(play.output(), json!("budget"));
}

#[test]
fn the_price_of_a_backend_decides_what_is_reserved() {
    // One millionth of a dollar for each token, so that an amount is a count.
    let per_token = Price { input_per_million: Usd(1_000_000), output_per_million: Usd(1_000_000), ..Price::default() };
    let reserved = |agent: &str, price: Price| {
        let text = format!(
            "agents: {{ worker: {{ prompt: prompts/w.md{agent} }} }}\nstart: one\nstates: {{ one: {{ agent: worker, next: done }}, done: {{ final: completed }} }}\n"
        );
        let play = Play::new(&text).start_with(json!({}), |started| {
            started.prices.insert("worker".into(), price);
        });
        play.state.money.reserved.0
    };
    let around = reserved("", per_token) - 4096;
    assert!(around > 0, "what surrounds a prompt is counted");
    assert_eq!(reserved(", max_tokens: 1000", per_token), around + 1000);
    assert_eq!(reserved(", max_tokens: 1000", Price { max_tokens: Some(50), ..per_token }), around + 50, "the backend's own limit counts");
    assert_eq!(reserved(", max_tokens: 'min(1000, 30 * 30)'", per_token), around + 900, "an answer may be as long as the run says");
    let turns = Price { turns: Some(3), max_tokens: Some(50), ..per_token };
    assert!(reserved("", turns) >= 3 * (around + 50) + 3 * 50, "every turn sends again what was answered before it");
    assert_eq!(reserved(", cost: 9", Price::default()), 0, "what is free by declaration costs nothing, whatever the workflow says");
    let with_tools = Price { tool_tokens: Some(1000), ..turns };
    assert_eq!(reserved("", with_tools), reserved("", turns) + 3 * 1000, "what tools say is read again in every turn");
    let with_verdict = Price { verdict_tokens: Some(40), ..per_token };
    assert_eq!(reserved("", with_verdict), reserved("", per_token) + 40);
    assert_eq!(reserved(", returns: verdict", per_token), reserved("", per_token), "what the journal's price does not say is not added");
    assert_eq!(reserved("", Price { call: Usd(7), ..Price::default() }), 7);
}

#[test]
fn a_share_is_kept_for_the_state_that_needs_it() {
    let mut play = Play::new(
        r#"
limits: { cost: 1, keep: { writing: 20% } }
agents: { worker: { prompt: prompts/w.md, cost: 0.2 }, writer: { prompt: prompts/x.md, cost: 0.2 } }
trouble: { error: lost, budget: writing }
start: working
states:
  working: { agent: worker, each: range(9), at_most: 9, next: writing }
  writing: { agent: writer, next: done }
  done: { final: completed, output: null }
  lost: { final: failed, output: run.error.message }
"#,
    )
    .start(json!({}));
    play.run(|_| cost(nothing(), 0.2));
    assert_eq!(play.path(), "working writing done");
    assert_eq!(play.calls.len(), 5);
}

#[test]
fn at_the_time_limit_what_runs_finishes_and_nothing_new_starts() {
    let mut play = Play::new(
        r#"
limits: { time: 10s }
agents: { worker: { prompt: prompts/w.md, timeout: 60s, retry: { attempts: 9, wait: [4s] } } }
trouble: { error: lost, time: { to: late, because: too slow } }
start: one
states:
  one: { agent: worker, next: two }
  two: { agent: worker, next: done }
  done: { final: completed, output: null }
  late: { final: completed, output: { because: run.because, stopped: run.stopped, back: run.back } }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    play.start_queued();
    play.next_timer();
    assert_eq!(play.path(), "one", "the call goes on");
    play.run(|_| returns(nothing()));
    assert_eq!(play.path(), "one two late");
    assert_eq!(play.output(), json!({ "because": "too slow", "stopped": "time", "back": "two" }));
}

#[test]
fn waiting_before_another_attempt_is_cut_short_by_the_time_limit() {
    let mut play = Play::new(
        r#"
limits: { time: 10s }
agents: { worker: { prompt: prompts/w.md, retry: { attempts: 9, wait: [4s] } } }
trouble: { error: lost, time: late }
start: one
states:
  one: { agent: worker, next: done }
  done: { final: completed, output: null }
  late: { final: completed, output: null }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    play.run(|_| Reply::Fails(crate::event::FailureKind::Unavailable, "down".into()));
    assert_eq!(play.path(), "one late");
    assert_eq!(play.calls.len(), 3);
}

#[test]
fn a_limit_that_was_moved_binds_again() {
    let mut play = Play::new(
        r#"
limits: { cost: 1 }
agents: { worker: { prompt: prompts/w.md, cost: 1 } }
trouble: { error: lost, budget: asking }
start: working
states:
  working: { agent: worker, each: range(9), at_most: 9, next: done }
  asking: { gate: { ask: More?, options: [more, stop], otherwise: stop }, next: { more: working, stop: done } }
  done: { final: completed, output: null }
  lost: { final: failed, output: run.error.message }
counters: {}
"#,
    )
    .start(json!({}));
    play.run(|_| cost(nothing(), 1.0));
    assert_eq!(play.path(), "working asking");
    play.say(Fact::LimitsRaised { by: Person::named("ada"), cost: Some(Usd(3_000_000)), time_ms: None }).unwrap();
    play.choose("more").unwrap();
    play.run(|_| cost(nothing(), 1.0));
    assert_eq!(play.path(), "working asking working asking", "it stops at the new limit as it did at the old one");
    assert_eq!(play.calls.len(), 3);
}

#[test]
fn what_nobody_confirmed_is_kept_apart_and_nobody_else_may_spend_it() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped, budget: stopped }")).start(json!({ "cap": 0.35 }));
    let usage = crate::event::Usage { cost: Usd(90_000), uncertain: Usd(60_000), estimated: true, ..Default::default() };
    play.run(|_| Reply::Returns(nothing(), usage));
    assert_eq!(play.calls.len(), 3);
    assert_eq!((play.state.money.spent, play.state.money.uncertain), (Usd(90_000), Usd(180_000)));
    assert_eq!((play.state.usage.cost, play.state.usage.uncertain, play.state.usage.estimated), (Usd(270_000), Usd(180_000), true));
}

#[test]
fn doubt_beyond_what_was_reserved_is_told_like_any_other_charge() {
    let mut play = Play::new(&MANY.replace("TROUBLE", "trouble: { error: stopped, budget: stopped }")).start(json!({ "n": 1 }));
    play.run(|_| Reply::Returns(nothing(), crate::event::Usage::unknown(Usd(300_000))));
    assert_eq!((play.state.money.spent, play.state.money.uncertain, play.state.money.overrun), (Usd(0), Usd(100_000), Usd(200_000)));
    assert_eq!(play.warnings().len(), 1);
}

/// The budget that a parked run asks for is given to it as it is written, and it goes on.
fn check_advice(limits: &str, charged: f64, told: &str) {
    let text = r#"
limits: LIMITS
agents: { worker: { prompt: prompts/w.md, cost: 0.012849 }, writer: { prompt: prompts/x.md, cost: 0.1 } }
trouble: { error: lost }
start: working
states:
  working: { agent: worker, next: again }
  again: { agent: worker, next: writing }
  writing: { agent: writer, next: done }
  done: { final: completed, output: null }
  lost: { final: failed, output: run.error.message }
"#;
    let mut play = Play::new(&text.replace("LIMITS", limits)).start(json!({}));
    play.run(|_| cost(nothing(), charged));
    let crate::state::Status::Paused { reason, .. } = play.state.status.clone() else { panic!("{:?}", play.state.status) };
    assert!(reason.contains(told), "{reason}");
    let asked = reason.split("a budget of $").nth(1).and_then(|rest| rest.split(' ').next()).expect("it says how much");
    let cap = Usd::from_dollars(asked.parse().expect("it is a number"));
    let calls = play.calls.len();
    play.say(Fact::LimitsRaised { by: Person::named("ada"), cost: cap, time_ms: None }).unwrap();
    play.say(Fact::Resumed { by: Person::named("ada") }).unwrap();
    play.run(|_| cost(nothing(), charged));
    assert!(play.calls.len() > calls, "{reason}");
}

#[test]
fn the_budget_that_is_asked_for_is_enough() {
    check_advice("{ cost: 0.02 }", 0.012849, "a budget of $0.0257 would pay");
    // What was charged beyond its reservation is spent, too.
    check_advice("{ cost: 0.02 }", 0.05, "a budget of $0.0629 would pay");
    // And a fifth of whatever the budget is stays with the writer.
    check_advice("{ cost: 0.02, keep: { writing: 20% } }", 0.012849, "a budget of $0.0322 would pay");
}
