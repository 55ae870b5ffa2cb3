//! How amounts and moments are written for whoever reads a run: dollars as numbers, moments in RFC 3339.
//! The journal keeps its own way of writing them, in millionths and milliseconds; nothing here is ever read back.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::event::Usage;
use crate::state::{ErrorRecord, Message, Note, Passage};
use crate::units::{Time, Usd};

pub fn time<S: Serializer>(at: &Time, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(at)
}

pub fn maybe_time<S: Serializer>(at: &Option<Time>, out: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at.to_string()).serialize(out)
}

pub fn dollars<S: Serializer>(amount: &Usd, out: S) -> Result<S::Ok, S::Error> {
    amount.dollars().serialize(out)
}

pub fn maybe_dollars<S: Serializer>(amount: &Option<Usd>, out: S) -> Result<S::Ok, S::Error> {
    amount.map(Usd::dollars).serialize(out)
}

/// Every part of it, also where nothing was used. What nobody has confirmed stands apart from what was spent, as it does everywhere else.
pub fn usage<S: Serializer>(usage: &Usage, out: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Shown {
        tokens_in: u64,
        tokens_out: u64,
        tool_calls: u64,
        cost: f64,
        uncertain: f64,
        estimated: bool,
    }
    let Usage { tokens_in, tokens_out, tool_calls, cost, uncertain, estimated } = *usage;
    let cost = cost.saturating_sub(uncertain).dollars();
    Shown { tokens_in, tokens_out, tool_calls, cost, uncertain: uncertain.dollars(), estimated }.serialize(out)
}

pub fn records<T: Dated, S: Serializer>(records: &[T], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(records.iter().map(dated))
}

/// A record as it is kept, but for its moment.
pub fn dated(record: &impl Dated) -> Value {
    let mut shown = serde_json::to_value(record).unwrap_or_default();
    shown["at"] = record.at().to_string().into();
    shown
}

/// What says in `at` when it was.
pub trait Dated: Serialize {
    fn at(&self) -> Time;
}

impl Dated for Passage {
    fn at(&self) -> Time {
        self.at
    }
}

impl Dated for Note {
    fn at(&self) -> Time {
        self.at
    }
}

impl Dated for ErrorRecord {
    fn at(&self) -> Time {
        self.at
    }
}

impl Dated for Message {
    fn at(&self) -> Time {
        self.at
    }
}
