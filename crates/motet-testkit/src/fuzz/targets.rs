//! Everything that reads what others wrote, each as a function of bytes that must return.
//! What they find wrong with the input is their business; that they come back is ours.

use std::borrow::Cow;

use motet_core::diagnostic::{Diagnostic, Span};
use motet_core::event::Event;
use motet_core::expression::{Expression, Scope, Variables};
use motet_core::language::Library;
use motet_core::template::Templates;
use motet_core::{Folder, case, check, language};
use motet_host::journal;
use serde_json::{Value, json};

use super::seeds;

pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the format, with which a changed input stays close to a good one.
    pub words: &'static [&'static str],
}

pub const TARGETS: &[Target] = &[
    Target { name: "language", run: fuzz_language, seeds: seeds::workflows, words: LANGUAGE },
    Target { name: "case", run: fuzz_case, seeds: seeds::cases, words: CASE },
    Target { name: "expression", run: fuzz_expression, seeds: seeds::expressions, words: EXPRESSION },
    Target { name: "template", run: fuzz_template, seeds: seeds::templates, words: TEMPLATE },
    Target { name: "journal", run: fuzz_journal, seeds: seeds::events, words: JOURNAL },
];

const LANGUAGE: &[&str] = &[
    "\n",
    ": ",
    "- ",
    "  ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "!!str ",
    "null",
    "~",
    "\"",
    "'",
    "|\n",
    "#",
    "\t",
    "when: ",
    "to: ",
    "to: back",
    "count: ",
    "exceeded: ",
    "reset: [",
    "agent: ",
    "each: ",
    "plan: ",
    "gate: ",
    "final: completed",
    "next: ",
    "save: ",
    "add: ",
    "by: ",
    "require:\n",
    "extends: ",
    "trouble: ",
    "unlimited",
    "input.n",
    "data.x",
    "last.a",
    "99999999999999999999",
    "1h",
    "20%",
    "{{ data.x }}",
];
const CASE: &[&str] = &[
    "\n",
    ": ",
    "- ",
    "  ",
    "{",
    "}",
    "[",
    "]",
    "case: ",
    "agents:",
    "gates:",
    "events:",
    "expect:",
    "returns: ",
    "fails: ",
    "times: ",
    "delay: ",
    "1h",
    "null",
];
const EXPRESSION: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "?",
    ":",
    "&&",
    "||",
    "!",
    "==",
    "!=",
    "<=",
    "in ",
    "-",
    "*",
    "/",
    "%",
    "+",
    "\"",
    "'",
    "\\u0000",
    "r\"",
    "null",
    "true",
    "data.list",
    "data.text",
    ".map(x, ",
    ".filter(x, ",
    ".exists(x, ",
    ".all(x, ",
    "size(",
    "range(",
    "best(",
    "merge(",
    "similar(",
    "matches(",
    "tokens(",
    "9223372036854775807",
    "1e308",
    "0x",
    "1u",
];
const TEMPLATE: &[&str] = &[
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    " if ",
    " for x in ",
    " endfor ",
    " endif ",
    "{% include \"a\" %}",
    "{% macro m() %}",
    "{% set x = ",
    "range(",
    "|join",
    "|tojson",
    "|length",
    "|replace(\"a\", \"aa\")",
    "data.list",
    "{% raw %}",
    "loop.index",
    "**",
    "~",
    "[1:2]",
];
const JOURNAL: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "null",
    "\"seq\":1",
    "\"at\":0",
    "\"fact\":",
    "\"$payload\":",
    "\"$literal\":",
    "\"task_succeeded\"",
    "\"result\":",
    "\"usage\":",
    "\\ud800",
    "\\u0000",
    "1e999",
    "-0.0",
];

/// Reads a workflow; one that can be read is proven too, and every complaint is drawn.
pub fn fuzz_language(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let folder = folder_of(text);
    let texts = folder.clone();
    let drawn =
        |problems: &[Diagnostic]| problems.iter().for_each(|problem| drop(problem.render(|file| texts.get(file).map(String::as_str))));
    match language::load(folder, &Alone) {
        Ok((definition, warnings)) => {
            drawn(&warnings);
            drawn(&check::check(&definition, None).diagnostics);
        }
        Err(problems) => {
            assert!(problems.iter().any(Diagnostic::is_error), "a workflow was refused without an error");
            drawn(&problems);
        }
    }
}

/// The files that a text names are there, so that reading goes on behind them.
fn folder_of(text: String) -> Folder {
    let is_path = |letter: char| letter.is_alphanumeric() || "/_-.".contains(letter);
    let words = text.split(|letter| !is_path(letter)).filter(|word| word.contains('/') && word.len() < 200);
    let content = |path: &str| if path.ends_with(".json") { "{\"type\":\"object\"}" } else { "A page." }.to_string();
    let mut folder: Folder = words.map(|path| (path.to_string(), content(path))).collect();
    folder.insert("workflow.yaml".into(), text);
    folder
}

struct Alone;

impl Library for Alone {
    fn workflow(&self, _: &str) -> Option<Folder> {
        None
    }

    fn has_builtin(&self, name: &str) -> bool {
        name.contains('.')
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

pub fn fuzz_case(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(problems) = case::parse("case.yaml", &text) {
        assert!(problems.iter().any(Diagnostic::is_error), "a case was refused without an error");
    }
}

/// Parses, and evaluates what parses: a guard must have a value whatever it says.
pub fn fuzz_expression(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(expression) = Expression::parse(&text, &Span::default()) {
        let sample = Sample::new();
        let scope = Scope::new(&sample);
        let first = expression.evaluate(&scope);
        assert_eq!(first, expression.evaluate(&Scope::new(&sample)), "the same expression has two values");
        expression.references();
        expression.constant();
    }
}

/// Compiles as a short text and as a file, and renders both.
pub fn fuzz_template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut templates = Templates::default();
    if let Ok(short) = templates.text(&text, &Span::default()) {
        templates.render_text(&short, &Sample::new());
    }
    if templates.file("page.md", &text).is_ok() {
        drop(templates.render_file("page.md", &Sample::new()));
        templates.references("page.md");
    }
}

/// Decodes an event; what can be read is written and read again.
pub fn fuzz_journal(bytes: &[u8]) {
    drop(journal::unpack_folder(bytes));
    let decoded: Result<Event, _> = journal::decode(&"r".into(), 1, bytes, |_| Ok(None));
    if let Ok(event) = decoded {
        let encoded = journal::encode(&event);
        let content =
            |digest: &_| encoded.payloads.iter().find(|payload| payload.digest == *digest).map(|payload| payload.content.to_vec());
        let again = journal::decode(&"r".into(), 1, &encoded.body, |digest| Ok(content(digest)));
        assert_eq!(again.as_ref(), Ok(&event), "an event does not survive being written");
    }
}

/// What expressions and templates see here.
struct Sample(Value);

impl Sample {
    fn new() -> Self {
        Self(json!({
            "data": { "list": [1, 2.5, "three", null, { "id": "a", "score": 0.5 }], "text": "Ägypten 😀", "x": 7, "nested": { "a": { "b": [[]] } } },
            "input": { "n": 3, "product": "a lamp" },
            "last": { "a": { "outcome": "approved" } },
            "result": [{ "id": "a", "score": 1 }, { "id": "b", "score": -1 }],
        }))
    }
}

impl Variables for Sample {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }
}
