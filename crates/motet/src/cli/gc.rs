//! `motet gc`: removes runs that ended long ago, with their files, and indexes and copies of pages that no run has used for as long.
//! Open runs and what they need always stay.

use std::time::Duration;

use motet_agents::worktree;
use motet_core::units::show_duration;
use motet_host::gc::{Policy, collect};
use motet_host::store::Removed;
use motet_host::wall_clock;
use serde_json::Value;

use super::run::duration;
use super::{Context, Exit, Failure, output};
use crate::progress::words;

#[derive(clap::Args)]
pub struct Args {
    /// Only runs that ended longer ago than this
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = age)]
    older_than: u64,
    /// Keep this many of the newest in any case
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep: usize,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
}

/// Zero is an age, though no duration for anything else.
fn age(text: &str) -> Result<u64, String> {
    if motet_core::units::parse_duration(text) == Some(0) { Ok(0) } else { duration(text) }
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let Some(mut store) = context.home.open()? else {
        match context.json {
            true => output::json(&told(&Removed::default(), 0, 0)),
            false => output::line("nothing has been run here yet"),
        }
        return Ok(Exit::Ok);
    };
    let policy = Policy { older_than_ms: Some(args.older_than), keep_newest: args.keep, compact: true, dry_run: args.dry_run };
    let removed = collect(&mut store, &policy, wall_clock()())?;
    if !args.dry_run {
        for run in &removed.runs {
            let directory = context.home.run_directory(run);
            let kept = worktree::remove(&directory);
            if kept.is_empty() {
                // What is left of the files of a run that is gone is only untidy.
                let _ = std::fs::remove_dir_all(&directory);
            }
            for kept in kept {
                output::error(&format!(
                    "{} is kept, with its run's files: it may hold work that is not in the project, and git cannot commit it there. Take \
                     out what you need, then delete {}\n",
                    kept.path.display(),
                    directory.display()
                ));
            }
        }
    }
    let older_than = Duration::from_millis(args.older_than);
    let indexes = motet_evidence::index::remove_unused(&context.home.indexes(), older_than, args.dry_run).len() as u64;
    let copies = motet_evidence::fetch::remove_unused_copies(&context.home.page_copies(), older_than, args.dry_run) as u64;
    if context.json {
        output::json(&told(&removed, indexes, copies));
        return Ok(Exit::Ok);
    }
    let verb = if args.dry_run { "would remove" } else { "removed" };
    if indexes > 0 {
        let what = if indexes == 1 { "1 index".to_string() } else { format!("{indexes} indexes") };
        output::line(format!("{verb} {what} of documents that no run has used since"));
    }
    if copies > 0 {
        output::line(format!(
            "{verb} {} of pages that no run has used since",
            if copies == 1 { "1 copy".to_string() } else { format!("{copies} copies") }
        ));
    }
    if removed.runs.is_empty() && indexes + copies > 0 {
        return Ok(Exit::Ok);
    }
    if removed.runs.is_empty() {
        output::line(format!("nothing to remove: no run ended more than {} ago", show_duration(args.older_than)));
        return Ok(Exit::Ok);
    }
    let (runs, events) = (words::count(removed.runs.len() as u64, "run"), words::count(removed.events, "event"));
    output::line(format!("{verb} {runs} with {events} ({} KiB)", removed.bytes / 1024));
    removed.runs.iter().for_each(|run| output::line(format!("  {run}")));
    Ok(Exit::Ok)
}

fn told(removed: &Removed, indexes: u64, copies: u64) -> Value {
    let mut told = serde_json::to_value(removed).unwrap_or_default();
    told["indexes"] = indexes.into();
    told["copies"] = copies.into();
    told
}
