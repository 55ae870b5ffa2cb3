//! `motet migrate`: which open runs could go on with the workflow as it is installed now.
//! It moves nothing: a run stays with the version it began with.

use motet_core::event::Fact;
use motet_core::{Definition, State, step};
use motet_host::engine::Definitions;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Sqlite, Store as _, journal};
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};

#[derive(clap::Args)]
pub struct Args {
    /// Nothing is moved, with or without this
    #[arg(long)]
    dry_run: bool,
}

/// What the installed version would make of a run.
enum Finding {
    /// It is the version the run is pinned to.
    Same,
    /// Every event applies, and leads to the same state.
    CouldMove,
    Cannot(String),
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    // A run keeps the version it began with, so there is no other way to be asked.
    let Args { dry_run: _ } = args;
    let Some(store) = context.home.open()? else {
        output::remark("nothing has been run here yet", context);
        return Ok(Exit::Ok);
    };
    let library = context.library();
    let mut different = 0;
    for record in store.runs(&Filter::open())? {
        let finding = match library.load(&record.workflow) {
            Ok(loaded) => examine(context, &store, &record, &loaded.definition)?,
            Err(problem) => Finding::Cannot(problem.summary()),
        };
        different += usize::from(!matches!(finding, Finding::Same));
        show(context, &record, &finding);
    }
    if different == 0 && !context.json {
        output::line("every open run has the version of its workflow that is installed");
    }
    Ok(Exit::Ok)
}

fn examine(context: &Context, store: &Sqlite, record: &RunRecord, installed: &Definition) -> Result<Finding, Failure> {
    if installed.digest == record.digest {
        return Ok(Finding::Same);
    }
    let pinned = journal::replay(store, record, &Definitions::new(context.library()), u64::MAX, |_, _, _| {})?.state;
    let mut state = State::default();
    for mut event in journal::events(store, &record.id, 0)? {
        if let Fact::RunStarted(started) = &mut event.fact {
            started.digest = installed.digest.clone();
        }
        if let Err(rejected) = step(installed, &mut state, &event) {
            return Ok(Finding::Cannot(format!("event {} does not apply any more: {rejected}", event.seq)));
        }
    }
    let places = |state: &State| state.path.iter().map(|passage| passage.to.to_string()).collect::<Vec<_>>();
    let (was, is) = (places(&pinned), places(&state));
    Ok(match was.iter().zip(&is).position(|(was, is)| was != is) {
        Some(place) => Finding::Cannot(format!("its path would have been another: {} instead of {}", is[place], was[place])),
        None if was.len() != is.len() => Finding::Cannot(format!("it would be in {} instead of {}", state.here.state, pinned.here.state)),
        None => Finding::CouldMove,
    })
}

fn show(context: &Context, record: &RunRecord, finding: &Finding) {
    let (word, why) = match finding {
        Finding::Same => ("same", None),
        Finding::CouldMove => ("could_move", None),
        Finding::Cannot(why) => ("cannot", Some(why)),
    };
    if context.json {
        return output::json(
            &json!({ "run": record.id, "workflow": record.workflow, "pinned": record.digest, "finding": word, "why": why }),
        );
    }
    match finding {
        Finding::Same => {}
        Finding::CouldMove => {
            output::line(format!("{} {}: could move to the installed {}", context.paint.text(Tone::Good, "✓"), record.id, record.workflow))
        }
        Finding::Cannot(why) => {
            output::line(format!("{} {}: stays with its version; {why}", context.paint.text(Tone::Bad, "✗"), record.id))
        }
    }
}
