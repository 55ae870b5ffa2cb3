//! The language as its users meet it: whole folders in, definitions or rendered problems out.

mod broken_yaml;
mod mistakes;
mod offline;
mod sketches;

use crate::definition::Definition;
use crate::definition::Folder;
use crate::diagnostic::Diagnostic;
use crate::language::{Library, load};

/// A library with a few built-ins and the folders it is given.
#[derive(Default)]
struct Shelf {
    workflows: Vec<(String, Folder)>,
}

const BUILTINS: [&str; 11] = [
    "article.analyse_brief",
    "article.merge",
    "article.plan_by_rule",
    "article.score",
    "evidence.audit",
    "evidence.verify",
    "plan.optimise",
    "report.list",
    "text.count",
    "writing.overlap",
    "writing.readability",
];

impl Library for Shelf {
    fn workflow(&self, name: &str) -> Option<Folder> {
        self.workflows.iter().find(|(known, _)| known == name).map(|(_, folder)| folder.clone())
    }

    fn workflows(&self) -> Vec<String> {
        self.workflows.iter().map(|(name, _)| name.clone()).collect()
    }

    fn has_builtin(&self, name: &str) -> bool {
        BUILTINS.contains(&name)
    }

    fn builtins(&self) -> Vec<String> {
        BUILTINS.map(String::from).to_vec()
    }
}

fn folder(files: &[(&str, &str)]) -> Folder {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// A small workflow that has one of nearly everything, in parts that a test can exchange.
const WHOLE: &str = r#"workflow: example
version: 1.0.0
summary: An example.
input:
  topic: { type: string }
  rounds: { type: integer, minimum: 1, maximum: 9, default: 3 }
  mood: { enum: [calm, wild], default: calm }
  unattended: { enum: [approve, wait], default: wait }
data: { draft: null, drafts: [], note: null }
limits: { cost: 5, time: 30m, keep: { writing: 20% } }
counters: { rounds: { max: input.rounds }, asks: { max: unlimited } }
agents:
  all: { timeout: 30s }
  writer: { prompt: prompts/writer.md, returns: { text: string, tone: { enum: [dry, warm] } }, fallback: [spare] }
  spare: { prompt: prompts/writer.md, returns: { text: string } }
  judge: { prompt: prompts/judge.md, returns: verdict, words: { approved: [YES], rejected: [NO] } }
trouble: { error: broken }
groups: { WORK: [writing, judging] }
start: writing
states:
  writing:
    agent: writer
    with: { topic: input.topic, old: data.draft }
    save: { draft: result.text }
    next: judging
  judging:
    agent: judge
    with: { draft: data.draft }
    add: { drafts: data.draft }
    next:
      approved: asking
      rejected: { count: rounds, to: writing, exceeded: { to: asking, because: "no room after {{ counters.rounds.used }}" } }
  asking:
    gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], text_for: [change], otherwise: input.unattended }
    save: { note: result.text }
    next:
      approve: done
      change: { count: asks, to: writing, reset: [rounds] }
  done: { final: completed, output: { draft: data.draft } }
  broken: { final: failed }
require:
  judged: every path to done passes judging, asking.approve
  limit: writing is entered at most input.rounds times per asking
files:
  draft.md: { from: files/draft.md, since: judging, edits: { data.draft: [asking] } }
"#;

fn example(workflow: &str) -> Folder {
    folder(&[
        ("workflow.yaml", workflow),
        ("prompts/writer.md", "Write about {{ topic }}.\n{% if old %}Before: {{ old }}{% endif %}\n"),
        ("prompts/judge.md", "Judge this:\n{{ draft }}\n"),
        ("files/draft.md", "# {{ input.topic }}\n{{ data.draft }}\n"),
    ])
}

fn rendered(folder: &Folder, problems: &[Diagnostic]) -> String {
    problems.iter().map(|problem| problem.render(|path| folder.get(path).map(String::as_str))).collect::<Vec<_>>().join("\n")
}

/// The definition of a folder that must have no errors.
fn loaded(folder: Folder, library: &dyn Library) -> Definition {
    match load(folder.clone(), library) {
        Ok((definition, warnings)) => {
            assert!(warnings.is_empty(), "{}", rendered(&folder, &warnings));
            definition
        }
        Err(problems) => panic!("{}", rendered(&folder, &problems)),
    }
}

/// Everything that is said about a folder.
fn said(folder: Folder) -> String {
    match load(folder.clone(), &Shelf::default()) {
        Ok((_, warnings)) => rendered(&folder, &warnings),
        Err(problems) => rendered(&folder, &problems),
    }
}
