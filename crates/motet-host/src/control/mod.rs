//! Commands from other processes: a driver listens on a socket beside its lock, and speaks one JSON object per line.
//! Whoever can open the socket may command: it is as private as the home directory.

mod client;
mod server;

use std::path::{Path, PathBuf};

use motet_core::Event;
use motet_core::names::RunId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use client::{Error, Subscription, send, subscribe};
pub use server::Server;

use crate::engine::Command;

/// What another process may ask, one line each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    Command {
        run: RunId,
        command: Command,
    },
    /// Go on with an open run that nobody drives.
    Claim {
        run: RunId,
    },
    /// How the run stands.
    Status {
        run: RunId,
    },
    /// Everything that happens from now on, of one run or of all.
    Subscribe {
        #[serde(default)]
        run: Option<RunId>,
    },
}

/// What comes back, one line each. A subscription has many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tell {
    Done {
        runs: Vec<RunId>,
    },
    Refused {
        why: String,
    },
    Status {
        view: Value,
    },
    /// Everything after this moment will be told; what was before is in the journal.
    Subscribed,
    Event {
        run: RunId,
        event: Box<Event>,
    },
    Idle {
        run: RunId,
    },
    Ended {
        run: RunId,
        outcome: String,
    },
}

/// The longest line either side takes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// A path of a socket may have about a hundred bytes; a longer one is reached through its open directory.
fn reachable(path: &Path) -> std::io::Result<(PathBuf, Option<std::fs::File>)> {
    use std::os::fd::AsRawFd as _;
    const LONGEST_PATH: usize = 100;
    if path.as_os_str().len() <= LONGEST_PATH {
        return Ok((path.to_path_buf(), None));
    }
    let directory = std::fs::File::open(path.parent().unwrap_or(path))?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd())).join(path.file_name().unwrap_or_default());
    Ok((short, Some(directory)))
}
