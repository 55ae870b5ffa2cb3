//! `motet cost`: what a run has cost, by agent, state and model; or what all runs have cost, by day and workflow.
//! It counts what the journal says, and marks what the journal says is an estimate.

use std::collections::BTreeMap;

use motet_core::State;
use motet_core::event::{Event, Fact, Usage};
use motet_core::names::TaskId;
use motet_core::units::{Time, Usd};
use motet_host::engine::Definitions;
use motet_host::store::{Filter, RunRecord};
use motet_host::{Store as _, journal};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Context, Exit, Failure, Tone, output};
use crate::driving;

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

/// What some calls came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Sum {
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    cost: Usd,
    uncertain: Usd,
    estimated: bool,
}

/// Stands before what nobody but us has counted.
const ESTIMATED: &str = "~";

impl Sum {
    fn add(&mut self, usage: &Usage) {
        self.calls += 1;
        self.tokens_in = self.tokens_in.saturating_add(usage.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(usage.tokens_out);
        self.cost += usage.cost;
        self.uncertain += usage.uncertain;
        self.estimated |= usage.estimated;
    }

    fn json(&self) -> Value {
        json!({
            "calls": self.calls, "tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "cost": self.cost.dollars(),
            "uncertain": self.uncertain.dollars(), "estimated": self.estimated,
        })
    }
}

type Sums = BTreeMap<String, Sum>;

#[derive(Default)]
struct Account {
    agents: Sums,
    states: Sums,
    models: Sums,
    /// Who performs a task that has been started, and in which state.
    begun: BTreeMap<TaskId, (String, String)>,
    /// Of a fork: the last event that it shares with the run it came from, which has paid for everything until then.
    shared: u64,
}

impl Account {
    /// Takes in an event, with the state after it.
    fn follow(&mut self, definition: &motet_core::Definition, state: &State, event: &Event) {
        match &event.fact {
            Fact::TaskStarted { task, .. } => {
                let agent = state.tasks.get(task).and_then(|task| definition.agent_of(task)).map(|agent| agent.name.to_string());
                if let Some(agent) = agent {
                    self.begun.insert(task.clone(), (agent, state.here.state.to_string()));
                }
            }
            Fact::TaskSucceeded { task, usage, exchanges, .. }
            | Fact::TaskFailed { task, usage, exchanges, .. }
            | Fact::TaskAsked { task, usage, exchanges, .. }
                if event.seq > self.shared =>
            {
                self.book(task, usage, exchanges);
            }
            _ => {}
        }
    }

    fn book(&mut self, task: &TaskId, usage: &Usage, exchanges: &[Value]) {
        let Some((agent, state)) = self.begun.get(task).cloned() else { return };
        self.agents.entry(agent).or_default().add(usage);
        self.states.entry(state).or_default().add(usage);
        for exchange in exchanges {
            if let Some((model, usage)) = exchanged(exchange) {
                self.models.entry(model).or_default().add(&usage);
            }
        }
    }
}

/// Which model an exchange was with, and what it took.
fn exchanged(exchange: &Value) -> Option<(String, Usage)> {
    let usage = serde_json::from_value(exchange["usage"].clone()).ok()?;
    let model = match exchange["with"].as_str()? {
        "model" => format!("{}/{}", exchange["provider"].as_str()?, exchange["model"].as_str()?),
        _ => exchange["agent"].as_str()?.to_string(),
    };
    Some((model, usage))
}

fn of_run(reference: &str, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(reference)?;
    let shared = record.fork.as_ref().map_or(0, |(_, at)| *at);
    let mut account = Account { shared, ..Account::default() };
    let loaded = journal::replay(&store, &record, &Definitions::new(context.library()), u64::MAX, |definition, state, event| {
        account.follow(definition, state, event);
    })?;
    let money = &loaded.state.money;
    let inherited = money.inherited.spent;
    let overrun = money.overrun.saturating_sub(money.inherited.overrun);
    let spent = (money.spent + money.overrun).saturating_sub(inherited);
    if context.json {
        let all = |sums: &Sums| sums.iter().map(|(name, sum)| (name.clone(), sum.json())).collect::<serde_json::Map<_, _>>();
        output::json(&json!({
            "run": record.id, "workflow": record.workflow, "spent": spent.dollars(), "reserved": money.reserved.dollars(),
            "uncertain": money.uncertain.saturating_sub(money.inherited.uncertain).dollars(), "overrun": overrun.dollars(), "inherited": inherited.dollars(), "cap": money.cap.map(Usd::dollars),
            "by_agent": all(&account.agents), "by_state": all(&account.states), "by_model": all(&account.models),
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
    output::line(format!("{}  {spent} spent{cap}{before}{further}", context.paint.text(Tone::Strong, record.id.as_str())));
    let players = driving::casting(&loaded.state)?;
    let played: Sums = account
        .agents
        .into_iter()
        .map(|(agent, sum)| match players.agents.get(&agent) {
            Some(backend) => (format!("{agent} ({})", backend.title()), sum),
            None => (agent, sum),
        })
        .collect();
    for (heading, sums) in [("by agent", &played), ("by state", &account.states), ("by model", &account.models)] {
        table(heading, sums, context);
    }
    if played.values().any(|sum| sum.estimated) {
        let note = format!("{ESTIMATED} holds calls that nobody counted for us, or that ended before it was said what they took");
        output::line(format!("\n{}", context.paint.text(Tone::Quiet, &note)));
    }
    Ok(Exit::Ok)
}

fn table(heading: &str, sums: &Sums, context: &Context) {
    if sums.is_empty() {
        return;
    }
    let width = sums.keys().map(|name| name.chars().count()).max().unwrap_or(0).max(heading.len());
    let head = format!("{heading:<width$}  {:>6}  {:>10}  {:>10}  {:>10}", "calls", "tokens in", "tokens out", "cost");
    output::line(format!("\n{}", context.paint.text(Tone::Quiet, &head)));
    for (name, sum) in sums {
        let tokens = |count: u64| format!("{}{count}", if sum.estimated { ESTIMATED } else { "" });
        let cost = format!("{}{}", if sum.uncertain > Usd::ZERO { ESTIMATED } else { "" }, sum.cost);
        let (tokens_in, tokens_out) = (tokens(sum.tokens_in), tokens(sum.tokens_out));
        output::line(format!("{name:<width$}  {:>6}  {tokens_in:>10}  {tokens_out:>10}  {cost:>10}", sum.calls));
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
    if !context.json && days.is_empty() {
        output::line("nothing has been run here yet");
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
