//! Plays a case: every agent, command and scripted call says what its next line says, after its delay.
//! It has no clock and no randomness, so the same case and the same journal always give the same play.
//!
//! **Which line answers a call.** A task that some line names (`task`) has a part of its own: the lines that name it, in order,
//! then the lines that name nobody. All other tasks of the agent share one part: the lines that name nobody. A call is answered
//! by its number within its part, and a line answers as many calls as its `times` says. Parallel tasks are therefore exact as
//! soon as lines name them, whatever order they start in.
//!
//! **After a crash** the numbers come from the journal, not from memory. Fold the journal again and give every event with its
//! effects to [`Script::follow`], as one may also do live: an attempt takes its number when it starts, and the attempt that follows an
//! interrupted one takes that one's number over, since nobody has heard its line; only a line that hangs until a crash is over with it.
//! Asking twice for the same attempt gives the same line.

use std::collections::BTreeMap;

use motet_core::case::{Case, Does, Line};
use motet_core::effect::{Call, CallWork, Effect};
use motet_core::event::{Event, Fact, Failure, FailureKind, Usage};
use motet_core::names::{RunId, TaskId};
use motet_core::units::Usd;
use serde_json::{Map, Value};

use crate::agent::{Found, Outcome};
use crate::builtins::Builtins;
use crate::command;

/// What a line says, and after how long. None: it never says anything, and the timeout must end it.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    pub delay_ms: u64,
    pub outcome: Option<Outcome>,
}

/// A case being played.
#[derive(Clone, Debug)]
pub struct Script {
    case: Case,
    file: String,
    /// What answers the calls that no line answers.
    builtins: Builtins,
    /// How many calls each part has had.
    calls: BTreeMap<Part, u32>,
    /// The number that each attempt took.
    numbers: BTreeMap<(RunId, TaskId, u32), (Part, u32)>,
    /// Numbers of interrupted attempts, for the next attempt of the same task in the same part.
    inherited: BTreeMap<(RunId, TaskId), (Part, u32)>,
}

/// Who speaks, and which of the lines that name a task name this one.
type Part = (String, Vec<usize>);

impl Script {
    /// `file` is what messages call the case.
    pub fn new(case: Case, file: impl Into<String>, builtins: Builtins) -> Self {
        Self { case, file: file.into(), builtins, calls: BTreeMap::new(), numbers: BTreeMap::new(), inherited: BTreeMap::new() }
    }

    /// What answers this attempt.
    pub fn answer(&mut self, call: &Call) -> Played {
        let number = self.number(call);
        self.answer_nth(call, number)
    }

    /// What answers a call of this agent that `nth` calls of the same part came before.
    pub fn answer_nth(&self, call: &Call, nth: u32) -> Played {
        let voice = self.voice(call);
        let Some(lines) = self.case.agents.get(voice) else {
            return match &call.work {
                // Where there is no run's directory a built-in is pure, so it needs no script.
                CallWork::Builtin { name } => Played { delay_ms: 0, outcome: Some(self.builtins.perform(name, &call.input, None)) },
                _ => self.nothing(format!("there is no line for `{voice}` (call {} of {})", nth + 1, call.task)),
            };
        };
        match nth_line(lines, &naming(lines, call), nth) {
            Some(line) => play(line, call),
            None => self.nothing(format!("there is no line for call {} of `{voice}` ({})", nth + 1, call.task)),
        }
    }

    /// Takes in one event of a run and what it led to, live or from the journal. Child runs have tasks of the same names.
    pub fn follow(&mut self, run: &RunId, event: &Event, effects: &[Effect]) {
        if let Fact::TaskInterrupted { task, attempt, .. } = &event.fact
            && let Some(number) = self.numbers.get(&(run.clone(), task.clone(), *attempt))
            && !self.is_over_with_a_crash(number)
        {
            self.inherited.insert((run.clone(), task.clone()), number.clone());
        }
        for effect in effects {
            if let Effect::Perform(call) = effect {
                self.number(call);
            }
        }
    }

    /// What is known of an attempt that was interrupted. Nobody has heard its line, so nothing was done; only a case
    /// with people who answer for it (`interrupted`) wants it to be unknown.
    pub fn found(&self) -> Found {
        if self.case.gates.contains_key("interrupted") { Found::Unknown } else { Found::Undone }
    }

    fn number(&mut self, call: &Call) -> u32 {
        let attempt = (call.run.clone(), call.task.clone(), call.attempt);
        // An attempt that is performed once more, under its old number, is the same attempt.
        let inherited = self.inherited.remove(&(call.run.clone(), call.task.clone()));
        if let Some((_, number)) = self.numbers.get(&attempt) {
            return *number;
        }
        let part = self.part(call);
        let number = inherited.filter(|(from, _)| *from == part).map(|(_, number)| number).unwrap_or_else(|| {
            let calls = self.calls.entry(part.clone()).or_default();
            *calls += 1;
            *calls - 1
        });
        self.numbers.insert(attempt, (part, number));
        number
    }

    fn is_over_with_a_crash(&self, ((voice, named), nth): &(Part, u32)) -> bool {
        let line = self.case.agents.get(voice).and_then(|lines| nth_line(lines, named, *nth));
        line.is_some_and(|line| line.does == Does::HangsUntilCrash)
    }

    fn part(&self, call: &Call) -> Part {
        let voice = self.voice(call);
        let lines = self.case.agents.get(voice).map_or(&[][..], Vec::as_slice);
        (voice.to_string(), naming(lines, call))
    }

    /// Agents are scripted by their name; commands and calls, which have none of their own, by their state.
    pub fn voice<'a>(&self, call: &'a Call) -> &'a str {
        let state = state_of(call.task.as_str());
        match &call.work {
            CallWork::Prompt | CallWork::AnswerQuestion | CallWork::Workflow { .. } => call.agent.as_str(),
            CallWork::Command { .. } => state,
            CallWork::Builtin { .. } if self.case.agents.contains_key(state) => state,
            CallWork::Builtin { .. } => call.agent.as_str(),
        }
    }

    fn nothing(&self, what: String) -> Played {
        let message = format!("{what} in {}: add one, or let an earlier line answer more calls with `times`", self.file);
        Played { delay_ms: 0, outcome: Some(Outcome::failed(FailureKind::NotFound, message)) }
    }
}

/// `testing.2` and `building.1/api` are tasks of `testing` and `building`.
pub fn state_of(task: &str) -> &str {
    let visit = task.split('/').next().unwrap_or(task);
    visit.rsplit_once('.').map_or(visit, |(state, _)| state)
}

/// The positions of the lines that name this call. Where some give its whole id, others do not mean it.
fn naming(lines: &[Line], call: &Call) -> Vec<usize> {
    let which = |means: &dyn Fn(&str) -> bool| {
        let named = lines.iter().enumerate().filter(|(_, line)| line.task.as_deref().is_some_and(means));
        named.map(|(position, _)| position).collect::<Vec<_>>()
    };
    let exactly = which(&|name| name == call.task.as_str());
    if exactly.is_empty() { which(&|name| names(name, call)) } else { exactly }
}

/// Whether a line's `task` means this call: its id (of which a plan's own id is a part), or its item or plan task in the input.
fn names(name: &str, call: &Call) -> bool {
    let told = |field: &str| call.input.get(field).is_some_and(|value| mentions(value, name));
    call.task.as_str().contains(name) || told("item") || told("task")
}

fn mentions(value: &Value, name: &str) -> bool {
    match value {
        Value::String(text) => text.contains(name),
        Value::Array(values) => values.iter().any(|value| mentions(value, name)),
        Value::Object(fields) => fields.values().any(|value| mentions(value, name)),
        Value::Number(number) => number.to_string() == name,
        Value::Null | Value::Bool(_) => false,
    }
}

/// Of a part: of the lines at these positions, then of those that name nobody.
fn nth_line<'a>(lines: &'a [Line], named: &[usize], nth: u32) -> Option<&'a Line> {
    let mut before = 0;
    for line in named.iter().map(|position| &lines[*position]).chain(lines.iter().filter(|line| line.task.is_none())) {
        match line.times {
            Some(times) if before + times <= nth => before += times,
            Some(_) | None => return Some(line),
        }
    }
    None
}

fn play(line: &Line, call: &Call) -> Played {
    let usage = Usage {
        tokens_in: line.tokens_in,
        tokens_out: line.tokens_out,
        tool_calls: line.tool_calls,
        cost: Usd::from_dollars(line.cost).unwrap_or_default(),
        ..Usage::default()
    };
    let outcome = match (&line.does, &call.work) {
        (Does::Hangs | Does::HangsUntilCrash, _) => None,
        (Does::Fails { kind, message }, _) => Some(Outcome::Failed { failure: Failure { kind: *kind, message: message.clone() }, usage }),
        (Does::Asks(question), _) => Some(Outcome::Asked { question: question.clone(), usage }),
        (Does::Returns(Value::Object(fields)), CallWork::Command { words, .. }) => {
            Some(Outcome::Returned { result: completed(fields, words, line.delay_ms), usage })
        }
        (Does::Returns(result), _) => Some(Outcome::Returned { result: result.clone(), usage }),
        (Does::Exits { code, stdout, stderr }, CallWork::Command { words, .. }) => {
            Some(Outcome::Returned { result: command::scripted_evidence(words, *code, stdout, stderr, line.delay_ms), usage })
        }
        (Does::Exits { code, stdout, stderr }, _) => Some(command::scripted_answer(*code, stdout, stderr, None).with_usage(usage)),
    };
    Played { delay_ms: line.delay_ms, outcome }
}

/// A line may give only the fields of a command's result that matter to the case.
fn completed(fields: &Map<String, Value>, words: &[String], duration_ms: u64) -> Value {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let failed = fields.get("passed") == Some(&Value::Bool(false));
    let code = fields.get("exit_code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    let mut result = command::scripted_evidence(words, code.unwrap_or(i32::from(failed)), text("stdout"), text("stderr"), duration_ms);
    if let Value::Object(result) = &mut result {
        result.extend(fields.clone());
    }
    result
}

#[cfg(test)]
mod tests;
