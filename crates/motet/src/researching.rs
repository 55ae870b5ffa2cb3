//! Finds evidence for agents that say what they want gathered, and holds their answers to it.
//! Which sources a run has is said when it starts and kept with it; what is found goes into the run's own archive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use motet_agents::{Context, Outcome, Progress};
use motet_core::definition::{GATHERED, Gathering};
use motet_core::event::FailureKind;
use motet_core::names::RunId;
use motet_core::{Call, Definition};
use motet_evidence::extract::{Hints, Limits, Worker, extract_later};
use motet_evidence::gather::{self, Gathered, Source, Wanted};
use motet_evidence::library::{Library, Services, Settings};
use motet_evidence::quoting::{Quotation, quoted};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::home::Home;

/// How many pages that an agent found by itself are fetched to hold its answer to them.
const MOST_OWN_PAGES: usize = 20;

/// Where a run may look for evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// The user's own folders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<PathBuf>,
    /// The public services that need no key, and pages by their address.
    #[serde(skip_serializing_if = "is_false")]
    pub web: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The libraries of the runs that this process drives.
#[derive(Clone)]
pub struct Researching {
    evidence: Evidence,
    home: Home,
    libraries: Arc<Mutex<BTreeMap<RunId, Arc<OnceCell<Library>>>>>,
}

/// What was found for one call, and how its answer is to be held to it.
pub struct Found {
    gathered: Gathered,
    grounds: Option<String>,
    library: Arc<OnceCell<Library>>,
}

impl Researching {
    pub fn new(evidence: Evidence, home: Home) -> Self {
        Self { evidence, home, libraries: Arc::default() }
    }

    /// Finds what the agent wants and gives it to the call. None: it wants nothing.
    pub async fn gather(&self, call: &mut Call, definition: &Definition, context: &Context) -> Result<Option<Found>, Outcome> {
        let Some(wanted) = definition.gathering(call) else { return Ok(None) };
        let limit = Duration::from_millis(call.timeout_ms);
        let found = tokio::select! {
            biased;
            found = tokio::time::timeout(limit, self.find(call, wanted, context)) => found,
            _ = context.stopped() => return Err(Outcome::failed(FailureKind::Cancelled, "stopped while sources were searched")),
        };
        match found {
            Ok(Ok(found)) => {
                if let Value::Object(input) = &mut call.input {
                    input.insert(GATHERED.into(), shown(&found.gathered, call.run.as_str(), call.task.as_str()));
                }
                Ok(Some(found))
            }
            Ok(Err(why)) => Err(Outcome::failed(FailureKind::Configuration, why)),
            Err(_) => Err(Outcome::failed(FailureKind::Timeout, "the sources did not answer in time")),
        }
    }

    async fn find(&self, call: &Call, wanted: Gathering, context: &Context) -> Result<Found, String> {
        let cell = self.libraries.lock().unwrap_or_else(PoisonError::into_inner).entry(call.run.clone()).or_default().clone();
        let library = cell.get_or_try_init(|| self.open(&call.run, context)).await?;
        let questions = wanted.search.join(" · ");
        context.tell(Progress::Log(if questions.is_empty() { "reading".into() } else { format!("searching: {questions}") }));
        let Gathering { search, read, at_most, grounds } = wanted;
        let gathered = gather::gather(library, &Wanted { search, read, at_most: at_most as usize }).await;
        let (passages, sources) = (gathered.passages.len(), gathered.sources.len());
        context.tell(Progress::Log(format!("found {passages} passages in {sources} documents")));
        gathered.troubles.iter().for_each(|trouble| context.tell(Progress::Log(trouble.clone())));
        Ok(Found { gathered, grounds, library: cell })
    }

    async fn open(&self, run: &RunId, context: &Context) -> Result<Library, String> {
        if !self.evidence.documents.is_empty() {
            context.tell(Progress::Waiting("indexing the documents".into()));
        }
        let services = if self.evidence.web { Services::keyless() } else { Services::default() };
        let settings = Settings {
            documents: self.evidence.documents.clone(),
            offline: !self.evidence.web,
            limits: limits(),
            services,
            ..Settings::new(self.home.run_directory(run))
        };
        Library::open(settings).await
    }
}

impl Found {
    /// The answer without the facts that stand in nothing that was read.
    pub async fn hold(mut self, came: Outcome, context: &Context) -> Outcome {
        let (Some(field), Outcome::Returned { result, usage }) = (&self.grounds, &came) else { return came };
        if let Some(library) = self.library.get() {
            for address in own_pages(result, field, &self.gathered).into_iter().take(MOST_OWN_PAGES) {
                let one = Wanted { read: vec![address], ..Wanted::default() };
                let more = gather::gather(library, &one).await;
                self.gathered.sources.extend(more.sources);
                self.gathered.texts.extend(more.texts);
            }
        }
        if let Some(directory) = context.run_directory() {
            for (source, text) in own_files(result, field, directory).await {
                // What we have read ourselves is not replaced by what an agent says that it read there.
                if !self.gathered.texts.contains_key(&source.url) {
                    self.gathered.texts.insert(source.url.clone(), text);
                    self.gathered.sources.push(source);
                }
            }
        }
        let grounded = gather::ground(result.clone(), field, &self.gathered);
        for lost in &grounded.ungrounded {
            context.tell(Progress::Log(format!("left out “{}”: {}", lost.statement, lost.why)));
        }
        Outcome::Returned { result: grounded.answer, usage: *usage }
    }
}

/// Pages that the facts name and nobody has gathered: an agent may have found them by itself.
fn own_pages(result: &Value, field: &str, gathered: &Gathered) -> Vec<String> {
    let facts = result.get(field).and_then(Value::as_array).into_iter().flatten();
    let named = facts.flat_map(|fact| fact.get("sources").and_then(Value::as_array).into_iter().flatten()).filter_map(Value::as_str);
    let mut pages: Vec<String> = Vec::new();
    for page in named.filter(|page| page.starts_with("http://") || page.starts_with("https://")) {
        if !gathered.texts.contains_key(page) && !pages.iter().any(|known| known == page) {
            pages.push(page.to_string());
        }
    }
    pages
}

/// Files that an agent saved among the run's assets by itself, each as the text of the source that its facts name.
async fn own_files(result: &Value, field: &str, directory: &Path) -> Vec<(Source, String)> {
    let mut found: Vec<(Source, String)> = Vec::new();
    for fact in result.get(field).and_then(Value::as_array).into_iter().flatten() {
        let named = |name: &str| fact.get(name).and_then(Value::as_str);
        let url = fact.pointer("/sources/0").and_then(Value::as_str);
        let (Some(file), Some(url)) = (named("raw_file"), url) else { continue };
        if found.iter().any(|(source, _)| source.url == url) {
            continue;
        }
        let Some(bytes) = asset(directory, file) else { continue };
        let hints = Hints { content_type: None, url: Some(format!("file:///{file}")) };
        let Ok(extracted) = extract_later(bytes, hints, limits()).await else { continue };
        let listed = result.get("sources").and_then(Value::as_array).into_iter().flatten().find(|source| source["url"] == url);
        let said = |name: &str| listed.and_then(|source| source[name].as_str()).map(String::from);
        let source = Source {
            url: url.to_string(),
            title: said("title").or(extracted.title).unwrap_or_else(|| url.to_string()),
            kind: said("type").unwrap_or_else(|| "HTML".into()),
            accessed: said("accessed"),
            local_path: file.to_string(),
            published: extracted.published,
        };
        found.push((source, extracted.text));
    }
    found
}

/// The content of a file below the run's `assets/`, and of no other.
fn asset(directory: &Path, file: &str) -> Option<Vec<u8>> {
    let assets = directory.join("assets").canonicalize().ok()?;
    let path = directory.join(file).canonicalize().ok().filter(|path| path.starts_with(&assets))?;
    let is_small = std::fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= limits().max_bytes);
    is_small.then(|| std::fs::read(path).ok()).flatten()
}

/// Papers are read in a process of their own, which may fail without harm.
fn limits() -> Limits {
    Limits { worker: Worker::of_this_program("read-paper").ok(), ..Limits::default() }
}

/// What prompts and rules see of it: every passage also as a quotation that cannot pass for an instruction.
fn shown(gathered: &Gathered, run: &str, task: &str) -> Value {
    let seed = format!("{run} {task}");
    let passages = gathered.passages.iter().map(|passage| {
        let quotation = Quotation { id: &passage.id, url: &passage.url, title: &passage.title, text: &passage.text };
        json!({ "id": passage.id, "url": passage.url, "title": passage.title, "text": passage.text, "quoted": quoted(&quotation, &seed) })
    });
    json!({
        "passages": passages.collect::<Vec<_>>(),
        "quotes": gathered.quotes,
        "sources": gathered.sources,
        "troubles": gathered.troubles,
    })
}
