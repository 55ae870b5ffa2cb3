//! Forks: a new run that shares another's past and has a future of its own.
//! Nothing of the past is copied, performed or paid again.

use std::collections::BTreeMap;

use motet_core::event::Fact;
use motet_core::names::RunId;
use serde_json::Value;

use super::Engine;
use super::messages::Refusal;
use super::run::Run;
use crate::journal;
use crate::store::{self, Store};

impl<S: Store> Engine<S> {
    /// A new run that shares another's events up to `at_seq` and goes on by itself.
    pub(super) fn fork(&mut self, from: &RunId, at_seq: u64, run: RunId, set: BTreeMap<String, Value>) -> Result<(), Refusal> {
        self.refuse_known(&run)?;
        if set.values().any(journal::is_too_deep) {
            return Err(Refusal::TooDeep);
        }
        let record = self.store.run(from)?.ok_or_else(|| store::Error::NotFound(from.clone()))?;
        if at_seq == 0 || at_seq > record.seq {
            return Err(Refusal::NoSuchEvent { run: from.clone(), seq: at_seq, last: record.seq });
        }
        let mut lines = Vec::new();
        let loaded = journal::replay(&self.store, &record, &self.definitions, at_seq, |definition, state, event| {
            if self.settings.files {
                lines.extend(motet_core::files::appended(definition, state, event));
            }
        })?;
        let mut forked = Run::from_store(loaded, &record);
        // Its growing files begin with what both runs share.
        (forked.appended, forked.rebuilt) = (lines, true);
        forked.written = None;
        forked.parent = None;
        forked.depth = 0;
        forked.fork = Some((from.clone(), at_seq));
        forked.created_at = self.now;
        self.runs.insert(run.clone(), forked);
        let fact = Fact::Forked { from: from.clone(), at_seq, run: run.clone(), set };
        if let Err(rejected) = self.apply(&run, fact) {
            self.runs.remove(&run);
            return Err(Refusal::Rejected { run: from.clone(), rejected });
        }
        self.queue_outstanding(&run);
        self.attend_running(&run);
        Ok(())
    }
}
