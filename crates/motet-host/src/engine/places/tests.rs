//! Who gets the next free place.

use motet_core::definition::{Class, ModelSettings};
use motet_core::units::Usd;
use serde_json::Value;

use super::*;

fn call(text: &str) -> Call {
    let mut words = text.split(' ');
    let mut word = || words.next().unwrap_or_default().to_string();
    let (run, task, role) = (word(), word(), word());
    let is_function = role.starts_with("call:");
    Call {
        run: RunId::new(run),
        task: TaskId::new(task),
        attempt: 1,
        key: String::new(),
        agent: role.as_str().into(),
        role,
        work: if is_function { CallWork::Builtin { name: "tidy".into() } } else { CallWork::Prompt },
        input: Value::Null,
        correction: None,
        answers: Vec::new(),
        timeout_ms: 1,
        class: Class::Pure,
        works_in: None,
        model: ModelSettings::default(),
        reserved: Usd::ZERO,
        unattended: false,
    }
}

/// Lets the calls wait in this order and takes up all that have a place, without ever ending one.
fn check(total: usize, per_role: &[(&str, usize)], waiting: &[&str], expected: &[&str]) {
    let per_other_role = per_role.iter().find(|(role, _)| *role == "*").map(|(_, most)| *most);
    let per_role = per_role.iter().filter(|(role, _)| *role != "*").map(|(role, most)| (role.to_string(), *most)).collect();
    let mut queue = Queue::new(Places { total, per_role, per_other_role });
    waiting.iter().for_each(|text| queue.wait(&call(text)));
    let mut taken = Vec::new();
    while let Some((run, task, _)) = queue.next() {
        let found = waiting.iter().find(|text| text.starts_with(&format!("{run} {task} "))).unwrap();
        queue.begin(&call(found));
        taken.push(format!("{run} {task}"));
    }
    assert_eq!(taken, expected);
}

#[test]
fn first_come_first_served_within_a_run() {
    check(9, &[], &["a 1 x", "a 2 y", "a 3 x"], &["a 1", "a 2", "a 3"]);
}

#[test]
fn runs_take_turns() {
    check(4, &[], &["a 1 x", "a 2 x", "a 3 x", "a 4 x", "b 1 x", "b 2 x"], &["a 1", "b 1", "a 2", "b 2"]);
}

#[test]
fn what_holds_for_every_other_role_holds_for_each_by_itself() {
    check(9, &[("*", 1), ("y", 2)], &["a 1 x", "a 2 x", "a 3 y", "a 4 y", "a 5 y", "a 6 z"], &["a 1", "a 3", "a 4", "a 6"]);
}

#[test]
fn a_function_is_nobodys_role_and_has_no_place_to_wait_for() {
    check(9, &[("*", 1)], &["a 1 call:tidy", "a 2 call:tidy", "a 3 x", "a 4 x"], &["a 1", "a 2", "a 3"]);
}

#[test]
fn a_full_role_does_not_hold_up_the_others() {
    check(9, &[("x", 1)], &["a 1 x", "a 2 x", "b 1 y"], &["a 1", "b 1"]);
}

#[test]
fn the_same_task_waits_once() {
    check(9, &[], &["a 1 x", "a 1 x"], &["a 1"]);
}

#[test]
fn a_forgotten_task_is_not_taken_up_and_a_freed_place_is() {
    let mut queue = Queue::new(Places { total: 1, ..Places::default() });
    ["a 1 x", "a 2 x", "b 1 x"].iter().for_each(|text| queue.wait(&call(text)));
    queue.forget_waiting(&"a".into(), &"1".into());
    let first = queue.next().unwrap();
    assert_eq!(first, ("a".into(), "2".into(), 1));
    queue.begin(&call("a 2 x"));
    assert_eq!(queue.next(), None);
    assert!(queue.holds(&"a".into()) && queue.holds(&"b".into()) && !queue.holds(&"c".into()));
    assert!(queue.end(&"a".into(), &"2".into(), 1));
    assert!(!queue.end(&"a".into(), &"2".into(), 1));
    assert_eq!(queue.next(), Some(("b".into(), "1".into(), 1)));
}
