//! Which of many waits for a provider are worth a line where nothing can be redrawn: the first, and then one from time to time.
//! It tells no tasks apart: a provider that takes no calls takes none of anybody. What is noted for others lasts as long as the wait does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use motet_core::names::{RunId, TaskId};
use motet_core::units::Time;
use serde::{Deserialize, Serialize};

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

/// Beside the logs of the run.
const NOTE: &str = "logs/held_up.json";

/// A provider that takes no calls of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holdup {
    pub by: String,
    pub line: String,
    /// As far as is known.
    pub until: Time,
}

/// Notes for whoever asks from another process how the run stands: each is there until its provider takes a call again, and none when this
/// process has left the run. If one cannot be written, only that is lost.
pub struct Notes {
    path: PathBuf,
    noted: BTreeMap<String, Holdup>,
    /// Who waits for which provider.
    waiting: BTreeMap<(RunId, TaskId), String>,
}

impl Notes {
    pub fn beside(run_directory: &Path) -> Self {
        Self { path: run_directory.join(NOTE), noted: BTreeMap::new(), waiting: BTreeMap::new() }
    }

    /// What a task says: that it waits, or the first words of an answer by which its provider has taken a call.
    pub fn hear(&mut self, run: &RunId, task: &TaskId, text: &ProgressText, now: Time) {
        match text {
            ProgressText::HeldUp { by, line, lasts: Some(lasts) } => {
                self.waiting.insert((run.clone(), task.clone()), by.clone());
                let until = now.plus(u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX));
                // Many tasks wait for the same moment, and one note tells of it.
                let moment = u64::try_from(MOMENT.as_millis()).unwrap_or_default();
                if self.noted.get(by).is_none_or(|noted| until > noted.until.plus(moment)) {
                    self.noted.insert(by.clone(), Holdup { by: by.clone(), line: line.clone(), until });
                    self.write();
                }
            }
            ProgressText::Piece(_) => self.got_through(run, task),
            ProgressText::Line(_) | ProgressText::HeldUp { lasts: None, .. } => {}
        }
    }

    /// The task has its answer, or its beginning.
    pub fn got_through(&mut self, run: &RunId, task: &TaskId) {
        let by = self.waiting.remove(&(run.clone(), task.clone()));
        if by.is_some_and(|by| self.noted.remove(&by).is_some()) {
            self.write();
        }
    }

    fn write(&self) {
        if self.noted.is_empty() {
            let _ = fs::remove_file(&self.path);
            return;
        }
        let _ = self.path.parent().map(fs::create_dir_all);
        let all: Vec<&Holdup> = self.noted.values().collect();
        let _ = serde_json::to_string(&all).map(|text| fs::write(&self.path, text));
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        if !self.noted.is_empty() {
            self.noted.clear();
            self.write();
        }
    }
}

/// What is noted of a run and still holds.
pub fn noted(run_directory: &Path, now: Time) -> Vec<Holdup> {
    let all: Option<Vec<Holdup>> = fs::read_to_string(run_directory.join(NOTE)).ok().and_then(|text| serde_json::from_str(&text).ok());
    all.unwrap_or_default().into_iter().filter(|holdup| holdup.until > now).collect()
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

    #[test]
    fn a_note_is_there_until_the_wait_is_over_or_a_call_got_through() {
        let scratch = crate::scratch::Scratch::new();
        let run = RunId::new("ship-abcde");
        let (one, other) = (TaskId::new("building.1/1"), TaskId::new("building.1/2"));
        let held =
            |by: &str, seconds| ProgressText::HeldUp { by: by.into(), line: "waiting".into(), lasts: Some(Duration::from_secs(seconds)) };
        let shown = |at| noted(scratch.path(), Time(at)).into_iter().map(|holdup| (holdup.by, holdup.until.0)).collect::<Vec<_>>();
        let both = vec![("openai".to_string(), 120_000), ("slow".to_string(), 5000)];

        let mut notes = Notes::beside(scratch.path());
        notes.hear(&run, &one, &held("openai", 120), Time(0));
        notes.hear(&run, &other, &held("slow", 5), Time(0));
        assert_eq!((shown(0), shown(4999)), (both.clone(), both));
        assert_eq!((shown(5000), shown(119_999), shown(120_000)), (vec![("openai".to_string(), 120_000)], shown(5000), Vec::new()));
        notes.hear(&run, &other, &ProgressText::Piece("x".into()), Time(6000));
        assert_eq!(shown(1), [("openai".to_string(), 120_000)], "of the provider that took a call, nothing is noted");
        notes.got_through(&run, &one);
        assert!(!scratch.path().join(NOTE).exists());
        notes.hear(&run, &one, &held("openai", 120), Time(0));
        drop(notes);
        assert!(!scratch.path().join(NOTE).exists(), "nobody drives the run any more");
    }
}
