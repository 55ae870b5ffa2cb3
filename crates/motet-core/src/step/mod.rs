//! The one function: definition, state and event in; new state and effects out.
//! Live and replayed runs both go through it, so there is no recovery code anywhere.

mod accept;
mod admit;
mod enter;
mod leave;
mod machine;
mod money;
mod on_gate;
mod on_run;
mod on_task;
mod on_timer;
mod plan;
mod questions;
mod scope;
mod table;
mod work;

#[cfg(test)]
mod tests;

use crate::definition::Definition;
use crate::effect::Effect;
use crate::event::{Event, Fact};
use crate::rejected::Rejected;
use crate::state::{State, Status, TaskStatus};

use machine::Machine;
pub(crate) use money::{left as money_left, time_left_ms};
pub(crate) use plan::{flaws as flaws_of_tasks, summary as plan_summary};
pub use scope::RunScope;
pub use table::{MOVES, may_move};

/// Applies one event. On `Err` the state is as it was.
pub fn step(definition: &Definition, state: &mut State, event: &Event) -> Result<Vec<Effect>, Rejected> {
    admit(state, event)?;
    let mut machine = Machine::new(definition, state, event.at);
    match &event.fact {
        Fact::RunStarted(started) => machine.on_run_started(started)?,
        Fact::TaskStarted { task, attempt } => machine.on_task_started(task, *attempt)?,
        Fact::TaskSucceeded { task, attempt, result, usage, exchanges: _ } => machine.on_task_succeeded(task, *attempt, result, usage)?,
        Fact::TaskFailed { task, attempt, error, usage, exchanges: _ } => machine.on_task_failed(task, *attempt, error, usage)?,
        Fact::TaskAsked { task, attempt, question, usage, exchanges: _ } => machine.on_task_asked(task, *attempt, question, usage)?,
        Fact::TaskInterrupted { task, attempt, exchanges: _ } => machine.on_task_interrupted(task, *attempt)?,
        Fact::Recovered {} => machine.on_recovered(),
        Fact::TaskFoundUndone { task, attempt } => machine.on_task_found_undone(task, *attempt)?,
        Fact::TimerFired { timer } => machine.on_timer_fired(timer)?,
        Fact::GateAnswered { gate, answer } => machine.on_gate_answered(gate, answer)?,
        Fact::DataEdited { by, file, changes, .. } => machine.on_data_edited(by, file, changes)?,
        Fact::Paused { by, reason } => machine.on_paused(by, reason)?,
        Fact::Resumed { by } => machine.on_resumed(by)?,
        Fact::Cancelled { by, reason, last_words } => machine.on_cancelled(by, reason, last_words)?,
        Fact::LimitsRaised { by, cost, time_ms } => machine.on_limits_raised(by, *cost, *time_ms)?,
        Fact::Forked { from, at_seq, run, set } => machine.on_forked(from, *at_seq, run, set)?,
    }
    let effects = machine.into_effects();
    state.seq = event.seq;
    assert_sound(state);
    Ok(effects)
}

/// What every event must satisfy before it is looked at.
fn admit(state: &State, event: &Event) -> Result<(), Rejected> {
    if event.seq != state.seq + 1 {
        return Err(Rejected::OutOfOrder { expected: state.seq + 1, found: event.seq });
    }
    match (&event.fact, &state.status) {
        (Fact::RunStarted(_), Status::New) => Ok(()),
        (Fact::RunStarted(_), _) => Err(Rejected::AlreadyStarted),
        (_, Status::New) => Err(Rejected::NotStarted),
        (_, Status::Ended) => Err(Rejected::Ended),
        (_, Status::Running | Status::Paused { .. }) => Ok(()),
    }
}

/// Every effect the state still waits for: what a host must see to after a restart.
/// A task that was running is not among them: the host says `TaskInterrupted` for it, and `step` decides.
pub fn outstanding(definition: &Definition, state: &State) -> Vec<Effect> {
    let mut tasks: Vec<_> = state.tasks.values().collect();
    tasks.sort_by_key(|task| task.order);
    let calls = tasks.into_iter().filter_map(|task| match task.status {
        TaskStatus::Queued => Some(Effect::StartTask(Box::new(machine::call(definition, state, task)))),
        TaskStatus::Reconciling => Some(Effect::Reconcile(Box::new(machine::call(definition, state, task)))),
        _ => None,
    });
    let timers = state.timers.iter().map(|(timer, at)| Effect::SetTimer { timer: timer.clone(), at: *at });
    let gates = state.gates.keys().map(|gate| Effect::OpenGate { gate: gate.clone() });
    calls.chain(timers).chain(gates).collect()
}

/// What holds after every step, whatever happened. A failure here is a bug of the machine.
fn assert_sound(state: &State) {
    let money = &state.money;
    if let Some(cap) = money.cap {
        assert!(money.spent + money.reserved + money.uncertain <= cap, "more money is spent and reserved than there is");
    }
    let reserved: u64 = state.tasks.values().map(|task| task.reserved.0).sum();
    assert_eq!(reserved, money.reserved.0, "what is reserved is not what the tasks hold");
    if state.status == Status::Running {
        let waits = state.tasks.values().any(|task| task.status.is_active()) || !state.gates.is_empty();
        assert!(waits, "an open run waits for nothing in state {}", state.here.state);
    }
    assert_eq!(state.status == Status::Ended, state.ended.is_some(), "ended and not ended");
}
