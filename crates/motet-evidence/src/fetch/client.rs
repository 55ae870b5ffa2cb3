//! The walk of one page request: policy, address, robots, turn, request, redirect by redirect, to a typed outcome.
//! It never follows a redirect without asking everything again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::{Instant, timeout};

use super::body::{self, Beyond};
use super::cache::{Cache, Copy};
use super::outcome::{Blocker, Outcome, Page};
use super::pace::{Queues, queue_of};
use super::robots::Robots;
use super::{FetchSettings, transport};
use crate::clock::retry_after;

const MOST_REDIRECTS: usize = 5;
const ROBOTS_BYTES: u64 = 512 * 1024;
const ROBOTS_FRESH: Duration = Duration::from_secs(24 * 3600);
/// A server that asks for more silence than this is asked again after it.
const LONGEST_HOLD: Duration = Duration::from_secs(3600);

/// The one client for pages and services. Share it: it is what remembers whom we asked when.
#[derive(Debug)]
pub struct Fetcher {
    pub(super) settings: FetchSettings,
    pages: Client,
    /// Services that the user named are trusted with any address.
    pub(super) services: Client,
    pub(super) queues: Queues,
    robots: Mutex<BTreeMap<String, KnownRobots>>,
    cache: Option<Cache>,
}

/// The rules of one site and when they were asked for, once they were.
type KnownRobots = Arc<tokio::sync::Mutex<Option<(Instant, Robots)>>>;

/// Where one request led.
enum Hop {
    Arrived(Outcome),
    Elsewhere(Url),
}

impl Fetcher {
    pub fn new(settings: FetchSettings) -> Result<Self, String> {
        install_crypto();
        let client = |guarded: bool| {
            let builder = Client::builder().user_agent(&settings.agent).redirect(reqwest::redirect::Policy::none()).no_proxy();
            let builder = builder.connect_timeout(Duration::from_millis(settings.timeout_ms));
            let builder = if guarded { builder.dns_resolver(settings.reach.clone()) } else { builder };
            let builder = match &settings.proxy {
                Some(address) => builder.proxy(reqwest::Proxy::all(address).map_err(|error| format!("the proxy {address}: {error}"))?),
                None => builder,
            };
            // A machine without certificates can still read what needs none.
            let error = match builder.build() {
                Ok(client) => return Ok(client),
                Err(error) => error,
            };
            let bare = Client::builder().user_agent(&settings.agent).redirect(reqwest::redirect::Policy::none()).no_proxy();
            let bare = if guarded { bare.dns_resolver(settings.reach.clone()) } else { bare };
            bare.tls_certs_only([]).build().map_err(|_| format!("no HTTP client could be made: {error}"))
        };
        let (pages, services) = (client(true)?, client(false)?);
        let cache = settings.cache.as_deref().map(|folder| Cache::new(folder, settings.cache_bytes));
        Ok(Self { settings, pages, services, queues: Queues::default(), robots: Mutex::default(), cache })
    }

    pub fn settings(&self) -> &FetchSettings {
        &self.settings
    }

    /// A page at a stranger's URL, under every rule there is.
    pub async fn page(&self, url: &str) -> Outcome {
        let asked = match page_url(url) {
            Ok(asked) => asked,
            Err(outcome) => return outcome,
        };
        let copy = self.cache.as_ref().and_then(|cache| cache.find(asked.as_str()));
        if let Some(copy) = copy.as_ref().filter(|copy| self.is_fresh(copy)) {
            // What is denied today is denied although it was read yesterday.
            let refused = [asked.clone()].into_iter().chain(Url::parse(&copy.page.url)).find_map(|url| self.refusal(&url));
            return refused.unwrap_or_else(|| Outcome::NotModified(copy.page.clone()));
        }
        let outcome = self.walk(&asked, copy.as_ref()).await;
        if let (Some(cache), Outcome::Fetched(page) | Outcome::NotModified(page)) = (&self.cache, &outcome)
            && self.is_worth_keeping(page)
        {
            // A full disk costs a second request some day, and nothing else.
            let _ = cache.keep(page, self.settings.clock.now_ms());
        }
        outcome
    }

    /// Its copy turned out to have what must not be kept.
    pub fn forget(&self, url: &str) {
        if let Some(cache) = &self.cache {
            cache.forget(url);
        }
    }

    /// A copy that can never be fresh is of use only if the server says what to recognise it by. And some servers want none kept.
    fn is_worth_keeping(&self, page: &Page) -> bool {
        let may_be = !page.header("cache-control").is_some_and(|said| said.to_ascii_lowercase().contains("no-store"));
        let is_known = page.header("etag").is_some() || page.header("last-modified").is_some();
        let secrecy = &self.settings.secrecy;
        let tells = || secrecy.without(&page.body).is_some() || page.headers.iter().any(|(_, value)| secrecy.is_in(value));
        may_be && (is_known || self.settings.fresh_for_ms > 0) && !secrecy.is_in(&page.url) && !tells()
    }

    fn is_fresh(&self, copy: &Copy) -> bool {
        self.settings.clock.now_ms().saturating_sub(copy.stored_ms) < self.settings.fresh_for_ms
    }

    async fn walk(&self, asked: &Url, copy: Option<&Copy>) -> Outcome {
        let (mut url, mut seen) = (asked.clone(), BTreeSet::new());
        loop {
            if !seen.insert(url.to_string()) {
                return Outcome::failed(format!("the redirects go in a circle, back to {url}"), false);
            }
            if seen.len() > MOST_REDIRECTS + 1 {
                return Outcome::failed(format!("more than {MOST_REDIRECTS} redirects"), false);
            }
            if let Some(refused) = self.refusal(&url) {
                return refused;
            }
            if let Some(refused) = self.robots_refusal(&url).await {
                return refused;
            }
            // Only the place that gave the copy can say whether it still holds.
            let copy = copy.filter(|copy| copy.page.url == url.as_str());
            match self.hop(asked, &url, copy).await {
                Hop::Arrived(outcome) => return outcome,
                Hop::Elsewhere(next) => url = next,
            }
        }
    }

    /// Whether nobody is asked for this page, because it may not be read at all.
    pub fn refuses(&self, url: &str) -> bool {
        page_url(url).map_or(true, |url| self.refusal(&url).is_some())
    }

    /// What can be said no to without asking anyone.
    fn refusal(&self, url: &Url) -> Option<Outcome> {
        let host = url.host_str().unwrap_or_default();
        if let Some(reason) = self.settings.domains.refusal(host) {
            return Some(Outcome::Blocked { by: Blocker::Policy, reason });
        }
        let private = self.settings.reach.check(url).err()?;
        Some(Outcome::Blocked { by: Blocker::PrivateAddress, reason: private.to_string() })
    }

    async fn robots_refusal(&self, url: &Url) -> Option<Outcome> {
        if !self.settings.obey_robots {
            return None;
        }
        let robots = self.robots(url).await;
        let path = url.query().map_or_else(|| url.path().to_string(), |query| format!("{}?{query}", url.path()));
        let reason = || format!("robots.txt of {} does not let programs read {}", url.host_str().unwrap_or_default(), url.path());
        (!robots.allows(&path)).then(|| Outcome::Blocked { by: Blocker::Robots, reason: reason() })
    }

    async fn robots(&self, url: &Url) -> Robots {
        let origin = url.origin().ascii_serialization();
        let cell = self.robots.lock().unwrap_or_else(PoisonError::into_inner).entry(origin).or_default().clone();
        // Those who come at the same time wait for the first one's answer.
        let mut known = cell.lock().await;
        if let Some((_, robots)) = known.as_ref().filter(|(at, _)| at.elapsed() < ROBOTS_FRESH) {
            return robots.clone();
        }
        let robots = self.ask_robots(url).await;
        *known = Some((Instant::now(), robots.clone()));
        robots
    }

    async fn ask_robots(&self, page: &Url) -> Robots {
        let name = self.settings.agent.split(['/', ' ']).next().unwrap_or_default();
        let Ok(mut url) = page.join("/robots.txt") else { return Robots::default() };
        for _ in 0..=MOST_REDIRECTS {
            if self.refusal(&url).is_some() {
                return Robots::default();
            }
            let answered = timeout(Duration::from_millis(self.settings.timeout_ms), async {
                let response = self.pages.get(url.clone()).header("accept-encoding", "gzip, deflate").send().await.map_err(transport)?;
                let (status, next) = (response.status(), redirect(&url, &response));
                let body = if status.is_success() { body::read(response, ROBOTS_BYTES, Beyond::Cut).await? } else { Vec::new() };
                Ok::<_, Outcome>((status, next, body))
            });
            match answered.await {
                Ok(Ok((_, Some(next), _))) => url = next,
                Ok(Ok((status, _, body))) if status.is_success() => return Robots::read(&String::from_utf8_lossy(&body), name),
                // No rules there: everything is open. A server in trouble is left alone.
                Ok(Ok((status, ..))) if status.is_client_error() => return Robots::default(),
                Ok(Ok(_)) => return Robots::closed(),
                // Whoever cannot be reached will say so for the page too, and better.
                Ok(Err(_)) | Err(_) => return Robots::default(),
            }
        }
        Robots::default()
    }

    async fn hop(&self, asked: &Url, url: &Url, copy: Option<&Copy>) -> Hop {
        let (queue, mut pace) = queue_of(url.host_str().unwrap_or_default(), self.settings.pace);
        if self.settings.obey_robots
            && let Some(delay) = self.robots(url).await.crawl_delay
        {
            pace.interval_ms = pace.interval_ms.max(delay.as_millis() as u64);
        }
        let _place = match self.queues.turn(&queue, pace, Duration::from_millis(self.settings.patience_ms)).await {
            Ok(place) => place,
            Err(late) => return Hop::Arrived(Outcome::RateLimited { retry_after: Some(late.wait) }),
        };
        let mut request = self.pages.get(url.clone()).header("accept-encoding", "gzip, deflate");
        request = request.header("accept", "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5");
        if let Some(copy) = copy {
            let said = [("if-none-match", copy.page.header("etag")), ("if-modified-since", copy.page.header("last-modified"))];
            for (name, value) in said.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                request = request.header(name, value);
            }
        }
        let answered = timeout(Duration::from_millis(self.settings.timeout_ms), async {
            let response = match request.send().await {
                Ok(response) => response,
                Err(error) => return Hop::Arrived(transport(error)),
            };
            if let Some(next) = redirect(url, &response) {
                return Hop::Elsewhere(next);
            }
            if response.status() == StatusCode::NOT_MODIFIED
                && let Some(copy) = copy
            {
                return Hop::Arrived(Outcome::NotModified(copy.page.clone()));
            }
            Hop::Arrived(self.arrived(asked, url, response).await)
        });
        let hop = answered.await.unwrap_or_else(|_| Hop::Arrived(self.too_slow()));
        if let Hop::Arrived(Outcome::RateLimited { retry_after: Some(wait) }) = &hop {
            self.queues.hold(&queue, pace, (*wait).min(LONGEST_HOLD));
        }
        hop
    }

    pub(super) fn too_slow(&self) -> Outcome {
        Outcome::failed(format!("the server took longer than {} s", self.settings.timeout_ms as f64 / 1000.0), true)
    }

    /// What the status of a service's answer means when it is no answer. Plans that are used up have statuses of their own.
    pub(super) fn meaning(&self, url: &Url, response: &Response) -> Outcome {
        let (status, headers) = (response.status().as_u16(), readable(response.headers()));
        let page = Page { asked: url.to_string(), url: url.to_string(), status, headers, body: Vec::new() };
        match status {
            432 | 433 => Outcome::RateLimited { retry_after: None },
            _ => trouble(&page, self.settings.clock.now_ms()).unwrap_or_else(|| Outcome::failed(format!("HTTP {status}"), false)),
        }
    }

    /// The meaning of a final status, and the body of a good one.
    pub(super) async fn arrived(&self, asked: &Url, url: &Url, response: Response) -> Outcome {
        let (status, headers) = (response.status(), readable(response.headers()));
        let mut page = Page { asked: asked.to_string(), url: url.to_string(), status: status.as_u16(), headers, body: Vec::new() };
        if let Some(trouble) = trouble(&page, self.settings.clock.now_ms()) {
            return trouble;
        }
        match body::read(response, self.settings.max_bytes, Beyond::Refuse).await {
            Ok(body) => page.body = body,
            Err(outcome) => return outcome,
        }
        Outcome::Fetched(page)
    }
}

/// What a status means when it is not a page.
fn trouble(page: &Page, now_ms: u64) -> Option<Outcome> {
    let status = page.status;
    let blocked = |by, reason: String| Some(Outcome::Blocked { by, reason });
    if page.header("cf-mitigated").is_some_and(|value| value.eq_ignore_ascii_case("challenge")) {
        return blocked(Blocker::Challenge, format!("the server wants proof of a person before it answers (HTTP {status})"));
    }
    let wait = page.header("retry-after").and_then(|value| retry_after(value, now_ms));
    match status {
        200 | 203 | 206 => None,
        202 => blocked(Blocker::Challenge, "the server answered with a challenge instead of a page (HTTP 202)".to_string()),
        401 | 407 => blocked(Blocker::Login, format!("the server wants a login or a key (HTTP {status})")),
        402 | 403 | 451 => blocked(Blocker::Server, format!("the server refuses (HTTP {status})")),
        404 | 410 => Some(Outcome::NotFound { status }),
        429 => Some(Outcome::RateLimited { retry_after: wait }),
        503 if wait.is_some() => Some(Outcome::RateLimited { retry_after: wait }),
        500..=599 | 408 => Some(Outcome::failed(format!("the server is in trouble (HTTP {status})"), true)),
        _ => Some(Outcome::failed(format!("the server answered with HTTP {status}"), false)),
    }
}

/// Where a redirect leads, if the response is one that leads anywhere.
fn redirect(url: &Url, response: &Response) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let target = response.headers().get("location")?;
    let mut next = url.join(&String::from_utf8_lossy(target.as_bytes())).ok()?;
    next.set_fragment(None);
    matches!(next.scheme(), "http" | "https").then_some(next)
}

fn page_url(url: &str) -> Result<Url, Outcome> {
    let blocked = |reason: String| Outcome::Blocked { by: Blocker::Policy, reason };
    let mut asked = Url::parse(url.trim()).map_err(|error| Outcome::failed(format!("\"{url}\" is not a URL: {error}"), false))?;
    if !matches!(asked.scheme(), "http" | "https") {
        return Err(blocked(format!("only http and https are fetched, not {}", asked.scheme())));
    }
    if !asked.username().is_empty() || asked.password().is_some() {
        return Err(blocked("a URL with a user name or password is not fetched".to_string()));
    }
    asked.set_fragment(None);
    Ok(asked)
}

fn readable(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = |name: &HeaderName| !matches!(name.as_str(), "set-cookie" | "set-cookie2");
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().filter(|(name, _)| kept(name)).map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect()
}

/// The client brings no cryptography of its own; the first caller chooses for the process, and every choice will do.
fn install_crypto() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
