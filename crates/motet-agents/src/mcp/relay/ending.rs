//! How a relay to a program ends: who tells it to, and how it ends its server, so that neither outlives the agent.
//! The server stays in the process group of its agent, so that whoever ends that group ends the server even if the relay cannot.

use std::io;
use std::process::{Child, ChildStdin};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

/// How long an agent that says no more may still be told what it has asked.
pub(super) const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// How long a server may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// How long after it was told to.
const TOLD_GRACE: Duration = Duration::from_millis(500);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Why a relay ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The agent has said all, and was told all.
    NobodyAsks,
    /// The server says nothing any more, or nobody listens to it.
    ServerEnded,
    /// Somebody wants this process to end.
    Told,
}

/// Tells when this process is told to end. Where that cannot be heard, it ends at once, as every program does.
pub(super) fn when_told(tell: impl FnOnce() + Send + 'static) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let heard = {
        let _guard = runtime.enter();
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()), signal(SignalKind::hangup()))
    };
    let (Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)) = heard else { return };
    // It ends with this process.
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
        });
        tell();
    });
}

/// Closes the server's input, which tells it to end; then says so; then ends it. Gives its exit code if it ended by itself.
pub(super) fn end(mut server: Child, input: Option<ChildStdin>, why: Why) -> io::Result<i32> {
    drop(input);
    if why != Why::Told && is_gone_within(&mut server, GRACE)? {
        return Ok(server.wait()?.code().unwrap_or(1));
    }
    let pid = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
    // It has not been waited for, so that the number is still its own.
    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
    let patience = if why == Why::Told { GRACE } else { TOLD_GRACE };
    if !is_gone_within(&mut server, patience)? {
        // One that has ended meanwhile needs nothing more.
        let _ = server.kill();
        server.wait()?;
    }
    Ok(0)
}

fn is_gone_within(server: &mut Child, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    while server.try_wait()?.is_none() {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
    Ok(true)
}
