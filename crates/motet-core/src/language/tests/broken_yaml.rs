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
    insta::assert_snapshot!(check("a: [1, \"zwei\"]\nbü:\n  ä: { x: y z }\n"), @"");
}

#[test]
fn a_repeated_key_is_refused_with_both_places() {
    insta::assert_snapshot!(check("a: 1\nb: 2\na: 3\nc: { d: 1, d: 2 }\n"), @"");
}

#[test]
fn anchors_aliases_tags_and_second_documents_are_refused() {
    insta::assert_snapshot!(check("a: &x 1\n"), @"");
    insta::assert_snapshot!(check("a: *x\n"), @"");
    insta::assert_snapshot!(check("a: !!set {}\n"), @"");
    insta::assert_snapshot!(check("a: 1\n---\nb: 2\n"), @"");
    insta::assert_snapshot!(check("a: *both and more\n"), @"");
}

#[test]
fn syntax_errors_say_where_and_what_to_do() {
    insta::assert_snapshot!(check("a: 1\n\tb: 2\n"), @"");
    insta::assert_snapshot!(check("ask: Ready: now?\n"), @"");
    insta::assert_snapshot!(check("ask: {{ run.because }}\n"), @"");
    insta::assert_snapshot!(check("a: [1, 2\nb: 3\n"), @"");
    insta::assert_snapshot!(check(""), @"");
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
    let wide: String = (0..90_000).map(|key| format!("k{key}: \n")).collect();
    assert!(said(folder(&[("workflow.yaml", &wide)])).contains("M0102"));
}

#[test]
fn a_folder_without_a_workflow_is_an_error() {
    insta::assert_snapshot!(said(folder(&[])), @"");
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
