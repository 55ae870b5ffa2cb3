//! The clock of a real process.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use motet_core::units::Time;

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
