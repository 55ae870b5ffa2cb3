//! The most that one visit of a state takes: calls, dollars and time, by the limits written in the workflow.
//! How often a state is visited is `entries`' business.

use std::collections::BTreeSet;

use super::inputs::Inputs;
use crate::definition::{Agent, Definition, Does, IfTaskFails, Responder, StateDefinition, Work};
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::names::AgentName;
use crate::units::Usd;

#[derive(Clone, Copy, Debug, Default)]
pub struct Most {
    pub calls: u64,
    pub cost: Usd,
    pub time_ms: u64,
    /// The longest of its tasks.
    pub task_ms: u64,
}

impl Most {
    fn plus(self, other: Most) -> Most {
        Most {
            calls: self.calls.saturating_add(other.calls),
            cost: self.cost + other.cost,
            time_ms: self.time_ms.saturating_add(other.time_ms),
            task_ms: self.task_ms.max(other.task_ms),
        }
    }

    fn times(self, times: u64) -> Most {
        Most {
            calls: self.calls.saturating_mul(times),
            cost: Usd(self.cost.0.saturating_mul(times)),
            time_ms: self.time_ms.saturating_mul(times),
            task_ms: if times == 0 { 0 } else { self.task_ms },
        }
    }

    fn larger(self, other: Most) -> Most {
        Most {
            calls: self.calls.max(other.calls),
            cost: self.cost.max(other.cost),
            time_ms: self.time_ms.max(other.time_ms),
            task_ms: self.task_ms.max(other.task_ms),
        }
    }
}

/// Tasks of one visit count one after another, since dependencies or a busy host may force that.
pub fn most(definition: &Definition, state: &StateDefinition, inputs: &Inputs, problems: &mut Vec<Diagnostic>) -> Most {
    let mut number = |expression: &Expression| {
        inputs.whole(expression).unwrap_or_else(|problem| {
            problems.push(*problem);
            1
        })
    };
    match &state.work {
        Work::Agent { agent, each, if_task_fails } => {
            let tasks = each.as_ref().map_or(1, |each| number(&each.at_most));
            task(definition, agent).times(tasks).times(if_task_fails.as_ref().map_or(1, repetitions))
        }
        Work::Plan(plan) => {
            let dearest = plan.agents.iter().map(|agent| task(definition, agent)).fold(Most::default(), Most::larger);
            dearest.times(number(&plan.at_most)).times(repetitions(&plan.if_task_fails))
        }
        Work::Command(command) => Most { calls: 1, cost: Usd::ZERO, time_ms: command.timeout_ms, task_ms: command.timeout_ms },
        Work::Call(_) => Most { calls: 1, ..Most::default() },
        Work::Decide | Work::Gate(_) | Work::Final { .. } => Most::default(),
    }
}

/// The agents whose calls cost something that nobody has said, of those that a state may use.
pub fn unpriced(definition: &Definition, state: &StateDefinition) -> BTreeSet<AgentName> {
    let mut all: BTreeSet<AgentName> = BTreeSet::new();
    for name in named(state) {
        all.extend(chain(definition, name).iter().map(|agent| agent.name.clone()));
        all.extend(responders(definition, name).iter().map(|agent| agent.name.clone()));
    }
    all.retain(|name| definition.agents.get(name).is_some_and(|agent| agent.cost.is_none() && !matches!(agent.does, Does::Builtin(_))));
    all
}

/// An alternative is one more try; a compensating task may need both again.
fn repetitions(rules: &IfTaskFails) -> u64 {
    (1 + u64::from(rules.alternative.is_some())) * (1 + u64::from(rules.compensate.is_some()))
}

/// One task: every attempt of every agent of the chain, each asked again as often as allowed, and the questions.
fn task(definition: &Definition, agent: &AgentName) -> Most {
    let chain = chain(definition, agent);
    let attempts = chain.iter().map(|agent| all_attempts(agent)).fold(Most::default(), Most::plus);
    let resumed = chain.iter().map(|agent| one_attempt(agent)).fold(Most::default(), Most::larger);
    let answers = responders(definition, agent).iter().map(|agent| all_attempts(agent)).fold(Most::default(), Most::plus);
    let may_ask = chain.iter().any(|agent| !matches!(agent.does, Does::Builtin(_)));
    let questions = if may_ask { u64::from(definition.questions.at_most) } else { 0 };
    let most = attempts.plus(resumed.plus(answers).times(questions));
    Most { task_ms: most.time_ms, ..most }
}

/// Whether a task of the state may put a question to people.
pub fn may_ask_people(definition: &Definition, state: &StateDefinition) -> bool {
    let questions = &definition.questions;
    let may_ask = |agent: &&AgentName| chain(definition, agent).iter().any(|agent| !matches!(agent.does, Does::Builtin(_)));
    questions.at_most > 0 && questions.answered_by.contains(&Responder::Person) && named(state).iter().any(may_ask)
}

/// The agents that a state itself names.
fn named(state: &StateDefinition) -> Vec<&AgentName> {
    match &state.work {
        Work::Agent { agent, .. } => vec![agent],
        Work::Plan(plan) => plan.agents.iter().collect(),
        _ => Vec::new(),
    }
}

fn one_attempt(agent: &Agent) -> Most {
    let asked = 1 + u64::from(agent.if_unclear.ask_again);
    Most { calls: 1, cost: agent.cost.unwrap_or_default(), time_ms: agent.timeout_ms, task_ms: 0 }.times(asked)
}

fn all_attempts(agent: &Agent) -> Most {
    let attempts = u64::from(agent.retry.attempts.max(1));
    let waits = &agent.retry.wait_ms;
    let wait = |number: u64| waits.get(usize::try_from(number).unwrap_or(usize::MAX)).or(waits.last()).copied().unwrap_or(0);
    let written = attempts.saturating_sub(1).min(waits.len() as u64);
    let listed = (0..written).map(wait).fold(0u64, u64::saturating_add);
    let repeated = wait(u64::MAX).saturating_mul(attempts.saturating_sub(1).saturating_sub(written));
    // A wait may be a tenth longer than it is written.
    let longest = listed.saturating_add(repeated).saturating_mul(11).div_ceil(10);
    let waiting = Most { time_ms: longest, ..Most::default() };
    one_attempt(agent).times(attempts).plus(waiting)
}

/// The agent and whoever may step in for it, each once.
fn chain<'a>(definition: &'a Definition, agent: &AgentName) -> Vec<&'a Agent> {
    let mut chain: Vec<&Agent> = Vec::new();
    let mut waiting = vec![agent];
    while let Some(name) = waiting.pop() {
        let Some(agent) = definition.agents.get(name) else { continue };
        if !chain.iter().any(|known| known.name == agent.name) {
            chain.push(agent);
            waiting.extend(&agent.fallback);
        }
    }
    chain
}

/// The other agents that may have to answer a question of this one.
fn responders<'a>(definition: &'a Definition, agent: &AgentName) -> Vec<&'a Agent> {
    let questions = &definition.questions;
    let agents = questions.answered_by.iter().filter(|_| questions.at_most > 0).filter_map(|responder| match responder {
        Responder::Agent(name) if name != agent => definition.agents.get(name),
        Responder::Agent(_) | Responder::Person => None,
    });
    agents.collect()
}
