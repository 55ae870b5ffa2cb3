//! `motet cost`: what a run has cost, by agent, state and model; or what all runs have cost, by day and workflow.
//! It counts what the journal says, and marks what the journal says is an estimate.

mod account;

use std::collections::BTreeMap;

use motet_core::units::{Time, Usd};
use motet_host::engine::Definitions;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Store as _, journal};
use serde_json::json;

use account::{Account, Sum, Sums};

use super::{Context, Exit, Failure, Tone, output};
use crate::driving;
use crate::progress::words;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`; without one, all runs by day and workflow
    run: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    match &args.run {
        Some(reference) => of_run(reference, context),
        None => of_all(context),
    }
}

/// Stands before what nobody but us has counted.
const ESTIMATED: &str = "~";
/// Stands where nobody says what something has cost.
const UNTOLD: &str = "not told";

fn of_run(reference: &str, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(reference)?;
    let shared = record.fork.as_ref().map_or(0, |(_, at)| *at);
    let mut account: Option<Account> = None;
    let loaded = journal::replay(&store, &record, &Definitions::new(context.library()), u64::MAX, |definition, state, event| {
        let new = || Account::new(driving::casting(state).unwrap_or_default(), shared);
        account.get_or_insert_with(new).follow(definition, state, event);
    })?;
    let account = account.unwrap_or_default();
    let money = &loaded.state.money;
    let inherited = money.inherited.spent;
    let overrun = money.overrun.saturating_sub(money.inherited.overrun);
    let spent = (money.spent + money.overrun).saturating_sub(inherited);
    let total = |of: fn(&Sum) -> u64| account.states.values().map(of).sum::<u64>();
    let untold = total(|sum| sum.untold);
    if context.json {
        let all = |sums: &Sums| sums.iter().map(|(name, sum)| (name.clone(), sum.json())).collect::<serde_json::Map<_, _>>();
        output::json(&json!({
            "run": record.id, "workflow": record.workflow, "spent": spent.dollars(), "reserved": money.reserved.dollars(),
            "uncertain": money.uncertain.saturating_sub(money.inherited.uncertain).dollars(), "overrun": overrun.dollars(), "inherited": (inherited + money.inherited.uncertain).dollars(), "cap": money.cap.map(Usd::dollars),
            "by_agent": all(&account.agents), "by_state": all(&account.states), "by_model": all(&account.players),
            "played_by": account.played_by, "tools_used": total(|sum| sum.tools), "cost_not_told": total(|sum| sum.untold),
        }));
        return Ok(Exit::Ok);
    }
    let cap = money.cap.map(|cap| format!(" of {cap}")).unwrap_or_default();
    let further = [
        ("reserved", money.reserved),
        ("uncertain", money.uncertain.saturating_sub(money.inherited.uncertain)),
        ("beyond what was reserved", overrun),
    ];
    let origin = record.fork.as_ref().filter(|_| inherited.0 > 0);
    let before = origin.map(|(origin, _)| format!(", after {inherited} that {origin} had spent before the fork")).unwrap_or_default();
    let further: String = further.iter().filter(|(_, amount)| amount.0 > 0).map(|(word, amount)| format!(", {amount} {word}")).collect();
    let spent = match (untold, spent) {
        (0, _) => format!("{spent} spent"),
        (_, Usd::ZERO) => "cost not told".to_string(),
        (_, _) => format!("{spent} spent and more that was not told"),
    };
    output::line(format!("{}  {spent}{cap}{before}{further}", context.paint.text(Tone::Strong, record.id.as_str())));
    let players = driving::casting(&loaded.state)?;
    // Who has answered says more than who was to.
    let player = |agent: &str| match account.played_by.get(agent).filter(|players| !players.is_empty()) {
        Some(players) => Some(players.iter().cloned().collect::<Vec<_>>().join(", ")),
        None => players.agents.get(agent).map(|backend| backend.title()),
    };
    let played = account.agents.iter().map(|(agent, sum)| match player(agent) {
        Some(player) => (format!("{agent} ({player})"), sum.clone()),
        None => (agent.clone(), sum.clone()),
    });
    let played: Sums = played.collect();
    for (heading, sums) in [("by agent", &played), ("by state", &account.states), ("by model", &account.players)] {
        table(heading, sums, context);
    }
    if played.values().any(|sum| sum.estimated) {
        let note = format!("{ESTIMATED} holds calls that nobody counted for us, or that ended before it was said what they took");
        output::line(format!("\n{}", context.paint.text(Tone::Quiet, &note)));
    }
    if untold > 0 {
        let note = format!(
            "{UNTOLD}: nobody says what {} cost; `price` under [agents.ROLE] says it, and `per_call` under [budget] sets a ceiling",
            words::count(untold, "call")
        );
        output::line(format!("\n{}", context.paint.text(Tone::Quiet, &note)));
    }
    Ok(Exit::Ok)
}

fn table(heading: &str, sums: &Sums, context: &Context) {
    if sums.is_empty() {
        return;
    }
    let width = sums.keys().map(|name| name.chars().count()).max().unwrap_or(0).max(heading.len());
    let is_uncertain = sums.values().any(|sum| sum.uncertain > Usd::ZERO);
    let uncertain = |text: &str| if is_uncertain { format!("  {text:>10}") } else { String::new() };
    let has_tools = sums.values().any(|sum| sum.tools > 0);
    let tools = |text: &str| if has_tools { format!("  {text:>6}") } else { String::new() };
    let head = format!("{heading:<width$}  {:>6}{}  {:>10}  {:>10}  {:>10}", "calls", tools("tools"), "tokens in", "tokens out", "cost");
    output::line(format!("\n{}", context.paint.text(Tone::Quiet, &(head + &uncertain("uncertain")))));
    for (name, sum) in sums {
        let tokens = |count: u64| format!("{}{count}", if sum.estimated { ESTIMATED } else { "" });
        let (tokens_in, tokens_out, cost) = (tokens(sum.tokens_in), tokens(sum.tokens_out), cost(sum));
        let uncertain = uncertain(&sum.uncertain.to_string());
        let tools = tools(&sum.tools.to_string());
        output::line(format!("{name:<width$}  {:>6}{tools}  {tokens_in:>10}  {tokens_out:>10}  {cost:>10}{uncertain}", sum.calls));
    }
}

fn cost(sum: &Sum) -> String {
    match (sum.untold, sum.cost) {
        (0, cost) => cost.to_string(),
        (_, Usd::ZERO) => UNTOLD.to_string(),
        (_, cost) => format!("{cost}+"),
    }
}

/// What a run has cost is counted on the day it was last at work.
fn of_all(context: &Context) -> Result<Exit, Failure> {
    let records = match context.home.open()? {
        Some(store) => store.runs(&Filter::default())?,
        None => Vec::new(),
    };
    let mut days: BTreeMap<(String, String), (u64, Usd, Usd)> = BTreeMap::new();
    // What a child has cost is in what its parent has cost.
    for record in records.iter().filter(|record| record.parent.is_none()) {
        let entry = days.entry((day(record), record.workflow.clone())).or_default();
        entry.0 += 1;
        entry.1 += record.summary.spent;
        entry.2 += record.summary.uncertain;
    }
    if days.is_empty() {
        output::remark("nothing has been run here yet", context);
    }
    if !context.json && !days.is_empty() {
        let head = format!("{:<10}  {:<24}  {:>5}  {:>10}  {:>10}", "day (UTC)", "workflow", "runs", "cost", "uncertain");
        output::line(context.paint.text(Tone::Quiet, &head));
    }
    for ((day, workflow), (runs, spent, uncertain)) in days.iter().rev() {
        match context.json {
            true => output::json(&json!({
                "day": day, "workflow": workflow, "runs": runs, "spent": spent.dollars(), "uncertain": uncertain.dollars()
            })),
            false => {
                output::line(format!("{day:<10}  {workflow:<24}  {runs:>5}  {:>10}  {:>10}", spent.to_string(), uncertain.to_string()))
            }
        }
    }
    Ok(Exit::Ok)
}

fn day(record: &RunRecord) -> String {
    let moment: Time = record.ended_at.unwrap_or(record.updated_at);
    moment.to_string().chars().take(10).collect()
}
