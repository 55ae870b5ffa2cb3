//! Writes to the terminal or the pipe. A reader that went away (`| head`) is no reason to complain.

use std::io::Write as _;

use super::Exit;

/// A text as it may be printed: without anything that the process knows to be secret.
pub fn clean(text: &str) -> String {
    motet_agents::hidden().string(text.to_string())
}

/// A line for whoever asked.
pub fn line(text: impl AsRef<str>) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(clean(text.as_ref()).as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    // Nobody reads any more, so there is nothing left to do.
    if written.is_err() {
        std::process::exit(0);
    }
}

/// One object on one line.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => line(text),
        Err(error) => drop(fail(&format!("the answer cannot be written as JSON: {error}"))),
    }
}

/// Something for people that is not what was asked for.
pub fn error(text: &str) {
    // Nobody may be listening there, and then nothing is lost.
    let _ = std::io::stderr().lock().write_all(clean(text).as_bytes());
}

/// Says on the error stream why the command cannot be carried out.
pub fn fail(why: &str) -> Exit {
    // If even this cannot be written, the exit code still tells.
    let _ = writeln!(std::io::stderr().lock(), "error: {}", clean(why));
    Exit::Invalid
}
