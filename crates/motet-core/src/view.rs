//! The one projection of a run that every surface shows: command line, HTTP, pages and files.
//! It is written for its readers, in dollars and dates, and is no part of what is journaled.

pub mod shown;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::definition::Definition;
use crate::event::Usage;
use crate::names::{AgentName, Digest, GateId, RunId, StateName, TaskId};
use crate::state::{CounterState, ErrorRecord, GateKind, Note, OpenGate, Outcome, Passage, State, Status, Task, TaskStatus};
use crate::units::{Time, Usd};

#[derive(Clone, Debug, Serialize)]
pub struct RunView {
    pub run: RunId,
    pub workflow: String,
    pub version: String,
    pub digest: Digest,
    pub status: RunStatus,
    pub state: StateName,
    pub group: Option<String>,
    pub visit: u32,
    pub because: Option<String>,
    #[serde(serialize_with = "shown::time")]
    pub started_at: Time,
    #[serde(serialize_with = "shown::time")]
    pub updated_at: Time,
    #[serde(serialize_with = "shown::maybe_time")]
    pub ended_at: Option<Time>,
    pub by: String,
    pub unattended: bool,
    pub input: Value,
    pub counters: BTreeMap<String, CounterState>,
    pub tasks: Vec<TaskView>,
    pub gates: Vec<GateView>,
    pub money: MoneyView,
    #[serde(serialize_with = "shown::usage")]
    pub usage: Usage,
    pub time_left_ms: Option<u64>,
    pub pause_reason: Option<String>,
    pub partial: bool,
    #[serde(serialize_with = "shown::records")]
    pub warnings: Vec<Note>,
    #[serde(serialize_with = "shown::records")]
    pub notes: Vec<Note>,
    #[serde(serialize_with = "shown::records")]
    pub errors: Vec<ErrorRecord>,
    #[serde(serialize_with = "shown::records")]
    pub path: Vec<Passage>,
    pub plans: BTreeMap<String, Value>,
    pub output: Value,
    pub events: u64,
}

/// One word for where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Running,
    /// A gate is open and nothing else goes on.
    WaitingUser,
    Paused,
    /// Paused because the money is used up.
    OutOfBudget,
    Completed,
    Partial,
    Failed,
    Aborted,
    Cancelled,
}

impl RunStatus {
    pub fn word(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::WaitingUser => "waiting_user",
            RunStatus::Paused => "paused",
            RunStatus::OutOfBudget => "out_of_budget",
            RunStatus::Completed => "completed",
            RunStatus::Partial => "partial",
            RunStatus::Failed => "failed",
            RunStatus::Aborted => "aborted",
            RunStatus::Cancelled => "cancelled",
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, RunStatus::Running | RunStatus::WaitingUser | RunStatus::Paused | RunStatus::OutOfBudget)
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct TaskView {
    pub task: TaskId,
    pub agent: AgentName,
    pub status: TaskStatus,
    pub attempt: u32,
    pub title: Option<String>,
    #[serde(serialize_with = "shown::time")]
    pub created_at: Time,
    #[serde(serialize_with = "shown::maybe_time")]
    pub started_at: Option<Time>,
    #[serde(serialize_with = "shown::usage")]
    pub usage: Usage,
    pub last_error: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct GateView {
    pub gate: GateId,
    pub kind: &'static str,
    pub ask: String,
    pub show: Option<String>,
    pub options: Vec<String>,
    pub text_for: Vec<String>,
    pub questions: Vec<crate::state::GateQuestion>,
    pub who: Vec<String>,
    pub quorum: u32,
    pub answers_so_far: usize,
    #[serde(serialize_with = "shown::time")]
    pub opened_at: Time,
    #[serde(serialize_with = "shown::maybe_time")]
    pub deadline: Option<Time>,
    pub otherwise: Option<String>,
    pub payload: Digest,
}

/// What the run itself has spent; what the run that it was forked from had spent stands apart, and both count against the cap.
#[derive(Clone, Debug, Serialize)]
pub struct MoneyView {
    #[serde(serialize_with = "shown::maybe_dollars")]
    pub cap: Option<Usd>,
    #[serde(serialize_with = "shown::dollars")]
    pub spent: Usd,
    #[serde(serialize_with = "shown::dollars")]
    pub reserved: Usd,
    #[serde(serialize_with = "shown::dollars")]
    pub uncertain: Usd,
    #[serde(serialize_with = "shown::maybe_dollars")]
    pub left: Option<Usd>,
    /// What the run that this one was forked from had spent, or perhaps spent.
    #[serde(serialize_with = "shown::dollars")]
    pub inherited: Usd,
}

/// None before the run has started.
pub fn view(definition: &Definition, state: &State) -> Option<RunView> {
    let run = state.run.as_ref()?;
    let mut tasks: Vec<&Task> = state.tasks.values().collect();
    tasks.sort_by_key(|task| task.order);
    Some(RunView {
        run: run.id.clone(),
        workflow: run.workflow.clone(),
        version: run.version.clone(),
        digest: run.digest.clone(),
        status: status(state),
        state: state.here.state.clone(),
        group: definition.group(state.here.state.as_str()).map(String::from),
        visit: state.here.number,
        because: state.because.clone(),
        started_at: run.started_at,
        updated_at: state.now,
        ended_at: state.ended.as_ref().map(|ended| ended.at),
        by: run.by.name.clone(),
        unattended: run.unattended,
        input: state.input.clone(),
        counters: state.counters.iter().map(|(name, counter)| (name.to_string(), counter.clone())).collect(),
        tasks: tasks.into_iter().map(task_view).collect(),
        gates: state.gates.values().map(gate_view).collect(),
        money: MoneyView {
            cap: state.money.cap,
            spent: (state.money.spent + state.money.overrun).saturating_sub(state.money.inherited.spent),
            reserved: state.money.reserved,
            uncertain: state.money.uncertain.saturating_sub(state.money.inherited.uncertain),
            left: crate::step::money_left(state),
            inherited: state.money.inherited.spent + state.money.inherited.uncertain,
        },
        usage: state.usage,
        time_left_ms: crate::step::time_left_ms(state, state.now),
        pause_reason: match &state.status {
            Status::Paused { reason, .. } => Some(reason.clone()),
            _ => None,
        },
        partial: state.partial,
        warnings: state.warnings.clone(),
        notes: state.notes.clone(),
        errors: state.errors.clone(),
        path: state.path.clone(),
        plans: state.plans.keys().map(|name| (name.to_string(), crate::step::plan_summary(definition, state, name.as_str()))).collect(),
        output: state.ended.as_ref().map_or(Value::Null, |ended| ended.output.clone()),
        events: state.seq,
    })
}

/// The one word for a state, without building a whole view.
pub fn status(state: &State) -> RunStatus {
    match (&state.status, &state.ended) {
        (_, Some(ended)) => match ended.outcome {
            Outcome::Completed => RunStatus::Completed,
            Outcome::Partial => RunStatus::Partial,
            Outcome::Failed => RunStatus::Failed,
            Outcome::Aborted => RunStatus::Aborted,
            Outcome::Cancelled => RunStatus::Cancelled,
        },
        (Status::Paused { limit: Some(crate::definition::TroubleKind::Budget), .. }, None) => RunStatus::OutOfBudget,
        (Status::Paused { .. }, None) => RunStatus::Paused,
        _ => {
            let busy = state.tasks.values().any(|task| {
                matches!(task.status, TaskStatus::Queued | TaskStatus::Running | TaskStatus::Waiting | TaskStatus::Reconciling)
            });
            if !busy && !state.gates.is_empty() { RunStatus::WaitingUser } else { RunStatus::Running }
        }
    }
}

fn task_view(task: &Task) -> TaskView {
    let title = ["title", "task", "name"].iter().find_map(|field| match &task.input[*field] {
        Value::String(title) => Some(title.clone()),
        Value::Object(inner) => inner.get("title").and_then(Value::as_str).map(String::from),
        _ => None,
    });
    TaskView {
        task: task.id.clone(),
        agent: task.agent.clone(),
        status: task.status,
        attempt: task.attempt,
        title,
        created_at: task.created_at,
        started_at: task.started_at,
        usage: task.usage,
        last_error: task.errors.last().map(|error| error.message.clone()),
    }
}

pub fn gate_view(gate: &OpenGate) -> GateView {
    GateView {
        gate: gate.id.clone(),
        kind: match gate.kind {
            GateKind::State => "state",
            GateKind::Question { .. } => "question",
            GateKind::Permission { .. } => "permission",
            GateKind::Interrupted { .. } => "interrupted",
        },
        ask: gate.ask.clone(),
        show: gate.show.clone(),
        options: gate.options.clone(),
        text_for: gate.text_for.clone(),
        questions: gate.questions.clone(),
        who: gate.who.clone(),
        quorum: gate.quorum,
        answers_so_far: gate.answers.len(),
        opened_at: gate.opened_at,
        deadline: gate.deadline,
        otherwise: gate.otherwise.clone(),
        payload: gate.payload.clone(),
    }
}
