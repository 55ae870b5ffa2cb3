//! `motet cost`: what a run has cost, by agent, state and model; or what all runs have cost, by day and workflow.
//! It counts what the journal says, and marks what the journal says is an estimate.

mod account;
pub mod untold;

use std::collections::BTreeMap;

use motet_core::units::{Time, Usd};
use motet_host::engine::Definitions;
use motet_host::journal::Loaded;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Store, journal};
use serde_json::json;

use account::{Account, Sum, Sums};

use super::{Context, Exit, Failure, MOTET, Tone, output};
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
fn of_run(reference: &str, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(reference)?;
    let (account, loaded) = accounted(&store, &record, &Definitions::new(context.library()))?;
    let money = &loaded.state.money;
    let inherited = money.inherited.spent;
    let overrun = money.overrun.saturating_sub(money.inherited.overrun);
    let spent = (money.spent + money.overrun).saturating_sub(inherited);
    let total = |of: fn(&Sum) -> u64| account.states.values().map(of).sum::<u64>();
    let untold = untold::of(context, &store, &record);
    if context.json {
        let all = |sums: &Sums| sums.iter().map(|(name, sum)| (name.clone(), sum.json())).collect::<serde_json::Map<_, _>>();
        output::json(&json!({
            "run": record.id, "workflow": record.workflow, "spent": spent.dollars(), "reserved": money.reserved.dollars(),
            "uncertain": money.uncertain.saturating_sub(money.inherited.uncertain).dollars(), "overrun": overrun.dollars(), "inherited": (inherited + money.inherited.uncertain).dollars(), "cap": money.cap.map(Usd::dollars),
            "by_agent": all(&account.agents), "by_state": all(&account.states), "by_model": all(&account.players),
            "played_by": account.played_by, "tools_used": total(|sum| sum.tools), "cost_not_told": untold,
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
    let spent = words::spent(spent, untold);
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
            "{}: nobody says what {} cost; `price` under [agents.ROLE] says it, and `per_call` under [budget] sets a ceiling",
            words::NOT_TOLD,
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
        let (tokens_in, tokens_out, cost) = (tokens(sum.tokens_in), tokens(sum.tokens_out), words::told(sum.cost, sum.untold));
        let uncertain = uncertain(&sum.uncertain.to_string());
        let tools = tools(&sum.tools.to_string());
        output::line(format!("{name:<width$}  {:>6}{tools}  {tokens_in:>10}  {tokens_out:>10}  {cost:>10}{uncertain}", sum.calls));
    }
}

/// What a run's events have cost, with the run as it stands after them.
fn accounted(store: &dyn Store, record: &RunRecord, definitions: &Definitions) -> Result<(Account, Loaded), journal::Error> {
    let shared = record.fork.as_ref().map_or(0, |(_, at)| *at);
    let mut account: Option<Account> = None;
    let loaded = journal::replay(store, record, definitions, u64::MAX, |definition, state, event| {
        let new = || Account::new(driving::casting(state).unwrap_or_default(), shared);
        account.get_or_insert_with(new).follow(definition, state, event);
    })?;
    Ok((account.unwrap_or_default(), loaded))
}

/// What some runs came to.
#[derive(Default)]
struct Whole {
    runs: u64,
    spent: Usd,
    uncertain: Usd,
    untold: u64,
}

impl Whole {
    fn add(&mut self, other: &Whole) {
        self.runs += other.runs;
        self.spent += other.spent;
        self.uncertain += other.uncertain;
        self.untold += other.untold;
    }

    fn line(&self, day: &str, workflow: &str) -> String {
        let (cost, uncertain) = (words::told(self.spent, self.untold), self.uncertain.to_string());
        format!("{day:<10}  {workflow:<24}  {:>5}  {cost:>10}  {uncertain:>10}", self.runs)
    }
}

/// What a run has cost is counted on the day it was last at work.
fn of_all(context: &Context) -> Result<Exit, Failure> {
    let store = context.home.open()?;
    let mut records = store.as_ref().map(|store| store.runs(&Filter::default())).transpose()?.unwrap_or_default();
    // What a child has cost is in what its parent has cost.
    records.retain(|record| record.parent.is_none());
    let untold = store.as_ref().map(|store| untold::of_all(context, store, &records)).unwrap_or_default();
    let mut days: BTreeMap<(String, String), Whole> = BTreeMap::new();
    let mut total = Whole::default();
    for record in &records {
        let untold = untold.get(&record.id).copied().unwrap_or_default();
        let one = Whole { runs: 1, spent: record.summary.spent, uncertain: record.summary.uncertain, untold };
        days.entry((day(record), record.workflow.clone())).or_default().add(&one);
        total.add(&one);
    }
    if days.is_empty() {
        output::remark("nothing has been run here yet", context);
    }
    if !context.json && !days.is_empty() {
        let head = format!("{:<10}  {:<24}  {:>5}  {:>10}  {:>10}", "day (UTC)", "workflow", "runs", "cost", "uncertain");
        output::line(context.paint.text(Tone::Quiet, &head));
    }
    for ((day, workflow), whole) in days.iter().rev() {
        match context.json {
            true => output::json(&json!({
                "day": day, "workflow": workflow, "runs": whole.runs, "spent": whole.spent.dollars(),
                "uncertain": whole.uncertain.dollars(), "cost_not_told": whole.untold,
            })),
            false => output::line(whole.line(day, workflow)),
        }
    }
    if !context.json && days.len() > 1 {
        output::line(context.paint.text(Tone::Strong, &total.line("all", "")));
    }
    if !context.json && total.untold > 0 {
        let calls = words::count(total.untold, "call");
        let note = format!("{}, +: nobody says what {calls} cost; `{MOTET} cost RUN` shows which", words::NOT_TOLD);
        output::line(format!("\n{}", context.paint.text(Tone::Quiet, &note)));
    }
    Ok(Exit::Ok)
}

fn day(record: &RunRecord) -> String {
    let moment: Time = record.ended_at.unwrap_or(record.updated_at);
    moment.to_string().chars().take(10).collect()
}
