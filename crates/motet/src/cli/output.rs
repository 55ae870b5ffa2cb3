//! Writes to the terminal or the pipe, and remembers whether that could still be done.
//! It ends nothing: a command does what it does beside talking, whoever has stopped listening.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use super::{Context, Exit};

/// Why nothing more is written. What came after a gap would mislead.
enum Lost {
    /// Whoever read has seen enough (`| head`), which is no reason to complain.
    Reader,
    /// The disk is full, say.
    Stream,
}

static LOST: OnceLock<Lost> = OnceLock::new();

/// A text as it may be printed: without anything that the process knows to be secret.
pub fn clean(text: &str) -> String {
    motet_agents::hidden().string(text.to_string())
}

/// A line for whoever asked.
pub fn line(text: impl AsRef<str>) {
    write(clean(text.as_ref()) + "\n");
}

/// A text that no line ends: a question, or a block that is drawn over itself.
pub fn part(text: &str) {
    write(clean(text));
}

/// One object on one line.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => line(text),
        Err(error) => lose(&error.into()),
    }
}

/// What is neither an answer nor an error, and should be known all the same.
pub fn notice(text: &str, context: &Context) {
    match context.json {
        true => json(&serde_json::json!({ "type": "notice", "text": text })),
        false => line(text),
    }
}

/// Something for people that is no answer to what was asked: JSON has a line for each of many, and none for none.
pub fn remark(text: &str, context: &Context) {
    if !context.json {
        line(text);
    }
}

/// Whether anybody can still read what is written. Without a reader, following something for ever is pointless.
pub fn is_read() -> bool {
    LOST.get().is_none()
}

/// How the program ends: a command whose answer could not be written has not answered.
pub fn settle(exit: Exit) -> Exit {
    match LOST.get() {
        Some(Lost::Stream) => exit.max(Exit::Failed),
        Some(Lost::Reader) | None => exit,
    }
}

/// Standard output does not take what was written to it. Said once, and only if somebody may want to know.
pub fn lose(error: &io::Error) {
    let lost = if error.kind() == io::ErrorKind::BrokenPipe { Lost::Reader } else { Lost::Stream };
    let is_worth_telling = matches!(lost, Lost::Stream);
    if LOST.set(lost).is_ok() && is_worth_telling {
        fail(&format!("standard output cannot be written: {error}"));
    }
}

/// Something for people that is not what was asked for.
pub fn error(text: &str) {
    // Nobody may be listening there, and then nothing is lost.
    let _ = io::stderr().lock().write_all(clean(text).as_bytes());
}

/// Says on the error stream why the command cannot be carried out.
pub fn fail(why: &str) -> Exit {
    // If even this cannot be written, the exit code still tells.
    let _ = writeln!(io::stderr().lock(), "error: {}", clean(why));
    Exit::Invalid
}

fn write(text: String) {
    if !is_read() {
        return;
    }
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        lose(&error);
    }
}
