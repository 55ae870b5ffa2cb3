//! `motet` with nothing else: where you are. Open gates first, then runs, then what to try next.

use motet_host::Store as _;
use motet_host::store::{Filter, RunRecord};
use serde_json::json;

use super::{Context, Exit, Failure, MOTET, Tone, inbox, list, output};
use crate::casting::PinnedCase;
use crate::library::Library;
use crate::progress::{how_to_answer, words};

const MOST_ENDED: usize = 5;

pub fn run(context: &Context) -> Result<Exit, Failure> {
    let paint = context.paint;
    let store = context.home.open()?;
    let records = match &store {
        Some(store) => store.runs(&Filter { limit: Some(200), ..Filter::default() })?,
        None => Vec::new(),
    };
    let records: Vec<RunRecord> = records.into_iter().filter(|record| record.parent.is_none()).collect();
    let gates = match &store {
        Some(store) => inbox::open_gates(context, store)?,
        None => Vec::new(),
    };
    if context.json {
        let open: Vec<_> = records.iter().filter(|record| record.ended_at.is_none()).map(|record| &record.id).collect();
        output::json(&json!({ "home": context.home.directory, "gates": gates.len(), "open": open, "runs": records.len() }));
        return Ok(Exit::Ok);
    }
    if !gates.is_empty() {
        output::line(paint.text(Tone::Warning, "waiting for you"));
        for (run, gate) in &gates {
            output::line(format!("  {}  {}", paint.text(Tone::Strong, run.as_str()), words::one_line(&gate.ask, 100)));
            let how = how_to_answer(gate, run, inbox::open_at(&gates, run));
            output::line(paint.text(Tone::Quiet, &format!("    {}", how.first().map_or("", String::as_str))));
        }
        output::line("");
    }
    let (open, ended): (Vec<RunRecord>, Vec<RunRecord>) = records.into_iter().partition(|record| record.ended_at.is_none());
    if let Some(store) = &store {
        for (heading, records) in [("open runs", &open[..]), ("ended", &ended[..ended.len().min(MOST_ENDED)])] {
            if !records.is_empty() {
                output::line(paint.text(Tone::Strong, heading));
                list::table(context, store, records)?.iter().for_each(|line| output::line(format!("  {line}")));
                output::line("");
            }
        }
    }
    let interrupted = open
        .iter()
        .find(|record| store.as_ref().is_some_and(|store| list::standing(store, record).is_ok_and(|(word, _)| word == "interrupted")));
    next_steps(context, interrupted, open.is_empty() && ended.is_empty());
    Ok(Exit::Ok)
}

fn next_steps(context: &Context, interrupted: Option<&RunRecord>, is_new: bool) {
    let mut steps: Vec<(String, &str)> = Vec::new();
    if let Some(record) = interrupted {
        steps.push((format!("{MOTET} resume {}", record.id), "go on where it stopped"));
    }
    if let Some(name) = is_new.then(|| easiest(&context.library())).flatten() {
        steps.push((format!("motet run {name} --demo"), "watch a run that needs no model"));
    }
    steps.push(("motet workflows".into(), "what can be run"));
    steps.push(("motet help".into(), "everything else"));
    let width = steps.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    output::line(context.paint.text(Tone::Strong, "next"));
    for (command, what) in steps {
        output::line(format!("  {command:<width$}  {}", context.paint.text(Tone::Quiet, what)));
    }
}

/// The workflow with the fewest states of those that can be watched without a model.
fn easiest(library: &Library) -> Option<String> {
    let loaded = library.names().filter_map(|name| library.load(name).ok());
    let shown = loaded.filter(|loaded| PinnedCase::demo(&loaded.folder).is_some());
    shown.min_by_key(|loaded| loaded.definition.states.len()).map(|loaded| loaded.definition.name.clone())
}
