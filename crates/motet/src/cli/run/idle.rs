//! Flags that could have no effect on the run that is asked for. They are refused, since whoever gives one counts on it.
//! What settings and variables say is meant for many runs and is not looked at, nor is a flag that only forbids something.

use std::sync::Arc;

use motet_core::Definition;
use motet_core::definition::{Agent, Does};

use super::Args;
use crate::casting::{Casting, family};
use crate::cli::{Context, Failure};
use crate::researching::is_own;

pub fn refuse(args: &Args, casting: &Casting, definition: &Arc<Definition>, context: &Context) -> Result<(), Failure> {
    match &casting.case {
        Some(_) => of_players(args).map_or(Ok(()), |flag| {
            Err(Failure::invalid(format!("{flag} has no effect: a case plays the agents, and brings along what they say"))
                .help(format!("leave {flag} away, or `{}`", if args.demo { "--demo" } else { "--case" })))
        }),
        None => {
            if let Some(flag) = of_case(args) {
                return Err(Failure::invalid(format!("{flag} has no effect: it says how fast a case is played, and none is"))
                    .help(format!("leave {flag} away, or play a case with `--demo` or `--case CASE`")));
            }
            match of_sources(args) {
                Some(flag) if !is_searching(casting, definition, context) => {
                    Err(Failure::invalid(format!("{flag} has no effect: no agent of {} searches anything", definition.name)).help(format!(
                        "leave {flag} away, or give a role the tools to search, with `tools = [\"evidence.*\"]` under [agents.ROLE]"
                    )))
                }
                _ => Ok(()),
            }
        }
    }
}

/// What would say who plays, what that costs, or what they may search.
fn of_players(args: &Args) -> Option<&'static str> {
    let overrides = &args.overrides;
    let given = [
        ("--model", overrides.model.is_some()),
        ("--agent", !overrides.agents.is_empty()),
        ("--price", !overrides.prices.is_empty()),
        ("--max-call-cost", overrides.max_call_cost.is_some()),
    ];
    first(&given).or_else(|| of_sources(args))
}

fn of_sources(args: &Args) -> Option<&'static str> {
    first(&[("--docs", !args.docs.is_empty()), ("--web", args.web)])
}

fn of_case(args: &Args) -> Option<&'static str> {
    first(&[("--pace", args.pace.pace.is_some()), ("--beat", args.pace.beat.is_some())])
}

fn first(given: &[(&'static str, bool)]) -> Option<&'static str> {
    given.iter().find(|(_, is_given)| *is_given).map(|(flag, _)| *flag)
}

/// Whether anybody looks into sources, in the run or in one that it starts: because the workflow says so, or the settings.
fn is_searching(casting: &Casting, definition: &Arc<Definition>, context: &Context) -> bool {
    let searches = |agent: &Agent| {
        let given = casting.part(&agent.role).into_iter().flat_map(|part| &part.tools);
        matches!(agent.does, Does::Prompt(_)) && (agent.gather.is_some() || agent.model.tools.iter().chain(given).any(|tool| is_own(tool)))
    };
    family(definition, &context.library()).iter().any(|definition| definition.agents.values().any(searches))
}
