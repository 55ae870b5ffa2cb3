//! The records that pass between the host and its stores.
//! They are plain data: no record knows how or where it is kept.

use std::collections::BTreeSet;
use std::fmt;

use motet_core::names::{Digest, RunId};
use motet_core::units::{Time, Usd};
use serde::{Deserialize, Serialize};

/// A link of a journal's chain: SHA-256 over the previous link and the row's body.
pub type Hash = [u8; 32];

/// One process that drives runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DriverId(pub String);

impl fmt::Display for DriverId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverRecord {
    pub id: DriverId,
    pub pid: u32,
    pub since: Time,
}

/// One event as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub seq: u64,
    pub body: Vec<u8>,
    pub hash: Hash,
}

/// What a list of runs shows, kept beside the journal so that nothing has to be replayed for it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    pub id: RunId,
    pub workflow: String,
    pub digest: Digest,
    /// `running`, `paused`, or how it ended.
    pub status: String,
    /// Where the run is.
    pub state: String,
    pub created_at: Time,
    pub updated_at: Time,
    pub ended_at: Option<Time>,
    /// Of the last event, with its link of the chain.
    pub seq: u64,
    pub hash: Hash,
    /// The run whose task this run performs.
    pub parent: Option<RunId>,
    /// The run whose first events this run shares, and how many.
    pub fork: Option<(RunId, u64)>,
    pub driver: Option<DriverId>,
    pub summary: Summary,
}

/// The part of a run's record that grows with what lists want to show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What the run is about, in the words of whoever started it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    #[serde(default)]
    pub spent: Usd,
    /// What interrupted calls may have cost on top.
    #[serde(default)]
    pub uncertain: Usd,
    /// What is held for calls under way.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub reserved: Usd,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Usd>,
    /// What a person is asked now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// Why it is paused, or how it came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// How many runs stand above this one.
    #[serde(default)]
    pub depth: u32,
    /// Of a fork: what the run it came from has spent, or perhaps spent, which `spent` and `uncertain` leave out.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub inherited: Usd,
    /// Why it could not go on: the machine itself failed. It is open, nobody drives it, and its journal is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// Of a run that has ended: how many of its calls may have cost something that nobody has said, once that was counted. Only who
    /// knows its agents can count it; here it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untold: Option<u64>,
    /// Which run of its workflow it is on its day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Whether anything but another run was being done for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_at_work: bool,
}

fn is_nothing(amount: &Usd) -> bool {
    *amount == Usd::ZERO
}

/// Everything of one turn, written at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Commit {
    pub changes: Vec<Change>,
}

/// What one run gains.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// As it is after the change; `driver` is whoever commits, and nobody once it has ended.
    pub record: RunRecord,
    /// The number of the last event before this change; None creates the run.
    pub after: Option<u64>,
    pub rows: Vec<Row>,
    pub payloads: Vec<Payload>,
    pub snapshot: Option<Snapshot>,
}

/// Content kept once, however many events refer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    pub digest: Digest,
    pub content: std::sync::Arc<[u8]>,
}

/// A run's state at one event, so that a load need not replay from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub seq: u64,
    pub hash: Hash,
    /// The state as JSON.
    pub content: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    pub open_only: bool,
    pub parent: Option<RunId>,
    pub workflow: Option<String>,
    pub limit: Option<usize>,
    /// Only runs older than this one, for paging.
    pub before: Option<RunId>,
}

impl Filter {
    pub fn open() -> Self {
        Self { open_only: true, ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// This one, or an error that says why not.
    Run(RunId),
    /// Every open run that no living driver holds.
    AllOpen,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Removal {
    pub runs: BTreeSet<RunId>,
    /// Give the freed space back to the file system.
    pub compact: bool,
    /// Only say what would be removed.
    pub dry_run: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removed {
    pub runs: Vec<RunId>,
    pub events: u64,
    pub payloads: u64,
    pub bytes: u64,
}
