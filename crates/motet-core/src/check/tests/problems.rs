//! For every problem the checker knows: a small machine that has it, and the same one repaired.

use super::{check_problems, report};

const SOUND: &[&str] = &[];

#[test]
fn a_state_that_nothing_enters_is_unreachable() {
    let machine = |next: &str| format!("start: a\nstates:\n  a: {{ next: {next} }}\n  b: {{ next: end }}\n  end: {{ final: completed }}\n");
    check_problems(&machine("end"), &["M0201"], "no path leads to `b`");
    check_problems(&machine("b"), SOUND, "");
}

#[test]
fn a_state_from_which_no_end_can_be_reached_is_a_trap() {
    let machine = |next: &str| {
        format!(
            "counters: {{ rounds: {{ max: 3 }} }}
start: a
states:
  a: {{ gate: {{ ask: go?, options: [yes_please, no_thanks], otherwise: no_thanks }}, next: {{ yes_please: b, no_thanks: end }} }}
  b: {{ next: {{ count: rounds, to: c, exceeded: c }} }}
  c: {{ next: {next} }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("{ count: rounds, to: b, exceeded: b }"), &["M0202", "M0203"], "it gets there by a –yes_please→ b");
    check_problems(&machine("end"), SOUND, "");
}

#[test]
fn a_loop_without_a_counter_is_endless() {
    let machine = |again: &str| {
        format!(
            "counters: {{ rounds: {{ max: 3 }} }}
start: a
states:
  a: {{ next: b }}
  b: {{ next: [{{ when: 1 > 2, {again} }}, end] }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("to: a"), &["M0203"], "a → b → a");
    check_problems(&machine("to: a, count: rounds, exceeded: end, reset: [rounds]"), &["M0203"], "it counts `rounds`, but resets it");
    check_problems(&machine("to: a, count: rounds, exceeded: end"), SOUND, "");
}

#[test]
fn an_error_that_leads_back_to_the_state_that_had_it_is_endless() {
    let machine = |retry: &str| {
        format!(
            "counters: {{ restarts: {{ max: 1 }} }}
trouble: {{ error: failing }}
start: a
states:
  a: {{ agent: worker, next: end }}
  failing: {{ next: {{ {retry} }} }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("to: back"), &["M0203"], "a –error→ failing → a");
    check_problems(&machine("to: back, count: restarts, exceeded: end"), SOUND, "");
}

#[test]
fn a_limit_fires_once_and_again_only_after_a_return() {
    let machine = |after: &str| {
        format!(
            "counters: {{ restarts: {{ max: 1 }} }}
trouble: {{ error: failed, time: again }}
start: a
states:
  a: {{ agent: worker, next: end }}
  again: {{ next: {{ {after} }} }}
  failed: {{ final: failed }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("to: a"), SOUND, "");
    check_problems(&machine("to: back"), &["M0203"], "a –time→ again → a");
    check_problems(&machine("to: back, count: restarts, exceeded: end"), SOUND, "");
}

#[test]
fn a_return_needs_something_to_return_to() {
    let machine = |back: &str| {
        format!(
            "counters: {{ restarts: {{ max: 1 }} }}
start: a
states:
  a: {{ next: [{{ when: 1 > 2, to: b{back} }}, end] }}
  b: {{ next: {{ to: back, count: restarts, exceeded: end }} }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine(""), &["M0205"], "on this path: a → b");
    check_problems(&machine(", back: a"), SOUND, "");
}

#[test]
fn a_transition_that_is_no_trouble_keeps_what_back_means() {
    let text = "
counters: { restarts: { max: 1 } }
trouble: { error: failing }
start: a
states:
  a: { agent: worker, next: b }
  b: { agent: worker, next: end }
  failing: { next: waiting }
  waiting: { next: { to: back, count: restarts, exceeded: end } }
  end: { final: completed }
require:
  straight back: no path from b to a avoids end
";
    assert!(report(text).properties[0].holds, "the return from the trouble of `b` leads to `b`, never to `a`");
}

#[test]
fn an_unlimited_counter_needs_the_answer_of_a_person() {
    let machine = |otherwise: &str| {
        format!(
            "input: {{ policy: {{ enum: [again, stop], default: stop }}, other: {{ enum: [stop, wait], default: stop }} }}
counters: {{ answers: {{ max: unlimited }} }}
start: a
states:
  a: {{ gate: {{ ask: go?, options: [again, stop], otherwise: {otherwise} }}, next: {{ again: {{ count: answers, to: a }}, stop: end }} }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("again"), &["M0206"], "`otherwise` chooses `again`");
    check_problems(&machine("input.policy"), &["M0206"], "`otherwise` chooses `again`");
    check_problems(&machine("input.other"), SOUND, "");
    check_problems(&machine("stop"), SOUND, "");
    assert_eq!(report(&machine("input.other")).waits, ["a"]);
    assert!(report(&machine("input.policy")).waits.is_empty());
}

#[test]
fn answers_by_default_are_not_answers_of_a_person() {
    let machine = |choices: &str| {
        format!(
            "input: {{ policy: {{ enum: [{choices}], default: wait }} }}
data: {{ open: [] }}
counters: {{ answers: {{ max: unlimited }} }}
start: a
states:
  a: {{ gate: {{ ask: which?, questions: data.open, otherwise: input.policy }}, next: {{ answered: [{{ when: 1 > 2, to: end }}, {{ count: answers, to: a }}] }} }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("defaults, wait"), &["M0206"], "`otherwise` chooses `answered`");
    check_problems(&machine("wait"), SOUND, "");
}

#[test]
fn a_gate_that_does_not_say_what_holds_without_an_answer_may_hang() {
    let machine = |otherwise: &str| {
        format!(
            "start: a\nstates:\n  a: {{ gate: {{ ask: go?, options: [go, stop]{otherwise} }}, next: end }}\n  end: {{ final: completed }}\n"
        )
    };
    check_problems(&machine(""), &["M0207"], "an unattended run would wait in `a`");
    check_problems(&machine(", otherwise: stop"), SOUND, "");
    check_problems(&machine(", otherwise: wait"), SOUND, "");
    assert_eq!(report(&machine(", otherwise: wait")).waits, ["a"]);
    assert!(report(&machine(", otherwise: stop")).waits.is_empty());
}

#[test]
fn an_unattended_run_may_wait_where_an_agent_asks() {
    let machine = |questions: &str| {
        format!(
            "\nagents: {{ worker: {{ prompt: prompts/worker.md }} }}\nquestions: {{ {questions} }}\ntrouble: {{ error: lost }}\nstart: a\nstates:\n  a: {{ agent: worker, next: end }}\n  end: {{ final: completed }}\n  lost: {{ final: failed }}\n"
        )
    };
    assert_eq!(report(&machine("answered_by: [person], at_most: 1, otherwise: wait")).waits, ["a"]);
    for never in ["answered_by: [person], at_most: 1, otherwise: fail", "answered_by: [person], at_most: 0, otherwise: wait"] {
        assert!(report(&machine(never)).waits.is_empty(), "{never}");
    }
}

#[test]
fn a_result_is_read_only_where_its_state_can_have_run() {
    let machine = |first: &str, second: &str| {
        format!(
            "trouble: {{ error: end }}
start: a
states:
  a: {{ agent: worker, with: {{ x: {first} }}, next: b }}
  b: {{ agent: worker, with: {{ x: {second} }}, next: end }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("last.b.text", "1"), &["M0208"], "`b` cannot have run when `a` reads its result");
    check_problems(&machine("last.a.text", "1"), &["M0208"], "`a` cannot have run when `a` reads its result");
    check_problems(&machine("1", "last.a.text"), SOUND, "");
}

#[test]
fn data_that_begins_as_null_is_read_only_where_something_can_have_set_it() {
    let machine = |before: &str, on_leaving: &str| {
        format!(
            "data: {{ text: null, note: 1 }}
trouble: {{ error: end }}
start: a
states:
  a: {{ agent: worker, with: {{ x: {before} }}, save: {{ text: result }}, add: {{ note: {on_leaving} }}, next: b }}
  b: {{ agent: worker, with: {{ x: data.text }}, next: end }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("data.text", "1"), &["M0208"], "nothing can have set `data.text` when `a` reads it");
    check_problems(&machine("data.note", "data.text"), SOUND, "");
    let swapped = machine("1", "1").replace("text: result", "text: result, note: data.text");
    check_problems(&swapped, &["M0208"], "nothing can have set `data.text` when `a` reads it");
}

#[test]
fn what_is_kept_for_a_state_covers_one_visit_of_it() {
    let machine = |share: &str| {
        format!(
            "limits: {{ cost: 10, keep: {{ a: {share} }} }}
agents:
  worker: {{ prompt: prompts/worker.md, cost: 1.5, retry: {{ attempts: 2 }}, if_unclear: {{ ask_again: 0 }} }}
trouble: {{ error: end }}
start: a
states:
  a: {{ agent: worker, next: end }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine("20%"), &["M0209"], "keep at least 30% of $10.00");
    check_problems(&machine("30%"), SOUND, "");
}

#[test]
fn a_counter_whose_limit_is_an_input_needs_a_maximum_or_a_default() {
    let machine = |more: &str| {
        format!(
            "input: {{ rounds: {{ type: integer{more} }} }}
counters: {{ rounds: {{ max: input.rounds }} }}
start: a
states:
  a: {{ next: [{{ when: 1 > 2, to: a, count: rounds, exceeded: end }}, end] }}
  end: {{ final: completed }}
"
        )
    };
    check_problems(&machine(""), &["M0210"], "give `rounds` a `maximum` or a `default`");
    check_problems(&machine(", maximum: 5"), SOUND, "");
    check_problems(&machine(", default: 5"), SOUND, "");
}

#[test]
fn a_state_that_can_fail_needs_a_route_for_that() {
    let machine =
        |trouble: &str| format!("start: a\nstates:\n  a: {{ agent: worker, next: end{trouble} }}\n  end: {{ final: completed }}\n");
    check_problems(&machine(""), &["M0211"], "nothing says what happens when `a` fails");
    check_problems(&machine(", trouble: { error: end }"), SOUND, "");
}

#[test]
fn only_transitions_that_some_run_can_take_are_listed() {
    let text = "
counters: { rounds: { max: 3 }, answers: { max: unlimited } }
trouble: { error: failed, budget: failed, time: failed }
start: a
states:
  a: { command: { run: [make], timeout: 1m }, next: { passed: b, failed: { count: rounds, to: a, exceeded: failed } } }
  b: { gate: { ask: go?, options: [again, stop], otherwise: stop }, next: { again: { count: answers, to: a }, stop: end } }
  failed: { final: failed }
  end: { final: completed }
";
    let expected = ["a.passed", "a.failed", "a.failed.exceeded", "b.again", "b.stop", "trouble.error", "trouble.time"];
    assert_eq!(report(text).transitions, expected, "no state of this machine can reach its budget");
}

#[test]
fn trouble_that_every_state_answers_itself_is_not_listed_for_the_workflow() {
    let text = "
trouble: { error: failed, budget: failed }
start: a
states:
  a: { agent: worker, trouble: { error: end }, next: end }
  failed: { final: failed }
  end: { final: completed }
";
    assert_eq!(report(text).transitions, ["a.1", "a.trouble.error", "trouble.budget"]);
}
