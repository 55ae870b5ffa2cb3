//! Programs: the ones a workflow names (`command:`), and the ones that play an agent.
//! A program's exit code and output are evidence here; what they mean for the run is the machine's business.

pub(crate) mod agent;
pub(crate) mod child;
pub(crate) mod group;
pub(crate) mod leftovers;
pub(crate) mod lines;
mod log;
pub mod presets;
pub(crate) mod process;
pub(crate) mod tail;
mod version;

use std::path::{Path, PathBuf};

use motet_core::effect::Call;
use motet_core::event::{Failure, FailureKind};
use motet_core::units::show_duration;
use serde_json::{Value, json};

pub use agent::CommandAgent;
pub(crate) use agent::scripted_answer;
pub use group::kill_all;
use process::{Ended, Launch};
pub use version::version;

use crate::agent::Outcome;
use crate::context::{Context, StopReason};

/// How much of each stream a command's result keeps; the rest is in the log.
const KEPT_BYTES: usize = 64 * 1024;
const SUMMARY_CHARACTERS: usize = 300;

/// Runs the program of a `command:` state. A program that fails or runs too long is a result, with `passed: false`;
/// only one that cannot be started is a failure.
///
/// The result: `{command, exit_code, passed, timed_out, stdout, stderr, summary, duration_ms}`.
pub async fn run(words: &[String], within: Option<&str>, call: &Call, context: &Context) -> Outcome {
    leftovers::end(call, context);
    let launch = match Launch::new(words, within, call, context) {
        Ok(launch) => launch,
        Err(failure) => return Outcome::Failed { failure, usage: Default::default() },
    };
    match launch.keeping(KEPT_BYTES).run(context).await {
        Ok(ended) if ended.stopped == Some(StopReason::Cancelled) => {
            Outcome::failed(FailureKind::Cancelled, format!("`{}` was stopped", shown(words)))
        }
        Ok(ended) => Outcome::returned(evidence(words, &ended, call)),
        Err(failure) => Outcome::Failed { failure, usage: Default::default() },
    }
}

fn evidence(words: &[String], ended: &Ended, call: &Call) -> Value {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    let said = summary(&stdout, &stderr);
    json!({
        "summary": if ended.stopped.is_some() { summary_of_late(&said, call) } else { said },
        "command": shown(words),
        "exit_code": ended.exit_code,
        "passed": ended.exit_code == Some(0) && ended.stopped.is_none(),
        "timed_out": ended.stopped == Some(StopReason::TimedOut),
        "stdout": stdout,
        "stderr": stderr,
        "duration_ms": ended.duration_ms,
    })
}

/// What is known of a program that ran too long and did not even end when it was told to.
pub(crate) fn silence(words: &[String], call: &Call) -> Value {
    json!({
        "summary": summary_of_late("", call),
        "command": shown(words),
        "exit_code": null,
        "passed": false,
        "timed_out": true,
        "stdout": "",
        "stderr": "",
        "duration_ms": call.timeout_ms,
    })
}

/// What a case says a program did, in the shape of what a program did.
pub(crate) fn scripted_evidence(words: &[String], exit_code: i32, stdout: &str, stderr: &str, duration_ms: u64) -> Value {
    json!({
        "summary": summary(stdout, stderr),
        "command": shown(words),
        "exit_code": exit_code,
        "passed": exit_code == 0,
        "timed_out": false,
        "stdout": stdout,
        "stderr": stderr,
        "duration_ms": duration_ms,
    })
}

/// The last line that says something: most tools end with what matters.
fn summary(stdout: &str, stderr: &str) -> String {
    let last = |text: &str| text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(String::from);
    let line = last(stdout).or_else(|| last(stderr)).unwrap_or_default();
    line.chars().take(SUMMARY_CHARACTERS).collect()
}

/// What a program said last may sound as if all were well.
fn summary_of_late(said: &str, call: &Call) -> String {
    let late = format!("it did not end within {}", show_duration(call.timeout_ms));
    if said.is_empty() { late } else { format!("{late}; the last it said: {said}") }
}

/// The words as a person would type them.
pub(crate) fn shown(words: &[String]) -> String {
    let plain = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "-_./=:,@%+".contains(letter));
    let quoted = |word: &String| if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Where a program runs: `within` the working directory.
pub(crate) fn directory(within: Option<&str>, context: &Context) -> Result<Option<PathBuf>, Failure> {
    let base = context.working_directory().map(Path::to_path_buf);
    let directory = match (base, within) {
        (base, None) => base,
        (Some(base), Some(within)) => Some(base.join(within)),
        (None, Some(within)) => Some(PathBuf::from(within)),
    };
    match directory {
        Some(directory) if !directory.is_dir() => Err(Failure {
            kind: FailureKind::Configuration,
            message: format!("the directory to run in does not exist: {}", directory.display()),
        }),
        directory => Ok(directory),
    }
}
