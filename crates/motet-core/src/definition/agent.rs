//! Who does the work of a task, and what comes back.
//! Which backend plays a role is configuration and is not known here.

use crate::diagnostic::Span;
use crate::event::Unattended;
use crate::expression::Expression;
use crate::names::AgentName;
use crate::schema::Schema;
use crate::units::Usd;

/// The tools of Motet itself, which a workflow may give to an agent. Tools of servers are the user's to give, by role.
pub const TOOLS: [&str; 3] = ["evidence.search", "evidence.fetch", "evidence.read"];
/// All of them at once.
pub const EVERY_TOOL: &str = "evidence.*";

#[derive(Debug)]
pub struct Agent {
    pub name: AgentName,
    /// Whom the user's configuration binds; by default the agent's name.
    pub role: String,
    pub does: Does,
    pub gather: Option<Gather>,
    pub returns: Returns,
    /// How free text is read as a verdict.
    pub words: Words,
    pub if_unclear: IfUnclear,
    pub fails_when: Option<Expression>,
    pub retry: Retry,
    pub timeout_ms: u64,
    /// Tried in this order once the agent's own attempts are used up.
    pub fallback: Vec<AgentName>,
    pub class: Class,
    /// `worktree`: the agent needs a working tree of its own.
    pub works_in: Option<String>,
    /// The most one call may cost where the price of its backend is not known.
    pub cost: Option<Usd>,
    pub model: ModelSettings,
    /// The longest answer, where it depends on the run; `model` then names none.
    pub longest_answer: Option<Expression>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Does {
    /// A template in the folder, by path.
    Prompt(String),
    /// A function of Motet, by name.
    Builtin(String),
    /// A child run of another workflow.
    Workflow(String),
}

/// What is found and archived for an agent before it is asked, and what of its answer must stand in it.
/// How that is done is the program's business; here it is only said what is wanted.
#[derive(Debug)]
pub struct Gather {
    /// Over what the prompt sees: questions to look for.
    pub search: Option<Expression>,
    /// Over the same: addresses of documents to read.
    pub read: Option<Expression>,
    /// The kinds of sources that are searched, of `KINDS`; all of them if none is named.
    pub kinds: Vec<String>,
    /// How many passages the agent is shown.
    pub at_most: u32,
    /// The field of the answer that lists facts. One whose quote does not stand in what was gathered is thrown away.
    pub grounds: Option<String>,
    /// The field of the answer that lists findings. One that quotes something says whether its quote stands in what was gathered.
    pub checks: Option<String>,
}

#[derive(Debug)]
pub enum Returns {
    /// outcome, score, feedback, findings, evidence, raw.
    Verdict,
    Schema(Schema),
    /// Anything at all; text is kept as text.
    Anything,
}

/// For each outcome, the phrases (or `/regular expressions/`) that mean it.
#[derive(Debug, Default)]
pub struct Words(pub Vec<(String, Vec<Phrase>)>);

#[derive(Debug)]
pub enum Phrase {
    Text(String),
    Pattern(regex::Regex),
}

#[derive(Debug)]
pub struct IfUnclear {
    /// How often the same task is asked again, with the reason, before `then` holds.
    pub ask_again: u32,
    /// The outcome of a verdict that stays unclear. None, as for an answer of any other shape: the task fails.
    pub then: Option<String>,
}

#[derive(Debug)]
pub struct Retry {
    /// All of them, the first included.
    pub attempts: u32,
    /// Milliseconds before the second, third, … attempt; the last value repeats.
    pub wait_ms: Vec<u64>,
}

/// What a restart does with a call that was started and never finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Runs again.
    #[default]
    Pure,
    /// Is sent again with the same key.
    Idempotent,
    /// Asks its backend what became of it.
    Reconcilable,
    /// Stops at a gate and asks a person.
    Unsafe,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModelSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// What happens when an agent answers with a question instead of a result.
#[derive(Debug)]
pub struct Questions {
    /// Asked in this order until one answers.
    pub answered_by: Vec<Responder>,
    /// Per task; zero: no agent may ask.
    pub at_most: u32,
    pub deadline_ms: Option<u64>,
    /// When nobody answers.
    pub otherwise: Unattended,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Responder {
    Agent(AgentName),
    Person,
}

impl Agent {
    /// The outcomes a verdict of this agent can have.
    pub fn outcomes(&self) -> Vec<String> {
        match self.returns {
            Returns::Verdict if self.words.0.is_empty() => ["approved", "needs_revision", "rejected"].map(String::from).to_vec(),
            Returns::Verdict => {
                let mut outcomes: Vec<String> = self.words.0.iter().map(|(outcome, _)| outcome.clone()).collect();
                outcomes.extend(self.if_unclear.then.clone().filter(|then| !outcomes.contains(then)));
                outcomes
            }
            Returns::Schema(_) | Returns::Anything => vec!["done".into()],
        }
    }
}
