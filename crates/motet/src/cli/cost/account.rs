//! What the events of a run have cost, by agent, by state and by who answered: the machine's own sums, taken apart.
//! It books nothing of its own: every column adds up to what the machine says of the run.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::event::{Event, Fact, FailureKind, Usage};
use motet_core::names::TaskId;
use motet_core::state::{State, Task, TaskStatus};
use motet_core::units::Usd;
use motet_core::{CallWork, Definition};
use serde_json::{Value, json};

use crate::casting::{Backend, Casting, Link, Part};
use crate::stand_in::StandIn;

/// What some calls came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// What is certain of it.
    pub cost: Usd,
    pub uncertain: Usd,
    pub estimated: bool,
    /// How often tools were called.
    pub tools: u64,
    /// How many of the calls nobody says the cost of.
    pub untold: u64,
}

pub type Sums = BTreeMap<String, Sum>;

/// Money, and how much nobody has confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Amount {
    certain: Usd,
    uncertain: Usd,
}

/// An attempt that has been sent and of which nothing was heard yet.
struct Sent {
    attempt: u32,
    reserved: Usd,
    /// The run that this one was forked from has sent it.
    is_inherited: bool,
}

/// What an attempt said of itself at its end.
struct Told<'a> {
    task: &'a TaskId,
    usage: Usage,
    exchanges: &'a [Value],
    is_answered: bool,
    /// It ended without a word, so that nobody knows what it has done.
    is_lost: bool,
}

#[derive(Default)]
pub struct Account {
    pub agents: Sums,
    pub states: Sums,
    /// By model, coding agent or program.
    pub players: Sums,
    /// Who has answered for each agent.
    pub played_by: BTreeMap<String, BTreeSet<String>>,
    casting: Casting,
    /// Who performs a task that has been started, and in which state.
    begun: BTreeMap<TaskId, (Option<String>, String)>,
    sent: BTreeMap<TaskId, Sent>,
    /// What tasks said of themselves whose backends are asked what became of them.
    heard: BTreeMap<TaskId, Usage>,
    booked: Amount,
    /// Of a fork: the last event that it shares with the run it came from, which has paid for everything until then.
    shared: u64,
}

impl Account {
    pub fn new(casting: Casting, shared: u64) -> Self {
        Self { casting, shared, ..Self::default() }
    }

    /// Takes in an event, with the state after it.
    pub fn follow(&mut self, definition: &Definition, state: &State, event: &Event) {
        if let Fact::TaskStarted { task, .. } = &event.fact {
            let agent = state.tasks.get(task).and_then(|task| definition.agent_of(task)).map(|agent| agent.name.to_string());
            self.begun.insert(task.clone(), (agent, state.here.state.to_string()));
        }
        let now = Amount { certain: state.money.spent + state.money.overrun, uncertain: state.money.uncertain };
        let mut new = now.less(self.booked);
        self.booked = now;
        let heard = std::mem::take(&mut self.heard);
        let told = told(&event.fact, &heard, state);
        let lost = self.lost(state, &event.fact, &told);
        self.remember(state, event.seq <= self.shared);
        self.heard = state.tasks.values().filter_map(|task| Some((task.id.clone(), task.heard?))).collect();
        if event.seq <= self.shared {
            return;
        }
        for (task, reserved) in lost {
            // Nothing was sent of an attempt whose reservation is simply void.
            if new.uncertain >= reserved {
                new.uncertain = new.uncertain.saturating_sub(reserved);
                self.book_lost(definition, &task, reserved);
            }
        }
        let last = told.len().saturating_sub(1);
        for (number, told) in told.iter().enumerate() {
            // Of several that were stopped at once each has what it says that it took.
            let part = if number == last { new } else { new.at_most(told.usage) };
            new = new.less(part);
            self.book(definition, told, part);
        }
    }

    /// The attempts that were under way and are no more, but for those that the event itself tells of, and one of which nothing was done.
    fn lost(&self, state: &State, fact: &Fact, told: &[Told]) -> Vec<(TaskId, Usd)> {
        let undone = if let Fact::TaskFoundUndone { task, .. } = fact { Some(task) } else { None };
        let is_over = |id: &TaskId, sent: &Sent| {
            let is_at_it = |task: &Task| task.attempt == sent.attempt && is_sent(task);
            // What a fork has taken over without paying for it is the affair of the run that it comes from.
            let is_own = !sent.is_inherited || sent.reserved > Usd::ZERO;
            let is_told = told.iter().any(|told| told.task == id);
            !state.tasks.get(id).is_some_and(is_at_it) && !is_told && Some(id) != undone && is_own
        };
        self.sent.iter().filter(|(id, sent)| is_over(id, sent)).map(|(id, sent)| (id.clone(), sent.reserved)).collect()
    }

    fn remember(&mut self, state: &State, is_shared: bool) {
        let before = std::mem::take(&mut self.sent);
        let was_inherited = |task: &Task| before.get(&task.id).is_some_and(|sent| sent.attempt == task.attempt && sent.is_inherited);
        let sent = state.tasks.values().filter(|task| is_sent(task)).map(|task| {
            let is_inherited = is_shared || was_inherited(task);
            (task.id.clone(), Sent { attempt: task.attempt, reserved: task.reserved, is_inherited })
        });
        self.sent = sent.collect();
    }

    /// Where nothing was reserved, only who plays the task says whether it may have cost something.
    fn book_lost(&mut self, definition: &Definition, task: &TaskId, reserved: Usd) {
        let (usage, amount) = (Usage::unknown(reserved), Amount { certain: Usd::ZERO, uncertain: reserved });
        let is_untold = reserved == Usd::ZERO && self.may_charge(definition, task);
        let player = self.usual_player(definition, task);
        self.rows(task).into_iter().for_each(|row| row.add(&usage, amount, is_untold));
        self.players.entry(player).or_default().add(&usage, amount, is_untold);
    }

    /// Whether somebody may have been asked for the task who says himself what that costs, or nobody does.
    fn may_charge(&self, definition: &Definition, task: &TaskId) -> bool {
        let mut links = self.part(definition, task).into_iter().flat_map(|part| std::iter::once(&part.link).chain(&part.fallback));
        self.casting.case.is_none() && links.any(Link::may_stay_untold)
    }

    /// Whether a call may have cost something, and nobody says what.
    fn is_untold(&self, player: &str, usage: &Usage) -> bool {
        let mut links = self.casting.roles.values().flat_map(|part| std::iter::once(&part.link).chain(&part.fallback));
        usage.cost == Usd::ZERO && links.any(|link| link.backend.is_called(player) && link.may_stay_untold())
    }

    fn is_untold_in(&self, exchange: &Exchanged) -> bool {
        // What broke off in the middle was begun, and has to be paid for as far as it came.
        let has_begun = exchange.is_answered || exchange.usage.tokens_in > 0;
        has_begun && self.is_untold(&exchange.player, &exchange.usage)
    }

    fn book(&mut self, definition: &Definition, told: &Told, amount: Amount) {
        let Told { task, usage, exchanges, is_answered, is_lost } = *told;
        let exchanged: Vec<Exchanged> = exchanges.iter().filter_map(|exchange| self.exchanged(exchange)).collect();
        let usual = self.usual_player(definition, task);
        let stand_in = StandIn::among(exchanges);
        let is_untold = match exchanged.is_empty() {
            true if is_lost => amount == Amount::default() && self.may_charge(definition, task),
            true => is_answered && self.is_untold(stand_in.as_ref().map_or(&usual, |stand_in| &stand_in.agent), &usage),
            false => exchanged.iter().any(|exchange| self.is_untold_in(exchange)) && amount == Amount::default(),
        };
        self.rows(task).into_iter().for_each(|row| row.add(&usage, amount, is_untold));
        let mut rest = amount;
        for exchange in &exchanged {
            let part = rest.at_most(exchange.usage);
            rest = rest.less(part);
            let is_untold = is_untold && self.is_untold_in(exchange);
            let uses = Usage { tool_calls: 0, ..exchange.usage };
            self.players.entry(exchange.player.clone()).or_default().add(&uses, part, is_untold);
        }
        match (exchanged.last(), &stand_in) {
            // Rules, programs and people put nothing on record but that they stood in.
            (last, Some(stand_in)) if last.is_none_or(|last| !stand_in.is(&last.player)) => {
                let counted =
                    |count: fn(&Usage) -> u64| exchanged.iter().map(|exchange| count(&exchange.usage)).fold(0, u64::saturating_add);
                let tokens_in = usage.tokens_in.saturating_sub(counted(|usage| usage.tokens_in));
                let tokens_out = usage.tokens_out.saturating_sub(counted(|usage| usage.tokens_out));
                let left = Usage { tokens_in, tokens_out, ..usage };
                let is_untold = self.is_untold(&stand_in.agent, &left) && rest == Amount::default();
                self.players.entry(stand_in.agent.clone()).or_default().add(&left, rest, is_untold);
            }
            // What the exchanges do not account for, such as a ceiling where no price is known, was for the answer.
            (Some(last), _) => {
                let player = self.players.entry(last.player.clone()).or_default();
                // A task counts its tools once, whoever of a chain has called them.
                player.tools = player.tools.saturating_add(usage.tool_calls);
                player.owe(rest);
            }
            (None, _) if usage != Usage::default() || rest != Amount::default() || is_untold => {
                self.players.entry(usual).or_default().add(&usage, rest, is_untold);
            }
            (None, _) => {}
        }
        if let Some((Some(agent), _)) = self.begun.get(task) {
            let played_by = self.played_by.entry(agent.clone()).or_default();
            if let Some(stand_in) = stand_in {
                played_by.insert(stand_in.agent);
                return;
            }
            let has_answer = exchanged.iter().any(|exchange| exchange.is_answered);
            let players = exchanged.into_iter().filter(|exchange| exchange.is_answered || !has_answer).map(|exchange| exchange.player);
            played_by.extend(players);
        }
    }

    /// The rows that a task counts in.
    fn rows(&mut self, task: &TaskId) -> Vec<&mut Sum> {
        let Some((agent, state)) = self.begun.get(task).cloned() else { return Vec::new() };
        let agent = agent.map(|agent| self.agents.entry(agent).or_default());
        agent.into_iter().chain([self.states.entry(state).or_default()]).collect()
    }

    /// Whom an exchange was with, and what it took.
    fn exchanged(&self, exchange: &Value) -> Option<Exchanged> {
        let usage = serde_json::from_value(exchange["usage"].clone()).ok()?;
        let player = match exchange["with"].as_str()? {
            "model" => format!("{}/{}", self.provider(exchange["provider"].as_str()?), exchange["model"].as_str()?),
            _ => exchange["agent"].as_str()?.to_string(),
        };
        let is_answered = !exchange["finish"].as_str().is_some_and(|finish| finish.starts_with("failed: "));
        Some(Exchanged { player, usage, is_answered })
    }

    /// A provider as the configuration names it, which messages may write differently.
    fn provider<'a>(&'a self, named: &'a str) -> &'a str {
        let links = self.casting.roles.values().flat_map(|part| std::iter::once(&part.link).chain(&part.fallback));
        let mut providers = links.filter_map(|link| match &link.backend {
            Backend::Model(binding) => Some(binding.provider.name.as_str()),
            _ => None,
        });
        providers.find(|name| name.eq_ignore_ascii_case(named)).unwrap_or(named)
    }

    /// Who plays a task where no exchange says so. Which of a chain it was is not known any more.
    fn usual_player(&self, definition: &Definition, task: &TaskId) -> String {
        match self.part(definition, task) {
            Some(part) if part.fallback.is_empty() => part.link.backend.title(),
            Some(part) => format!("{} or who stands in", part.link.backend.title()),
            None => "not known".into(),
        }
    }

    /// Who plays the agent of a task.
    fn part(&self, definition: &Definition, task: &TaskId) -> Option<&Part> {
        let agent = self.begun.get(task)?.0.as_deref()?;
        let agent = definition.agents.values().find(|known| known.name.as_str() == agent)?;
        self.casting.part(&agent.role)
    }
}

impl Sum {
    fn add(&mut self, usage: &Usage, amount: Amount, is_untold: bool) {
        self.calls += 1;
        self.tools = self.tools.saturating_add(usage.tool_calls);
        self.tokens_in = self.tokens_in.saturating_add(usage.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(usage.tokens_out);
        self.estimated |= usage.estimated;
        self.untold += u64::from(is_untold);
        self.owe(amount);
    }

    fn owe(&mut self, amount: Amount) {
        self.cost += amount.certain;
        self.uncertain += amount.uncertain;
    }

    pub fn json(&self) -> Value {
        json!({
            "calls": self.calls, "tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "cost": self.cost.dollars(),
            "uncertain": self.uncertain.dollars(), "estimated": self.estimated, "tools_used": self.tools, "cost_not_told": self.untold,
        })
    }
}

impl Amount {
    fn less(self, other: Amount) -> Amount {
        let (certain, uncertain) = (self.certain.saturating_sub(other.certain), self.uncertain.saturating_sub(other.uncertain));
        Amount { certain, uncertain }
    }

    /// As much of it as this usage says that it took.
    fn at_most(self, usage: Usage) -> Amount {
        let certain = usage.cost.saturating_sub(usage.uncertain);
        Amount { certain: self.certain.min(certain), uncertain: self.uncertain.min(usage.uncertain) }
    }
}

/// What is said of attempts. `heard`: what those said whose backends were asked what became of them; `state`: after the fact.
fn told<'a>(fact: &'a Fact, heard: &'a BTreeMap<TaskId, Usage>, state: &State) -> Vec<Told<'a>> {
    let told =
        |task, usage: Usage, exchanges, is_answered| Told { task, usage, exchanges, is_answered, is_lost: !is_answered && usage.estimated };
    match fact {
        Fact::TaskSucceeded { task, usage, exchanges, .. } | Fact::TaskAsked { task, usage, exchanges, .. } => {
            vec![told(task, *usage, exchanges, true)]
        }
        // Whoever is still asked what became of it tells what all of it took.
        Fact::TaskFailed { task, .. } if is_reconciling(task, state) => Vec::new(),
        Fact::TaskFailed { task, usage, exchanges, error, .. } if error.kind == FailureKind::Interrupted => {
            let usage = heard.get(task).map_or(*usage, |heard| heard.and(*usage));
            vec![Told { is_lost: true, ..told(task, usage, exchanges, false) }]
        }
        Fact::TaskFailed { task, usage, exchanges, .. } => vec![told(task, *usage, exchanges, false)],
        Fact::TaskFoundUndone { task, .. } => heard.get(task).map(|usage| told(task, *usage, &[], false)).into_iter().collect(),
        Fact::Cancelled { last_words, .. } => {
            let of_heard = heard.iter().map(|(task, usage)| told(task, *usage, &[], false));
            last_words.iter().map(|words| told(&words.task, words.usage, &words.exchanges, false)).chain(of_heard).collect()
        }
        _ => Vec::new(),
    }
}

fn is_reconciling(task: &TaskId, state: &State) -> bool {
    state.tasks.get(task).is_some_and(|task| task.status == TaskStatus::Reconciling)
}

/// Whether something of the task may be under way that costs money. What was reserved for one that is in doubt is held until people have
/// said what became of it; where nothing was, nobody will ever say what it took.
fn is_sent(task: &Task) -> bool {
    let is_asked = matches!(task.work, CallWork::Prompt | CallWork::AnswerQuestion);
    match task.status {
        TaskStatus::Running | TaskStatus::Reconciling => is_asked || task.reserved > Usd::ZERO,
        TaskStatus::Uncertain => task.reserved > Usd::ZERO,
        _ => false,
    }
}

struct Exchanged {
    player: String,
    usage: Usage,
    is_answered: bool,
}
