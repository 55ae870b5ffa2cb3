//! The reference documents that are made from the machine's own tables: schemas, error codes, the life of a task, places.
//! Where they are kept and compared is the business of `cargo xtask docs`.

mod places;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use motet_core::state::TaskStatus;
use motet_core::{MOVES, case, check, expression, language};
use serde_json::Value;

/// Every document by its path in the repository.
pub fn documents() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("docs/reference/workflow.schema.json", schema(&language::json_schema())),
        ("docs/reference/case.schema.json", schema(&case::json_schema())),
        ("docs/reference/offline.schema.json", schema(&language::offline_json_schema())),
        ("docs/reference/expressions.md", expressions()),
        ("docs/reference/task-states.md", task_states()),
        ("docs/reference/places.md", places::document()),
        ("docs/errors/README.md", errors()),
    ])
}

fn schema(schema: &Value) -> String {
    format!("{schema:#}\n")
}

fn task_states() -> String {
    let mut text = String::from(
        "# The life of a task\n\n<!-- Written by `cargo xtask docs` from the table `MOVES` of motet-core. -->\n\n\
         Every change of a task's status goes through this table; any other is a bug and stops the machine.\n\n```mermaid\nstateDiagram-v2\n",
    );
    let _ = writeln!(text, "  [*] --> {}", TaskStatus::Held.word());
    for (from, to, why) in MOVES {
        let _ = writeln!(text, "  {} --> {}: {why}", from.word(), to.word());
    }
    let mut ends: Vec<&str> = MOVES.iter().map(|(_, to, _)| *to).filter(|status| status.is_terminal()).map(TaskStatus::word).collect();
    ends.sort_unstable();
    ends.dedup();
    for end in ends {
        let _ = writeln!(text, "  {end} --> [*]");
    }
    text.push_str("```\n\n| from | to | when |\n|---|---|---|\n");
    for (from, to, why) in MOVES {
        let _ = writeln!(text, "| {} | {} | {why} |", from.word(), to.word());
    }
    text
}

fn expressions() -> String {
    let mut text = String::from(
        "# Expressions\n\n<!-- Written by `cargo xtask docs` from the tables of motet-core. -->\n\n\
         Expressions are CEL and cannot fail: what is missing is null, and what makes no sense is null or false. Lists and maps have `filter`, `map`,\n\
         `all`, `exists` and `exists_one`; `+` joins texts and lists; `a ? b : c` chooses; `in` asks for a member or a key.\n",
    );
    for (title, rows) in [("Functions", expression::FUNCTIONS), ("Methods", expression::METHODS)] {
        let _ = write!(text, "\n## {title}\n\n| written | gives |\n|---|---|\n");
        for (written, about) in rows {
            let _ = writeln!(text, "| `{written}` | {} |", about.replace('|', "\\|"));
        }
    }
    text
}

/// Expressions and templates have no table of their own: each code is used in a few places of one file.
const EXPRESSIONS_AND_TEMPLATES: &[(&str, &str)] = &[
    ("M0501", "An expression cannot be read."),
    ("M0502", "An expression uses a function or a method that does not exist."),
    ("M0503", "A function or a method is given the wrong number or kind of arguments."),
    ("M0504", "An expression is longer, deeper or larger than an expression may be."),
    ("M0511", "A template cannot be compiled."),
    ("M0512", "A template uses a filter or a test that does not exist."),
    ("M0513", "A template includes something that is not in the folder, or not written out."),
];

fn errors() -> String {
    let mut text = String::from(
        "# Errors in workflows\n\n<!-- Written by `cargo xtask docs` from the tables of codes. -->\n\n\
         `motet check` reports everything that is wrong with a workflow at once. Each problem has a code, the line it is about,\n\
         a caret under the words, and below it the next step:\n\n\
         ```text\nerror[M0104]: unknown state `reviewng`\n  --> workflow.yaml:31:11\n   |\n31 |     next: reviewng\n   |           ^^^^^^^^ no state has this name\n   = help: did you mean `reviewing`?\n```\n",
    );
    let sections = [
        ("The language", "What cannot be read, or names something that is not there.", language::codes::ALL),
        ("The proof", "What can be read, but goes wrong on some path.", check::codes::ALL),
        ("Expressions and templates", "What stands in a single value.", EXPRESSIONS_AND_TEMPLATES),
    ];
    for (title, about, codes) in sections {
        let _ = write!(text, "\n## {title}\n\n{about}\n\n| code | meaning |\n|---|---|\n");
        for (code, line) in codes {
            let _ = writeln!(text, "| {code} | {} |", line.replace('|', "\\|"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_of_a_task_is_in_the_picture_and_in_the_table() {
        let text = task_states();
        assert_eq!(text.matches(" --> ").count(), MOVES.len() + 4, "one beginning, three ends");
        assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), MOVES.len() + 1);
    }

    #[test]
    fn no_code_is_explained_twice() {
        let text = errors();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| M0")).map(|line| &line[2..7]).collect();
        let mut once = rows.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), rows.len());
        assert_eq!(rows.len(), language::codes::ALL.len() + check::codes::ALL.len() + EXPRESSIONS_AND_TEMPLATES.len());
    }

    #[test]
    fn the_schemas_describe_mappings() {
        for (path, text) in documents().iter().filter(|(path, _)| path.ends_with(".json")) {
            let schema: Value = serde_json::from_str(text).expect("a schema is JSON");
            assert!(schema["properties"].is_object(), "{path}");
        }
    }
}
