//! A case made out of a real run: what every agent answered and how long it took, what people decided, and where it led.
//! It leaves out what the machine does by itself, so the case still tests the workflow and not this recording of it.

mod clock;
mod family;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use motet_core::effect::{Call, CallWork, Effect};
use motet_core::event::{Answer, Event, Fact, FailureKind, Price, Question, RunStarted, Usage};
use motet_core::names::{GateId, RunId, TaskId};
use motet_core::state::{GateKind, Task, TaskStatus};
use motet_core::units::{Time, Usd};
use motet_core::{Rejected, State, step};
use motet_host::engine::child_id;
use serde_json::{Map, Value, json};

use crate::builtins;
use crate::playing::{Past, name_of as gate_name};
use crate::rehearsal;
use clock::Clock;
pub use family::family;

/// The text of the case of the first of these runs; the others are those that it has started, and their agents and people speak in the
/// same case. Fails if a journal does not replay.
pub fn of(name: &str, family: &[Past]) -> Result<String, Rejected> {
    let mut recording = Recording { runs: family.iter().map(|past| past.run.clone()).collect(), ..Recording::default() };
    let mut states: BTreeMap<&RunId, State> = BTreeMap::new();
    let mut all: Vec<(&Past, &Event)> = family.iter().flat_map(|past| past.events.iter().map(move |event| (past, event))).collect();
    all.sort_by_key(|(_, event)| event.at);
    for (past, event) in all {
        let state = states.entry(&past.run).or_default();
        let before = state.clone();
        let effects = step(&past.definition, state, event)?;
        recording.take(&past.run, event, &before, state, &effects);
    }
    let Some(run) = family.first() else { return Ok(String::new()) };
    let state = states.remove(&run.run).unwrap_or_default();
    Ok(yaml::text(&recording.case(name, &state, output_later(run, family).as_ref())))
}

/// The output of the same events, each later than the one before by some more: what differs in it depends on the clock alone.
/// None: the run does not end, or not so.
fn output_later(run: &Past, family: &[Past]) -> Option<Value> {
    const LONGER_MS: u64 = 1_237;
    let mut state = State::default();
    for (number, event) in (1..).zip(&run.events) {
        let mut later = Event { at: event.at.plus(LONGER_MS * number), ..event.clone() };
        if let (Fact::TaskSucceeded { task, attempt, result, .. }, Some(info)) = (&mut later.fact, &state.run) {
            let child = child_id(&info.id, task, *attempt);
            let child = family.iter().find(|past| past.run == child);
            *result = child.and_then(|child| output_later(child, family)).unwrap_or_else(|| result.take());
        }
        step(&run.definition, &mut state, &later).ok()?;
    }
    state.ended.map(|ended| ended.output)
}

#[derive(Default)]
struct Recording {
    /// Whose events are recorded, first the run itself.
    runs: Vec<RunId>,
    started: Option<RunStarted>,
    begun: Time,
    clock: Clock,
    /// The attempts at work.
    at_work: BTreeMap<Attempt, Begun>,
    /// What a case begins at once, and the run has not begun: it waits for a place, or for what became of an interrupted attempt.
    to_begin: BTreeMap<Attempt, Begun>,
    /// How many calls have been begun.
    calls: u64,
    lines: BTreeMap<String, Vec<Line>>,
    /// Who had two attempts at work at once: their lines must say which task they are for.
    side_by_side: BTreeSet<String>,
    gates: BTreeMap<String, Vec<Value>>,
    /// By the run that they were made in.
    edits: BTreeMap<RunId, Map<String, Value>>,
    happenings: Vec<Value>,
    crashed_at: Option<Time>,
    /// When somebody last gave more, or edited, to go on.
    resumed_at: Option<Time>,
}

type Attempt = (RunId, TaskId, u32);

struct Begun {
    call: Call,
    at: Time,
    /// Which of all calls it was.
    number: u64,
}

struct Line {
    task: TaskId,
    begun: (Time, u64),
    said: Value,
    /// The machine gives the same answer by itself.
    comes_again: bool,
}

impl Recording {
    fn take(&mut self, run: &RunId, event: &Event, before: &State, after: &State, effects: &[Effect]) {
        let attempt = |task: &TaskId, attempt: u32| (run.clone(), task.clone(), attempt);
        // What happens from outside to a run that another has started, a case cannot say.
        let is_below = self.runs.first() != Some(run);
        self.clock.hear(event);
        let at = self.clock.tell(event.at);
        match &event.fact {
            Fact::RunStarted(_) if is_below => {}
            Fact::RunStarted(started) => {
                self.started = Some((**started).clone());
                self.begun = at;
            }
            Fact::TaskSucceeded { task, attempt: number, result, usage, .. } => {
                self.line(at, &attempt(task, *number), json!({ "returns": result }), usage);
            }
            Fact::TaskFailed { task, attempt: number, error, usage, .. } => {
                // That nobody knows what became of it follows in a case from the people who are asked.
                if error.kind == FailureKind::Interrupted {
                    self.to_begin.remove(&attempt(task, *number));
                }
                self.line(at, &attempt(task, *number), json!({ "fails": error.kind, "message": error.message }), usage);
            }
            Fact::TaskAsked { task, attempt: number, question, usage, .. } => {
                self.line(at, &attempt(task, *number), asked(question), usage);
            }
            Fact::GateAnswered { gate, answer } => self.answered(run, at, before, gate, answer),
            Fact::DataEdited { changes, .. } if before.gates.values().any(|gate| gate.kind == GateKind::State) => {
                self.edits.entry(run.clone()).or_default().extend(changes.clone());
            }
            Fact::Paused { .. } | Fact::Resumed { .. } | Fact::Cancelled { .. } | Fact::LimitsRaised { .. } | Fact::DataEdited { .. }
                if is_below => {}
            Fact::DataEdited { changes, .. } => {
                self.resumes_with(event.at, at, [("edits".to_string(), json!(changes))].into_iter().collect());
            }
            Fact::Paused { .. } => self.happened(at, json!({ "pause": true })),
            // Wider limits, or an edit, let a run go on by themselves.
            Fact::Resumed { .. } if self.resumed_at == Some(event.at) => {}
            Fact::Resumed { .. } => self.happened(at, json!({ "resume": true })),
            Fact::Cancelled { .. } => self.happened(at, json!({ "cancel": true })),
            Fact::LimitsRaised { cost, time_ms, .. } => {
                let mut limits = Map::new();
                limits.extend(cost.map(|cost| ("budget".to_string(), json!(cost.dollars()))));
                limits.extend(time_ms.map(|time| ("max_time".to_string(), json!(format!("{time}ms")))));
                self.resumes_with(event.at, at, limits);
            }
            Fact::TaskInterrupted { task, attempt: number, .. } => {
                if let Some(begun) = self.at_work.remove(&attempt(task, *number)) {
                    self.hang(begun, json!("until_crash"));
                }
                // All attempts that one crash interrupted are found in the same recovery.
                if self.crashed_at != Some(event.at) {
                    self.crashed_at = Some(event.at);
                    self.happened(at, json!({ "crash": true }));
                }
            }
            // It never happened, and happens once in a case.
            Fact::TaskFoundUndone { task, attempt: number } => {
                self.at_work.remove(&attempt(task, *number));
                self.to_begin.remove(&attempt(task, *number));
            }
            Fact::Recovered {} | Fact::TaskStarted { .. } | Fact::TimerFired { .. } | Fact::Forked { .. } => {}
        }
        let answered = matches!(event.fact, Fact::GateAnswered { .. });
        for gate in before.gates.values().filter(|gate| !answered && !after.gates.contains_key(&gate.id)) {
            self.gates.entry(gate_name(gate, before).to_string()).or_default().push("silent".into());
        }
        // A case that has people who are asked what became of a task knows no better than they do.
        if after.gates.values().any(|gate| matches!(gate.kind, GateKind::Interrupted { .. })) {
            self.gates.entry("interrupted".into()).or_default();
        }
        self.give_up(|(of, task, attempt), is_begun| {
            // What a pause puts off begins later in the run, and before the pause in a case: the line is the same.
            let is_meant = |task: &Task| match is_begun {
                true => task.attempt == *attempt && task.status == TaskStatus::Running,
                false => !task.status.is_terminal(),
            };
            of == run && !after.tasks.get(task).is_some_and(is_meant)
        });
        for effect in effects {
            match effect {
                Effect::StartTask(call) | Effect::Reconcile(call) => self.begin(run, call, at, false),
                Effect::Perform(call) => self.begin(run, call, at, true),
                _ => {}
            }
        }
    }

    fn begin(&mut self, run: &RunId, call: &Call, at: Time, is_begun: bool) {
        // A run that is recorded itself is performed again by what its own agents say.
        if matches!(call.work, CallWork::Workflow { .. })
            && (!is_begun || family::child_of(call).is_some_and(|child| self.runs.contains(&child)))
        {
            return;
        }
        let attempt = (run.clone(), call.task.clone(), call.attempt);
        self.to_begin.retain(|(of, task, _), _| of != run || *task != call.task);
        let voice = voice(call);
        if self.at_work.values().chain(self.to_begin.values()).any(|other| self::voice(&other.call) == voice) {
            self.side_by_side.insert(voice.to_string());
        }
        self.calls += 1;
        let begun = Begun { call: call.clone(), at, number: self.calls };
        if is_begun { &mut self.at_work } else { &mut self.to_begin }.insert(attempt, begun);
    }

    fn line(&mut self, at: Time, attempt: &Attempt, mut said: Value, usage: &Usage) {
        // What became of an interrupted attempt may be found out afterwards.
        let begun = self.at_work.remove(attempt).or_else(|| self.to_begin.remove(attempt));
        let Some(Begun { call, at: begun, number }) = begun else { return };
        // Its time stood while nobody took the call; in a case nothing is held up, and whoever takes as long as that never answers.
        let took = at.since(begun).min(call.timeout_ms.saturating_sub(1));
        for (key, count) in
            [("delay_ms", took), ("tokens_in", usage.tokens_in), ("tokens_out", usage.tokens_out), ("tool_calls", usage.tool_calls)]
        {
            if count > 0 {
                said[key] = json!(count);
            }
        }
        if usage.cost.dollars() > 0.0 {
            said["cost"] = json!(usage.cost.dollars());
        }
        let comes_again = comes_again(&call, &said);
        let line = Line { task: call.task.clone(), begun: (begun, number), said, comes_again };
        self.lines.entry(voice(&call).to_string()).or_default().push(line);
    }

    fn answered(&mut self, run: &RunId, at: Time, before: &State, gate: &GateId, answer: &Answer) {
        let Some(open) = before.gates.get(gate) else { return };
        let mut said = json!({});
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                said[key] = value;
            }
        };
        put("option", answer.option.as_ref().map(|option| json!(option)));
        put("text", answer.text.as_ref().map(|text| json!(text)));
        put("answers", (!answer.answers.is_empty()).then(|| json!(answer.answers)));
        put("by", (!answer.by.name.is_empty()).then(|| json!(answer.by.name)));
        let waited = at.since(self.clock.tell(open.opened_at));
        put("after", (waited > 0).then(|| json!(format!("{waited}ms"))));
        put("edits", self.edits.remove(run).map(Value::Object));
        self.gates.entry(gate_name(open, before).to_string()).or_default().push(said);
    }

    /// An attempt that nobody waits for any more, and that never answered, would never have answered. `is_over` is also told whether it
    /// has begun.
    fn give_up(&mut self, is_over: impl Fn(&Attempt, bool) -> bool) {
        let at_work: Vec<_> = self.at_work.extract_if(.., |attempt, _| is_over(attempt, true)).collect();
        let to_begin: Vec<_> = self.to_begin.extract_if(.., |attempt, _| is_over(attempt, false)).collect();
        at_work.into_iter().chain(to_begin).for_each(|(_, begun)| self.hang(begun, json!(true)));
    }

    fn hang(&mut self, Begun { call, at, number }: Begun, how: Value) {
        let line = Line { task: call.task.clone(), begun: (at, number), said: json!({ "hangs": how }), comes_again: false };
        self.lines.entry(voice(&call).to_string()).or_default().push(line);
    }

    /// `really`: when it was, gaps and all. All that is given in the same moment is given at once.
    fn resumes_with(&mut self, really: Time, at: Time, given: Map<String, Value>) {
        match self.happenings.last_mut().filter(|_| self.resumed_at == Some(really)).map(|last| &mut last["resume"]) {
            Some(Value::Object(resume)) => resume.extend(given),
            _ => self.happened(at, json!({ "resume": given })),
        }
        self.resumed_at = Some(really);
    }

    fn happened(&mut self, at: Time, what: Value) {
        let mut happening = json!({ "after": format!("{}ms", at.since(self.begun)) });
        if let (Value::Object(happening), Value::Object(what)) = (&mut happening, what) {
            happening.extend(what);
        }
        self.happenings.push(happening);
    }

    /// `later` is the output of the same run with another clock.
    fn case(mut self, name: &str, state: &State, later: Option<&Value>) -> Value {
        self.give_up(|_, _| true);
        let mut case = json!({ "case": name });
        if let Some(started) = &self.started {
            case["input"] = started.input.clone();
            if started.unattended {
                case["unattended"] = json!(true);
            }
            if let Some(cost) = started.cost {
                case["budget"] = json!(cost.dollars());
            }
            if let Some(time) = started.time_ms {
                case["max_time"] = json!(format!("{time}ms"));
            }
            // What is reserved for a call follows from them, and so does where the money runs out.
            let is_limited = started.cost.is_some() || state.money.cap.is_some();
            let of_others = started.children.values().flat_map(|terms| &terms.prices);
            let prices: BTreeMap<&String, Value> =
                of_others.chain(&started.prices).map(|(agent, price)| (agent, in_dollars(price))).collect();
            if is_limited && !prices.is_empty() {
                case["prices"] = json!(prices);
            }
        }
        let mut agents = Map::new();
        self.lines.retain(|_, lines| !lines.iter().all(|line| line.comes_again));
        for (voice, lines) in &mut self.lines {
            // A line answers a call by the order in which calls begin, not by that in which they end.
            lines.sort_by_key(|line| line.begun);
            let named = self.side_by_side.contains(voice);
            let said = lines.iter().map(|line| {
                let mut said = line.said.clone();
                if named {
                    said["task"] = json!(line.task);
                }
                said
            });
            agents.insert(voice.clone(), said.collect());
        }
        let gates: Map<String, Value> = self.gates.into_iter().map(|(gate, lines)| (gate, Value::Array(lines))).collect();
        for (key, value) in [("agents", Value::Object(agents)), ("gates", Value::Object(gates))] {
            if value.as_object().is_some_and(|entries| !entries.is_empty()) {
                case[key] = value;
            }
        }
        if !self.happenings.is_empty() {
            case["events"] = Value::Array(self.happenings);
        }
        let path: Vec<&str> = state.path.iter().map(|passage| passage.to.as_str()).collect();
        let mut expect = json!({ "status": rehearsal::status_word(state), "path": path });
        let counted: Map<String, Value> = state.counters.iter().map(|(name, counter)| (name.to_string(), json!(counter.used))).collect();
        if !counted.is_empty() {
            expect["counters"] = Value::Object(counted);
        }
        if let Some(ended) = &state.ended {
            let lasting = later.map_or_else(|| Some(ended.output.clone()), |later| timeless(&ended.output, later));
            expect["output"] = repeatable(&lasting.unwrap_or_else(|| json!({})), &self.runs);
        }
        case["expect"] = expect;
        case
    }
}

fn asked(question: &Question) -> Value {
    let mut said = json!({ "asks": question.question });
    if !question.options.is_empty() {
        said["options"] = json!(question.options);
    }
    if let Some(default) = &question.default {
        said["default"] = json!(default);
    }
    for (key, holds) in [("permission", question.is_permission), ("person", question.is_task)] {
        if holds {
            said[key] = json!(true);
        }
    }
    if let Some(unattended) = question.unattended {
        said["unattended"] = json!(unattended);
    }
    said
}

/// A price as people write it, without what it does not say.
fn in_dollars(price: &Price) -> Value {
    let mut said = Map::new();
    for (key, amount) in
        [("call", price.call), ("input_per_million", price.input_per_million), ("output_per_million", price.output_per_million)]
    {
        if amount > Usd::ZERO {
            said.insert(key.into(), json!(amount.dollars()));
        }
    }
    let counts = [
        ("max_tokens", price.max_tokens),
        ("turns", price.turns.map(u64::from)),
        ("tool_tokens", price.tool_tokens),
        ("verdict_tokens", price.verdict_tokens),
    ];
    said.extend(counts.into_iter().filter_map(|(key, count)| Some((key.to_string(), json!(count?)))));
    Value::Object(said)
}

/// A value without the fields that another clock changes, such as how long it took. None: all of it is of the clock.
fn timeless(value: &Value, later: &Value) -> Option<Value> {
    match (value, later) {
        (value, later) if value == later => Some(value.clone()),
        (Value::Object(fields), Value::Object(others)) => {
            Some(fields.iter().filter_map(|(key, value)| Some((key.clone(), timeless(value, others.get(key)?)?))).collect())
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            items.iter().zip(others).map(|(item, other)| timeless(item, other)).collect()
        }
        _ => None,
    }
}

/// A value without the fields that are never the same twice: moments, and what names a run.
fn repeatable(value: &Value, runs: &[RunId]) -> Value {
    let names_one = |text: &str| runs.iter().any(|run| text.contains(run.as_str()));
    let comes_once = |value: &Value| value.as_str().is_some_and(|text| is_moment(text) || names_one(text));
    match value {
        Value::Object(fields) => {
            fields.iter().filter(|(_, value)| !comes_once(value)).map(|(key, value)| (key.clone(), repeatable(value, runs))).collect()
        }
        Value::Array(items) => items.iter().map(|item| repeatable(item, runs)).collect(),
        other => other.clone(),
    }
}

/// `2026-11-15T20:00:27Z`, with or without milliseconds: what the machine's own clock writes.
fn is_moment(text: &str) -> bool {
    let shape = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    let shaped: String = text.chars().map(shape).collect();
    matches!(shaped.as_str(), "0000-00-00T00:00:00Z" | "0000-00-00T00:00:00.000Z")
}

/// A pure built-in gives the same again.
fn comes_again(call: &Call, said: &Value) -> bool {
    match &call.work {
        CallWork::Builtin { name } => match builtins::all().perform(name, &call.input, None) {
            motet_agents::Outcome::Returned { result, .. } => said.get("returns") == Some(&result),
            motet_agents::Outcome::Failed { .. } | motet_agents::Outcome::Asked { .. } => false,
        },
        _ => false,
    }
}

/// What a case calls whoever performs a call.
fn voice(call: &Call) -> &str {
    match call.work {
        CallWork::Prompt | CallWork::AnswerQuestion | CallWork::Workflow { .. } => call.agent.as_str(),
        CallWork::Command { .. } | CallWork::Builtin { .. } => motet_agents::scripted::state_of(call.task.as_str()),
    }
}

#[cfg(test)]
mod tests;
