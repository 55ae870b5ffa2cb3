//! `motet list`: runs, the newest first, as their records tell without replaying anything.

use motet_core::units::show_duration;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Sqlite, Store, wall_clock};
use serde_json::{Value, json};

use super::cost::untold;
use super::{Context, Exit, Failure, Tone, output};
use crate::home;
use crate::progress::{columns, words};

const MOST_PLACE: usize = 24;

#[derive(clap::Args)]
pub struct Args {
    /// Only runs that have not ended
    #[arg(long)]
    open: bool,
    /// Only runs of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Also the runs that other runs have started
    #[arg(long)]
    all: bool,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let Some(store) = context.home.open()? else {
        output::remark("nothing has been run here yet; `motet run --help` shows how to begin", context);
        return Ok(Exit::Ok);
    };
    let filter = Filter { open_only: args.open, workflow: args.workflow.clone(), ..Filter::default() };
    let mut records = store.runs(&filter)?;
    records.retain(|record| args.all || record.parent.is_none());
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let left = records.len().saturating_sub(limit);
    records.truncate(limit);
    if context.json {
        let untold = untold::of_all(context, &store, &records);
        for record in &records {
            output::json(&as_json(&store, record, untold.get(&record.id).copied().unwrap_or_default())?);
        }
        return Ok(Exit::Ok);
    }
    if records.is_empty() {
        output::line("no runs");
    }
    for line in table(context, &store, &records)? {
        output::line(line);
    }
    if left > 0 {
        output::line(context.paint.text(Tone::Quiet, &format!("… and {left} older; --limit shows more")));
    }
    Ok(Exit::Ok)
}

/// One line per run.
pub fn table(context: &Context, store: &Sqlite, records: &[RunRecord]) -> Result<Vec<String>, Failure> {
    let (now, paint) = (wall_clock()(), context.paint);
    let untold = untold::of_all(context, store, records);
    let mut rows = Vec::new();
    for record in records {
        let (word, tone) = standing(store, record)?;
        let age = match now.since(record.updated_at) {
            milliseconds if milliseconds < 1000 => "now".to_string(),
            milliseconds => format!("{} ago", show_duration(milliseconds / 1000 * 1000)),
        };
        rows.push((record, word, tone, age, about(store, record, word)?));
    }
    let id_width = rows.iter().map(|row| row.0.id.as_str().chars().count()).max().unwrap_or(0);
    let word_width = rows.iter().map(|row| row.1.chars().count()).max().unwrap_or(0);
    // An ended run stands nowhere any more; why it ended is the news.
    let place = |record: &RunRecord| match record.ended_at {
        None => record.state.clone(),
        Some(_) => words::one_line(record.summary.because.as_deref().unwrap_or_default(), MOST_PLACE),
    };
    let state_width = rows.iter().map(|row| place(row.0).chars().count()).max().unwrap_or(0);
    let cost = |record: &RunRecord| {
        words::cost(record.summary.spent, record.summary.uncertain, untold.get(&record.id).copied().unwrap_or_default())
    };
    let cost_width = rows.iter().map(|row| cost(row.0).chars().count()).max().unwrap_or(0);
    let age_width = rows.iter().map(|row| row.3.chars().count()).max().unwrap_or(0);
    let used = id_width + word_width + state_width + cost_width + age_width + 10;
    let room = columns().saturating_sub(used).max(10);
    let lines = rows.iter().map(|(record, word, tone, age, about)| {
        let word = paint.text(*tone, &format!("{word:<word_width$}"));
        let about = paint.text(Tone::Quiet, &words::one_line(about, room));
        // Where nothing has cost anything, there is no column for it.
        let cost = if cost_width > 0 { format!("{:>cost_width$}  ", cost(record)) } else { String::new() };
        format!("{:<id_width$}  {word}  {:<state_width$}  {cost}{age:>age_width$}  {about}", record.id, place(record))
            .trim_end()
            .to_string()
    });
    Ok(lines.collect())
}

/// What is wrong with it, what it waits for, or what it is about.
fn about(store: &dyn Store, record: &RunRecord, word: &str) -> Result<String, Failure> {
    let summary = &record.summary;
    let waits_for = match (&summary.broken, &summary.gate) {
        (Some(broken), _) => Some(broken.clone()),
        (None, _) if word != "waiting" => None,
        (None, Some(gate)) => Some(gate.clone()),
        (None, None) => home::waiting_below(store, record)?.map(|child| {
            let why = child.summary.gate.or(child.summary.because).unwrap_or_else(|| child.status.clone());
            format!("{}: {why}", child.id)
        }),
    };
    Ok(waits_for.unwrap_or_else(|| summary.title.clone()))
}

/// Where a run is, in one word, with what the record and the locks say.
pub fn standing(store: &dyn Store, record: &RunRecord) -> Result<(&'static str, Tone), Failure> {
    Ok(match record.status.as_str() {
        _ if record.summary.broken.is_some() => ("broken", Tone::Bad),
        "completed" => ("completed", Tone::Good),
        "partial" => ("partial", Tone::Warning),
        "failed" => ("failed", Tone::Bad),
        "aborted" => ("aborted", Tone::Bad),
        "cancelled" => ("cancelled", Tone::Quiet),
        "paused" => ("paused", Tone::Warning),
        _ if record.summary.gate.is_some() => ("waiting", Tone::Warning),
        _ if home::driver_of(store, record)?.is_some() => ("running", Tone::Accent),
        _ if home::waiting_below(store, record)?.is_some() => ("waiting", Tone::Warning),
        _ => ("interrupted", Tone::Warning),
    })
}

fn as_json(store: &dyn Store, record: &RunRecord, untold: u64) -> Result<Value, Failure> {
    let driver = home::driver_of(store, record)?;
    // The words of `motet status --json`, as far as they can be known without a replay.
    let status = match standing(store, record)?.0 {
        "waiting" => "waiting_user",
        word => word,
    };
    Ok(json!({
        "run": record.id, "workflow": record.workflow, "status": status, "state": record.state,
        "created_at": record.created_at.to_string(), "updated_at": record.updated_at.to_string(),
        "ended_at": record.ended_at.map(|at| at.to_string()), "events": record.seq, "title": record.summary.title,
        "spent": record.summary.spent.dollars(), "uncertain": record.summary.uncertain.dollars(), "cost_not_told": untold, "inherited": record.summary.inherited.dollars(), "broken": record.summary.broken, "gate": record.summary.gate, "because": record.summary.because,
        "parent": record.parent, "forked_from": record.fork, "pid": driver.map(|driver| driver.pid),
    }))
}
