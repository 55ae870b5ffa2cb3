//! Politeness: how many requests a host gets at once and how far apart, remembered for the whole process.
//! It decides only when; what is asked is the client's business.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// How a host is approached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    pub at_once: usize,
    pub interval_ms: u64,
}

impl Pace {
    pub const fn new(at_once: usize, interval_ms: u64) -> Self {
        Self { at_once, interval_ms }
    }

    pub fn interval(&self) -> Duration {
        Duration::from_millis(self.interval_ms)
    }
}

/// One request at a time, three seconds apart: what arXiv asks of programs, for all of its hosts together.
pub const ARXIV: Pace = Pace::new(1, 3000);
/// For hosts that said nothing about it.
pub const ORDINARY: Pace = Pace::new(2, 250);

/// Domains whose hosts share one pace.
const SHARED: &[(&str, Pace)] = &[("arxiv.org", ARXIV)];

/// The queue in front of each host.
#[derive(Debug, Default)]
pub struct Queues {
    hosts: Mutex<BTreeMap<String, Arc<Queue>>>,
}

#[derive(Debug)]
struct Queue {
    places: Arc<Semaphore>,
    slots: Mutex<Slots>,
}

/// A turn that would come later than the caller is ready to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    pub wait: Duration,
}

/// When the next request may leave.
#[derive(Debug, Default)]
struct Slots {
    next: Option<Instant>,
}

impl Slots {
    /// The time of this request, which moves the next one away. None is taken if it would be too late.
    fn take(&mut self, now: Instant, interval: Duration, patience: Duration) -> Result<Instant, TooLong> {
        let at = self.next.map_or(now, |next| next.max(now));
        if at - now > patience {
            return Err(TooLong { wait: at - now });
        }
        self.next = Some(at + interval);
        Ok(at)
    }

    fn hold_until(&mut self, until: Instant) {
        self.next = Some(self.next.map_or(until, |next| next.max(until)));
    }
}

impl Queues {
    /// Waits for a turn at this host. Dropping the permit gives the place to the next.
    pub async fn turn(&self, host: &str, pace: Pace, patience: Duration) -> Result<OwnedSemaphorePermit, TooLong> {
        let queue = self.queue(host, pace);
        let waited = tokio::time::timeout(patience, queue.places.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = waited else { return Err(TooLong { wait: patience }) };
        let at = lock(&queue.slots).take(Instant::now(), pace.interval(), patience)?;
        sleep_until(at).await;
        Ok(permit)
    }

    /// The host asked for silence: nobody goes there before it is over.
    pub fn hold(&self, host: &str, pace: Pace, wait: Duration) {
        lock(&self.queue(host, pace).slots).hold_until(Instant::now() + wait);
    }

    fn queue(&self, host: &str, pace: Pace) -> Arc<Queue> {
        let mut hosts = lock(&self.hosts);
        let made = || Arc::new(Queue { places: Arc::new(Semaphore::new(pace.at_once.max(1))), slots: Mutex::default() });
        hosts.entry(host.to_string()).or_insert_with(made).clone()
    }
}

/// The queue that a host belongs to, and its pace: hosts of one institution may stand in one queue.
pub fn queue_of(host: &str, ordinary: Pace) -> (String, Pace) {
    let host = host.to_ascii_lowercase();
    let shared = SHARED.iter().find(|(domain, _)| host == *domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')));
    match shared {
        Some((domain, pace)) => (domain.to_string(), *pace),
        None => (host, ordinary),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_leave_an_interval_apart_and_a_held_host_is_left_alone() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let mut slots = Slots::default();
        let times: Vec<_> = (0..3).map(|_| slots.take(now, 3 * second, 60 * second).expect("soon enough") - now).collect();
        assert_eq!(times, [Duration::ZERO, 3 * second, 6 * second]);
        slots.hold_until(now + 100 * second);
        assert_eq!(slots.take(now, second, 60 * second), Err(TooLong { wait: 100 * second }));
        assert_eq!(slots.take(now + 100 * second, second, 60 * second), Ok(now + 100 * second));
    }

    #[test]
    fn the_hosts_of_arxiv_share_one_queue_and_look_alikes_do_not() {
        assert_eq!(queue_of("export.arXiv.org", ORDINARY), ("arxiv.org".to_string(), ARXIV));
        assert_eq!(queue_of("arxiv.org", ORDINARY).1, ARXIV);
        assert_eq!(queue_of("notarxiv.org", ORDINARY), ("notarxiv.org".to_string(), ORDINARY));
    }

    #[tokio::test]
    async fn a_full_host_makes_the_next_one_wait_its_turn() {
        let (queues, pace) = (Queues::default(), Pace::new(1, 0));
        let first = queues.turn("a", pace, Duration::from_secs(5)).await.expect("the first goes");
        assert!(queues.turn("a", pace, Duration::from_millis(1)).await.is_err());
        assert!(queues.turn("b", pace, Duration::from_secs(5)).await.is_ok());
        drop(first);
        assert!(queues.turn("a", pace, Duration::from_secs(5)).await.is_ok());
    }
}
