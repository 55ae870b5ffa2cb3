//! What must hold in every life, whatever goes wrong.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::definition::Class;
use motet_core::event::Fact;
use motet_core::names::{RunId, TaskId};
use motet_core::state::{Status, TaskStatus};
use motet_core::{Call, CallWork, Definition, State, outstanding};
use motet_host::engine::{Advanced, Definitions};
use motet_host::{Memory, Store, journal};

use super::Endings;
use super::process::Process;
use super::world::World;
use crate::workflows::Shelf;

pub struct Laws {
    definitions: Definitions,
    /// Every attempt that was given out.
    performed: BTreeSet<(RunId, TaskId, u32)>,
    unsafe_performed: BTreeMap<(RunId, TaskId), u32>,
    /// The last event that watchers were told of, by run.
    told: BTreeMap<RunId, u64>,
    checked: u64,
}

impl Laws {
    pub fn new(shelf: Shelf) -> Self {
        Self {
            definitions: Definitions::new(shelf),
            performed: BTreeSet::new(),
            unsafe_performed: BTreeMap::new(),
            told: BTreeMap::new(),
            checked: 0,
        }
    }

    /// No attempt is given out twice; what is unsafe, only after a person said so, and never once it is done.
    pub fn performed(&mut self, call: &Call, world: &World, storage: &Memory) -> Result<(), String> {
        let key = (call.run.clone(), call.task.clone(), call.attempt);
        if !self.performed.insert(key) {
            return Err(format!("attempt {} of {} of {} was given out twice", call.attempt, call.task, call.run));
        }
        if call.class == Class::Unsafe {
            let task = (call.run.clone(), call.task.clone());
            let count = self.unsafe_performed.entry(task.clone()).or_default();
            *count += 1;
            let allowed = 1 + allowed_again(storage, call)?;
            if *count > allowed {
                return Err(format!("the unsafe task {} of {} was given out {count} times and allowed {allowed}", call.task, call.run));
            }
            if world.done.contains_key(&task) {
                return Err(format!("the unsafe task {} of {} is done twice", call.task, call.run));
            }
        }
        Ok(())
    }

    /// Watchers hear of every event once and in order, though after a crash not of those in between.
    pub fn advanced(&mut self, advanced: &Advanced) -> Result<(), String> {
        for event in &advanced.events {
            let told = self.told.entry(advanced.run.clone()).or_default();
            if event.seq <= *told {
                return Err(format!("watchers heard event {} of {} after event {told}", event.seq, advanced.run));
            }
            *told = event.seq;
        }
        Ok(())
    }

    /// What is in memory is what the journal says, for one run every few turns.
    pub fn check_live(&mut self, process: &Process, world: &World, storage: &Memory) -> Result<(), String> {
        self.checked += 1;
        check_running(process, world)?;
        // While nothing can be written, memory is ahead of the journal.
        if !self.checked.is_multiple_of(3) || process.engine.is_stalled() {
            return Ok(());
        }
        let runs = process.engine.open_runs();
        let Some(run) = runs.get((self.checked / 3) as usize % runs.len().max(1)) else { return Ok(()) };
        let Some((_, live)) = process.engine.look(run) else { return Ok(()) };
        let Some(record) = storage.run(run).map_err(|error| error.to_string())? else { return Ok(()) };
        let replayed = journal::load(storage, &record, &self.definitions).map_err(|error| error.to_string())?;
        if replayed.state != *live {
            return Err(format!("run {run} is not what its journal says at event {}", live.seq));
        }
        Ok(())
    }

    /// Every journal is unbroken, every prefix of it is sound, and no attempt has two outcomes.
    pub fn check_end(&mut self, storage: &Memory) -> Result<Endings, String> {
        let mut endings = Endings::new();
        for record in storage.runs(&Default::default()).map_err(|error| error.to_string())? {
            let run = &record.id;
            let parent = record.parent.as_ref().and_then(|parent| storage.run(parent).ok()?);
            if parent.is_some_and(|parent| parent.status == "cancelled") && !["cancelled", "completed"].contains(&record.status.as_str()) {
                return Err(format!("run {run} is {} though the run that needed it was cancelled", record.status));
            }
            let verified = journal::verify(storage, run).map_err(|error| error.to_string())?;
            verified.map_err(|broken| format!("the journal of {run} is broken: {broken}"))?;
            let mut problem = None;
            let mut finished = BTreeSet::new();
            let replayed = journal::replay(storage, &record, &self.definitions, u64::MAX, |definition, state, event| {
                if let Fact::TaskSucceeded { task, attempt, .. } | Fact::TaskFailed { task, attempt, .. } = &event.fact
                    && !finished.insert((task.clone(), *attempt))
                {
                    problem.get_or_insert(format!("attempt {attempt} of {task} has two outcomes"));
                }
                if let Some(why) = unsound(definition, state) {
                    problem.get_or_insert(format!("after event {}: {why}", event.seq));
                }
            });
            let replayed = replayed.map_err(|error| error.to_string())?;
            if let Some(problem) = problem {
                return Err(format!("run {run}: {problem}"));
            }
            // Which attempt a child belongs to differs between lives; what its parent made of it does not.
            if record.parent.is_none() {
                endings.insert(run.clone(), replayed.state.ended);
            }
        }
        Ok(endings)
    }
}

/// What is durably running is at work, or is a run of its own: nothing is waited for that nobody does.
fn check_running(process: &Process, world: &World) -> Result<(), String> {
    if process.engine.is_stalled() {
        return Ok(());
    }
    for run in process.engine.open_runs() {
        let Some((_, state)) = process.engine.look(&run) else { continue };
        let running = state.tasks.values().filter(|task| task.status == TaskStatus::Running);
        for task in running.filter(|task| !matches!(task.work, CallWork::Workflow { .. })) {
            // What a backend will never answer is given out too, until its timeout.
            if !world.given.contains(&(run.clone(), task.id.clone(), task.attempt)) {
                return Err(format!("task {} of {run} is said to run, and nobody does it", task.id));
            }
        }
    }
    Ok(())
}

/// How often a person let an unsafe task run again, by its journal.
fn allowed_again(storage: &Memory, call: &Call) -> Result<u32, String> {
    let events = journal::events(storage, &call.run, 0).map_err(|error| error.to_string())?;
    let allows = |fact: &Fact| match fact {
        Fact::GateAnswered { gate, answer } => {
            gate.as_str().starts_with(&format!("{}?", call.task)) && answer.option.as_deref() == Some("run_again")
        }
        _ => false,
    };
    Ok(events.iter().filter(|event| allows(&event.fact)).count() as u32)
}

/// Why a state is one in which nothing would ever happen again, or too much money is promised.
fn unsound(definition: &Definition, state: &State) -> Option<String> {
    let money = &state.money;
    if money.cap.is_some_and(|cap| money.spent + money.reserved > cap) {
        return Some("more is spent and reserved than there is".into());
    }
    let waits = match state.status {
        Status::Ended | Status::Paused { .. } => true,
        Status::New => false,
        Status::Running => {
            let runs = state.tasks.values().any(|task| task.status == TaskStatus::Running);
            runs || !outstanding(definition, state).is_empty()
        }
    };
    (!waits).then(|| "it waits for nothing".into())
}
