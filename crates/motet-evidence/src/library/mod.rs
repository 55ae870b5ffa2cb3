//! The door for agents: search every source at once, fetch a page into the archive, read what was archived.
//! It decides nothing about what is worth reading; and nothing that it hands out was not archived first.

mod abstracts;
mod findings;
mod probing;
mod services;
mod settings;
mod tools;
mod trouble;
mod unread;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use tokio::time::Instant;

pub use findings::{Findings, Report};
pub use probing::{Probed, probe};
pub use services::{Known, SERVICES, Service, Services};
pub use settings::{Scope, Settings};
pub use tools::{ToolAnswer, ToolDescription, tools};
pub use trouble::{Because, Trouble};

use crate::archive::{Access, Archive, Document, address, digest};
use crate::clock::Clock;
use crate::extract::{Hints, Limits, NotExtracted, extract};
use crate::fetch::{Blocker, FetchSettings, Fetcher, Outcome, Page};
use crate::index::{Index, Update};
use crate::secrecy::Secrecy;
use crate::source::{Folder, Query, SearchOutcome, Source, SourceKind};
use unread::Unread;

/// Sources, archive and index of one run.
pub struct Library {
    archive: Archive,
    unread: Unread,
    fetcher: Arc<Fetcher>,
    index: Option<Arc<Index>>,
    /// What the index had to read when it was last brought up to date.
    looked_through: Mutex<Update>,
    sources: Vec<Arc<dyn Source>>,
    secrecy: Secrecy,
    limits: Limits,
    clock: Clock,
    offline: bool,
    /// One at a time for each address, so that nothing is fetched twice.
    fetching: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

/// What became of a fetch.
#[derive(Clone, Debug, PartialEq)]
pub enum Fetched {
    /// It is in the archive; `known` if it was there before.
    Document { document: Box<Document>, known: bool },
    /// There is a page, but nothing to read in it.
    NoText(NotExtracted),
    /// There is no page for us. Never [`Outcome::Fetched`].
    NoPage(Outcome),
    /// It brought nothing when it was asked for earlier in this run, and was not asked for again.
    AskedBefore { outcome: Because, says: String },
}

impl Fetched {
    pub fn document(self) -> Option<Document> {
        match self {
            Self::Document { document, .. } => Some(*document),
            _ => None,
        }
    }

    /// Why there is no document, as a sentence, or nothing.
    pub fn trouble(&self) -> Option<String> {
        match self {
            Self::Document { .. } => None,
            Self::NoText(why) => Some(why.to_string()),
            Self::NoPage(outcome) => Some(outcome.to_string()),
            Self::AskedBefore { says, .. } => Some(says.clone()),
        }
    }

    /// Why there is no document, as a type, or nothing.
    pub fn because(&self) -> Option<Because> {
        match self {
            Self::Document { .. } => None,
            Self::NoText(_) => Some(Because::NoText),
            Self::NoPage(outcome) => Some(Because::of_fetch(outcome)),
            Self::AskedBefore { outcome, .. } => Some(*outcome),
        }
    }
}

impl Library {
    /// Opens the archive and the index; brings the index up to date with the documents before anyone searches.
    pub async fn open(settings: Settings) -> Result<Self, String> {
        let archive = Archive::open(&settings.home).map_err(|error| format!("the archive in {}: {error}", settings.home.display()))?;
        let unread = Unread::open(&settings.home, settings.fetch.clock.clone());
        let secrecy = settings.fetch.secrecy.clone().and_of(&settings.services);
        let fetcher = Arc::new(Fetcher::new(FetchSettings { secrecy: secrecy.clone(), ..settings.fetch.clone() })?);
        let mut sources: Vec<Arc<dyn Source>> = Vec::new();
        let mut index = None;
        if !settings.documents.is_empty() {
            let (home, documents, limits) = (settings.index_home.clone(), settings.documents.clone(), settings.limits.clone());
            // It may have to wait for another process.
            let opening = tokio::task::spawn_blocking(move || Index::open(&home, &documents, limits));
            let opened = opening.await.map_err(|_| "the opening of the index was stopped".to_string())?;
            let opened = Arc::new(opened.map_err(|error| error.to_string())?.hiding(secrecy.clone()));
            sources.push(Arc::new(Folder::new("documents", opened.clone())));
            index = Some(opened);
        }
        sources.extend(settings.services.sources(&fetcher)?);
        sources.extend(settings.extra);
        if settings.offline {
            sources.retain(|source| !source.kind().needs_network());
        }
        let (limits, clock, offline) = (settings.limits, settings.fetch.clock, settings.offline);
        let (looked_through, fetching) = (Mutex::default(), Mutex::default());
        let library = Self { archive, unread, fetcher, index, looked_through, sources, secrecy, limits, clock, offline, fetching };
        library.update_documents().await?;
        Ok(library)
    }

    /// What had to be read of the user's documents when they were last looked through, and what was left out.
    pub fn looked_through(&self) -> Update {
        self.looked_through.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the user's documents have a word, read or not.
    pub fn has_word(&self, word: &str) -> bool {
        self.index.as_ref().is_some_and(|index| index.has(word))
    }

    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// The names of the sources, in the order they are asked.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.name())
    }

    /// Brings the index up to date with the user's documents; what was left out is told with the reason.
    pub async fn update_documents(&self) -> Result<Update, String> {
        let Some(index) = self.index.clone() else { return Ok(Update::default()) };
        let work = tokio::task::spawn_blocking(move || index.update());
        let done = work.await.map_err(|_| "the update of the index was stopped".to_string())?;
        let update = done.map_err(|error| error.to_string())?;
        self.looked_through.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&update);
        Ok(update)
    }

    /// Asks every source of the scope at once. What a source could not do is part of the answer.
    pub async fn search(&self, query: &Query, scope: Scope) -> Findings {
        self.search_until(query, &[scope], None).await
    }

    /// The same for several scopes, each source once. Who has not answered by then has failed, and nobody waits for him any more; but
    /// one's own documents are always looked through to the end.
    pub async fn search_until(&self, query: &Query, scopes: &[Scope], until: Option<Instant>) -> Findings {
        let asked = self.sources.iter().filter(|source| scopes.iter().any(|scope| scope.holds(source.kind()))).cloned();
        let searches = asked.map(|source| {
            let (query, asked) = (query.clone(), source.clone());
            (source, tokio::spawn(async move { asked.search(&query).await }))
        });
        let mut reports = Vec::new();
        for (source, mut search) in searches.collect::<Vec<_>>() {
            let answered = match until.filter(|_| source.kind() != SourceKind::Local) {
                Some(until) => tokio::time::timeout_at(until, &mut search).await.ok(),
                None => Some((&mut search).await),
            };
            let outcome = match answered {
                // A source that panics is one source less, not one run less.
                Some(answered) => answered.unwrap_or_else(|_| SearchOutcome::failed("the source broke while it searched")),
                None => {
                    search.abort();
                    SearchOutcome::failed("it did not answer in time")
                }
            };
            reports.push(Report {
                source: source.name().to_string(),
                kind: source.kind(),
                outcome: self.permitted(self.secrecy.told(outcome)),
            });
        }
        Findings::of(query, reports)
    }

    /// Without the hits that could never be read, because their domains are denied.
    fn permitted(&self, outcome: SearchOutcome) -> SearchOutcome {
        let SearchOutcome::Hits { mut hits } = outcome else { return outcome };
        let found = hits.len();
        let domains = &self.fetcher.settings().domains;
        hits.retain(|hit| !hit.kind.needs_network() || domains.refusal(&hit.host().unwrap_or_default()).is_none());
        match hits.is_empty() {
            true => SearchOutcome::NoHits { note: Some(format!("{found} were found, all at domains that the settings deny")) },
            false => SearchOutcome::Hits { hits },
        }
    }

    /// The document at a URL: from the archive if it was read before, otherwise fetched, read and archived. What brought nothing earlier
    /// in the run is not asked for again.
    pub async fn fetch(&self, url: &str) -> Fetched {
        let key = address(url);
        let turn = self.fetching.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default().clone();
        let _turn = turn.lock().await;
        // A copy whose files were lost is fetched again and made whole.
        let known = self.archive.by_url(&key).and_then(|record| self.archive.read(&record.id).ok().flatten());
        if let Some(document) = &known
            && !document.record.is_abstract()
        {
            return Fetched::Document { document: Box::new(document.clone()), known: true };
        }
        let fetched = self.fetch_anew(&key).await;
        match known {
            // The page was late when its abstract was kept, and may come now. If not, that is what there is.
            Some(document) if fetched.trouble().is_some() => Fetched::Document { document: Box::new(document), known: true },
            _ => fetched,
        }
    }

    async fn fetch_anew(&self, key: &str) -> Fetched {
        // Whoever is asked would be told, and every record of it would have it.
        if self.secrecy.is_in(key) {
            let reason = "its address has a key in it".to_string();
            return Fetched::NoPage(Outcome::Blocked { by: Blocker::Policy, reason });
        }
        if let Some(path) = Url::parse(key).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok()) {
            return self.take_in(key, path).await;
        }
        if let Some(before) = self.unread.find(key) {
            return before;
        }
        let fetched = self.bring(key).await;
        // A page that leads where nobody may go was asked for all the same.
        let was_asked = !self.offline && !self.fetcher.refuses(key);
        self.unread.remember(key, &fetched, was_asked);
        fetched
    }

    /// A document that was archived before, by its id or its whole hash.
    pub async fn read(&self, id: &str) -> Result<Option<Document>, String> {
        let Some(record) = self.archive.by_hash(id) else { return Ok(None) };
        self.archive.read(&record.id).map_err(|error| format!("document {id} cannot be read: {error}"))
    }

    async fn bring(&self, url: &str) -> Fetched {
        if self.offline {
            let reason = "this run may not use the network; only its own documents and its archive can be read".to_string();
            return Fetched::NoPage(Outcome::Blocked { by: Blocker::Policy, reason });
        }
        match self.fetcher.page(url).await {
            Outcome::Fetched(page) | Outcome::NotModified(page) => self.keep(url, page).await,
            outcome => Fetched::NoPage(outcome),
        }
    }

    /// Only the documents that the user opened for this run may be read from the disk.
    async fn take_in(&self, url: &str, path: PathBuf) -> Fetched {
        if !self.index.as_ref().is_some_and(|index| index.holds(&path)) {
            let reason = format!(
                "{} is not in the folders of documents of this run, or left out of them as hidden, ignored or linked files are",
                path.display()
            );
            return Fetched::NoPage(Outcome::Blocked { by: Blocker::Policy, reason });
        }
        let body = match fs::metadata(&path)
            .and_then(|about| if about.len() > self.limits.max_bytes { Ok(None) } else { fs::read(&path).map(Some) })
        {
            Ok(Some(body)) => body,
            Ok(None) => return Fetched::NoPage(Outcome::TooLarge { limit_bytes: self.limits.max_bytes }),
            Err(error) => return broken(format!("{}: {error}", path.display())),
        };
        self.keep(url, Page { asked: url.to_string(), url: url.to_string(), status: 200, headers: Vec::new(), body }).await
    }

    async fn keep(&self, asked: &str, page: Page) -> Fetched {
        let hints = Hints { content_type: page.content_type().map(str::to_string), url: Some(page.url.clone()) };
        let (secrecy, limits, body) = (self.secrecy.clone(), self.limits.clone(), page.body);
        let reading = tokio::task::spawn_blocking(move || {
            let extracted = extract(&body, &hints, &limits)?;
            let came = digest(&body);
            let (body, extracted) = secrecy.kept(body, extracted, |clean| extract(clean, &hints, &limits).ok());
            Ok((digest(&body) == came, body, extracted))
        });
        let read = reading.await.unwrap_or_else(|_| Err(NotExtracted::Broken("the extractor was stopped".to_string())));
        let (is_as_it_came, body, extracted) = match read {
            Ok(read) => read,
            Err(why) => return Fetched::NoText(why),
        };
        // Only the text of a packed page shows that it has a key in it.
        if !is_as_it_came {
            self.fetcher.forget(&page.asked);
        }
        let access = Access {
            url: asked.to_string(),
            // A redirect may lead to any spelling.
            found_at: self.secrecy.text(&address(&page.url)),
            status: page.status,
            headers: page.headers.into_iter().map(|(name, value)| (name, self.secrecy.text(&value))).collect(),
            accessed_ms: self.clock.now_ms(),
        };
        match self.archive.keep(&body, access, &extracted) {
            Ok(document) => Fetched::Document { document: Box::new(document), known: false },
            // There may be room for it later.
            Err(error) => Fetched::NoPage(Outcome::failed(format!("it could not be archived: {error}"), true)),
        }
    }
}

fn broken(reason: String) -> Fetched {
    Fetched::NoPage(Outcome::failed(reason, false))
}
