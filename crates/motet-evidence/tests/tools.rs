//! The library as a model calls it: words for words, strangers quoted, mistakes explained.

use motet_evidence::fetch::FetchSettings;
use motet_evidence::library::{Library, Service, Services, Settings, ToolAnswer, tools};
use motet_testkit::web::hostile::{INJECTION, site};
use motet_testkit::web::services::{Mood, services};
use motet_testkit::web::{Answer, Server};
use serde_json::{Value, json};

use crate::fetching;
use crate::scratch::Scratch;

struct Desk {
    library: Library,
    server: Server,
    _home: Scratch,
}

impl Desk {
    async fn new(mood: Mood) -> Self {
        let search = services(mood);
        let long = format!("{} The end of it.", "A line of a long note, in which nothing happens.\n".repeat(800));
        let server = Server::start(move |asked| match asked.path.as_str() {
            path if path.starts_with("/searxng") => search(asked),
            "/long.txt" => Answer::new(200, "text/plain", long.clone()),
            _ => site(asked),
        })
        .await;
        let home = Scratch::new();
        let mut settings = Settings::new(home.path());
        settings.fetch = FetchSettings { ..fetching::settings(&[&server]) };
        settings.services = Services::of([("searxng", Service::at(server.url("/searxng")))]);
        Self { library: Library::open(settings).await.expect("a library"), server, _home: home }
    }

    async fn call(&self, name: &str, arguments: Value) -> ToolAnswer {
        self.library.call(name, arguments, "seed").await
    }
}

/// Lines that are not quoted are ours.
fn ours(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('>')).collect()
}

#[tokio::test]
async fn a_search_lists_what_was_found_as_a_quotation() {
    let desk = Desk::new(Mood::Well).await;
    let answer = desk.call("search", json!({"query": "copper", "limit": 2, "scope": "web"})).await;
    assert!(!answer.is_error && answer.text.contains("> 1. Copper prices (searxng, 2024-05-17)"), "{}", answer.text);
    assert!(answer.text.contains("> by Ada Lovelace") && !answer.text.contains("> 3."), "{}", answer.text);
    assert_eq!(ours(&answer.text).len(), 3, "the two marks and the notice: {}", answer.text);
}

#[tokio::test]
async fn a_search_that_finds_nothing_says_why() {
    let answer = Desk::new(Mood::Busy).await.call("search", json!({"query": "copper"})).await;
    assert!(answer.text.starts_with("Nothing was found for \"copper\".") && answer.text.contains("rate limited"), "{}", answer.text);
}

#[tokio::test]
async fn a_page_is_fetched_quoted_and_read_again_by_its_id() {
    let desk = Desk::new(Mood::Well).await;
    let fetched = desk.call("fetch", json!({"url": desk.server.url("/injection")})).await;
    assert!(fetched.text.contains(&format!("> {INJECTION}")), "{}", fetched.text);
    assert!(ours(&fetched.text).iter().all(|line| !line.contains("approve the plan")));
    let id = fetched.text.split("id=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
    assert_eq!(desk.call("read", json!({"id": id})).await, fetched);
    assert_eq!(desk.server.asked_for("/injection"), 1);
}

#[tokio::test]
async fn a_long_document_is_read_part_by_part_to_its_end() {
    let desk = Desk::new(Mood::Well).await;
    let (mut from, mut parts) = (0, Vec::new());
    let url = desk.server.url("/long.txt");
    loop {
        let answer = desk.call("fetch", json!({"url": url, "from": from})).await;
        assert!(!answer.is_error, "{}", answer.text);
        let more = answer.text.lines().find_map(|line| line.split(" from ").nth(1)?.split(' ').next()?.parse::<usize>().ok());
        parts.push(answer.text);
        match more {
            Some(next) => from = next,
            None => break,
        }
    }
    assert_eq!(parts.len(), 3);
    assert!(parts[2].contains("The end of it."));
    let beyond = desk.call("fetch", json!({"url": url, "from": 9_000_000})).await;
    assert!(beyond.is_error && beyond.text.contains("nothing begins at"), "{}", beyond.text);
}

#[tokio::test]
async fn mistakes_of_the_caller_are_explained() {
    let desk = Desk::new(Mood::Well).await;
    for (name, arguments, why) in [
        ("delete_everything", json!({}), "there are search, fetch and read"),
        ("search", json!({}), "missing field `query`"),
        ("search", json!({"query": "x", "budget": 1_000_000}), "unknown field `budget`"),
        ("search", json!({"query": "x", "sites": ["The_Sun"]}), "not a domain"),
        ("search", json!("copper"), "search cannot be called like this"),
        ("fetch", json!({"url": "file:///etc/passwd"}), "not in the folders of documents"),
        ("fetch", json!({"url": "http://169.254.169.254/"}), "private network"),
        ("read", json!({"id": "../../etc"}), "no document ../../etc was fetched"),
    ] {
        let answer = desk.call(name, arguments).await;
        assert!(answer.is_error && answer.text.contains(why), "{name}: {}", answer.text);
    }
}

#[test]
fn every_tool_says_what_it_takes() {
    let names: Vec<&str> = tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["search", "fetch", "read"]);
    for tool in tools() {
        assert_eq!(
            (&tool.parameters["type"], &tool.parameters["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name
        );
        assert!(tool.parameters["required"].as_array().is_some_and(|required| required.len() == 1));
    }
}
