//! Every rule is shown a made-up tree that breaks it, and one that does not.

use super::*;
use crate::requirements::{FILE, PLACES, TABLE};

/// The places at which the rule of this name is broken, as `path:line`, with what the first one says.
#[track_caller]
fn check(rule: &str, files: &[(&str, &str)], expected: &[&str]) {
    let rule = RULES.iter().find(|(name, _)| *name == rule).expect("a rule of this name");
    let lines = findings(&Tree::of(files), rule);
    let places: Vec<String> = lines.iter().map(|line| line.split(": ").next().unwrap_or_default().to_string()).collect();
    assert_eq!(places, expected, "{lines:#?}");
    assert!(lines.iter().all(|line| line.contains(&format!(": {}: ", rule.0))), "{lines:#?}");
}

const SOURCE: &str = "crates/motet-host/src/lib.rs";

#[test]
fn a_file_may_not_be_longer_than_six_hundred_lines_without_its_tests() {
    let long = "let x = 1;\n".repeat(601);
    check("file-length", &[(SOURCE, &long)], &["crates/motet-host/src/lib.rs:1"]);
    check("file-length", &[("crates/motet-host/src/tests.rs", &long)], &[]);
    let tested = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "let x = 1;\n".repeat(599), "let x = 1;\n".repeat(300));
    check("file-length", &[(SOURCE, &tested)], &[]);
    let look = "let x = 1;\n".repeat(500);
    assert_eq!(sizes::long_files(&Tree::of(&[(SOURCE, &look)])), [(SOURCE, 500)]);
}

#[test]
fn every_file_says_why_it_exists() {
    check("first-line", &[(SOURCE, "use std::fmt;\n")], &["crates/motet-host/src/lib.rs:1"]);
    check("first-line", &[(SOURCE, "//! The host.\nuse std::fmt;\n")], &[]);
}

#[test]
fn the_architecture_fits_on_a_few_pages() {
    check("architecture-length", &[("ARCHITECTURE.md", &"a line\n".repeat(301))], &["ARCHITECTURE.md:301"]);
    check("architecture-length", &[("ARCHITECTURE.md", &"a line\n".repeat(300))], &[]);
}

#[test]
fn nothing_is_left_for_later() {
    check(
        "unfinished",
        &[(SOURCE, "// TODO: later\nfn f() { todo!() }\nfn g() { dbg!(1); }")],
        &["crates/motet-host/src/lib.rs:1", "crates/motet-host/src/lib.rs:2", "crates/motet-host/src/lib.rs:3"],
    );
    check("unfinished", &[(SOURCE, "const WORDS: &str = \"TODO\"; // a word\nlet quote = '\"'; let todo = 1;")], &[]);
    check("unfinished", &[(SOURCE, "/* one /* two */\n FIXME */")], &["crates/motet-host/src/lib.rs:2"]);
}

#[test]
fn input_cannot_stop_the_process() {
    check(
        "unwrap",
        &[(SOURCE, "f().unwrap();\nf().expect(\"why\");\nf().unwrap_or(1);")],
        &["crates/motet-host/src/lib.rs:1", "crates/motet-host/src/lib.rs:2"],
    );
    check("unwrap", &[(SOURCE, "self.expect(\":\")?;\n#[cfg(test)]\nmod tests {\n    fn f() { g().unwrap(); }\n}\n")], &[]);
    check("unwrap", &[(SOURCE, "#[cfg(test)]\nmod tests;\nf().unwrap();")], &["crates/motet-host/src/lib.rs:3"]);
    check(
        "unwrap",
        &[(SOURCE, "#[allow(clippy::unwrap_used, reason = \"a constant\")]\nf().unwrap();\ng().unwrap();")],
        &["crates/motet-host/src/lib.rs:3"],
    );
    check("unwrap", &[("crates/motet-testkit/src/lib.rs", "f().unwrap();"), ("xtask/src/main.rs", "f().unwrap();")], &[]);
}

#[test]
fn no_code_knows_a_workflow() {
    let workflow = ("workflows/article/workflow.yaml", "workflow: article");
    check("workflow-name", &[workflow, (SOURCE, "if name == \"article\" {}")], &["crates/motet-host/src/lib.rs:1"]);
    check("workflow-name", &[workflow, (SOURCE, "include_str!(r#\"../workflows/article/x\"#)")], &["crates/motet-host/src/lib.rs:1"]);
    check("workflow-name", &[workflow, (SOURCE, "// an article\nlet text = \"an article about it\";")], &[]);
    check("workflow-name", &[workflow, ("crates/motet/tests/run.rs", "run(\"article\")")], &[]);
}

#[test]
fn nothing_points_to_the_machine_it_was_written_on() {
    check("machine-path", &[("docs/a.md", "see /work/main"), ("docs/b.md", "see `/root/x`")], &["docs/a.md:1", "docs/b.md:1"]);
    check("machine-path", &[("docs/a.md", "see host/work/here and crates/motet-core/src/work/x")], &[]);
    check("machine-path", &[("Cargo.lock", "name = \"x\"\nsource = \"registry+https://mirror.example/index\"")], &["Cargo.lock:2"]);
    check("machine-path", &[("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"")], &[]);
    check("machine-path", &[(".cargo/config.toml", "[source.crates-io]\nreplace-with = \"mirror\"")], &[".cargo/config.toml:2"]);
}

#[test]
fn documents_say_how_it_is_and_not_how_it_came_about() {
    check("history", &[("docs/a.md", "One line.\nThis session added it.")], &["docs/a.md:2"]);
    check("history", &[("docs/a.md", "A session of the other system is called a run here.")], &[]);
}

#[test]
fn requirements_are_named_in_cases_only() {
    let id = format!("covers S{}-07", 2);
    check("requirement-id", &[("README.md", &id), ("workflows/a/workflow.yaml", &id)], &["README.md:1", "workflows/a/workflow.yaml:1"]);
    check("requirement-id", &[("workflows/a/cases/one.yaml", &id), (TABLE, &id), (FILE, &id)], &[]);
    check("requirement-id", &[("README.md", "US2-7, S2 and S-2, SHA2-512")], &[]);
}

/// A small repository with one of everything that can carry a requirement, and this list.
fn with_list(list: &str) -> Vec<(&'static str, String)> {
    let places = "## a\n\nStates: `going`, `gone`\n\nTransitions: `going.1`\n\nProperties:\n\n- goes once: going is entered at most once\n";
    let files = [
        (PLACES, places),
        ("workflows/a/workflow.yaml", "workflow: a\ninput: { max: { env: MAX_A } }\n"),
        ("workflows/a/cases/one.yaml", "case: goes well (X-1)\n"),
        ("crates/motet-agents/src/builtins/mod.rs", "const TABLE: &[Builtin] = &[];"),
        ("docs/reference/builtins.md", "## `text.words`\n"),
        ("docs/reference/cli.md", "## `motet run`\n"),
    ];
    let mut files: Vec<(&str, String)> = files.map(|(path, text)| (path, text.to_string())).to_vec();
    files.push((FILE, list.to_string()));
    files
}

#[track_caller]
fn check_list(list: &str, expected: &[usize]) {
    let files = with_list(list);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let expected: Vec<String> = expected.iter().map(|line| format!("{FILE}:{line}")).collect();
    check("requirements", &files, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn what_carries_a_requirement_exists() {
    let code = "code crates/motet-agents/src/builtins/mod.rs#TABLE";
    let all = ["state a/going", "transition a/going.1", "property a/goes once", "case a/one", "file a/workflow.yaml#max", code];
    let more = ["doc docs/reference/cli.md", "command run", "builtin text.words", "env MAX_A", "later server", "missing", "missing wings"];
    check_list(&format!("# A comment\n\nX-1 | it goes | {}; {}\nX-2 | it is so | info", all.join("; "), more.join("; ")), &[]);
    let wrong =
        ["state a/goes", "state b/going", "transition a/going", "property a/goes", "case a/two", "file a/workflow.yaml#ma", "file a/no.md"];
    let more = [
        "code crates/motet-agents/src/builtins/mod.rs#ABLE",
        "doc docs/no.md",
        "command ru",
        "builtin text.word",
        "env MAX",
        "later never",
    ];
    for carrier in wrong.iter().chain(&more) {
        check_list(&format!("X-1 | it goes | {carrier}"), &[1]);
    }
}

#[test]
fn the_list_of_requirements_is_complete_and_short() {
    let id = |number: &str| format!("S{}-{number}", 0);
    check_list(&format!("X-1 | a | info\n{} | b | info\n{} | c | info\nX-2 | d | info", id("01"), id("02")), &[]);
    check_list("X-1 | a | info\nX-3 | b | info\nX-3 | c | info", &[2, 3]);
    check_list(&format!("X-1 | {} | info\nX-2 | | info", "word ".repeat(13)), &[1, 2]);
    check("requirements", &[(SOURCE, "")], &["docs/requirements.txt:1"]);
    // Lines that cannot be read come first; then the case names a requirement that is not there.
    let list = "X-2 | a | info\nX-1 | a\nA-1 | a | info\nX-1 | a | because\nX-1 | a | state a\nX-1 | a | state\nX-1 | a | info too";
    let files = with_list(list);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let lines = [2, 3, 4, 5, 6, 7, 1].map(|line| format!("{FILE}:{line}"));
    let places: Vec<&str> = lines.iter().map(String::as_str).chain(["workflows/a/cases/one.yaml:1"]).collect();
    check("requirements", &files, &places);
}

#[test]
fn the_list_has_every_requirement_of_the_source_and_no_other() {
    let tree = Tree::of(&[(FILE, "X-1 | a | info\nX-2 | b | info")]);
    let found = |source: &str| requirements::unaccounted(&tree, source).into_iter().map(|finding| finding.why).collect::<Vec<_>>();
    assert_eq!(found("# Title\n- X-1 [state] a, see X-9\n- X-2 b\n- other"), Vec::<String>::new());
    assert_eq!(found("- X-1 a\n- X-3 c"), ["X-3 is not accounted for", "X-2 is no requirement"]);
}

#[test]
fn dependencies_point_to_the_core() {
    let check = |path: &str, lines: &str, expected: &[&str]| check("dependency-table", &[(path, lines)], expected);
    check(
        "crates/motet-core/Cargo.toml",
        "[dependencies]\nserde.workspace = true\ntokio.workspace = true",
        &["crates/motet-core/Cargo.toml:3"],
    );
    check("crates/motet-core/Cargo.toml", "[dev-dependencies]\nproptest.workspace = true", &[]);
    check("crates/motet-host/Cargo.toml", "[dependencies]\nmotet-agents.workspace = true", &["crates/motet-host/Cargo.toml:2"]);
    check("crates/motet-agents/Cargo.toml", "[dependencies]\nmotet-host.workspace = true", &["crates/motet-agents/Cargo.toml:2"]);
    check(
        "crates/motet-testkit/Cargo.toml",
        "[dependencies]\nmotet-host.workspace = true\nmotet-agents.workspace = true",
        &["crates/motet-testkit/Cargo.toml:3"],
    );
    check("crates/motet-host/Cargo.toml", "[dev-dependencies]\nmotet-testkit.workspace = true", &[]);
    check("crates/motet-host/Cargo.toml", "[dependencies]\nmotet-testkit.workspace = true", &["crates/motet-host/Cargo.toml:2"]);
    check("crates/motet/Cargo.toml", "[dependencies]\nmotet-host.workspace = true\nmotet-agents.workspace = true", &[]);
    check(
        "crates/motet/Cargo.toml",
        "[dependencies]\ndagre = \"=0.1.2\"\n[dependencies.clap]\nversion = \"4\"",
        &["crates/motet/Cargo.toml:2", "crates/motet/Cargo.toml:3"],
    );
    check("crates/motet-more/Cargo.toml", "[package]", &["crates/motet-more/Cargo.toml:1"]);
}

#[test]
fn no_dependency_is_listed_that_nobody_uses() {
    let manifest = ("Cargo.toml", "[workspace.dependencies]\nserde = \"1\"\nlibc = \"0.2\"");
    check("dependency-table", &[manifest, ("crates/motet-core/Cargo.toml", "[dependencies]\nserde.workspace = true")], &["Cargo.toml:3"]);
}

#[test]
fn the_machine_is_pure() {
    let path = "crates/motet-core/src/step/mod.rs";
    check(
        "pure-core",
        &[(path, "use std::time::Instant;\nlet map = HashMap::new();")],
        &["crates/motet-core/src/step/mod.rs:1", "crates/motet-core/src/step/mod.rs:2"],
    );
    check("pure-core", &[(path, "// no std::time here\nlet word = \"println!\";\n#[cfg(test)]\nuse std::fs;")], &[]);
    check("pure-core", &[(SOURCE, "use std::time::Instant;")], &[]);
}

#[test]
fn links_lead_somewhere() {
    let page = ("docs/adr/README.md", "# The list\n## One & two\n");
    check("links", &[page, ("README.md", "[a](docs/adr/README.md) [b](docs/none.md)\n[c](docs/adr#the-list)")], &["README.md:1"]);
    check("links", &[page, ("docs/a.md", "[up](../README.md)\n[here](./adr/) [there](adr/README.md#one--two)")], &["docs/a.md:1"]);
    check("links", &[page, ("docs/a.md", "[gone](adr/README.md#three)")], &["docs/a.md:1"]);
    check("links", &[("a.md", "[out](https://example.org) `[code](none.md)`\n```\n[fenced](none.md)\n```\n[self](#top)\n# Top")], &[]);
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest =
        "[workspace.dependencies]\nmotet-core = { path = \"crates/motet-core\" }\nserde = \"1\"\nregex = \"1\"\n[profile.dev]\ndebug = 1";
    check(
        "dependency-reasons",
        &[("Cargo.toml", manifest), ("docs/adr/0009-dependencies.md", "|---|\n| `serde` | everyone uses it |\n\nNot `regex`.")],
        &["Cargo.toml:4"],
    );
}

#[test]
fn every_error_code_is_explained() {
    let files = [(SOURCE, "error(\"M0101\");\nerror(\"M0999\");"), ("docs/errors/README.md", "| M0101 | not YAML |")];
    check("error-pages", &files, &["crates/motet-host/src/lib.rs:2"]);
    check("error-pages", &[("crates/motet-host/src/tests.rs", "error(\"M0999\")")], &[]);
}
