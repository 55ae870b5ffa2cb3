//! Journals made by hand, so that a store can be tried without a machine.

use motet_core::event::{Event, Fact};
use motet_core::names::{Digest, RunId};
use motet_core::units::Time;
use motet_host::journal::{self, LARGE, first_link, next_link};
use motet_host::store::{Change, Commit, Hash, Payload, Row, RunRecord, Summary};

/// The digest of the workflow that sample runs are pinned to.
pub fn pinned() -> Payload {
    let content = b"{\"workflow.yaml\":\"\"}".to_vec();
    Payload { digest: Digest::of(&content), content: content.into() }
}

pub fn record(run: &str) -> RunRecord {
    RunRecord {
        id: RunId::new(run),
        workflow: "sample".into(),
        digest: pinned().digest,
        status: "running".into(),
        state: "writing".into(),
        created_at: Time(1000),
        updated_at: Time(1000),
        ended_at: None,
        seq: 0,
        hash: first_link(&RunId::new(run)),
        parent: None,
        fork: None,
        driver: None,
        summary: Summary { title: "A sample".into(), gate: Some("Go?".into()), ..Summary::default() },
    }
}

/// An event whose text is `length` characters long.
pub fn event(seq: u64, length: usize) -> Event {
    let reason = format!("{seq}:{}", "x".repeat(length));
    Event { seq, at: Time(1000), fact: Fact::Paused { by: motet_core::event::Person::named("ada"), reason } }
}

/// An event with a payload of its own.
pub fn large_event(seq: u64) -> Event {
    event(seq, LARGE)
}

/// A journal being written: knows where it stands.
#[derive(Clone)]
pub struct Writer {
    pub record: RunRecord,
    after: Option<u64>,
}

impl Writer {
    pub fn new(run: &str) -> Self {
        Self { record: record(run), after: None }
    }

    /// A run that shares this journal up to `seq`, where its link is `hash`.
    pub fn fork(&self, run: &str, seq: u64, hash: Hash) -> Self {
        let mut record = record(run);
        record.fork = Some((self.record.id.clone(), seq));
        (record.seq, record.hash) = (seq, hash);
        Self { record, after: None }
    }

    /// The change that appends these events.
    pub fn change(&mut self, events: &[Event]) -> Change {
        let mut change = Change { record: self.record.clone(), after: self.after, rows: Vec::new(), payloads: Vec::new(), snapshot: None };
        if self.after.is_none() {
            change.payloads.push(pinned());
        }
        for event in events {
            let encoded = journal::encode(event);
            self.record.hash = next_link(&self.record.hash, &encoded.body);
            self.record.seq = event.seq;
            change.rows.push(Row { seq: event.seq, body: encoded.body, hash: self.record.hash });
            change.payloads.extend(encoded.payloads);
        }
        change.record = self.record.clone();
        self.after = Some(self.record.seq);
        change
    }

    /// The next `count` events, small ones.
    pub fn more(&mut self, count: u64) -> Change {
        let events: Vec<Event> = (self.record.seq + 1..=self.record.seq + count).map(|seq| event(seq, 10)).collect();
        self.change(&events)
    }

    pub fn end(&mut self, at: Time) -> Change {
        self.record.ended_at = Some(at);
        self.record.status = "completed".into();
        self.more(1)
    }
}

pub fn commit(changes: impl IntoIterator<Item = Change>) -> Commit {
    Commit { changes: changes.into_iter().collect() }
}
