//! How long one attempt was held up by a provider that takes no calls: the attempt's own clock stands for as long.
//! It sets no limit itself: how long an attempt may take, and when nobody has time to wait any more, others know.

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
    /// Nobody has time for any more of it.
    is_over: bool,
    /// Nobody wants anything of it any more.
    withdrawn: bool,
    /// A wait came to nothing because of either.
    gave_up: bool,
    /// Somebody has taken something of the attempt, or may have.
    begun: bool,
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

    /// From now on nothing more of the attempt may be held up: what waits for a provider ends, and what is under way goes on.
    pub fn end(&self) {
        self.state().is_over = true;
        self.shared.changed.notify_waiters();
    }

    /// Ends it if the attempt is held up and nothing of it has begun. True if so: then nothing of it will begin.
    pub fn withdraw(&self) -> bool {
        let mut state = self.state();
        let is_untouched = state.since.is_some() && !state.begun;
        state.withdrawn |= is_untouched;
        drop(state);
        self.shared.changed.notify_waiters();
        is_untouched
    }

    /// Whether the attempt came to nothing because nothing more of it may be held up, before anything of it had begun.
    pub fn was_for_nothing(&self) -> bool {
        let state = self.state();
        state.gave_up && !state.begun
    }

    /// Something of the attempt was taken, or may have been.
    pub(crate) fn begin(&self) {
        self.state().begun = true;
    }

    /// Whether anybody has taken something of it, or may have.
    pub(crate) fn has_begun(&self) -> bool {
        self.state().begun
    }

    /// Whether nothing may begin although there would be a turn for it.
    pub(crate) fn is_withdrawn(&self) -> bool {
        self.state().withdrawn
    }

    /// A wait ends here because nothing more may be held up.
    pub(crate) fn give_up(&self) {
        self.state().gave_up = true;
    }

    /// Resolves when nothing more may be held up.
    pub(crate) async fn ended(&self) {
        loop {
            let changed = self.shared.changed.notified();
            let is_over = {
                let state = self.state();
                state.is_over || state.withdrawn
            };
            if is_over {
                return;
            }
            changed.await;
        }
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
    async fn only_what_waits_and_has_not_begun_can_be_withdrawn() {
        let delay = Delay::default();
        assert!(!delay.withdraw(), "it is not held up");
        let held = delay.hold();
        assert!(delay.withdraw() && delay.is_withdrawn());
        delay.ended().await;
        drop(held);
        delay.give_up();
        assert!(delay.was_for_nothing());
        let begun = Delay::default();
        begun.begin();
        let _held = begun.hold();
        assert!(!begun.withdraw() && !begun.is_withdrawn());
        begun.end();
        begun.ended().await;
        begun.give_up();
        assert!(!begun.is_withdrawn() && !begun.was_for_nothing());
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_take_forever_does_not_run_out() {
        let delay = Delay::default();
        assert!(tokio::time::timeout(Duration::from_secs(100), delay.run_out(Duration::MAX)).await.is_err());
    }
}
