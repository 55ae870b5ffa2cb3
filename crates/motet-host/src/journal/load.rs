//! From rows to a run: the newest snapshot that can be used, and every event after it through the same `step` as when they happened.
//! Nothing is performed: the effects of a replay are dropped.

use std::sync::Arc;

use motet_core::event::Event;
use motet_core::names::RunId;
use motet_core::{Definition, State, step};

use super::{Error, decode, first_link};
use crate::engine::Definitions;
use crate::store::{Hash, Row, RunRecord, Store};

/// How many rows are read at a time.
const BATCH: usize = 1024;

#[derive(Debug)]
pub struct Loaded {
    pub definition: Arc<Definition>,
    pub state: State,
    pub hash: Hash,
    /// How much of the journal was read, and how large the snapshot was that it went on from.
    pub journal_bytes: usize,
    pub snapshot_bytes: usize,
}

/// The events after `after`, in order.
pub fn events(store: &dyn Store, run: &RunId, after: u64) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    each_event(store, run, after, u64::MAX, |event, _| {
        events.push(event);
        Ok(())
    })?;
    Ok(events)
}

/// How a run began. None: nothing has happened to it.
pub fn first_event(store: &dyn Store, run: &RunId) -> Result<Option<Event>, Error> {
    let mut first = None;
    each_event(store, run, 0, 1, |event, _| {
        first = Some(event);
        Ok(())
    })?;
    Ok(first)
}

/// A run as it stands.
pub fn load(store: &dyn Store, record: &RunRecord, definitions: &Definitions) -> Result<Loaded, Error> {
    let mut loaded = begin(store, record, definitions)?;
    if let Some((state, hash, snapshot_bytes)) = from_snapshot(store, record)? {
        loaded = Loaded { state, hash, snapshot_bytes, ..loaded };
    }
    fold(store, record, loaded, u64::MAX, |_, _, _| {})
}

/// The same from the first event up to `until`, whatever snapshots there are; `seen` is shown every event with the state after it.
pub fn replay(
    store: &dyn Store,
    record: &RunRecord,
    definitions: &Definitions,
    until: u64,
    seen: impl FnMut(&Definition, &State, &Event),
) -> Result<Loaded, Error> {
    let loaded = begin(store, record, definitions)?;
    fold(store, record, loaded, until, seen)
}

fn begin(store: &dyn Store, record: &RunRecord, definitions: &Definitions) -> Result<Loaded, Error> {
    let definition = definitions.pinned(store, record)?;
    let hash = first_link(&record.id);
    Ok(Loaded { definition, state: State::default(), hash, journal_bytes: 0, snapshot_bytes: 0 })
}

fn fold(
    store: &dyn Store,
    record: &RunRecord,
    mut loaded: Loaded,
    until: u64,
    mut seen: impl FnMut(&Definition, &State, &Event),
) -> Result<Loaded, Error> {
    let after = loaded.state.seq;
    each_event(store, &record.id, after, until, |event, row| {
        let refused = |why: String| Error::Replay { run: record.id.clone(), seq: event.seq, why };
        step(&loaded.definition, &mut loaded.state, &event).map_err(|rejected| refused(rejected.to_string()))?;
        loaded.hash = row.hash;
        loaded.journal_bytes += row.body.len();
        seen(&loaded.definition, &loaded.state, &event);
        Ok(())
    })?;
    Ok(loaded)
}

fn from_snapshot(store: &dyn Store, record: &RunRecord) -> Result<Option<(State, Hash, usize)>, Error> {
    let Some(snapshot) = store.snapshot(&record.id)? else { return Ok(None) };
    // A state of another version of Motet does not decode, and the journal has everything anyway.
    let state = serde_json::from_slice::<State>(&snapshot.content).ok();
    Ok(state
        .filter(|state| state.seq == snapshot.seq && snapshot.seq <= record.seq)
        .map(|state| (state, snapshot.hash, snapshot.content.len())))
}

fn each_event(
    store: &dyn Store,
    run: &RunId,
    mut after: u64,
    until: u64,
    mut take: impl FnMut(Event, &Row) -> Result<(), Error>,
) -> Result<(), Error> {
    loop {
        // No more than is wanted: whoever asks how a run began does not wait for all of it.
        let most = usize::try_from(until.saturating_sub(after)).unwrap_or(usize::MAX).min(BATCH);
        let rows = store.rows(run, after, most)?;
        let count = rows.len();
        for row in rows {
            if row.seq != after + 1 {
                let why = format!("event {} follows event {after}", row.seq);
                return Err(Error::Undecodable { run: run.clone(), seq: after + 1, why });
            }
            after = row.seq;
            take(decode(run, row.seq, &row.body, |digest| store.payload(digest))?, &row)?;
        }
        if count < most || after >= until {
            return Ok(());
        }
    }
}
