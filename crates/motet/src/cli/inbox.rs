//! `motet inbox`: every question that waits for a person, of all runs.

use motet_core::names::RunId;
use motet_core::state::OpenGate;
use motet_core::view::gate_view;
use motet_host::engine::Definitions;
use motet_host::store::Filter;
use motet_host::{Sqlite, Store as _};
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::home::Mirror;
use crate::progress::asked;

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: &Args, context: &Context) -> Result<Exit, Failure> {
    let gates = match context.home.open()? {
        Some(store) => open_gates(context, &store)?,
        None => Vec::new(),
    };
    if gates.is_empty() && !context.json {
        output::line("nobody is asked anything");
    }
    for (run, gate) in &gates {
        if context.json {
            output::json(&json!({ "run": run, "gate": gate_view(gate) }));
            continue;
        }
        output::line(context.paint.text(Tone::Strong, run.as_str()));
        asked(gate, run, open_at(&gates, run), &context.home).iter().for_each(|line| output::line(format!("  {line}")));
    }
    Ok(Exit::Ok)
}

/// How many of them are of one run.
pub fn open_at(gates: &[(RunId, OpenGate)], run: &RunId) -> usize {
    gates.iter().filter(|(other, _)| other == run).count()
}

/// Those that have waited longest first.
pub fn open_gates(context: &Context, store: &Sqlite) -> Result<Vec<(RunId, OpenGate)>, Failure> {
    let definitions = Definitions::new(context.library());
    let mut gates = Vec::new();
    for record in store.runs(&Filter::open())?.into_iter().filter(|record| record.summary.gate.is_some()) {
        // One journal that cannot be read does not keep the other questions from being seen.
        match Mirror::load(store, &record, &definitions) {
            Ok(mirror) => gates.extend(mirror.state.gates.into_values().map(|gate| (record.id.clone(), gate))),
            Err(failure) => drop(failure.print()),
        }
    }
    gates.sort_by_key(|(_, gate)| gate.opened_at);
    Ok(gates)
}
