//! By which time a driver goes: the wall's, or one that somebody else keeps.
//! It only tells the time and how long to wait for it; what is due then, the engine knows.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use motet_core::units::Time;

/// A wall clock that was set forward, or a machine that slept, is noticed after this long.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A clock that never goes back. A driver asks it from one thread.
pub trait Clock: Send {
    fn now(&self) -> Time;

    /// How long to wait for messages when the engine's next moment is this one. None: for as long as it takes.
    fn patience(&self, next: Option<Time>) -> Option<Duration>;

    /// No message came for as long as `patience` said.
    fn nothing_came(&self, next: Option<Time>);
}

impl<F: Fn() -> Time + Send> Clock for F {
    fn now(&self) -> Time {
        self()
    }

    fn patience(&self, next: Option<Time>) -> Option<Duration> {
        next.map(|at| Duration::from_millis(at.since(self())).min(LONGEST_WAIT))
    }

    /// Time goes on by itself.
    fn nothing_came(&self, _next: Option<Time>) {}
}

/// A clock that follows the wall's but never goes back: while the wall's is set back, it goes on by itself.
pub fn wall_clock() -> impl Fn() -> Time + Send + Clone + 'static {
    let (begun, began_at) = (Instant::now(), wall());
    move || {
        let elapsed = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        wall().max(began_at.plus(elapsed))
    }
}

fn wall() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
