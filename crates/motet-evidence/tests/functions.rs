//! What workflows call, with the archive of a run beside them.

use motet_evidence::archive::{Access, Archive};
use motet_evidence::extract::{Hints, Limits, extract};
use motet_evidence::functions::TABLE;
use serde_json::{Value, json};

use crate::scratch::Scratch;

const PAGE: &str =
    "The bridge was opened in 1932 after eight years of work. It was designed by John Bradfield.\n\nTolls were collected until 1988.";

fn call(name: &str, input: &Value, scratch: &Scratch) -> Value {
    let function = TABLE.iter().find(|known| known.name == name).expect("a function").function;
    function(input, Some(scratch.path())).expect("a result")
}

/// A run that has read one page, and the source as a workflow registers it.
fn run() -> (Scratch, Value) {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    let url = "https://a.example/bridge".to_string();
    let access = Access { found_at: url.clone(), url, status: 200, headers: Vec::new(), accessed_ms: 0 };
    let extracted = extract(PAGE.as_bytes(), &Hints::of_path("bridge.txt"), &Limits::default()).expect("a text");
    let record = archive.keep(PAGE.as_bytes(), access, &extracted).expect("kept").record;
    let source =
        json!({ "id": "S01", "url": "https://a.example/bridge", "title": "Bridge", "type": "HTML", "local_path": record.raw_path });
    (scratch, source)
}

fn fact(source: &Value, statement: &str, quote: &str) -> Value {
    json!({ "id": "F1", "statement": statement, "quote": quote, "sources": [source["url"]], "raw_file": source["local_path"], "confidence": "High" })
}

#[test]
fn a_fact_is_untraced_if_its_file_or_its_words_are_not_in_the_archive() {
    let (scratch, source) = run();
    let check = |fact: Value, expected: &str| {
        let found = call("evidence.audit", &json!({ "facts": [fact], "sources": [source] }), &scratch);
        assert_eq!(found["untraced"][0]["why"].as_str().unwrap_or("traced"), expected);
        assert_eq!(found["checked_against"], "archive");
    };
    check(fact(&source, "It was opened in 1932.", "The bridge was opened in 1932"), "traced");
    check(
        fact(&source, "It was opened in 1932.", "The bridge was inaugurated by the queen"),
        "its quotation is not in the archived text of its sources",
    );
    for file in ["assets/data/0000000000000000.txt", "../outside.txt", "assets/../../outside.txt"] {
        let mut lost = fact(&source, "It was opened in 1932.", "The bridge was opened in 1932");
        lost["raw_file"] = json!(file);
        check(lost, &format!("{file} is not in the archive"));
    }
}

#[test]
fn what_stands_around_a_quotation_bears_a_sentence_out_and_what_is_nowhere_does_not() {
    let (scratch, source) = run();
    let facts = json!([fact(&source, "It was opened in 1932.", "The bridge was opened in 1932")]);
    let report =
        |text: &str| json!({ "title": "T", "sections": [{ "heading": "H", "paragraphs": [[{ "text": text, "facts": ["F1"] }]] }] });
    let verified = |text: &str| call("evidence.verify", &json!({ "report": report(text), "facts": facts, "sources": [source] }), &scratch);
    let designed = verified("The bridge of 1932 was designed by John Bradfield.");
    assert_eq!(designed["outcome"], "sound", "{designed}");
    let verdict = &designed["verdicts"][0];
    let span = &verdict["verdict"]["span"];
    let (start, end) = (span["start"].as_u64().expect("a place"), span["end"].as_u64().expect("a place"));
    assert_eq!(verdict["source"], "S01");
    assert!(
        ["The bridge was opened", "It was designed"].iter().any(|words| PAGE[start as usize..end as usize].starts_with(words)),
        "{verdict}"
    );
    assert_eq!(verified("The bridge was designed by Jane Roe.")["unsound"][0]["why"], "Jane, Roe are not in F1");
}

#[test]
fn a_report_whose_source_was_never_archived_is_not_published() {
    let (scratch, source) = run();
    let strange = json!({ "id": "S02", "url": "https://b.example/", "title": "B", "type": "HTML" });
    let mut second = fact(&strange, "It is red.", "It is red.");
    second["id"] = json!("F2");
    let facts = json!([fact(&source, "It was opened in 1932.", "The bridge was opened in 1932"), second]);
    let report = |fact: &str| json!({ "title": "T", "sections": [{ "heading": "H", "paragraphs": [[{ "text": "It was opened in 1932.", "facts": [fact] }]] }] });
    let published =
        |fact: &str| call("report.publish", &json!({ "report": report(fact), "facts": facts, "sources": [source, strange] }), &scratch);
    assert_eq!(published("F1")["outcome"], "open");
    let closed = published("F2");
    assert_eq!(
        (&closed["outcome"], &closed["reasons"]),
        (&json!("closed"), &json!(["1 citations lead outside the archive: https://b.example/"]))
    );
}

#[test]
fn without_assets_a_run_has_no_archive() {
    let scratch = Scratch::new();
    let source = json!({ "id": "S01", "url": "https://a.example/bridge" });
    let mut one = fact(&source, "It was opened in 1932.", "It was opened in 1932.");
    one["raw_file"] = json!("assets/web/a.html");
    let found = call("evidence.audit", &json!({ "facts": [one], "sources": [source] }), &scratch);
    assert_eq!((&found["untraced"], &found["checked_against"]), (&json!([]), &json!("quotations")));
}

#[test]
fn an_archived_file_bears_nothing_out_for_an_address_that_it_was_not_read_at() {
    let (scratch, source) = run();
    let mut strange = source.clone();
    strange["url"] = json!("https://nature.example/never-existed");
    let why = |source: &Value, file: &str| {
        let mut fact = fact(source, "It was opened in 1932.", "The bridge was opened in 1932");
        fact["raw_file"] = json!(file);
        let found = call("evidence.audit", &json!({ "facts": [fact], "sources": [source] }), &scratch);
        found["untraced"][0]["why"].as_str().unwrap_or("traced").to_string()
    };
    let own = source["local_path"].as_str().expect("a path");
    let nowhere = "its quotation is not in the archived text of its sources";
    assert_eq!((why(&source, own).as_str(), why(&strange, own).as_str()), ("traced", nowhere));
    // Neither a copy of it nor its text has another origin than it has; what an agent saved by itself has none but its word.
    scratch.write("assets/web/copy.txt", PAGE);
    scratch.write("assets/web/saved.txt", format!("As I read: {PAGE}"));
    strange["local_path"] = json!("assets/web/copy.txt");
    assert_eq!(why(&strange, "assets/web/copy.txt"), nowhere);
    strange["local_path"] = json!("assets/web/saved.txt");
    assert_eq!(why(&strange, "assets/web/saved.txt"), "traced");
}

#[test]
fn a_text_that_was_changed_since_it_was_archived_bears_nothing_out() {
    let (scratch, source) = run();
    let raw = source["local_path"].as_str().expect("a path");
    let text = raw.rsplit_once('.').map(|(stem, _)| format!("{stem}.extracted.md")).expect("an ending");
    scratch.write(&text, PAGE.replace("1932", "1942"));
    for quote in ["The bridge was opened in 1942", "The bridge was opened in 1932"] {
        let facts = json!([fact(&source, "It was opened then.", quote)]);
        let found = call("evidence.audit", &json!({ "facts": facts, "sources": [source] }), &scratch);
        assert_eq!(found["untraced"][0]["why"], "its quotation is not in the archived text of its sources", "{quote}");
    }
}
