//! What is gathered over the network: ways around a closed door, who wrote what, and servers that are asked once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use motet_evidence::gather::{Gathered, Wanted, gather};
use motet_evidence::library::{Because, Fetched, Library, Scope, Service, Services, Settings};
use motet_evidence::source::Query;
use motet_testkit::web::hostile::site;
use motet_testkit::web::{Answer, Asked, Sent, Server};
use serde_json::json;
use tokio::time::{Duration, Instant};

use crate::fetching;
use crate::scratch::Scratch;

const ABSTRACT: &str = "We measure copper in twelve layers of harbour mud; it doubled from 1970 to 1990 near old docks by a ferry pier.";

/// A work whose paper is refused; `landing` says what its own page does.
fn library_of_one_work(landing: u16) -> impl Fn(&Asked) -> Answer + Send + Sync {
    move |asked| {
        let at = |path: &str| format!("http://{}{path}", asked.header("host").unwrap_or_default());
        let words: serde_json::Map<_, _> =
            ABSTRACT.split(' ').enumerate().map(|(place, word)| (word.to_string(), json!([place]))).collect();
        match asked.path.as_str() {
            "/openalex/works" => Answer::json(&json!({"meta": {"count": 1}, "results": [{
                "id": "https://openalex.org/W1", "doi": "https://doi.org/10.1234/Copper.1", "display_name": "Copper in layers",
                "publication_date": "2019-03-02", "authorships": [{"author": {"display_name": "Ada Roe"}}, {"author": {"display_name": "Jan Doe"}}],
                "primary_location": {"landing_page_url": at("/work")}, "best_oa_location": {"pdf_url": at("/work.pdf")},
                "abstract_inverted_index": words}]})),
            "/work.pdf" => Answer::status(403),
            "/work" if landing == 200 => {
                let text = "Copper in harbour mud doubled between 1970 and 1990, says the page of the publisher. ".repeat(5);
                Answer::html(format!(
                    "<!doctype html><html><head><title>Publisher</title></head><body><article><p>{text}</p></article></body></html>"
                ))
            }
            "/work" => Answer::status(landing),
            _ => Answer::status(404),
        }
    }
}

async fn gathered(home: &Scratch, server: &Server) -> (Gathered, Library) {
    let services = Services::of([("openalex", Service::at(server.url("/openalex")))]);
    let settings = Settings { services, fetch: fetching::settings(&[server]), ..Settings::new(home.path()) };
    let library = Library::open(settings).await.expect("a library");
    let wanted = Wanted { search: vec!["copper in harbour mud".into()], at_most: 4, ..Wanted::default() };
    (gather(&library, &wanted).await, library)
}

#[tokio::test]
async fn a_refused_paper_is_read_at_its_own_page_and_known_by_its_authors_date_and_number() {
    let (home, server) = (Scratch::new(), Server::start(library_of_one_work(200)).await);
    let (gathered, _) = gathered(&home, &server).await;
    let source = &gathered.sources[0];
    assert_eq!((source.kind.as_str(), source.url.as_str(), source.title.as_str()), ("Paper", server.url("/work").as_str(), "Publisher"));
    assert_eq!((source.authors.join(" and "), source.published.as_deref()), ("Ada Roe and Jan Doe".to_string(), Some("2019-03-02")));
    assert_eq!(source.doi.as_deref(), Some("10.1234/copper.1"));
    let told: Vec<_> = gathered.troubles.iter().map(|trouble| (trouble.address.clone(), trouble.outcome)).collect();
    assert_eq!(told, [(Some(server.url("/work.pdf")), Because::Blocked)]);
}

#[tokio::test]
async fn a_work_that_nobody_gives_is_read_as_its_abstract_and_says_so() {
    let (home, server) = (Scratch::new(), Server::start(library_of_one_work(403)).await);
    let (gathered, library) = gathered(&home, &server).await;
    let source = &gathered.sources[0];
    assert_eq!((source.kind.as_str(), source.title.as_str()), ("Paper", "Copper in layers (abstract, as openalex gives it)"));
    assert!(gathered.quotes.iter().any(|quote| quote.exact == ABSTRACT), "{:?}", gathered.quotes);
    assert_eq!(gathered.troubles.len(), 2, "{:?}", gathered.troubles);
    let record = library.archive().by_url(&server.url("/work")).expect("it is archived");
    assert!(record.notes[0].starts_with("only the abstract") && record.extractor == "abstract/openalex", "{record:?}");
    assert_eq!(library.archive().verify(), []);
    // Other archives are not told that the publisher sent it.
    let mut warc = Vec::new();
    library.archive().export_warc(&mut warc, 0).expect("it can be exported");
    let warc = String::from_utf8(warc).expect("text");
    assert!(warc.contains("WARC-Type: resource") && !warc.contains("WARC-Type: response"), "{warc}");
}

#[tokio::test]
async fn a_server_that_said_no_is_not_asked_again_in_the_run() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let open = || async {
        Library::open(Settings { fetch: fetching::settings(&[&server]), ..Settings::new(home.path()) }).await.expect("a library")
    };
    let library = open().await;
    let refused =
        [("/forbidden", Because::Blocked), ("/script-only", Because::NoText), ("/gone", Because::NotFound), ("/bomb", Because::TooLarge)];
    let mut said = Vec::new();
    for (path, because) in refused {
        let fetched = library.fetch(&server.url(path)).await;
        assert_eq!(fetched.because(), Some(because), "{path}: {fetched:?}");
        said.push(fetched.trouble());
    }
    // Nor by the process that goes on after this one.
    for library in [library, open().await] {
        for ((path, because), said) in refused.iter().zip(&said) {
            let fetched = library.fetch(&server.url(path)).await;
            assert!(matches!(fetched, Fetched::AskedBefore { .. }), "{path}: {fetched:?}");
            assert_eq!((fetched.because(), &fetched.trouble()), (Some(*because), said), "{path}");
            assert_eq!(server.asked_for(path), 1, "{path}");
        }
    }
    assert!(home.path().join("assets/unread.json").is_file());
}

#[tokio::test]
async fn what_may_pass_is_asked_for_once_more_and_again_by_the_next_process() {
    let (home, server) = (Scratch::new(), Server::start(|asked| Answer::status(if asked.path == "/robots.txt" { 404 } else { 502 })).await);
    for process in 1..=2 {
        let settings = Settings { fetch: fetching::settings(&[&server]), ..Settings::new(home.path()) };
        let library = Library::open(settings).await.expect("a library");
        for _ in 0..5 {
            assert_eq!(library.fetch(&server.url("/page")).await.because(), Some(Because::Failed));
        }
        assert_eq!(server.asked_for("/page"), 2 * process);
    }
    assert!(!home.path().join("assets/unread.json").exists());
}

/// A service that finds one page that comes and thirty that never do.
fn mostly_silent(asked: &Asked) -> Answer {
    let at = |path: String| format!("http://{}{path}", asked.header("host").unwrap_or_default());
    let hit = |path: String| json!({"url": at(path), "title": "Mud", "content": "Copper in harbour mud.", "engine": "mojeek"});
    match asked.path.as_str() {
        "/searxng/search" => {
            let hits: Vec<_> = (0..30).map(|number| hit(format!("/silent/{number}"))).chain([hit("/mud".into())]).rev().collect();
            Answer::json(&json!({"query": "q", "number_of_results": 31, "unresponsive_engines": [], "results": hits}))
        }
        "/mud" => {
            let text = "Copper in harbour mud doubled between 1970 and 1990. ".repeat(8);
            Answer::html(format!("<!doctype html><html><body><article><p>{text}</p></article></body></html>"))
        }
        "/robots.txt" => Answer::status(404),
        _ => silent(asked),
    }
}

#[tokio::test]
async fn pages_that_never_come_are_told_and_the_rest_goes_on_without_them() {
    let (home, server) = (Scratch::new(), Server::start(mostly_silent).await);
    let services = Services::of([("searxng", Service::at(server.url("/searxng")))]);
    let fetch = motet_evidence::fetch::FetchSettings { timeout_ms: 3_600_000, ..fetching::settings(&[&server]) };
    let library = Library::open(Settings { services, fetch, ..Settings::new(home.path()) }).await.expect("a library");
    let until = Some(Instant::now() + Duration::from_secs(4));
    let search = vec!["copper in harbour mud".into()];
    let gathered = gather(&library, &Wanted { search, at_most: 4, until, ..Wanted::default() }).await;
    assert_eq!(gathered.sources.iter().map(|source| source.url.clone()).collect::<Vec<_>>(), [server.url("/mud")]);
    assert_eq!(gathered.quotes[0].text, "Copper in harbour mud doubled between 1970 and 1990.");
    assert!(!gathered.troubles.is_empty(), "what did not come is told");
    for trouble in &gathered.troubles {
        assert!(trouble.says.contains("/silent/") && trouble.says.contains("it did not come in time"), "{trouble}");
    }
}

#[tokio::test]
async fn a_source_that_never_answers_is_told_and_the_others_are_heard() {
    let (home, server, deaf) = (Scratch::new(), Server::start(library_of_one_work(200)).await, Server::start(silent).await);
    let services = Services::of([("openalex", Service::at(server.url("/openalex"))), ("searxng", Service::at(deaf.url("/searxng")))]);
    let fetch = motet_evidence::fetch::FetchSettings { timeout_ms: 3_600_000, ..fetching::settings(&[&server, &deaf]) };
    let library = Library::open(Settings { services, fetch, ..Settings::new(home.path()) }).await.expect("a library");
    let until = Some(Instant::now() + Duration::from_secs(4));
    let findings = library.search_until(&Query { text: "copper".into(), limit: 3, ..Query::default() }, &[Scope::Everything], until).await;
    assert_eq!(findings.hits.len(), 1);
    assert_eq!(findings.troubles().iter().map(|trouble| trouble.source.as_str()).collect::<Vec<_>>(), ["searxng"]);
}

fn silent(_: &Asked) -> Answer {
    Answer { body: Sent::Silence, ..Answer::status(200) }
}

#[tokio::test]
async fn a_service_that_never_answers_leaves_time_to_read_what_the_others_found() {
    let (home, server, deaf) = (Scratch::new(), Server::start(library_of_one_work(200)).await, Server::start(silent).await);
    let documents = home.path().join("documents");
    std::fs::create_dir_all(&documents).expect("a folder");
    std::fs::write(documents.join("mud.md"), "# Mud\n\nThe harbour mud of Lindholm holds copper from the old docks.\n").expect("a file");
    let services = Services::of([("openalex", Service::at(server.url("/openalex"))), ("searxng", Service::at(deaf.url("/searxng")))]);
    let fetch = motet_evidence::fetch::FetchSettings { timeout_ms: 3_600_000, ..fetching::settings(&[&server, &deaf]) };
    let settings = Settings { services, fetch, documents: vec![documents], ..Settings::new(home.path()) };
    let library = Library::open(settings).await.expect("a library");
    let search = vec!["copper in harbour mud".to_string()];
    let wanted = Wanted { search, at_most: 4, until: Some(Instant::now() + Duration::from_secs(8)), ..Wanted::default() };
    let gathered = gather(&library, &wanted).await;
    let quotes: Vec<_> = gathered.quotes.iter().map(|quote| quote.text.as_str()).collect();
    assert!(quotes.contains(&"The harbour mud of Lindholm holds copper from the old docks."), "{gathered:#?}");
    assert!(gathered.sources.iter().any(|source| source.url == server.url("/work")), "{gathered:#?}");
    assert!(gathered.troubles.iter().any(|trouble| trouble.source == "searxng"), "{:?}", gathered.troubles);
    // Of one's own documents nothing is too late, even if no time is left at all.
    let gathered = gather(&library, &Wanted { until: Some(Instant::now()), scopes: vec![Scope::Documents], ..wanted }).await;
    assert_eq!(gathered.quotes.len(), 1, "{gathered:#?}");
}

#[tokio::test]
async fn of_a_work_that_does_not_come_in_time_the_abstract_is_kept() {
    let work = library_of_one_work(200);
    let answer = move |asked: &Asked| if asked.path.starts_with("/work") { silent(asked) } else { work(asked) };
    let (home, server) = (Scratch::new(), Server::start(answer).await);
    let services = Services::of([("openalex", Service::at(server.url("/openalex")))]);
    let fetch = motet_evidence::fetch::FetchSettings { timeout_ms: 3_600_000, ..fetching::settings(&[&server]) };
    let library = Library::open(Settings { services, fetch, ..Settings::new(home.path()) }).await.expect("a library");
    let until = Some(Instant::now() + Duration::from_secs(4));
    let search = vec!["copper in harbour mud".to_string()];
    let gathered = gather(&library, &Wanted { search, at_most: 4, until, ..Wanted::default() }).await;
    assert!(gathered.quotes.iter().any(|quote| quote.exact == ABSTRACT), "{gathered:#?}");
    assert_eq!(gathered.sources[0].title, "Copper in layers (abstract, as openalex gives it)");
    let told: Vec<_> = gathered.troubles.iter().map(|trouble| trouble.says.as_str()).collect();
    assert!(told.len() == 1 && told[0].contains("it did not come in time"), "{told:?}");
}

#[tokio::test]
async fn an_abstract_stands_for_its_page_only_until_that_comes() {
    let (home, work) = (Scratch::new(), library_of_one_work(200));
    let is_late = Arc::new(AtomicBool::new(true));
    let late = is_late.clone();
    let answer = move |asked: &Asked| if late.load(Ordering::SeqCst) && asked.path == "/work" { Answer::status(502) } else { work(asked) };
    let server = Server::start(answer).await;
    let (gathered, library) = gathered(&home, &server).await;
    assert_eq!(gathered.sources[0].title, "Copper in layers (abstract, as openalex gives it)");
    let title = async || library.fetch(&server.url("/work")).await.document().and_then(|document| document.record.title);
    assert_eq!(title().await.as_deref(), Some("Copper in layers (abstract, as openalex gives it)"));
    is_late.store(false, Ordering::SeqCst);
    // This process has asked often enough; the next one does it again.
    let settings = Settings { fetch: fetching::settings(&[&server]), ..Settings::new(home.path()) };
    let library = Library::open(settings).await.expect("a library");
    let title = async || library.fetch(&server.url("/work")).await.document().and_then(|document| document.record.title);
    assert_eq!((title().await.as_deref(), title().await.as_deref()), (Some("Publisher"), Some("Publisher")));
    assert_eq!(server.asked_for("/work"), 3);
    assert_eq!(library.archive().verify(), []);
}
