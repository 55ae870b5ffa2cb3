//! What people give to a run, without the keys that this process knows: they are left out before anything is journaled, and that is told.
//! A key that no setting names is not known here, and what only looks like one is left alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use motet_core::event::Answer;
use motet_core::names::RunId;
use motet_host::control::{self, Ask, Tell};
use motet_host::engine::Command;
use motet_host::store::DriverRecord;
use serde_json::Value;

use crate::cli::{Failure, output};
use crate::config::holder;
use crate::home::Home;

pub fn text(text: String) -> String {
    match motet_agents::hidden().text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => {
            tell(&text);
            clean
        }
    }
}

/// What somebody wrote into a file of a run. A key is not kept there either.
pub fn file(path: &Path) -> std::io::Result<String> {
    let written = std::fs::read_to_string(path)?;
    let clean = text(written.clone());
    if clean != written {
        std::fs::write(path, &clean)?;
    }
    Ok(clean)
}

pub fn value(value: Value) -> Value {
    let clean = motet_agents::hidden().value(value.clone());
    if clean != value {
        tell(&value.to_string());
    }
    clean
}

pub fn values(values: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    values.into_iter().map(|(name, given)| (name, value(given))).collect()
}

/// Not told: who somebody is comes with everything that they give.
pub fn name(name: String) -> String {
    motet_agents::hidden().string(name)
}

pub fn command(command: Command) -> Command {
    match command {
        Command::Answer { gate, answer } => Command::Answer { gate, answer: said(answer) },
        Command::Pause { by, reason } => Command::Pause { by, reason: text(reason) },
        Command::Cancel { by, reason } => Command::Cancel { by, reason: text(reason) },
        Command::EditData { by, file, changes } => Command::EditData { by, file, changes: values(changes) },
        plain @ (Command::Resume { .. } | Command::RaiseLimits { .. }) => plain,
    }
}

/// To the process that drives the run, one after the other, until it refuses one.
pub fn send(home: &Home, driver: &DriverRecord, commands: impl IntoIterator<Item = (RunId, Command)>) -> Result<(), Failure> {
    for (run, given) in commands {
        if let Tell::Refused { why } = control::send(&home.directory, &driver.id, &Ask::Command { run, command: command(given) })? {
            return Err(Failure::invalid(why));
        }
    }
    Ok(())
}

fn said(answer: Answer) -> Answer {
    let Answer { by, option, text: sentence, answers, seen } = answer;
    let answers = answers.into_iter().map(|(id, answer)| (id, text(answer))).collect();
    Answer { by, option: option.map(text), text: sentence.map(text), answers, seen }
}

fn tell(found_in: &str) {
    let holder = holder(found_in);
    output::error(&format!("note: a key that {holder} holds was in what you gave; it was left out, and [redacted] stands there instead\n"));
}
