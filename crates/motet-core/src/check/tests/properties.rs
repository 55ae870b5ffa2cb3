//! The four sentences of `require`, each where it holds and where a path breaks it.

use super::report;
use crate::check::graph::show_path;

/// A review loop behind one approval, with whatever transition a test puts into it.
fn machine(approving: &str, require: &str) -> String {
    format!(
        "input: {{ max_fixes: {{ type: integer, minimum: 0, maximum: 5, default: 2 }} }}
counters: {{ fixes: {{ max: input.max_fixes }}, answers: {{ max: unlimited }} }}
trouble: {{ error: stopped }}
start: planning
states:
  planning: {{ agent: worker, next: approving }}
  approving: {{ gate: {{ ask: go?, options: [approve, change, skip], otherwise: skip }}, next: {{ approve: building, change: {{ count: answers, to: planning }}, skip: {approving} }} }}
  building: {{ agent: worker, next: testing }}
  testing: {{ command: {{ run: [make, test], timeout: 1m }}, next: {{ passed: end, failed: {{ count: fixes, to: fixing, exceeded: end }} }} }}
  fixing: {{ agent: worker, next: testing }}
  stopped: {{ gate: {{ ask: again?, options: [retry, stop], otherwise: stop }}, next: {{ retry: {{ count: answers, to: back }}, stop: end }} }}
  end: {{ final: completed }}
require:
  the property: {require}
"
    )
}

fn check(approving: &str, require: &str, expected: Result<(), &str>) {
    let report = report(&machine(approving, require));
    let property = &report.properties[0];
    match expected {
        Ok(()) => assert!(property.holds, "`{require}` should hold, broken by {}", show_path(&property.path)),
        Err(path) => {
            assert!(!property.holds, "`{require}` should not hold");
            assert_eq!(show_path(&property.path), path, "`{require}`");
            let problem = report.diagnostics.iter().find(|problem| problem.code == "M0204").expect("a broken property is a problem");
            let said = if path.is_empty() { "the run begins in `planning`" } else { path };
            assert!(problem.help.iter().any(|help| help.contains(said)), "{problem:?}");
        }
    }
}

#[test]
fn every_path_passes() {
    let rule = "every path to building passes approving.approve";
    check("end", rule, Ok(()));
    check("building", rule, Err("planning → approving –skip→ building"));
    check("end", "every path to building passes planning", Ok(()));
    check("end", "every path to testing.passed passes building", Ok(()));
    check("testing", "every path to testing.passed passes building", Err("planning → approving –skip→ testing –passed→ end"));
    check("end", "every path to planning passes approving", Err(""));
}

#[test]
fn no_path_avoids() {
    check("end", "no path from fixing to end avoids testing, stopped", Ok(()));
    check("end", "no path from fixing to end avoids testing", Err("fixing –error→ stopped –stop→ end"));
    check("end", "no path from testing.failed to end avoids testing.passed", Err("testing –failed, fixes used up→ end"));
    check("end", "no path from building to planning avoids end", Ok(()));
    check("end", "no path from approving.change to building avoids planning", Ok(()));
}

#[test]
fn after_only() {
    check("end", "after building only testing, stopped", Ok(()));
    check("end", "after building only testing", Err("building –error→ stopped"));
    check("end", "after testing.failed only fixing, end", Ok(()));
    check("end", "after testing.failed only fixing", Err("testing –failed, fixes used up→ end"));
}

#[test]
fn entered_at_most() {
    check("end", "fixing is entered at most input.max_fixes times", Ok(()));
    let again = "planning → approving –approve→ building → testing –failed→ fixing → testing";
    check("end", "testing is entered at most once", Err(again));
    let changed = "planning → approving –change→ planning → approving –change→ planning";
    check("end", "planning is entered at most 2 times", Err(changed));
}

#[test]
fn entries_are_counted_anew_after_each_place_of_per() {
    check("end", "testing is entered at most once per building, fixing", Ok(()));
    check("end", "testing is entered at most once per building", Err("building → testing –failed→ fixing → testing"));
    check("end", "building is entered at most once per approving.approve", Ok(()));
    check("end", "approving is entered at most once per planning", Ok(()));
}

#[test]
fn a_return_is_not_an_entry() {
    check("end", "building is entered at most once per approving", Ok(()));
}

#[test]
fn the_trouble_of_a_state_is_none_of_its_outcomes() {
    let text = "
input: { mode: { enum: [error, fine], default: fine } }
trouble: { error: stopped }
start: a
states:
  a: { agent: worker, by: input.mode, next: { error: b, fine: end } }
  b: { next: end }
  stopped: { final: failed }
  end: { final: completed }
require:
  of the outcome: after a.error only b
  of the state: after a only b, end
";
    let report = report(text);
    assert_eq!(report.properties.iter().map(|property| property.holds).collect::<Vec<bool>>(), [true, false]);
}
