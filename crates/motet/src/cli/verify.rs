//! `motet verify`: proves that journals and archives are what was written, link by link and file by file, or that a report holds
//! against its sources.
//! It runs no machine and needs no workflow.

mod report;
mod second;

use std::path::PathBuf;

use motet_core::names::RunId;
use motet_evidence::archive::{Archive, Fault};
use motet_host::store::Filter;
use motet_host::{Sqlite, Store as _, journal};
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::progress::words;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`; without one, all runs. A path that ends in .md is a report
    run: Option<String>,
    /// The folder of the report's sources, instead of `assets` beside it
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Show every sentence of the report, not only those that do not hold
    #[arg(long)]
    all: bool,
    /// A model that costs nothing and is asked where the words alone decide: `provider/model`, or a model of Ollama
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let is_report = |name: &&String| name.to_lowercase().ends_with(".md") || name.to_lowercase().ends_with(".markdown");
    match args.run.as_ref().filter(is_report) {
        Some(report) => report::run(report, args, context),
        None if args.sources.is_some() || args.all || args.model.is_some() => {
            Err(Failure::invalid("--sources, --all and --model belong to a report")
                .help("name the report first: `motet verify report.md --sources DIR`"))
        }
        None => journals(args, context),
    }
}

fn journals(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if let Some(reference) = &args.run {
        let (store, record) = context.home.open_for(reference)?;
        return all(&store, vec![record.id], context);
    }
    let Some(store) = context.home.open()? else {
        output::remark("nothing has been run here yet", context);
        return Ok(Exit::Ok);
    };
    let runs = store.runs(&Filter::default())?.into_iter().map(|record| record.id).collect();
    all(&store, runs, context)
}

fn all(store: &Sqlite, runs: Vec<RunId>, context: &Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for run in runs {
        let verified = journal::verify(store, &run)?;
        let (documents, faults) = archived(context, &run)?;
        let (mark, said) = match &verified {
            Ok(verified) => (context.paint.text(Tone::Good, "✓"), format!("{} events, head {}", verified.events, verified.head.short())),
            Err(broken) => (context.paint.text(Tone::Bad, "✗"), broken.to_string()),
        };
        let read = if documents == 0 || !faults.is_empty() {
            String::new()
        } else {
            format!(", {}", words::count(documents as u64, "archived document"))
        };
        match &verified {
            Ok(verified) if context.json => output::json(
                &json!({ "run": run, "ok": faults.is_empty(), "verified": verified, "documents": documents, "faults": faults }),
            ),
            Err(broken) if context.json => output::json(
                &json!({ "run": run, "ok": false, "why": broken.to_string(), "broken": broken, "documents": documents, "faults": faults }),
            ),
            _ => output::line(format!("{mark} {run}: {said}{read}")),
        }
        for fault in faults.iter().filter(|_| !context.json) {
            output::line(format!("{} {run}: {} {}", context.paint.text(Tone::Bad, "✗"), fault.path, fault.what));
        }
        if verified.is_err() || !faults.is_empty() {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// How many documents the run has read, and what of them is not as it was written.
fn archived(context: &Context, run: &RunId) -> Result<(usize, Vec<Fault>), Failure> {
    let archive = Archive::open(&context.home.run_directory(run))
        .map_err(|error| Failure::failed(format!("the archive of {run} cannot be read: {error}")))?;
    Ok((archive.records().len(), archive.verify()))
}
