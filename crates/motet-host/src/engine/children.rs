//! Child runs: a task that is a whole run of another workflow.
//! Parent and child always move in one commit, so neither can know of the other what the store does not.

use motet_core::definition::TroubleKind;
use motet_core::event::{EVENT_VERSION, Fact, Failure, FailureKind, Parent, Person, RunStarted, Usage};
use motet_core::names::{Digest, RunId, TaskId};
use motet_core::state::{Outcome, Status, TaskStatus};
use motet_core::{Call, CallWork, State};
use serde_json::Value;

use super::Engine;
use super::farewell::not_needed;
use super::following::FollowUp;
use super::messages::Refusal;
use super::recovery::Parked;
use super::run::Run;
use crate::journal;
use crate::store::{Claim, Store};

/// A workflow that starts itself would go down for ever.
const DEEPEST: u32 = 16;

/// The same for the same attempt at the same task, so that a child is never started twice.
pub fn child_id(parent: &RunId, task: &TaskId, attempt: u32) -> RunId {
    let digest = Digest::of(format!("{parent}\n{task}\n{attempt}").as_bytes());
    RunId::new(format!("child-{}", digest.short()))
}

impl<S: Store> Engine<S> {
    /// Performs a task that is a workflow. An error means that the store could not be asked; nothing has happened then.
    pub(super) fn start_child(&mut self, call: &Call) -> Result<(), journal::Error> {
        let child = child_id(&call.run, &call.task, call.attempt);
        let parent = Parent { run: call.run.clone(), task: call.task.clone() };
        if self.attempt_of(&parent, &child).is_none() {
            return Ok(());
        }
        let message = match self.try_start_child(call, &child) {
            Ok(()) => return Ok(()),
            Err(Refused::Refusal(Refusal::Journal(error))) if error.may_pass() => return Err(error),
            Err(Refused::Refusal(refusal)) => refusal.to_string(),
            Err(Refused::Unusable(message)) => message,
        };
        let error = Failure { kind: FailureKind::Configuration, message };
        let fact =
            Fact::TaskFailed { task: call.task.clone(), attempt: call.attempt, error, usage: Usage::default(), exchanges: Vec::new() };
        self.follow_ups.apply(&call.run, fact);
        Ok(())
    }

    fn try_start_child(&mut self, call: &Call, child: &RunId) -> Result<(), Refused> {
        let CallWork::Workflow { name } = &call.work else { return Ok(()) };
        let definition = self.definitions.named(name).map_err(Refused::Unusable)?;
        let Some(parent) = self.runs.get(&call.run) else { return Ok(()) };
        let Some(info) = &parent.state.run else { return Ok(()) };
        let depth = parent.depth + 1;
        if depth > DEEPEST {
            let message = format!("child runs are nested more than {DEEPEST} deep; does the workflow start itself?");
            return Err(Refused::Unusable(message));
        }
        let has_cap = parent.state.money.cap.is_some() || call.reserved.0 > 0;
        let terms = info.children.get(&definition.name);
        let mut input = call.input.clone();
        definition.input.fill_defaults(&mut input);
        let started = RunStarted {
            version: EVENT_VERSION,
            run: child.clone(),
            workflow: definition.name.clone(),
            workflow_version: definition.version.clone(),
            digest: definition.digest.clone(),
            input,
            by: info.by.clone(),
            unattended: info.unattended,
            cost: has_cap.then_some(call.reserved),
            time_ms: None,
            prices: terms.map_or_else(|| info.prices.clone(), |terms| terms.prices.clone()),
            children: info.children.clone(),
            people: info.people.clone(),
            bindings: laid_over(&info.bindings, terms.map(|terms| &terms.bindings)),
            parent: Some(Parent { run: call.run.clone(), task: call.task.clone() }),
            number: None,
            seed: None,
        };
        self.start(started, definition, depth).map_err(Refused::Refusal)
    }

    /// Lets the parent's task know that this run has ended.
    pub(super) fn deliver_to_parent(&mut self, child: &RunId) {
        let Some(run) = self.runs.get(child) else { return };
        let Some(parent) = run.state.run.as_ref().and_then(|info| info.parent.clone()) else { return };
        let delivery = Delivery { child: child.clone(), parent, result: result_of(&run.state) };
        self.follow_ups.push(FollowUp::Deliver(delivery));
    }

    /// Nothing happens if the parent has ended, or its task waits for another run by now.
    pub(super) fn deliver(&mut self, delivery: Delivery) -> Result<(), journal::Error> {
        let parent = &delivery.parent;
        if !self.runs.contains_key(&parent.run) && !self.parked.contains_key(&parent.run) {
            return Ok(());
        }
        self.bring(&parent.run)?;
        let Some(attempt) = self.attempt_of(parent, &delivery.child) else { return Ok(()) };
        let task = parent.task.clone();
        let fact = match delivery.result {
            Ok((result, usage)) => Fact::TaskSucceeded { task, attempt, result, usage, exchanges: Vec::new() },
            Err((error, usage)) => Fact::TaskFailed { task, attempt, error, usage, exchanges: Vec::new() },
        };
        self.follow_ups.apply(&delivery.parent.run, fact);
        Ok(())
    }

    /// The attempt of the parent's task that this child performs.
    pub(super) fn attempt_of(&self, parent: &Parent, child: &RunId) -> Option<u32> {
        let task = self.runs.get(&parent.run)?.state.tasks.get(&parent.task)?;
        (child_id(&parent.run, &task.id, task.attempt) == *child).then_some(task.attempt)
    }

    pub(super) fn cancel_child(&mut self, child: &RunId) {
        if self.holds(child) {
            self.follow_ups.apply(child, not_needed());
        }
    }

    /// Finds the children of running tasks again, wherever they are.
    pub(super) fn attach_children(&mut self, parent: &RunId) -> Result<(), journal::Error> {
        let Some(run) = self.runs.get(parent) else { return Ok(()) };
        for (task, child) in running_children(parent, &run.state) {
            if self.runs.contains_key(&child) || self.parked.contains_key(&child) {
                continue;
            }
            match self.store.run(&child)? {
                Some(record) if record.ended_at.is_some() => {
                    let loaded = journal::load(&self.store, &record, &self.definitions)?;
                    self.runs.insert(child.clone(), Run::from_store(loaded, &record));
                    self.ended.push(child.clone());
                    self.deliver_to_parent(&child);
                }
                Some(_) => {
                    self.store.claim(&Claim::Run(child.clone()), self.now)?;
                    self.parked.insert(child.clone(), Parked::Claimed);
                    self.follow_ups.push(FollowUp::Bring(child));
                }
                None => {
                    let Some(attempt) = self.runs.get(parent).and_then(|run| run.state.tasks.get(&task)).map(|task| task.attempt) else {
                        continue;
                    };
                    self.follow_ups.apply(parent, Fact::TaskInterrupted { task, attempt, exchanges: Vec::new() });
                }
            }
        }
        Ok(())
    }

    /// A child that its parent does not wait for any more has nothing to go on for.
    pub(super) fn end_orphan(&mut self, id: &RunId) -> Result<(), journal::Error> {
        let Some(parent) = self.runs.get(id).and_then(|run| run.state.run.as_ref()?.parent.clone()) else { return Ok(()) };
        if self.runs.get(id).is_some_and(|run| run.fork.is_some()) {
            return Ok(());
        }
        let waits = if self.runs.contains_key(&parent.run) || self.parked.contains_key(&parent.run) {
            self.bring(&parent.run)?;
            self.attempt_of(&parent, id).is_some()
        } else {
            // Ended, or driven by somebody else, who will claim the child when it is free.
            self.store.run(&parent.run)?.is_some_and(|record| record.ended_at.is_none())
        };
        match waits {
            true => self.end_for_want_of_money(id),
            false => self.cancel_child(id),
        }
        Ok(())
    }

    /// A child has what its parent's task was given, and no person can give it more: without money it fails that task.
    pub(super) fn end_for_want_of_money(&mut self, id: &RunId) {
        let Some(run) = self.runs.get(id).filter(|run| run.parent.is_some() && run.fork.is_none()) else { return };
        if let Status::Paused { reason, .. } = &run.state.status
            && is_stuck(&run.state)
        {
            let fact = Fact::Cancelled { by: Person::policy(), reason: reason.clone(), last_words: Vec::new() };
            self.follow_ups.apply(id, fact);
        }
    }

    /// The runs that perform tasks of this one now.
    pub(super) fn children_of(&self, run: &RunId) -> Vec<RunId> {
        let Some(parent) = self.runs.get(run) else { return Vec::new() };
        running_children(run, &parent.state).into_iter().map(|(_, child)| child).collect()
    }
}

/// Whether nothing more can be paid for, the workflow does not say what then, and all that ran has finished.
pub(super) fn is_stuck(state: &State) -> bool {
    let is_short = matches!(state.status, Status::Paused { limit: Some(TroubleKind::Budget), .. });
    is_short && !state.tasks.values().any(|task| matches!(task.status, TaskStatus::Running | TaskStatus::Reconciling))
}

/// Whether anything but another run is being done for the run. What runs may finish before a pause is complete; nothing else begins.
pub fn is_at_work(state: &State) -> bool {
    let is_paused = matches!(state.status, Status::Paused { .. });
    state.tasks.values().any(|task| match task.status {
        TaskStatus::Running => !matches!(task.work, CallWork::Workflow { .. }),
        TaskStatus::Reconciling => true,
        TaskStatus::Queued | TaskStatus::Waiting => !is_paused,
        _ => false,
    })
}

/// The running tasks that are workflows, with the runs that perform them.
pub fn running_children(run: &RunId, state: &State) -> Vec<(TaskId, RunId)> {
    let tasks = state.tasks.values().filter(|task| task.status == TaskStatus::Running);
    let workflows = tasks.filter(|task| matches!(task.work, CallWork::Workflow { .. }));
    workflows.map(|task| (task.id.clone(), child_id(run, &task.id, task.attempt))).collect()
}

/// The bindings of the run above, with what is said of this workflow instead of what is said there.
fn laid_over(above: &Value, own: Option<&Value>) -> Value {
    let mut bindings = above.clone();
    if let (Value::Object(fields), Some(Value::Object(own))) = (&mut bindings, own) {
        fields.extend(own.clone());
    }
    bindings
}

/// Why a child run could not be started.
enum Refused {
    Refusal(Refusal),
    Unusable(String),
}

/// What a child run leaves to its parent.
#[derive(Clone)]
pub struct Delivery {
    pub child: RunId,
    pub parent: Parent,
    result: Result<(Value, Usage), (Failure, Usage)>,
}

pub(super) fn result_of(state: &State) -> Result<(Value, Usage), (Failure, Usage)> {
    // What a call may have cost is as good as spent to whoever gave the money.
    let money = &state.money;
    let usage = Usage { cost: money.spent + money.overrun + money.uncertain, uncertain: money.uncertain, ..state.usage };
    let Some(ended) = &state.ended else {
        return Err((Failure { kind: FailureKind::Crashed, message: "the child run has not ended".into() }, usage));
    };
    let (kind, word) = match ended.outcome {
        Outcome::Completed | Outcome::Partial if !journal::is_too_deep(&ended.output) => return Ok((ended.output.clone(), usage)),
        Outcome::Completed | Outcome::Partial => (FailureKind::InvalidOutput, "gave an output that is nested too deeply"),
        Outcome::Failed => (FailureKind::Reported, "failed"),
        Outcome::Aborted => (FailureKind::Refused, "was aborted"),
        Outcome::Cancelled if state.stopped == Some(TroubleKind::Budget) => (FailureKind::Budget, "used up what it was given"),
        Outcome::Cancelled => (FailureKind::Cancelled, "was cancelled"),
    };
    let why = state.error.as_ref().map(|error| error.failure.message.clone()).or_else(|| state.because.clone());
    let message = why.map_or_else(|| format!("the child run {word}"), |why| format!("the child run {word}: {why}"));
    Err((Failure { kind, message }, usage))
}
