//! `motet status`: how a run stands, from its journal, whether or not anybody drives it.

use std::collections::BTreeMap;

use motet_core::units::show_duration;
use motet_core::view::RunStatus;
use motet_core::{RunView, view};
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, journal, wall_clock};
use serde_json::{Value, json};

use super::cost::untold;
use super::{Context, Exit, Failure, MOTET, Tone, output};
use crate::casting;
use crate::driving;
use crate::graph::{self, Options, Picture};
use crate::home::{self, LAST, Mirror};
use crate::progress::holdups::{self, Holdup};
use crate::progress::{self, asked, columns, width, words};
use crate::stand_in::StandIn;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
    /// Draw the machine, with where the run is and has been
    #[arg(long)]
    graph: bool,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record, mirror) = look(context, &args.run)?;
    let picture = args.graph.then(|| {
        let visited = mirror.state.visits.keys().map(|state| state.as_str());
        Picture::of(&mirror.definition, Options { trouble: false }).at(Some(mirror.state.here.state.as_str()), visited)
    });
    if context.json {
        let mut told = as_json(context, &store, &record, &mirror)?;
        told["graph"] = json!(picture.as_ref().map(graph::json));
        output::json(&told);
        return Ok(Exit::Ok);
    }
    if let Some(picture) = &picture {
        output::line(graph::terminal(picture, columns(), &context.paint).trim_end());
    }
    show(context, &store, &record, &mirror)?;
    Ok(Exit::Ok)
}

/// A run as it stands in the database.
pub fn look(context: &Context, reference: &str) -> Result<(Sqlite, RunRecord, Mirror), Failure> {
    let (store, record) = context.home.open_for(reference)?;
    let mirror = Mirror::load(&store, &record, &Definitions::new(context.library()))?;
    Ok((store, record, mirror))
}

pub fn show(context: &Context, store: &Sqlite, record: &RunRecord, mirror: &Mirror) -> Result<(), Failure> {
    if context.json {
        output::json(&as_json(context, store, record, mirror)?);
        return Ok(());
    }
    let driver = home::driver_of(store, record)?;
    let view = viewed(record, mirror)?;
    let paint = context.paint;
    let waiting = if view.status == RunStatus::Running { home::waiting_below(store, record)? } else { None };
    let standing = match (view.status, &driver, &waiting) {
        (RunStatus::Running, None, Some(child)) => format!("waits for its child run {0}; `{MOTET} status {0}` tells why", child.id),
        (RunStatus::Running, None, None) => format!("interrupted; `{MOTET} resume` goes on"),
        (status, Some(driver), _) => format!("{}, driven by process {}", words::status(status), driver.pid),
        (status, None, _) => words::status(status).to_string(),
    };
    let because = view.pause_reason.clone().filter(|reason| !reason.is_empty()).or_else(|| view.because.clone());
    let because = because.map(|because| format!(": {}", words::one_line(&because, usize::MAX))).unwrap_or_default();
    output::line(format!("{}  {}{because}", paint.text(Tone::Strong, view.run.as_str()), paint.text(Tone::Accent, &standing)));
    if let Some(broken) = &record.summary.broken {
        output::line(format!("  {}: {broken}", paint.text(Tone::Bad, "broken")));
    }
    for Holdup { line, until, .. } in held_up(context, record, driver.is_some()) {
        let left = show_duration(until.since(wall_clock()()).div_ceil(1000) * 1000);
        output::line(format!("  {}: {} (for {left} more)", paint.text(Tone::Warning, "held up"), words::one_line(&line, usize::MAX)));
    }
    let family = casting::family(&mirror.definition, &context.library());
    let offline = driving::casting(&mirror.state).map(|casting| casting.offline_lines(&family)).unwrap_or_default();
    let stood_in = stood_in(store, record, mirror)?.into_iter().map(|(stand_in, times)| match times {
        1 => stand_in.told("answered"),
        times => format!("{} (last of {times} times)", stand_in.told("answered")),
    });
    for (name, text) in facts(&view, record, untold::of(context, store, record))
        .into_iter()
        .chain(offline.into_iter().chain(stood_in).map(|line| ("agents", line)))
    {
        output::line(words::folded(&format!("  {name:<9} {text}"), 12, width()));
    }
    tasks(&view, context);
    for gate in mirror.state.gates.values() {
        output::line(paint.text(Tone::Warning, "\n  a person is asked"));
        asked(gate, &record.id, mirror.state.gates.len(), &context.home).iter().for_each(|line| output::line(format!("    {line}")));
    }
    for warning in &view.warnings {
        output::line(format!("  {}: {}", paint.text(Tone::Warning, "warning"), warning.text));
    }
    for error in &view.errors {
        output::line(format!("  {}: {}: {}", paint.text(Tone::Bad, "error"), error.state, words::one_line(&error.failure.message, 300)));
    }
    if !view.output.is_null() {
        output::line("\n  output");
        words::outline(&view.output).iter().for_each(|line| output::line(format!("    {line}")));
    }
    for file in context.home.files(&record.id) {
        output::line(format!("  file      {}", file.display()));
    }
    Ok(())
}

/// Who answered for somebody who could not, each once, with the latest reason and how often it was so.
fn stood_in(store: &Sqlite, record: &RunRecord, mirror: &Mirror) -> Result<Vec<(StandIn, usize)>, Failure> {
    let has_chain = driving::casting(&mirror.state).is_ok_and(|casting| casting.roles.values().any(|part| !part.fallback.is_empty()));
    if !has_chain {
        return Ok(Vec::new());
    }
    let mut all: BTreeMap<(String, Vec<String>), (StandIn, usize)> = BTreeMap::new();
    for stand_in in journal::events(store, &record.id, 0)?.iter().filter_map(|event| StandIn::of(&event.fact)) {
        let whose = (stand_in.agent.clone(), stand_in.instead_of.iter().map(|passed| passed.agent.clone()).collect());
        let times = all.get(&whose).map_or(0, |(_, times)| *times);
        all.insert(whose, (stand_in, times + 1));
    }
    Ok(all.into_values().collect())
}

/// Which providers take no calls of it just now. Whoever drove it before may have left a note behind.
fn held_up(context: &Context, record: &RunRecord, is_driven: bool) -> Vec<Holdup> {
    let noted = holdups::noted(&context.home.run_directory(&record.id), wall_clock()());
    if is_driven { noted } else { Vec::new() }
}

fn viewed(record: &RunRecord, mirror: &Mirror) -> Result<RunView, Failure> {
    view(&mirror.definition, &mirror.state).ok_or_else(|| Failure::failed(format!("run {} has no events", record.id)))
}

fn as_json(context: &Context, store: &Sqlite, record: &RunRecord, mirror: &Mirror) -> Result<Value, Failure> {
    let driver = home::driver_of(store, record)?;
    let view = viewed(record, mirror)?;
    let mut value = progress::told(&mirror.definition, &mirror.state, untold::of(context, store, record));
    // The machine knows neither whether its journal can be gone on with nor whether anybody drives it.
    match (&record.summary.broken, view.status, &driver) {
        (Some(_), ..) => value["status"] = json!("broken"),
        (None, RunStatus::Running, None) => {
            let waiting = home::waiting_below(store, record)?.is_some();
            value["status"] = json!(if waiting { "waiting_user" } else { "interrupted" });
        }
        _ => {}
    }
    value["created_at"] = json!(record.created_at.to_string());
    value["agents"] = json!(driving::casting(&mirror.state).ok().map(|casting| casting.agents));
    let stood_in = stood_in(store, record, mirror)?
        .into_iter()
        .map(|(stand_in, times)| json!({ "agent": stand_in.agent, "instead_of": stand_in.instead_of, "times": times }));
    value["stood_in"] = stood_in.collect();
    value["broken"] = json!(record.summary.broken);
    let held_up = held_up(context, record, driver.is_some()).into_iter();
    value["held_up"] = held_up.map(|Holdup { by, line, until }| json!({ "by": by, "line": line, "until": until.to_string() })).collect();
    value["pid"] = json!(driver.map(|driver| driver.pid));
    value["files"] = json!(context.home.files(&record.id));
    Ok(value)
}

fn facts(view: &RunView, record: &RunRecord, untold: u64) -> Vec<(&'static str, String)> {
    let mut facts = vec![("workflow", format!("{} {} ({})", view.workflow, view.version, view.digest.short()))];
    facts.push(("started", format!("{} by {}{}", view.started_at, view.by, if view.unattended { ", unattended" } else { "" })));
    let until = view.ended_at.unwrap_or(view.updated_at);
    facts.push(("lasted", show_duration(until.since(view.started_at))));
    let path: Vec<&str> = view.path.iter().map(|passage| passage.to.as_str()).collect();
    let skipped = path.len().saturating_sub(12);
    let shown = path[skipped..].join(" → ");
    facts.push(("path", if skipped > 0 { format!("… {shown}") } else { shown }));
    if !view.counters.is_empty() {
        let counters = view.counters.iter().map(|(name, counter)| match counter.max {
            Some(max) => format!("{name} {} of {max}", counter.used),
            None => format!("{name} {}", counter.used),
        });
        facts.push(("counters", counters.collect::<Vec<_>>().join(", ")));
    }
    let money = &view.money;
    if money.cap.is_some() || money.spent.0 + money.inherited.0 + money.uncertain.0 + untold > 0 {
        let cap = money.cap.map(|cap| format!(" of {cap}")).unwrap_or_default();
        let reserved = if money.reserved.0 > 0 { format!(", {} reserved", money.reserved) } else { String::new() };
        let inherited = if money.inherited.0 > 0 { format!(", after {} before the fork", money.inherited) } else { String::new() };
        let uncertain = if money.uncertain.0 > 0 { format!(", {} uncertain", money.uncertain) } else { String::new() };
        facts.push(("money", format!("{}{cap}{inherited}{reserved}{uncertain}", words::spent(money.spent, untold))));
    }
    let tokens = view.usage.tokens_in + view.usage.tokens_out;
    if tokens > 0 {
        facts.push(("tokens", format!("{tokens} ({} in, {} out)", view.usage.tokens_in, view.usage.tokens_out)));
    }
    if view.usage.tool_calls > 0 {
        facts.push((
            "tools",
            format!("used {}", if view.usage.tool_calls == 1 { "once".into() } else { format!("{} times", view.usage.tool_calls) }),
        ));
    }
    if let Some((origin, seq)) = &record.fork {
        facts.push(("forked", format!("from {origin} at event {seq}")));
    }
    if let Some(parent) = &record.parent {
        facts.push(("for", parent.to_string()));
    }
    facts
}

fn tasks(view: &RunView, context: &Context) {
    for task in &view.tasks {
        let title = task.title.as_ref().map(|title| format!("  {}", words::one_line(title, 60))).unwrap_or_default();
        let error = task.last_error.as_ref().map(|error| format!("  ({})", words::one_line(error, 80))).unwrap_or_default();
        let attempt = if task.attempt > 1 { format!(", attempt {}", task.attempt) } else { String::new() };
        let status = context.paint.text(Tone::Accent, words::task_status(task.status));
        output::line(format!("  task      {} by {}: {status}{attempt}{title}{error}", task.task, task.agent));
    }
}
