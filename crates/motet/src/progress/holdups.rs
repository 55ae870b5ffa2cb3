//! Which of many waits for a provider are worth a line where nothing can be redrawn: the first, and then one from time to time.
//! It tells no tasks apart: a provider that takes no calls takes none of anybody.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::performing::ProgressText;

/// A shorter wait is over before it is read.
const MOMENT: Duration = Duration::from_millis(500);
/// How long nothing more is said of a provider, unless it makes everybody wait for longer.
const QUIET: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct Holdups {
    /// By provider, until when everything has been said.
    told_until: BTreeMap<String, Instant>,
}

impl Holdups {
    /// The line to show, if it is news.
    pub fn news<'a>(&mut self, text: &'a ProgressText) -> Option<&'a str> {
        self.news_at(text, Instant::now())
    }

    fn news_at<'a>(&mut self, text: &'a ProgressText, now: Instant) -> Option<&'a str> {
        let ProgressText::HeldUp { by, line, lasts: Some(lasts) } = text else { return None };
        let until = now.checked_add(*lasts)?;
        // A wait of about as long as was told is no news.
        let is_told = self.told_until.get(by).is_some_and(|told| until <= *told + MOMENT);
        if *lasts < MOMENT || is_told {
            return None;
        }
        self.told_until.insert(by.clone(), until.max(now + QUIET));
        Some(line)
    }
}

/// The last of it, beside the logs of the run.
const NOTE: &str = "logs/held_up.txt";

/// Leaves a note for whoever asks from another process how the run stands. Without it, only that is lost.
pub fn note(run_directory: &Path, line: &str) {
    let path = run_directory.join(NOTE);
    let _ = path.parent().map(fs::create_dir_all);
    let _ = fs::write(path, line);
}

/// What was noted, and how long ago, if that was only just now.
pub fn noted(run_directory: &Path) -> Option<(String, Duration)> {
    let path = run_directory.join(NOTE);
    let age = SystemTime::now().duration_since(fs::metadata(&path).ok()?.modified().ok()?).ok()?;
    Some((fs::read_to_string(path).ok()?, age)).filter(|_| age <= QUIET)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of these waits, each of so many milliseconds from a second on, are told.
    fn check(waits: &[(u64, &str, Option<u64>)], expected: &[u64]) {
        let (mut holdups, began) = (Holdups::default(), Instant::now());
        let mut told = Vec::new();
        for (at, by, lasts) in waits {
            let lasts = lasts.map(Duration::from_millis);
            let text = ProgressText::HeldUp { by: (*by).into(), line: "waiting".into(), lasts };
            if holdups.news_at(&text, began + Duration::from_secs(*at)).is_some() {
                told.push(*at);
            }
        }
        assert_eq!(told, expected);
    }

    #[test]
    fn one_of_many_waits_is_told_and_a_longer_one_too() {
        let storm: Vec<_> = (0..70).map(|at| (at, "openai", Some(1000))).collect();
        check(&storm, &[0, 30, 60]);
        check(&[(0, "openai", Some(1000)), (5, "openai", Some(60_000)), (6, "openai", Some(59_000))], &[0, 5]);
        check(&[(0, "openai", Some(2000)), (1, "anthropic", Some(2000))], &[0, 1]);
    }

    #[test]
    fn a_moment_and_a_queue_are_not_told() {
        check(&[(0, "openai", Some(400)), (1, "openai", None)], &[]);
    }
}
