//! `motet edit`: a person changes what a gate is about, or fills in its answer, in their editor or from a file; either becomes an event.
//! What may be changed, and what an answer must be, the machine says.

mod answering;
mod editor;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use motet_core::edits::{self, Sheet};
use motet_core::event::Person;
use motet_core::state::{GateKind, OpenGate};
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, Store as _, files};
use serde_json::{Value, json};

use super::run::AsPerson;
use super::telling::tell;
use super::{Context, Exit, Failure, MOTET, output, status};
use crate::driving;
use crate::editing::{self, Edit, Pending};
use crate::given;
use crate::home::Mirror;
use answering::Asked;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// Which file, if several can be edited; by default the one that the gate shows
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Which gate, if several are open
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    gate: Option<String>,
    /// Take the new text from this file, `-` for the standard input, instead of opening an editor
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    person: AsPerson,
}

/// What is edited.
enum Subject {
    File(Box<Sheet>),
    /// All data that the gate lets people change, as JSON, where no file shows it.
    Data(BTreeMap<String, Value>),
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record, mirror) = status::look(context, &args.run)?;
    if record.ended_at.is_some() {
        return Err(driving::ended(&record));
    }
    let gate = chosen(&mirror, args.gate.as_deref())?;
    let by = args.person.person();
    let Some(subject) = subject(&mirror, gate, args.file.as_deref())? else {
        return answering::answer(context, store, &Asked { record: &record, mirror: &mirror, gate, by: &by }, args.from.as_deref());
    };
    let pending = match &args.from {
        Some(from) => read_edit(context, &mirror, &by, &subject, &given::text(editor::text(from)?))?,
        None => open_editor(context, store, &record, &by, &subject)?,
    };
    if let Some(edit) = &pending.edit {
        tell(context, &record, edit.command())?;
    }
    said(context, &record, &pending);
    Ok(Exit::Ok)
}

/// What was written into the files of a run is shown to whoever goes on with it, or left out if they say so.
pub fn take_in(context: &Context, mirror: &Mirror, by: &Person, is_discarded: bool) -> Result<Option<Edit>, Failure> {
    if is_discarded {
        editing::discard(&context.home, mirror)?.iter().for_each(|kept| output::notice(&format!("left out: {kept}"), context));
        return Ok(None);
    }
    let pending = editing::pending(&context.home, mirror, by, None)?;
    match context.json {
        true if pending.edit.is_some() => output::json(&pending.json(&mirror.run)),
        true => {}
        false => pending.lines().iter().for_each(output::line),
    }
    Ok(pending.edit)
}

/// The gate that is edited: of a state, if the run stands at one, else the only one that is open.
fn chosen<'a>(mirror: &'a Mirror, wanted: Option<&str>) -> Result<&'a OpenGate, Failure> {
    let (run, gates) = (&mirror.run, &mirror.state.gates);
    let ids = || gates.keys().map(|gate| gate.as_str()).collect::<Vec<_>>().join(", ");
    if gates.is_empty() {
        return Err(Failure::invalid(format!("run {run} stands at no gate, so there is nothing to edit"))
            .help(format!("`{MOTET} status {run}` shows how it stands")));
    }
    if let Some(wanted) = wanted {
        let found = gates.values().find(|gate| gate.id == wanted);
        return found.ok_or_else(|| Failure::invalid(format!("run {run} has no open gate {wanted}")).help(format!("open are {}", ids())));
    }
    let only = gates.values().next().filter(|_| gates.len() == 1);
    gates
        .values()
        .find(|gate| gate.kind == GateKind::State)
        .or(only)
        .ok_or_else(|| Failure::invalid(format!("run {run} asks several things; name one with --gate")).help(format!("open are {}", ids())))
}

/// What can be changed at a gate. None: nothing but its answer can be written.
fn subject(mirror: &Mirror, gate: &OpenGate, wanted: Option<&str>) -> Result<Option<Subject>, Failure> {
    let sheets = if gate.kind == GateKind::State { edits::sheets(&mirror.definition, &mirror.state) } else { Vec::new() };
    let paths: Vec<&str> = sheets.iter().map(|sheet| sheet.path.as_str()).collect();
    let found = match wanted {
        Some(wanted) => sheets.iter().find(|sheet| sheet.path == wanted).or_else(|| {
            let mut ending = sheets.iter().filter(|sheet| Path::new(&sheet.path).ends_with(wanted));
            ending.next().filter(|_| ending.next().is_none())
        }),
        None if sheets.len() == 1 => sheets.first(),
        None => sheets.iter().find(|sheet| gate.show.as_ref() == Some(&sheet.path)),
    };
    match (found, wanted) {
        (Some(sheet), _) => Ok(Some(Subject::File(Box::new(sheet.clone())))),
        (None, Some(wanted)) if paths.is_empty() => Err(Failure::invalid(format!("{wanted} cannot be edited at gate {}", gate.id))),
        (None, Some(wanted)) => {
            Err(Failure::invalid(format!("{wanted} cannot be edited at gate {}", gate.id)).help(format!("these can: {}", paths.join(", "))))
        }
        (None, None) if paths.is_empty() => {
            let fields = editing::editable(mirror);
            Ok(Some(fields).filter(|fields| gate.kind == GateKind::State && !fields.is_empty()).map(Subject::Data))
        }
        (None, None) => Err(Failure::invalid(format!("several files can be edited at gate {}", gate.id))
            .help(format!("name one with --file: {}", paths.join(", ")))),
    }
}

fn read_edit(context: &Context, mirror: &Mirror, by: &Person, subject: &Subject, text: &str) -> Result<Pending, Failure> {
    match subject {
        Subject::File(sheet) => editing::pending(&context.home, mirror, by, Some((&sheet.path, text))),
        Subject::Data(fields) => {
            let new: BTreeMap<String, Value> =
                serde_json::from_str(text).map_err(|error| Failure::invalid(format!("this is not a JSON object: {error}")))?;
            let changes = new.into_iter().filter(|(name, value)| fields.get(name) != Some(value)).collect();
            let shown = editing::diff(&written(fields), text);
            editing::direct(mirror, by, "data", changes, shown)
        }
    }
}

fn written(fields: &BTreeMap<String, Value>) -> String {
    format!("{:#}\n", json!(fields))
}

/// Until what was written can be taken, or the person gives up; what they wrote then stays where it is.
fn open_editor(context: &Context, store: Sqlite, record: &RunRecord, by: &Person, subject: &Subject) -> Result<Pending, Failure> {
    let (name, beginning) = match subject {
        Subject::File(sheet) => (sheet.path.as_str(), sheet.content.clone()),
        Subject::Data(fields) => ("data.json", written(fields)),
    };
    let path = files::place(&context.home.directory, &record.id, name);
    let path = path.ok_or_else(|| Failure::failed("the file would be outside the directory of the run"))?;
    if !path.exists() || matches!(subject, Subject::Data(_)) {
        editor::write(&path, &beginning)?;
    }
    let pending = editor::until_taken(context, &path, |text| {
        // The run may have gone on while somebody wrote.
        let record = store.run(&record.id)?.unwrap_or_else(|| record.clone());
        let mirror = Mirror::load(&store, &record, &Definitions::new(context.library()))?;
        match subject {
            Subject::File(_) => editing::pending(&context.home, &mirror, by, None),
            Subject::Data(_) => read_edit(context, &mirror, by, subject, &given::text(text.to_string())),
        }
    })?;
    if matches!(subject, Subject::Data(_)) {
        let _ = std::fs::remove_file(&path);
    }
    Ok(pending)
}

fn said(context: &Context, record: &RunRecord, pending: &Pending) {
    let run = &record.id;
    if context.json {
        return output::json(&pending.json(run));
    }
    pending.lines().iter().for_each(output::line);
    output::line(match pending.edit {
        Some(_) => format!("journaled; `{MOTET} approve {run}` goes on"),
        None => "nothing was changed".to_string(),
    });
}
