//! Where runs are kept: the nearest `.motet` upwards, or the directory that was named.
//! It opens the database and finds runs in it; what a run is, others know.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use motet_agents::worktree;
use motet_core::diagnostic::nearest;
use motet_core::names::{RunId, TaskId};
use motet_core::{Definition, Event, State, step};
use motet_evidence::archive::ASSETS;
use motet_host::engine::Definitions;
use motet_host::files::MANIFEST;
use motet_host::store::{self, Claim, DATABASE_NAME, Filter, RunRecord};
use motet_host::{Sqlite, Store, journal, wall_clock};

use crate::cli::{Failure, MOTET};

pub const DIRECTORY: &str = ".motet";
/// Names the home directory instead of looking for one.
pub const VARIABLE: &str = "MOTET_HOME";
/// What stands for the newest run.
pub const LAST: &str = "last";
/// What attempts have put on record while they go on, below the files of their run.
const SPOOLS: &str = "attempts";

#[derive(Clone, Debug)]
pub struct Home {
    /// The database and the files of runs are below it.
    pub directory: PathBuf,
    /// Where programs of a run work: the directory that has the home, or the one the program was started in.
    pub project: PathBuf,
}

impl Home {
    /// `given` comes from the command line or the environment.
    pub fn find(given: Option<&Path>, from: &Path) -> Self {
        if let Some(given) = given {
            let directory = from.join(given);
            // A project's own home may be named too, and is then no other than if it had been found.
            let project = directory.parent().filter(|_| directory.ends_with(DIRECTORY)).unwrap_or(from).to_path_buf();
            return Self { directory, project };
        }
        let project = from.ancestors().find(|directory| directory.join(DIRECTORY).is_dir()).unwrap_or(from);
        Self { directory: project.join(DIRECTORY), project: project.to_path_buf() }
    }

    /// The database to read from; None if nothing was ever run here.
    pub fn open(&self) -> Result<Option<Sqlite>, Failure> {
        if !self.directory.join(DATABASE_NAME).exists() {
            return Ok(None);
        }
        Ok(Some(Sqlite::open(&self.directory).map_err(|error| self.unreadable(error))?))
    }

    /// The same for a command that is about a run.
    pub fn open_for(&self, reference: &str) -> Result<(Sqlite, RunRecord), Failure> {
        let nothing = || match reference {
            LAST => nothing_yet(),
            _ => Failure::invalid(format!("there is no run {reference}: nothing has been run in {}", self.directory.display())),
        };
        let store = self.open()?.ok_or_else(nothing)?;
        let record = resolve(&store, reference)?;
        Ok((store, record))
    }

    /// The database for a process that drives runs, created if there is none.
    pub fn open_driver(&self) -> Result<Sqlite, Failure> {
        let store = Sqlite::open_driver(&self.directory, wall_clock()()).map_err(|error| self.unreadable(error))?;
        self.keep_out_of_git();
        Ok(store)
    }

    pub fn run_directory(&self, run: &RunId) -> PathBuf {
        self.directory.join("runs").join(run.as_str())
    }

    /// Where the exchanges of an attempt are while it goes on.
    pub fn spool(&self, run: &RunId, task: &TaskId, attempt: u32) -> PathBuf {
        self.spools(run).join(format!("{}-{attempt}.jsonl", task.as_str().replace('/', "+")))
    }

    /// Where those of all attempts of the run are.
    pub fn spools(&self, run: &RunId) -> PathBuf {
        self.run_directory(run).join(SPOOLS)
    }

    /// Gives a run what another has read, so that what it knows from there can still be looked up. Nothing is read again.
    pub fn inherit_archive(&self, from: &RunId, to: &RunId) -> std::io::Result<()> {
        let (from, to) = (self.run_directory(from).join(ASSETS), self.run_directory(to).join(ASSETS));
        if from.is_dir() { link_all(&from, &to) } else { Ok(()) }
    }

    /// Where the index of these folders is, which all runs share. It is made of the documents and can be made again, so nobody
    /// needs it in a repository; if that cannot be said, nothing is lost but tidiness.
    pub fn index_of(&self, folders: &[PathBuf]) -> PathBuf {
        let all = self.indexes();
        if !folders.is_empty() && std::fs::create_dir_all(&all).is_ok() && !all.join(".gitignore").exists() {
            let _ = std::fs::write(all.join(".gitignore"), "*\n");
        }
        motet_evidence::index::place(&all, folders)
    }

    /// Where copies of pages are kept, which all runs share. They can be fetched again, so nobody needs them in a repository.
    pub fn page_copies(&self) -> PathBuf {
        self.directory.join("cache").join("pages")
    }

    /// The same, made for a run that may keep some.
    pub fn opened_page_copies(&self) -> PathBuf {
        let folder = self.page_copies();
        if std::fs::create_dir_all(&folder).is_ok() && !folder.join(".gitignore").exists() {
            let _ = std::fs::write(folder.join(".gitignore"), "*\n");
        }
        folder
    }

    /// Where the indexes of all folders are.
    pub fn indexes(&self) -> PathBuf {
        self.directory.join("index")
    }

    /// The files that a run has written, without its logs, its worktrees and what its attempts leave.
    pub fn files(&self, run: &RunId) -> Vec<PathBuf> {
        let mut files = Vec::new();
        collect(&self.run_directory(run), 0, &mut files);
        files.sort();
        files
    }

    fn unreadable(&self, error: store::Error) -> Failure {
        let help = match error {
            store::Error::Corrupt { .. } => Some(format!("the database is {}", self.directory.join(DATABASE_NAME).display())),
            _ => None,
        };
        let failure = Failure::from(error);
        help.into_iter().fold(failure, Failure::help)
    }

    /// Runs are nobody's source code. If the file cannot be written, nothing is lost but tidiness.
    fn keep_out_of_git(&self) {
        let path = self.directory.join(".gitignore");
        if !path.exists() {
            let _ = std::fs::write(path, "/motet.db*\n/runs/\n/drivers/\n/.gitignore\n");
        }
    }
}

fn collect(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    const DEEPEST: usize = 8;
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let is_apart = depth == 0 && ["logs", worktree::DIRECTORY, SPOOLS].iter().any(|apart| entry.file_name() == *apart);
        if kind.is_dir() && !is_apart && depth < DEEPEST {
            collect(&entry.path(), depth + 1, files);
        } else if kind.is_file() && entry.file_name() != MANIFEST {
            files.push(entry.path());
        }
    }
}

fn nothing_yet() -> Failure {
    Failure::invalid("nothing has been run here yet").help("`motet workflows` shows what can be run, `motet run --help` how")
}

/// The run that is meant: its id, the beginning of one, or `last`.
pub fn resolve(store: &dyn Store, reference: &str) -> Result<RunRecord, Failure> {
    if let Some(record) = store.run(&RunId::new(reference))? {
        return Ok(record);
    }
    if reference.is_empty() {
        return Err(Failure::invalid("the name of a run is empty").help(format!("`{MOTET} list` shows all runs")));
    }
    let records = store.runs(&Filter::default())?;
    if reference == LAST {
        return records.into_iter().find(|record| record.parent.is_none()).ok_or_else(nothing_yet);
    }
    let mut matching: Vec<&RunRecord> = records.iter().filter(|record| record.id.as_str().starts_with(reference)).collect();
    match matching.len() {
        1 => Ok(matching.remove(0).clone()),
        0 => {
            let near = nearest(reference, records.iter().map(|record| record.id.as_str()));
            let failure = Failure::invalid(format!("there is no run {reference}"));
            Err(failure.help(near.map_or_else(|| format!("`{MOTET} list` shows all runs"), |near| format!("did you mean {near}?"))))
        }
        count => {
            let shown: Vec<&str> = matching.iter().take(5).map(|record| record.id.as_str()).collect();
            let more = if count > shown.len() { ", …" } else { "" };
            Err(Failure::invalid(format!("{reference} can mean {count} runs: {}{more}", shown.join(", "))).help("write more of the id"))
        }
    }
}

/// The process that drives a run, if one lives.
pub fn driver_of(store: &dyn Store, record: &RunRecord) -> Result<Option<store::DriverRecord>, Failure> {
    match &record.driver {
        Some(driver) => Ok(store.driver(driver)?),
        None => Ok(None),
    }
}

/// The run at the top of those that started each other: it is the one that is driven.
pub fn root(store: &dyn Store, record: &RunRecord) -> Result<RunRecord, Failure> {
    let mut root = record.clone();
    while let Some(parent) = root.parent.clone() {
        match store.run(&parent)?.filter(|parent| parent.ended_at.is_none()) {
            Some(above) => root = above,
            None => break,
        }
    }
    Ok(root)
}

/// The first run below an open one that somebody must do something for, if all that it has started wait for people and nothing else was
/// being done for it.
pub fn waiting_below(store: &dyn Store, record: &RunRecord) -> Result<Option<RunRecord>, Failure> {
    let mut first = None;
    if record.summary.is_at_work {
        return Ok(None);
    }
    for child in store.runs(&Filter { parent: Some(record.id.clone()), ..Filter::open() })? {
        let waits = (child.summary.gate.is_some() || child.status == "paused") && !child.summary.is_at_work;
        let found = if waits { Some(child) } else { waiting_below(store, &child)? };
        if found.is_none() {
            return Ok(None);
        }
        first = first.or(found);
    }
    Ok(first)
}

/// Makes a run ours, so that nobody else changes it from here on.
pub fn claim(store: &mut Sqlite, run: &RunId) -> Result<RunRecord, Failure> {
    let claimed = store.claim(&Claim::Run(run.clone()), wall_clock()())?;
    claimed.into_iter().next().ok_or_else(|| store::Error::NotFound(run.clone()).into())
}

/// A run as this process sees it: a fold of the events it has been told of.
pub struct Mirror {
    pub run: RunId,
    pub definition: Arc<Definition>,
    pub state: State,
}

impl Mirror {
    /// Before its first event.
    pub fn new(run: RunId, definition: Arc<Definition>) -> Self {
        Self { run, definition, state: State::default() }
    }

    pub fn load(store: &dyn Store, record: &RunRecord, definitions: &Definitions) -> Result<Self, Failure> {
        let loaded = journal::load(store, record, definitions)?;
        Ok(Self { run: record.id.clone(), definition: loaded.definition, state: loaded.state })
    }

    /// False if the event does not follow from what is known, so that the mirror must be loaded anew.
    pub fn apply(&mut self, event: &Event) -> bool {
        event.seq <= self.state.seq || step(&self.definition, &mut self.state, event).is_ok()
    }
}

/// Archived files are replaced and never written in place, so both may share one. What is only being written is no document yet.
fn link_all(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        let is_whole = entry.path().extension().is_none_or(|ending| ending != "part");
        if kind.is_dir() {
            link_all(&entry.path(), &target)?;
        } else if kind.is_file() && is_whole {
            std::fs::hard_link(entry.path(), &target).or_else(|_| std::fs::copy(entry.path(), &target).map(drop))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
