//! Claims and reports from the command line, with no run, no model and no network.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::scratch::Scratch;

const SOURCE: &str = "The bridge was opened in 1932 and is 503 metres long. About 160,000 vehicles cross it each day.";

struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

fn motet(scratch: &Scratch, arguments: &[&str], input: &str) -> Done {
    let mut child = Command::new(env!("CARGO_BIN_EXE_motet"))
        .args(arguments)
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read may be gone already.
    let _ = std::io::Write::write_all(&mut child.stdin.take().expect("its input"), input.as_bytes());
    let done = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what it prints is text");
    Done { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

fn check(arguments: &[&str], input: &str, code: i32, says: &[&str]) -> Done {
    let scratch = Scratch::new();
    scratch.write("source.txt", SOURCE);
    scratch.write("picture.png", [137, 80, 0, 1]);
    let done = motet(&scratch, arguments, input);
    assert_eq!(done.code, Some(code), "{arguments:?}: {}{}", done.out, done.err);
    for part in says {
        assert!(done.out.contains(part) || done.err.contains(part), "{part:?} is not in {}{}", done.out, done.err);
    }
    done
}

#[test]
fn one_claim_is_compared_with_one_file() {
    check(
        &["evidence", "check", "--claim", "The bridge is 503 metres long.", "--source", "source.txt"],
        "",
        0,
        &["supported", "503 metres"],
    );
    check(&["evidence", "check", "--claim", "The bridge was opened in 1942.", "--source", "-"], SOURCE, 1, &["not in the source: 1942"]);
    check(&["evidence", "check", "--claim", "x", "--source", "nothing.txt"], "", 2, &["nothing.txt cannot be used as a source"]);
    check(&["evidence", "check", "--claim", "x", "--source", "picture.png"], "", 2, &["picture.png cannot be used as a source"]);
    check(&["evidence", "check", "--claim", "x"], "", 2, &["--source"]);
}

#[test]
fn many_claims_go_through_as_lines_and_a_bad_line_does_not_stop_them() {
    let line = |claim: &str| json!({ "id": 7, "claim": claim, "source": SOURCE }).to_string();
    let input = [line("The bridge is 503 metres long."), "nothing".into(), line("It was opened in 1942.")].join("\n");
    let done = check(&["evidence", "check", "--batch", "-"], &input, 2, &["\"line\":2"]);
    let lines: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!((lines.len(), &lines[0]["id"], &lines[0]["verdict"]["label"]), (3, &json!(7), &json!("supported")));
    assert_eq!(lines[2]["verdict"]["missing"][0]["text"], "1942");
    assert!(lines[0].get("source").is_none());
    let path = json!({ "claim": "The bridge is 503 metres long.", "source": "source.txt" }).to_string();
    check(&["evidence", "check", "--batch", "-"], &path, 2, &["the name of a file, source.txt"]);
    let named = json!({ "claim": "It is 503 metres long.", "source_text": SOURCE, "text": "kept", "source": "wikipedia" }).to_string();
    let done = check(&["evidence", "check", "--batch", "-"], &named, 0, &["\"supported\""]);
    let line: Value = serde_json::from_str(&done.out).expect("one object");
    assert_eq!((&line["text"], &line["source"], line.get("source_text")), (&json!("kept"), &json!("wikipedia"), None));
}

#[test]
fn one_source_with_a_list_of_claims_gives_a_line_for_each() {
    let claims = json!([{ "id": 1, "claim": "The bridge is 503 metres long." }, "It was opened in 1942."]);
    let done = check(&["evidence", "check", "--batch", "-"], &json!({ "source": SOURCE, "claims": claims }).to_string(), 0, &[]);
    let lines: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    assert_eq!((lines.len(), &lines[0]["id"], &lines[0]["verdict"]["label"]), (2, &json!(1), &json!("supported")));
    assert_eq!((&lines[1]["claim"], &lines[1]["verdict"]["missing"][0]["text"]), (&json!("It was opened in 1942."), &json!("1942")));
}

#[test]
fn labelled_claims_are_measured() {
    let scratch = Scratch::new();
    let line = |claim: &str, label: bool| json!({ "claim": claim, "source_text": SOURCE, "label": label }).to_string();
    scratch.write("labelled.jsonl", [line("The bridge is 503 metres long.", true), line("It was opened in 1942.", false)].join("\n"));
    let done = motet(&scratch, &["evidence", "bench", "labelled.jsonl", "--json"], "");
    let measured: Value = serde_json::from_str(&done.out).expect("one object");
    assert_eq!((&measured["auroc"], &measured["flag_precision"], &measured["flag_recall"]), (&json!(1.0), &json!(1.0), &json!(1.0)));
    scratch.write("labelled.jsonl", [line("The bridge is 503 metres long.", true), "nothing".into()].join("\n"));
    let done = motet(&scratch, &["evidence", "bench", "labelled.jsonl"], "");
    assert!(done.code == Some(1) && done.err.contains("1 lines of labelled.jsonl are no labelled claims"), "{}{}", done.out, done.err);
    scratch.write("labelled.jsonl", "{}\n");
    let done = motet(&scratch, &["evidence", "bench", "labelled.jsonl"], "");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("line 1: it has no source text"), "{}", done.err);
}

const REPORT: &str =
    "# The bridge\n\nThe bridge was opened in 1932 [1]. It is 503 metres long [1].\n\n## References\n\n1. https://a.example/bridge\n";

#[test]
fn a_report_from_anywhere_is_verified_against_a_folder() {
    let scratch = Scratch::new();
    scratch.write("report.md", REPORT);
    scratch.write("sources/one.md", format!("---\nurl: https://a.example/bridge\n---\n{SOURCE}"));
    scratch.write("sources/scan.pdf", "%PDF-1.4");
    scratch.write(
        "sources/page.html",
        "<html><body><article><h1>Tides</h1><p>The tide turns twice a day in this bay.</p></article></body></html>",
    );
    let done = motet(&scratch, &["verify", "report.md", "--sources", "sources"], "");
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    for part in ["the report holds: 2 of 2", "Grounding", "passes the publish gate", "not read: scan.pdf"] {
        assert!(done.out.contains(part), "{part:?} is not in {}", done.out);
    }
    scratch.write("report.md", REPORT.replace("1932", "1942").replace("long [1]", "long [2]"));
    let done = motet(&scratch, &["verify", "report.md", "--sources", "sources"], "");
    assert_eq!(done.code, Some(1));
    for part in ["unsound", "1942", "unfounded", "1 references are undefined: 2"] {
        assert!(done.out.contains(part), "{part:?} is not in {}", done.out);
    }
}

#[test]
fn a_saved_page_is_found_by_the_address_that_it_gives_itself_and_by_no_other() {
    let scratch = Scratch::new();
    scratch.write("sources/bridge.md", SOURCE);
    let page = |head: &str| format!("<html><head>{head}<title>Bridge</title></head><body><article><p>{SOURCE}</p></article></body></html>");
    let verified = |entry: &str| {
        scratch.write("report.md", REPORT.replace("https://a.example/bridge", entry));
        motet(&scratch, &["verify", "report.md", "--sources", "sources"], "")
    };
    let done = verified("Invented Journal, https://a.example/bridge (see bridge.md)");
    assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
    assert!(done.out.contains("lead outside the archive: https://a.example/bridge") && done.out.contains("canonical link"), "{}", done.out);
    for head in [
        "<link rel=\"canonical\" href=\"https://a.example/bridge\">",
        "<meta property='og:url' content='https://a.example/bridge'>",
        "<!-- saved from url=(0024)https://a.example/bridge -->",
    ] {
        scratch.write("sources/saved.html", page(head));
        let done = verified("The bridge, https://a.example/bridge");
        assert!(done.code == Some(0) && done.out.contains("the report holds: 2 of 2"), "{head}: {}{}", done.out, done.err);
    }
}

/// A folder of sources may hold anything: links that lead back, pipes that nobody writes to, and texts in old letters.
#[test]
fn a_strange_folder_of_sources_ends_and_old_letters_are_read() {
    let scratch = Scratch::new();
    scratch.write("report.md", "Die Brücke wurde 1932 eröffnet [1].\n\n## Quellen\n\n[1] Die Brücke, https://a.example/bridge\n");
    scratch.write("sources/old.txt", b"url: https://a.example/bridge\n\nDie Br\xfccke wurde 1932 er\xf6ffnet.\n");
    for link in ["sources/again", "sources/once-more"] {
        std::os::unix::fs::symlink(".", scratch.path().join(link)).expect("a link");
    }
    let pipe = Command::new("mkfifo").arg(scratch.path().join("sources/pipe.md")).status().expect("mkfifo starts");
    assert!(pipe.success());
    let done = motet(&scratch, &["verify", "report.md", "--sources", "sources"], "");
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    assert!(done.out.contains("the report holds: 1 of 1") && done.out.contains("pipe.md: it is no ordinary file"), "{}", done.out);
    let done = motet(&scratch, &["evidence", "check", "--claim", "x", "--source", "sources/pipe.md"], "");
    assert!(done.code == Some(2) && done.err.contains("no ordinary file"), "{}{}", done.out, done.err);
}

#[test]
fn the_archive_beside_a_report_is_found_by_its_sidecars() {
    let scratch = Scratch::new();
    scratch.write("report.md", REPORT);
    scratch.write("assets/html/0a1b.html", "<p>raw</p>");
    scratch.write("assets/html/0a1b.extracted.md", SOURCE);
    scratch.write(
        "assets/html/0a1b.json",
        json!({ "id": "0a1b", "accesses": [{ "url": "https://a.example/bridge", "found_at": "https://a.example/bridge/" }] }).to_string(),
    );
    let done = motet(&scratch, &["verify", "report.md", "--json"], "");
    let answer: Value = serde_json::from_str(&done.out).expect("one object");
    assert_eq!((done.code, &answer["ok"], &answer["sources"]), (Some(0), &json!(true), &json!(1)), "{}", done.out);
    let nowhere = Scratch::new();
    nowhere.write("report.md", REPORT);
    let done = motet(&nowhere, &["verify", "report.md"], "");
    assert_eq!(done.code, Some(1));
    assert!(done.out.contains("--sources DIR"), "{}", done.out);
}

#[test]
fn a_line_that_is_no_text_is_told_and_the_rest_goes_on() {
    let scratch = Scratch::new();
    let line = |claim: &str| format!("{}\n", json!({ "claim": claim, "source": SOURCE }));
    let good = line("The bridge is 503 metres long.");
    scratch.write("claims.jsonl", [good.as_bytes(), b"\xff\xfe{\n\n", good.as_bytes()].concat());
    let done = motet(&scratch, &["evidence", "check", "--batch", "claims.jsonl"], "");
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    assert_eq!((done.code, answers.len()), (Some(2), 3), "{}{}", done.out, done.err);
    assert_eq!((&answers[1]["line"], &answers[2]["verdict"]["label"]), (&json!(2), &json!("supported")));
    assert!(answers[1]["error"].as_str().is_some_and(|why| why.contains("UTF-8")), "{}", answers[1]);
}

#[test]
fn a_folder_or_an_empty_file_is_nothing_to_measure() {
    let scratch = Scratch::new();
    scratch.write("folder/claims.jsonl", "");
    for (arguments, says) in [
        (["evidence", "bench", "folder"].as_slice(), "folder is a folder"),
        (&["evidence", "check", "--batch", "folder"], "folder is a folder"),
        (&["evidence", "bench", "folder/claims.jsonl"], "there is nothing to measure in folder/claims.jsonl"),
    ] {
        let done = motet(&scratch, arguments, "");
        assert!(done.code == Some(2) && done.err.contains(says), "{arguments:?}: {:?} {}{}", done.code, done.out, done.err);
    }
}

#[test]
fn a_report_with_one_unsound_sentence_does_not_hold() {
    let scratch = Scratch::new();
    scratch.write("assets/bridge.md", SOURCE);
    let report = |more: &str| format!("The bridge was opened in 1932 [1]. {more}\n\n## Sources\n\n1. bridge.md\n");
    for (more, code, says) in [
        ("", 0, "the report holds"),
        ("It was designed by Wilhelmina Katz [1].", 1, "1 cited sentence is not borne out"),
        ("It was never opened [1].", 1, "says the opposite"),
        ("One guide calls it \u{201c}the saddest thing on earth\u{201d} [1].", 1, "the quotation is not in"),
        ("It costs 999 million kroner, a figure once called unverified but now confirmed.", 1, "uncited"),
        ("\n\n<p>It costs 999 million kroner.</p>", 1, "999 million kroner"),
        ("\n\n## It cost 999 million kroner\n\nSo they say.", 1, "999 million kroner"),
    ] {
        scratch.write("report.md", report(more));
        let done = motet(&scratch, &["verify", "report.md"], "");
        assert!(done.code == Some(code) && done.out.contains(says), "{more}: {:?} {}{}", done.code, done.out, done.err);
    }
    scratch.write("report.md", "The bridge is beautiful. Everybody likes it.\n");
    let done = motet(&scratch, &["verify", "report.md"], "");
    assert!(done.code == Some(1) && done.out.contains("nothing in it is cited"), "{}{}", done.out, done.err);
}

#[test]
fn the_last_line_says_how_many_cited_sentences_are_not_borne_out() {
    let scratch = Scratch::new();
    scratch.write("assets/bridge.md", SOURCE);
    let (potatoes, ovens) = ("Farmers grow potatoes on the islands [1].", "Bakers heat ovens before sunrise [1].");
    let sound = "1 of 1 sentences with a number are sound";
    for (more, last) in [
        (String::new(), format!("✓ the report holds: {sound}")),
        (
            potatoes.to_string(),
            format!("! the report holds for its numbers: {sound}; 1 cited sentence is not borne out, compare before you rely on it"),
        ),
        (
            format!("{potatoes} {ovens}"),
            format!("! the report holds for its numbers: {sound}; 2 cited sentences are not borne out, compare before you rely on it"),
        ),
    ] {
        scratch.write("report.md", format!("The bridge was opened in 1932 [1]. {more}\n\n## Sources\n\n1. bridge.md\n"));
        let done = motet(&scratch, &["verify", "report.md"], "");
        assert_eq!((done.code, done.out.lines().last()), (Some(0), Some(last.as_str())), "{}{}", done.out, done.err);
    }
}
