//! Reads papers in a process of its own: one that loops is killed, one that eats memory dies alone.
//! The process is this program again; what it is told and what it answers goes through its pipes.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Extracted, Limits, NotExtracted, contain, pdf};

/// Before the answer, so that nothing which a library prints is taken for it.
const MARK: &[u8] = b"\n\x01motet-extracted\x02";
const MOST_MEMORY: u64 = 2 * 1024 * 1024 * 1024;
const MOST_ANSWER: u64 = 64 * 1024 * 1024;

/// How the process is started: it must end up in [`serve`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
}

impl Worker {
    pub(super) fn extract(&self, bytes: &[u8], limits: &Limits) -> Result<Extracted, NotExtracted> {
        let broken = |what: String| NotExtracted::Broken(format!("the process that reads papers {what}"));
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.environment.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| broken(format!("did not start: {error}")))?;
        let answer = answer_of(&mut child, bytes.to_vec(), limits.timeout_ms);
        // Whatever became of it, it is gone when we go on.
        let _ = child.kill();
        let ended = child.wait();
        match answer {
            Ok(answer) => read_answer(&answer).unwrap_or_else(|| {
                let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                Err(broken(format!("died on this one ({how})")))
            }),
            Err(Late) => Err(NotExtracted::TimedOut(format!("reading it took longer than {} s", limits.timeout_ms as f64 / 1000.0))),
        }
    }
}

struct Late;

fn answer_of(child: &mut Child, bytes: Vec<u8>, timeout_ms: u64) -> Result<Vec<u8>, Late> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (tell, told) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        // A child that died early closes its end; its answer, or the lack of one, tells.
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(&bytes);
        }
    });
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        if let Some(stdout) = stdout {
            let _ = stdout.take(MOST_ANSWER).read_to_end(&mut answer);
        }
        let _ = tell.send(answer);
    });
    told.recv_timeout(Duration::from_millis(timeout_ms)).map_err(|_| Late)
}

fn read_answer(answer: &[u8]) -> Option<Result<Extracted, NotExtracted>> {
    let at = answer.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let length = answer.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes)?;
    serde_json::from_slice(answer.get(at + 8..)?.get(..usize::try_from(length).ok()?)?).ok()
}

/// The whole life of the process: one paper in, one answer out. It limits itself before it reads a byte.
pub fn serve(input: &mut impl Read, output: &mut impl Write, limits: &Limits) -> io::Result<()> {
    let known = getrlimit(Resource::As);
    let least = known.maximum.map_or(MOST_MEMORY, |maximum| maximum.min(MOST_MEMORY));
    // A system that knows no such limit still has the clock.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(least), maximum: known.maximum });
    let mut bytes = Vec::new();
    input.take(limits.max_bytes + 1).read_to_end(&mut bytes)?;
    let extracted = contain::run(bytes, limits.timeout_ms, |bytes| pdf::extract(&bytes));
    let answer = serde_json::to_vec(&extracted)?;
    output.write_all(MARK)?;
    output.write_all(&(answer.len() as u64).to_be_bytes())?;
    output.write_all(&answer)?;
    output.flush()
}
