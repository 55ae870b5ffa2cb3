//! What the checker promises, on small machines, on whole workflows and on random ones.

mod children;
mod machines;
mod problems;
mod properties;
mod random;
mod totals;
mod workflows;

use crate::check::{Report, check};
use crate::definition::{Definition, Folder};
use crate::language::{Library, load};

/// A library that has every built-in and no workflow.
struct Everything;

impl Library for Everything {
    fn workflow(&self, _: &str) -> Option<Folder> {
        None
    }

    fn has_builtin(&self, _: &str) -> bool {
        true
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A workflow from its states and whatever else it needs; an agent `worker` is always there.
fn definition(text: &str) -> Definition {
    let mut whole = String::from("workflow: small\nversion: 1.0.0\nsummary: A small machine.\n");
    if !text.contains("\nagents:") {
        whole.push_str("agents: { worker: { builtin: text.count } }\n");
    }
    whole.push_str(text.trim_start_matches('\n'));
    let folder = Folder::from([("workflow.yaml".to_string(), whole.clone()), ("prompts/worker.md".to_string(), "Work.".to_string())]);
    match load(folder, &Everything) {
        Ok((definition, _)) => definition,
        Err(problems) => {
            let shown: Vec<String> = problems.iter().map(|problem| problem.render(|_| Some(&whole))).collect();
            panic!("the workflow of the test is wrong:\n{}", shown.join("\n"))
        }
    }
}

fn report(text: &str) -> Report {
    check(&definition(text), None)
}

/// The codes that a workflow earns, and a text that must stand in what is said about it.
fn check_problems(text: &str, codes: &[&str], said: &str) {
    let report = report(text);
    let found: Vec<&str> = report.diagnostics.iter().map(|problem| problem.code).collect();
    let shown: Vec<String> = report.diagnostics.iter().map(|problem| problem.render(|_| None)).collect();
    assert_eq!(found, codes, "{}", shown.join("\n"));
    let whole: Vec<String> =
        report.diagnostics.iter().map(|problem| format!("{}\n{}\n{}", problem.message, problem.label, problem.help.join("\n"))).collect();
    assert!(whole.join("\n").contains(said), "`{said}` is not said in:\n{}", whole.join("\n"));
}
