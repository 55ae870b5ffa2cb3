//! How many calls of runs nobody has told the cost of, with those of the runs that they have started, wherever costs are shown.
//! It counts what the tables of `motet cost RUN` count and prices nothing; what was counted of an ended run is kept with its record.

use std::collections::BTreeMap;

use motet_core::Definition;
use motet_core::definition::Does;
use motet_core::event::Fact;
use motet_core::names::RunId;
use motet_host::engine::Definitions;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Sqlite, Store as _, journal};

use super::account::Account;
use super::{Context, accounted};
use crate::casting::Casting;

/// Of one run.
pub fn of(context: &Context, store: &Sqlite, record: &RunRecord) -> u64 {
    of_all(context, store, std::slice::from_ref(record)).remove(&record.id).unwrap_or_default()
}

/// The same by its id. A run that cannot be found has told nothing that could be shown.
pub fn of_named(context: &Context, run: &RunId) -> u64 {
    let Ok(Some(store)) = context.home.open() else { return 0 };
    store.run(run).ok().flatten().map_or(0, |record| of(context, &store, &record))
}

/// Of each of these runs. One whose journal cannot be read is left out: lists show it all the same, and `motet verify` says why.
pub fn of_all(context: &Context, store: &Sqlite, records: &[RunRecord]) -> BTreeMap<RunId, u64> {
    let mut counting = Counting { store, definitions: Definitions::new(context.library()), counted: BTreeMap::new() };
    let counts = records.iter().filter_map(|record| Some((record.id.clone(), counting.count(record).ok()?)));
    let counts = counts.collect();
    if !counting.counted.is_empty() {
        // If it cannot be kept now, it is counted again the next time.
        let _ = store.keep_untold(&counting.counted);
    }
    counts
}

struct Counting<'a> {
    store: &'a Sqlite,
    definitions: Definitions,
    /// Of runs that have ended, where nobody had counted before.
    counted: BTreeMap<RunId, u64>,
}

impl Counting<'_> {
    fn count(&mut self, record: &RunRecord) -> Result<u64, journal::Error> {
        if let Some(known) = record.summary.untold.filter(|_| record.ended_at.is_some()) {
            return Ok(known);
        }
        let count = if self.may_have_any(record)? { self.replayed(record)? } else { 0 };
        if record.ended_at.is_some() {
            self.counted.insert(record.id.clone(), count);
        }
        Ok(count)
    }

    /// Most runs have none by who plays in them, and need not be replayed. Those that a run starts are played by the same.
    fn may_have_any(&self, record: &RunRecord) -> Result<bool, journal::Error> {
        let first = journal::first_event(self.store, &record.id)?;
        let Some(Fact::RunStarted(started)) = first.map(|event| event.fact) else { return Ok(false) };
        Ok(Casting::read(&started.bindings).is_ok_and(|casting| casting.may_stay_untold()))
    }

    fn replayed(&mut self, record: &RunRecord) -> Result<u64, journal::Error> {
        let (account, loaded) = accounted(self.store, record, &self.definitions)?;
        let mut count = own(&account, &loaded.definition);
        for child in self.store.runs(&Filter { parent: Some(record.id.clone()), ..Filter::default() })? {
            count += self.count(&child)?;
        }
        Ok(count)
    }
}

/// Without the tasks that are whole runs, since those count their own calls.
fn own(account: &Account, definition: &Definition) -> u64 {
    let is_run =
        |name: &str| definition.agents.values().any(|agent| agent.name.as_str() == name && matches!(agent.does, Does::Workflow(_)));
    account.agents.iter().filter(|(name, _)| !is_run(name)).map(|(_, sum)| sum.untold).sum()
}
