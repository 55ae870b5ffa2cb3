//! One governor per provider and process: how many calls may be under way, and when nobody may call at all.
//! It knows what is asked of nobody: it counts, learns from what the server says, and lets callers wait their turn.

mod pace;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use rig_core::http_client::HeaderMap;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use self::pace::Pace;
use super::limits;
use super::provider::{DEFAULT_CONCURRENCY, Provider};
use super::trouble::Limited;

/// The pause after the first refusal that does not say how long to wait; it doubles with every one that follows.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Shared by everyone who calls one provider.
#[derive(Debug)]
pub struct Governor {
    state: Mutex<State>,
    changed: Notify,
    first_pause: Duration,
}

#[derive(Debug)]
struct State {
    /// Grows by one for as many successes as it is high, and is halved by a refusal.
    limit: f64,
    most: usize,
    under_way: usize,
    /// Calls that have to wait.
    waiting: usize,
    /// Requests that were sent and whose responses were not heard: the server may or may not have counted them.
    unheard: usize,
    /// Responses that said what is left.
    heard: u64,
    /// Nobody calls before this.
    closed_until: Option<Instant>,
    /// The least time between two beginnings by the configuration and by what was learned, and the moment of the next.
    spacing: Option<Duration>,
    pace: Pace,
    next_begin: Option<Instant>,
    allowance: Option<Known>,
    /// Refusals since the last success, and what the server said with the last of them.
    refusals: u32,
    said: Option<String>,
    /// Calls that began before this say nothing new about the limit.
    lowered_at: Option<Instant>,
}

/// What the server said it would still take.
#[derive(Clone, Copy, Debug)]
struct Known {
    told: u64,
    /// Without the calls that it may not have counted, and without those that have begun since.
    left: u64,
    until: Instant,
    /// Which of the responses that said so it was.
    number: u64,
}

/// One request whose response has not been heard. It is forgotten when dropped.
#[derive(Debug)]
pub(super) struct Asking {
    governor: Arc<Governor>,
    /// How many responses had been heard when it was sent.
    after: u64,
}

/// Somebody who waits for a turn.
struct Waiting<'a>(&'a Governor);

/// The right to make one call. It is given back when dropped.
#[derive(Debug)]
pub(super) struct Turn {
    governor: Arc<Governor>,
    began: Instant,
}

/// Why a call must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The server asked for it, or its allowance is used up.
    Until(Instant),
    /// One call begins after another, so much later, and the next may begin then.
    Paced(Duration, Instant),
    /// Others are before us.
    ForOthers,
}

impl Governor {
    /// The governor of this provider: the same for every caller in the process, as long as address and key are the same.
    pub fn of(provider: &Provider) -> Arc<Self> {
        static ALL: OnceLock<Mutex<BTreeMap<u64, Arc<Governor>>>> = OnceLock::new();
        let mut hasher = DefaultHasher::new();
        (provider.kind, provider.base_url.as_str(), provider.key.as_ref().map(|key| key.reveal())).hash(&mut hasher);
        let mut all = ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        let governor = all.entry(hasher.finish()).or_insert_with(|| Arc::new(Self::new(FIRST_PAUSE)));
        governor.allow(provider.concurrency, provider.requests_per_minute);
        governor.clone()
    }

    pub(super) fn new(first_pause: Duration) -> Self {
        let state = State {
            limit: DEFAULT_CONCURRENCY as f64,
            most: DEFAULT_CONCURRENCY,
            under_way: 0,
            waiting: 0,
            unheard: 0,
            heard: 0,
            closed_until: None,
            spacing: None,
            pace: Pace::default(),
            next_begin: None,
            allowance: None,
            refusals: 0,
            said: None,
            lowered_at: None,
        };
        Self { state: Mutex::new(state), changed: Notify::new(), first_pause }
    }

    /// What the configuration allows; None leaves it as it is.
    pub(super) fn allow(&self, concurrency: Option<usize>, per_minute: Option<u32>) {
        let mut state = self.state();
        if let Some(most) = concurrency.map(|most| most.max(1)) {
            // A limit that was not lowered by the server follows the configuration.
            state.limit = if state.lowered_at.is_none() { most as f64 } else { state.limit.min(most as f64) };
            state.most = most;
        }
        if let Some(per_minute) = per_minute {
            state.spacing = Some(Duration::from_secs(60) / per_minute.max(1));
        }
    }

    /// How many calls may be under way at once, as far as is known now.
    pub fn limit(&self) -> usize {
        self.state().limit as usize
    }

    /// How many calls are under way.
    pub fn under_way(&self) -> usize {
        self.state().under_way
    }

    /// Waits until a call may begin. `waiting` is told whenever the reason to wait changes.
    pub(super) async fn turn(self: &Arc<Self>, mut waiting: impl FnMut(Wait)) -> Turn {
        let (mut told, mut waits) = (None, None);
        loop {
            // Listening begins before the look, so that no change between the two is missed.
            let changed = self.changed.notified();
            let wait = match self.try_begin(Instant::now()) {
                Ok(turn) => return turn,
                Err(wait) => wait,
            };
            waits.get_or_insert_with(|| Waiting::new(self));
            if told.is_none_or(|told| wait.is_other_than(told)) {
                told = Some(wait);
                waiting(wait);
            }
            match wait {
                Wait::Until(moment) | Wait::Paced(_, moment) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(moment) => {}
                },
                Wait::ForOthers => changed.await,
            }
        }
    }

    /// Until when nobody may call, if that is known.
    pub(super) fn closed_until(&self) -> Option<Instant> {
        let now = Instant::now();
        self.state().closed_until.filter(|until| *until > now)
    }

    /// What the server said when it last refused a call, if it has taken none since.
    pub(super) fn said(&self) -> Option<String> {
        self.state().said.clone()
    }

    /// The server would not take a call now. Everyone waits as long as it says, and longer every time that it says nothing or too little.
    pub(super) fn refused(&self, turn: &Turn, limited: &Limited) -> Instant {
        let now = Instant::now();
        let mut state = self.state();
        state.said = Some(limited.said.clone()).filter(|said| !said.is_empty());
        // Calls that began together are refused together, and are one refusal.
        if state.lowered_at.is_none_or(|lowered| turn.began >= lowered) {
            state.limit = (state.limit / 2.0).max(1.0);
            state.lowered_at = Some(now);
            state.refusals = state.refusals.saturating_add(1);
            state.pace.refused(now);
        }
        let doubled = self.first_pause.saturating_mul(1 << (state.refusals.max(1) - 1).min(16)).min(LONGEST_PAUSE);
        let pause = match limited.retry_after {
            // A server that says how long is believed, until it has refused again after that.
            Some(wait) if !wait.is_zero() && state.refusals <= 1 => wait,
            said => said.unwrap_or_default().max(doubled),
        };
        let until = state.closed_until.map_or(now + pause, |closed| closed.max(now + pause));
        state.closed_until = Some(until);
        state.pace.is_busy(until);
        until
    }

    /// A call was taken and answered.
    pub(super) fn succeeded(&self) {
        let mut state = self.state();
        state.refusals = 0;
        state.said = None;
        state.limit = (state.limit + 1.0 / state.limit).min(state.most as f64);
        drop(state);
        self.changed.notify_waiters();
    }

    /// The server took a call, whatever comes of it.
    pub(super) fn took(&self) {
        self.state().pace.took();
    }

    /// A request is sent now.
    pub(super) fn asking(self: &Arc<Self>) -> Asking {
        let mut state = self.state();
        state.unheard += 1;
        Asking { governor: self.clone(), after: state.heard }
    }

    fn try_begin(self: &Arc<Self>, now: Instant) -> Result<Turn, Wait> {
        let mut state = self.state();
        state.closed_until = state.closed_until.filter(|until| *until > now);
        state.allowance = state.allowance.filter(|known| known.until > now);
        if let Some(until) = state.closed_until {
            return Err(Wait::Until(until));
        }
        if let Some(Known { left: 0, until, .. }) = state.allowance {
            return Err(Wait::Until(until));
        }
        let spacing = state.spacing.max(state.pace.spacing());
        if let Some(begin) = state.next_begin.filter(|begin| *begin > now) {
            return Err(Wait::Paced(spacing.unwrap_or_default(), begin));
        }
        if state.under_way >= state.limit as usize {
            return Err(Wait::ForOthers);
        }
        let is_sought = state.waiting > 0;
        state.pace.began(now, is_sought);
        state.next_begin = spacing.map(|spacing| now + spacing);
        if let Some(known) = &mut state.allowance {
            known.left -= 1;
        }
        state.under_way += 1;
        Ok(Turn { governor: self.clone(), began: now })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking {
    /// What the headers of its response say about what is left.
    pub(super) fn hear(self, headers: &HeaderMap) {
        let Some(told) = limits::allowance(headers, SystemTime::now()) else { return };
        let now = Instant::now();
        let mut state = self.governor.state();
        // Of requests that were under way together, the one that was told the least was counted last, and with it all that were heard.
        let is_told = |known: &Known| known.until > now && known.number > self.after && known.told <= told.remaining;
        let (remaining, until) = match state.allowance.filter(is_told) {
            Some(known) => (known.told, known.until),
            None => (told.remaining, now + told.resets_in),
        };
        state.heard += 1;
        let others = state.unheard.saturating_sub(1) as u64;
        state.allowance = Some(Known { told: remaining, left: remaining.saturating_sub(others), until, number: state.heard });
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.governor.state().unheard -= 1;
    }
}

impl<'a> Waiting<'a> {
    fn new(governor: &'a Governor) -> Self {
        governor.state().waiting += 1;
        Self(governor)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

impl Wait {
    /// Whether it is news to somebody who waits for that: whoever waits in a line knows that it moves.
    fn is_other_than(self, told: Wait) -> bool {
        !matches!((self, told), (Wait::Paced(..), Wait::Paced(..))) && self != told
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.governor.state();
        state.under_way -= 1;
        state.pace.is_busy(Instant::now());
        drop(state);
        self.governor.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
