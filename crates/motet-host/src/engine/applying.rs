//! From inputs to facts, and from effects to the queue, the timers and the outbox.
//! Every fact goes through `apply`, which is the only place that calls `step`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use motet_core::event::{Event, Fact, Failure, FailureKind, LastWords};
use motet_core::names::RunId;
use motet_core::{CallWork, Effect, Rejected, edits, outstanding, step};

use super::farewell::readable;
use super::following::{FollowUp, WAIT_MS};
use super::messages::{Action, Command, Input, Outcome, Refusal, Token};
use super::run::Run;
use super::{Engine, children};
use crate::journal;
use crate::store::{self, MOST_EVENTS, Store};

impl Input {
    /// Who waits for an answer.
    pub(super) fn token(&self) -> Option<Token> {
        match self {
            Input::Start { token, .. }
            | Input::Fork { token, .. }
            | Input::Claim { token, .. }
            | Input::ClaimAll { token }
            | Input::Command { token, .. } => Some(*token),
            Input::Completed { .. } | Input::Heard { .. } => None,
        }
    }
}

impl<S: Store> Engine<S> {
    pub(super) fn take_in(&mut self, input: Input) {
        match input {
            Input::Completed { run, task, attempt, outcome, usage, exchanges } => {
                // The place is free whether or not anybody still waits for the result.
                self.queue.end(&run, &task, attempt);
                let fact = completion(outcome, LastWords { task, attempt, usage, exchanges });
                match self.bring(&run).map_err(Refusal::from).and_then(|()| self.command(&run, fact)) {
                    Ok(()) => {}
                    Err(_) => self.stats.dropped += 1,
                }
            }
            Input::Heard { run, words } => self.last_words.entry(run).or_default().push(words),
            Input::Start { token, started, definition } => {
                let run = started.run.clone();
                let result = self.start(*started, definition, 0);
                self.reply(token, result.map(|()| vec![run]));
            }
            Input::Fork { token, from, at_seq, run, set } => {
                let result = self.fork(&from, at_seq, run.clone(), set);
                self.reply(token, result.map(|()| vec![run]));
            }
            Input::Claim { token, run } => {
                let result = self.claim(&run);
                self.reply(token, result);
            }
            Input::ClaimAll { token } => {
                let result = self.claim_all();
                self.reply(token, result);
            }
            Input::Command { token, run, command } => {
                let result = self.reach(&run).and_then(|()| self.on_command(&run, command));
                self.reply(token, result.map(|()| vec![run]));
            }
        }
    }

    /// Brings the run of a command into memory, or says why it cannot be commanded here.
    fn reach(&mut self, run: &RunId) -> Result<(), Refusal> {
        if self.runs.contains_key(run) || self.parked.contains_key(run) {
            return Ok(self.bring(run)?);
        }
        match self.store.run(run)? {
            None => Err(store::Error::NotFound(run.clone()).into()),
            Some(record) if record.ended_at.is_some() => Err(Refusal::Rejected { run: run.clone(), rejected: Rejected::Ended }),
            Some(_) => Err(Refusal::NotDriven(run.clone())),
        }
    }

    fn on_command(&mut self, run: &RunId, command: Command) -> Result<(), Refusal> {
        let below = match &command {
            Command::Pause { .. } | Command::Resume { .. } => self.children_of(run),
            _ => Vec::new(),
        };
        let is_resume = matches!(command, Command::Resume { .. });
        let mut fact = Fact::from(command);
        if let (Fact::DataEdited { changes, diff, .. }, Some((_, state))) = (&mut fact, self.look(run)) {
            *diff = edits::difference(&state.data, changes);
        }
        self.command(run, fact.clone())?;
        // A child that is paused or running already stays as it is.
        for child in below {
            self.follow_ups.apply(&child, fact.clone());
        }
        if is_resume {
            self.queue_outstanding(run);
        }
        Ok(())
    }

    pub(super) fn command(&mut self, run: &RunId, fact: Fact) -> Result<(), Refusal> {
        if is_too_deep(&fact) {
            return Err(Refusal::TooDeep);
        }
        self.apply(run, fact).map_err(|rejected| Refusal::Rejected { run: run.clone(), rejected })
    }

    /// Starts a run that the store does not have yet.
    pub(super) fn start(
        &mut self,
        mut started: motet_core::event::RunStarted,
        definition: std::sync::Arc<motet_core::Definition>,
        depth: u32,
    ) -> Result<(), Refusal> {
        let id = started.run.clone();
        self.refuse_known(&id)?;
        if started.number.is_none() {
            started.number = Some(self.store.next_number(&started.workflow, store::day(self.now))?);
        }
        if self.settings.chance && started.seed.is_none() {
            started.seed = Some(seed_of(&id));
        }
        let mut run = Run::new(definition, journal::first_link(&id), self.now);
        run.parent = started.parent.as_ref().map(|parent| parent.run.clone());
        run.depth = depth;
        self.runs.insert(id.clone(), run);
        let started = self.command(&id, Fact::RunStarted(Box::new(started)));
        if started.is_err() {
            self.runs.remove(&id);
        }
        started
    }

    pub(super) fn refuse_known(&self, id: &RunId) -> Result<(), Refusal> {
        let found = match self.runs.get(id) {
            Some(run) => Some(run.state.seq),
            None => self.store.run(id)?.map(|record| record.seq),
        };
        match found {
            Some(found) => Err(store::Error::Conflict { run: id.clone(), expected: None, found: Some(found) }.into()),
            None => Ok(()),
        }
    }

    /// Lets a fact happen to a run in memory. If the machine rejects it, nothing has changed.
    pub(super) fn apply(&mut self, id: &RunId, mut fact: Fact) -> Result<(), Rejected> {
        if self.broken.contains_key(id) {
            return Err(Rejected::Incompatible(format!("run {id} cannot go on in this process")));
        }
        if let Fact::Cancelled { last_words, .. } = &mut fact {
            last_words.extend(self.last_words_of(id));
        }
        let Some(run) = self.runs.get_mut(id) else { return Err(Rejected::Unknown(format!("run {id}"))) };
        let seq = run.state.seq + 1;
        if seq > MOST_EVENTS {
            return Err(Rejected::Incompatible(store::Error::TooLong(id.clone()).to_string()));
        }
        let was_stuck = children::is_stuck(&run.state);
        let event = Event { seq, at: self.now.max(run.state.now), fact };
        // A panic is a defect of the machine, and must not end the other runs of this process.
        let files = self.settings.files;
        let stepped = catch_unwind(AssertUnwindSafe(|| {
            let effects = step(&run.definition, &mut run.state, &event)?;
            let lines = if files { motet_core::files::appended(&run.definition, &run.state, &event) } else { Vec::new() };
            Ok((effects, lines))
        }));
        let (effects, lines) = match stepped {
            Ok(stepped) => stepped?,
            Err(panic) => {
                let why = format!("the machine failed at event {seq}, which is a defect of Motet: {}", words_of(&*panic));
                self.broken.insert(id.clone(), journal::Error::Replay { run: id.clone(), seq, why: why.clone() });
                return Err(Rejected::Incompatible(why));
            }
        };
        run.appended.extend(lines);
        run.pending.push(event);
        self.touched.insert(id.clone());
        for effect in effects {
            self.heed(id, effect);
        }
        if !was_stuck {
            self.end_for_want_of_money(id);
        }
        Ok(())
    }

    fn heed(&mut self, run: &RunId, effect: Effect) {
        match effect {
            Effect::StartTask(call) => self.wait_for_place(&call),
            Effect::Perform(call) if matches!(call.work, CallWork::Workflow { .. }) => self.follow_ups.push(FollowUp::StartChild(call)),
            Effect::Perform(call) => {
                self.queue.begin(&call);
                if let Some(definition) = self.definition(run) {
                    self.outbox.push(Action::Perform { call, definition });
                }
            }
            Effect::Reconcile(call) => {
                self.queue.begin(&call);
                if let Some(definition) = self.definition(run) {
                    self.outbox.push(Action::Reconcile { call, definition });
                }
            }
            Effect::StopTask { task, attempt } => {
                self.queue.forget_waiting(run, &task);
                if self.queue.end(run, &task, attempt) {
                    self.outbox.push(Action::Stop { run: run.clone(), task: task.clone(), attempt });
                }
                self.cancel_child(&children::child_id(run, &task, attempt));
            }
            Effect::SetTimer { timer, at } => self.timers.set(run, &timer, at),
            Effect::ClearTimer { timer } => self.timers.clear(run, &timer),
            // What a gate asks is in the state, where every surface finds it.
            Effect::OpenGate { .. } | Effect::CloseGate { .. } => {}
            Effect::Finish { ended } => {
                self.timers.clear_run(run);
                self.ended.push(run.clone());
                self.deliver_to_parent(run);
                self.outbox.push(Action::Ended { run: run.clone(), ended: Box::new(ended) });
            }
        }
    }

    /// Sees to everything the state waits for that nobody is seeing to yet.
    pub(super) fn queue_outstanding(&mut self, id: &RunId) {
        let Some(run) = self.runs.get(id) else { return };
        for effect in outstanding(&run.definition, &run.state) {
            match &effect {
                Effect::Reconcile(call) if self.queue.is_at_work(id, &call.task, call.attempt) => {}
                Effect::Finish { .. } => {}
                _ => self.heed(id, effect),
            }
        }
    }

    fn wait_for_place(&mut self, call: &motet_core::Call) {
        match call.work {
            CallWork::Workflow { .. } if self.is_held_back(&call.run) => drop(self.put_back.insert(call.run.clone())),
            CallWork::Workflow { .. } => {
                let started = Fact::TaskStarted { task: call.task.clone(), attempt: call.attempt };
                self.follow_ups.apply(&call.run, started);
            }
            _ => self.queue.wait(call),
        }
    }

    fn definition(&self, run: &RunId) -> Option<std::sync::Arc<motet_core::Definition>> {
        self.runs.get(run).map(|run| run.definition.clone())
    }

    pub(super) fn fire_timers(&mut self) {
        while let Some((run, timer)) = self.timers.due(self.now) {
            match self.bring(&run) {
                Ok(()) => {
                    if self.apply(&run, Fact::TimerFired { timer }).is_err() {
                        self.stats.dropped += 1;
                    }
                    self.follow();
                }
                Err(_) => {
                    // The store cannot be read just now; the moment has passed, and comes again.
                    self.timers.set(&run, &timer, self.now.plus(WAIT_MS));
                }
            }
        }
    }

    /// Takes up what waits, as far as there are places.
    pub(super) fn dispatch(&mut self) {
        if self.closing {
            return;
        }
        while let Some((run, task, attempt)) = self.queue.next() {
            if self.is_held_back(&run) {
                self.put_back.insert(run);
                continue;
            }
            // A task that is not wanted any more, or not while the run is paused, waits no longer.
            let _ = self.bring(&run).is_ok() && self.apply(&run, Fact::TaskStarted { task, attempt }).is_ok();
            self.follow();
        }
    }
}

/// Ids are made at random, so what is drawn from one is, too.
fn seed_of(run: &RunId) -> u64 {
    let digest = motet_core::names::Digest::of(run.as_str().as_bytes());
    digest.as_str().bytes().take(13).fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

/// What a panic said, as far as it said anything.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it did not say why".into())
}

fn completion(outcome: Outcome, words: LastWords) -> Fact {
    let LastWords { task, attempt, usage, exchanges } = readable(words);
    match outcome {
        Outcome::Succeeded(result) if journal::is_too_deep(&result) => {
            let message = format!("the result is nested more than {} levels deep", journal::deepest_allowed());
            Fact::TaskFailed { task, attempt, error: Failure { kind: FailureKind::InvalidOutput, message }, usage, exchanges }
        }
        Outcome::Succeeded(result) => Fact::TaskSucceeded { task, attempt, result, usage, exchanges },
        Outcome::Failed(error) => Fact::TaskFailed { task, attempt, error, usage, exchanges },
        Outcome::Asked(question) => Fact::TaskAsked { task, attempt, question, usage, exchanges },
        Outcome::Undone => Fact::TaskFoundUndone { task, attempt },
    }
}

fn is_too_deep(fact: &Fact) -> bool {
    match fact {
        Fact::RunStarted(started) => journal::is_too_deep(&started.input) || journal::is_too_deep(&started.bindings),
        Fact::DataEdited { changes, .. } => changes.values().any(journal::is_too_deep),
        _ => false,
    }
}
