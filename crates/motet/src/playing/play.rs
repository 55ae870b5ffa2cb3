//! Plays a case in a real run: it performs the run's calls, answers its gates, lets happen what the case lets happen, and keeps its time.
//! Everything happens on the driver's thread, one thing after the other, so a play goes the same way however busy the machine is.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use motet_agents::scripted::Script;
use motet_core::case::{Case, Happens};
use motet_core::event::{Event, Failure, FailureKind, Person, Usage};
use motet_core::names::{GateId, RunId, TaskId};
use motet_core::state::Status;
use motet_core::units::{Time, Usd};
use motet_core::{Call, CallWork, Definition, Effect, Fact, State};
use motet_host::engine::{Command, Outcome};
use motet_host::{Clock, Done, Handle, Perform, Request};

use super::pace::{Pace, PlayClock};
use super::{Agenda, Due, Outside, People, edit};
use crate::builtins;
use crate::driving::Signal;
use crate::performing::outcome;

#[derive(Clone)]
pub struct Play(Arc<Mutex<Stage>>);

pub(super) struct Stage {
    /// The run that was started; it may start others.
    pub(super) run: RunId,
    pub(super) script: Script,
    pub(super) people: People,
    pub(super) outside: Outside,
    pub(super) agenda: Agenda,
    pub(super) clock: PlayClock,
    /// Who waits for the outcome of an attempt.
    waiting: BTreeMap<(RunId, TaskId, u32), Done>,
    /// The runs with open gates, as people see them.
    pub(super) at_gates: BTreeMap<RunId, (Arc<Definition>, State)>,
    pub(super) paused: bool,
    /// How the run stood last.
    stands: Option<(Arc<Definition>, State)>,
    /// While the past is recalled: the next resumption belongs to what was given before it.
    pub(super) given_more: bool,
    /// What happens from the start on is on the agenda.
    pub(super) begun: bool,
    /// The case has let the process die.
    crashed: bool,
    handle: Option<Handle>,
    signals: Sender<Signal>,
}

impl Play {
    /// `now`: when the play begins. `file` is what messages call the case.
    pub fn new(run: RunId, case: &Case, file: &str, pace: Pace, now: Time, signals: Sender<Signal>) -> Self {
        Self(Arc::new(Mutex::new(Stage {
            run,
            script: Script::new(case.clone(), file, builtins::all()),
            people: People::new(case),
            outside: Outside::new(case),
            agenda: Agenda::default(),
            clock: PlayClock::new(now, pace),
            waiting: BTreeMap::new(),
            at_gates: BTreeMap::new(),
            paused: false,
            stands: None,
            given_more: false,
            begun: false,
            crashed: false,
            handle: None,
            signals,
        })))
    }

    /// How the people of the case reach the run.
    pub fn speak_through(&self, handle: Handle) {
        self.stage().handle = Some(handle);
    }

    /// Takes in what happened to a run, before the calls that follow from it are performed.
    pub fn advanced(&self, run: &RunId, definition: &Arc<Definition>, state: &State, events: &[Event]) {
        let mut stage = self.stage();
        for event in events {
            stage.script.follow(run, event, &[]);
        }
        stage.advanced(run, definition, state);
    }

    pub(super) fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets happen what is due now.
    fn happen(&self, due: Due) {
        match due {
            Due::Agent { run, task, attempt, outcome, usage } => {
                let done = self.stage().waiting.remove(&(run, task, attempt));
                if let Some(done) = done {
                    done.finish(outcome, usage, Vec::new());
                }
            }
            Due::Person { run, gate } => self.speak(&run, &gate),
            Due::Outside(what) => self.intervene(what),
        }
    }

    /// Edits and the answer go out together, so that they become durable together.
    fn speak(&self, run: &RunId, gate: &GateId) {
        let mut stage = self.stage();
        let Some((definition, state)) = stage.at_gates.get(run).cloned() else { return };
        for command in stage.people.speak(run, &definition, &state, gate) {
            self.command(&stage, run.clone(), command);
        }
        stage.people.was_heard(run, gate);
    }

    fn intervene(&self, what: Happens) {
        let mut stage = self.stage();
        let (run, by) = (stage.run.clone(), Person::named("person"));
        match what {
            Happens::Crash => {
                stage.crashed = true;
                let _ = stage.signals.send(Signal::Crash);
            }
            Happens::Pause => self.command(&stage, run, Command::Pause { by, reason: "paused by a person".into() }),
            Happens::Cancel => self.command(&stage, run, Command::Cancel { by, reason: String::new() }),
            Happens::Resume { budget, max_time_ms, edits } => {
                let edited = stage.stands.as_ref().and_then(|(definition, state)| edit(by.clone(), definition, state, &edits));
                let is_edited = edited.is_some();
                edited.into_iter().for_each(|command| self.command(&stage, run.clone(), command));
                let gives_more = budget.is_some() || max_time_ms.is_some();
                if gives_more {
                    let cost = budget.and_then(Usd::from_dollars);
                    self.command(&stage, run.clone(), Command::RaiseLimits { by: by.clone(), cost, time_ms: max_time_ms });
                }
                // A run that stands at a gate is given more without being paused.
                if stage.paused || !gives_more && !is_edited {
                    self.command(&stage, run, Command::Resume { by });
                }
            }
        }
    }

    fn command(&self, stage: &Stage, run: RunId, command: Command) {
        let Some(handle) = &stage.handle else { return };
        let (play, of) = (self.clone(), run.clone());
        handle.ask_then(Request::Command { run, command }, move |result| {
            if let Err(refusal) = result {
                let mut stage = play.stage();
                let _ = stage.signals.send(Signal::Say(format!("what the case says here was refused: {refusal}")));
                // The gate is still open, and the next line may do better.
                stage.look(&of);
            }
        });
    }
}

impl Stage {
    pub(super) fn advanced(&mut self, run: &RunId, definition: &Arc<Definition>, state: &State) {
        if *run == self.run {
            self.paused = matches!(state.status, Status::Paused { .. });
            self.stands = Some((definition.clone(), state.clone()));
            if let Some(info) = state.run.as_ref().filter(|_| !std::mem::replace(&mut self.begun, true)) {
                for (at, what) in self.outside.not_bound_to_a_state(info.started_at) {
                    self.agenda.add(at, Due::Outside(what));
                }
            }
        }
        for (at, what) in self.outside.advanced(run, state) {
            self.agenda.add(at, Due::Outside(what));
        }
        match state.gates.is_empty() {
            true => drop(self.at_gates.remove(run)),
            false => drop(self.at_gates.insert(run.clone(), (definition.clone(), state.clone()))),
        }
        self.look(run);
    }

    /// Lets people see which gates of a run are open.
    fn look(&mut self, run: &RunId) {
        let Some((_, state)) = self.at_gates.get(run) else { return };
        let now = self.clock.tell();
        for intent in self.people.look(run, state, now) {
            self.agenda.add(intent.at, Due::Person { run: run.clone(), gate: intent.gate });
        }
    }

    /// Whoever hangs says nothing, and is waited for in vain until the machine loses its patience.
    fn promise(&mut self, call: &Call, done: Done, said: Option<(Outcome, Usage)>, delay_ms: u64) {
        let (run, task, attempt) = (call.run.clone(), call.task.clone(), call.attempt);
        self.waiting.insert((run.clone(), task.clone(), attempt), done);
        if let Some((outcome, usage)) = said {
            let at = self.clock.tell().plus(delay_ms);
            self.agenda.add(at, Due::Agent { run, task, attempt, outcome, usage });
        }
    }
}

impl Perform for Play {
    fn perform(&self, call: Call, definition: &Arc<Definition>, done: Done) {
        // Nobody reads the prompt, but one that cannot be rendered must not pass for one that can.
        if call.work == CallWork::Prompt
            && let Err(message) = definition.prompt(&call)
        {
            let failure = Failure { kind: FailureKind::InvalidWorkflow, message };
            return done.finish(Outcome::Failed(failure), Usage::default(), Vec::new());
        }
        let mut stage = self.stage();
        // Lines are given out in the order of the journal, which is the order in which calls come here.
        let started = Fact::TaskStarted { task: call.task.clone(), attempt: call.attempt };
        stage.script.follow(&call.run, &Event { seq: 0, at: Time(0), fact: started }, &[Effect::Perform(Box::new(call.clone()))]);
        let played = stage.script.answer(&call);
        stage.promise(&call, done, played.outcome.map(outcome), played.delay_ms);
    }

    fn reconcile(&self, call: Call, _definition: &Arc<Definition>, done: Done) {
        let mut stage = self.stage();
        let found = stage.script.found().settle(&call).map_or((Outcome::Undone, Usage::default()), outcome);
        stage.promise(&call, done, Some(found), 0);
    }

    fn stop(&self, run: &RunId, task: &TaskId, attempt: u32) {
        let mut stage = self.stage();
        stage.agenda.forget_attempt(run, task, attempt);
        stage.waiting.remove(&(run.clone(), task.clone(), attempt));
    }
}

impl Clock for Play {
    fn now(&self) -> Time {
        self.stage().clock.tell()
    }

    fn patience(&self, next: Option<Time>) -> Option<Duration> {
        let mut stage = self.stage();
        if stage.crashed {
            return None;
        }
        let Some(at) = [stage.agenda.next_time(), next].into_iter().flatten().min() else {
            let _ = stage.signals.send(Signal::NothingToPlay);
            return None;
        };
        Some(stage.clock.leap(at))
    }

    fn nothing_came(&self, _next: Option<Time>) {
        let due = {
            let mut stage = self.stage();
            let now = stage.clock.land();
            stage.agenda.take(now)
        };
        due.into_iter().for_each(|due| self.happen(due));
    }
}
