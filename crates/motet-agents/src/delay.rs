//! How long one attempt was held up by a provider that takes no calls: the attempt's own clock stands for as long.
//! It sets no limit itself: how long an attempt may take, whoever performs it knows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Shared by all who have to do with one attempt.
#[derive(Clone, Debug, Default)]
pub struct Delay {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    over: Duration,
    /// Since when the attempt is held up, and how many of its calls are.
    since: Option<Instant>,
    held: usize,
}

/// While it lives, the attempt is held up.
pub(crate) struct Hold(Delay);

impl Delay {
    /// All that it was held up so far.
    pub fn so_far(&self) -> Duration {
        self.state().so_far()
    }

    /// Whether it is held up now, so that the delay grows.
    pub fn is_growing(&self) -> bool {
        self.state().since.is_some()
    }

    pub(crate) fn hold(&self) -> Hold {
        let mut state = self.state();
        state.held += 1;
        state.since.get_or_insert_with(Instant::now);
        drop(state);
        self.shared.changed.notify_waiters();
        Hold(self.clone())
    }

    /// So much time was lost with somebody who would not take the call.
    pub(crate) fn add(&self, lost: Duration) {
        self.state().over += lost;
        self.shared.changed.notify_waiters();
    }

    /// Resolves when so much time has passed from now on without the attempt being held up.
    pub(crate) async fn run_out(&self, most: Duration) {
        let (began, before) = (Instant::now(), self.so_far());
        loop {
            // Listening begins before the look, so that no change between the two is missed.
            let changed = self.shared.changed.notified();
            let (delay, grows) = {
                let state = self.state();
                (state.so_far().saturating_sub(before), state.since.is_some())
            };
            match began.checked_add(most.saturating_add(delay)).filter(|_| !grows) {
                Some(deadline) if deadline <= Instant::now() => return,
                Some(deadline) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(deadline) => {}
                },
                None => changed.await,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn so_far(&self) -> Duration {
        self.over + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.held -= 1;
        if state.held == 0 {
            state.over = state.so_far();
            state.since = None;
        }
        drop(state);
        self.0.shared.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many seconds pass until ten have run out for an attempt that is held up from one moment to another.
    async fn check(held_up: &[(u64, u64)], expected: u64) {
        let delay = Delay::default();
        let began = Instant::now();
        let hold_up = async {
            for (from, to) in held_up {
                sleep_until(began + Duration::from_secs(*from)).await;
                let _hold = delay.hold();
                sleep_until(began + Duration::from_secs(*to)).await;
            }
        };
        tokio::join!(delay.run_out(Duration::from_secs(10)), hold_up);
        assert_eq!(began.elapsed().as_secs(), expected, "{held_up:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_stands_while_the_attempt_is_held_up() {
        check(&[], 10).await;
        check(&[(0, 7)], 17).await;
        check(&[(2, 3), (5, 65)], 71).await;
        check(&[(0, 1), (1, 2), (2, 3)], 13).await;
    }

    #[tokio::test(start_paused = true)]
    async fn holds_that_overlap_are_one_delay_and_lost_time_is_added() {
        let delay = Delay::default();
        let (first, second) = (delay.hold(), delay.hold());
        tokio::time::advance(Duration::from_secs(3)).await;
        drop(first);
        assert!(delay.is_growing());
        tokio::time::advance(Duration::from_secs(2)).await;
        drop(second);
        tokio::time::advance(Duration::from_secs(50)).await;
        assert_eq!((delay.so_far(), delay.is_growing()), (Duration::from_secs(5), false));
        delay.add(Duration::from_secs(1));
        assert_eq!(delay.so_far(), Duration::from_secs(6));
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_take_forever_does_not_run_out() {
        let delay = Delay::default();
        assert!(tokio::time::timeout(Duration::from_secs(100), delay.run_out(Duration::MAX)).await.is_err());
    }
}
