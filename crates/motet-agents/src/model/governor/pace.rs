//! How fast a server takes calls, learned from how many it took between two refusals.
//! It never lets a call wait by itself: the governor asks it for the least time between two beginnings.

use std::time::Duration;

use tokio::time::Instant;

/// Nobody waits longer than this for the next turn because of what was learned; what the server itself asks for is waited for in any case.
const SLOWEST: Duration = Duration::from_secs(6);
/// Closer together than this, calls need not be kept apart.
const QUICKEST: Duration = Duration::from_millis(1);
/// A little slower than what was seen, so that the next refusal is far away.
const MARGIN: f64 = 1.1;
/// Nobody called for so long: what is counted from now on has nothing to do with what was before.
const IDLE: Duration = Duration::from_secs(1);
/// Limits are mostly by the minute: after as long without a call nothing that was learned holds any more.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// By how much the pace quickens with a call that is taken: a little more with each, so that a limit that was only a passing one is forgotten
/// after some 150 calls, while a lasting one is met about every twentieth.
const QUICKENING: f64 = 0.0005;
const MOST_QUICKENING: f64 = 0.2;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    learned: Option<Duration>,
    /// Calls that the server took since it last refused one, or since nobody called for a while.
    taken: u32,
    /// How many of them, and since when, while as many were asked of it as it would take.
    measured: u32,
    since: Option<Instant>,
    /// Until when somebody called, or would have if that had been allowed.
    busy_until: Option<Instant>,
}

impl Pace {
    /// The least time between two beginnings, if there is any need for one.
    pub fn spacing(&self) -> Option<Duration> {
        self.learned
    }

    /// A call begins; `is_sought` says whether anybody has to wait. Nobody does where there are few calls: what is taken then is as many as we
    /// asked, and says nothing of how many more the server would take.
    pub fn began(&mut self, now: Instant, is_sought: bool) {
        let idle = self.busy_until.map_or(Duration::ZERO, |until| now.saturating_duration_since(until));
        if idle > IDLE {
            self.taken = 0;
        }
        if idle > IDLE || !is_sought {
            (self.measured, self.since) = (0, Some(now));
        }
        if idle > FORGOTTEN {
            self.learned = None;
        }
        self.since.get_or_insert(now);
        self.is_busy(now + self.learned.unwrap_or_default());
    }

    /// A call is over, or nobody may call before then.
    pub fn is_busy(&mut self, until: Instant) {
        self.busy_until = Some(self.busy_until.map_or(until, |before| before.max(until)));
    }

    pub fn took(&mut self) {
        self.taken = self.taken.saturating_add(1);
        self.measured = self.measured.saturating_add(1);
        let quicker = 1.0 - (QUICKENING * f64::from(self.taken)).min(MOST_QUICKENING);
        self.learned = self.learned.map(|spacing| spacing.mul_f64(quicker)).filter(|spacing| *spacing >= QUICKEST);
    }

    /// What was taken since the last refusal, pauses and all, is what the server takes in the long run.
    pub fn refused(&mut self, now: Instant) {
        if let Some(since) = self.since.filter(|_| self.measured > 0) {
            let spacing = (now.saturating_duration_since(since) / self.measured).mul_f64(MARGIN).min(SLOWEST);
            self.learned = Some(spacing).filter(|spacing| *spacing >= QUICKEST);
        }
        if self.taken > 0 {
            (self.taken, self.measured, self.since) = (0, 0, Some(now));
        }
    }
}
