//! Caps over many runs: what a new run may spend, given what others have spent and may still spend.
//! One at a time: whoever asks holds a lock until the run stands in the database, so that two cannot be given the same money.

use std::fs::File;

use motet_core::units::Usd;
use motet_host::store::{Filter, RunRecord, day};
use motet_host::{Store as _, wall_clock};

use crate::cli::{Failure, MOTET};
use crate::config::Budget;
use crate::home::Home;

const LOCK: &str = "budget.lock";

/// The right to start or enlarge a run. Others wait until it is dropped.
pub struct Admission {
    _lock: Option<File>,
}

/// What a run may spend, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    pub cap: Option<Usd>,
    /// The cap over many runs that leaves less than was wished for.
    pub because: Option<String>,
}

/// One cap that applies to a run.
struct Limit {
    setting: String,
    what: String,
    most: Usd,
    used: Usd,
}

/// Everything that limits runs of one workflow now.
pub struct Spending {
    limits: Vec<Limit>,
}

impl Spending {
    /// Counts what other runs of this home have spent and may still spend. `own` is the run that asks, if there is one already.
    pub fn count(home: &Home, budget: &Budget, workflow: &str, own: Option<&str>) -> Result<(Self, Admission), Failure> {
        if budget.per_day.is_none() && !budget.per_workflow.contains_key(workflow) {
            return Ok((Self { limits: Vec::new() }, Admission { _lock: None }));
        }
        let admission = Admission { _lock: Some(lock(home)?) };
        let records = match home.open()? {
            Some(store) => store.runs(&Filter::default())?,
            None => Vec::new(),
        };
        let now = wall_clock()();
        // What a child spends is its parent's.
        let others: Vec<&RunRecord> = records.iter().filter(|run| run.parent.is_none() && Some(run.id.as_str()) != own).collect();
        let sum = |counts: &dyn Fn(&RunRecord) -> bool| {
            others.iter().filter(|run| counts(run)).map(|run| taken(run)).fold(Usd::ZERO, |sum, one| sum + one)
        };
        // Each directory of runs is counted by itself, also where the cap stands in the user's own settings.
        let place = home.directory.display();
        let mut limits = Vec::new();
        if let Some(most) = budget.per_workflow.get(workflow) {
            let used = sum(&|run| run.workflow == workflow);
            let setting = format!("budget.per_workflow.{workflow}");
            limits.push(Limit { setting, what: format!("all runs of {workflow} in {place}"), most: *most, used });
        }
        if let Some(most) = budget.per_day {
            let used = sum(&|run| run.ended_at.is_none() || day(run.updated_at) == day(now));
            limits.push(Limit { setting: "budget.per_day".into(), what: format!("all runs of today (UTC) in {place}"), most, used });
        }
        Ok((Self { limits }, admission))
    }

    /// The least of what was wished for and what is left. Refused if nothing is left, unless nothing is needed.
    pub fn allow(&self, wished: Option<Usd>, is_free: bool) -> Result<Allowed, Failure> {
        let Some(tightest) = self.limits.iter().min_by_key(|limit| limit.left()) else {
            return Ok(Allowed { cap: wished, because: None });
        };
        let left = tightest.left();
        if left == Usd::ZERO && !is_free && wished != Some(Usd::ZERO) {
            return Err(tightest.refusal("nothing is left of it"));
        }
        match wished {
            Some(wished) if wished <= left => Ok(Allowed { cap: Some(wished), because: None }),
            _ => Ok(Allowed { cap: Some(left), because: Some(tightest.told()) }),
        }
    }

    /// Whether a run may have this much in all.
    pub fn permit(&self, wished: Usd) -> Result<(), Failure> {
        match self.limits.iter().find(|limit| wished > limit.left()) {
            Some(limit) => Err(limit.refusal(&format!("this run may have {} at most", limit.left()))),
            None => Ok(()),
        }
    }
}

impl Limit {
    fn left(&self) -> Usd {
        self.most.saturating_sub(self.used)
    }

    fn told(&self) -> String {
        format!("{} is {} for {}; others have used or may still use {}", self.setting, self.most, self.what, self.used)
    }

    fn refusal(&self, why: &str) -> Failure {
        Failure::invalid(format!("{}, so {why}", self.told()))
            .help(format!(
                "raise `{}` (`motet config show {}` says where it is set), or end open runs that keep money for themselves",
                self.setting, self.setting
            ))
            .help(format!("`{MOTET} cost` shows what was spent, by day and workflow"))
    }
}

/// What a run has taken of the money: all that it may spend while it is open, and what it has spent once it has ended.
/// What a fork has inherited was paid by the run it came from, and is counted there.
fn taken(run: &RunRecord) -> Usd {
    let spent = run.summary.spent + run.summary.uncertain;
    match (run.ended_at, run.summary.cap) {
        (None, Some(cap)) => cap.saturating_sub(run.summary.inherited).max(spent),
        _ => spent,
    }
}

fn lock(home: &Home) -> Result<File, Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("{} cannot be locked: {error}", home.directory.join(LOCK).display()));
    std::fs::create_dir_all(&home.directory).map_err(failed)?;
    let file = File::options().create(true).append(true).open(home.directory.join(LOCK)).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(setting: &str, most: u64, used: u64) -> Limit {
        Limit { setting: setting.into(), what: "all runs".into(), most: Usd(most), used: Usd(used) }
    }

    fn check(limits: Vec<Limit>, wished: Option<u64>, expected: Result<Option<u64>, &str>) {
        let allowed = Spending { limits }.allow(wished.map(Usd), false);
        match (allowed, expected) {
            (Ok(allowed), Ok(cap)) => assert_eq!(allowed.cap, cap.map(Usd)),
            (Err(failure), Err(part)) => assert!(failure.message.contains(part), "{}", failure.message),
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn the_least_of_what_applies_counts() {
        check(vec![], None, Ok(None));
        check(vec![], Some(5), Ok(Some(5)));
        check(vec![limit("a", 10, 4)], None, Ok(Some(6)));
        check(vec![limit("a", 10, 4)], Some(5), Ok(Some(5)));
        check(vec![limit("a", 10, 4), limit("b", 10, 7)], Some(5), Ok(Some(3)));
        check(vec![limit("a", 10, 10)], Some(5), Err("nothing is left"));
        check(vec![limit("a", 10, 12)], None, Err("nothing is left"));
    }

    #[test]
    fn more_money_is_refused_beyond_what_is_left() {
        let spending = Spending { limits: vec![limit("budget.per_day", 10, 4)] };
        assert!(spending.permit(Usd(6)).is_ok());
        let refusal = spending.permit(Usd(7)).unwrap_err();
        assert!(refusal.message.contains("budget.per_day") && refusal.help[0].contains("raise"), "{refusal:?}");
    }
}
