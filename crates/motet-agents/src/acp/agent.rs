//! An agent over the Agent Client Protocol: one process per attempt, one conversation per task.
//! The process ends with the attempt; the conversation, if the agent keeps it, does not.

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{PromptResponse, StopReason};
use agent_client_protocol::{Error, ErrorCode};
use motet_core::event::{Failure, FailureKind, Usage};
use tokio::process::Command;

use super::desk::Desk;
use super::lines::transport;
use super::session::{Ended, converse};
use super::settings::AcpSettings;
use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::command;
use crate::command::child::{Companion, LastWords, how_status, was_killed};
use crate::command::process::{describe_task, log_base};
use crate::context::{Context, Progress};
use crate::conversation::{Conversation, kind, opened, read};
use crate::exchange::Exchange;
use crate::redaction::Redaction;

pub struct AcpAgent {
    settings: AcpSettings,
}

impl AcpAgent {
    pub fn new(settings: AcpSettings) -> Self {
        Self { settings }
    }

    /// What the agent was given in its environment shows in nothing that it says.
    fn redaction(&self) -> Redaction {
        Redaction::of(self.settings.env.values())
    }

    async fn attempt(&self, request: &Request, context: &Context) -> Outcome {
        let root = match root(context) {
            Ok(root) => root,
            Err(failure) => return Outcome::Failed { failure, usage: Usage::default() },
        };
        let (companion, stdin, stdout) = match self.start(&root, request, context) {
            Ok(started) => started,
            Err(failure) => return Outcome::Failed { failure, usage: Usage::default() },
        };
        let first = request.prompt.clone().unwrap_or_else(|| opened(request));
        let conversation = Conversation::of(&self.settings.name, &first, request, context);
        let answers = request.call.answers.clone();
        let desk = Arc::new(Desk::new(root, self.settings.permissions, answers, context.clone(), conversation));
        let wire = transport(stdin, stdout, context);
        let talked = tokio::select! {
            biased;
            talked = converse(wire, desk.clone(), &self.settings, request) => talked,
            // A session that is stopped before its turn has nobody who would tell the agent.
            () = stopped_for_good(context) => Err(Error::request_cancelled()),
        };
        let last_words = companion.stderr();
        match talked {
            Ok(ended) => {
                companion.end().await;
                self.settle(ended, &desk, request)
            }
            Err(error) => self.broken(error, companion, last_words, &desk).await,
        }
    }

    fn start(
        &self,
        root: &PathBuf,
        request: &Request,
        context: &Context,
    ) -> Result<(Companion, tokio::process::ChildStdin, tokio::process::ChildStdout), Failure> {
        let Some((program, arguments)) = self.settings.command.split_first() else {
            let message = format!("`{}` has an empty command: give the program that speaks the protocol", self.settings.name);
            return Err(Failure { kind: FailureKind::Configuration, message });
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root).envs(self.settings.env.iter().map(|(name, value)| (name, value.reveal())));
        describe_task(&mut command, &request.call, context);
        let log = log_base(&request.call, context).map(|base| base.with_added_extension("stderr").with_added_extension("log"));
        let listener = context.clone();
        Companion::start(command, log, Some(Arc::new(move |line| listener.tell(Progress::Log(line)))), &self.redaction())
    }

    /// What a turn that ended came to.
    fn settle(&self, ended: Ended, desk: &Desk, request: &Request) -> Outcome {
        let (message, usage) = {
            let turn = desk.turn();
            let mut conversation = desk.conversation();
            let (cost, before) = (turn.cost, conversation.cost());
            if let Some(cost) = cost {
                conversation.has_cost(cost);
            }
            let tokens = ended.response.as_ref().and_then(|response| response.usage.clone());
            let cached = |tokens: &agent_client_protocol::v1::schema::Usage| {
                tokens.cached_read_tokens.unwrap_or_default() + tokens.cached_write_tokens.unwrap_or_default()
            };
            let usage = Usage {
                tokens_in: tokens.as_ref().map_or(0, |tokens| tokens.input_tokens + cached(tokens)),
                tokens_out: tokens.as_ref().map_or(0, |tokens| tokens.output_tokens + tokens.thought_tokens.unwrap_or_default()),
                tool_calls: turn.tool_calls,
                cost: cost.map_or_else(Default::default, |cost| cost.saturating_sub(before)),
            };
            (self.redaction().text(&turn.message), usage)
        };
        let outcome = self.outcome(ended.response.as_ref(), &message, desk, request);
        if matches!(&outcome, Outcome::Failed { failure, .. } if failure.kind == FailureKind::Refused) {
            desk.conversation().forget();
        }
        let (agent, id) = (self.settings.name.clone(), ended.id);
        desk.context.record(Exchange::Conversation { agent, id, sent: ended.said, answer: message, usage });
        outcome.with_usage(usage)
    }

    fn outcome(&self, response: Option<&PromptResponse>, message: &str, desk: &Desk, request: &Request) -> Outcome {
        let name = &self.settings.name;
        if let Some(question) = desk.question() {
            return Outcome::Asked { question, usage: Usage::default() };
        }
        match response.map(|response| response.stop_reason) {
            Some(StopReason::EndTurn) => read(message, request.schema.as_ref(), &request.call),
            Some(StopReason::MaxTokens) => {
                Outcome::failed(FailureKind::InvalidOutput, format!("`{name}` was cut off: it reached its limit of tokens"))
            }
            Some(StopReason::MaxTurnRequests) => {
                Outcome::failed(FailureKind::Reported, format!("`{name}` stopped: it reached its limit of requests in one turn"))
            }
            Some(StopReason::Refusal) => Outcome::failed(FailureKind::Refused, colon(format!("`{name}` refused to go on"), message)),
            Some(StopReason::Cancelled) => Outcome::failed(FailureKind::Cancelled, format!("`{name}` was stopped")),
            None => Outcome::failed(FailureKind::Cancelled, format!("`{name}` was stopped and did not answer any more")),
            Some(_) => Outcome::failed(FailureKind::Reported, format!("`{name}` stopped for a reason that is not known here")),
        }
    }

    /// The conversation broke off: because the program is gone, or because it said so.
    async fn broken(&self, error: Error, companion: Companion, last_words: LastWords, desk: &Desk) -> Outcome {
        let name = &self.settings.name;
        let status = companion.end().await;
        if desk.context.is_stopped() {
            return Outcome::failed(FailureKind::Cancelled, format!("`{name}` was stopped"));
        }
        let quoted = last_words.last_words();
        if error.code == ErrorCode::AUTH_REQUIRED {
            let message = format!("`{name}` wants you to log in first: start it once by hand, or give it its key in the environment");
            return Outcome::failed(FailureKind::Configuration, colon(message, &error.message));
        }
        match status {
            Some(status) if !status.success() => {
                let kind = if was_killed(status.code()) { FailureKind::Crashed } else { kind(&quoted) };
                let kind = if kind == FailureKind::Reported { FailureKind::Crashed } else { kind };
                Outcome::failed(kind, colon(format!("`{name}` {}", how_status(status)), &quoted))
            }
            _ if !desk.is_hung_up() => {
                let why = self.redaction().text(&describe(&error));
                Outcome::failed(kind(&why), format!("`{name}` failed: {why}"))
            }
            _ => {
                let message = format!("`{name}` broke off the conversation: {}", describe(&error));
                Outcome::failed(FailureKind::Crashed, colon(message, &quoted))
            }
        }
    }
}

impl Agent for AcpAgent {
    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move { self.attempt(&request, context).await })
    }
}

/// The task's directory with all links followed, so that nothing in it can lead out of it.
fn root(context: &Context) -> Result<PathBuf, Failure> {
    let wrong = |message: String| Failure { kind: FailureKind::Configuration, message };
    let directory = match command::directory(None, context)? {
        Some(directory) => directory,
        None => std::env::current_dir().map_err(|error| wrong(format!("there is no directory to work in: {error}")))?,
    };
    directory
        .canonicalize()
        .map_err(|error| wrong(format!("the directory to work in cannot be followed: {}: {error}", directory.display())))
}

/// Resolves when the attempt was stopped and the agent had its time to end its turn.
async fn stopped_for_good(context: &Context) {
    context.stopped().await;
    tokio::time::sleep(std::time::Duration::from_millis(3500)).await;
}

fn describe(error: &Error) -> String {
    match &error.data {
        Some(data) => format!("{} ({data})", error.message),
        None => error.message.clone(),
    }
}

fn colon(told: String, why: &str) -> String {
    if why.is_empty() { told } else { format!("{told}: {why}") }
}
