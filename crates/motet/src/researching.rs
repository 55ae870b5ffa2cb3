//! Finds evidence for agents that say what they want gathered, and holds their answers to it.
//! Which sources a run has is said when it starts and kept with it; what is found goes into the run's own archive.

mod desk;
mod evidence;
mod holding;
mod search_tool;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use motet_agents::{Context, Outcome, Progress, Redactor};
use motet_core::definition::{GATHERED, Gathering};
use motet_core::event::FailureKind;
use motet_core::names::RunId;
use motet_core::{Call, Definition};
use motet_evidence::extract::{Limits, Worker};
use motet_evidence::fetch::FetchSettings;
use motet_evidence::gather::{self, Gathered, Wanted};
use motet_evidence::index::Update;
use motet_evidence::library::{Because, Library, Scope, Settings, Trouble};
use motet_evidence::quoting::{Quotation, quoted};
use motet_evidence::secrecy::Secrecy;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::time::Instant;

pub use desk::{Desk, is_own, own_tools};
pub use evidence::Evidence;
pub use search_tool::{Workplace, search_tool};

use crate::casting::{Casting, Workshop};
use crate::config::EVERYBODY;
use crate::home::Home;

/// How many documents that were left out of the index are named, each with the reason.
const MOST_LEFT_OUT: usize = 5;

/// How long sources are searched at most. What an agent makes of it takes time too, so they never have more than half of the task's.
const MOST_SEARCHING: Duration = Duration::from_secs(180);

/// The libraries of the runs that this process drives.
#[derive(Clone)]
pub struct Researching {
    evidence: Evidence,
    home: Home,
    workplace: Workplace,
    /// By role, what the settings give it of our own tools.
    given: Arc<BTreeMap<String, Vec<String>>>,
    libraries: Arc<Mutex<BTreeMap<RunId, Arc<OnceCell<Library>>>>>,
    /// Of each run the visit of a state for which its documents were looked through last.
    visits: Arc<Mutex<BTreeMap<RunId, Visit>>>,
}

type Visit = Arc<tokio::sync::Mutex<Option<String>>>;

/// The list of an answer that is held to what was found, and how strictly.
enum Held {
    /// What does not stand is thrown away.
    Grounded(String),
    /// What does not stand says so.
    Checked(String),
    /// There was nothing to look at, so nothing can say that it stands.
    Unread(String),
}

/// What was found for one call, and how its answer is to be held to it.
pub struct Found {
    gathered: Gathered,
    held: Option<Held>,
    library: Arc<OnceCell<Library>>,
    /// When the task has had its time.
    until: Instant,
}

impl Researching {
    /// For the runs of one casting, with the same servers of tools that its players have.
    pub fn new(casting: &Casting, workshop: &Workshop, home: Home, redactor: Redactor) -> Self {
        let given = casting.roles.iter().map(|(role, part)| (role.clone(), part.tools.clone())).collect();
        let workplace = Workplace { servers: workshop.servers(), directory: None, redactor };
        Self {
            evidence: casting.evidence.clone(),
            home,
            workplace,
            given: Arc::new(given),
            libraries: Arc::default(),
            visits: Arc::default(),
        }
    }

    /// The tools for one call: those that the workflow gives to the agent, and those that the settings give to its role.
    pub fn desk(&self, call: &Call) -> Option<Arc<Desk>> {
        let of_role = self.given.get(&call.role).or_else(|| self.given.get(EVERYBODY)).into_iter().flatten();
        let names = call.model.tools.iter().chain(of_role);
        // Without any source they could only disappoint.
        Desk::new(self, call, names).filter(|_| !self.evidence.is_empty()).map(Arc::new)
    }

    /// Finds what the agent wants and gives it to the call. None: it wants nothing.
    pub async fn gather(&self, call: &mut Call, definition: &Definition, context: &Context) -> Result<Option<Found>, Outcome> {
        let Some(wanted) = definition.gathering(call) else { return Ok(None) };
        let until = Instant::now() + Duration::from_millis(call.timeout_ms);
        // Who would like what there is, and there is nothing, is asked as if it wanted nothing.
        if wanted.grounds.is_none() && self.evidence.is_empty() {
            let held = wanted.checks.map(Held::Unread);
            return Ok(Some(Found { gathered: Gathered::default(), held, library: self.cell(&call.run), until }));
        }
        let found = tokio::select! {
            biased;
            found = tokio::time::timeout_at(until, self.find(call, wanted, until, context)) => found,
            _ = context.stopped() => return Err(Outcome::failed(FailureKind::Cancelled, "stopped while sources were searched")),
        };
        match found {
            Ok(Ok(found)) => {
                let shown = self.workplace.redactor.value(shown(&found.gathered, &seed(call)));
                if let Value::Object(input) = &mut call.input {
                    input.insert(GATHERED.into(), shown);
                }
                Ok(Some(found))
            }
            Ok(Err(why)) => Err(Outcome::failed(FailureKind::Configuration, why)),
            Err(_) => Err(Outcome::failed(FailureKind::Timeout, "the sources did not answer in time")),
        }
    }

    async fn find(&self, call: &Call, wanted: Gathering, until: Instant, context: &Context) -> Result<Found, String> {
        let cell = self.cell(&call.run);
        let library = self.library(&cell, &call.run, context).await?;
        self.look_again(call, library, context).await;
        let questions = wanted.search.join(" · ");
        context.tell(Progress::Log(if questions.is_empty() { "reading".into() } else { format!("searching: {questions}") }));
        let Gathering { search, read, kinds, at_most, grounds, checks } = wanted;
        let scopes = kinds.iter().filter_map(|kind| scope(kind)).collect();
        let searches = !search.is_empty();
        let now = Instant::now();
        let searching = (until.saturating_duration_since(now) / 2).min(MOST_SEARCHING);
        let wanted = Wanted { search, read, scopes, at_most: at_most as usize, until: Some(now + searching) };
        let mut gathered = gather::gather(library, &wanted).await;
        gathered.troubles.extend(Some(no_source()).filter(|_| searches && self.evidence.is_empty()));
        let (passages, sources) = (gathered.passages.len(), gathered.sources.len());
        context.tell(Progress::Log(format!("found {passages} passages in {sources} documents")));
        gathered.troubles.iter().for_each(|trouble| context.tell(Progress::Log(trouble.to_string())));
        gathered.gaps.iter().for_each(|gap| context.tell(Progress::Log(gap.clone())));
        let held = grounds.map(Held::Grounded).or(checks.map(Held::Checked));
        Ok(Found { gathered, held, library: cell, until })
    }

    /// A run may have stood at a gate for days, and whoever answered may have put in what was missing. All tasks of one visit of a state
    /// see the same documents, so none of them goes on before they were looked through.
    async fn look_again(&self, call: &Call, library: &Library, context: &Context) {
        let visit = call.task.as_str().split('/').next().unwrap_or_default();
        let last = self.visits.lock().unwrap_or_else(PoisonError::into_inner).entry(call.run.clone()).or_default().clone();
        let mut last = last.lock().await;
        if last.as_ref().is_some_and(|last| last != visit) {
            let update = library.update_documents().await;
            told_again(update).into_iter().for_each(|line| context.tell(Progress::Log(line)));
        }
        *last = Some(visit.to_string());
    }

    fn cell(&self, run: &RunId) -> Arc<OnceCell<Library>> {
        self.libraries.lock().unwrap_or_else(PoisonError::into_inner).entry(run.clone()).or_default().clone()
    }

    /// The library of a run, opened by whoever needs it first.
    async fn library<'a>(&self, cell: &'a OnceCell<Library>, run: &RunId, context: &Context) -> Result<&'a Library, String> {
        cell.get_or_try_init(|| self.open(run, context)).await
    }

    /// Where copies of pages are, for a run that may fetch and keep them.
    fn copies(&self) -> Option<PathBuf> {
        let keeps = self.evidence.reaches_out() && self.evidence.sources.cache != Some(false);
        keeps.then(|| self.home.opened_page_copies())
    }

    fn secrecy(&self) -> Secrecy {
        let redactor = self.workplace.redactor.clone();
        Secrecy::new(move |bytes| redactor.without(bytes))
    }

    async fn open(&self, run: &RunId, context: &Context) -> Result<Library, String> {
        let evidence = &self.evidence;
        if !evidence.documents.is_empty() {
            context.tell(Progress::Waiting("indexing the documents".into()));
        }
        let directory = self.home.run_directory(run);
        let workplace = Workplace { directory: Some(directory.clone()), ..self.workplace.clone() };
        let (services, mut extra) = evidence.services();
        extra.extend(evidence.tools().iter().map(|(tool, argument)| search_tool(tool, argument, &workplace)));
        let settings = Settings {
            documents: evidence.documents.clone(),
            index_home: self.home.index_of(&evidence.documents),
            offline: !evidence.reaches_out(),
            limits: limits(),
            fetch: FetchSettings { cache: self.copies(), secrecy: self.secrecy(), ..evidence.fetching()? },
            services,
            extra,
            ..Settings::new(directory)
        };
        let library = Library::open(settings).await?;
        if !evidence.documents.is_empty() {
            told(&library.looked_through()).into_iter().for_each(|line| context.tell(Progress::Log(line)));
        }
        Ok(library)
    }
}

/// What is told instead of answers where there was nobody to ask.
fn no_source() -> Trouble {
    let says = "there was no source to look at: give `--docs DIR` or `--web` when a run is started".to_string();
    Trouble { source: "no source".into(), outcome: Because::NotConfigured, address: None, says }
}

/// What the index had to read, and what it left out.
fn told(update: &Update) -> Vec<String> {
    let read = update.added + update.changed;
    let mut lines = vec![format!("documents: {read} read, {} known and unchanged, {} left out", update.unchanged, update.skipped.len())];
    let named = update.skipped.iter().take(MOST_LEFT_OUT);
    lines.extend(named.map(|skipped| format!("left out {}: {}", skipped.path.display(), skipped.why)));
    let shortened = update.shortened.iter().take(MOST_LEFT_OUT);
    lines.extend(shortened.map(|shortened| format!("{}: {}", shortened.path.display(), shortened.why)));
    lines
}

/// The kind of source that a workflow names.
fn scope(kind: &str) -> Option<Scope> {
    serde_json::from_value(json!(kind)).ok()
}

/// Of an index that was there already only what has changed is told, and that it could not be looked through: then it stays as it was.
fn told_again(update: Result<Update, String>) -> Vec<String> {
    match update {
        Ok(update) if update.added + update.changed + update.removed == 0 => Vec::new(),
        Ok(update) => told(&update),
        Err(why) => vec![format!("the documents could not be looked through again: {why}")],
    }
}

/// What whoever writes a page cannot know.
fn seed(call: &Call) -> String {
    format!("{} {}", call.run, call.task)
}

/// Papers are read in a process of their own, which may fail without harm.
fn limits() -> Limits {
    Limits { worker: Worker::of_this_program("read-paper").ok(), ..Limits::default() }
}

/// What prompts and rules see of it: every passage also as a quotation that cannot pass for an instruction.
fn shown(gathered: &Gathered, seed: &str) -> Value {
    let passages = gathered.passages.iter().map(|passage| {
        let quotation = Quotation { id: &passage.id, url: &passage.url, title: &passage.title, text: &passage.text };
        json!({ "id": passage.id, "url": passage.url, "title": passage.title, "text": passage.text, "quoted": quoted(&quotation, seed) })
    });
    json!({
        "passages": passages.collect::<Vec<_>>(),
        "quotes": gathered.quotes,
        "sources": gathered.sources,
        "troubles": gathered.troubles,
        "gaps": gathered.gaps,
        "reach": gathered.reach,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_source_that_workflows_may_name_can_be_searched() {
        let scopes: Vec<Option<Scope>> = motet_core::definition::KINDS.iter().map(|kind| scope(kind)).collect();
        assert_eq!(scopes, [Scope::Documents, Scope::Web, Scope::Academic, Scope::News].map(Some));
    }
}
