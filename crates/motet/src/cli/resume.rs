//! `motet resume`: goes on with a run where it stands, however it was left.

use motet_core::event::Person;
use motet_core::names::RunId;
use motet_core::state::Status;
use motet_host::Store;
use motet_host::engine::Command;
use motet_host::store::{Filter, RunRecord};

use super::edit::take_in;
use super::run::{AsPerson, Limits, announce_offline, is_attended};
use super::{Context, Exit, Failure, MOTET, detached, list, output, starting, status};
use crate::config::Config;
use crate::driving::{self, Manner, Opened};
use crate::editing::{self, Edit};
use crate::given;
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
    /// Leave out what was edited in the run's files; it is kept beside them as FILE.yours
    #[arg(long)]
    discard_edits: bool,
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
    let Meant { run, driven, paused } = chosen(args, context)?;
    let by = args.person.person();
    // Before the run goes on and writes its files anew.
    let mut commands: Vec<_> = edited(args, context, &run, &by)?.iter().map(|edit| (run.id.clone(), edit.command())).collect();
    // Held until the new cap stands in the database, or this process ends.
    let mut admission = None;
    if let Some(wished) = args.limits.budget {
        let budget = Config::near(&context.directory)?.budget;
        let (spending, admitted) = Spending::count(&context.home, &budget, &run.workflow, Some(run.id.as_str()))?;
        // What a fork has inherited is in its cap, and others have paid for it.
        spending.permit(wished.saturating_sub(run.summary.inherited))?;
        admission = Some(admitted);
    }
    if args.limits.budget.is_some() || args.limits.max_time.is_some() {
        let raise = Command::RaiseLimits { by: by.clone(), cost: args.limits.budget, time_ms: args.limits.max_time };
        commands.push((run.id.clone(), raise));
    }
    commands.extend(paused.map(|paused| (paused, Command::Resume { by: by.clone() })));
    if let Some(exit) = tell_driver(context, &run, &commands)? {
        return Ok(exit);
    }
    // Before it is claimed: a run that cannot go on now is left as it is.
    may_go_on(context, &driven)?;
    let opened = driving::open_existing(context, &driven)?;
    let opened = Opened { admission, ..opened };
    announce_offline(&opened.casting, &opened.mirror.definition, context);
    if args.detach {
        driving::apply(context, opened, commands)?;
        return detached::start(context, &driven, &by, args.yes);
    }
    let manner = Manner { attended: is_attended(context), yes: args.yes, hold: args.in_background, by };
    driving::drive(context, opened, commands, &manner)
}

/// What was edited in the files of the run. At a gate it waits for the answer, unless the run is paused there.
fn edited(args: &Args, context: &Context, run: &RunRecord, by: &Person) -> Result<Option<Edit>, Failure> {
    let (_, record, mirror) = status::look(context, run.id.as_str())?;
    let waits = editing::is_at_gate(&mirror) && !matches!(mirror.state.status, Status::Paused { .. });
    // Who goes on in the background has been asked in the foreground.
    if record.ended_at.is_some() || waits || args.in_background {
        return Ok(None);
    }
    editing::untimely(&context.home, &mirror)?.iter().for_each(|told| output::notice(&format!("note: {told}"), context));
    take_in(context, &mirror, by, args.discard_edits)
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
fn tell_driver(context: &Context, run: &RunRecord, commands: &[(RunId, Command)]) -> Result<Option<Exit>, Failure> {
    let Some(store) = context.home.open()? else { return Ok(None) };
    let Some(driver) = home::driver_of(&store, run)?.filter(|_| !commands.is_empty()) else { return Ok(None) };
    given::send(&context.home, &driver, commands.iter().cloned())?;
    let told = format!("told process {}, which drives {}; `{MOTET} watch {}` shows it", driver.pid, run.id, run.id);
    output::notice(&told, context);
    Ok(Some(Exit::Ok))
}

/// What goes on.
struct Meant {
    /// The run that was named: what it is given, is given to this one.
    run: RunRecord,
    /// The run that is driven for its sake: itself, or the one at the top of those that have started it.
    driven: RunId,
    /// The uppermost of them that is paused. Those below it go on with it.
    paused: Option<RunId>,
}

impl Meant {
    fn of(store: &dyn Store, run: RunRecord) -> Result<Self, Failure> {
        let mut line = vec![run.clone()];
        while let Some(above) = line.last().and_then(|record| record.parent.clone()) {
            match store.run(&above)?.filter(|above| above.ended_at.is_none()) {
                Some(above) => line.push(above),
                None => break,
            }
        }
        let driven = line.last().map_or_else(|| run.id.clone(), |top| top.id.clone());
        let paused = line.iter().rev().find(|record| record.status == "paused").map(|record| record.id.clone());
        Ok(Self { run, driven, paused })
    }
}

fn chosen(args: &Args, context: &Context) -> Result<Meant, Failure> {
    if let Some(reference) = &args.run {
        let (store, record) = context.home.open_for(reference)?;
        let meant = Meant::of(&store, record)?;
        if args.limits.budget.is_some() && meant.run.id != meant.driven {
            let (child, driven) = (&meant.run.id, &meant.driven);
            return Err(Failure::invalid(format!("{child} has no budget of its own: what it may spend, {driven} has given it"))
                .help(format!("`{MOTET} resume {driven} --budget USD` gives the whole run more, of which its next tasks can be paid")));
        }
        return Ok(meant);
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
    let mut interrupted = Vec::new();
    for record in &free {
        if list::standing(&store, record)?.0 == "interrupted" {
            interrupted.push(record.clone());
        }
    }
    if interrupted.len() == 1 {
        free = interrupted;
    }
    match free.len() {
        0 => Err(nothing()),
        1 => Meant::of(&store, free.remove(0)),
        count => {
            let ids: Vec<&RunId> = free.iter().map(|record| &record.id).take(8).collect();
            let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
            Err(Failure::invalid(format!("{count} runs can go on: {}", ids.join(", "))).help("name one of them, or `last`"))
        }
    }
}
