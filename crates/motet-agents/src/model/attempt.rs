//! One attempt: the conversation with the model until there is an answer that fits, or a reason why there is none.
//! How a single call waits, is sent and is counted is the business of `calling`.

use motet_core::event::{Failure, FailureKind, Usage};
use motet_core::schema::Schema;
use serde_json::Value;

use super::account::Account;
use super::agent::ModelAgent;
use super::context_window::Count;
use super::conversation::{self, Message, Speaker};
use super::provider::{DEFAULT_MAX_TURNS, ProviderKind};
use super::reading::{self, Cut};
use super::said::ShapeRefusal;
use super::shape::{self, Shape};
use super::tool_use::{DECLINED, NO_MORE_TOOLS};
use super::toolbelt::Toolbelt;
use super::trouble;
use super::wants_structure;
use super::wire::{Ending, Reply};
use crate::agent::{Outcome, Request};
use crate::context::{Context, Progress};

/// How often an answer that does not fit is asked for again, with what is wrong with it.
const CORRECTIONS: u32 = 2;
/// How often a model is asked at most for an answer in the right shape.
pub const MOST_CALLS: u32 = 1 + CORRECTIONS;
/// The same for a model with tools, which is asked again after each use of them.
pub const MOST_CALLS_WITH_TOOLS: u32 = DEFAULT_MAX_TURNS + MOST_CALLS;
/// What holds where neither the settings nor the workflow say anything.
const OLLAMA_TEMPERATURE: f64 = 0.7;
const OLLAMA_MAX_TOKENS: u64 = 100;
const MAX_TOKENS: u64 = 4096;

pub(super) struct Attempt<'a> {
    pub(super) agent: &'a ModelAgent,
    pub(super) request: &'a Request,
    pub(super) context: &'a Context,
    pub(super) messages: Vec<Message>,
    /// How many of the messages are already on record.
    pub(super) recorded: usize,
    pub(super) account: Account,
    /// How often tools were used so far.
    turns: u32,
    pub(super) belt: Toolbelt,
    /// The last call was refused, unpaid, because tools came with it.
    pub(super) is_refused_for_tools: bool,
    /// The last call was refused, unpaid, because a schema came with it.
    pub(super) refused_shape: Option<ShapeRefusal>,
    pub(super) shape: Shape,
}

impl<'a> Attempt<'a> {
    pub fn new(agent: &'a ModelAgent, request: &'a Request, context: &'a Context) -> Self {
        Self {
            agent,
            request,
            context,
            messages: conversation::conversation(request),
            recorded: 0,
            account: Account::default(),
            turns: 0,
            belt: Toolbelt::default(),
            is_refused_for_tools: false,
            refused_shape: None,
            shape: Shape::Free,
        }
    }

    /// What was used so far, whatever it came to.
    pub fn usage(&self) -> Usage {
        self.account.total(self.context.price())
    }

    pub async fn run(&mut self) -> Outcome {
        self.answered().await.unwrap_or_else(|failure| Outcome::Failed { failure, usage: Usage::default() })
    }

    async fn answered(&mut self) -> Result<Outcome, Failure> {
        let toolboxes = self.agent.toolbox.iter().chain(self.context.toolbox()).cloned().collect();
        self.belt = Toolbelt::open(toolboxes, self.context).await?;
        self.shape = self.choose_shape();
        self.shape.tell(&mut self.messages);
        let mut corrections = 0;
        loop {
            let reply = self.last_word().await?;
            let (outcome, problem) = self.read(&reply)?;
            let Some(problem) = problem else { return Ok(outcome) };
            if corrections == CORRECTIONS {
                let message = format!("{problem} (asked {MOST_CALLS} times)");
                return Err(Failure { kind: FailureKind::InvalidOutput, message });
            }
            corrections += 1;
            self.context.tell(Progress::Log(format!("asks again: {problem}")));
            let wanted = "Answer the same request again, completely, and put this right.";
            self.messages.push(Message::new(Speaker::User, format!("Your last answer could not be used: {problem}\n{wanted}")));
        }
    }

    /// Lets the model use its tools until it answers.
    async fn last_word(&mut self) -> Result<Reply, Failure> {
        let mut declined = 0;
        loop {
            let reply = match self.call().await {
                Err(_) if self.does_without_schema() => continue,
                Err(_) if self.turns == 0 && self.does_without_tools() => {
                    self.context.tell(Progress::Log(format!("{} cannot use tools and is asked without", self.agent.settings.model)));
                    self.belt = Toolbelt::default();
                    continue;
                }
                reply => reply?,
            };
            let uses_tools = !reply.calls.is_empty() && matches!(reply.ending, Ending::WantsTools | Ending::Done);
            self.messages.push(reply.turn.clone());
            if !uses_tools {
                return Ok(reply);
            }
            // Counted over the whole attempt: what is reserved for it holds for so many calls and no more.
            if self.turns == self.agent.settings.max_turns {
                let message = format!(
                    "{} used tools {} times and still has no answer — ask for less at once, or give it fewer tools",
                    self.agent.settings.model, self.turns
                );
                return Err(Failure { kind: FailureKind::Reported, message });
            }
            self.turns += 1;
            if !self.affords_tools() {
                if declined == DECLINED {
                    return Err(self.insists_on_tools());
                }
                declined += 1;
                let answers = self.belt.decline(&reply.calls, NO_MORE_TOOLS, self.context);
                self.messages.extend(answers);
                continue;
            }
            self.account.used_tools(reply.calls.iter().filter(|call| call.unreadable.is_none()).count() as u64);
            let answers = self.belt.answer(&reply.calls, self.context).await;
            self.messages.extend(answers);
        }
    }

    /// What a reply comes to, and what must be put right before it can be used. Err: asking again would not help.
    fn read(&self, reply: &Reply) -> Result<(Outcome, Option<String>), Failure> {
        let model = &self.agent.settings.model;
        if let Ending::Refused(why) = &reply.ending {
            return Err(trouble::refused(why, &self.agent.provider).failure);
        }
        if reply.ending == Ending::Garbled {
            let message = format!("{model} tried to use a tool, but its call cannot be read");
            return Err(Failure { kind: FailureKind::InvalidOutput, message });
        }
        // Before anything of it is quoted, which cuts it, or held against the model.
        let written = reading::separate_thoughts(&self.context.redactor().text(&reply.text));
        let thoughts = [reply.thoughts.trim(), written.thoughts.as_str()].join("\n");
        if !thoughts.trim().is_empty() {
            self.context.tell(Progress::Log(format!("{model} thought: {}", thoughts.trim())));
        }
        let cut_off = (reply.ending == Ending::CutOff).then(|| Cut::of(self.max_tokens(), reply.tokens_in, reply.tokens_out));
        let schema = self.request.schema.as_ref();
        match reading::read(&written.answer, schema, cut_off) {
            // What is empty or was cut off would be so again, unless the machine asks for it anew and says why.
            Outcome::Failed { failure, .. }
                if failure.kind == FailureKind::InvalidOutput && !written.answer.is_empty() && cut_off.is_none() =>
            {
                let problem = failure.message.clone();
                Ok((Outcome::Failed { failure, usage: Usage::default() }, Some(problem)))
            }
            Outcome::Returned { result, usage } => {
                let (result, problem) = self.validated(result, schema);
                Ok((Outcome::Returned { result, usage }, problem))
            }
            outcome => Ok((outcome, None)),
        }
    }

    /// The machine validates again; here it is done so that the model can be told what is wrong while it still knows.
    fn validated(&self, result: Value, schema: Option<&Value>) -> (Value, Option<String>) {
        let Some(schema) = schema.filter(|schema| wants_structure(Some(schema))) else { return (result, None) };
        let result = shape::without_nulls(result, schema);
        // A schema that cannot be compiled is the workflow's fault, and the machine says so.
        let problems = Schema::compile(schema.clone()).map_or_else(|_| Vec::new(), |schema| schema.problems(&result));
        let problem = (!problems.is_empty()).then(|| problems.join("; "));
        (result, problem)
    }

    pub(super) fn temperature(&self) -> Option<f64> {
        let usual = (self.agent.provider.kind == ProviderKind::Ollama).then_some(OLLAMA_TEMPERATURE);
        self.agent.settings.temperature.or(self.request.call.model.temperature).or(usual)
    }

    pub(super) fn max_tokens(&self) -> u64 {
        let usual = if self.agent.provider.kind == ProviderKind::Ollama { OLLAMA_MAX_TOKENS } else { MAX_TOKENS };
        self.agent.settings.max_tokens.or(self.request.call.model.max_tokens).unwrap_or(usual)
    }

    /// Our own count of what is sent: the conversation, and the tools that go with it.
    pub(super) fn count(&self) -> Count {
        let tools: String = self.belt.tools.iter().map(|tool| format!("{}{}{}", tool.name, tool.description, tool.parameters)).collect();
        let tools = Message::new(Speaker::System, tools);
        Count::of(self.messages.iter().chain([&tools]))
    }
}
