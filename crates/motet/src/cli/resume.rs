//! `motet resume`: goes on with a run where it stands, however it was left.

use motet_core::event::Person;
use motet_core::names::RunId;
use motet_core::state::Status;
use motet_host::Store as _;
use motet_host::control::{self, Ask, Tell};
use motet_host::engine::Command;
use motet_host::store::{Filter, RunRecord};

use super::run::{AsPerson, Limits, announce_offline, is_attended};
use super::{Context, Exit, Failure, MOTET, detached, output, starting, status};
use crate::config::Config;
use crate::driving::{self, Manner, Opened};
use crate::home;
use crate::spending::Spending;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`; without one, the only run that can go on
    run: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Answer every gate with its first option, every question with its default; what could be repeated for ever, once for each reason
    #[arg(long)]
    yes: bool,
    /// Go on in the background
    #[arg(long)]
    detach: bool,
    /// This is the process in the background
    #[arg(long, hide = true)]
    in_background: bool,
    #[command(flatten)]
    person: AsPerson,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if args.in_background {
        detached::detach();
    }
    let record = chosen(args, context)?;
    let by = args.person.person();
    let mut commands = Vec::new();
    // Held until the new cap stands in the database, or this process ends.
    let mut admission = None;
    if let Some(wished) = args.limits.budget {
        let budget = Config::near(&context.directory)?.budget;
        let (spending, admitted) = Spending::count(&context.home, &budget, &record.workflow, Some(record.id.as_str()))?;
        // What a fork has inherited is in its cap, and others have paid for it.
        spending.permit(wished.saturating_sub(record.summary.inherited))?;
        admission = Some(admitted);
    }
    if args.limits.budget.is_some() || args.limits.max_time.is_some() {
        commands.push(Command::RaiseLimits { by: by.clone(), cost: args.limits.budget, time_ms: args.limits.max_time });
    }
    if let Some(exit) = tell_driver(context, &record, &commands, &by)? {
        return Ok(exit);
    }
    // Before it is claimed: a run that cannot go on now is left as it is.
    may_go_on(context, &record.id)?;
    let opened = driving::open_existing(context, &record.id)?;
    let opened = Opened { admission, ..opened };
    let mut commands: Vec<_> = commands.into_iter().map(|command| (record.id.clone(), command)).collect();
    if matches!(opened.mirror.state.status, Status::Paused { .. }) {
        commands.push((record.id.clone(), Command::Resume { by: by.clone() }));
    }
    if args.detach {
        driving::apply(context, opened, commands)?;
        return detached::start(context, &record.id, &by, args.yes);
    }
    announce_offline(&opened.casting, &opened.mirror.definition, context);
    let manner = Manner { attended: is_attended(context), yes: args.yes, hold: args.in_background, by };
    driving::drive(context, opened, commands, &manner)
}

/// Refuses to drive a run that would fail for want of what it had when it started. One that has ended is for others to refuse.
pub fn may_go_on(context: &Context, run: &RunId) -> Result<(), Failure> {
    let (_, record, mirror) = status::look(context, run.as_str())?;
    match record.ended_at {
        Some(_) => Ok(()),
        None => starting::reach_again(&driving::casting(&mirror.state)?, &mirror.definition, context)
            .map_err(|failure| failure.help(format!("{run} is left as it is: put this right, and `{MOTET} resume {run}` goes on"))),
    }
}

/// A run that a living process drives can only be told something: that it has more, or that its pause is over.
fn tell_driver(context: &Context, record: &RunRecord, commands: &[Command], by: &Person) -> Result<Option<Exit>, Failure> {
    let Some(store) = context.home.open()? else { return Ok(None) };
    let Some(driver) = home::driver_of(&store, record)? else { return Ok(None) };
    let paused = record.status == "paused";
    if commands.is_empty() && !paused {
        return Ok(None);
    }
    let resume = Command::Resume { by: by.clone() };
    for command in commands.iter().cloned().chain(paused.then_some(resume)) {
        let ask = Ask::Command { run: record.id.clone(), command };
        if let Tell::Refused { why } = control::send(&context.home.directory, &driver.id, &ask)? {
            return Err(Failure::invalid(why));
        }
    }
    let told = format!("told process {}, which drives {}; `{MOTET} watch {}` shows it", driver.pid, record.id, record.id);
    output::notice(&told, context);
    Ok(Some(Exit::Ok))
}

fn chosen(args: &Args, context: &Context) -> Result<RunRecord, Failure> {
    if let Some(reference) = &args.run {
        let (store, record) = context.home.open_for(reference)?;
        return home::root(&store, &record);
    }
    let nothing = || Failure::invalid("there is no run to resume").help(format!("`{MOTET} list` shows all runs, `{MOTET} run` starts one"));
    let store = context.home.open()?.ok_or_else(nothing)?;
    let mut open: Vec<RunRecord> = store.runs(&Filter::open())?.into_iter().filter(|record| record.parent.is_none()).collect();
    let mut free = Vec::new();
    for record in open.drain(..) {
        if home::driver_of(&store, &record)?.is_none() {
            free.push(record);
        }
    }
    // One that was interrupted is meant before those that wait for an answer.
    let waits = |record: &RunRecord| record.summary.gate.is_some() || record.status == "paused";
    if free.iter().filter(|record| !waits(record)).count() == 1 {
        free.retain(|record| !waits(record));
    }
    match free.len() {
        0 => Err(nothing()),
        1 => Ok(free.remove(0)),
        count => {
            let ids: Vec<&RunId> = free.iter().map(|record| &record.id).take(8).collect();
            let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
            Err(Failure::invalid(format!("{count} runs can go on: {}", ids.join(", "))).help("name one of them, or `last`"))
        }
    }
}
