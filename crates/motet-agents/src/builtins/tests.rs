//! Built-ins from outside: their names, their complaints, and what each computes.

use serde_json::json;

use super::*;

mod documents;
mod plans;

fn perform(name: &str, input: &Value) -> Outcome {
    Builtins::default().perform(name, input, None)
}

fn check(name: &str, input: &Value, expected: &Value) {
    assert_eq!(perform(name, input), Outcome::returned(expected.clone()), "{name} {input}");
}

fn check_refused(name: &str, input: &Value, expected: &str) {
    assert_eq!(perform(name, input), Outcome::failed(FailureKind::InvalidWorkflow, expected), "{name} {input}");
}

#[test]
fn an_unknown_name_is_told_with_the_known_ones() {
    let known = "there is no built-in `text.magic`; there are brief.analyse, document.assemble, plan.by_rule, plan.optimise, plan.revise, quality.score, report.list, text.outline, text.overlap, text.readability, text.similarity, text.words";
    assert_eq!(perform("text.magic", &json!({})), Outcome::failed(FailureKind::NotFound, known));
}

#[test]
fn what_a_program_adds_is_called_like_the_others_and_told_where_the_run_is() {
    let place = |input: &Value, directory: Option<&Path>| Ok(json!({ "of": input, "in": directory.map(Path::to_path_buf) }));
    let all = Builtins::default().and([Builtin { name: "archive.place", shape: "", about: "", function: Function::Reading(place) }]);
    let called = |directory: Option<&Path>| all.perform("archive.place", &json!(1), directory);
    assert_eq!(called(None), Outcome::returned(json!({ "of": 1, "in": null })));
    assert_eq!(called(Some(Path::new("/runs/7"))), Outcome::returned(json!({ "of": 1, "in": "/runs/7" })));
    assert!(all.has("archive.place") && all.has("text.words") && !Builtins::default().has("archive.place"));
    assert!(all.reads("archive.place") && !all.reads("text.words"));
    assert_eq!(all.names().next(), Some("archive.place"));
}

#[test]
fn a_shape_names_the_fields_of_the_result() {
    let fields = |shape: &'static str| {
        let function = Function::Pure(|_| Ok(Value::Null));
        Builtin { name: "", shape, about: "", function }.gives().collect::<Vec<_>>()
    };
    assert_eq!(fields("{a} → {b, c: [{d, e}], f: {g, h}, i: x | y, …}"), ["b", "c", "f", "i"]);
    assert_eq!(fields("{a, b} → {c}"), ["c"]);
    for builtin in Builtins::default().iter() {
        assert!(builtin.gives().next().is_some(), "{}", builtin.name);
    }
}

#[test]
fn every_function_refuses_what_it_cannot_use_and_none_panics() {
    for name in Builtins::default().names() {
        for input in [json!(3), json!("x"), json!([1]), json!({"text": 3, "sources": 4, "a": 1})] {
            let outcome = perform(name, &input);
            let lists_anything = name == "report.list" && input.is_object();
            assert!(lists_anything || matches!(outcome, Outcome::Failed { .. }), "{name} {input}: {outcome:?}");
        }
    }
}

#[test]
fn wrong_input_names_the_field() {
    check_refused("text.words", &json!({}), "`text.words` cannot use its input: `text` is missing");
    check_refused("text.words", &json!({"text": [1]}), "`text.words` cannot use its input: `text` must be a text, but is a list");
    let sources = json!({"text": "a", "sources": [{"id": "s"}]});
    check_refused("text.overlap", &sources, "`text.overlap` cannot use its input: source 1: `text` is missing");
}

#[test]
fn words_sentences_and_paragraphs_are_counted() {
    let text = "It costs 3.50 today. Really?\n\nYes — it does!";
    check("text.words", &json!({"text": text}), &json!({"words": 8, "characters": 44, "sentences": 3, "paragraphs": 2}));
    check("text.words", &json!({"text": ""}), &json!({"words": 0, "characters": 0, "sentences": 0, "paragraphs": 0}));
}

#[test]
fn an_outline_has_headings_with_their_words() {
    let text = "preface\n# One\nfirst two words\n## Deep ##\nx\n```\n# not a heading\n```\n####### seven\n#hash\n# Two";
    let expected = json!({
        "headings": [
            {"level": 1, "title": "One", "words": 3},
            {"level": 2, "title": "Deep", "words": 6},
            {"level": 1, "title": "Two", "words": 0},
        ],
        "depth": 2,
    });
    check("text.outline", &json!({"text": text}), &expected);
}

#[test]
fn similarity_is_the_share_of_letters_that_stay() {
    for (a, b, similarity) in [("kitten", "sitting", 0.5714), ("Same", "sAME", 1.0), ("", "", 1.0), ("abc", "", 0.0), ("abc", "xyz", 0.0)] {
        check("text.similarity", &json!({"a": a, "b": b}), &json!({"similarity": similarity}));
    }
    let (long, longer) = ("word ".repeat(1000), format!("{}other", "word ".repeat(999)));
    check("text.similarity", &json!({"a": long, "b": longer}), &json!({"similarity": 0.999}));
}

#[test]
fn readability_follows_the_formula() {
    // 6 words, 2 sentences, 8 syllables: 0.39 * 3 + 11.8 * 8/6 - 15.59 and 206.835 - 1.015 * 3 - 84.6 * 8/6.
    let expected = json!({"grade": 1.3, "ease": 91.0, "words": 6, "sentences": 2, "syllables": 8, "words_per_sentence": 3.0});
    check("text.readability", &json!({"text": "The table was yellow. Cats sleep."}), &expected);
    let nothing = json!({"grade": null, "ease": null, "words": 0, "sentences": 0, "syllables": 0, "words_per_sentence": 0});
    check("text.readability", &json!({"text": " … "}), &nothing);
}

#[test]
fn syllables_are_groups_of_vowels_without_a_silent_e() {
    for (word, syllables) in [("cat", 1), ("table", 2), ("make", 1), ("the", 1), ("yellow", 2), ("readability", 5), ("brr", 1), ("be", 1)] {
        assert_eq!(readability::syllables_of(word), syllables, "{word}");
    }
}

#[test]
fn overlap_finds_the_longest_run_and_the_shared_grams() {
    let input = json!({
        "text": "We say that the quick brown fox jumps over it all.",
        "sources": ["Nothing alike here at all", {"id": "fable", "text": "The Quick, brown fox jumps over the dog."}],
    });
    let expected = json!({
        "overlap": 0.2857,
        "longest": {"words": 6, "text": "the quick brown fox jumps over", "source": "fable"},
        "sources": [
            {"source": "1", "overlap": 0.0, "longest": 1},
            {"source": "fable", "overlap": 0.2857, "longest": 6},
        ],
    });
    check("text.overlap", &input, &expected);
}

#[test]
fn a_text_without_sources_overlaps_nothing() {
    let nothing = json!({"overlap": 0.0, "longest": {"words": 0, "text": "", "source": null}, "sources": []});
    check("text.overlap", &json!({"text": "a b c d e f"}), &nothing);
    check("text.overlap", &json!({"text": "a b c d e f", "sources": null}), &nothing);
}

#[test]
fn a_report_lists_what_exists_and_nothing_else() {
    let input = json!({
        "goal": "Compare\nqueues",
        "findings": [{"title": "Kafka keeps order", "id": 1}, {"statement": "NATS is small"}, null, "plain text"],
        "reviews": [{"outcome": "approved", "feedback": "fine"}, {"outcome": "rejected"}],
        "code_review": {"score": 0.5},
        "design": null,
        "code": "",
        "options": [],
    });
    let summary = "# Compare queues\n\n## Findings (3)\n\n- Kafka keeps order\n- NATS is small\n- plain text\n\n## Reviews (2)\n\n- approved: fine\n- rejected\n\n## Code review (1)\n\n- {\"score\":0.5}\n";
    check("report.list", &input, &json!({"summary": summary, "items": 6}));
}

#[test]
fn a_report_of_nothing_says_so() {
    check("report.list", &json!({"goal": "Any"}), &json!({"summary": "# Any\n\nNothing was produced.\n", "items": 0}));
    check("report.list", &Value::Null, &json!({"summary": "# What exists\n\nNothing was produced.\n", "items": 0}));
}
