//! A state does one thing, or none: then it only decides.

use crate::definition::{Next, Transition, Trouble};
use crate::diagnostic::Span;
use crate::expression::{Expression, Formula};
use crate::names::{AgentName, StateName};
use crate::template::Text;

#[derive(Debug)]
pub struct StateDefinition {
    pub name: StateName,
    pub summary: String,
    pub work: Work,
    /// What the agent is given.
    pub with: Vec<(String, Formula)>,
    /// Sets; every line sees the old data.
    pub save: Vec<(String, Formula)>,
    /// Appends one item each; null adds nothing.
    pub add: Vec<(String, Formula)>,
    pub sends: Option<Sends>,
    /// Makes the value of this expression the outcome.
    pub by: Option<Expression>,
    pub next: Next,
    pub trouble: Trouble,
    /// Every outcome the state's work can have, known from the text alone.
    pub outcomes: Vec<String>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Work {
    Decide,
    Agent {
        agent: AgentName,
        each: Option<Each>,
        if_task_fails: Option<IfTaskFails>,
    },
    Plan(Box<Plan>),
    Gate(Gate),
    Command(Command),
    /// A built-in, pure and free, by name.
    Call(String),
    Final {
        ending: Ending,
        output: Formula,
    },
}

impl Work {
    /// The word the language uses for it.
    pub fn word(&self) -> &'static str {
        match self {
            Work::Decide => "decide",
            Work::Agent { .. } => "agent",
            Work::Plan(_) => "plan",
            Work::Gate(_) => "gate",
            Work::Command(_) => "command",
            Work::Call(_) => "call",
            Work::Final { .. } => "final",
        }
    }
}

/// One task per item of a list, at once.
#[derive(Debug)]
pub struct Each {
    pub list: Expression,
    pub at_most: Expression,
}

#[derive(Debug)]
pub struct Plan {
    pub tasks: PlanTasks,
    /// Over `task`: which of them this state runs.
    pub only: Option<Expression>,
    /// Only those that are ready on entry.
    pub one_wave: bool,
    /// In the order of their depth and number, not in that of the list.
    pub by_depth: bool,
    /// Every visit runs its tasks anew, whatever an earlier visit finished.
    pub again: bool,
    /// Whom a task may name; a task that names nobody is for the first.
    pub agents: Vec<AgentName>,
    /// Per visit.
    pub at_most: Expression,
    pub max_parallel: Option<Expression>,
    /// Over `task`: a list of resources; tasks that share one run one after another.
    pub exclusive: Option<Expression>,
    pub after_each_save: Vec<(String, Formula)>,
    pub after_each_add: Vec<(String, Formula)>,
    /// Told once the data is saved; empty words tell nothing.
    pub after_each_warn: Option<Text>,
    pub if_task_fails: IfTaskFails,
}

#[derive(Debug)]
pub enum PlanTasks {
    /// In data, where it may grow while the state runs.
    Held(Expression),
    Written(Vec<serde_json::Value>),
}

/// What happens to a task whose agent, retries and fallbacks have all failed.
#[derive(Debug, Default)]
pub struct IfTaskFails {
    /// Once more, with these added to `with`.
    pub alternative: Option<Vec<(String, Formula)>>,
    /// One new task in its place, never for a compensating one.
    pub compensate: Option<Vec<(String, Formula)>>,
    pub critical: OnFailure,
    pub optional: OnFailure,
    pub warn: Option<Text>,
}

#[derive(Debug, Default)]
pub enum OnFailure {
    /// The state's trouble.
    #[default]
    Trouble,
    /// Dependents run.
    Skip,
    /// Dependents do not run.
    Block,
    Go(Box<Transition>),
}

#[derive(Debug)]
pub struct Gate {
    pub ask: Text,
    /// The path of the file to look at.
    pub show: Option<Text>,
    pub options: Vec<String>,
    /// The options that need a sentence from the person.
    pub text_for: Vec<String>,
    /// Instead of options: a list of `{ id, question, default, options }`.
    pub questions: Option<Expression>,
    /// Roles of the people who may answer; empty: anyone.
    pub who: Vec<String>,
    /// Who may not, though in `who`: names, or `requester` for whoever started the run.
    pub except: Vec<String>,
    /// How many people must give the same answer.
    pub quorum: u32,
    pub deadline_ms: Option<u64>,
    /// What holds at the deadline, or at once in an unattended run.
    pub otherwise: Option<Otherwise>,
}

#[derive(Debug)]
pub enum Otherwise {
    Option(String),
    /// Of the questions.
    Defaults,
    Wait,
    /// The run fails.
    Fail,
    /// An input whose value is an option, `defaults`, `wait` or `fail`.
    Input(Expression),
}

#[derive(Debug)]
pub struct Command {
    pub run: CommandLine,
    /// The directory; the run's own by default.
    pub within: Option<Formula>,
    pub timeout_ms: u64,
}

#[derive(Debug)]
pub enum CommandLine {
    /// A list of words.
    Expression(Expression),
    Words(Vec<Text>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Completed,
    Failed,
    Aborted,
}

/// A message on leaving, by default the result, to the agent of the state that comes next.
#[derive(Debug)]
pub struct Sends {
    pub kind: String,
    pub to: Option<String>,
    pub subject: Option<Text>,
    pub body: Option<Text>,
    /// Plain values; texts in them may hold `{{ }}`.
    pub metadata: Vec<(String, Metadata)>,
}

#[derive(Debug)]
pub enum Metadata {
    Text(Text),
    List(Vec<Metadata>),
    Map(Vec<(String, Metadata)>),
    Plain(serde_json::Value),
}
