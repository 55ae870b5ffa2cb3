//! Writes to the terminal or the pipe. A reader that went away (`| head`) is no reason to complain.

use std::io::Write as _;
use std::sync::{PoisonError, RwLock};

use motet_agents::{Redactor, Secret};

use super::Exit;

static SECRETS: RwLock<(Vec<Secret>, Option<Redactor>)> = RwLock::new((Vec::new(), None));

/// From now on none of these is printed, whatever else says it.
pub fn hide(secrets: Vec<Secret>) -> Redactor {
    let mut hidden = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    hidden.0.extend(secrets);
    hidden.0.dedup();
    let redactor = Redactor::new(hidden.0.iter().cloned());
    hidden.1 = Some(redactor.clone());
    redactor
}

/// A text as it may be printed.
pub fn clean(text: &str) -> String {
    let hidden = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
    hidden.1.as_ref().map_or_else(|| text.to_string(), |redactor| redactor.text(text).into_owned())
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
