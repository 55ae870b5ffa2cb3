//! Retention: which ended runs may go, by age and by number.
//! Only whole families go: a run that a kept run was forked from, or whose task a kept run performs, stays.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::names::RunId;
use motet_core::units::Time;

use crate::store::{Error, Filter, Removal, Removed, RunRecord, Store};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Runs that ended longer ago than this many milliseconds may go; None: whenever they ended.
    pub older_than_ms: Option<u64>,
    /// Of those, this many newest stay.
    pub keep_newest: usize,
    /// Give the freed space back to the file system.
    pub compact: bool,
    pub dry_run: bool,
}

/// Removes what the policy lets go, or with `dry_run` says what that would be.
pub fn collect(store: &mut dyn Store, policy: &Policy, now: Time) -> Result<Removed, Error> {
    let records = store.runs(&Filter::default())?;
    let runs = removable(&records, policy, now);
    store.remove(&Removal { runs, compact: policy.compact, dry_run: policy.dry_run })
}

/// `records` are newest first.
fn removable(records: &[RunRecord], policy: &Policy, now: Time) -> BTreeSet<RunId> {
    let by_id: BTreeMap<&RunId, &RunRecord> = records.iter().map(|record| (&record.id, record)).collect();
    let old = |record: &&RunRecord| record.ended_at.is_some_and(|ended| policy.older_than_ms.is_none_or(|age| now.since(ended) > age));
    // Child runs are no runs of their own to whoever counts the newest.
    let ended = records.iter().filter(|record| record.ended_at.is_some() && record.parent.is_none());
    let newest: BTreeSet<&RunId> = ended.take(policy.keep_newest).map(|record| &record.id).collect();
    let mut going: BTreeSet<RunId> =
        records.iter().filter(old).filter(|record| !newest.contains(root(record, &by_id))).map(|record| record.id.clone()).collect();
    loop {
        let kept_again: Vec<RunId> = records
            .iter()
            .filter(|record| !going.contains(&record.id))
            .flat_map(|record| record.fork.iter().map(|(origin, _)| origin).chain(&record.parent))
            .chain(
                records
                    .iter()
                    .filter(|record| record.parent.as_ref().is_some_and(|parent| by_id.contains_key(parent) && !going.contains(parent)))
                    .map(|record| &record.id),
            )
            .filter(|id| going.contains(*id))
            .cloned()
            .collect();
        if kept_again.is_empty() {
            return going;
        }
        for id in kept_again {
            going.remove(&id);
        }
    }
}

fn root<'a>(record: &'a RunRecord, by_id: &BTreeMap<&'a RunId, &'a RunRecord>) -> &'a RunId {
    let mut record = record;
    while let Some(parent) = record.parent.as_ref().and_then(|parent| by_id.get(parent)) {
        record = parent;
    }
    &record.id
}
