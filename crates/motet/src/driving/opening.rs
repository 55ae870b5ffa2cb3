//! Opens a run for this process: a new one, or one that the database has, claimed so that nobody else changes it.

use motet_core::event::RunStarted;
use motet_core::names::RunId;
use motet_core::{Definition, State};
use motet_host::engine::Definitions;
use motet_host::files::Files;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Sqlite, Store as _, journal};
use std::sync::Arc;

use super::First;
use crate::casting::Casting;
use crate::cli::{Context, Failure, MOTET};
use crate::home::{self, Mirror};
use crate::playing::Past;
use crate::spending::Admission;

/// A run that is this process's to drive.
pub struct Opened {
    pub store: Sqlite,
    pub mirror: Mirror,
    pub casting: Casting,
    /// What a play must know of what has happened; empty without a case.
    pub past: Vec<Past>,
    pub first: First,
    /// Held until the run stands in the database.
    pub admission: Option<Admission>,
}

/// A run that does not exist yet.
pub fn open_new(
    context: &Context,
    started: RunStarted,
    definition: Arc<Definition>,
    casting: Casting,
    admission: Option<Admission>,
) -> Result<Opened, Failure> {
    let store = context.home.open_driver()?;
    let mirror = Mirror::new(started.run.clone(), definition.clone());
    let first = First::Start { started: Box::new(started), definition };
    Ok(Opened { store, mirror, casting, past: Vec::new(), first, admission })
}

/// A run of the database, by its id. Refused if a living process drives it, or if it has ended.
pub fn open_existing(context: &Context, run: &RunId) -> Result<Opened, Failure> {
    let mut store = context.home.open_driver()?;
    let record = home::claim(&mut store, run)?;
    let definitions = Definitions::new(context.library());
    if record.ended_at.is_some() {
        write_files_again(context, &store, &record, &definitions)?;
        return Err(ended(&record));
    }
    let mirror = Mirror::load(&store, &record, &definitions)?;
    let casting = casting(&mirror.state)?;
    let past = if casting.case.is_some() { past_of_family(&store, &record, &definitions)? } else { Vec::new() };
    Ok(Opened { store, mirror, casting, past, first: First::Claim, admission: None })
}

pub fn ended(record: &RunRecord) -> Failure {
    let run = &record.id;
    Failure::invalid(format!("run {run} has ended: {}", record.status))
        .help(format!("`{MOTET} status {run}` shows how; `{MOTET} fork {run} --at N` goes on from any of its events"))
}

/// A process that died with the last event of a run has not written what its files say of it, and nobody drives the run again.
pub(super) fn write_files_again(context: &Context, store: &Sqlite, record: &RunRecord, definitions: &Definitions) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let loaded = journal::replay(store, record, definitions, u64::MAX, |definition, state, event| {
        lines.extend(motet_core::files::appended(definition, state, event));
    })?;
    let mut files = Files::under(&context.home.directory);
    let mut problems = files.rebuild(&record.id, &lines);
    problems.extend(files.write(&record.id, &motet_core::files::project(&loaded.definition, &loaded.state)));
    let problems: Vec<String> = problems.iter().filter(|problem| problem.kept.is_none()).map(ToString::to_string).collect();
    if problems.is_empty() { Ok(()) } else { Err(Failure::failed(problems.join("; "))) }
}

/// Who plays the agents of a run, from its journal.
pub fn casting(state: &State) -> Result<Casting, Failure> {
    let null = serde_json::Value::Null;
    Casting::read(state.run.as_ref().map_or(&null, |run| &run.bindings))
}

/// What has happened to a run and to all runs that were started for its sake.
fn past_of_family(store: &Sqlite, record: &RunRecord, definitions: &Definitions) -> Result<Vec<Past>, Failure> {
    let definition = definitions.pinned(store, record)?;
    let mut family = vec![Past { run: record.id.clone(), definition, events: journal::events(store, &record.id, 0)? }];
    for child in store.runs(&Filter { parent: Some(record.id.clone()), ..Filter::default() })? {
        family.extend(past_of_family(store, &child, definitions)?);
    }
    Ok(family)
}
