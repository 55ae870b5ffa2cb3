//! The runs that a recording is made of: the run itself, and all that its tasks have started, each with its events.
//! It reads journals and records nothing.

use motet_core::effect::{Call, CallWork, Effect};
use motet_core::names::RunId;
use motet_core::{Fact, State, step};
use motet_host::engine::{Definitions, child_id};
use motet_host::store::RunRecord;
use motet_host::{Store, journal};

use crate::playing::Past;

/// The run itself comes first, and every run before those that it has started.
pub fn family(store: &dyn Store, record: &RunRecord, definitions: &Definitions) -> Result<Vec<Past>, journal::Error> {
    let past =
        Past { run: record.id.clone(), definition: definitions.pinned(store, record)?, events: journal::events(store, &record.id, 0)? };
    let mut below = Vec::new();
    let mut state = State::default();
    for event in &past.events {
        let refused = |why: String| journal::Error::Replay { run: record.id.clone(), seq: event.seq, why };
        let effects = step(&past.definition, &mut state, event).map_err(|rejected| refused(rejected.to_string()))?;
        // What the origin of a fork has started went on without the fork.
        if matches!(event.fact, Fact::Forked { .. }) {
            below.iter_mut().for_each(|past: &mut Past| past.events.retain(|known| known.at <= event.at));
        }
        for child in effects.iter().filter_map(started) {
            if let Some(record) = store.run(&child)? {
                below.extend(family(store, &record, definitions)?);
            }
        }
    }
    Ok(std::iter::once(past).chain(below).collect())
}

fn started(effect: &Effect) -> Option<RunId> {
    match effect {
        Effect::Perform(call) => child_of(call),
        _ => None,
    }
}

/// The run that performs a call, if a run does.
pub fn child_of(call: &Call) -> Option<RunId> {
    matches!(call.work, CallWork::Workflow { .. }).then(|| child_id(&call.run, &call.task, call.attempt))
}
