//! Who plays which role, and the guard around every attempt: its timeout, its cancellation, its panics.
//! It starts nothing on its own and remembers nothing between attempts.

use std::any::Any;
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use motet_core::definition::Class;
use motet_core::effect::{Call, CallWork};
use motet_core::event::{FailureKind, Usage};

use crate::agent::{Agent, Found, Outcome, Request};
use crate::builtins::Builtins;
use crate::command;
use crate::context::{Context, StopReason};
use crate::doubt::Teller;
use crate::redaction::Redactor;
use crate::worktree;

/// How long a stopped backend may take to put its things away before it is dropped.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long an attempt that was stopped, or whose time is up, is waited for: the farewell, and what it takes to pass it on. What was said,
/// counted and used is in what it comes to, and in nothing that the machine could say instead.
pub const LAST_WORDS: Duration = Duration::from_secs(FAREWELL.as_secs() + 2);
/// What had passed of the time before the backend was asked is told from here on.
const WORTH_TELLING: Duration = Duration::from_secs(1);

#[derive(Clone, Default)]
pub struct Performer {
    roles: BTreeMap<String, Arc<dyn Agent>>,
    rest: Option<Arc<dyn Agent>>,
    /// By role, what is shorter than the workflow's own timeout.
    limits: BTreeMap<String, Duration>,
    limit_of_rest: Option<Duration>,
    builtins: Builtins,
    redactor: Redactor,
}

impl Performer {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn bind(mut self, role: impl Into<String>, agent: Arc<dyn Agent>) -> Self {
        self.roles.insert(role.into(), agent);
        self
    }

    /// Who plays the roles that nobody was bound to.
    pub fn bind_rest(mut self, agent: Arc<dyn Agent>) -> Self {
        self.rest = Some(agent);
        self
    }

    /// A call of this role may take no longer, whatever the workflow says.
    pub fn limit(mut self, role: impl Into<String>, most: Duration) -> Self {
        self.limits.insert(role.into(), most);
        self
    }

    /// The same for the roles that have no limit of their own.
    pub fn limit_rest(mut self, most: Duration) -> Self {
        self.limit_of_rest = Some(most);
        self
    }

    /// The built-ins that a workflow may call; without this, only those of this crate.
    pub fn calling(mut self, builtins: Builtins) -> Self {
        self.builtins = builtins;
        self
    }

    /// Nothing that an attempt tells, records or comes to holds one of these secrets.
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Whether somebody plays this role.
    pub fn plays(&self, role: &str) -> bool {
        self.backend(role).is_some()
    }

    /// Whether rules answer this call, or a built-in beside rules does: then nothing from outside decides when it is done.
    pub fn follows_rules(&self, call: &Call) -> bool {
        let follows = |agent: &Arc<dyn Agent>| agent.follows_rules();
        match call.work {
            CallWork::Prompt | CallWork::AnswerQuestion => self.backend(&call.role).is_some_and(follows),
            CallWork::Builtin { .. } => self.roles.values().chain(&self.rest).any(follows),
            CallWork::Command { .. } | CallWork::Workflow { .. } => false,
        }
    }

    /// Performs one attempt. It always comes to something: a panic is a crash, a late answer is a timeout.
    pub async fn perform(&self, mut request: Request, context: &Context) -> Outcome {
        let call = &mut request.call;
        let own = self.limits.get(&call.role).or(self.limit_of_rest.as_ref()).filter(|_| is_played(call));
        let own = own.copied().unwrap_or(Duration::MAX);
        // The clock of the machine began with the attempt.
        let left = Duration::from_millis(call.timeout_ms).saturating_sub(context.used());
        let patience = left.min(own);
        call.timeout_ms = call.timeout_ms.min(u64::try_from(own.as_millis()).unwrap_or(u64::MAX));
        let context = context.clone().redacting(self.redactor.clone());
        let class = call.class;
        let outcome = self.attempt(request, patience, &context).await;
        context.tell_rest();
        self.redactor.outcome(doubted(outcome, class))
    }

    /// Built-in functions and commands of a workflow work for nothing.
    fn teller(&self, call: &Call) -> Teller {
        let backend = self.backend(&call.role).filter(|_| is_played(call));
        backend.map_or(Teller::FREE, |agent| Teller::of(&**agent))
    }

    async fn attempt(&self, request: Request, patience: Duration, context: &Context) -> Outcome {
        let call = request.call.clone();
        let teller = self.teller(&call);
        let (inner, stop) = context.inner();
        let mut work = pin!(caught(async { self.dispatch(request, &inner).await }));
        let reason = tokio::select! {
            biased;
            outcome = &mut work => {
                return outcome.map_or_else(|panic| crashed(&call, &panic), |outcome| teller.ended(outcome, call.reserved));
            }
            reason = context.stopped() => reason,
            // Its clock stands while a provider takes no calls: that is nobody's slowness.
            () = context.delay().run_out(patience) => StopReason::TimedOut,
        };
        stop.stop(reason);
        let last_words = tokio::time::timeout(FAREWELL, work).await;
        match (last_words, reason) {
            // A program that ran too long is evidence, and an answer that came at the last moment is an answer.
            (Ok(Ok(outcome @ (Outcome::Returned { .. } | Outcome::Asked { .. }))), StopReason::TimedOut) => {
                teller.ended(outcome, call.reserved)
            }
            (last_words, reason) => {
                let said = last_words.ok().and_then(Result::ok).map(|outcome| outcome.usage());
                stopped(&call, reason, context.used()).with_usage(teller.stopped(said, call.reserved))
            }
        }
    }

    /// Asks the backend of an interrupted attempt what became of it; a backend that fails at that cannot tell.
    pub async fn reconcile(&self, request: Request, context: &Context) -> Found {
        let backend = match request.call.work {
            CallWork::Prompt | CallWork::AnswerQuestion => self.backend(&request.call.role),
            CallWork::Builtin { .. } | CallWork::Command { .. } | CallWork::Workflow { .. } => None,
        };
        let Some(backend) = backend else { return Found::Unknown };
        let limit = Duration::from_millis(request.call.timeout_ms);
        let context = context.clone().redacting(self.redactor.clone());
        let call = request.call.clone();
        let tree = call.works_in.clone().filter(|_| backend.changes_files());
        let place = tree.as_deref().and_then(|tree| worktree::found(tree, &context));
        let asked = caught(async { backend.reconcile(request, place.as_ref().unwrap_or(&context)).await });
        let found = tokio::select! {
            biased;
            found = asked => found.unwrap_or(Found::Unknown),
            _ = context.stopped() => Found::Unknown,
            () = tokio::time::sleep(limit) => Found::Unknown,
        };
        match found {
            Found::Finished(outcome) => {
                let outcome = match tree.filter(|_| place.is_some()) {
                    Some(tree) => worktree::settle(&tree, outcome, call.clone(), &context).await,
                    None => outcome,
                };
                Found::Finished(self.redactor.outcome(self.teller(&call).ended(outcome, call.reserved)))
            }
            found @ (Found::Undone | Found::Unknown) => found,
        }
    }

    async fn dispatch(&self, request: Request, context: &Context) -> Outcome {
        match &request.call.work {
            CallWork::Prompt | CallWork::AnswerQuestion => match self.backend(&request.call.role) {
                Some(agent) => match request.call.works_in.clone().filter(|_| agent.changes_files()) {
                    Some(tree) => worktree::perform(&*agent.clone(), &tree, request, context).await,
                    None => agent.clone().perform(request, context).await,
                },
                None => nobody(&request.call.role),
            },
            CallWork::Builtin { name } => self.builtin(name, &request.call, context).await,
            CallWork::Command { words, within } => command::run(words, within.as_deref(), &request.call, context).await,
            CallWork::Workflow { name } => Outcome::failed(
                FailureKind::Configuration,
                format!("`{name}` is a workflow: a child run is the host's to start, not an agent's to perform"),
            ),
        }
    }

    /// What reads files does so where it holds nobody else up.
    async fn builtin(&self, name: &str, call: &Call, context: &Context) -> Outcome {
        if !self.builtins.reads(name) {
            return self.builtins.perform(name, &call.input, None);
        }
        let (builtins, name, input) = (self.builtins.clone(), name.to_string(), call.input.clone());
        let directory = context.run_directory().map(Path::to_path_buf);
        let reading = tokio::task::spawn_blocking(move || builtins.perform(&name, &input, directory.as_deref()));
        match reading.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(outcome) => outcome,
            // A panic in there is a panic here, which is told as a crash.
            Err(Ok(panic)) => std::panic::resume_unwind(panic),
            Err(Err(stopped)) => Outcome::failed(FailureKind::Cancelled, format!("`{}` was stopped: {stopped}", call.agent)),
        }
    }

    fn backend(&self, role: &str) -> Option<&Arc<dyn Agent>> {
        self.roles.get(role).or(self.rest.as_ref())
    }
}

/// By whoever was bound to its role, and not by Motet itself.
fn is_played(call: &Call) -> bool {
    matches!(call.work, CallWork::Prompt | CallWork::AnswerQuestion)
}

/// What must not be done twice and was not answered in time may have been done all the same: only people know.
fn doubted(outcome: Outcome, class: Class) -> Outcome {
    match outcome {
        Outcome::Failed { failure, usage } if failure.kind == FailureKind::Timeout && class == Class::Unsafe => {
            Outcome::failed(FailureKind::Interrupted, failure.message).with_usage(usage)
        }
        outcome => outcome,
    }
}

fn nobody(role: &str) -> Outcome {
    Outcome::failed(FailureKind::Configuration, format!("nobody plays the role `{role}`: bind it to a backend in the configuration"))
}

fn stopped(call: &Call, reason: StopReason, used: Duration) -> Outcome {
    match (reason, &call.work) {
        // Even a program that cannot be ended has shown that it takes too long.
        (StopReason::TimedOut, CallWork::Command { words, .. }) => Outcome::returned(command::silence(words, call)),
        (StopReason::TimedOut, _) => Outcome::failed(FailureKind::Timeout, late(call, used)),
        (StopReason::Cancelled, _) => {
            Outcome::failed(FailureKind::Cancelled, format!("attempt {} of {} was cancelled", call.attempt, call.task))
        }
    }
}

fn late(call: &Call, used: Duration) -> String {
    let message = format!("`{}` did not answer within {}", call.agent, in_words(call.timeout_ms));
    match used >= WORTH_TELLING {
        true => format!("{message}, of which {} had passed before it could be asked", in_words(used.as_secs() * 1000)),
        false => message,
    }
}

fn crashed(call: &Call, panic: &str) -> Outcome {
    let crashed = Outcome::failed(FailureKind::Crashed, format!("the backend of `{}` crashed: {panic}", call.agent));
    crashed.with_usage(Usage::unknown(call.reserved))
}

pub(crate) fn in_words(milliseconds: u64) -> String {
    match milliseconds {
        ms if ms.is_multiple_of(60_000) && ms > 0 => format!("{} min", ms / 60_000),
        ms if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

/// The future's output, or what it said when it panicked.
async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    poll_fn(|waker| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(waker))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panic) => Poll::Ready(Err(panic_message(&*panic))),
    })
    .await
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".into())
}
