//! Reserve before a call, settle after it; and the clock, which is spent the same way.
//! What is spent, reserved and uncertain together never exceeds the cap.

use crate::definition::{Agent, Definition, Returns};
use crate::effect::CallWork;
use crate::event::Usage;
use crate::names::TaskId;
use crate::state::{State, Status, Task, TaskStatus};
use crate::step::machine::{Machine, call, current_agent, model_settings};
use crate::tokens;
use crate::units::{Time, Usd};

/// A call that cannot be paid for. `needed` is nothing where nobody knows what it may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    pub needed: Usd,
    pub left: Usd,
}

/// What may still be reserved by anyone. None: there is no cap.
pub(crate) fn left(state: &State) -> Option<Usd> {
    state.money.cap.map(|cap| cap.saturating_sub(used(state)))
}

fn used(state: &State) -> Usd {
    let money = &state.money;
    money.spent + money.reserved + money.overrun + money.uncertain
}

/// What may be reserved for a task of the current state: the rest, less what is kept for others.
fn available(definition: &Definition, state: &State) -> Option<Usd> {
    state.money.cap.map(|cap| available_of(cap, definition, state))
}

/// The same if this were the cap.
fn available_of(cap: Usd, definition: &Definition, state: &State) -> Usd {
    let left = cap.saturating_sub(used(state));
    let kept = definition.limits.keep.iter().filter(|(name, _)| **name != state.here.state);
    let kept = kept.map(|(name, share)| {
        let spent = state.money.spent_by_state.get(name).copied().unwrap_or_default();
        cap.share(*share).saturating_sub(spent)
    });
    left.saturating_sub(kept.fold(Usd::ZERO, |sum, kept| sum + kept))
}

/// The least cap, in the digits in which money is shown, that leaves so much for a task of the current state. None: no cap does, such as
/// when all of it is kept for others.
fn cap_that_leaves(needed: Usd, definition: &Definition, state: &State) -> Option<Usd> {
    const SHOWN: u64 = 100;
    const MOST: u64 = 1_000_000_000_000_000;
    let leaves = |units: u64| available_of(Usd(units * SHOWN), definition, state) >= needed;
    let mut too_little = (used(state) + needed).0 / SHOWN;
    if leaves(too_little) {
        return Some(Usd(too_little * SHOWN));
    }
    let mut enough = too_little + 1;
    while enough > MOST || !leaves(enough) {
        if enough > MOST {
            return None;
        }
        (too_little, enough) = (enough, enough * 2);
    }
    while enough - too_little > 1 {
        let middle = too_little + (enough - too_little) / 2;
        if leaves(middle) {
            enough = middle;
        } else {
            too_little = middle;
        }
    }
    Some(Usd(enough * SHOWN))
}

/// The most this attempt can cost: by the price of its backend, or by what the workflow declares.
fn worst_case(definition: &Definition, state: &State, task: &Task) -> Usd {
    let Some(agent) = current_agent(definition, task) else { return Usd::ZERO };
    let price = state.run.as_ref().and_then(|run| run.prices.get(agent.name.as_str()));
    let Some(price) = price else { return agent.cost.unwrap_or_default() };
    const DEFAULT_OUTPUT_TOKENS: u64 = 4096;
    /// What a turn adds that is neither the prompt nor an answer: why the last answer could not be used.
    const BETWEEN_TURNS: u64 = 512;
    let longest = model_settings(definition, state, agent).max_tokens;
    let output = match &agent.longest_answer {
        // Whoever priced the backend did not know the run.
        Some(_) => price.max_tokens.max(longest),
        None => price.max_tokens.or(longest),
    };
    let output = output.unwrap_or(DEFAULT_OUTPUT_TOKENS);
    let input = if price.input_per_million == Usd::ZERO { 0 } else { prompt_tokens(definition, state, task, agent) };
    // In the worst case the tools have said all that they may after the first turn.
    let input = input.saturating_add(price.tool_tokens.unwrap_or_default()).saturating_add(price.verdict_tokens.unwrap_or_default());
    let turns = u64::from(price.turns.unwrap_or(1).max(1));
    // Every turn sends again all that was said before it.
    let repeated = (output + BETWEEN_TURNS).saturating_mul(turns * (turns - 1) / 2);
    price.of(input.saturating_mul(turns).saturating_add(repeated), output.saturating_mul(turns))
}

/// A whole run that nobody has priced may spend all that is left, so it holds all that is left, and gives back what it did not spend.
fn is_run_without_price(definition: &Definition, state: &State, task: &Task) -> bool {
    matches!(task.work, CallWork::Workflow { .. }) && worst_case(definition, state, task) == Usd::ZERO
}

/// An agent that nobody has priced is taken to be free until it says otherwise.
fn has_charged(definition: &Definition, state: &State, task: &Task) -> bool {
    current_agent(definition, task).is_some_and(|agent| state.money.spent_by_agent.contains_key(&agent.name))
}

/// The most tokens that what is sent can have: the prompt as it is, the shape that is asked for, and what was said before.
fn prompt_tokens(definition: &Definition, state: &State, task: &Task, agent: &Agent) -> u64 {
    const AROUND: u64 = 128;
    let call = call(definition, state, task);
    let prompt = match call.work {
        CallWork::Prompt => definition.prompt(&call).ok(),
        _ => None,
    };
    let schema = match &agent.returns {
        Returns::Schema(schema) => schema.json.to_string(),
        // What a verdict adds stands in the price, so that a journal comes to the same whatever a verdict looks like by then.
        Returns::Verdict | Returns::Anything => String::new(),
    };
    let answers = call.answers.iter().map(|answered| tokens::at_most(&answered.question.question) + tokens::at_most(&answered.answer));
    let said = answers.sum::<u64>() + tokens::at_most(&call.correction.clone().unwrap_or_default());
    tokens::at_most(&prompt.unwrap_or_else(|| call.input.to_string())) + tokens::at_most(&schema) + said + AROUND
}

impl Machine<'_> {
    /// Holds the worst case of the task's next attempt, if it fits.
    pub fn reserve(&mut self, id: &TaskId) -> Result<(), Shortage> {
        let task = &self.state.tasks[id];
        let needed = worst_case(self.definition, self.state, task);
        let short = |left| Err(Shortage { needed, left });
        let amount = match available(self.definition, self.state) {
            Some(rest) if is_run_without_price(self.definition, self.state, task) => {
                if rest == Usd::ZERO {
                    return short(rest);
                }
                rest
            }
            Some(left) if needed > left => return short(left),
            _ => needed,
        };
        if amount == Usd::ZERO && has_charged(self.definition, self.state, task) && left(self.state) == Some(Usd::ZERO) {
            return short(Usd::ZERO);
        }
        self.state.money.reserved += amount;
        self.task(id).reserved = amount;
        Ok(())
    }

    /// What it takes to go on, for whoever may give more.
    pub fn told(&self, shortage: Shortage) -> String {
        let Shortage { needed, left } = shortage;
        let cap = self.state.money.cap.unwrap_or_default();
        if needed == Usd::ZERO {
            return format!("the budget of {cap} is used up");
        }
        let advice = match cap_that_leaves(needed, self.definition, self.state) {
            Some(enough) => format!("a budget of {enough} would pay for it"),
            None => "no budget would, since none leaves as much for this state".to_string(),
        };
        format!("the next call may cost {needed}, and {left} of the budget of {cap} is left for it; {advice}")
    }

    /// Nothing was sent: the reservation is void.
    pub fn release(&mut self, id: &TaskId) {
        let reserved = std::mem::take(&mut self.task(id).reserved);
        self.state.money.reserved = self.state.money.reserved - reserved;
    }

    /// The attempt is over and said what it cost.
    pub fn settle(&mut self, id: &TaskId, usage: &Usage) {
        let agent = current_agent(self.definition, &self.state.tasks[id]).map(|agent| agent.name.clone());
        let task = self.task(id);
        let reserved = std::mem::take(&mut task.reserved);
        task.usage = task.usage.and(*usage);
        self.state.usage = self.state.usage.and(*usage);
        let state = self.state.here.state.clone();
        let money = &mut self.state.money;
        money.reserved = money.reserved - reserved;
        let booked = if money.cap.is_some() { usage.cost.min(reserved) } else { usage.cost };
        let excess = usage.cost.saturating_sub(booked);
        // What nobody confirmed may not have been spent, but nobody else may spend it.
        let uncertain = usage.uncertain.min(booked);
        money.spent += booked - uncertain;
        money.uncertain += uncertain;
        money.overrun += excess;
        let first_charge = agent.as_ref().is_none_or(|agent| !money.spent_by_agent.contains_key(agent));
        if usage.cost > Usd::ZERO {
            *money.spent_by_state.entry(state).or_default() += usage.cost;
            if let Some(agent) = agent {
                *money.spent_by_agent.entry(agent).or_default() += usage.cost;
            }
        }
        if excess > Usd::ZERO && reserved == Usd::ZERO {
            if first_charge {
                self.warn(format!("task {id} cost {excess}, but its agent has no price, so nothing was reserved for it"));
            }
        } else if excess > Usd::ZERO {
            self.warn(format!("task {id} cost {excess} more than the {reserved} that were reserved for it"));
        }
    }

    /// The attempt's cost will never be known: its reservation is booked as possibly spent.
    pub fn book_as_uncertain(&mut self, id: &TaskId) {
        let reserved = std::mem::take(&mut self.task(id).reserved);
        let money = &mut self.state.money;
        money.reserved = money.reserved - reserved;
        money.uncertain += reserved;
    }

    /// The clock runs while the machine or its agents are at work; it stands while only people are waited for.
    pub fn attend_clock(&mut self) {
        let works = |status: TaskStatus| !matches!(status, TaskStatus::Asking | TaskStatus::Uncertain) && !status.is_terminal();
        let waits_for_people = !self.state.gates.is_empty() && !self.state.tasks.values().any(|task| works(task.status));
        match self.state.status {
            Status::Running if !waits_for_people => self.start_clock(),
            _ => self.stop_clock(),
        }
    }

    fn start_clock(&mut self) {
        if self.state.clock.running_since.is_some() {
            return;
        }
        self.state.clock.running_since = Some(self.now);
        if let Some(left) = time_left_ms(self.state, self.now).filter(|left| *left > 0) {
            self.set_timer("time".into(), self.now.plus(left));
        }
    }

    pub fn stop_clock(&mut self) {
        if let Some(since) = self.state.clock.running_since.take() {
            self.state.clock.used_ms += self.now.since(since);
            self.clear_timer(&"time".into());
        }
    }

    /// Nobody was at work between the last event and this one: the clock stood.
    pub fn skip_idle_time(&mut self) {
        if self.state.clock.running_since.is_some() {
            let now = std::mem::replace(&mut self.now, self.state.now);
            self.stop_clock();
            self.now = now;
            self.start_clock();
        }
    }

    pub fn is_out_of_time(&self) -> bool {
        self.state.is_out_of_time(self.now)
    }
}

impl State {
    /// Whether the run has used up all of its working time.
    pub fn is_out_of_time(&self, now: Time) -> bool {
        time_left_ms(self, now) == Some(0)
    }
}

/// Working time left before the run's limit. None: there is no limit.
pub(crate) fn time_left_ms(state: &State, now: Time) -> Option<u64> {
    let clock = &state.clock;
    let running = clock.running_since.map_or(0, |since| now.since(since));
    clock.limit_ms.map(|limit| limit.saturating_sub(clock.used_ms + running))
}
