//! Where a relay writes down what passes: the file that the attempt has made for it, and that several relays may share.
//! It makes no file: without one there is nobody who would read it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::note::{Asked, FILE_BYTES, Note, Part};
use crate::redaction::Redactor;
use crate::tools::ToolAnswer;

pub(super) struct Notebook {
    pages: Mutex<Pages>,
    redaction: Redactor,
    /// Tells the calls of this relay from those of another that writes into the same file.
    relay: String,
}

struct Pages {
    file: File,
    calls: u64,
    is_full: bool,
}

impl Notebook {
    pub fn open(path: &Path, redaction: Redactor) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        let relay = format!("{}-{}", std::process::id(), now().as_nanos());
        Ok(Self { pages: Mutex::new(Pages { file, calls: 0, is_full: false }), redaction, relay })
    }

    /// By what the call is known when it is answered. None: there is no room for more.
    pub fn called(&self, tool: &str, arguments: &Value) -> io::Result<Option<String>> {
        let asked = self.asked(tool, arguments);
        let mut pages = self.pages();
        pages.calls += 1;
        let call = format!("{}-{}", self.relay, pages.calls);
        Ok(pages.write(&Note::Called { call: call.clone(), asked })?.then_some(call))
    }

    pub fn answered(&self, call: String, answer: ToolAnswer) -> io::Result<()> {
        let ToolAnswer { text, is_error } = answer;
        let answer = Part::of_text(self.redaction.string(text));
        self.pages().write(&Note::Answered { call, answer, is_error }).map(drop)
    }

    pub fn refused(&self, tool: &str, arguments: &Value, why: &str) -> io::Result<()> {
        let (asked, why) = (self.asked(tool, arguments), self.redaction.text(why).into_owned());
        self.pages().write(&Note::Refused { asked, why }).map(drop)
    }

    pub fn redaction(&self) -> &Redactor {
        &self.redaction
    }

    /// Secrets are taken out before anything is cut, since nobody would know half of one again.
    fn asked(&self, tool: &str, arguments: &Value) -> Asked {
        let at_ms = u64::try_from(now().as_millis()).unwrap_or(u64::MAX);
        Asked::new(at_ms, &self.redaction.text(tool), self.redaction.value(arguments.clone()))
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    /// Whether there was room for it.
    fn write(&mut self, note: &Note) -> io::Result<bool> {
        if self.is_full {
            return Ok(false);
        }
        let file = self.file.metadata()?;
        // Whoever would read it has read it, and is gone.
        if file.nlink() == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the attempt is over"));
        }
        self.is_full = file.len() > FILE_BYTES;
        let mut line = serde_json::to_vec(if self.is_full { &Note::Full {} } else { note })?;
        line.push(b'\n');
        // In one piece, so that no other relay's line comes between.
        self.file.write_all(&line)?;
        Ok(!self.is_full)
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
