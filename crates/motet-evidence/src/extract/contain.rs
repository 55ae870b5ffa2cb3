//! Runs an extractor where its panic, its loop and its deep recursion stay: a thread with a large stack that may be left behind.
//! Only so many may be left behind at once; after that nothing more is started until one of them ends.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once, mpsc};
use std::thread::Builder;
use std::time::Duration;

use super::NotExtracted;

const NAME: &str = "motet-extract";
/// Only what is used of it is ever taken from the machine.
const STACK_BYTES: usize = 64 * 1024 * 1024;
const MOST_LEFT_BEHIND: usize = 4;

static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// How a thread and the one who waits for it part.
const WAITED_FOR: usize = 0;
const ABANDONED: usize = 1;
const ENDED: usize = 2;

pub(super) fn run<I: Send + 'static, T: Send + 'static>(
    input: I,
    timeout_ms: u64,
    work: impl FnOnce(I) -> Result<T, NotExtracted> + Send + 'static,
) -> Result<T, NotExtracted> {
    hush();
    if LEFT_BEHIND.load(Ordering::SeqCst) >= MOST_LEFT_BEHIND {
        return Err(NotExtracted::TimedOut(format!(
            "{MOST_LEFT_BEHIND} documents are still being read long after their time; this one was not begun"
        )));
    }
    let (tell, told) = mpsc::sync_channel(1);
    let end = Arc::new(AtomicUsize::new(WAITED_FOR));
    let seen = end.clone();
    let thread = Builder::new().name(NAME.to_string()).stack_size(STACK_BYTES).spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(input)));
        let _ = tell.send(result.unwrap_or_else(|_| Err(NotExtracted::Broken("the extractor broke on it".to_string()))));
        if seen.swap(ENDED, Ordering::SeqCst) == ABANDONED {
            LEFT_BEHIND.fetch_sub(1, Ordering::SeqCst);
        }
    });
    if let Err(error) = thread {
        return Err(NotExtracted::Broken(format!("no thread to read it in: {error}")));
    }
    if let Ok(result) = told.recv_timeout(Duration::from_millis(timeout_ms)) {
        return result;
    }
    // Counted before it is said, so that the thread never takes back what was not yet given.
    LEFT_BEHIND.fetch_add(1, Ordering::SeqCst);
    if end.swap(ABANDONED, Ordering::SeqCst) == ENDED {
        LEFT_BEHIND.fetch_sub(1, Ordering::SeqCst);
    }
    Err(NotExtracted::TimedOut(format!("reading it took longer than {} s", timeout_ms as f64 / 1000.0)))
}

/// A panic on a hostile document is an answer, not news for the terminal.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |about| {
            if std::thread::current().name() != Some(NAME) {
                previous(about);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        let result: Result<(), _> = run((), 60_000, |()| panic!("on purpose"));
        assert_eq!(result, Err(NotExtracted::Broken("the extractor broke on it".to_string())));
    }

    #[test]
    fn a_loop_is_left_behind_and_leaves_the_rest_alone() {
        let (stop, stopped) = mpsc::channel::<()>();
        let result = run(stopped, 1, |stopped| Ok(stopped.recv().is_ok()));
        assert!(matches!(result, Err(NotExtracted::TimedOut(_))));
        assert_eq!(run(2, 60_000, |number| Ok(number + 1)), Ok(3));
        drop(stop);
    }

    #[test]
    fn a_deep_recursion_has_room() {
        fn down(depth: usize) -> usize {
            let frame = [depth; 64];
            if depth == 0 { 0 } else { 1 + down(std::hint::black_box(frame)[0] - 1) }
        }
        assert_eq!(run(20_000, 60_000, |depth| Ok(down(depth))), Ok(20_000));
    }
}
