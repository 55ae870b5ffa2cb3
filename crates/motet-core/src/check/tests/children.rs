//! What a state gives to another workflow is held against what that one declares, as far as the text tells.

use std::sync::Arc;

use crate::check::check_family;
use crate::definition::{Definition, Folder};
use crate::language::{Library, load};

const CHILD: &str = "
workflow: child
version: 1.0.0
summary: Takes some inputs.
input:
  goal: { type: string, minLength: 1 }
  parts: { type: integer, maximum: 20, default: 2 }
  patience: { type: duration, default: 5m }
start: end
states: { end: { final: completed } }
";

struct Shelf;

impl Library for Shelf {
    fn workflow(&self, name: &str) -> Option<Folder> {
        (name == "child").then(|| folder(CHILD))
    }

    fn has_builtin(&self, _: &str) -> bool {
        true
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

fn folder(text: &str) -> Folder {
    Folder::from([("workflow.yaml".to_string(), text.to_string())])
}

fn loaded(text: &str) -> Definition {
    load(folder(text), &Shelf).map(|(definition, _)| definition).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// What is said of a parent whose state is written like this: each problem with its line, and a text that must stand in it.
#[track_caller]
fn check(agents: &str, state: &str, expected: &[(usize, &str)]) {
    let parent = format!(
        "workflow: parent\nversion: 1.0.0\nsummary: Runs a child.\ninput: {{ goal: string }}\nagents: {agents}\n\
         trouble: {{ error: end }}\nstart: a\nstates:\n  a:\n    {state}\n    next: end\n  end: {{ final: completed }}\n"
    );
    let child = Arc::new(loaded(CHILD));
    let report = check_family(&loaded(&parent), None, |name| (name == "child").then(|| child.clone()));
    let found: Vec<_> = report.diagnostics.iter().filter(|problem| problem.code == "M0212" && problem.is_error()).collect();
    assert_eq!(found.len(), expected.len(), "{state}: {found:#?}");
    for (problem, (line, said)) in found.iter().zip(expected) {
        let whole = problem.render(|_| Some(&parent));
        assert_eq!(problem.span.as_ref().map(|span| span.line), Some(*line), "{whole}");
        assert!(whole.contains(said), "`{said}` is not said in:\n{whole}");
    }
}

const RUNNER: &str = "{ runner: { workflow: child } }";

#[test]
fn an_input_that_is_needed_and_not_given_is_an_error_at_the_state() {
    check(RUNNER, "agent: runner", &[(9, "`a` does not give `goal` to child")]);
    check(RUNNER, "agent: runner\n    with: { parts: 3 }", &[(9, "add `goal: …` to its `with`")]);
    check(RUNNER, "agent: runner\n    with: { goal: input.goal }", &[]);
}

#[test]
fn an_input_that_the_child_does_not_have_is_an_error_where_it_is_given() {
    check(RUNNER, "agent: runner\n    with: { goal: input.goal, part: input.goal }", &[(11, "child has no input `part`, which `a` gives")]);
    check(RUNNER, "agent: runner\n    with: { goal: input.goal, part: 3 }", &[(9, "did you mean `parts`?")]);
}

#[test]
fn a_value_in_the_text_must_fit_and_an_expression_is_left_to_the_run() {
    let with = |fields: &str| format!("agent: runner\n    with: {{ goal: input.goal, {fields} }}");
    check(RUNNER, &with("parts: 21"), &[(9, "`a` gives child what it does not take: `parts`")]);
    check(RUNNER, &with("parts: true"), &[(9, "`parts`")]);
    check(RUNNER, &with("patience: '\"soon\"'"), &[(11, "`patience`")]);
    check(RUNNER, &with("parts: 20, patience: '\"2h\"'"), &[]);
    check(RUNNER, &with("parts: input.goal"), &[]);
    check(RUNNER, "agent: runner\n    with: { goal: '\"\"' }", &[(11, "`goal`")]);
}

#[test]
fn each_task_of_a_list_and_whoever_stands_in_is_held_to_it() {
    check(RUNNER, "agent: runner\n    each: range(2)\n    at_most: 2\n    with: { number: item }", &[(9, "`goal`"), (13, "`number`")]);
    let fallback = "{ first: { builtin: text.count, fallback: [runner] }, runner: { workflow: child } }";
    check(fallback, "agent: first\n    with: { text: input.goal }", &[(9, "does not give `goal`"), (11, "no input `text`")]);
}

#[test]
fn of_a_workflow_that_cannot_be_had_nothing_is_said() {
    let parent = loaded(
        "workflow: parent\nversion: 1.0.0\nsummary: Runs a child.\nagents: { runner: { workflow: child } }\ntrouble: { error: end }\n\
         start: a\nstates: { a: { agent: runner, next: end }, end: { final: completed } }\n",
    );
    assert!(check_family(&parent, None, |_| None).diagnostics.is_empty());
}
