//! The library as agents use it: search, fetch, read, with everything archived and nothing told twice.

use std::sync::Arc;

use motet_evidence::clock::Clock;
use motet_evidence::fetch::{Blocker, DomainPolicy, Domains, FetchSettings, Outcome};
use motet_evidence::gather::{Wanted, gather};
use motet_evidence::library::{Fetched, Library, Scope, Service, Services, Settings, probe};
use motet_evidence::quoting::{Quotation, quoted};
use motet_evidence::secrecy::Secrecy;
use motet_evidence::source::{Custom, Hit, Key, Query, SearchOutcome, SourceKind};
use motet_testkit::web::hostile::{INJECTION, site};
use motet_testkit::web::paper::pdf;
use motet_testkit::web::services::{Mood, services};
use motet_testkit::web::{Answer, Asked, Server};

use crate::fetching;
use crate::scratch::Scratch;

fn settings(home: &Scratch, servers: &[&Server]) -> Settings {
    let fetch = FetchSettings { clock: Clock::new(|| 1_715_940_000_000), ..fetching::settings(servers) };
    Settings { fetch, ..Settings::new(home.path()) }
}

#[tokio::test]
async fn a_page_is_archived_once_and_read_again_by_its_id() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    let fetched = library.fetch(&server.url("/article")).await;
    let Fetched::Document { document, known: false } = fetched else { panic!("{fetched:?}") };
    assert_eq!((document.record.title.as_deref(), document.record.accessed.as_str()), (Some("An honest page"), "2024-05-17"));
    assert!(document.record.raw_path.starts_with("assets/web/"));
    let read = library.read(document.record.id.as_str()).await.expect("it can be read").expect("it is there");
    assert_eq!(read, *document);
    assert_eq!(library.read("0000000000000000").await, Ok(None));
    // Another process that resumes the run fetches nothing again, not even by another address of the same page.
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    assert!(matches!(library.fetch(&server.url("/article#top")).await, Fetched::Document { known: true, .. }));
    assert_eq!(server.asked_for("/article"), 1);
    assert_eq!(library.archive().verify(), []);
}

#[tokio::test]
async fn a_page_whose_address_would_break_a_table_is_cited_by_a_spelling_that_does_not() {
    let answer = |asked: &Asked| match asked.path.as_str() {
        "/moved" => Answer::redirect("/tunnel|x?a=[b]"),
        "/tunnel|x" | "/tunnel%7Cx" => site(&Asked { path: "/article".into(), ..asked.clone() }),
        _ => site(asked),
    };
    for path in ["/tunnel|x?a=[b]", "/moved"] {
        let (home, server) = (Scratch::new(), Server::start(answer).await);
        let library = Library::open(settings(&home, &[&server])).await.expect("a library");
        let document = library.fetch(&server.url(path)).await.document().expect("a document");
        assert_eq!(document.record.url(), server.url("/tunnel%7Cx?a=%5Bb%5D"), "{path}");
        assert!(matches!(library.fetch(&server.url("/tunnel|x?a=[b]")).await, Fetched::Document { known: true, .. }), "{path}");
    }
}

#[tokio::test]
async fn a_page_that_leads_inside_is_asked_for_once() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    for _ in 0..2 {
        assert!(library.fetch(&server.url("/metadata")).await.trouble().is_some());
    }
    assert_eq!(server.asked_for("/metadata"), 1);
}

#[tokio::test]
async fn two_who_want_the_same_page_at_once_cause_one_request() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    let url = server.url("/old");
    let (one, other) = tokio::join!(library.fetch(&url), library.fetch(&url));
    assert_eq!(one.document().map(|document| document.record.id), other.document().map(|document| document.record.id));
    assert_eq!(server.asked_for("/old"), 1);
}

#[tokio::test]
async fn a_page_that_cannot_be_read_says_why_and_is_no_document() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    for (path, why) in [
        ("/forbidden", "the server refuses (HTTP 403)"),
        ("/challenge", "only a check for people"),
        ("/script-only", "scripts"),
        ("/secret", "robots.txt"),
        ("/bomb", "too large"),
        ("/image", "no text"),
        ("/metadata", "private network"),
        ("/gone", "not found"),
    ] {
        let fetched = library.fetch(&server.url(path)).await;
        assert!(fetched.trouble().is_some_and(|trouble| trouble.contains(why)), "{path}: {fetched:?}");
    }
    assert_eq!(library.archive().records(), []);
}

#[tokio::test]
async fn papers_are_read_like_pages() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    let paper = library.fetch(&server.url("/paper.pdf")).await.document().expect("a paper");
    assert!(paper.text.contains("25000 parts"), "{}", paper.text);
    assert!(paper.record.raw_path.starts_with("assets/pdf/") && paper.record.raw_path.ends_with(".pdf"));
}

#[tokio::test]
async fn ones_own_documents_come_first_and_are_told_apart_from_the_web() {
    let (home, documents, server) = (Scratch::new(), Scratch::new(), Server::start(services(Mood::Well)).await);
    documents.write("copper.md", "# Our copper\n\nWe bought copper for 9000 dollars.");
    let services = Services::of([("searxng", Service::at(server.url("/searxng")))]);
    let settings = Settings { documents: vec![documents.path().to_path_buf()], services, ..settings(&home, &[&server]) };
    let library = Library::open(settings).await.expect("a library");
    let everything = library.search(&Query::new("copper"), Scope::Everything).await;
    assert_eq!((everything.hits[0].kind, everything.hits.len()), (SourceKind::Local, 4));
    assert_eq!(everything.troubles(), []);
    let before = server.asked().len();
    let own = library.search(&Query::new("copper"), Scope::Documents).await;
    assert_eq!((own.hits.len(), server.asked().len()), (1, before), "a question about one's own documents goes nowhere else");
    let document = library.fetch(&own.hits[0].url).await.document().expect("it is archived");
    let span = own.hits[0].span.expect("a passage has a place");
    assert_eq!(&document.text[span.start..span.end], own.hits[0].snippet);
}

#[tokio::test]
async fn only_the_documents_of_the_run_can_be_read_from_the_disk() {
    let (home, documents, outside) = (Scratch::new(), Scratch::new(), Scratch::new());
    let secret = outside.write("secret.md", "secret");
    documents.write("note.md", "note");
    documents.write(".env", "PASSWORD=secret");
    documents.write(".gitignore", "merger.md\n");
    documents.write("merger.md", "secret");
    documents.write("target/made.md", "secret");
    let settings = Settings { documents: vec![documents.path().to_path_buf()], offline: true, ..settings(&home, &[]) };
    let library = Library::open(settings).await.expect("a library");
    let name = secret.parent().and_then(|folder| folder.file_name()).expect("a name").to_string_lossy().into_owned();
    for url in [
        format!("file://{}", secret.display()),
        format!("file://{}/../{name}/secret.md", documents.path().display()),
        "file:///etc/passwd".to_string(),
        format!("file://{}/.env", documents.path().display()),
        format!("file://{}/merger.md", documents.path().display()),
        format!("file://{}/target/made.md", documents.path().display()),
    ] {
        assert!(matches!(library.fetch(&url).await, Fetched::NoPage(Outcome::Blocked { by: Blocker::Policy, .. })), "{url}");
    }
    assert!(library.fetch(&format!("file://{}/note.md", documents.path().display())).await.document().is_some());
}

#[tokio::test]
async fn offline_nothing_leaves_the_machine() {
    let (home, documents, server) = (Scratch::new(), Scratch::new(), Server::start(site).await);
    documents.write("a.md", "heron");
    let mut settings = settings(&home, &[&server]);
    settings.services = Services {
        feeds: vec![server.url("/feed.xml")],
        ..Services::of([("wikipedia", Service::default()), ("arxiv", Service::default())])
    };
    settings.documents = vec![documents.path().to_path_buf()];
    settings.offline = true;
    let library = Library::open(settings).await.expect("a library");
    assert_eq!(library.sources().collect::<Vec<_>>(), ["documents"]);
    assert_eq!(library.search(&Query::new("heron"), Scope::Everything).await.hits.len(), 1);
    let fetched = library.fetch(&server.url("/article")).await;
    assert!(fetched.trouble().is_some_and(|trouble| trouble.contains("may not use the network")));
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn an_empty_answer_says_who_was_asked_and_what_they_said() {
    let (home, server) = (Scratch::new(), Server::start(services(Mood::Busy)).await);
    let services = Services::of([("searxng", Service::at(server.url("/searxng")))]);
    let mut settings = settings(&home, &[&server]);
    settings.services = services;
    settings.extra = vec![Arc::new(Custom::new("broken-tool", SourceKind::Tool, |_| async { panic_in_a_tool() }))];
    let library = Library::open(settings).await.expect("a library");
    let findings = library.search(&Query::new("copper"), Scope::Everything).await;
    assert_eq!(findings.hits, []);
    let gap = findings.gap().expect("nothing was found");
    assert!(gap.contains("searxng (rate limited: ask again in 30 s)") && gap.contains("broken-tool"), "{gap}");
    assert_eq!(findings.troubles().len(), 2, "{:?}", findings.troubles());
    let nobody = Library::open(Settings { offline: true, ..self::settings(&home, &[]) }).await.expect("a library");
    let gap = nobody.search(&Query::new("copper"), Scope::Everything).await.gap().expect("nothing can be found");
    assert!(gap.contains("no source is configured"), "{gap}");
}

fn panic_in_a_tool() -> SearchOutcome {
    panic!("on purpose: a tool of another program breaks")
}

#[tokio::test]
async fn hits_at_denied_domains_are_not_handed_out() {
    let (home, server) = (Scratch::new(), Server::start(services(Mood::Well)).await);
    let found = async |deny: &[&str]| {
        let mut settings = settings(&home, &[&server]);
        settings.services = Services::of([("searxng", Service::at(server.url("/searxng")))]);
        settings.fetch.domains = DomainPolicy { deny: Domains::read(deny).expect("domains"), ..DomainPolicy::default() };
        Library::open(settings).await.expect("a library").search(&Query::new("copper"), Scope::Web).await
    };
    assert_eq!(found(&["Example.ORG"]).await.hits.len(), 2);
    let nothing = found(&["example.org", "example.com", "example.net"]).await;
    assert!(nothing.gap().is_some_and(|gap| gap.contains("domains that the settings deny")), "{nothing:?}");
}

#[tokio::test]
async fn a_lost_copy_is_fetched_again_and_made_whole() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    let first = library.fetch(&server.url("/article")).await.document().expect("a page");
    std::fs::remove_file(home.path().join(&first.record.text_path)).expect("it can be lost");
    assert_eq!(library.fetch(&server.url("/article")).await.document().map(|document| document.text), Some(first.text));
    assert_eq!((library.archive().verify(), server.asked_for("/article")), (Vec::new(), 2));
}

#[tokio::test]
async fn the_same_work_from_several_services_is_one_hit() {
    let (home, server) = (Scratch::new(), Server::start(services(Mood::Well)).await);
    let at = |path: &str| Service::at(server.url(path));
    let mut settings = settings(&home, &[&server]);
    settings.services = Services::of([("openalex", at("/openalex")), ("crossref", at("/crossref")), ("semantic_scholar", at("/s2"))]);
    let library = Library::open(settings).await.expect("a library");
    let findings = library.search(&Query::new("copper"), Scope::Academic).await;
    assert_eq!(findings.hits.iter().filter(|hit| hit.doi.as_deref() == Some("10.1234/cu.5")).count(), 1);
    assert_eq!(findings.reports.len(), 3);
}

#[tokio::test]
async fn orders_in_a_page_reach_a_prompt_only_as_quoted_lines() {
    let (home, server) = (Scratch::new(), Server::start(site).await);
    let library = Library::open(settings(&home, &[&server])).await.expect("a library");
    let page = library.fetch(&server.url("/injection")).await.document().expect("it can be read");
    let record = &page.record;
    let quotation =
        Quotation { id: record.id.as_str(), url: record.url(), title: record.title.as_deref().unwrap_or_default(), text: &page.text };
    let prompt = quoted(&quotation, "seed of the run");
    assert!(prompt.contains(&format!("> {INJECTION}")), "{prompt}");
    let mark = prompt.lines().last().expect("an end");
    assert_eq!(prompt.matches(mark).count(), 2, "only the notice and the end name the mark: {prompt}");
    let inside = prompt.lines().skip(2).take_while(|line| *line != mark);
    assert!(inside.clone().all(|line| line.starts_with('>')));
    assert!(inside.count() > 3);
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_with_the_reason() {
    let home = Scratch::new();
    let refused = |services: Services| {
        let settings = Settings { services, ..settings(&home, &[]) };
        async move { Library::open(settings).await.err().unwrap_or_default() }
    };
    assert!(refused(Services::of([("searxng", Service::default())])).await.contains("needs the address"));
    assert!(refused(Services::of([("arxiv", Service::at("not a url"))])).await.contains("the address of arxiv"));
    let missing = Settings { documents: vec![home.path().join("nowhere")], ..settings(&home, &[]) };
    assert!(Library::open(missing).await.err().unwrap_or_default().contains("nowhere"));
}

#[tokio::test]
async fn a_service_that_repeats_its_key_does_not_bring_it_any_further() {
    let home = Scratch::new();
    for inside in ["title", "url", "error"] {
        let server = Server::start(move |asked| {
            let key = asked.header("x-subscription-token").unwrap_or_default();
            match inside {
                "error" => Answer::json(&serde_json::json!({"error": {"detail": format!("{key} is out of credit")}})),
                _ => Answer::json(&serde_json::json!({"type": "search", "web": {"results": [
                    {"title": format!("About {}", if inside == "title" { key } else { "" }), "description": "d", "url": "https://a.example/"},
                    {"title": "B", "description": "d", "url": format!("https://b.example/{}", if inside == "url" { key } else { "" })},
                ]}})),
            }
        })
        .await;
        let services = Services::of([("brave", Service { url: Some(server.url("/brave")), key: Some(Key::new("the-secret-key")) })]);
        let library = Library::open(Settings { services: services.clone(), ..settings(&home, &[&server]) }).await.expect("a library");
        let findings = library.search(&Query::new("copper"), Scope::Everything).await;
        assert!(!format!("{findings:?}").contains("the-secret-key"), "{inside}: {findings:?}");
        assert_eq!(findings.hits.len(), if inside == "title" { 2 } else { usize::from(inside == "url") }, "{inside}: {findings:?}");
        let probed = probe(&services, Vec::new(), fetching::settings(&[&server]), "water").await.expect("it can be tried");
        assert!(!format!("{probed:?}").contains("the-secret-key"), "{inside}: {probed:?}");
    }
}

#[tokio::test]
async fn every_source_is_tried_by_itself_with_the_time_it_took() {
    let server = Server::start(services(Mood::Well)).await;
    let named = [("searxng", Service::at(server.url("/searxng"))), ("brave", Service::at(server.url("/brave")))];
    let services = Services { feeds: vec![server.url("/feed.xml"), server.url("/no-such-feed.xml")], ..Services::of(named) };
    let tool: Arc<dyn motet_evidence::source::Source> =
        Arc::new(Custom::new("web.find", SourceKind::Tool, |_| async { SearchOutcome::NoHits { note: None } }));
    let probed = probe(&services, vec![tool], fetching::settings(&[&server]), "copper").await.expect("they can be tried");
    let told: Vec<String> = probed.iter().map(|one| format!("{} {}", one.source.replace(server.host(), "HOST"), one.outcome)).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(told[0] == "searxng 3 hits" && told[1].starts_with("brave not configured"), "{told:?}");
    assert!(told[2] == "http://HOST/feed.xml 1 hits" && told[3].starts_with("http://HOST/no-such-feed.xml not configured"), "{told:?}");
    assert_eq!(told[4], "web.find no hits");
}

#[tokio::test]
async fn runs_over_the_same_folders_share_an_index_and_read_no_unchanged_file_again() {
    let (home, documents) = (Scratch::new(), Scratch::new());
    documents.write("a.md", "heron");
    documents.write("b.md", "stork");
    let open = async |run: &str, folders: &[&Scratch]| {
        let folders: Vec<_> = folders.iter().map(|folder| folder.path().to_path_buf()).collect();
        let settings = Settings {
            index_home: motet_evidence::index::place(&home.path().join("index"), &folders),
            documents: folders,
            offline: true,
            ..Settings::new(home.path().join(run))
        };
        Library::open(settings).await.expect("a library")
    };
    let first = open("one", &[&documents]).await;
    assert_eq!((first.looked_through().added, first.looked_through().unchanged), (2, 0));
    documents.write("c.md", "crane");
    let second = open("two", &[&documents]).await;
    assert_eq!((second.looked_through().added, second.looked_through().unchanged), (1, 2));
    assert_eq!(second.search(&Query::new("heron"), Scope::Documents).await.hits.len(), 1);
    // Other folders are another index; the order in which they are named is not.
    let more = Scratch::new();
    more.write("d.md", "ibis");
    assert_eq!(open("three", &[&documents, &more]).await.looked_through().added, 4);
    assert_eq!(open("four", &[&more, &documents]).await.looked_through().unchanged, 4);
}

#[tokio::test]
async fn what_an_academic_service_found_is_a_paper_of_the_date_that_the_service_says() {
    for (kind, expected) in [(SourceKind::Academic, ("Paper", Some("2019-03"))), (SourceKind::Web, ("HTML", Some("2024-05-17")))] {
        let (home, server) = (Scratch::new(), Server::start(site).await);
        let hit = Hit { published: Some("2019-03".into()), ..Hit::new("papers", kind, server.url("/article")) };
        let mut settings = settings(&home, &[&server]);
        settings.extra = vec![Arc::new(Custom::new("papers", kind, move |_| {
            let hits = vec![hit.clone()];
            async { SearchOutcome::Hits { hits } }
        }))];
        let library = Library::open(settings).await.expect("a library");
        let gathered = gather(&library, &Wanted { search: vec!["honest page".into()], at_most: 3, ..Wanted::default() }).await;
        let source = gathered.sources.first().expect("a source");
        assert_eq!((source.kind.as_str(), source.published.as_deref()), expected, "{source:?}");
        assert!(!source.official, "a machine of one's own is no state: {source:?}");
    }
}

const SECRET: &str = "sk-known-0123456789abcdef";

/// What the program that opens a library does, in short.
fn without_the_secret(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes).replace(SECRET, "[redacted]");
    (text.as_bytes() != bytes).then(|| text.into_bytes())
}

fn holds_it(folder: &std::path::Path) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => holds_it(&path),
        false => std::fs::read(&path).ok()?.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()).then_some(path),
    })
}

/// A paper packs its text, and a page may spell a letter by its number: there only the text tells that a key is in it.
#[tokio::test]
async fn a_key_in_a_document_or_a_page_is_kept_nowhere() {
    let said = format!("The copper of the valley is locked with {SECRET} since 1932, and nobody else has opened it for many years.");
    let spelled = said.replace("sk-", "&#115;k-");
    let whole = |said: &str| format!("<!doctype html><html><body><article><h1>Copper</h1><p>{said}</p></article></body></html>");
    let (page, packed) = (whole(&said), whole(&spelled));
    let answer = move |asked: &Asked| match asked.path.as_str() {
        "/page" => Answer::html(page.clone()).with("etag", "1").with("x-key", SECRET),
        "/packed" => Answer::html(packed.clone()).with("etag", "2"),
        _ => Answer::status(404),
    };
    let (home, documents, copies, server) = (Scratch::new(), Scratch::new(), Scratch::new(), Server::start(answer).await);
    documents.write("copper.md", format!("# Copper {SECRET}\n\n{said}\n"));
    std::fs::write(documents.path().join("paper.pdf"), pdf("Copper", &["The copper of the valley", &format!("is locked with {SECRET}.")]))
        .expect("it can be written");
    documents.write(&format!("{SECRET}.md"), "The copper of the hill.\n");
    let of_server = settings(&home, &[&server]);
    let fetch = FetchSettings { cache: Some(copies.path().to_path_buf()), secrecy: Secrecy::new(without_the_secret), ..of_server.fetch };
    let library = Library::open(Settings { fetch, documents: vec![documents.path().to_path_buf()], ..Settings::new(home.path()) });
    let library = library.await.expect("a library");
    let left_out: Vec<String> = library.looked_through().skipped.iter().map(|skipped| skipped.why.clone()).collect();
    assert_eq!(left_out, ["its name has a key in it"]);
    assert!(!library.has_word("0123456789abcdef") && library.has_word("copper"));
    let documents = std::fs::canonicalize(documents.path()).expect("it is there");
    let local = |name: &str| format!("file://{}", documents.join(name).display());
    for (url, kept_as, note) in [
        (local("copper.md"), "md", "what is kept, and hashed, has [redacted]"),
        (local("paper.pdf"), "txt", "only its text is kept"),
        (server.url("/page"), "html", "what is kept, and hashed, has [redacted]"),
        (server.url("/packed"), "txt", "only its text is kept"),
    ] {
        let document = library.fetch(&url).await.document().unwrap_or_else(|| panic!("{url}"));
        assert!(document.text.contains("is locked with [redacted]"), "{url}: {}", document.text);
        assert!(document.record.raw_path.ends_with(kept_as), "{:?}", document.record);
        assert!(document.record.notes.iter().any(|told| told.contains(note)), "{url}: {:?}", document.record.notes);
    }
    let refused = library.fetch(&server.url(&format!("/?key={SECRET}"))).await;
    assert_eq!(refused.trouble().as_deref().map(|why| why.contains("has a key in it")), Some(true), "{refused:?}");
    let findings = library.search(&Query::new("copper valley"), Scope::Documents).await;
    assert!(format!("{findings:?}").contains("[redacted]") && !format!("{findings:?}").contains(SECRET), "{findings:?}");
    assert_eq!(library.archive().verify(), []);
    assert_eq!((holds_it(home.path()), holds_it(copies.path())), (None, None));
    let copied: Vec<_> = std::fs::read_dir(copies.path()).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    assert_eq!(copied, Vec::<std::path::PathBuf>::new(), "no copy of either page is kept");
}
