//! What people wrote into the files of a run that waits at a gate, or goes on: found on the disk, shown as a difference, made into a command.
//! What an edit means is the machine's business, and so is whether it may be; nothing is journaled here.

mod diff;
pub mod form;

use std::collections::BTreeMap;

use motet_core::edits::{self, Imported, Remark, Sheet};
use motet_core::event::Person;
use motet_core::names::{Digest, GateId, RunId};
use motet_core::state::{GateKind, State};
use motet_core::{Event, Fact, step};
use motet_host::engine::Command;
use motet_host::files::{Standing, Written, place, set_aside};
use motet_host::wall_clock;
use serde_json::{Value, json};

pub use diff::diff;

use crate::cli::{Failure, MOTET};
use crate::given;
use crate::home::{Home, Mirror};

/// An edit that the machine will take.
#[derive(Debug)]
pub struct Edit {
    pub by: Person,
    /// The files, as the journal names them.
    pub file: String,
    pub changes: BTreeMap<String, Value>,
    /// What changed, line by line.
    pub shown: Vec<String>,
    /// The run as it will be.
    after: State,
}

/// What waits in the files of a run.
#[derive(Debug)]
pub struct Pending {
    pub edit: Option<Edit>,
    /// What was written and does not count.
    pub notes: Vec<String>,
}

impl Edit {
    pub fn command(&self) -> Command {
        Command::EditData { by: self.by.clone(), file: self.file.clone(), changes: self.changes.clone() }
    }

    /// What whoever made the edit has seen of a gate.
    pub fn seen(&self, gate: &GateId) -> Option<Digest> {
        self.after.gates.get(gate).map(|gate| gate.payload.clone())
    }
}

impl Pending {
    /// The difference, then what does not count.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(edit) = &self.edit {
            lines.push(format!("your edit of {}:", edit.file));
            lines.extend(edit.shown.iter().map(|line| format!("  {line}")));
        }
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        lines
    }

    /// The same for programs.
    pub fn json(&self, run: &RunId) -> Value {
        match &self.edit {
            Some(edit) => json!({
                "type": "edited", "run": run, "file": edit.file, "by": edit.by.name, "changes": edit.changes, "diff": edit.shown, "notes": self.notes,
            }),
            None => json!({ "type": "unchanged", "run": run, "notes": self.notes }),
        }
    }
}

/// The edits that wait in the files that can be edited now. `given` is what shall stand in one of them instead of what does.
pub fn pending(home: &Home, mirror: &Mirror, by: &Person, given: Option<(&str, &str)>) -> Result<Pending, Failure> {
    let sheets = edits::sheets(&mirror.definition, &mirror.state);
    let texts = edited_texts(home, mirror, &sheets, given)?;
    let mut read = |path: &str| match texts.get(path) {
        Some(text) => Some(text.clone()),
        None if sheets.iter().any(|sheet| sheet.path == path) => None,
        // A file for something new, where the run would write one.
        None => given::file(&place(&home.directory, &mirror.run, path)?).ok(),
    };
    let imported = edits::import(&mirror.definition, &mirror.state, &mut read).map_err(|problems| match given {
        Some(_) => unreadable(&problems).help("mend the text, and give it again"),
        None => unreadable(&problems).help(escape(mirror)),
    })?;
    let mut shown = Vec::new();
    for sheet in &sheets {
        if let Some(text) = texts.get(&sheet.path) {
            shown.extend(diff(&sheet.content, text));
        }
    }
    taken(mirror, by, imported, shown)
}

/// Changes of data that were not made in a file of the run.
pub fn direct(mirror: &Mirror, by: &Person, file: &str, changes: BTreeMap<String, Value>, shown: Vec<String>) -> Result<Pending, Failure> {
    taken(mirror, by, Imported { changes, files: vec![file.to_string()], notes: Vec::new() }, shown)
}

/// What of the data may be changed at the open gate.
pub fn editable(mirror: &Mirror) -> BTreeMap<String, Value> {
    let state = &mirror.state;
    if !is_at_gate(mirror) {
        return BTreeMap::new();
    }
    let mut fields = BTreeMap::new();
    for rule in &mirror.definition.files {
        for edit in rule.edits.iter().filter(|edit| edit.at.contains(&state.here.state)) {
            if let Some((name, value)) = edit.data(rule).and_then(|name| state.data.get_key_value(name)) {
                fields.insert(name.clone(), value.clone());
            }
        }
    }
    fields
}

/// Lets the run's own versions stand again, and says where those of people are kept.
pub fn discard(home: &Home, mirror: &Mirror) -> Result<Vec<String>, Failure> {
    let mut kept = Vec::new();
    for sheet in edits::sheets(&mirror.definition, &mirror.state) {
        if standing(home, mirror, &sheet)?.is_some_and(|(standing, _)| standing != Standing::Untouched) {
            kept.push(aside(home, mirror, &sheet)?);
        }
    }
    Ok(kept)
}

/// What was written into files that cannot be edited where the run stands, and what becomes of it.
pub fn untimely(home: &Home, mirror: &Mirror) -> Result<Vec<String>, Failure> {
    let mut told = Vec::new();
    for (sheet, at) in edits::sheets_elsewhere(&mirror.definition, &mirror.state) {
        if standing(home, mirror, &sheet)?.is_some_and(|(standing, _)| standing != Standing::Untouched) {
            let (file, here) = (&sheet.path, &mirror.state.here.state);
            let at = at.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(", ");
            told.push(format!(
                "{file} was edited, and can be edited at {at}, not at {here}: it is left as it is, and kept as {file}.yours once the run writes it anew"
            ));
        }
    }
    Ok(told)
}

/// The run as it will be is computed before anything is asked of it, so that what it would refuse is known here.
fn taken(mirror: &Mirror, by: &Person, imported: Imported, shown: Vec<String>) -> Result<Pending, Failure> {
    let notes = imported.notes.iter().map(Remark::to_string).collect();
    if imported.changes.is_empty() {
        return Ok(Pending { edit: None, notes });
    }
    let (file, changes) = (imported.files.join(", "), imported.changes);
    let mut after = mirror.state.clone();
    let fact = Fact::DataEdited { by: by.clone(), file: file.clone(), changes: changes.clone(), diff: String::new() };
    let event = Event { seq: after.seq + 1, at: wall_clock()(), fact };
    step(&mirror.definition, &mut after, &event).map_err(|rejected| Failure::invalid(format!("run {}: {rejected}", mirror.run)))?;
    Ok(Pending { edit: Some(Edit { by: by.clone(), file, changes, shown, after }), notes })
}

fn edited_texts(home: &Home, mirror: &Mirror, sheets: &[Sheet], given: Option<(&str, &str)>) -> Result<BTreeMap<String, String>, Failure> {
    let mut texts = BTreeMap::new();
    let mut overtaken = Vec::new();
    for sheet in sheets {
        if let Some((_, text)) = given.filter(|(path, _)| *path == sheet.path) {
            texts.insert(sheet.path.clone(), text.to_string());
            continue;
        }
        match standing(home, mirror, sheet)? {
            Some((Standing::Edited, text)) => drop(texts.insert(sheet.path.clone(), text)),
            Some((Standing::Overtaken, _)) => overtaken.push(aside(home, mirror, sheet)?),
            Some((Standing::Untouched, _)) | None => {}
        }
    }
    if overtaken.is_empty() {
        return Ok(texts);
    }
    let failure = Failure::invalid(format!(
        "the run has gone on since somebody edited its files, so its own versions stand: {}",
        overtaken.join(", ")
    ));
    let then = if is_at_gate(mirror) { "answer" } else { "resume" };
    Err(failure.help(format!("look at the files again, make the change anew if it is still wanted, then {then}")))
}

/// What stands in a file, and how that relates to what the run wrote. None: it is not there.
fn standing(home: &Home, mirror: &Mirror, sheet: &Sheet) -> Result<Option<(Standing, String)>, Failure> {
    let Some(path) = place(&home.directory, &mirror.run, &sheet.path) else { return Ok(None) };
    match given::file(&path) {
        Ok(text) => {
            let written = Written::read(&home.run_directory(&mirror.run));
            Ok(Some((written.standing(&sheet.path, &text, &sheet.content), text)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::invalid(format!("{} cannot be read: {error}", path.display())).help(escape(mirror))),
    }
}

fn aside(home: &Home, mirror: &Mirror, sheet: &Sheet) -> Result<String, Failure> {
    let kept = set_aside(&home.directory, &mirror.run, &sheet.path, &sheet.content);
    let kept = kept.map_err(|error| Failure::failed(format!("{} cannot be set aside: {error}", sheet.path)))?;
    Ok(format!("{} (what was written there is kept in {})", sheet.path, kept.display()))
}

fn unreadable(problems: &[Remark]) -> Failure {
    const MOST: usize = 20;
    let mut lines: Vec<String> = problems.iter().take(MOST).map(Remark::to_string).collect();
    if problems.len() > MOST {
        lines.push(format!("… and {} more", problems.len() - MOST));
    }
    Failure::invalid(format!("what was edited cannot be taken as it is\n  {}", lines.join("\n  ")))
}

fn escape(mirror: &Mirror) -> String {
    let go_on = if is_at_gate(mirror) { "approve" } else { "resume" };
    format!(
        "mend the file, or leave what was edited out with `{MOTET} {go_on} {} --discard-edits`, which keeps it as <file>.yours",
        mirror.run
    )
}

/// Whether somebody is to answer at the state in which the run stands.
pub fn is_at_gate(mirror: &Mirror) -> bool {
    mirror.state.gates.values().any(|gate| gate.kind == GateKind::State)
}

#[cfg(test)]
mod tests;
