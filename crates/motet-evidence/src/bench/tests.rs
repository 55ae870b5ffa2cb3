//! Labelled claims in the shapes they come in.

use super::record::records;
use super::{Truth, measure};

fn check(line: &str, expected: Result<Truth, &str>) {
    let found = records(line.as_bytes()).next().expect("one line is one record");
    match expected {
        Ok(truth) => assert_eq!(found.map(|record| record.truth), Ok(truth), "{line}"),
        Err(part) => assert!(found.as_ref().is_err_and(|problem| problem.to_string().contains(part)), "{line}: {found:?}"),
    }
}

#[test]
fn labels_come_as_words_numbers_and_truth_values() {
    let line = |label: &str| format!(r#"{{"claim":"c","evidence":["one","two"],"label":{label}}}"#);
    for (label, truth) in [
        ("true", Truth::Supported),
        ("0", Truth::Unsupported),
        ("\"SUPPORTED\"", Truth::Supported),
        ("\"partially_supported\"", Truth::Partly),
        ("\"not_supported\"", Truth::Unsupported),
        ("\"no\"", Truth::Unsupported),
        ("\"NOT ENOUGH INFO\"", Truth::Unsupported),
        ("\"attributable\"", Truth::Supported),
        ("\"non-factual\"", Truth::Unsupported),
        ("\"NotSupported\"", Truth::Unsupported),
        ("\"does_not_support\"", Truth::Unsupported),
        ("\"not mentioned\"", Truth::Unsupported),
        ("\"unsupported_number\"", Truth::Unsupported),
        ("\"insufficient evidence\"", Truth::Unsupported),
        ("\"PartiallySupported\"", Truth::Partly),
        ("\"Supported.\"", Truth::Supported),
        ("\"T\"", Truth::Supported),
        ("\"fail\"", Truth::Unsupported),
        ("\"1.0\"", Truth::Supported),
        ("-1", Truth::Unsupported),
        ("[\"supported\"]", Truth::Supported),
        ("{\"value\":\"refuted\"}", Truth::Unsupported),
    ] {
        check(&line(label), Ok(truth));
    }
    check(&line("\"nothing known\""), Err("is not known"));
    check(&line("\"not None\""), Err("is not known"));
    check(&line("2"), Err("is not known"));
    check(r#"{"claim":"c","source":"s","hallucinated":true}"#, Ok(Truth::Unsupported));
}

#[test]
fn sources_and_contexts_come_in_many_fields_and_shapes() {
    let read = |line: &str| records(line.as_bytes()).next().expect("one line is one record").expect("the record is sound");
    let nested =
        read(r#"{"claim":"c","evidence":[{"title":"T","text":"one"},["two"]],"label":1,"meta":{"claim_title":"M"},"kind":"near"}"#);
    assert_eq!((nested.source.as_str(), nested.context.as_str(), nested.kind.as_deref()), ("T\none\ntwo", "M", Some("near")));
    let inference = read(r#"{"hypothesis":"c","premise":"p","gold_label":"entailment"}"#);
    assert_eq!((inference.claim.as_str(), inference.source.as_str()), ("c", "p"));
    let only_context = read(r#"{"claim":"c","context":"p","label":false}"#);
    assert_eq!((only_context.source.as_str(), only_context.context.as_str()), ("p", ""));
    for (line, source) in [
        (r#"{"claim":"c","source":"https://e.org/a","source_text":"The bell is old.","label":1}"#, "The bell is old."),
        (r#"{"claim":"c","source":"https://e.org/a","text":"The bell is old.","label":1}"#, "The bell is old."),
        (
            r#"{"claim":"c","source":"The Daily Bell","text":"The bell is old, and it is loud.","label":1}"#,
            "The bell is old, and it is loud.",
        ),
        (r#"{"Claim":"c","Source Text":"The bell is old.","Label":1}"#, "The bell is old."),
        (r#"{"claim":"c","sourceText":"The bell is old.","label":1}"#, "The bell is old."),
        (r#"{"claim":"c","source":"s","evidence":"t","label":1}"#, "s"),
    ] {
        let found = read(line);
        assert_eq!((found.claim.as_str(), found.source.as_str()), ("c", source), "{line}");
    }
}

#[test]
fn words_that_are_marked_one_by_one_say_which_of_them_are_unsupported_and_whether_the_claim_holds() {
    let line = |marks: &str| {
        format!(r#"{{"claim":"Over fifty films","claim_tokens":["Over","fifty","films"],"non_supported_spans":{marks},"evidence":["e"]}}"#)
    };
    let read = |marks: &str| records(line(marks).as_bytes()).next().expect("one line is one record").expect("the record is sound");
    let some = read("[true,true,false]");
    assert_eq!((some.truth, some.unsupported), (Truth::Partly, Some(vec!["Over".to_string(), "fifty".to_string()])));
    let none = read("[false,false,false]");
    assert_eq!((none.truth, none.unsupported), (Truth::Supported, Some(Vec::new())));
    check(&line("[true]"), Err("no `label`"));
}

#[test]
fn a_file_may_be_one_list_and_may_begin_with_a_byte_order_mark() {
    let one = r#"{"claim":"c","source":"s","label":1}"#;
    for file in [format!("\u{feff}{one}\n{one}\n"), format!("[{one},\n {one}]"), format!("\n[\n{one},{one}\n]\n")] {
        assert_eq!(records(file.as_bytes()).filter(Result::is_ok).count(), 2, "{file}");
    }
    assert!(measure("[1, 2".as_bytes()).is_err(), "half a list is none");
}

#[test]
fn a_line_that_begins_like_a_list_swallows_none_of_the_others() {
    let one = r#"{"claim":"c","source":"s","label":1}"#;
    for (file, good, bad) in [
        (format!("{one}\n[1, 2]\n{one}\n[note\n{one}\n"), 3, 2),
        (format!("[note\n{one}\n{one}"), 2, 1),
        (format!("\n[{one}]\n{one}\n"), 1, 1),
    ] {
        let read: Vec<_> = records(file.as_bytes()).collect();
        assert_eq!((read.iter().filter(|one| one.is_ok()).count(), read.iter().filter(|one| one.is_err()).count()), (good, bad), "{file}");
    }
    let second = records(format!("[note\n{one}\nnothing\n").as_bytes()).filter_map(Result::err).last().expect("a problem");
    assert_eq!(second.line, 3);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_told_and_the_rest_is_measured() {
    let lines = "{\"claim\":\"The bridge is long.\",\"source\":\"The bridge is long.\",\"label\":1,\"kind\":\"near\"}\nnothing\n";
    let measured = measure(lines.as_bytes()).expect("one line can be read");
    assert_eq!((measured.claims, measured.unread, measured.families.len()), (1, 1, 1));
    assert!(measured.to_string().contains("line 2: it is no JSON object"), "{measured}");
    assert!(!measured.is_whole(), "half of the lines is not the whole");
    assert!(measure("nothing".as_bytes()).is_err_and(|problem| problem.line == 1));
}

#[test]
fn a_line_that_is_no_record_says_so_with_its_number() {
    check(r#"{"claim":"c","label":true}"#, Err("line 1: it has no source text"));
    check(r#"{"source":"c","label":true}"#, Err("no `claim`"));
    check(r#"{"source":"c","claims":[{"claim":"a","label":1},{"claim":"a"}]}"#, Err("no `label`"));
    check("nothing", Err("no JSON object"));
}

#[test]
fn counts_follow_from_the_verdicts() {
    let source = "The bridge was opened in 1932 and is 503 metres long. It carries eight lanes of traffic over the harbour.";
    let lines = [
        ("The bridge was opened in 1932.", true, ""),
        ("The bridge is 503 metres long.", true, ""),
        ("The bridge was opened in 1942.", false, "1942"),
        ("The bridge was designed by Edith Cavell.", false, "Edith Cavell"),
    ];
    let records = lines.map(|(claim, label, wrong)| {
        serde_json::json!({ "claim": claim, "source": source, "label": label, "unsupported": wrong.split_whitespace().collect::<Vec<_>>() }).to_string()
    });
    let measured = measure(records.join("\n\n").as_bytes()).expect("the records are sound");
    assert_eq!((measured.claims, measured.supported, measured.flagged), (4, 2, 2));
    assert_eq!(
        [measured.flag_precision, measured.flag_recall, measured.token_precision, measured.token_recall, measured.auroc],
        [Some(1.0); 5]
    );
    assert!(measured.to_string().contains("claims                         4 (2 supported)"));
}

#[test]
fn without_both_labels_there_is_no_auroc() {
    let measured = measure(r#"{"claim":"a","source":"a","label":1}"#.as_bytes()).expect("the record is sound");
    assert_eq!(measured.auroc, None);
}

#[test]
fn what_is_asked_of_one_source_may_be_a_list() {
    let value = serde_json::json!({ "source": "The tower is 90 metres tall and old.", "claims": [{ "id": 4, "claim": "It is old." }, "It is tall."] });
    let asked = super::Asked::all_of(&value).expect("two claims");
    let claims: Vec<(&str, bool)> = asked.iter().map(|asked| (asked.claim.as_str(), asked.fields.contains_key("id"))).collect();
    assert_eq!(claims, [("It is old.", true), ("It is tall.", false)]);
    assert!(super::Asked::all_of(&serde_json::json!({ "source": "a b c d e f", "claims": [5] })).is_err());
}
