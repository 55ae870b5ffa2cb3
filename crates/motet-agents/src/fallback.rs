//! Several backends for one role: the next is asked when the one before cannot answer for a reason of its own.
//! A bad answer is no such reason: whether to ask again for that, the machine decides. And what may not be done twice is not passed on
//! once somebody may have begun it.

use std::sync::Arc;
use std::time::Duration;

use motet_core::definition::Class;
use motet_core::effect::Call;
use motet_core::event::{FailureKind, Usage};
use motet_core::units::Usd;
use tokio::time::Instant;

use crate::agent::{Agent, BoxFuture, Found, Outcome, Request};
use crate::context::{Context, Progress, StopReason};
use crate::doubt::{self, Teller};
use crate::exchange::{Exchange, PassedOver};
use crate::performer::in_words;

/// Asked in this order.
pub struct FallbackAgent {
    links: Vec<Link>,
}

/// One backend of the chain, with what people call it.
#[derive(Clone)]
pub struct Link {
    pub name: String,
    pub agent: Arc<dyn Agent>,
}

impl FallbackAgent {
    pub fn new(links: Vec<Link>) -> Self {
        Self { links }
    }

    async fn attempt(&self, request: Request, context: &Context) -> Outcome {
        let call = request.call.clone();
        let limit = Duration::from_millis(call.timeout_ms);
        let (began, delayed_before) = (Instant::now(), context.delay().so_far());
        let mut spent = Usage::default();
        let mut passed: Vec<PassedOver> = Vec::new();
        for (number, link) in self.links.iter().enumerate() {
            let left = self.links.len() - number;
            let sharing = if shares_time(&call) { left } else { 1 };
            let worked = began.elapsed().saturating_sub(context.delay().so_far().saturating_sub(delayed_before));
            let mut own = request.clone();
            own.call.reserved = self.reserved_for(number, call.reserved);
            let outcome = perform(link, own, context, share(limit.saturating_sub(worked), sharing), sharing == 1).await;
            // One that fell silent may have taken all of it, but not what the next has taken for certain.
            spent = doubt::at_most(spent.and(outcome.usage()), call.reserved);
            let next = self.links.get(number + 1);
            let failure = match &outcome {
                Outcome::Failed { failure, .. } if is_its_own_fault(failure.kind) && (left > 1 || number > 0) => failure,
                _ => {
                    stand_in(link, passed, context);
                    return outcome.with_usage(spent);
                }
            };
            if !may_repeat(&call) && may_have_begun(&outcome, &call, context) {
                if let Some(next) = next {
                    let why = format!("{} may have begun what must not be done twice", link.name);
                    context.tell(Progress::Log(format!("{} is not asked: {why}", next.name)));
                }
                stand_in(link, passed, context);
                return outcome.with_usage(spent);
            }
            if may_repeat(&call) {
                // What one of them has done before it failed, nobody knows.
                context.delay().begin();
            }
            passed.push(PassedOver { agent: link.name.clone(), why: failure.message.clone() });
            match next {
                Some(next) => {
                    context.tell(Progress::Log(format!("{} cannot answer ({}); asking {}", link.name, failure.message, next.name)));
                }
                // What the last one failed of says whether it is worth while to try again.
                None => return Outcome::failed(failure.kind, format!("nobody could answer: {}", told(&passed))).with_usage(spent),
            }
        }
        Outcome::failed(FailureKind::Configuration, "nobody is there to answer: the chain of backends is empty").with_usage(spent)
    }

    /// Of what is reserved for the whole chain, what one of it may cost: its own ceiling, or what the ceilings of the others leave.
    fn reserved_for(&self, number: usize, reserved: Usd) -> Usd {
        let of_others = self.links.iter().enumerate().filter(|(other, _)| *other != number).filter_map(|(_, link)| link.agent.ceiling());
        let own = self.links[number].agent.ceiling();
        let rest = of_others.fold(reserved, Usd::saturating_sub);
        // The reservation need not be the sum of them: a workflow's own `cost` may stand for all. Nothing would mean no bound.
        let rest = if rest == Usd::ZERO { reserved } else { rest };
        own.unwrap_or(rest).min(reserved)
    }
}

/// Nobody shall take what one says for the words of another: that it was not the first who was asked is kept with what it came to.
fn stand_in(link: &Link, passed: Vec<PassedOver>, context: &Context) {
    if let [first, ..] = &passed[..] {
        context.tell(Progress::Log(format!("{} answers instead of {}", link.name, first.agent)));
        context.record(Exchange::StandIn { agent: link.name.clone(), instead_of: passed });
    }
}

fn told(passed: &[PassedOver]) -> String {
    passed.iter().map(|passed| format!("{}: {}", passed.agent, passed.why)).collect::<Vec<_>>().join("; ")
}

impl Agent for FallbackAgent {
    fn follows_rules(&self) -> bool {
        self.links.iter().any(|link| link.agent.follows_rules())
    }

    fn changes_files(&self) -> bool {
        self.links.iter().any(|link| link.agent.changes_files())
    }

    /// What a link does not tell was doubted where it was asked.
    fn tells_what_it_took(&self) -> bool {
        true
    }

    /// Each link was settled by itself.
    fn is_settled(&self) -> bool {
        true
    }

    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(self.attempt(request, context))
    }

    /// Who had been asked is not known any more, so only an answer that is certain counts.
    fn reconcile<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            for link in &self.links {
                if let found @ Found::Finished(_) = link.agent.reconcile(request.clone(), context).await {
                    return found;
                }
            }
            Found::Unknown
        })
    }
}

/// Each has an equal share of what is left, so that one that only waits leaves time for the next; the last has all of it.
fn share(left: Duration, links: usize) -> Duration {
    left / u32::try_from(links).unwrap_or(u32::MAX)
}

/// Enough for a program to be ended and read, and less than whoever asked the chain gives it.
const FAREWELL: Duration = Duration::from_secs(4);

/// A provider that takes no calls holds up only whoever has all of the time: any other waits within its share, and then the next is asked.
async fn perform(link: &Link, mut request: Request, context: &Context, most: Duration, has_all: bool) -> Outcome {
    request.call.timeout_ms = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
    let (timeout_ms, reserved, is_bounded) = (request.call.timeout_ms, request.call.reserved, shares_time(&request.call));
    let teller = Teller::of(&*link.agent);
    let (inner, stop) = context.inner();
    let inner = if has_all { inner } else { inner.waiting_until(Instant::now().checked_add(most)) };
    let time_is_up = async {
        match has_all {
            // When nobody follows, it is for whoever asked to say that the time is up.
            true if !is_bounded => std::future::pending().await,
            true => context.delay().run_out(most).await,
            false => tokio::time::sleep(most).await,
        }
    };
    let work = link.agent.perform(request, &inner);
    tokio::pin!(work);
    let reason = tokio::select! {
        biased;
        outcome = &mut work => return teller.ended(outcome, reserved),
        reason = context.stopped() => reason,
        () = time_is_up => StopReason::TimedOut,
    };
    stop.stop(reason);
    let last_words = tokio::time::timeout(FAREWELL, work).await;
    match (last_words, reason) {
        (Ok(outcome @ (Outcome::Returned { .. } | Outcome::Asked { .. })), StopReason::TimedOut) => teller.ended(outcome, reserved),
        (last_words, reason) => {
            let usage = teller.stopped(last_words.ok().map(|outcome| outcome.usage()), reserved);
            let (kind, message) = match reason {
                StopReason::TimedOut => (FailureKind::Timeout, format!("no answer within {}", in_words(timeout_ms))),
                StopReason::Cancelled => (FailureKind::Cancelled, "stopped".to_string()),
            };
            Outcome::failed(kind, message).with_usage(usage)
        }
    }
}

/// Whether one backend after the other may do the same, as the machine itself would have it tried again.
fn may_repeat(call: &Call) -> bool {
    call.class != Class::Unsafe
}

/// Whether one that only takes long is given up for the next. Half of its time is enough for an answer; work on files would be lost half-way,
/// and nobody leaves time for others where none of them may follow.
fn shares_time(call: &Call) -> bool {
    call.class == Class::Pure
}

/// Whether anything may have been done by whoever failed like this, now or in an earlier attempt.
fn may_have_begun(outcome: &Outcome, call: &Call, context: &Context) -> bool {
    let Outcome::Failed { failure, usage } = outcome else { return true };
    let could_not_begin = match failure.kind {
        // What is not installed, or has no key, was so before.
        FailureKind::NotFound | FailureKind::Configuration => true,
        // Whoever takes no calls has not taken this one.
        FailureKind::RateLimited => true,
        // It was perhaps reached by the attempt before this one.
        FailureKind::Unavailable => call.attempt == 1,
        _ => false,
    };
    !could_not_begin || context.delay().has_begun() || *usage != Usage::default()
}

/// Whether the failure says something about the backend, so that another may do better with the same request.
fn is_its_own_fault(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Timeout
        | FailureKind::Unavailable
        | FailureKind::RateLimited
        | FailureKind::Crashed
        | FailureKind::Refused
        | FailureKind::NotFound
        | FailureKind::Configuration => true,
        FailureKind::InvalidOutput
        | FailureKind::Reported
        | FailureKind::Interrupted
        | FailureKind::InvalidWorkflow
        | FailureKind::Budget
        | FailureKind::Cancelled => false,
    }
}
