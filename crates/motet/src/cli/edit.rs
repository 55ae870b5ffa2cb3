//! `motet edit`: a person changes what a gate is about, in their editor or from a file, and the change becomes an event.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use motet_core::edits::{self, Sheet};
use motet_core::event::Person;
use motet_core::state::GateKind;
use motet_host::control::{self, Ask, Tell};
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, Store as _, files};
use serde_json::{Value, json};

use super::run::AsPerson;
use super::{Context, Exit, Failure, MOTET, output, status};
use crate::driving;
use crate::editing::{self, Edit, Pending};
use crate::home::{self, Mirror};

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// Which file, if several can be edited; by default the one that the gate shows
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
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
    let subject = subject(&mirror, args.file.as_deref())?;
    let by = args.person.person();
    let pending = match &args.from {
        Some(from) => read_edit(context, &mirror, &by, &subject, &given(from)?)?,
        None => open_editor(context, store, &record, &by, &subject)?,
    };
    if let Some(edit) = &pending.edit {
        send(context, &record, edit)?;
    }
    said(context, &record, &pending);
    Ok(Exit::Ok)
}

fn subject(mirror: &Mirror, wanted: Option<&str>) -> Result<Subject, Failure> {
    let run = &mirror.run;
    let sheets = edits::sheets(&mirror.definition, &mirror.state);
    let paths: Vec<&str> = sheets.iter().map(|sheet| sheet.path.as_str()).collect();
    let gate = mirror.state.gates.values().find(|gate| gate.kind == GateKind::State);
    let Some(gate) = gate else {
        return Err(Failure::invalid(format!("run {run} stands at no gate, so there is nothing to edit"))
            .help(format!("`{MOTET} status {run}` shows how it stands")));
    };
    let found = match wanted {
        Some(wanted) => sheets.iter().find(|sheet| sheet.path == wanted).or_else(|| {
            let mut ending = sheets.iter().filter(|sheet| Path::new(&sheet.path).ends_with(wanted));
            ending.next().filter(|_| ending.next().is_none())
        }),
        None if sheets.len() == 1 => sheets.first(),
        None => sheets.iter().find(|sheet| gate.show.as_ref() == Some(&sheet.path)),
    };
    match (found, wanted) {
        (Some(sheet), _) => Ok(Subject::File(Box::new(sheet.clone()))),
        (None, Some(wanted)) if paths.is_empty() => Err(Failure::invalid(format!("{wanted} cannot be edited at gate {}", gate.id))),
        (None, Some(wanted)) => {
            Err(Failure::invalid(format!("{wanted} cannot be edited at gate {}", gate.id)).help(format!("these can: {}", paths.join(", "))))
        }
        (None, None) if paths.is_empty() => {
            let fields = editing::editable(mirror);
            if fields.is_empty() {
                return Err(Failure::invalid(format!("nothing can be edited at gate {}", gate.id))
                    .help("the workflow says with `edits` of a file what people may change, and at which gates"));
            }
            Ok(Subject::Data(fields))
        }
        (None, None) => Err(Failure::invalid(format!("several files can be edited at gate {}", gate.id))
            .help(format!("name one with --file: {}", paths.join(", ")))),
    }
}

fn given(from: &Path) -> Result<String, Failure> {
    if from == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        return read.map(|_| text).map_err(|error| Failure::invalid(format!("the standard input cannot be read: {error}")));
    }
    std::fs::read_to_string(from).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", from.display())))
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
    let path = match subject {
        Subject::File(sheet) => files::place(&context.home.directory, &record.id, &sheet.path),
        Subject::Data(_) => files::place(&context.home.directory, &record.id, "data.json"),
    };
    let path = path.ok_or_else(|| Failure::failed("the file would be outside the directory of the run"))?;
    let failed = |error: std::io::Error| Failure::failed(format!("{} cannot be written: {error}", path.display()));
    let beginning = match subject {
        Subject::File(sheet) => sheet.content.clone(),
        Subject::Data(fields) => written(fields),
    };
    if !path.exists() || matches!(subject, Subject::Data(_)) {
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        std::fs::write(&path, beginning).map_err(failed)?;
    }
    loop {
        edit(&path)?;
        let text = given(&path)?;
        // The run may have gone on while somebody wrote.
        let record = store.run(&record.id)?.unwrap_or_else(|| record.clone());
        let mirror = Mirror::load(&store, &record, &Definitions::new(context.library()))?;
        let read = match subject {
            Subject::File(_) => editing::pending(&context.home, &mirror, by, None),
            Subject::Data(_) => read_edit(context, &mirror, by, subject, &text),
        };
        let failure = match read {
            Ok(pending) => {
                if matches!(subject, Subject::Data(_)) {
                    let _ = std::fs::remove_file(&path);
                }
                return Ok(pending);
            }
            Err(failure) => failure,
        };
        if !std::io::stdin().is_terminal() || context.json {
            return Err(failure);
        }
        output::error(&format!("error: {}\nOpen it again? [Y/n] ", failure.message));
        let mut line = String::new();
        let wants = std::io::stdin().read_line(&mut line).is_ok_and(|read| read > 0) && !line.trim().to_lowercase().starts_with('n');
        if !wants {
            return Err(failure);
        }
    }
}

/// The editor's name may have options of its own, as in `code --wait`.
fn edit(path: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let Some(editor) = named else {
        return Err(Failure::invalid("neither $VISUAL nor $EDITOR names an editor")
            .help(format!("set one, or edit {} yourself and answer the gate, or use --from FILE", path.display())));
    };
    let ended = std::process::Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("motet-edit").arg(path).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::failed(format!("the editor `{editor}` ended with {status}; nothing was changed in the run"))),
        Err(error) => Err(Failure::failed(format!("the editor `{editor}` could not be started: {error}"))),
    }
}

fn send(context: &Context, record: &RunRecord, edit: &Edit) -> Result<(), Failure> {
    let (store, record) = context.home.open_for(record.id.as_str())?;
    let command = edit.command();
    if let Some(driver) = home::driver_of(&store, &record)? {
        let ask = Ask::Command { run: record.id.clone(), command };
        return match control::send(&context.home.directory, &driver.id, &ask)? {
            Tell::Refused { why } => Err(Failure::invalid(why)),
            _ => Ok(()),
        };
    }
    let root = home::root(&store, &record)?.id;
    drop(store);
    driving::apply(context, driving::open_existing(context, &root)?, vec![(record.id, command)]).map(drop)
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
