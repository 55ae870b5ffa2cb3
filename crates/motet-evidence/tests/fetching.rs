//! Fetching from a site that means no good: every trick comes to a typed outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use motet_evidence::clock::Clock;
use motet_evidence::fetch::{Blocker, DomainPolicy, Domains, FetchSettings, Fetcher, Outcome, Pace, Reach};
use motet_testkit::web::hostile::site;
use motet_testkit::web::{Answer, Server};

use crate::scratch::Scratch;

pub fn settings(servers: &[&Server]) -> FetchSettings {
    FetchSettings {
        reach: Reach::public_and(servers.iter().map(|server| server.host())),
        pace: Pace::new(8, 0),
        timeout_ms: 60_000,
        max_bytes: 2_000_000,
        ..FetchSettings::default()
    }
}

async fn fetched(path: &str) -> Outcome {
    let server = Server::start(site).await;
    Fetcher::new(settings(&[&server])).expect("a client").page(&server.url(path)).await
}

fn blocker(outcome: &Outcome) -> Option<Blocker> {
    match outcome {
        Outcome::Blocked { by, .. } => Some(*by),
        _ => None,
    }
}

#[tokio::test]
async fn a_page_is_fetched_with_its_headers_and_where_it_was_found() {
    let server = Server::start(site).await;
    let fetcher = Fetcher::new(settings(&[&server])).expect("a client");
    let page = fetcher.page(&server.url("/old#part")).await.page().expect("there is a page");
    assert_eq!((page.asked, page.url, page.status), (server.url("/old"), server.url("/article"), 200));
    assert!(String::from_utf8_lossy(&page.body).contains("The answer is 42"));
    assert!(server.asked().iter().all(|asked| asked.header("user-agent").is_some_and(|agent| agent.starts_with("Motet/"))));
    assert!(matches!(fetched("/packed").await, Outcome::Fetched(page) if page.body.starts_with(b"<!doctype html>")));
}

#[tokio::test]
async fn redirects_end_and_never_lead_inside() {
    assert!(fetched("/chain/5").await.page().is_some());
    assert!(matches!(fetched("/chain/6").await, Outcome::Failed { reason, .. } if reason.contains("more than 5 redirects")));
    for path in ["/loop", "/self"] {
        assert!(matches!(fetched(path).await, Outcome::Failed { reason, .. } if reason.contains("circle")), "{path}");
    }
    for path in ["/metadata", "/mapped", "/named"] {
        assert_eq!(blocker(&fetched(path).await), Some(Blocker::PrivateAddress), "{path}");
    }
    assert!(matches!(fetched("/file").await, Outcome::Failed { .. }), "a redirect to a file is no redirect");
}

#[tokio::test]
async fn a_redirect_to_another_port_of_this_machine_is_refused() {
    let (server, inside) = (Server::start(site).await, Server::start(site).await);
    let fetcher = Fetcher::new(settings(&[&server])).expect("a client");
    let outcome = fetcher.page(&server.url(&format!("/out?to={}", inside.url("/article")))).await;
    assert_eq!(blocker(&outcome), Some(Blocker::PrivateAddress));
    assert!(inside.asked().is_empty(), "not even robots.txt was asked for");
}

#[tokio::test]
async fn an_inner_address_is_refused_before_anything_is_asked() {
    let server = Server::start(site).await;
    let outcome = Fetcher::new(settings(&[])).expect("a client").page(&server.url("/article")).await;
    assert_eq!(blocker(&outcome), Some(Blocker::PrivateAddress));
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_gigabyte_is_cut_off_and_a_bomb_is_never_unpacked() {
    for path in ["/huge", "/huge-promised", "/bomb"] {
        let server = Server::start(site).await;
        let outcome = Fetcher::new(settings(&[&server])).expect("a client").page(&server.url(path)).await;
        assert_eq!(outcome, Outcome::TooLarge { limit_bytes: 2_000_000 }, "{path}");
        // What stands in the buffers of the machine is taken off the server, too.
        assert!(server.sent_bytes() < 64 << 20, "{path}: {} bytes were taken", server.sent_bytes());
    }
    for path in ["/double-bomb", "/not-packed", "/broken-off"] {
        assert!(matches!(fetched(path).await, Outcome::Failed { .. }), "{path}");
    }
}

#[tokio::test]
async fn a_silent_server_is_not_waited_for() {
    let server = Server::start(site).await;
    let settings = FetchSettings { timeout_ms: 50, obey_robots: false, ..settings(&[&server]) };
    let outcome = Fetcher::new(settings).expect("a client").page(&server.url("/silent")).await;
    assert!(matches!(outcome, Outcome::Failed { transient: true, .. }), "{outcome}");
}

#[tokio::test]
async fn each_refusal_is_told_by_what_it_is() {
    assert_eq!(blocker(&fetched("/secret").await), Some(Blocker::Robots));
    assert!(fetched("/secret/open").await.page().is_some());
    assert_eq!(blocker(&fetched("/forbidden").await), Some(Blocker::Server));
    assert_eq!(blocker(&fetched("/login").await), Some(Blocker::Login));
    assert_eq!(blocker(&fetched("/challenge-header").await), Some(Blocker::Challenge));
    assert_eq!(blocker(&fetched("/accepted").await), Some(Blocker::Challenge));
    assert_eq!(fetched("/gone").await, Outcome::NotFound { status: 410 });
    assert_eq!(fetched("/nowhere").await, Outcome::NotFound { status: 404 });
    assert!(matches!(fetched("/busy").await, Outcome::RateLimited { retry_after: Some(wait) } if wait.as_secs() == 7));
    assert!(matches!(fetched("/down").await, Outcome::Failed { transient: true, .. }));
}

#[tokio::test]
async fn what_is_no_web_address_is_refused_before_anything_is_asked() {
    let fetcher = Fetcher::new(settings(&[])).expect("a client");
    for url in ["file:///etc/passwd", "ftp://example.org/x", "http://user:secret@example.org/", "gopher://example.org"] {
        assert_eq!(blocker(&fetcher.page(url).await), Some(Blocker::Policy), "{url}");
    }
    assert!(matches!(fetcher.page("not a url").await, Outcome::Failed { transient: false, .. }));
}

#[tokio::test]
async fn denied_domains_are_denied_behind_redirects_too() {
    let server = Server::start(site).await;
    let denied = DomainPolicy { deny: Domains::read(["evil.example"]).expect("a domain"), ..DomainPolicy::default() };
    let fetcher = Fetcher::new(FetchSettings { domains: denied, ..settings(&[&server]) }).expect("a client");
    let outcome = fetcher.page(&server.url("/out?to=https://www.EVIL.example/page")).await;
    assert_eq!(blocker(&outcome), Some(Blocker::Policy));
}

#[tokio::test]
async fn robots_are_asked_for_once_and_a_site_in_trouble_is_left_alone() {
    let server = Server::start(site).await;
    let fetcher = Fetcher::new(settings(&[&server])).expect("a client");
    tokio::join!(fetcher.page("http://127.0.0.1:1/"), async {
        for path in ["/article", "/secret", "/packed"] {
            fetcher.page(&server.url(path)).await;
        }
    });
    assert_eq!(server.asked_for("/robots.txt"), 1);
    assert_eq!(server.asked_for("/secret"), 0);
    let broken = Server::start(|asked| if asked.path == "/robots.txt" { Answer::status(503) } else { Answer::html("x") }).await;
    let outcome = Fetcher::new(settings(&[&broken])).expect("a client").page(&broken.url("/page")).await;
    assert_eq!(blocker(&outcome), Some(Blocker::Robots));
    assert_eq!(broken.asked_for("/page"), 0);
}

#[tokio::test]
async fn a_fresh_copy_is_not_asked_about_and_an_old_one_is_compared() {
    let (server, scratch) = (Server::start(site).await, Scratch::new());
    let now = Arc::new(AtomicU64::new(1_000_000));
    let told = now.clone();
    let settings = FetchSettings {
        cache: Some(scratch.path().join("cache")),
        fresh_for_ms: 1000,
        clock: Clock::new(move || told.load(Ordering::SeqCst)),
        ..settings(&[&server])
    };
    let fetcher = Fetcher::new(settings.clone()).expect("a client");
    let first = fetcher.page(&server.url("/tagged")).await;
    assert!(matches!(first, Outcome::Fetched(_)));
    assert!(matches!(fetcher.page(&server.url("/tagged")).await, Outcome::NotModified(_)));
    assert_eq!(server.asked_for("/tagged"), 1, "the fresh copy was enough");
    now.fetch_add(2000, Ordering::SeqCst);
    // Another process, later, finds the copy on the disk.
    let again = Fetcher::new(settings).expect("a client").page(&server.url("/tagged")).await;
    assert!(matches!(&again, Outcome::NotModified(page) if Some(&page.body) == first.page().map(|page| page.body).as_ref()));
    let asked = server.asked();
    let last = asked.iter().rev().find(|asked| asked.path == "/tagged").expect("it was asked again");
    assert_eq!(last.header("if-none-match"), Some("\"v1\""));
}

#[tokio::test]
async fn a_damaged_copy_is_fetched_again() {
    let (server, scratch) = (Server::start(site).await, Scratch::new());
    let settings = FetchSettings { cache: Some(scratch.path().to_path_buf()), ..settings(&[&server]) };
    let fetcher = Fetcher::new(settings).expect("a client");
    fetcher.page(&server.url("/article")).await;
    for entry in std::fs::read_dir(scratch.path()).expect("the cache is there").flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "body") {
            std::fs::write(entry.path(), "half").expect("it can be damaged");
        }
    }
    assert!(matches!(fetcher.page(&server.url("/article")).await, Outcome::Fetched(page) if page.body.len() > 4));
}

/// A page of the size that its path says, with what to recognise it by, unless the path says otherwise.
fn sized(asked: &motet_testkit::web::Asked) -> Answer {
    let size: usize = asked.path.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(100);
    let page = Answer::html("x".repeat(size));
    match asked.path.as_str() {
        "/robots.txt" => Answer::status(404),
        path if path.starts_with("/bare") => page,
        path if path.starts_with("/private") => page.with("etag", "\"v1\"").with("cache-control", "max-age=5, No-Store"),
        _ => page.with("last-modified", "Fri, 17 May 2024 08:00:00 GMT"),
    }
}

fn bodies(folder: &std::path::Path) -> Vec<u64> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bodies = entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "body"));
    bodies.map(|entry| entry.metadata().expect("it is there").len()).collect()
}

#[tokio::test]
async fn only_what_can_be_recognised_and_may_be_kept_is_kept() {
    let (server, scratch) = (Server::start(sized).await, Scratch::new());
    let settings = FetchSettings { cache: Some(scratch.path().to_path_buf()), fresh_for_ms: 0, ..settings(&[&server]) };
    let fetcher = Fetcher::new(settings).expect("a client");
    for path in ["/bare/10", "/private/20", "/known/30"] {
        fetcher.page(&server.url(path)).await;
    }
    assert_eq!(bodies(scratch.path()), [30]);
    fetcher.page(&server.url("/known/30")).await;
    let last = server.asked().pop().expect("it was asked again");
    assert_eq!(last.header("if-modified-since"), Some("Fri, 17 May 2024 08:00:00 GMT"));
}

#[tokio::test]
async fn copies_take_no_more_room_than_they_may() {
    let (server, scratch) = (Server::start(sized).await, Scratch::new());
    let settings =
        FetchSettings { cache: Some(scratch.path().to_path_buf()), cache_bytes: 50_000, fresh_for_ms: 0, ..settings(&[&server]) };
    let fetcher = Fetcher::new(settings.clone()).expect("a client");
    for number in 0..20 {
        fetcher.page(&server.url(&format!("/{}", 10_000 + number))).await;
        assert!(bodies(scratch.path()).iter().sum::<u64>() <= 50_000);
    }
    let held = bodies(scratch.path());
    assert!(held.contains(&10_019) && !held.contains(&10_000), "the newest stays: {held:?}");
    // Another process counts what is there already.
    Fetcher::new(FetchSettings { cache_bytes: 20_000, ..settings }).expect("a client").page(&server.url("/9000")).await;
    assert!(bodies(scratch.path()).iter().sum::<u64>() <= 20_000, "{:?}", bodies(scratch.path()));
    assert_eq!(motet_evidence::fetch::remove_unused_copies(scratch.path(), std::time::Duration::from_secs(3600), false), 0);
    assert!(motet_evidence::fetch::remove_unused_copies(scratch.path(), std::time::Duration::ZERO, false) > 0);
    assert_eq!(std::fs::read_dir(scratch.path()).expect("the folder stays").count(), 0);
}
