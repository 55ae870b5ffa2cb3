//! The bounds: what one visit takes, what a run takes, and what it comes from.

use super::report;

const MACHINE: &str = "
input:
  rounds: { type: integer, minimum: 1, maximum: 10, default: 3 }
  items: { type: integer, minimum: 1, maximum: 4, default: 2 }
limits: { cost: 20, time: 1h }
counters: { rounds: { first: 1, max: input.rounds }, fixes: { max: 2 } }
agents:
  worker: { prompt: prompts/worker.md, timeout: 1m, retry: { attempts: 3, wait: [2s, 4s] }, if_unclear: { ask_again: 0 }, cost: 0.5, fallback: [spare] }
  spare: { builtin: text.count, if_unclear: { ask_again: 0 }, timeout: 30s, retry: { attempts: 1 } }
trouble: { error: failed, time: closing }
start: working
states:
  working: { agent: worker, each: range(input.items), at_most: input.items, next: testing }
  testing:
    command: { run: [make, test], timeout: 10m }
    next:
      passed: deciding
      failed: { count: fixes, to: testing, exceeded: deciding }
  deciding:
    next:
      - { when: 1 > 2, to: closing }
      - { count: rounds, to: working, exceeded: closing }
  closing: { command: { run: [make, report], timeout: 5m }, next: asking }
  asking: { gate: { ask: fine?, options: [fine], deadline: 1h, otherwise: fine }, next: end }
  failed: { final: failed }
  end: { final: completed }
";

#[test]
fn a_visit_takes_every_attempt_of_every_agent_for_every_item() {
    let report = report(MACHINE);
    let working = &report.bounds[0].states[0];
    assert_eq!((working.state.as_str(), working.calls), ("working", 2 * (3 + 1)));
    assert_eq!(working.cost.map(|cost| cost.dollars()), Some(2.0 * 1.5));
    assert_eq!(working.time_ms, 2 * (3 * 60_000 + 6_600 + 30_000), "a wait may be a tenth longer");
}

#[test]
fn entries_and_totals_follow_the_inputs() {
    let report = report(MACHINE);
    let entries = |case: usize, state: usize| report.bounds[case].states[state].entries;
    assert_eq!(report.bounds.iter().map(|bounds| bounds.inputs).collect::<Vec<&str>>(), ["with defaults", "at maximum inputs"]);
    assert_eq!((entries(0, 0), entries(1, 0)), (Some(3), Some(10)));
    assert_eq!((entries(0, 1), entries(1, 1)), (Some(5), Some(12)), "the fixes are never refilled");
    assert_eq!(report.bounds[0].total.calls, Some(3 * 8 + 5 + 2), "the time may be up while closing");
    assert_eq!(report.bounds[0].total.cost.map(|cost| cost.dollars()), Some(9.0));
    assert_eq!(report.bounds[0].total.waiting_ms, Some(3_600_000));
}

#[test]
fn the_declared_time_is_exceeded_by_one_task_and_the_way_to_the_end() {
    let report = report(MACHINE);
    let hour = 3_600_000;
    assert_eq!(report.bounds[1].time_limit_ms, Some(hour));
    assert_eq!(report.bounds[1].time_with_limit_ms, Some(hour + 600_000 + 300_000));
}

#[test]
fn the_loop_that_costs_most_is_named() {
    let report = report(MACHINE);
    let dominant = report.bounds[1].dominated_by.as_ref().expect("a loop dominates");
    assert_eq!((dominant.counter.as_str(), dominant.room, dominant.calls_without), ("rounds", 9, 16 + 3 + 2));
}

#[test]
fn a_real_input_replaces_defaults_and_maxima() {
    let report = crate::check::check(&super::definition(MACHINE), Some(&serde_json::json!({ "rounds": 7 })));
    assert_eq!(report.bounds.len(), 1);
    assert_eq!(report.bounds[0].states[0].entries, Some(7));
    assert_eq!(report.bounds[0].states[0].calls, 8, "what is not given has its default");
}

#[test]
fn the_summary_leads_with_the_declared_limits_and_ends_with_a_table() {
    let summary = report(MACHINE).summary();
    let lines: Vec<&str> = summary.lines().take(8).collect();
    let expected = [
        "small 1.0.0: 7 states, 11 transitions, 0 of 0 properties hold",
        "",
        "with defaults:",
        "  declared limits    cost $20.00, time 1h (the last task and the way to the end included: 1h 15m)",
        "  by shape alone     15 visits, 31 calls, cost $9.00, time 1h 21m, waiting for people 1h",
        "  dominated by       rounds (room for 2); without it 13 calls",
        "  state     entries  visits  calls per visit  cost per visit  time per visit",
        "  working         3       3                8           $3.00          7m 13s",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_return_is_a_visit_but_not_an_entry() {
    let report = report(
        "
counters: { restarts: { max: 2 } }
trouble: { error: failing }
start: a
states:
  a: { agent: worker, next: end }
  failing: { next: { count: restarts, to: back, exceeded: end } }
  end: { final: completed }
",
    );
    let a = &report.bounds[0].states[0];
    assert_eq!((a.entries, a.visits), (Some(1), Some(3)));
}
