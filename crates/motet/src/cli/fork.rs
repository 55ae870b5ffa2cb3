//! `motet fork`: a new run that shares another's events up to one of them, pays for none of them, and goes on by itself.

use std::collections::BTreeMap;

use motet_core::names::RunId;
use motet_core::units::Usd;
use motet_host::engine::Definitions;
use motet_host::{Store as _, journal};
use serde_json::Value;

use super::run::{AsPerson, announce_offline, is_attended, new_id};
use super::{Context, Exit, Failure, MOTET, detached, output, shell_quoted, starting};
use crate::config::Config;
use crate::driving::{self, First, Manner, Opened};
use crate::given;
use crate::home::Mirror;
use crate::playing::Past;
use crate::spending::{Admission, Spending};

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// The last event that both share; `motet log` shows their numbers
    #[arg(long, value_name = "N")]
    at: u64,
    /// A new value of the run's data, as name=JSON
    #[arg(long, value_name = "NAME=JSON")]
    set: Vec<String>,
    /// Answer every gate with its first option, every question with its default; what could be repeated for ever, once for each reason
    #[arg(long)]
    yes: bool,
    /// Go on in the background
    #[arg(long)]
    detach: bool,
    #[command(flatten)]
    person: AsPerson,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let set = read_set(&args.set)?;
    let (_, origin) = context.home.open_for(&args.run)?;
    let store = context.home.open_driver()?;
    let record = store.run(&origin.id)?.ok_or_else(|| motet_host::store::Error::NotFound(origin.id.clone()))?;
    if args.at == 0 || args.at > record.seq {
        return Err(Failure::invalid(format!("run {} has no event {}; its events are 1 to {}", record.id, args.at, record.seq))
            .help(format!("`{MOTET} log {}` shows them", record.id)));
    }
    let loaded = journal::replay(&store, &record, &Definitions::new(context.library()), args.at, |_, _, _| {})?;
    if loaded.state.ended.is_some() {
        return Err(Failure::invalid(format!("run {} has ended at event {}, so nothing could follow", record.id, args.at))
            .help(format!("fork at an earlier event; `{MOTET} log {}` shows them", record.id)));
    }
    if let Some(unknown) = set.keys().find(|name| !loaded.definition.data.iter().any(|(known, _)| known.as_str() == name.as_str())) {
        return Err(Failure::invalid(format!("{} has no data `{unknown}`", loaded.definition.name)));
    }
    let run = new_id(&loaded.definition);
    let casting = driving::casting(&loaded.state)?;
    starting::reach_again(&casting, &loaded.definition, context)?;
    let mut past = Vec::new();
    if casting.case.is_some() {
        let mut events = journal::events(&store, &record.id, 0)?;
        events.retain(|event| event.seq <= args.at);
        past.push(Past { run: run.clone(), definition: loaded.definition.clone(), events });
    }
    let mirror = Mirror { run: run.clone(), definition: loaded.definition, state: loaded.state };
    let first = First::Fork { from: record.id.clone(), at_seq: args.at, set };
    let admission = Some(admit(context, &mirror)?);
    context
        .home
        .inherit_archive(&record.id, &run)
        .map_err(|error| Failure::failed(format!("what {} has read cannot be given to its fork: {error}", record.id)))?;
    let opened = Opened { store, mirror, casting, past, first, admission };
    announce_offline(&opened.casting, &opened.mirror.definition, context);
    announce(context, &run, &record.id, args.at);
    if args.detach {
        driving::apply(context, opened, Vec::new())?;
        return detached::start(context, &run, &args.person.person(), args.yes);
    }
    let manner = Manner { attended: is_attended(context), yes: args.yes, hold: false, by: args.person.person() };
    driving::drive(context, opened, Vec::new(), &manner)
}

/// A fork keeps the cap of its origin: what is left of that must be there once more.
fn admit(context: &Context, mirror: &Mirror) -> Result<Admission, Failure> {
    let budget = Config::near(&context.directory)?.budget;
    let (spending, admission) = Spending::count(&context.home, &budget, &mirror.definition.name, None)?;
    let money = &mirror.state.money;
    let left = money.cap.map(|cap| cap.saturating_sub(money.spent + money.uncertain));
    spending.permit(left.unwrap_or(Usd(u64::MAX)))?;
    Ok(admission)
}

fn announce(context: &Context, run: &RunId, origin: &RunId, at: u64) {
    if !context.json {
        output::line(format!("{run} goes on from event {at} of {origin}"));
    }
}

fn read_set(pairs: &[String]) -> Result<BTreeMap<String, Value>, Failure> {
    let mut set = BTreeMap::new();
    for pair in pairs {
        let Some((name, text)) = pair.split_once('=') else {
            return Err(Failure::invalid(format!("`{pair}` is not of the form name=JSON")));
        };
        let value = serde_json::from_str(text).map_err(|error| {
            let quoted = Value::String(text.to_string());
            Failure::invalid(format!("the value of `{name}` is not JSON: {error}"))
                .help(format!("a text is written --set {}", shell_quoted(&format!("{name}={quoted}"))))
        })?;
        set.insert(name.to_string(), given::value(value));
    }
    Ok(set)
}
