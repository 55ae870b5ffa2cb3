//! `motet replay`: runs the machine again over the journal, with no agent and no network, and compares where it comes to.

use std::time::Instant;

use motet_core::view;
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, Store as _, journal, store};
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::home::LAST;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(&args.run)?;
    // A run that is driven goes on meanwhile: what is compared is of one moment.
    let _moment = store.moment()?;
    let record = store.run(&record.id)?.ok_or_else(|| store::Error::NotFound(record.id.clone()))?;
    let begun = Instant::now();
    let differences = differences(context, &store, &record)?;
    let milliseconds = begun.elapsed().as_millis();
    if context.json {
        output::json(&json!({ "run": record.id, "events": record.seq, "same": differences.is_empty(), "differences": differences }));
    } else if differences.is_empty() {
        let said = format!("{}: {} events replayed in {milliseconds} ms, the same state", record.id, record.seq);
        output::line(format!("{} {said}", context.paint.text(Tone::Good, "✓")));
    } else {
        output::line(format!("{} {}: the replay comes to another state", context.paint.text(Tone::Bad, "✗"), record.id));
        differences.iter().for_each(|difference| output::line(format!("  {difference}")));
    }
    Ok(if differences.is_empty() { Exit::Ok } else { Exit::Failed })
}

/// Where the fold of all events differs from what was kept of the run: its hash chain, its snapshot and its record.
fn differences(context: &Context, store: &Sqlite, record: &RunRecord) -> Result<Vec<String>, Failure> {
    // A journal that somebody has changed may well replay, but not to what happened.
    if let Err(broken) = journal::verify(store, &record.id)? {
        return Ok(vec![broken.to_string()]);
    }
    let definitions = Definitions::new(context.library());
    let kept = journal::load(store, record, &definitions)?;
    let replayed = journal::replay(store, record, &definitions, u64::MAX, |_, _, _| {})?;
    let mut differences = Vec::new();
    let mut compare = |what: &str, kept: &str, replayed: &str| {
        if kept != replayed {
            differences.push(format!("{what}: {kept} was kept, {replayed} was replayed"));
        }
    };
    let status = view::status(&replayed.state);
    let word = if status.is_open() && !matches!(status, view::RunStatus::Paused | view::RunStatus::OutOfBudget) {
        "running"
    } else {
        status.word()
    };
    let word = if status == view::RunStatus::OutOfBudget { "paused" } else { word };
    compare("status", &record.status, word);
    compare("state", &record.state, replayed.state.here.state.as_str());
    compare("events", &record.seq.to_string(), &replayed.state.seq.to_string());
    let as_value = |state| serde_json::to_value::<&motet_core::State>(state).unwrap_or_default();
    let (kept, replayed) = (as_value(&kept.state), as_value(&replayed.state));
    for (field, value) in kept.as_object().into_iter().flatten() {
        let other = replayed.get(field).unwrap_or(&serde_json::Value::Null);
        compare(field, &value.to_string(), &other.to_string());
    }
    Ok(differences)
}
