//! A workflow as the machine sees it: everything resolved, compiled and named.
//! It is built by `language` and never changed afterwards; it knows nothing of YAML or of runs.

mod agent;
mod files;
mod gathering;
mod offline;
mod prompt;
mod require;
mod state;
mod transition;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use agent::{
    Agent, Class, Does, EVERY_TOOL, Gather, IfUnclear, ModelSettings, Phrase, Questions, Responder, Retry, Returns, TOOLS, Words,
};
pub use files::{Edit, FileRule};
pub use gathering::{GATHERED, Gathering, KINDS};
pub use offline::COMPOSED;
pub use require::{Place, Requirement, Rule};
pub use state::{
    Command, CommandLine, Each, Ending, Gate, IfTaskFails, Metadata, OnFailure, Otherwise, Plan, PlanTasks, Sends, StateDefinition, Work,
};
pub use transition::{Next, Target, Transition, Trouble};

use crate::diagnostic::Span;
use crate::expression::{Expression, Formula};
use crate::names::{AgentName, CounterName, Digest, StateName};
use crate::schema::Schema;
use crate::template::Templates;

/// The texts of a workflow folder by path relative to it, `workflow.yaml` among them.
pub type Folder = BTreeMap<String, String>;

#[derive(Debug)]
pub struct Definition {
    pub name: String,
    pub version: String,
    pub summary: String,
    pub aliases: Vec<String>,
    /// Of the whole folder, so that a changed prompt is a changed workflow.
    pub digest: Digest,
    pub folder: Folder,
    pub input: Schema,
    /// What the run remembers, with first values that may use `input`.
    pub data: Vec<(String, Formula)>,
    pub limits: Limits,
    pub counters: BTreeMap<CounterName, Counter>,
    pub agents: BTreeMap<AgentName, Agent>,
    pub questions: Questions,
    /// Where trouble leads unless a state answers it itself.
    pub trouble: Trouble,
    /// Names for sets of states, in the order written.
    pub groups: Vec<(String, Vec<StateName>)>,
    pub start: StateName,
    /// In the order written.
    pub states: Vec<StateDefinition>,
    pub index: BTreeMap<StateName, usize>,
    pub require: Vec<Requirement>,
    pub files: Vec<FileRule>,
    pub templates: Templates,
    /// What rules answer where no model is asked, by agent; formulas over what a prompt sees.
    pub offline: BTreeMap<AgentName, Arc<Formula>>,
    /// States whose earlier results some expression or template reads through `all`.
    pub keeps_all: std::collections::BTreeSet<StateName>,
}

impl Definition {
    pub fn state(&self, name: &str) -> Option<&StateDefinition> {
        self.index.get(name).map(|position| &self.states[*position])
    }

    /// The first group that holds this state: the word that exports use for it.
    pub fn group(&self, state: &str) -> Option<&str> {
        self.groups.iter().find(|(_, states)| states.iter().any(|member| member == state)).map(|(group, _)| group.as_str())
    }

    /// The transition that trouble of this kind takes from this state, the state's own first.
    /// None for `budget` and `time`: the run is paused instead, and can be given more.
    pub fn trouble_of<'a>(&'a self, state: &'a StateDefinition, kind: TroubleKind) -> Option<&'a Transition> {
        state.trouble.of(kind).or_else(|| self.trouble.of(kind))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleKind {
    Error,
    Budget,
    Time,
}

impl TroubleKind {
    pub const ALL: [TroubleKind; 3] = [TroubleKind::Error, TroubleKind::Budget, TroubleKind::Time];

    pub fn word(self) -> &'static str {
        match self {
            TroubleKind::Error => "error",
            TroubleKind::Budget => "budget",
            TroubleKind::Time => "time",
        }
    }
}

/// Of the whole run. Expressions over `input`: dollars, and seconds or a written duration.
#[derive(Debug, Default)]
pub struct Limits {
    pub cost: Option<Formula>,
    pub time: Option<Formula>,
    /// A share of `cost` (0 to 1) held back for a state.
    pub keep: BTreeMap<StateName, f64>,
}

#[derive(Debug)]
pub struct Counter {
    pub first: u32,
    /// None: unlimited, and then only an answer that a person must give may take it.
    pub max: Option<Expression>,
    pub span: Span,
}
