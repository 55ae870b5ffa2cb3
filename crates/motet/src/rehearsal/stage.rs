//! The loop of a rehearsal: one thing happens, the engine takes a turn, and what it wants done goes on the agenda.
//! There is no thread and no sleep: when nothing is due now, time jumps to whatever is due next.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use motet_agents::Outcome as Said;
use motet_agents::scripted::Script;
use motet_core::case::{Case, Happens};
use motet_core::event::{ChildTerms, EVENT_VERSION, Person, RunStarted, Usage};
use motet_core::names::{GateId, RunId, TaskId};
use motet_core::state::Status;
use motet_core::units::{Time, Usd};
use motet_core::{Call, CallWork, Definition, State};
use motet_host::engine::{Advanced, Command, Definitions, Outcome, Places, Settings};
use motet_host::{Action, Engine, Input, Memory, Token};
use serde_json::{Value, json};

use super::{Rehearsal, status_word};
use crate::builtins;
use crate::casting::family;
use crate::library::Library;
use crate::playing::{Agenda, Due, Outside, People, edit};

/// Every rehearsal begins at the same moment, so that its files are always the same: 1 January 2026.
pub(super) const START: Time = Time(1_767_225_600_000);

/// A case that takes more turns than this will never end.
const MOST_TURNS: usize = 100_000;

pub struct Stage<'a> {
    case: &'a Case,
    pub(super) definition: Arc<Definition>,
    library: &'a Library,
    pub(super) store: Memory,
    pub(super) engine: Engine<Memory>,
    script: Script,
    people: People,
    outside: Outside,
    agenda: Agenda,
    pub(super) now: Time,
    pub(super) run: RunId,
    /// The work going on, by what a case would call it.
    working: BTreeMap<(RunId, TaskId, u32), Option<String>>,
    pub(super) done: Rehearsal,
}

impl<'a> Stage<'a> {
    pub fn new(definition: Arc<Definition>, case: &'a Case, file: &str, library: &'a Library) -> Self {
        let store = Memory::new();
        let engine = open(&store, library, START);
        Self {
            case,
            library,
            engine,
            store,
            script: Script::new(case.clone(), file, builtins::all()),
            people: People::new(case),
            outside: Outside::new(case),
            agenda: Agenda::default(),
            now: START,
            run: RunId::new(format!("{}-case", definition.name)),
            working: BTreeMap::new(),
            done: Rehearsal::default(),
            definition,
        }
    }

    pub fn play(mut self) -> Rehearsal {
        for (at, what) in self.outside.not_bound_to_a_state(START) {
            self.agenda.add(at, Due::Outside(what));
        }
        let start = self.start();
        self.turn(vec![start]);
        for _ in 0..MOST_TURNS {
            if self.is_over() {
                return self.finish();
            }
            let due = self.agenda.take(self.now);
            if !due.is_empty() {
                self.happen(due);
                continue;
            }
            let Some(next) = [self.agenda.next_time(), self.engine.next_timer()].into_iter().flatten().min() else {
                self.done.stuck = Some(self.waits_for());
                return self.finish();
            };
            self.now = self.now.max(next);
            if self.agenda.next_time().is_none_or(|due| due > self.now) {
                self.turn(Vec::new());
            }
        }
        self.done.stuck = Some(format!("it goes on and on: {MOST_TURNS} turns were not enough; {}", self.waits_for()));
        self.finish()
    }

    fn start(&self) -> Input {
        let mut input = self.case.input.clone();
        self.definition.input.fill_defaults(&mut input);
        let family = family(&self.definition, self.library);
        let terms = |definition: &Arc<Definition>| {
            (definition.name.clone(), ChildTerms { prices: self.case.prices.clone(), bindings: scripted(definition) })
        };
        let started = RunStarted {
            version: EVENT_VERSION,
            run: self.run.clone(),
            workflow: self.definition.name.clone(),
            workflow_version: self.definition.version.clone(),
            digest: self.definition.digest.clone(),
            input,
            by: Person::named("case"),
            unattended: self.case.unattended,
            cost: self.case.budget.and_then(Usd::from_dollars),
            time_ms: self.case.max_time_ms,
            prices: self.case.prices.clone(),
            children: family.iter().skip(1).map(terms).collect(),
            people: BTreeMap::new(),
            bindings: scripted(&self.definition),
            parent: None,
            number: None,
            seed: None,
        };
        Input::Start { token: Token(0), started: Box::new(started), definition: self.definition.clone() }
    }

    /// The run has ended or was never started, or it stands where the case wants it to stand and the case has no more to say.
    fn is_over(&self) -> bool {
        let Some(state) = self.state() else { return true };
        if state.ended.is_some() {
            return true;
        }
        let wanted = self.case.expect.status.as_deref().filter(|wanted| matches!(*wanted, "running" | "waiting" | "paused"));
        wanted.is_some() && status_word(state) == wanted && self.agenda.is_empty() && !self.people.anybody_silent()
    }

    /// The run as it is now. One that has ended stays to be looked at until the next turn.
    pub(super) fn state(&self) -> Option<&State> {
        self.engine.look(&self.run).map(|(_, state)| state)
    }

    fn happen(&mut self, due: Vec<Due>) {
        let mut said = Vec::new();
        for due in due {
            match due {
                Due::Agent { run, task, attempt, outcome, usage } => {
                    self.working.remove(&(run.clone(), task.clone(), attempt));
                    said.push(Input::Completed { run, task, attempt, outcome, usage, exchanges: Vec::new() });
                }
                Due::Person { run, gate } => self.speak(run, &gate),
                Due::Outside(what) => self.intervene(what),
            }
        }
        if !said.is_empty() {
            self.turn(said);
        }
    }

    fn speak(&mut self, run: RunId, gate: &GateId) {
        let Some((definition, state)) = self.engine.look(&run) else { return };
        for command in self.people.speak(&run, definition, state, gate) {
            let refused = self.done.refused.len();
            self.command(run.clone(), command);
            // Nobody answers while what they edited cannot be taken.
            if self.done.refused.len() > refused {
                break;
            }
        }
        // After a refusal the gate is still open, and the next line may do better.
        self.people.was_heard(&run, gate);
        self.look(&run);
    }

    fn intervene(&mut self, what: Happens) {
        match what {
            Happens::Crash => self.crash(),
            Happens::Pause => {
                self.command(self.run.clone(), Command::Pause { by: Person::named("person"), reason: "paused by a person".into() });
            }
            Happens::Cancel => {
                self.command(self.run.clone(), Command::Cancel { by: Person::named("person"), reason: String::new() });
            }
            Happens::Resume { budget, max_time_ms, edits } => {
                let by = Person::named("person");
                let edited = self.engine.look(&self.run).and_then(|(definition, state)| edit(by.clone(), definition, state, &edits));
                let is_edited = edited.is_some();
                edited.into_iter().for_each(|command| self.command(self.run.clone(), command));
                let gives_more = budget.is_some() || max_time_ms.is_some();
                if gives_more {
                    let cost = budget.and_then(Usd::from_dollars);
                    self.command(self.run.clone(), Command::RaiseLimits { by: by.clone(), cost, time_ms: max_time_ms });
                }
                // A run that stands at a gate is given more without being paused.
                let is_paused = self.state().is_some_and(|state| matches!(state.status, Status::Paused { .. }));
                if is_paused || !gives_more && !is_edited {
                    self.command(self.run.clone(), Command::Resume { by });
                }
            }
        }
    }

    fn command(&mut self, run: RunId, command: Command) {
        self.turn(vec![Input::Command { token: Token(0), run, command }]);
    }

    /// The process dies, and another one takes over what it finds in the store. The agents' world does not die with it.
    fn crash(&mut self) {
        self.agenda.forget_agents();
        self.working.clear();
        // The dead one must be gone before another can claim its runs, so a stand-in takes its place for a moment.
        self.engine = open(&Memory::new(), self.library, self.now);
        self.engine = open(&self.store, self.library, self.now);
        self.turn(vec![Input::ClaimAll { token: Token(0) }]);
    }

    fn turn(&mut self, inputs: Vec<Input>) {
        for action in self.engine.turn(self.now, inputs) {
            match action {
                Action::Advanced(advanced) => self.on_advanced(&advanced),
                Action::Perform { call, definition } => {
                    self.render_prompt(&call, &definition);
                    self.perform(&call);
                }
                Action::Reconcile { call, .. } => self.reconcile(&call),
                Action::Stop { run, task, attempt } => {
                    self.agenda.forget_attempt(&run, &task, attempt);
                    self.working.remove(&(run, task, attempt));
                }
                Action::Reply { result: Err(refusal), .. } => self.done.refused.push(refusal.to_string()),
                Action::Unreadable { run, error } => self.done.broken.push(format!("run {run} cannot be read again: {error}")),
                Action::Stalled { error, .. } => self.done.broken.push(format!("the store in memory cannot be written: {error}")),
                Action::Fenced => self.done.broken.push("the engine lost its lease".into()),
                Action::Reply { result: Ok(_), .. } | Action::Idle { .. } | Action::Ended { .. } | Action::Unstalled => {}
            }
        }
        let at_once: BTreeSet<String> = self.working.values().flatten().cloned().collect();
        if at_once.len() > 1 {
            self.done.together.insert(at_once);
        }
    }

    fn on_advanced(&mut self, advanced: &Advanced) {
        for event in &advanced.events {
            self.script.follow(&advanced.run, event, &[]);
        }
        self.look(&advanced.run);
        let Some((_, state)) = self.engine.look(&advanced.run) else { return };
        for (at, what) in self.outside.advanced(&advanced.run, state) {
            self.agenda.add(at, Due::Outside(what));
        }
    }

    /// Lets people see which gates of a run are open.
    fn look(&mut self, run: &RunId) {
        let Some((_, state)) = self.engine.look(run) else { return };
        for intent in self.people.look(run, state, self.now) {
            self.agenda.add(intent.at, Due::Person { run: run.clone(), gate: intent.gate });
        }
    }

    /// Nobody reads it here, but a prompt that cannot be rendered would fail a real run.
    fn render_prompt(&mut self, call: &Call, definition: &Definition) {
        if call.work == CallWork::Prompt
            && let Err(problem) = definition.prompt(call)
        {
            self.done.broken.push(format!("the prompt of {} cannot be rendered: {problem}", call.agent));
        }
    }

    fn perform(&mut self, call: &Call) {
        *self.done.calls.entry(self.script.voice(call).to_owned()).or_default() += 1;
        let attempt = (call.run.clone(), call.task.clone(), call.attempt);
        self.working.insert(attempt, call.task.as_str().split_once('/').map(|(_, id)| id.to_owned()));
        let played = self.script.answer(call);
        if let Some(said) = played.outcome {
            self.answer(call, said, played.delay_ms);
        }
    }

    fn reconcile(&mut self, call: &Call) {
        match self.script.found().settle(call) {
            Some(said) => self.answer(call, said, 0),
            None => self.agenda.add(self.now, completion(call, Outcome::Undone, Usage::default())),
        }
    }

    fn answer(&mut self, call: &Call, said: Said, delay_ms: u64) {
        let usage = said.usage();
        let outcome = match said {
            Said::Returned { result, .. } => Outcome::Succeeded(result),
            Said::Failed { failure, .. } => Outcome::Failed(failure),
            Said::Asked { question, .. } => Outcome::Asked(question),
        };
        self.agenda.add(self.now.plus(delay_ms), completion(call, outcome, usage));
    }
}

/// The case plays everybody.
fn scripted(definition: &Definition) -> Value {
    let agents = definition.agents.keys().map(|name| (name.to_string(), json!({ "backend": "scripted" })));
    json!({ "agents": agents.collect::<BTreeMap<String, Value>>() })
}

fn completion(call: &Call, outcome: Outcome, usage: Usage) -> Due {
    Due::Agent { run: call.run.clone(), task: call.task.clone(), attempt: call.attempt, outcome, usage }
}

fn open(store: &Memory, library: &Library, now: Time) -> Engine<Memory> {
    let settings =
        Settings { places: Places { total: usize::MAX, ..Places::default() }, files: false, chance: false, ..Settings::default() };
    Engine::new(store.open_driver(now), Definitions::new(library.clone()), settings)
}
