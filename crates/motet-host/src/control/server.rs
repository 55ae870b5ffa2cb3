//! The listening side: a thread that accepts, and a thread per connection that turns lines into requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::{Ask, LONGEST_LINE, Tell, reachable};
use crate::Sqlite;
use crate::driver::{Handle, Notice, Request};
use crate::engine::Refusal;
use crate::store::DriverId;

/// A subscriber that is this far behind is let go: it can read the journal and come back.
const FARTHEST_BEHIND: usize = 4096;

/// Listens until it is dropped.
pub struct Server {
    path: PathBuf,
    closing: Arc<AtomicBool>,
}

impl Server {
    pub fn start(home: &Path, driver: &DriverId, handle: Handle) -> std::io::Result<Self> {
        let path = Sqlite::socket_path(home, driver);
        let (short, _directory) = reachable(&path)?;
        let listener = UnixListener::bind(short)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let closing = Arc::new(AtomicBool::new(false));
        let seen = closing.clone();
        std::thread::Builder::new().name("motet-control".into()).spawn(move || accept(&listener, &handle, &seen))?;
        Ok(Self { path, closing })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Release);
        // A last connection wakes the thread that accepts, so that it sees that it is over.
        if let Ok((short, _directory)) = reachable(&self.path) {
            let _ = UnixStream::connect(short);
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

fn accept(listener: &UnixListener, handle: &Handle, closing: &AtomicBool) {
    for connection in listener.incoming() {
        if closing.load(Ordering::Acquire) {
            return;
        }
        // A connection that could not be accepted, or got no thread, is the client's to repeat; a process without a free
        // file gets one back in its own time.
        let Ok(stream) = connection else {
            std::thread::sleep(std::time::Duration::from_millis(100));
            continue;
        };
        let handle = handle.clone();
        let _ = std::thread::Builder::new().name("motet-client".into()).spawn(move || serve(stream, &handle));
    }
}

/// A client that goes away in the middle is nobody's error.
fn serve(mut stream: UnixStream, handle: &Handle) {
    let Ok(reading) = stream.try_clone() else { return };
    let mut lines = BufReader::new(reading);
    loop {
        let mut line = String::new();
        match (&mut lines).take(LONGEST_LINE).read_line(&mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let told = match serde_json::from_str(&line) {
            Ok(Ask::Subscribe { run }) => return follow(stream, handle, run.as_ref()),
            Ok(ask) => answer(ask, handle),
            Err(error) => Tell::Refused { why: format!("this is not a question this version of Motet understands: {error}") },
        };
        if write(&mut stream, &told).is_err() {
            return;
        }
    }
}

fn answer(ask: Ask, handle: &Handle) -> Tell {
    let request = match ask {
        Ask::Command { run, command } => Request::Command { run, command },
        Ask::Claim { run } => Request::Claim { run },
        Ask::Status { run } => {
            let view = handle.look(&run, |definition, state| serde_json::to_value(motet_core::view(definition, state)));
            return match view {
                Some(Ok(view)) => Tell::Status { view },
                Some(Err(error)) => Tell::Refused { why: error.to_string() },
                None => Tell::Refused { why: Refusal::NotDriven(run).to_string() },
            };
        }
        Ask::Subscribe { .. } => return Tell::Subscribed,
    };
    match handle.ask(request) {
        Ok(runs) => Tell::Done { runs },
        Err(refusal) => Tell::Refused { why: refusal.to_string() },
    }
}

fn follow(mut stream: UnixStream, handle: &Handle, run: Option<&motet_core::names::RunId>) {
    let (sender, lines) = sync_channel(FARTHEST_BEHIND);
    let wanted = run.cloned();
    handle.watch(move |notice| tell(notice, wanted.as_ref(), &sender));
    // The watcher is in place once the driver has answered what was asked after it; before that, events could be missed.
    let _ = handle.look(&motet_core::names::RunId::new(""), |_, _| ());
    if write(&mut stream, &Tell::Subscribed).is_err() {
        return;
    }
    for told in lines {
        if write(&mut stream, &told).is_err() {
            return;
        }
    }
}

/// False once the subscriber is gone or too far behind.
fn tell(notice: &Notice<'_>, wanted: Option<&motet_core::names::RunId>, sender: &SyncSender<Tell>) -> bool {
    let is_wanted = |run: &motet_core::names::RunId| wanted.is_none_or(|wanted| wanted == run);
    let told = match notice {
        Notice::Advanced { run, events, .. } if is_wanted(run) => {
            let told = |event: &motet_core::Event| Tell::Event { run: (*run).clone(), event: Box::new(event.clone()) };
            return events.iter().all(|event| sender.try_send(told(event)).is_ok());
        }
        Notice::Idle { run } if is_wanted(run) => Tell::Idle { run: (*run).clone() },
        Notice::Ended { run, ended } if is_wanted(run) => Tell::Ended { run: (*run).clone(), outcome: ended.outcome.word().to_string() },
        _ => return true,
    };
    sender.try_send(told).is_ok()
}

fn write(stream: &mut UnixStream, told: &Tell) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(told)?;
    line.push(b'\n');
    stream.write_all(&line)
}
