//! The guard around every attempt: timeouts, cancellation, panics, and who is asked.
//! Time is paused here, so nothing waits.

use std::sync::Arc;
use std::time::Duration;

use motet_agents::{
    Agent, BoxFuture, Context, FallbackAgent, Found, LAST_WORDS, Link, Outcome, Performer, PricedAgent, Request, StopReason,
};
use motet_core::definition::Class;
use motet_core::effect::CallWork;
use motet_core::event::{Failure, FailureKind, Price, Usage};
use motet_core::units::Usd;
use serde_json::json;

use crate::{failure, prompted, request, returned};

/// Says its name.
struct Named(&'static str);

impl Agent for Named {
    fn perform<'a>(&'a self, _: Request, _: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async { Outcome::returned(json!(self.0)) })
    }
}

/// Panics, at once or after a while.
struct Panics(Option<Duration>);

impl Agent for Panics {
    fn perform<'a>(&'a self, _: Request, _: &'a Context) -> BoxFuture<'a, Outcome> {
        let Some(after) = self.0 else { panic!("at once") };
        Box::pin(async move {
            tokio::time::sleep(after).await;
            panic!("after {} ms", after.as_millis())
        })
    }

    fn reconcile<'a>(&'a self, _: Request, _: &'a Context) -> BoxFuture<'a, Found> {
        panic!("cannot look back")
    }
}

/// Never answers and never listens.
struct Deaf;

impl Agent for Deaf {
    fn perform<'a>(&'a self, _: Request, _: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(std::future::pending())
    }

    fn reconcile<'a>(&'a self, _: Request, _: &'a Context) -> BoxFuture<'a, Found> {
        Box::pin(std::future::pending())
    }
}

/// Answers after so many milliseconds, unless it is stopped before.
struct Slow(u64);

impl Agent for Slow {
    fn perform<'a>(&'a self, _: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async {
            tokio::select! {
                biased;
                () = tokio::time::sleep(Duration::from_millis(self.0)) => Outcome::returned(json!("late")),
                _ = context.stopped() => Outcome::failed(FailureKind::Cancelled, "stopped"),
            }
        })
    }
}

fn slow(delay_ms: u64) -> Performer {
    Performer::new().bind_rest(Arc::new(Slow(delay_ms)))
}

async fn perform(performer: &Performer, request: Request) -> Outcome {
    performer.perform(request, &Context::new().0).await
}

#[tokio::test(start_paused = true)]
async fn a_role_is_played_by_whom_it_is_bound_to() {
    let performer = Performer::new().bind("writer", Arc::new(Named("bound")));
    assert_eq!(returned(perform(&performer, prompted("x")).await), json!("bound"));
    let performer = Performer::new().bind("editor", Arc::new(Named("bound"))).bind_rest(Arc::new(Named("rest")));
    assert_eq!(returned(perform(&performer, prompted("x")).await), json!("rest"));
    assert!(performer.plays("anyone") && !Performer::new().plays("anyone"));
}

#[tokio::test(start_paused = true)]
async fn a_role_that_nobody_plays_is_a_wrong_configuration() {
    let (kind, message) = failure(perform(&Performer::new(), prompted("x")).await);
    assert_eq!(kind, FailureKind::Configuration);
    assert_eq!(message, "nobody plays the role `writer`: bind it to a backend in the configuration");
}

#[tokio::test(start_paused = true)]
async fn built_ins_need_no_backend_and_no_time() {
    let mut counted = request(CallWork::Builtin { name: "text.words".into() }, json!({"text": "two words"}));
    counted.call.timeout_ms = 0;
    assert_eq!(returned(perform(&Performer::new(), counted).await)["words"], json!(2));
    let unknown = request(CallWork::Builtin { name: "nothing".into() }, json!({}));
    assert_eq!(failure(perform(&Performer::new(), unknown).await).0, FailureKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_child_run_is_not_performed_here() {
    let child = request(CallWork::Workflow { name: "slogan".into() }, json!({}));
    assert_eq!(failure(perform(&Performer::new(), child).await).0, FailureKind::Configuration);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_just_in_time_counts() {
    let performer = slow(59_999);
    let started = tokio::time::Instant::now();
    assert_eq!(returned(perform(&performer, prompted("x")).await), json!("late"));
    assert_eq!(started.elapsed(), Duration::from_millis(59_999));
}

#[tokio::test(start_paused = true)]
async fn what_takes_too_long_is_a_timeout() {
    let (kind, message) = failure(perform(&slow(60_001), prompted("x")).await);
    assert_eq!((kind, message.as_str()), (FailureKind::Timeout, "`writer` did not answer within 1 min"));
}

#[tokio::test(start_paused = true)]
async fn what_had_passed_of_the_time_before_a_backend_is_asked_is_taken_off_and_told() {
    let (context, started) = (Context::new().0.having_used(Duration::from_secs(45)), tokio::time::Instant::now());
    let (kind, message) = failure(slow(60_001).perform(prompted("x"), &context).await);
    assert_eq!(started.elapsed(), Duration::from_secs(15), "the machine's clock began before");
    let told = "`writer` did not answer within 1 min, of which 45 s had passed before it could be asked";
    assert_eq!((kind, message.as_str()), (FailureKind::Timeout, told));
    // A limit of the role is for the role alone.
    let started = tokio::time::Instant::now();
    let limited = slow(60_001).limit("writer", Duration::from_secs(10));
    assert_eq!(failure(limited.perform(prompted("x"), &context).await).0, FailureKind::Timeout);
    assert_eq!(started.elapsed(), Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn whoever_performs_a_call_is_heard_before_the_machine() {
    for class in [Class::Pure, Class::Idempotent, Class::Reconcilable, Class::Unsafe] {
        let (performer, mut late, started) = (Performer::new().bind_rest(Arc::new(Deaf)), prompted("x"), tokio::time::Instant::now());
        late.call.class = class;
        let machine = Duration::from_millis(late.call.timeout_ms) + LAST_WORDS;
        // Nobody takes longer to say farewell than one who never does.
        let (kind, _) = failure(performer.perform(late, &Context::new().0).await);
        let expected = if class == Class::Unsafe { FailureKind::Interrupted } else { FailureKind::Timeout };
        assert!(started.elapsed() < machine && kind == expected, "{class:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_does_not_listen_is_dropped() {
    let performer = Performer::new().bind_rest(Arc::new(Deaf));
    assert_eq!(failure(perform(&performer, prompted("x")).await).0, FailureKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_attempt_ends_at_once() {
    let performer = slow(59_999);
    let (context, stop) = Context::new();
    let started = tokio::time::Instant::now();
    let (outcome, ()) = tokio::join!(performer.perform(prompted("x"), &context), async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        stop.stop(StopReason::Cancelled);
        stop.stop(StopReason::TimedOut);
    });
    let (kind, message) = failure(outcome);
    assert_eq!((kind, message.as_str()), (FailureKind::Cancelled, "attempt 2 of writing.1/api was cancelled"));
    assert_eq!(started.elapsed(), Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_goes_on_when_nobody_can_stop_it_any_more() {
    let (context, stop) = Context::new();
    drop(stop);
    assert_eq!(returned(slow(100).perform(prompted("x"), &context).await), json!("late"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_crash_and_says_what_it_said() {
    for (agent, said) in [(Panics(None), "at once"), (Panics(Some(Duration::from_millis(5))), "after 5 ms")] {
        let performer = Performer::new().bind_rest(Arc::new(agent));
        let (kind, message) = failure(perform(&performer, prompted("x")).await);
        assert_eq!((kind, message), (FailureKind::Crashed, format!("the backend of `writer` crashed: {said}")));
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_can_tell_unless_the_backend_can() {
    let backends: [Arc<dyn Agent>; 3] = [Arc::new(Named("x")), Arc::new(Panics(None)), Arc::new(Deaf)];
    for backend in backends {
        let performer = Performer::new().bind_rest(backend);
        let found = performer.reconcile(prompted("x"), &Context::new().0).await;
        assert_eq!(found, Found::Unknown);
        let settled = found.settle(&prompted("x").call).unwrap();
        assert_eq!(failure(settled).0, FailureKind::Interrupted);
    }
    assert_eq!(Found::Undone.settle(&prompted("x").call), None);
}

/// Ends when it is told to, and does not know what it took.
struct Unaware;

impl Agent for Unaware {
    fn perform<'a>(&'a self, _: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            context.stopped().await;
            Outcome::failed(FailureKind::Cancelled, "stopped")
        })
    }

    fn tells_what_it_took(&self) -> bool {
        false
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_gone_without_a_word_may_have_spent_all_that_was_reserved() {
    let backends: [(Arc<dyn Agent>, bool); 4] =
        [(Arc::new(Deaf), true), (Arc::new(Panics(None)), true), (Arc::new(Unaware), true), (Arc::new(Named("x")), false)];
    for (backend, in_doubt) in backends {
        let mut request = prompted("x");
        request.call.reserved = Usd(700);
        let usage = perform(&Performer::new().bind_rest(backend), request).await.usage();
        let all = Usage { cost: Usd(700), uncertain: Usd(700), estimated: true, ..Usage::default() };
        assert_eq!(usage, if in_doubt { all } else { Usage::default() });
    }
}

/// Works with one tool until it is told to end or breaks down, and does not know what that took.
struct Busy {
    breaks_down: bool,
}

const ONE_TOOL: Usage = Usage { tokens_in: 0, tokens_out: 0, tool_calls: 1, cost: Usd::ZERO, uncertain: Usd::ZERO, estimated: false };

impl Agent for Busy {
    fn perform<'a>(&'a self, _: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if !self.breaks_down {
                context.stopped().await;
            }
            let failure = Failure { kind: FailureKind::Crashed, message: "gone".into() };
            Outcome::Failed { failure, usage: ONE_TOOL }
        })
    }

    fn tells_what_it_took(&self) -> bool {
        false
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_used_a_tool_and_does_not_say_what_it_cost_may_have_spent_all_that_was_reserved() {
    for breaks_down in [false, true] {
        let busy = || Arc::new(Busy { breaks_down });
        let by_call = Price { call: Usd(3), input_per_million: Usd(1), ..Price::default() };
        let chain = FallbackAgent::new(vec![Link { name: "busy".into(), agent: busy() }]);
        let backends: [Arc<dyn Agent>; 3] = [busy(), Arc::new(PricedAgent::new(busy(), by_call)), Arc::new(chain)];
        for (number, backend) in backends.into_iter().enumerate() {
            let mut request = prompted("x");
            request.call.reserved = Usd(700);
            let usage = perform(&Performer::new().bind_rest(backend), request).await.usage();
            let all = Usage { cost: Usd(700), uncertain: Usd(700), estimated: true, ..ONE_TOOL };
            assert_eq!(usage, all, "backend {number}, breaks down: {breaks_down}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_money_is_in_doubt_where_nothing_was_reserved_but_nobody_has_counted() {
    let usage = perform(&Performer::new().bind_rest(Arc::new(Deaf)), prompted("x")).await.usage();
    assert_eq!(usage, Usage { estimated: true, ..Usage::default() });
}
