//! Extraction from honest, malformed, hostile and huge documents.

use motet_evidence::extract::{Extracted, Hints, Kind, Limits, NotExtracted, Worker, extract, serve};
use motet_testkit::web::hostile::site;
use motet_testkit::web::paper::{circular_pdf, nested_pdf, pdf};
use motet_testkit::web::{Asked, Sent};

fn check(bytes: &[u8], content_type: Option<&str>, name: &str) -> Result<Extracted, NotExtracted> {
    let hints = Hints { content_type: content_type.map(str::to_string), url: Some(name.to_string()) };
    extract(bytes, &hints, &Limits { timeout_ms: 120_000, ..Limits::default() })
}

fn page(path: &str) -> Result<Extracted, NotExtracted> {
    let asked = Asked { method: "GET".to_string(), path: path.to_string(), query: String::new(), headers: Vec::new(), body: Vec::new() };
    let answer = site(&asked);
    let Sent::Whole(body) = answer.body else { panic!("{path} has no body") };
    let content_type = answer.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
    check(&body, content_type, &format!("http://site.example{path}"))
}

#[test]
fn an_article_is_found_in_its_page_with_what_the_page_says_of_itself() {
    let article = page("/article").expect("it is an article");
    assert!(article.text.contains("The answer is 42, as measured in 2023."), "{}", article.text);
    assert!(!article.text.contains("track()") && !article.text.contains("Home"), "{}", article.text);
    assert_eq!(article.title.as_deref(), Some("An honest page"));
    assert_eq!(article.authors, ["Ada Lovelace"]);
    assert_eq!(article.published.as_deref(), Some("2024-05-17"));
    assert_eq!(article.language.as_deref(), Some("en"));
    assert_eq!((article.kind, article.encoding.as_deref()), (Kind::Html, Some("UTF-8")));
    assert!(article.extractor.starts_with("dom_smoothie 0.19"), "{}", article.extractor);
}

#[test]
fn letters_survive_wrong_labels_and_broken_ones_are_told() {
    let wrong = page("/wrong-charset").expect("it can be read");
    assert!(wrong.text.contains("na\u{ef}ve caf\u{e9}t\u{e9}ria"), "{}", wrong.text);
    let invalid = page("/invalid-utf8").expect("it can be read");
    assert!(invalid.text.contains("there is text again"));
    assert!(invalid.notes.iter().any(|note| note.contains("no letters")), "{:?}", invalid.notes);
}

#[test]
fn a_page_nested_without_end_is_stripped_and_overflows_nothing() {
    let deep = page("/deep").expect("its text is there");
    assert!(deep.text.contains("the bottom of the page"));
    assert!(deep.extractor.starts_with("motet-strip"), "{}", deep.extractor);
    let unclosed = format!("<html><body>{}bottom", "<div><span><b>".repeat(100_000));
    assert!(check(unclosed.as_bytes(), Some("text/html"), "x").expect("its text is there").text.contains("bottom"));
}

#[test]
fn a_power_is_read_as_one_however_deep_it_stands() {
    let said = "<p>A drop holds about 10<sup>6</sup> cells, or 3&times;10<sup>&minus;2</sup> of 5 km<sup>2</sup>.</p>";
    let deep = format!("{}{said}{}", "<div>".repeat(600), "</div>".repeat(600));
    for html in [said, &deep] {
        let text = check(format!("<html><body>{html}</body></html>").as_bytes(), Some("text/html"), "x").expect("it can be read").text;
        assert!(text.contains("about 10⁶ cells, or 3") && text.contains("10⁻² of 5 km²."), "{text}");
    }
}

#[test]
fn a_page_that_is_only_a_guard_or_only_a_script_is_not_a_source() {
    assert!(matches!(page("/challenge"), Err(NotExtracted::Challenge(_))));
    assert!(matches!(page("/script-only"), Err(NotExtracted::Empty(why)) if why.contains("scripts")));
}

#[test]
fn the_words_of_a_page_stay_words_whatever_they_ask_for() {
    let text = page("/injection").expect("it can be read").text;
    assert!(text.contains(motet_testkit::web::hostile::INJECTION), "{text}");
}

#[test]
fn a_paper_is_read_with_its_title_authors_and_date() {
    let paper =
        check(&pdf("On Engines", &["The engine weaves algebraical patterns.", "It has 25000 parts."]), Some("application/pdf"), "x")
            .expect("a paper");
    assert!(paper.text.contains("algebraical patterns") && paper.text.contains("25000"), "{}", paper.text);
    assert_eq!(paper.title.as_deref(), Some("On Engines"));
    assert_eq!(paper.authors, ["Ada Lovelace", "Charles Babbage"]);
    assert_eq!(paper.published.as_deref(), Some("2024-05-17"));
    assert!(paper.extractor.starts_with("unpdf 0.52"));
}

/// A worker in a process of its own: this test binary again, told to be one.
fn worker(behaviour: &str) -> Limits {
    let program = std::env::current_exe().expect("this is a program");
    let arguments = ["extracting::be_a_worker", "--exact", "--nocapture", "--test-threads=1"].map(str::to_string).to_vec();
    let environment = vec![("MOTET_TEST_WORKER".to_string(), behaviour.to_string())];
    let timeout_ms = if behaviour == "hang" { 500 } else { 120_000 };
    Limits { worker: Some(Worker { program, arguments, environment }), timeout_ms, ..Limits::default() }
}

#[test]
fn be_a_worker() {
    let limits = Limits { timeout_ms: 60_000, ..Limits::default() };
    match std::env::var("MOTET_TEST_WORKER").as_deref() {
        Ok("serve") => serve(&mut std::io::stdin(), &mut std::io::stdout(), &limits).expect("the pipes hold"),
        Ok("hang") => std::thread::sleep(std::time::Duration::from_secs(600)),
        Ok("die") => std::process::abort(),
        _ => {}
    }
}

#[test]
fn a_paper_is_read_in_a_process_that_may_hang_or_die() {
    let paper = pdf("On Engines", &["The engine weaves algebraical patterns."]);
    let read = |behaviour: &str| extract(&paper, &Hints::default(), &worker(behaviour));
    assert_eq!(read("serve").expect("a paper").title.as_deref(), Some("On Engines"));
    assert!(matches!(read("hang"), Err(NotExtracted::TimedOut(_))));
    assert!(matches!(read("die"), Err(NotExtracted::Broken(why)) if why.contains("died")));
}

#[test]
fn hostile_papers_come_to_an_answer() {
    let good = pdf("On Engines", &["The engine weaves algebraical patterns."]);
    let mut papers = vec![circular_pdf(), nested_pdf(50_000), b"%PDF-1.7\n%%EOF".to_vec(), b"%PDF-1.4 trailer << /Root 9 0 R >>".to_vec()];
    papers.extend((1..8).map(|part| good[..good.len() * part / 8].to_vec()));
    for (number, paper) in papers.into_iter().enumerate() {
        // Whatever it is, it is an answer; the worker's process takes what would take this one.
        let outcome = extract(&paper, &Hints::default(), &worker("serve"));
        assert!(!matches!(outcome, Err(NotExtracted::TimedOut(_))), "paper {number}: {outcome:?}");
    }
}

#[test]
fn a_paper_nested_without_end_is_refused_even_in_a_thread() {
    let outcome = extract(&nested_pdf(50_000), &Hints::default(), &Limits { timeout_ms: 120_000, ..Limits::default() });
    assert!(matches!(&outcome, Err(NotExtracted::Broken(why)) if why.contains("nested")), "{outcome:?}");
}

#[test]
fn hostile_feeds_come_to_an_answer() {
    let deep = format!("<rss version=\"2.0\"><channel>{}x", "<a>".repeat(100_000));
    assert!(matches!(check(deep.as_bytes(), Some("application/rss+xml"), "x"), Err(NotExtracted::Broken(why)) if why.contains("nested")));
    let entities = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><rss version=\"2.0\"><channel><title>&b;</title></channel></rss>";
    let outcome = check(entities.as_bytes(), Some("application/rss+xml"), "x");
    assert!(!format!("{outcome:?}").contains("aaaaaaaaaaaaaaaaaaaa"), "entities are not unfolded: {outcome:?}");
    assert!(check(b"<rss", Some("application/rss+xml"), "x").is_err());
}

#[test]
fn what_is_not_text_is_named_and_what_is_too_large_is_not_begun() {
    assert!(matches!(check(b"PK\x03\x04....", None, "report.docx"), Err(NotExtracted::Unsupported(why)) if why.contains("office")));
    assert!(matches!(check(b"\x89PNG\r\n\x1a\n", Some("image/png"), "x"), Err(NotExtracted::Unsupported(_))));
    assert!(matches!(check(b"ab\0\0cd", None, "x.bin"), Err(NotExtracted::Unsupported(_))));
    assert!(matches!(check(b"<html>sorry</html>", Some("application/pdf"), "x"), Err(NotExtracted::Broken(_))));
    assert!(matches!(check(b" \n\t ", None, "x.txt"), Err(NotExtracted::Empty(_))));
    let small = Limits { max_bytes: 10, ..Limits::default() };
    assert!(matches!(extract(b"more than ten bytes", &Hints::default(), &small), Err(NotExtracted::TooLarge(_))));
    let short = Limits { max_text_bytes: 7, ..Limits::default() };
    let cut = extract("fünf Wörter".as_bytes(), &Hints::default(), &short).expect("its beginning");
    assert_eq!((cut.text.as_str(), cut.notes.len()), ("fünf W", 1));
}

#[test]
fn texts_are_kept_as_they_are() {
    let markdown = check(b"---\ntitle: \"Notes\"\nauthor: Ada, Charles\ndate: 2024-05-17\n---\n# Head\r\n\r\nBody.\n", None, "notes.md")
        .expect("text");
    assert_eq!(
        (markdown.kind, markdown.title.as_deref(), markdown.published.as_deref()),
        (Kind::Markdown, Some("Notes"), Some("2024-05-17"))
    );
    assert_eq!(markdown.authors, ["Ada", "Charles"]);
    assert!(markdown.text.ends_with("# Head\n\nBody.\n"));
    let code = check(b"fn main() {}\n", None, "src/main.rs").expect("text");
    assert_eq!((code.kind, code.title.as_deref()), (Kind::Code, Some("main.rs")));
    assert_eq!(check(b"<!doctype html><p>Hello there", Some("text/plain"), "x").expect("a page").kind, Kind::Html);
    assert_eq!(check(b"{\"a\": 1}", Some("application/ld+json"), "x").expect("data").kind, Kind::Json);
}
