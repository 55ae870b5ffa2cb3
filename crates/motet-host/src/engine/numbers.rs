//! Numbers the runs of a workflow, day by day: the machine cannot count what it does not know of.
//! Two processes that start runs of one workflow in the same moment may give the same number; ids are what tells runs apart.

use motet_core::units::Time;

use super::Engine;
use crate::store::{Error, Filter, Store};

const DAY_MS: i64 = 86_400_000;

impl<S: Store> Engine<S> {
    /// The number of the next run of this workflow today, by Greenwich.
    pub(super) fn next_number(&mut self, workflow: &str) -> Result<u32, Error> {
        let day = |at: Time| at.0.div_euclid(DAY_MS);
        let today = day(self.now);
        let newest = Filter { workflow: Some(workflow.to_string()), limit: Some(1), ..Filter::default() };
        let newest = self.store.runs(&newest)?.into_iter().next().filter(|newest| day(newest.created_at) == today);
        let written = newest.and_then(|newest| newest.summary.number).unwrap_or(0);
        let given = self.numbers.get(workflow).filter(|(day, _)| *day == today).map_or(0, |(_, number)| *number);
        let next = written.max(given).saturating_add(1);
        self.numbers.insert(workflow.to_string(), (today, next));
        Ok(next)
    }
}
