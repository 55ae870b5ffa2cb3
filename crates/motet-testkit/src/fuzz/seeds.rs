//! Good inputs to begin with: the workflows of this repository, the testkit's own, and one event of every family.

use std::path::{Path, PathBuf};

use motet_core::diagnostic::Span;
use motet_core::event::Event;
use motet_core::expression::Expression;
use motet_host::journal;
use serde_json::{Value, json};

use crate::workflows;

pub fn workflows() -> Vec<Vec<u8>> {
    let own = [workflows::CHAIN, workflows::BROAD].map(|text| text.as_bytes().to_vec());
    let mut seeds: Vec<_> = files(|path| path.ends_with("workflow.yaml")).chain(own).collect();
    seeds.push(b"workflow: a\nversion: 1.0.0\nstart: b\nstates: { b: { final: completed } }\n".to_vec());
    seeds
}

pub fn cases() -> Vec<Vec<u8>> {
    let in_folder = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with("cases"));
    files(in_folder)
        .chain([b"case: a\ninput: {}\nagents: { a: [{ returns: { b: 1 } }] }\nexpect: { status: completed }\n".to_vec()])
        .collect()
}

/// Whatever in the workflows reads as an expression.
pub fn expressions() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for text in workflows() {
        let text = String::from_utf8_lossy(&text).into_owned();
        let values = text.lines().filter_map(|line| line.split_once(": ")).map(|(_, value)| value.trim());
        let good = values.filter(|value| value.len() > 3 && Expression::parse(value, &Span::default()).is_ok());
        seeds.extend(good.map(|value| value.as_bytes().to_vec()));
    }
    let more = [
        "data.list.filter(x, x != null).map(x, x.score + 1)",
        "data.x > 3 ? data.text + \"a\" : best(result, \"score\").id",
        "1 in [1, 2] && !has(data.y)",
    ];
    seeds.extend(more.map(|text| text.as_bytes().to_vec()));
    seeds
}

pub fn templates() -> Vec<Vec<u8>> {
    let in_folder = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with("prompts") || folder.ends_with("files"));
    let more = [
        "{{ data.text }} of {{ input.n }}",
        "{% for x in data.list %}{{ loop.index }}: {{ x }}{% if not loop.last %}, {% endif %}{% endfor %}",
    ];
    files(in_folder).chain(more.map(|text| text.as_bytes().to_vec())).collect()
}

pub fn events() -> Vec<Vec<u8>> {
    let person = json!({ "name": "Ada" });
    let facts = [
        json!({ "run_started": {
            "version": 1, "run": "r", "workflow": "chain", "workflow_version": "1.0.0", "digest": "00", "input": { "n": 3 }, "by": person,
        } }),
        json!({ "task_started": { "task": "working.1", "attempt": 1 } }),
        json!({ "task_succeeded": { "task": "working.1", "attempt": 1, "result": { "text": "é", "n": [0.1, 1e300, -1] }, "usage": { "tokens_in": 7 } } }),
        json!({ "task_failed": { "task": "working.1", "attempt": 2, "error": { "kind": "timeout", "message": "late" } } }),
        json!({ "task_asked": { "task": "working.1", "attempt": 1, "question": { "question": "Which?", "options": ["a"], "default": "a" } } }),
        json!({ "timer_fired": { "timer": "retry:working.1" } }),
        json!({ "gate_answered": { "gate": "approving.1", "answer": { "by": person, "option": "approve", "answers": { "q": "a" } } } }),
        json!({ "data_edited": { "by": person, "file": "plan.md", "changes": { "tasks": [] } } }),
        json!({ "limits_raised": { "by": person, "cost": 1, "time_ms": 1000 } }),
        json!({ "forked": { "from": "r", "at_seq": 3, "run": "r2", "set": { "x": 1 } } }),
    ];
    facts.into_iter().map(|fact| encoded(&json!({ "seq": 1, "at": 5, "fact": fact }))).collect()
}

fn encoded(event: &Value) -> Vec<u8> {
    let event: Event = serde_json::from_value(event.clone()).expect("the samples are events");
    journal::encode(&event).body
}

/// The contents of the files under `workflows/` that match, in the order of their paths.
fn files(matches: impl Fn(&Path) -> bool) -> impl Iterator<Item = Vec<u8>> {
    let mut paths = Vec::new();
    collect(&crate::repository().join("workflows"), &mut paths);
    paths.retain(|path| matches(path));
    paths.sort();
    paths.into_iter().filter_map(|path| std::fs::read(path).ok())
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, paths) } else { paths.push(path) }
    }
}
