//! `motet log`: the journal in words, what happened and what followed from it.
//! Only what happened is written down; what followed is worked out again here by the same machine.

use motet_host::engine::Definitions;
use motet_host::journal;
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::home::LAST;
use crate::progress::{self, Followed, Narrator};

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
    /// The events as they are written, one per line
    #[arg(long)]
    events: bool,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(&args.run)?;
    if args.events {
        // Without the machine, so that a journal that no longer replays can be read too.
        for event in journal::events(&store, &record.id, 0)? {
            output::json(&event);
        }
        return Ok(Exit::Ok);
    }
    let mut narrator = Narrator::default();
    let width = record.seq.to_string().len();
    let paint = context.paint;
    journal::replay(&store, &record, &Definitions::new(context.library()), u64::MAX, |_, state, event| {
        let told = narrator.tell(event, state);
        if context.json {
            let followed: Vec<_> = told.followed.iter().map(Followed::text).collect();
            let (seq, at, what, entered) = (told.seq, told.at.to_string(), &told.what, &told.entered);
            output::json(&json!({ "seq": seq, "at": at, "told": what, "entered": entered, "followed": followed, "event": event }));
            return;
        }
        let stamp = format!("{} {:>width$}", clock(&told.at.to_string()), told.seq);
        progress::lines(&told, &stamp, paint).into_iter().for_each(output::line);
    })?;
    if !context.json && record.ended_at.is_none() {
        output::line(paint.text(Tone::Quiet, "… the run is open"));
    }
    Ok(Exit::Ok)
}

/// `2026-11-15 20:00:27.005` without the parts that are the same on every line's end.
fn clock(moment: &str) -> String {
    let moment = moment.trim_end_matches('Z').replacen('T', " ", 1);
    if moment.contains('.') { moment } else { format!("{moment}.000") }
}
