//! What expressions and templates see of a run.
//! Nothing is built before it is asked for: `last.x` costs a look-up, not a copy of every result.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::definition::{Agent, Definition, Work};
use crate::event::Price;
use crate::expression::Variables;
use crate::state::{CounterState, ErrorRecord, Message, Note, Passage, State, Task};
use crate::step::plan;
use crate::units::{Time, Usd};

/// The variables of the language: `input`, `data`, `result`, `item`, `task`, `last`, `all`, `counters`, `budget`, `run`,
/// `messages`, `plans`; in files also `event`, and where an edit is judged `before`.
pub struct RunScope<'a> {
    definition: &'a Definition,
    state: &'a State,
    result: Option<&'a Value>,
    item: Option<&'a Value>,
    task: Option<&'a Value>,
    event: Option<&'a Value>,
    before: Option<&'a Value>,
    now: Time,
}

impl<'a> RunScope<'a> {
    pub fn new(definition: &'a Definition, state: &'a State) -> Self {
        Self { definition, state, result: None, item: None, task: None, event: None, before: None, now: state.now }
    }

    pub fn at(mut self, now: Time) -> Self {
        self.now = now;
        self
    }

    pub fn result(mut self, result: &'a Value) -> Self {
        self.result = Some(result);
        self
    }

    pub fn item(mut self, item: &'a Value) -> Self {
        self.item = Some(item);
        self
    }

    pub fn task(mut self, task: &'a Value) -> Self {
        self.task = Some(task);
        self
    }

    pub fn event(mut self, event: &'a Value) -> Self {
        self.event = Some(event);
        self
    }

    /// The data as it was before an edit that is being judged.
    pub fn before(mut self, before: &'a Value) -> Self {
        self.before = Some(before);
        self
    }

    fn results(&self, all: bool) -> Map<String, Value> {
        let pick = |results: &Vec<Value>| if all { Value::Array(results.clone()) } else { results.last().cloned().unwrap_or(Value::Null) };
        self.state.results.iter().map(|(name, results)| (name.to_string(), pick(results))).collect()
    }

    fn budget(&self, field: &str) -> Value {
        let money = &self.state.money;
        match field {
            "cap" => money.cap.map_or(Value::Null, dollars),
            "spent" => dollars(money.spent + money.overrun),
            "reserved" => dollars(money.reserved),
            "uncertain" => dollars(money.uncertain),
            "left" => super::money::left(self.state).map_or(Value::Null, dollars),
            "tokens_in" => json!(self.state.usage.tokens_in),
            "tokens_out" => json!(self.state.usage.tokens_out),
            "tokens" => json!(self.state.usage.tokens_in.saturating_add(self.state.usage.tokens_out)),
            "tool_calls" => json!(self.state.usage.tool_calls),
            "by_agent" => {
                money.spent_by_agent.iter().map(|(agent, spent)| (agent.to_string(), dollars(*spent))).collect::<Map<_, _>>().into()
            }
            "per_call" => self
                .definition
                .agents
                .values()
                .filter_map(|agent| Some((agent.name.to_string(), dollars(self.per_call(agent)?))))
                .collect::<Map<_, _>>()
                .into(),
            _ => Value::Null,
        }
    }

    /// What one call of an agent may be expected to cost: what its backend charges for a call, or else what the workflow declares, since
    /// how many tokens it will take nobody knows before. None: nobody has said.
    fn per_call(&self, agent: &Agent) -> Option<Usd> {
        let price = self.state.run.as_ref().and_then(|run| run.prices.get(agent.name.as_str()));
        let by_tokens = |price: &Price| price.input_per_million > Usd::ZERO || price.output_per_million > Usd::ZERO;
        price.filter(|price| !by_tokens(price)).map(|price| price.call).or(agent.cost)
    }

    fn run(&self, field: &str) -> Value {
        let state = self.state;
        let info = state.run.as_ref();
        let text = |text: Option<String>| text.map_or(Value::Null, Value::String);
        match field {
            "id" => text(info.map(|run| run.id.to_string())),
            "workflow" => text(info.map(|run| run.workflow.clone())),
            "version" => text(info.map(|run| run.version.clone())),
            "digest" => text(info.map(|run| run.digest.to_string())),
            "by" => text(info.map(|run| run.by.name.clone())),
            "bindings" => info.map_or(Value::Null, |run| run.bindings.clone()),
            "unattended" => info.is_some_and(|run| run.unattended).into(),
            "number" => info.map_or(Value::Null, |run| json!(run.number)),
            "started_at" => text(info.map(|run| run.started_at.to_string())),
            "ended_at" => text(state.ended.as_ref().map(|ended| ended.at.to_string())),
            "outcome" => text(state.ended.as_ref().map(|ended| ended.outcome.word().to_string())),
            "duration_ms" => {
                info.map_or(Value::Null, |run| json!(state.ended.as_ref().map_or(self.now, |ended| ended.at).since(run.started_at)))
            }
            "now" => self.now.to_string().into(),
            "status" => crate::view::status(state).word().into(),
            "tasks" => state.tasks.values().filter(|task| !task.status.is_terminal()).map(open_task).collect(),
            "state" => state.here.state.as_str().into(),
            "group" => text(self.definition.group(state.here.state.as_str()).map(str::to_string)),
            "because" => text(state.because.clone()),
            "back" => text(state.back.as_ref().map(|back| back.to_string())),
            "partial" => state.partial.into(),
            "stopped" => text(state.stopped.map(|kind| kind.word().to_string())),
            "error" => state.error.as_ref().map_or(Value::Null, error),
            "time_left" => super::money::time_left_ms(state, self.now).map_or(Value::Null, |left| json!(left / 1000)),
            "warnings" => notes(&state.warnings),
            "notes" => notes(&state.notes),
            "warning_log" => note_log(&state.warnings),
            "note_log" => note_log(&state.notes),
            "errors" => state.errors.iter().map(error).collect(),
            "messages" => state.messages.iter().map(message).collect(),
            "path" => state.path.iter().map(|passage| self.passage(passage)).collect(),
            "output" => state.ended.as_ref().map_or(Value::Null, |ended| ended.output.clone()),
            _ => Value::Null,
        }
    }

    /// The transitions that an event caused, in order.
    pub fn passages_of(&self, seq: u64) -> Value {
        let from = self.state.path.partition_point(|passage| passage.seq < seq);
        self.state.path[from..].iter().take_while(|passage| passage.seq == seq).map(|passage| self.passage(passage)).collect()
    }

    fn passage(&self, passage: &Passage) -> Value {
        let group = |state: &str| self.definition.group(state).map_or(Value::Null, Value::from);
        json!({
            "at": passage.at.to_string(),
            "from": passage.from.as_ref().map(|from| from.as_str()),
            "to": passage.to.as_str(),
            "from_group": passage.from.as_ref().map(|from| group(from.as_str())),
            "to_group": group(passage.to.as_str()),
            "outcome": passage.outcome,
            "because": passage.because,
        })
    }

    /// The messages to whoever works in the current state.
    fn inbox(&self) -> Value {
        let reader = self.definition.state(self.state.here.state.as_str()).map(|state| actor(self.definition, &state.work));
        self.state.messages.iter().filter(|message| Some(&message.to) == reader.as_ref()).map(message).collect()
    }
}

const RUN_FIELDS: &[&str] = &[
    "id",
    "workflow",
    "version",
    "digest",
    "by",
    "bindings",
    "unattended",
    "number",
    "started_at",
    "ended_at",
    "outcome",
    "duration_ms",
    "now",
    "status",
    "tasks",
    "state",
    "group",
    "because",
    "back",
    "partial",
    "stopped",
    "error",
    "time_left",
    "warnings",
    "notes",
    "warning_log",
    "note_log",
    "errors",
    "messages",
    "path",
    "output",
];
const BUDGET_FIELDS: &[&str] =
    &["cap", "spent", "reserved", "uncertain", "left", "tokens_in", "tokens_out", "tokens", "tool_calls", "by_agent", "per_call"];

impl Variables for RunScope<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        let owned = |value: Value| Some(Cow::Owned(value));
        let borrowed = |value: Option<&'_ Value>| Some(value.map_or(Cow::Owned(Value::Null), |value| Cow::Owned(value.clone())));
        match name {
            "input" => Some(Cow::Borrowed(&self.state.input)),
            "data" => owned(Value::Object(self.state.data.clone())),
            "result" => Some(self.result.map_or(Cow::Owned(Value::Null), Cow::Borrowed)),
            "item" => Some(self.item.map_or(Cow::Owned(Value::Null), Cow::Borrowed)),
            "task" => Some(self.task.map_or(Cow::Owned(Value::Null), Cow::Borrowed)),
            "event" => borrowed(self.event),
            "before" => Some(self.before.map_or(Cow::Owned(Value::Null), Cow::Borrowed)),
            "last" => owned(self.results(false).into()),
            "all" => owned(self.results(true).into()),
            "counters" => owned(
                self.state.counters.iter().map(|(name, counter)| (name.to_string(), counter_value(counter))).collect::<Map<_, _>>().into(),
            ),
            "budget" => owned(BUDGET_FIELDS.iter().map(|field| (field.to_string(), self.budget(field))).collect::<Map<_, _>>().into()),
            "run" => owned(RUN_FIELDS.iter().map(|field| (field.to_string(), self.run(field))).collect::<Map<_, _>>().into()),
            "messages" => owned(self.inbox()),
            "plans" => {
                let plans = self.definition.states.iter().filter(|state| matches!(state.work, Work::Plan(_)));
                owned(
                    plans
                        .map(|state| (state.name.to_string(), plan::summary(self.definition, self.state, state.name.as_str())))
                        .collect::<Map<_, _>>()
                        .into(),
                )
            }
            _ => None,
        }
    }

    fn member(&self, name: &str, field: &str) -> Option<Cow<'_, Value>> {
        match name {
            "data" => self.state.data.get(field).map(Cow::Borrowed),
            "last" => self.state.results.get(field).and_then(|results| results.last()).map(Cow::Borrowed),
            "all" => Some(Cow::Owned(self.state.results.get(field).map_or_else(|| json!([]), |results| Value::Array(results.clone())))),
            "counters" => self.state.counters.get(field).map(|counter| Cow::Owned(counter_value(counter))),
            "budget" => Some(Cow::Owned(self.budget(field))),
            "run" => Some(Cow::Owned(self.run(field))),
            "plans" => Some(Cow::Owned(plan::summary(self.definition, self.state, field))),
            _ => match self.variable(name)? {
                Cow::Borrowed(value) => value.get(field).map(Cow::Borrowed),
                Cow::Owned(mut value) => value.get_mut(field).map(Value::take).map(Cow::Owned),
            },
        }
    }
}

/// Whom a state's messages come from and go to: the role of its agent, or the orchestrator.
pub(super) fn actor(definition: &Definition, work: &Work) -> String {
    let role = match work {
        Work::Agent { agent, .. } => definition.agents.get(agent).map(|agent| agent.role.clone()),
        Work::Plan(plan) => plan.agents.first().and_then(|agent| definition.agents.get(agent)).map(|agent| agent.role.clone()),
        Work::Gate(_) => Some("user".to_string()),
        Work::Decide | Work::Command(_) | Work::Call(_) | Work::Final { .. } => None,
    };
    role.unwrap_or_else(|| "orchestrator".to_string())
}

pub(super) fn error(record: &ErrorRecord) -> Value {
    json!({
        "at": record.at.to_string(),
        "kind": record.failure.kind,
        "message": record.failure.message,
        "state": record.state.as_str(),
        "agent": record.agent.as_ref().map(|agent| agent.as_str()),
        "task": record.task.as_ref().map(|task| task.as_str()),
        "attempts": record.attempts,
        "trace": record.trace,
    })
}

fn open_task(task: &Task) -> Value {
    let question = task.asking.as_ref().map(|asking| asking.question.question.as_str());
    json!({ "id": task.id.as_str(), "agent": task.agent.as_str(), "status": task.status.word(), "attempt": task.attempt, "question": question })
}

fn message(message: &Message) -> Value {
    json!({
        "id": message.id, "at": message.at.to_string(), "from": message.from, "to": message.to, "type": message.kind,
        "priority": message.priority, "subject": message.subject, "body": message.body, "metadata": message.metadata,
    })
}

fn counter_value(counter: &CounterState) -> Value {
    json!({ "used": counter.used, "max": counter.max, "left": counter.max.map(|max| max.saturating_sub(counter.used)) })
}

fn dollars(amount: Usd) -> Value {
    json!(amount.dollars())
}

fn notes(notes: &[Note]) -> Value {
    notes.iter().map(|note| Value::String(note.text.clone())).collect()
}

fn note_log(notes: &[Note]) -> Value {
    notes.iter().map(|note| json!({ "at": note.at.to_string(), "state": note.state.as_str(), "text": note.text })).collect()
}
