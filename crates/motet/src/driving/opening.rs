//! Opens a run for this process: a new one, or one that the database has, claimed so that nobody else changes it.

use motet_core::event::RunStarted;
use motet_core::names::RunId;
use motet_core::{Definition, Effect, Event, State, step};
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, journal};
use std::sync::Arc;

use super::First;
use crate::casting::Casting;
use crate::cli::{Context, Failure};
use crate::home::{self, Mirror};
use crate::spending::Admission;

/// A run that is this process's to drive.
pub struct Opened {
    pub store: Sqlite,
    pub mirror: Mirror,
    pub casting: Casting,
    /// What a script must know of what has happened, with what it led to; empty without a script.
    pub past: Vec<(Event, Vec<Effect>)>,
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
    if record.ended_at.is_some() {
        return Err(ended(&record));
    }
    let definitions = Definitions::new(context.library());
    let mirror = Mirror::load(&store, &record, &definitions)?;
    let casting = casting(&mirror.state)?;
    let past = if casting.case.is_some() { fold(&store, &record.id, &record.id, &mirror.definition)? } else { Vec::new() };
    Ok(Opened { store, mirror, casting, past, first: First::Claim, admission: None })
}

pub fn ended(record: &RunRecord) -> Failure {
    let run = &record.id;
    Failure::invalid(format!("run {run} has ended: {}", record.status))
        .help(format!("`motet status {run}` shows how; `motet fork {run} --at N` goes on from any of its events"))
}

/// Who plays the agents of a run, from its journal.
pub fn casting(state: &State) -> Result<Casting, Failure> {
    let null = serde_json::Value::Null;
    Casting::read(state.run.as_ref().map_or(&null, |run| &run.bindings))
}

/// Every event with what it led to, as if all of it had happened to the run `as_run`: a fork shares the events of another.
pub fn fold(store: &Sqlite, run: &RunId, as_run: &RunId, definition: &Definition) -> Result<Vec<(Event, Vec<Effect>)>, Failure> {
    let mut state = State::default();
    let mut past = Vec::new();
    for event in journal::events(store, run, 0)? {
        let refused = |rejected: motet_core::Rejected| {
            let why = rejected.to_string();
            Failure::from(journal::Error::Replay { run: run.clone(), seq: event.seq, why })
        };
        let mut effects = step(definition, &mut state, &event).map_err(refused)?;
        for effect in &mut effects {
            if let Effect::Perform(call) = effect {
                call.run = as_run.clone();
            }
        }
        past.push((event, effects));
    }
    Ok(past)
}
