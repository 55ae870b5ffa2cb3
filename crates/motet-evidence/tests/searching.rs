//! Every search service by its real shapes, in every mood: hits carry all that was said, and no failure looks like an empty answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use motet_evidence::fetch::{Domains, Fetcher, Outcome};
use motet_evidence::library::Trouble;
use motet_evidence::source::{
    Arxiv, Brave, Crossref, Custom, Feeds, Gdelt, Hit, Key, OpenAlex, Pages, Query, SearchOutcome, Searxng, SemanticScholar, Source,
    SourceKind, Tavily, Wikipedia, base_url, hits_in, read_answer,
};
use motet_testkit::web::services::{Mood, services};
use motet_testkit::web::{Answer, Server};
use serde_json::json;

use crate::fetching::settings;

const SERVICES: [&str; 9] = ["searxng", "brave", "tavily", "arxiv", "openalex", "s2", "crossref", "wiki", "gdelt"];

/// A new client each time, so that no test waits for another's turn.
fn source(name: &str, server: &Server) -> Arc<dyn Source> {
    let fetcher = Arc::new(Fetcher::new(settings(&[server])).expect("a client"));
    let base = base_url(name, &server.url(&format!("/{name}"))).expect("the server's address");
    let (key, mail) = (Some(Key::new("the-secret-key")), Some("ada@example.org".to_string()));
    match name {
        "searxng" => Arc::new(Searxng { base, fetcher }),
        "brave" => Arc::new(Brave { base, key, fetcher }),
        "tavily" => Arc::new(Tavily { base, key, fetcher }),
        "arxiv" => Arc::new(Arxiv { base, fetcher }),
        "openalex" => Arc::new(OpenAlex { base, key, mail, fetcher }),
        "s2" => Arc::new(SemanticScholar { base, key, fetcher }),
        "crossref" => Arc::new(Crossref { base, mail, fetcher }),
        "wiki" => Arc::new(Wikipedia { base, fetcher }),
        "gdelt" => Arc::new(Gdelt { base, fetcher }),
        "tool" => {
            let address = server.url("/tool");
            Arc::new(Custom::new("tool", SourceKind::Tool, move |_| {
                let (fetcher, address) = (fetcher.clone(), address.clone());
                async move {
                    match fetcher.page(&address).await {
                        Outcome::Fetched(page) => read_answer(&String::from_utf8_lossy(&page.body)),
                        other => panic!("a tool always answers: {other}"),
                    }
                }
            }))
        }
        "feeds" => Arc::new(Feeds::new(vec![server.url("/feed.xml")], fetcher)),
        other => panic!("no source {other}"),
    }
}

async fn asked(name: &str, mood: Mood, query: Query) -> (SearchOutcome, Server) {
    let service = services(mood);
    // A feed is a page like any other, and asked for only where robots may go.
    let server = Server::start(move |asked| if asked.path == "/robots.txt" { Answer::status(404) } else { service(asked) }).await;
    (source(name, &server).search(&query).await, server)
}

async fn hits(name: &str) -> Vec<Hit> {
    match asked(name, Mood::Well, Query::new("copper prices")).await.0 {
        SearchOutcome::Hits { hits } => hits,
        other => panic!("{name}: {other}"),
    }
}

#[tokio::test]
async fn web_hits_keep_title_date_and_author_and_make_none_up() {
    let found = hits("searxng").await;
    assert_eq!(found.len(), 3);
    assert_eq!((found[0].title.as_str(), found[0].snippet.as_str()), ("Copper prices", "Copper rose by 4 %."));
    assert_eq!((found[0].published.as_deref(), found[0].authors.as_slice()), (Some("2024-05-17"), ["Ada Lovelace".to_string()].as_slice()));
    assert_eq!((found[1].published.as_deref(), found[1].authors.len()), (None, 0));
    assert_eq!((found[2].title.as_str(), found[2].label()), ("", "https://untitled.example.net/page"));
    let brave = hits("brave").await;
    assert_eq!((brave[0].snippet.as_str(), brave[0].published.as_deref()), ("Copper rose.", Some("2024-05-17")));
    assert_eq!(hits("tavily").await[0].published.as_deref(), Some("2024-05-17"));
}

#[tokio::test]
async fn papers_come_with_authors_doi_date_and_a_free_copy() {
    for name in ["arxiv", "openalex", "s2", "crossref"] {
        let found = hits(name).await;
        let paper = &found[0];
        assert_eq!(paper.title, "Copper in Layers", "{name}");
        assert_eq!(paper.doi.as_deref(), Some("10.1234/cu.5"), "{name}");
        assert_eq!(paper.authors[0], "Ada Lovelace", "{name}");
        assert!(paper.published.as_deref().is_some_and(|at| at.starts_with("2024")), "{name}");
        assert!(paper.full_text_url.as_deref().is_some_and(|url| url.contains("pdf")), "{name}");
        assert!(paper.snippet.starts_with("We measure copper."), "{name}: {}", paper.snippet);
        assert_eq!(paper.kind, SourceKind::Academic);
    }
    assert_eq!(hits("crossref").await[1].url, "https://doi.org/10.5555/bare");
    assert_eq!(hits("openalex").await[0].snippet, "We measure copper. It conducts.");
}

#[tokio::test]
async fn the_encyclopaedia_and_the_news_are_found() {
    let article = &hits("wiki").await[0];
    assert!(article.url.ends_with("/wiki/wiki/Copper_(metal)"), "{}", article.url);
    assert_eq!((article.title.as_str(), article.snippet.as_str()), ("Copper (metal)", "Copper is a \"metal\""));
    assert_eq!(hits("gdelt").await[0].published.as_deref(), Some("2024-05-17"));
    let feed = hits("feeds").await;
    assert_eq!(feed.len(), 1, "an entry about the weather does not answer a question about copper");
    assert_eq!((feed[0].snippet.as_str(), feed[0].published.as_deref()), ("Miners of copper return.", Some("2024-05-17")));
}

#[tokio::test]
async fn nothing_found_is_told_apart_from_every_way_to_fail() {
    for name in SERVICES.into_iter().chain(["feeds", "tool"]) {
        for (mood, expected) in [
            (Mood::Empty, "no hits"),
            (Mood::Forbidden, "blocked"),
            (Mood::WrongKey, "not configured"),
            // A tool says so in words, and no word of when.
            (Mood::Busy, if name == "tool" { "rate limited" } else { "rate limited: ask again in 30 s" }),
            (Mood::Challenge, "blocked"),
            (Mood::Malformed, "failed"),
            (Mood::Down, "failed"),
        ] {
            let (outcome, _server) = asked(name, mood, Query::new("copper")).await;
            assert!(outcome.to_string().starts_with(expected), "{name} {mood:?}: {outcome}");
        }
        let (outcome, _server) = asked(name, Mood::ErrorInside, Query::new("copper")).await;
        assert!(Trouble::of_search(name, &outcome).is_some(), "{name}: an error with a good status is no empty answer: {outcome}");
    }
}

#[tokio::test]
async fn an_engine_behind_a_captcha_is_blocked_and_not_empty() {
    let (outcome, _server) = asked("searxng", Mood::ErrorInside, Query::new("copper")).await;
    assert!(matches!(&outcome, SearchOutcome::Blocked { reason } if reason.contains("google CAPTCHA")), "{outcome}");
    let (outcome, _server) = asked("searxng", Mood::Forbidden, Query::new("copper")).await;
    assert!(matches!(&outcome, SearchOutcome::Blocked { reason } if reason.contains("search.formats")), "{outcome}");
    let (outcome, _server) = asked("gdelt", Mood::ErrorInside, Query::new("copper")).await;
    assert_eq!(outcome, SearchOutcome::RateLimited { retry_after_ms: Some(5000) });
}

#[tokio::test]
async fn a_service_without_its_key_or_its_server_says_what_is_missing() {
    let server = Server::start(services(Mood::Well)).await;
    let fetcher = Arc::new(Fetcher::new(settings(&[&server])).expect("a client"));
    let base = base_url("brave", &server.url("/brave")).expect("an address");
    let outcome = Brave { base, key: None, fetcher: fetcher.clone() }.search(&Query::new("copper")).await;
    assert!(matches!(&outcome, SearchOutcome::NotConfigured { reason } if reason.contains("BRAVE_API_KEY")), "{outcome}");
    assert!(server.asked().is_empty());
    let outcome =
        Searxng { base: base_url("searxng", &server.url("/elsewhere")).expect("an address"), fetcher }.search(&Query::new("copper")).await;
    assert!(matches!(&outcome, SearchOutcome::NotConfigured { reason } if reason.contains("address")), "{outcome}");
    assert!(base_url("searxng", "search.example.org").expect_err("no scheme").contains("searxng"));
    assert!(base_url("searxng", "ftp://x.example").is_err());
    let (outcome, _server) = asked("feeds", Mood::Down, Query::new("copper")).await;
    assert!(Trouble::of_search("a source", &outcome).is_some(), "{outcome}");
}

#[tokio::test]
async fn long_questions_and_sites_are_said_as_each_service_wants_them() {
    let long = format!("site:www.Example.org -site:spam.example {}", "copper prices ".repeat(80));
    let (outcome, server) = asked("tavily", Mood::Well, Query::new(&long)).await;
    assert!(matches!(outcome, SearchOutcome::Hits { .. }), "{outcome}");
    let sent = server.asked()[0].json();
    assert!(
        sent["query"]
            .as_str()
            .is_some_and(|query| query.chars().count() <= 400 && query.chars().count() > 380 && query.ends_with("copper"))
    );
    assert_eq!((&sent["include_domains"], &sent["exclude_domains"]), (&json!(["example.org"]), &json!(["spam.example"])));
    assert_eq!(server.asked()[0].header("authorization"), Some("Bearer the-secret-key"));
    let (_, server) = asked("brave", Mood::Well, Query { limit: 500, since: Some("2024-01-01".to_string()), ..Query::new(&long) }).await;
    let asked_for = server.asked()[0].clone();
    let q = asked_for.parameter("q").expect("a question");
    assert!(q.chars().count() <= 400 && q.split_whitespace().count() <= 50 && q.ends_with("site:example.org -site:spam.example"), "{q}");
    assert_eq!(
        (asked_for.parameter("count").as_deref(), asked_for.parameter("freshness").as_deref()),
        (Some("20"), Some("2024-01-01to2999-12-31"))
    );
    assert_eq!(asked_for.header("x-subscription-token"), Some("the-secret-key"));
    let (_, server) = asked("arxiv", Mood::Well, Query::new("What is the price of copper?")).await;
    assert_eq!(server.asked()[0].parameter("search_query").as_deref(), Some("all:price AND all:copper"));
    let query = Query { since: Some("2023".to_string()), until: Some("2024-06".to_string()), ..Query::new("copper: a history, of sorts") };
    let (_, server) = asked("openalex", Mood::Well, query).await;
    assert_eq!(server.asked()[0].parameter("filter").as_deref(), Some("from_publication_date:2023-01-01,to_publication_date:2024-06-30"));
    assert_eq!(server.asked()[0].parameter("mailto").as_deref(), Some("ada@example.org"));
}

#[tokio::test]
async fn hits_outside_of_the_asked_domains_and_dates_are_left_out() {
    let query = Query { include: Domains::read(["example.com"]).expect("a domain"), ..Query::new("copper") };
    let (outcome, _server) = asked("searxng", Mood::Well, query).await;
    assert!(
        matches!(&outcome, SearchOutcome::Hits { hits } if hits.len() == 1 && hits[0].url == "https://www.example.com/undated"),
        "{outcome}"
    );
    let query = Query { exclude: Domains::read([".org", "example.com", "example.net"]).expect("domains"), ..Query::new("copper") };
    let (outcome, _server) = asked("searxng", Mood::Well, query).await;
    assert!(matches!(&outcome, SearchOutcome::NoHits { note: Some(note) } if note.starts_with("3 were found")), "{outcome}");
    // Half a date, and what is no date at all, are taken for what they say.
    for (since, dated) in [("2024", 1), ("2025", 0), ("２０２５年", 1), ("", 1)] {
        let query = Query { since: Some(since.to_string()), until: Some("2024-06".to_string()), ..Query::new("copper") };
        let (outcome, _server) = asked("searxng", Mood::Well, query).await;
        assert!(
            matches!(&outcome, SearchOutcome::Hits { hits } if hits.iter().filter(|hit| hit.published.is_some()).count() == dated),
            "{since}: {outcome}"
        );
    }
    let query = Query { since: Some("2025-01-01".to_string()), ..Query::new("copper") };
    let (outcome, _server) = asked("searxng", Mood::Well, query).await;
    assert!(
        matches!(&outcome, SearchOutcome::Hits { hits } if hits.iter().all(|hit| hit.published.is_none())),
        "what has no date stays: {outcome}"
    );
}

#[tokio::test]
async fn secrets_are_in_no_message() {
    for mood in [Mood::Forbidden, Mood::WrongKey, Mood::Down, Mood::Malformed] {
        for name in ["brave", "tavily", "s2", "openalex"] {
            let (outcome, _server) = asked(name, mood, Query::new("copper")).await;
            assert!(!format!("{outcome} {outcome:?}").contains("the-secret-key"), "{name} {mood:?}");
        }
    }
    assert_eq!(format!("{:?}", Key::new("the-secret-key")), "Key(…)");
}

#[tokio::test]
async fn a_refusal_is_told_in_the_words_of_the_service() {
    let says = async |name: &str, status: u16, body: &'static str| {
        let server = Server::start(move |_| Answer::new(status, "text/plain", body)).await;
        source(name, &server).search(&Query::new("copper")).await
    };
    let refused =
        says("brave", 422, r#"{"type": "ErrorResponse", "error": {"detail": "The provided subscription token is invalid."}}"#).await;
    assert!(matches!(&refused, SearchOutcome::NotConfigured { reason } if reason.contains("subscription token is invalid")), "{refused}");
    let used_up = says("tavily", 432, r#"{"detail": {"error": "This request exceeds your plan's set usage limit."}}"#).await;
    assert!(matches!(used_up, SearchOutcome::RateLimited { .. }), "{used_up}");
    let busy = says("arxiv", 200, "Rate exceeded.").await;
    assert!(matches!(busy, SearchOutcome::RateLimited { .. }), "{busy}");
    let page = says("crossref", 400, "<html><body>Bad request</body></html>").await;
    assert_eq!(page.to_string(), "failed: the server answered with HTTP 400");
}

#[tokio::test]
async fn where_all_words_together_find_nothing_fewer_are_asked_for() {
    let question = "What share of Norwegian households had heat pumps in 2022, and how many households were there?";
    let nothing =
        || Answer::new(200, "application/atom+xml", r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><id>i</id></feed>"#);
    let server = Server::start(move |_| nothing()).await;
    source("arxiv", &server).search(&Query::new(question)).await;
    let asked: Vec<String> = server.asked().iter().filter_map(|asked| asked.parameter("search_query")).collect();
    let words = "all:share AND all:Norwegian AND all:households AND all:pumps AND all:heat";
    assert_eq!(asked[0].split(" AND ").collect::<BTreeSet<_>>(), words.split(" AND ").collect::<BTreeSet<_>>(), "{asked:?}");
    assert!(asked[1].contains(" OR ") && asked.len() == 2, "{asked:?}");
    let server = Server::start(|_| Answer::new(200, "application/json", "{}")).await;
    source("gdelt", &server).search(&Query::new("Norwegian heat pumps")).await;
    let asked: Vec<String> = server.asked().iter().filter_map(|asked| asked.parameter("query")).collect();
    assert_eq!(asked[0], "Norwegian heat pumps");
}

#[tokio::test]
async fn a_key_is_never_taken_along_by_a_redirect() {
    let other = Server::start(services(Mood::Well)).await;
    let target = other.url("/brave/web/search");
    let server = Server::start(move |_| Answer::redirect(&target)).await;
    let outcome = source("brave", &server).search(&Query::new("copper")).await;
    assert!(matches!(&outcome, SearchOutcome::Failed { reason } if reason.contains("redirects")), "{outcome}");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn pages_named_in_the_question_are_hits_by_themselves() {
    let outcome = Pages.search(&Query::new("compare <https://example.org/a> with https://example.org/b.")).await;
    let SearchOutcome::Hits { hits } = outcome else { panic!("there are two") };
    assert_eq!(hits.iter().map(|hit| hit.url.as_str()).collect::<Vec<_>>(), ["https://example.org/a", "https://example.org/b"]);
    assert_eq!(Pages.search(&Query::new("no address: at all")).await, SearchOutcome::NoHits { note: None });
}

#[tokio::test]
async fn the_search_of_another_program_is_a_source_like_any_other() {
    let answer = json!({"results": [
        {"title": "A", "link": "https://a.example/", "description": "x", "date": "2024/05/17", "authors": [{"name": "Ada"}]},
        {"title": "no address"},
        {"href": "javascript:alert(1)", "title": "not an address"},
        "nonsense"
    ]});
    let tool = Custom::new("my-tool", SourceKind::Tool, move |query: Query| {
        let hits = hits_in(&answer);
        async move { if query.text == "fail" { SearchOutcome::failed("on purpose") } else { SearchOutcome::Hits { hits } } }
    });
    let SearchOutcome::Hits { hits } = tool.search(&Query::new("x")).await else { panic!("there is one") };
    assert_eq!(hits.len(), 1);
    assert_eq!(
        (hits[0].source.as_str(), hits[0].published.as_deref(), hits[0].authors[0].as_str()),
        ("my-tool", Some("2024-05-17"), "Ada")
    );
    assert_eq!(tool.search(&Query::new("fail")).await, SearchOutcome::failed("on purpose"));
}

#[test]
fn a_tool_may_answer_in_json_line_by_line_or_in_words() {
    let check = |text: &str, expected: &[(&str, &str)]| {
        let SearchOutcome::Hits { hits } = read_answer(text) else { panic!("nothing was found in {text}") };
        let found: Vec<(&str, &str)> = hits.iter().map(|hit| (hit.title.as_str(), hit.url.as_str())).collect();
        assert_eq!(found, expected, "{text}");
        hits
    };
    check(r#"{"web": {"results": [{"title": "A", "url": "https://a.example/"}]}}"#, &[("A", "https://a.example/")]);
    check(
        "{\"title\": \"A\", \"url\": \"https://a.example/\"}\n{\"title\": \"B\", \"url\": \"https://b.example/\"}",
        &[("A", "https://a.example/"), ("B", "https://b.example/")],
    );
    let labelled = "Title: The bridge\nURL: https://a.example/bridge\nDescription: It was opened in 1932.\n\n\
                    Title: The ferry\nURL: https://b.example/ferry\nDescription: It is older.";
    let hits = check(labelled, &[("The bridge", "https://a.example/bridge"), ("The ferry", "https://b.example/ferry")]);
    assert_eq!((hits[0].snippet.as_str(), hits[1].snippet.as_str()), ("It was opened in 1932.", "It is older."));
    check(
        "Found two:\n1. [The bridge](https://a.example/bridge), old\n2. see https://b.example/ferry.",
        &[("The bridge", "https://a.example/bridge"), ("", "https://b.example/ferry")],
    );
    assert_eq!(read_answer(r#"{"results": []}"#), SearchOutcome::NoHits { note: None });
    assert!(matches!(read_answer("Nothing was found."), SearchOutcome::NoHits { note: Some(note) } if note.contains("Nothing was found.")));
    assert!(matches!(read_answer("{\"answer\": 42}"), SearchOutcome::NoHits { note: Some(_) }));
}

#[test]
fn an_error_in_the_answer_of_a_tool_is_told_as_what_it_is() {
    for (text, expected) in [
        (r#"{"error": "quota exceeded: invalid API key"}"#, "not configured: it says: quota exceeded: invalid API key"),
        (r#"{"error": {"code": 3, "message": "the index is gone"}}"#, "failed: it says: the index is gone"),
        (r#"{"errors": [{"message": "the index is gone"}]}"#, "failed: it says: the index is gone"),
        (r#"{"error": true, "message": "monthly quota used up"}"#, "rate limited"),
        (r#"{"results": [], "error": "Rate limit reached"}"#, "rate limited"),
        (r#"[{"error": "the index is gone"}]"#, "failed: it says: the index is gone"),
        (r#"{"detail": "Forbidden"}"#, "blocked: it says: Forbidden"),
        (r#"{"message": "upstream timed out"}"#, "failed: it says: upstream timed out"),
        ("Error: 401 Unauthorized", "not configured"),
        ("{\"results\": [{\"title\": \"half", "failed: its answer is broken JSON"),
        // What only says that there is nothing has searched.
        (r#"{"error": "No results found"}"#, "no hits"),
        (r#"{"message": "0 results"}"#, "no hits"),
        (r#"{"results": [], "error": null, "message": "ok"}"#, "no hits"),
        (r#"{"results": [], "message": "took 5 ms"}"#, "no hits"),
        (r#"{"error": "partly down", "results": [{"url": "https://a.example/"}]}"#, "1 hits"),
    ] {
        assert!(read_answer(text).to_string().starts_with(expected), "{text}: {}", read_answer(text));
    }
}

#[tokio::test]
async fn feeds_that_fail_alike_say_how_and_others_say_each_of_its_own() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/busy" => Answer::status(429).with("retry-after", "30"),
        "/closed" => Answer::status(403),
        _ => Answer::status(404),
    })
    .await;
    for (paths, expected) in [
        (&["/busy"][..], "rate limited: ask again in 30 s"),
        (&["/gone"], "not configured: "),
        (&["/closed"], "blocked: "),
        (&["/gone", "/lost"], "not configured: "),
        (&["/busy", "/gone"], "failed: "),
    ] {
        let fetcher = Arc::new(Fetcher::new(settings(&[&server])).expect("a client"));
        let outcome = Feeds::new(paths.iter().map(|path| server.url(path)).collect(), fetcher).search(&Query::new("copper")).await;
        assert!(outcome.to_string().starts_with(expected), "{paths:?}: {outcome}");
        let names_each = paths.iter().all(|path| outcome.to_string().contains(&server.url(path)));
        assert!(names_each || matches!(outcome, SearchOutcome::RateLimited { .. }), "{outcome}");
    }
}

#[tokio::test]
async fn a_feed_is_read_once_however_many_ask() {
    let service = services(Mood::Well);
    let server = Server::start(move |asked| if asked.path == "/robots.txt" { Answer::status(404) } else { service(asked) }).await;
    let feeds = source("feeds", &server);
    let (one, two) = (Query::new("copper prices"), Query::new("copper mines"));
    let (first, second) = tokio::join!(feeds.search(&one), feeds.search(&two));
    assert!(matches!((&first, &second), (SearchOutcome::Hits { .. }, SearchOutcome::Hits { .. })), "{first}, {second}");
    feeds.search(&one).await;
    assert_eq!(server.asked_for("/feed.xml"), 1);
}
