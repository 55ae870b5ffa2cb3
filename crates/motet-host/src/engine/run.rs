//! One run in memory, and the record that lists show of it.
//! What has happened since the last commit waits here until it is written.

use std::sync::Arc;

use motet_core::event::Event;
use motet_core::files::Projected;
use motet_core::names::RunId;
use motet_core::state::Status;
use motet_core::units::Time;
use motet_core::{Definition, State};
use serde_json::Value;

use super::children::is_at_work;
use crate::journal::{self, Loaded};
use crate::store::{Change, Hash, Payload, Row, RunRecord, Snapshot, Summary};

/// A snapshot is not worth its bytes before the journal has grown by this much.
const SNAPSHOT_AFTER: usize = 64 * 1024;

const TITLE_LENGTH: usize = 120;

pub struct Run {
    pub definition: Arc<Definition>,
    pub state: State,
    /// The last link of the journal as it is written.
    pub hash: Hash,
    /// The last event that is written; None before the run is.
    pub written: Option<u64>,
    /// What happened since.
    pub pending: Vec<Event>,
    /// Lines for files that only grow, and whether they are all of them.
    pub appended: Vec<Projected>,
    pub rebuilt: bool,
    pub created_at: Time,
    pub parent: Option<RunId>,
    pub fork: Option<(RunId, u64)>,
    pub depth: u32,
    /// Its place in the list of those that may leave memory.
    pub resting: Option<u64>,
    journal_bytes: usize,
    snapshot_bytes: usize,
}

impl Run {
    /// A run that is not yet in the store.
    pub fn new(definition: Arc<Definition>, hash: Hash, created_at: Time) -> Self {
        Self {
            definition,
            state: State::default(),
            hash,
            written: None,
            pending: Vec::new(),
            appended: Vec::new(),
            rebuilt: false,
            created_at,
            parent: None,
            fork: None,
            depth: 0,
            resting: None,
            journal_bytes: 0,
            snapshot_bytes: 0,
        }
    }

    pub fn from_store(loaded: Loaded, record: &RunRecord) -> Self {
        Self {
            written: Some(loaded.state.seq),
            state: loaded.state,
            parent: record.parent.clone(),
            fork: record.fork.clone(),
            depth: record.summary.depth,
            journal_bytes: loaded.journal_bytes,
            snapshot_bytes: loaded.snapshot_bytes,
            ..Self::new(loaded.definition, loaded.hash, record.created_at)
        }
    }

    pub fn has_ended(&self) -> bool {
        self.state.ended.is_some()
    }

    /// What is to be written, as bytes. What is pending stays so until it is written; where the journal then ends is reckoned from here on.
    pub fn change(&mut self, id: &RunId, pin: impl FnOnce() -> Payload) -> Change {
        let mut hash = self.hash;
        let mut rows = Vec::with_capacity(self.pending.len());
        let mut payloads = Vec::new();
        if self.written.is_none() {
            payloads.push(pin());
        }
        for event in &self.pending {
            let encoded = journal::encode(event);
            hash = journal::next_link(&hash, &encoded.body);
            self.journal_bytes += encoded.body.len();
            rows.push(Row { seq: event.seq, body: encoded.body, hash });
            payloads.extend(encoded.payloads);
        }
        self.hash = hash;
        let snapshot = self.snapshot(hash);
        Change { record: self.record(id), after: self.written, rows, payloads, snapshot }
    }

    /// Writing a snapshot only after the journal has grown by the size of the last one keeps the bytes per event flat.
    fn snapshot(&mut self, hash: Hash) -> Option<Snapshot> {
        if self.journal_bytes <= SNAPSHOT_AFTER.max(self.snapshot_bytes) || self.has_ended() {
            return None;
        }
        let content = serde_json::to_vec(&self.state).ok()?;
        (self.journal_bytes, self.snapshot_bytes) = (0, content.len());
        Some(Snapshot { seq: self.state.seq, hash, content })
    }

    pub fn record(&self, id: &RunId) -> RunRecord {
        let state = &self.state;
        let (status, paused) = match (&state.status, &state.ended) {
            (_, Some(ended)) => (ended.outcome.word(), None),
            (Status::Paused { reason, .. }, None) => ("paused", Some(reason.clone())),
            (Status::New | Status::Running | Status::Ended, None) => ("running", None),
        };
        let info = state.run.as_ref();
        let summary = Summary {
            title: title(&self.definition, &state.input),
            spent: (state.money.spent + state.money.overrun).saturating_sub(state.money.inherited.spent),
            uncertain: state.money.uncertain.saturating_sub(state.money.inherited.uncertain),
            inherited: state.money.inherited.spent + state.money.inherited.uncertain,
            broken: None,
            untold: None,
            reserved: state.money.reserved,
            cap: state.money.cap,
            gate: state.gates.values().next().map(|gate| shorten(&gate.ask)),
            because: paused.or_else(|| state.because.clone()).map(|because| shorten(&because)),
            depth: self.depth,
            number: info.and_then(|info| info.number),
            is_at_work: is_at_work(state),
        };
        RunRecord {
            id: id.clone(),
            workflow: info.map_or_else(|| self.definition.name.clone(), |info| info.workflow.clone()),
            digest: self.definition.digest.clone(),
            status: status.into(),
            state: state.here.state.as_str().into(),
            created_at: self.created_at,
            updated_at: state.now,
            ended_at: state.ended.as_ref().map(|ended| ended.at),
            seq: state.seq,
            hash: self.hash,
            parent: self.parent.clone(),
            fork: self.fork.clone(),
            driver: None,
            summary,
        }
    }
}

/// What the run is about: the first text among its inputs that whoever started it had to give.
fn title(definition: &Definition, input: &Value) -> String {
    let given = |name: &str| {
        let schema = definition.input.property(name);
        schema.is_none_or(|schema| schema.get("default").is_none() && schema.get("enum").is_none())
    };
    let mut texts = input.as_object().into_iter().flatten().filter(|(name, _)| given(name)).filter_map(|(_, value)| value.as_str());
    texts.find(|text| !text.trim().is_empty()).map(shorten).unwrap_or_default()
}

fn shorten(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match line.char_indices().nth(TITLE_LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}
