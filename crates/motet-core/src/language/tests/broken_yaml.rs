//! Files that are not YAML, or more YAML than anyone should read.

use proptest::prelude::*;

use super::{Shelf, WHOLE, example, folder, rendered, said};
use crate::language::load;
use crate::language::yaml::{self, Kind, Node};

fn check(text: &str) -> String {
    match yaml::parse("workflow.yaml", text) {
        Ok(tree) => shown(&tree),
        Err(problems) => rendered(&folder(&[("workflow.yaml", text)]), &problems),
    }
}

/// A tree with its places: `line:column+length`.
fn shown(node: &Node) -> String {
    let place = format!("{}:{}+{}", node.span.line, node.span.column, node.span.length);
    match &node.kind {
        Kind::Scalar { text, quoted } => format!("{}{text}@{place}", if *quoted { "quoted " } else { "" }),
        Kind::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Kind::Map(entries) => {
            let entries =
                entries.iter().map(|(key, value)| format!("{}@{}:{} = {}", key.text, key.span.line, key.span.column, shown(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

#[test]
fn every_node_knows_its_place() {
    insta::assert_snapshot!(check("a: [1, \"zwei\"]\nbü:\n  ä: { x: y z }\n"), @r#"{a@1:1 = [1@1:5+1, quoted zwei@1:8+6], bü@2:1 = {ä@3:3 = {x@3:8 = y z@3:11+3}}}"#);
}

#[test]
fn a_repeated_key_is_refused_with_both_places() {
    insta::assert_snapshot!(check("a: 1\nb: 2\na: 3\nc: { d: 1, d: 2 }\n"), @r#"
    error[M0110]: the key `a` stands twice in one mapping
     --> workflow.yaml:3:1
      |
    3 | a: 3
      | ^ the second one
      = help: the first one is in line 1, column 1

    error[M0110]: the key `d` stands twice in one mapping
     --> workflow.yaml:4:12
      |
    4 | c: { d: 1, d: 2 }
      |            ^ the second one
      = help: the first one is in line 4, column 6
    "#);
}

#[test]
fn anchors_aliases_tags_and_second_documents_are_refused() {
    insta::assert_snapshot!(check("a: &x 1\n"), @r#"
    error[M0101]: an anchor stands here, and the language leaves them out
     --> workflow.yaml:1:4
      |
    1 | a: &x 1
      |    ^^^^
      = help: write the value out; a text that begins with `*`, `&` or `!` must stand in quotation marks
    "#);
    insta::assert_snapshot!(check("a: *x\n"), @r#"
    error[M0101]: an alias stands here, and the language leaves them out
     --> workflow.yaml:1:4
      |
    1 | a: *x
      |    ^
      = help: write the value out; a text that begins with `*`, `&` or `!` must stand in quotation marks
    "#);
    insta::assert_snapshot!(check("a: !!set {}\n"), @r#"
    error[M0101]: a tag stands here, and the language leaves them out
     --> workflow.yaml:1:4
      |
    1 | a: !!set {}
      |    ^^^^^^^
      = help: write the value out; a text that begins with `*`, `&` or `!` must stand in quotation marks
    "#);
    insta::assert_snapshot!(check("a: 1\n---\nb: 2\n"), @r#"
    error[M0101]: a second document begins here
     --> workflow.yaml:2:1
      |
    2 | ---
      | ^^^
      = help: one file holds one document; remove `---`
    "#);
    insta::assert_snapshot!(check("a: *both and more\n"), @r#"
    error[M0101]: an alias stands here, and the language leaves them out
     --> workflow.yaml:1:4
      |
    1 | a: *both and more
      |    ^
      = help: write the value out; a text that begins with `*`, `&` or `!` must stand in quotation marks
    "#);
}

#[test]
fn syntax_errors_say_where_and_what_to_do() {
    insta::assert_snapshot!(check("a: 1\n\tb: 2\n"), @r#"
    error[M0101]: this is not YAML: while scanning a plain scalar, found a tab
     --> workflow.yaml:1:4
      |
    1 | a: 1
      |    ^
      = help: indent with spaces; YAML does not allow tabs
    "#);
    insta::assert_snapshot!(check("ask: Ready: now?\n"), @r#"
    error[M0101]: this is not YAML: mapping values are not allowed in this context
     --> workflow.yaml:1:11
      |
    1 | ask: Ready: now?
      |           ^
      = help: a text with `: `, ` #` or a comma inside `{ }` must stand in quotation marks, or on a line of its own
    "#);
    insta::assert_snapshot!(check("ask: {{ run.because }}\n"), @r#"
    error[M0101]: a key must be a single word or text
     --> workflow.yaml:1:7
      |
    1 | ask: {{ run.because }}
      |       ^ a list or a mapping stands where a key is expected
      = help: a text that begins with `{{` or `[` must stand in quotation marks
    "#);
    insta::assert_snapshot!(check("a: [1, 2\nb: 3\n"), @r#"
    error[M0101]: this is not YAML: illegal placement of ':' indicator
     --> workflow.yaml:2:2
      |
    2 | b: 3
      |  ^
      = help: a text with `: `, ` #` or a comma inside `{ }` must stand in quotation marks, or on a line of its own
    "#);
    insta::assert_snapshot!(check(""), @r#"
    error[M0101]: the file is empty
     --> workflow.yaml:1:1
    "#);
}

#[test]
fn a_bomb_of_aliases_does_not_grow() {
    let mut text = String::from("a0: &a0 [x, x, x]\n");
    for level in 1..30 {
        text.push_str(&format!("a{level}: &a{level} [*a{0}, *a{0}, *a{0}]\n", level - 1));
    }
    assert!(check(&text).contains("M0101"));
}

#[test]
fn large_deep_and_crowded_files_are_refused_quickly() {
    let large = format!("a: {}\n", "x".repeat(10 << 20));
    assert!(check(&large).contains("10240 KiB"), "{}", check(&large));
    let deep = "[".repeat(100_000);
    assert!(check(&deep).contains("M0118"), "{}", check(&deep));
    let deep = "- ".repeat(100_000);
    assert!(check(&deep).contains("M01"), "{}", check(&deep));
    let deep = "{a: ".repeat(1000);
    assert!(check(&deep).contains("M0118"), "{}", check(&deep));
    let crowded = "- a\n".repeat(200_000);
    assert!(check(&crowded).contains("more than 100000 values"), "{}", check(&crowded));
    let wide: String = (0..45_000).map(|key| format!("k{key}: \n")).collect();
    let said = said(folder(&[("workflow.yaml", &wide)]));
    assert!(said.contains("M0102") && said.contains("44505 more problems"), "{said}");
}

#[test]
fn a_crowded_workflow_is_refused_and_a_large_one_is_read_in_time() {
    let with_states = |count: usize| {
        let states: String = (0..count).map(|state| format!("  s{state}: {{ next: t{state} }}\n")).collect();
        said(folder(&[("workflow.yaml", &format!("workflow: w\nversion: 1\nsummary: s\nstart: s0\nstates:\n{states}"))]))
    };
    assert!(with_states(5001).contains("`states` may have 5000 entries"));
    assert!(with_states(4000).contains("unknown state `t3`"));
    let tasks: String = (1..5000).map(|task| format!("        - {{ id: t{task}, depends_on: [t{}] }}\n", task - 1)).collect();
    let plan = format!(
        "    plan:\n      agents: [writer]\n      at_most: 9\n      tasks:\n        - {{ id: t0, depends_on: [t4999] }}\n{tasks}    with"
    );
    let workflow = WHOLE.replace("    agent: writer\n    with", &plan);
    assert!(said(example(&workflow)).contains("waits for itself"), "{}", said(example(&workflow)));
}

#[test]
fn a_folder_without_a_workflow_is_an_error() {
    insta::assert_snapshot!(said(folder(&[])), @r#"
    error[M0113]: the folder has no `workflow.yaml`
      = help: a workflow is a folder with a file `workflow.yaml`; `motet new NAME` makes one
    "#);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_definition_or_a_list_of_errors(text in "[ -~\n\täß{}\\[\\]:,'\"#&*!|>%@`-]{0,200}") {
        if let Err(problems) = load(folder(&[("workflow.yaml", &text)]), &Shelf::default()) {
            prop_assert!(problems.iter().any(|problem| problem.is_error()));
        }
        let _ = crate::case::parse("cases/any.yaml", &text);
    }

    #[test]
    fn any_bytes_read_as_text_are_a_definition_or_a_list_of_errors(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let folder = folder(&[("workflow.yaml", &text), ("prompts/a.md", &text), ("files/a.md", &text)]);
        if let Err(problems) = load(folder, &Shelf::default()) {
            prop_assert!(problems.iter().any(|problem| problem.is_error()));
        }
    }

    /// A good file with a piece cut out, doubled or exchanged is nearly right, and so gets far into the reader.
    #[test]
    fn a_damaged_workflow_never_panics(start in 0..WHOLE.len(), length in 0..80usize, what in 0..3u8, other in 0..WHOLE.len()) {
        let end = (start + length).min(WHOLE.len());
        let piece = &WHOLE[other..(other + length).min(WHOLE.len())];
        let text = match what {
            0 => format!("{}{}", &WHOLE[..start], &WHOLE[end..]),
            1 => format!("{}{}{}", &WHOLE[..end], &WHOLE[start..end], &WHOLE[end..]),
            _ => format!("{}{piece}{}", &WHOLE[..start], &WHOLE[end..]),
        };
        let _ = load(example(&text), &Shelf::default());
    }
}
