//! `motet verify`: proves that the journals are what was written, link by link. It runs no machine and needs no workflow.

use motet_core::names::RunId;
use motet_host::store::Filter;
use motet_host::{Store as _, journal};
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`; without one, all runs
    run: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let Some(store) = context.home.open()? else {
        output::line("nothing has been run here yet");
        return Ok(Exit::Ok);
    };
    let runs: Vec<RunId> = match &args.run {
        Some(reference) => vec![crate::home::resolve(&store, reference)?.id],
        None => store.runs(&Filter::default())?.into_iter().map(|record| record.id).collect(),
    };
    let mut exit = Exit::Ok;
    for run in runs {
        let verified = journal::verify(&store, &run)?;
        let (mark, said) = match &verified {
            Ok(verified) => (context.paint.text(Tone::Good, "✓"), format!("{} events, head {}", verified.events, verified.head.short())),
            Err(broken) => (context.paint.text(Tone::Bad, "✗"), broken.to_string()),
        };
        match &verified {
            Ok(verified) if context.json => output::json(&json!({ "run": run, "ok": true, "verified": verified })),
            Err(broken) if context.json => output::json(&json!({ "run": run, "ok": false, "why": broken.to_string(), "broken": broken })),
            _ => output::line(format!("{mark} {run}: {said}")),
        }
        if verified.is_err() {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}
