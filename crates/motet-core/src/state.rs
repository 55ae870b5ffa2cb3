//! What a run is at one moment: a pure fold of its events, and all that `step` needs to go on.
//! Everything a host must do is derivable from it, so a restart needs no memory of its own.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::definition::TroubleKind;
use crate::effect::{Answered, CallWork};
use crate::event::{Answer, ChildTerms, Failure, Parent, Person, Price, Question, Usage};
use crate::names::{AgentName, CounterName, Digest, GateId, RunId, StateName, TaskId, TimerId};
use crate::units::{Time, Usd};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// None before `RunStarted`.
    pub run: Option<RunInfo>,
    /// Of the last event applied.
    pub seq: u64,
    pub now: Time,
    pub status: Status,
    pub input: Value,
    pub data: Map<String, Value>,
    pub counters: BTreeMap<CounterName, CounterState>,
    pub here: Visit,
    pub visits: BTreeMap<StateName, u32>,
    /// The open tasks of the current visit.
    pub tasks: BTreeMap<TaskId, Task>,
    /// What is known of each plan's tasks, across visits, by state and plan task id.
    pub plans: BTreeMap<StateName, PlanRecord>,
    /// What items of an `each` came to before their state was left in trouble, for a return.
    pub unfinished: BTreeMap<StateName, BTreeMap<u32, Value>>,
    pub gates: BTreeMap<GateId, OpenGate>,
    pub timers: BTreeMap<TimerId, Time>,
    /// The last result of each state, and earlier ones where the workflow reads them.
    pub results: BTreeMap<StateName, Vec<Value>>,
    pub money: Money,
    pub clock: Clock,
    pub usage: Usage,
    pub because: Option<String>,
    pub back: Option<StateName>,
    pub error: Option<ErrorRecord>,
    /// The limit that ended normal work, once one has.
    pub stopped: Option<TroubleKind>,
    /// Limits that have fired and are not armed again yet.
    pub fired: BTreeSet<TroubleKind>,
    pub partial: bool,
    pub warnings: Vec<Note>,
    pub notes: Vec<Note>,
    pub errors: Vec<ErrorRecord>,
    pub messages: Vec<Message>,
    /// Every transition taken, in order.
    pub path: Vec<Passage>,
    pub ended: Option<Ended>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    pub id: RunId,
    pub workflow: String,
    pub version: String,
    pub digest: Digest,
    pub by: Person,
    pub unattended: bool,
    pub started_at: Time,
    pub prices: BTreeMap<String, Price>,
    #[serde(default)]
    pub children: BTreeMap<String, ChildTerms>,
    pub people: BTreeMap<String, Vec<String>>,
    pub bindings: Value,
    pub parent: Option<Parent>,
    #[serde(default)]
    pub number: Option<u32>,
    #[serde(default)]
    pub seed: Option<u64>,
    pub forked_from: Option<(RunId, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No event yet.
    #[default]
    New,
    Running,
    /// Nothing new starts until `Resumed`. By a person, or by a limit that the workflow does not answer.
    Paused {
        reason: String,
        limit: Option<TroubleKind>,
    },
    Ended,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    pub outcome: Outcome,
    pub at: Time,
    pub output: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Completed,
    Partial,
    Failed,
    Aborted,
    Cancelled,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Partial => "partial",
            Outcome::Failed => "failed",
            Outcome::Aborted => "aborted",
            Outcome::Cancelled => "cancelled",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterState {
    pub used: u32,
    /// None: unlimited.
    pub max: Option<u32>,
}

/// One stay in one state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visit {
    pub state: StateName,
    /// From one, per state; a return through `back` is a visit too.
    pub number: u32,
    pub entered_at: Time,
    /// Tasks of this visit so far, finished ones included.
    pub created: u32,
    /// The results of an `each`, by item number.
    pub items: BTreeMap<u32, Value>,
    /// Plan task ids that this visit took on.
    pub taken: BTreeSet<String>,
    /// What the state will do once everything that runs has finished.
    pub leaving: Option<Leaving>,
}

impl Default for Visit {
    fn default() -> Self {
        Self {
            state: StateName::new(""),
            number: 0,
            entered_at: Time(0),
            created: 0,
            items: BTreeMap::new(),
            taken: BTreeSet::new(),
            leaving: None,
        }
    }
}

/// Decided while other tasks of the visit still run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaving {
    Trouble {
        kind: TroubleKind,
    },
    /// By the transition of `if_task_fails` for a task of this plan.
    TaskFailed {
        task: TaskId,
        plan_task: Option<String>,
        critical: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub id: TaskId,
    /// Position in the order in which the visit created its tasks.
    pub order: u32,
    /// Whom the state or the plan named; `link` says who of its chain is trying.
    pub agent: AgentName,
    pub work: CallWork,
    pub status: TaskStatus,
    pub input: Value,
    /// Attempts made or being made, over the whole chain of agents.
    pub attempt: u32,
    /// Attempts of the agent now trying.
    pub tries: u32,
    /// Position in the chain: 0 is the agent itself, then its fallbacks.
    pub link: u32,
    pub asked_again: u32,
    pub correction: Option<String>,
    pub answers: Vec<Answered>,
    /// The question it waits with, and which of the responders is asked now.
    pub asking: Option<Asking>,
    pub reserved: Usd,
    /// What it said that it had taken when it was interrupted, until its backend is heard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Usage>,
    pub errors: Vec<Failure>,
    /// Of an `each`: the item and its number.
    pub item: Option<(u32, Value)>,
    /// Of a plan: the task's id there.
    pub plan_task: Option<String>,
    /// The second try of `if_task_fails.alternative`.
    pub alternative: bool,
    /// For a task that answers another task's question.
    pub answering: Option<TaskId>,
    pub created_at: Time,
    pub started_at: Option<Time>,
    pub usage: Usage,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asking {
    pub question: Question,
    pub responder: u32,
}

/// See `step::may_move` for the table of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Wanted, but not yet asked of the host: no money, no free place in the plan, a limit, a pause.
    Held,
    /// Asked of the host; its worst case is reserved.
    Queued,
    Running,
    /// Waits before another attempt.
    Waiting,
    /// Waits for an answer to its question.
    Asking,
    /// Interrupted; its backend is asked what became of it.
    Reconciling,
    /// Interrupted; a person is asked what became of it.
    Uncertain,
    Done,
    Failed,
    Cancelled,
}

/// A plan as the machine knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRecord {
    pub tasks: BTreeMap<String, PlanTask>,
    /// Tasks that the machine added to compensate for failed ones, in order.
    pub added: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTask {
    pub status: PlanTaskStatus,
    /// Of the task as it was when this was recorded: a changed task is open again.
    pub digest: Digest,
    pub result: Value,
    pub error: Option<Failure>,
    pub attempts: u32,
    /// The id of the task that was added in its place.
    pub compensated_by: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanTaskStatus {
    Running,
    Done,
    /// Failed, and dependents may run.
    Skipped,
    /// Failed, and dependents may not run.
    Failed,
}

/// A durable question to people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenGate {
    pub id: GateId,
    pub kind: GateKind,
    pub ask: String,
    pub show: Option<String>,
    pub options: Vec<String>,
    pub text_for: Vec<String>,
    pub questions: Vec<GateQuestion>,
    pub who: Vec<String>,
    pub except: Vec<String>,
    pub quorum: u32,
    pub opened_at: Time,
    pub deadline: Option<Time>,
    /// What holds at the deadline: an option, `defaults`, or nothing.
    pub otherwise: Option<String>,
    /// Of everything a person sees here.
    pub payload: Digest,
    /// Answers so far, while the quorum is not reached.
    pub answers: Vec<Answer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// The gate of a gate state.
    State,
    /// An agent's question.
    Question { task: TaskId },
    /// Whether an agent's program may do something.
    Permission { task: TaskId },
    /// What became of an interrupted task that must not run twice?
    Interrupted { task: TaskId },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateQuestion {
    pub id: String,
    pub question: String,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub default: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Money {
    pub cap: Option<Usd>,
    pub spent: Usd,
    pub reserved: Usd,
    /// What agents charged beyond what was reserved for them.
    pub overrun: Usd,
    /// What interrupted calls may have cost on top of what is known.
    pub uncertain: Usd,
    /// Of a fork: what of all this was spent, or perhaps spent, by the run it came from.
    #[serde(default)]
    pub inherited: Inherited,
    pub spent_by_state: BTreeMap<StateName, Usd>,
    pub spent_by_agent: BTreeMap<AgentName, Usd>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inherited {
    /// With what was overrun.
    pub spent: Usd,
    pub uncertain: Usd,
    #[serde(default)]
    pub overrun: Usd,
}

/// Time spent working; waiting for people and pauses stand apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    pub limit_ms: Option<u64>,
    pub used_ms: u64,
    pub running_since: Option<Time>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    pub at: Time,
    pub state: StateName,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorRecord {
    pub at: Time,
    pub state: StateName,
    pub agent: Option<AgentName>,
    pub task: Option<TaskId>,
    pub failure: Failure,
    pub attempts: u32,
    /// How the run came there: the last states it was in, then what each attempt came to. What a stack trace is to a program.
    #[serde(default)]
    pub trace: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub id: String,
    pub at: Time,
    pub from: String,
    pub to: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub priority: String,
    pub subject: String,
    pub body: Value,
    pub metadata: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passage {
    /// The event that caused it.
    pub seq: u64,
    pub at: Time,
    /// None on entering the first state.
    pub from: Option<StateName>,
    pub to: StateName,
    pub outcome: Option<String>,
    /// The id of the transition taken.
    pub via: String,
    pub because: Option<String>,
}
