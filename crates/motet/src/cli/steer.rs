//! `motet pause` and `motet cancel`: told to whoever drives the run, or written to its journal if nobody does.

use motet_host::engine::Command;

use super::run::AsPerson;
use super::telling::tell;
use super::{Context, Exit, Failure, MOTET, output};
use crate::driving;

#[derive(clap::Args)]
pub struct PauseArgs {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// Why
    #[arg(long, default_value = "")]
    reason: String,
    #[command(flatten)]
    person: AsPerson,
}

#[derive(clap::Args)]
pub struct CancelArgs {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// Why
    #[arg(long, default_value = "")]
    reason: String,
    #[command(flatten)]
    person: AsPerson,
}

pub fn pause(args: &PauseArgs, context: &Context) -> Result<Exit, Failure> {
    let command = Command::Pause { by: args.person.person(), reason: args.reason.clone() };
    let run = steer(context, &args.run, command)?;
    output::notice(&format!("{run} is paused; `{MOTET} resume {run}` goes on"), context);
    Ok(Exit::Ok)
}

pub fn cancel(args: &CancelArgs, context: &Context) -> Result<Exit, Failure> {
    let command = Command::Cancel { by: args.person.person(), reason: args.reason.clone() };
    let run = steer(context, &args.run, command)?;
    output::notice(&format!("{run} is cancelled"), context);
    Ok(Exit::Ok)
}

fn steer(context: &Context, reference: &str, command: Command) -> Result<motet_core::names::RunId, Failure> {
    let (store, record) = context.home.open_for(reference)?;
    if record.ended_at.is_some() {
        return Err(driving::ended(&record));
    }
    drop(store);
    tell(context, &record, command)?;
    Ok(record.id)
}
