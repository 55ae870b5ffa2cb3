//! A gate at which nothing but the answer can be written: it is filled in as a form, and journaled as the answer that it is.
//! Who drives the run goes on with it; if nobody does, it stays recorded.

use std::path::Path;

use motet_core::event::{Answer, Person};
use motet_core::state::OpenGate;
use motet_host::engine::{Command, Definitions};
use motet_host::store::RunRecord;
use motet_host::{Sqlite, Store as _, files};
use serde_json::json;

use super::super::telling::{Told, tell};
use super::super::{Context, Exit, Failure, MOTET, output};
use super::editor;
use crate::editing::form::{self, Form};
use crate::given;
use crate::home::Mirror;

pub struct Asked<'a> {
    pub record: &'a RunRecord,
    pub mirror: &'a Mirror,
    pub gate: &'a OpenGate,
    pub by: &'a Person,
}

/// `from` is the filled form, where no editor is wanted.
pub fn answer(context: &Context, store: Sqlite, asked: &Asked<'_>, from: Option<&Path>) -> Result<Exit, Failure> {
    let answer = match from {
        Some(from) => Some(form::answer(asked.mirror, asked.gate, asked.by, &given::text(editor::text(from)?))?),
        None => filled_in(context, &store, asked)?,
    };
    drop(store);
    let (run, gate) = (&asked.record.id, &asked.gate.id);
    let Some(answer) = answer else {
        let text = format!("nothing was written, so gate {gate} was not answered");
        match context.json {
            true => output::json(&json!({ "type": "unchanged", "run": run, "gate": gate, "notes": [text] })),
            false => output::line(text),
        }
        return Ok(Exit::Ok);
    };
    let told = tell(context, asked.record, Command::Answer { gate: gate.clone(), answer: answer.clone() })?;
    if context.json {
        output::json(&json!({ "type": "answered", "run": run, "gate": gate, "answer": answer }));
        return Ok(Exit::Ok);
    }
    output::line(match told {
        Told::Driver { pid } => format!("answered; {run} goes on in process {pid}"),
        Told::Recorded { root, is_open: true } => format!("answered; `{MOTET} resume {root}` goes on"),
        Told::Recorded { root, is_open: false } => format!("answered; {root} has ended, see `{MOTET} status {root}`"),
    });
    Ok(Exit::Ok)
}

/// None: the form was left as it was.
fn filled_in(context: &Context, store: &Sqlite, asked: &Asked<'_>) -> Result<Option<Answer>, Failure> {
    let form = Form::of(asked.mirror, asked.gate);
    let path = files::place(&context.home.directory, &asked.record.id, &format!("answer.{}", form.ending()));
    let path = path.ok_or_else(|| Failure::failed("the file would be outside the directory of the run"))?;
    if !std::fs::read_to_string(&path).is_ok_and(|text| form.is_begun_in(&text)) {
        editor::write(&path, &form.text())?;
    }
    let answer = editor::until_taken(context, &path, |text| {
        // The run may have gone on while somebody wrote.
        let record = store.run(&asked.record.id)?.unwrap_or_else(|| asked.record.clone());
        let mirror = Mirror::load(store, &record, &Definitions::new(context.library()))?;
        let Some(gate) = mirror.state.gates.get(&asked.gate.id).filter(|gate| gate.payload == asked.gate.payload) else {
            return Err(Failure::invalid(format!("gate {} was answered or changed elsewhere meanwhile", asked.gate.id)));
        };
        if form.is_untouched_in(text) {
            return Ok(None);
        }
        form::answer(&mirror, gate, asked.by, text).map(Some)
    });
    // An editor that could not be started has written nothing.
    let is_written = || std::fs::read_to_string(&path).is_ok_and(|text| !form.is_untouched_in(&text));
    match answer {
        Err(failure) if is_written() => Err(failure.help(format!("what you wrote is in {}", path.display()))),
        taken_or_unwritten => {
            let _ = std::fs::remove_file(&path);
            taken_or_unwritten
        }
    }
}
