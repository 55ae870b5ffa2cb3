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
    ] {
        check(&line(label), Ok(truth));
    }
    check(&line("\"nothing known\""), Err("is not known"));
    check(&line("\"not None\""), Err("is not known"));
}

#[test]
fn a_line_that_is_no_record_says_so_with_its_number() {
    check(r#"{"claim":"c","label":true}"#, Err("line 1: it has no source text"));
    check(r#"{"source":"c","label":true}"#, Err("no `claim`"));
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
