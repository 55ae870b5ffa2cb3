//! The pages of a run that were asked for and brought nothing, kept beside its archive, so that nobody asks a server twice for its no.
//! What may be better a moment later is asked once more, and again by the next process; a file that cannot be read remembers nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Because, Fetched};
use crate::archive::{ASSETS, UNREAD, atomically};
use crate::clock::{Clock, timestamp};
use crate::extract::NotExtracted;
use crate::fetch::{Blocker, Outcome};

const VERSION: u32 = 1;
/// How often one process asks for a page that failed in a way that may pass.
const MOST_ATTEMPTS: u32 = 2;

#[derive(Debug)]
pub(super) struct Unread {
    file: PathBuf,
    clock: Clock,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    pages: BTreeMap<String, Page>,
    /// Only in this process: how often something passing was met, and what it was.
    passing: BTreeMap<String, (u32, Page)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Page {
    outcome: Because,
    says: String,
    at: String,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    pages: BTreeMap<String, Page>,
}

/// How long the no of a server holds.
#[derive(Clone, Copy, PartialEq)]
enum Lasting {
    ForTheRun,
    ForAMoment,
    /// Nobody was asked, so asking again costs nothing, and the settings may have changed.
    NotAsked,
}

impl Unread {
    pub(super) fn open(home: &std::path::Path, clock: Clock) -> Self {
        let file = home.join(ASSETS).join(UNREAD);
        let read = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<File>(&bytes).ok());
        let pages = read.filter(|read| read.version == VERSION).map(|read| read.pages).unwrap_or_default();
        Self { file, clock, known: Mutex::new(Known { pages, passing: BTreeMap::new() }) }
    }

    /// What came of the page before, if it is not to be asked for again.
    pub(super) fn find(&self, url: &str) -> Option<Fetched> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let passing = || known.passing.get(url).filter(|(attempts, _)| *attempts >= MOST_ATTEMPTS).map(|(_, page)| page);
        let page = known.pages.get(url).or_else(passing)?;
        Some(Fetched::AskedBefore { outcome: page.outcome, says: page.says.clone() })
    }

    pub(super) fn remember(&self, url: &str, fetched: &Fetched, was_asked: bool) {
        let (Some(outcome), Some(says)) = (fetched.because(), fetched.trouble()) else { return };
        let page = Page { outcome, says, at: timestamp(self.clock.now_ms()) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match lasting(fetched, was_asked) {
            Lasting::NotAsked => {}
            Lasting::ForAMoment => {
                let met = known.passing.entry(url.to_string()).or_insert((0, page.clone()));
                *met = (met.0 + 1, page);
            }
            Lasting::ForTheRun => {
                known.pages.insert(url.to_string(), page);
                // A full disk costs a second request some day, and nothing else.
                let _ = self.write(&known.pages);
            }
        }
    }

    fn write(&self, pages: &BTreeMap<String, Page>) -> std::io::Result<()> {
        fs::create_dir_all(self.file.parent().unwrap_or(&self.file))?;
        atomically(&self.file, &serde_json::to_vec_pretty(&File { version: VERSION, pages: pages.clone() })?)
    }
}

fn lasting(fetched: &Fetched, was_asked: bool) -> Lasting {
    match fetched {
        // A busy machine may have been too slow for it.
        Fetched::NoText(NotExtracted::TimedOut(_)) => Lasting::ForAMoment,
        Fetched::NoText(_) => Lasting::ForTheRun,
        Fetched::NoPage(Outcome::Blocked { by: Blocker::Policy | Blocker::PrivateAddress, .. }) if !was_asked => Lasting::NotAsked,
        Fetched::NoPage(Outcome::Failed { transient: true, .. } | Outcome::RateLimited { .. }) => Lasting::ForAMoment,
        Fetched::NoPage(_) => Lasting::ForTheRun,
        Fetched::Document { .. } | Fetched::AskedBefore { .. } => Lasting::NotAsked,
    }
}
