//! Everything outside the engine: backends that take their time, people who answer, a clock that jumps.
//! Backends remember what they have really done, which is more than any journal can know.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::event::{Answer, Failure, FailureKind, Person, Question, Usage};
use motet_core::names::{Digest, GateId, RunId, TaskId};
use motet_core::state::{GateKind, OpenGate, State, Status};
use motet_core::units::Time;
use motet_core::{Call, CallWork};
use motet_host::engine::{Action, Command, Input, Outcome, Token};
use motet_host::{Memory, Store as _};
use serde_json::json;

use super::faults::Faults;
use super::laws::Laws;
use super::process::Process;
use super::{DOOMED, Wanted};
use crate::random::Random;
use crate::workflows::Shelf;

pub struct World {
    random: Random,
    /// Faults of the world that are still to come.
    troubles_left: u64,
    /// Outcomes on their way back, by the moment they arrive.
    arriving: Vec<(Time, Completion)>,
    /// What backends will have done by a moment, unless they are stopped before.
    doing: Vec<(Time, (RunId, TaskId), u32)>,
    /// What backends have done, and in which attempts.
    pub done: BTreeMap<(RunId, TaskId), BTreeSet<u32>>,
    /// What the living process has given out and not yet heard of.
    pub given: BTreeSet<(RunId, TaskId, u32)>,
    claimed: bool,
    claim: Token,
    crash_now: bool,
    next_token: u64,
    repeated: u64,
    jumps: u64,
}

#[derive(Clone)]
struct Completion {
    run: RunId,
    task: TaskId,
    attempt: u32,
    outcome: Outcome,
}

impl Completion {
    fn of(call: &Call, outcome: Outcome) -> Self {
        Self { run: call.run.clone(), task: call.task.clone(), attempt: call.attempt, outcome }
    }

    fn into_input(self) -> Input {
        Input::Completed {
            run: self.run,
            task: self.task,
            attempt: self.attempt,
            outcome: self.outcome,
            usage: Usage::default(),
            exchanges: Vec::new(),
        }
    }
}

impl World {
    pub fn new(mut random: Random, trouble: bool) -> Self {
        let troubles_left = if trouble { random.below(12) } else { 0 };
        Self {
            random,
            troubles_left,
            arriving: Vec::new(),
            doing: Vec::new(),
            done: BTreeMap::new(),
            given: BTreeSet::new(),
            claimed: false,
            claim: Token(0),
            crash_now: false,
            next_token: 0,
            repeated: 0,
            jumps: 0,
        }
    }

    pub fn counts(&self) -> (u64, u64) {
        (self.repeated, self.jumps)
    }

    /// What the process is told in this turn.
    pub fn inputs(&mut self, process: &Process, shelf: &Shelf, storage: &Memory, wanted: &[Wanted], now: Time) -> Vec<Input> {
        let mut inputs = Vec::new();
        if !self.claimed {
            self.claim = self.token();
            inputs.push(Input::ClaimAll { token: self.claim });
        }
        // Whoever wants a run asks again until it is there.
        for want in wanted {
            if storage.contents().runs.contains_key(&want.run) || process.engine.holds(&want.run) {
                continue;
            }
            let started = Box::new(shelf.started(want.workflow, want.run.as_str(), want.input.clone()));
            inputs.push(Input::Start { token: self.token(), started, definition: shelf.definition(want.workflow) });
        }
        let (due, later): (Vec<_>, Vec<_>) = self.arriving.drain(..).partition(|(at, _)| *at <= now);
        self.arriving = later;
        for (_, completion) in due {
            self.given.remove(&(completion.run.clone(), completion.task.clone(), completion.attempt));
            if self.trouble(8) {
                self.repeated += 1;
                let again = now.plus(self.random.below(90_000));
                self.arriving.push((again, completion.clone()));
                inputs.push(completion.clone().into_input());
            }
            inputs.push(completion.into_input());
        }
        // What comes at the same moment comes in any order.
        for position in (1..inputs.len()).rev() {
            let other = self.random.below(position as u64 + 1) as usize;
            inputs.swap(position, other);
        }
        inputs.extend(self.people(process));
        inputs
    }

    /// People look at every run in memory, and answer what is asked when they feel like it.
    fn people(&mut self, process: &Process) -> Vec<Input> {
        let mut inputs = Vec::new();
        for run in process.engine.open_runs() {
            let Some((_, state)) = process.engine.look(&run) else {
                // A run that has left memory: a command brings it back, and is refused if it does not apply.
                if self.random.once_in(10) {
                    inputs.push(self.command(&run, Command::Resume { by: Person::named("ada") }));
                }
                continue;
            };
            if matches!(state.status, Status::Paused { .. }) && self.random.once_in(3) {
                inputs.push(self.command(&run, Command::Resume { by: Person::named("ada") }));
            } else if self.trouble(60) {
                inputs.push(self.command(&run, Command::Pause { by: Person::named("ada"), reason: "a break".into() }));
            }
            let parent = state.run.as_ref().and_then(|info| info.parent.clone());
            if let Some(doomed) = parent.filter(|parent| parent.run.as_str().starts_with(DOOMED)) {
                let is_asked = state.gates.values().any(|gate| gate.kind == GateKind::State);
                if is_asked && self.random.once_in(4) {
                    let cancel = Command::Cancel { by: Person::named("ada"), reason: "not needed".into() };
                    inputs.push(self.command(&doomed.run, cancel));
                }
                if is_asked {
                    continue;
                }
            }
            let answers: Vec<(GateId, Answer)> = state.gates.values().map(|gate| (gate.id.clone(), self.answer(&run, gate))).collect();
            for (gate, answer) in answers {
                if self.random.once_in(4) {
                    inputs.push(self.command(&run, Command::Answer { gate, answer }));
                }
            }
        }
        inputs
    }

    /// A person tells the truth about what was done.
    fn answer(&self, run: &RunId, gate: &OpenGate) -> Answer {
        let mut answer = Answer { by: Person::named("ada"), option: None, text: None, answers: BTreeMap::new(), seen: None };
        match &gate.kind {
            GateKind::State => answer.option = Some("go".into()),
            GateKind::Question { .. } => answer.text = Some("yes".into()),
            GateKind::Permission { .. } => answer.option = gate.options.first().cloned(),
            GateKind::Interrupted { task } if self.done.contains_key(&(run.clone(), task.clone())) => {
                answer.option = Some("done".into());
                answer.text = Some("done indeed".into());
            }
            GateKind::Interrupted { .. } => answer.option = Some("run_again".into()),
        }
        answer
    }

    fn command(&mut self, run: &RunId, command: Command) -> Input {
        Input::Command { token: self.token(), run: run.clone(), command }
    }

    /// Carries out what the process says, as long as it lives.
    pub fn take(&mut self, process: &Process, actions: Vec<Action>, laws: &mut Laws, storage: &Memory, now: Time) -> Result<(), String> {
        self.settle(now);
        for action in actions {
            if self.crash_now {
                break;
            }
            // A process may die between any two things it does.
            self.crash_now = self.trouble(40);
            if let Action::Perform { call, .. } | Action::Reconcile { call, .. } = &action {
                self.given.insert((call.run.clone(), call.task.clone(), call.attempt));
            }
            match action {
                Action::Perform { call, .. } => {
                    laws.performed(&call, self, storage)?;
                    let state = process.engine.look(&call.run).map(|(_, state)| state);
                    self.perform(&call, state, now);
                }
                Action::Reconcile { call, .. } => self.reconcile(&call, now),
                Action::Stop { run, task, attempt } => self.stop(&run, &task, attempt),
                Action::Reply { result, token } => self.claimed |= token == self.claim && result.is_ok(),
                Action::Advanced(advanced) => laws.advanced(&advanced)?,
                Action::Unreadable { .. } => self.crash_now = true,
                Action::Fenced => return Err("fenced though nobody took over".into()),
                Action::Idle { .. } | Action::Ended { .. } | Action::Stalled { .. } | Action::Unstalled => {}
            }
        }
        Ok(())
    }

    fn perform(&mut self, call: &Call, state: Option<&State>, now: Time) {
        let errors = state.and_then(|state| state.tasks.get(&call.task)).map_or(0, |task| task.errors.len());
        let takes = 100 + self.random.below(20_000);
        let arrives = now.plus(takes);
        let outcome = outcome_of(call, errors);
        if matches!(outcome, Some(Outcome::Succeeded(_))) {
            let done_at = now.plus(self.random.below(takes + 1));
            self.doing.push((done_at, (call.run.clone(), call.task.clone()), call.attempt));
        }
        if let Some(outcome) = outcome {
            self.arriving.push((arrives, Completion::of(call, outcome)));
        }
    }

    fn reconcile(&mut self, call: &Call, now: Time) {
        let was_done = self.done.contains_key(&(call.run.clone(), call.task.clone()));
        let outcome = match was_done {
            _ if self.random.once_in(4) => {
                Outcome::Failed(Failure { kind: FailureKind::Interrupted, message: "the backend does not know".into() })
            }
            true => Outcome::Succeeded(json!("done before")),
            false => Outcome::Undone,
        };
        self.arriving.push((now.plus(500), Completion::of(call, outcome)));
    }

    fn stop(&mut self, run: &RunId, task: &TaskId, attempt: u32) {
        self.given.remove(&(run.clone(), task.clone(), attempt));
        self.doing.retain(|(_, (owner, doing), at)| !(owner == run && doing == task && *at == attempt));
        self.arriving.retain(|(_, completion)| !(completion.run == *run && completion.task == *task && completion.attempt == attempt));
    }

    /// What backends have finished by now is done, whatever becomes of the news of it.
    fn settle(&mut self, now: Time) {
        let (past, future): (Vec<_>, Vec<_>) = self.doing.drain(..).partition(|(at, ..)| *at <= now);
        self.doing = future;
        for (_, task, attempt) in past {
            self.done.entry(task).or_default().insert(attempt);
        }
    }

    /// The process is gone: nobody hears of what was under way, and what was not done yet is not done any more.
    pub fn crash(&mut self, now: Time) {
        self.settle(now);
        self.doing.clear();
        self.arriving.clear();
        self.given.clear();
        self.claimed = false;
        self.crash_now = false;
    }

    pub fn has_crashed(&self) -> bool {
        self.crash_now
    }

    /// Ends a process; sometimes it only seems dead, goes on after another one took over, and must be able to do no harm.
    pub fn end(&mut self, process: Process, storage: &Memory, faults: &Faults, now: Time) -> Result<bool, String> {
        let late = self.arriving.first().map(|(_, completion)| completion.clone());
        self.crash(now);
        let Some(late) = late.filter(|_| self.random.once_in(3)) else { return Ok(false) };
        process.engine.store().inner.lose_lock();
        let mut next = storage.open_driver(now);
        let claimed = next.claim(&motet_host::store::Claim::AllOpen, now).map_err(|error| error.to_string())?;
        drop(next);
        let before: u64 = storage.contents().runs.values().map(|run| run.record.seq).sum();
        let mut zombie = process;
        let actions = zombie.engine.turn(now, vec![late.into_input()]);
        let after: u64 = storage.contents().runs.values().map(|run| run.record.seq).sum();
        if before != after {
            return Err("a process that was taken over still wrote".into());
        }
        let acts = |action: &Action| matches!(action, Action::Perform { .. } | Action::Reconcile { .. });
        if !claimed.is_empty() && actions.iter().any(acts) {
            return Err("a process that was taken over still gave out work".into());
        }
        // Whatever it was told by the failing store, it is dead now.
        faults.crashed();
        Ok(true)
    }

    /// When something happens next: a completion, a timer, or somebody looks again.
    pub fn next_moment(&mut self, process: Option<&Process>, now: Time) -> Time {
        if process.is_none() {
            return now.plus(self.random.below(20_000));
        }
        let timer = process.and_then(|process| process.engine.next_timer());
        let arrival = self.arriving.iter().map(|(at, _)| *at).min();
        let next = timer.into_iter().chain(arrival).min().unwrap_or(now.plus(1000)).max(now.plus(1));
        let next = next.min(now.plus(5_000));
        if self.trouble(100) {
            self.jumps += 1;
            return if self.random.once_in(2) { now.plus(120_000) } else { Time(now.0 - 3_600_000) };
        }
        next
    }

    fn trouble(&mut self, once_in: u64) -> bool {
        if self.troubles_left == 0 || !self.random.once_in(once_in) {
            return false;
        }
        self.troubles_left -= 1;
        true
    }

    fn token(&mut self) -> Token {
        self.next_token += 1;
        Token(self.next_token)
    }
}

/// What a backend answers follows from the journal alone, so that a troubled life can end like a quiet one. None: it never answers.
fn outcome_of(call: &Call, errors: usize) -> Option<Outcome> {
    let fails = || Outcome::Failed(Failure { kind: FailureKind::Unavailable, message: "not now".into() });
    let size = call.input["size"].as_u64().unwrap_or(4) as usize;
    let luck = Digest::of(call.task.as_str().as_bytes()).as_str().as_bytes()[0];
    match (call.agent.as_str(), &call.work) {
        (_, CallWork::AnswerQuestion) => Some(Outcome::Succeeded(json!("yes"))),
        ("planner", _) if call.answers.is_empty() => Some(Outcome::Asked(Question {
            question: "Really?".into(),
            options: Vec::new(),
            default: Some("yes".into()),
            ..Question::default()
        })),
        ("flaky", _) if errors == 0 => Some(fails()),
        ("flaky", _) if errors == 1 && luck.is_multiple_of(2) => None,
        ("flaky", _) if errors < 2 => Some(fails()),
        ("worker", _) if errors == 0 && luck.is_multiple_of(4) => Some(fails()),
        _ => Some(Outcome::Succeeded(json!("x".repeat(size)))),
    }
}
