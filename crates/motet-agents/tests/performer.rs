//! The guard around every attempt: timeouts, cancellation, panics, and who is asked.
//! Time is paused here, so nothing waits.

use std::sync::Arc;
use std::time::Duration;

use motet_agents::builtins::Builtins;
use motet_agents::scripted::{Script, ScriptedAgent};
use motet_agents::{Agent, BoxFuture, Context, Found, Outcome, Performer, Request, StopReason};
use motet_core::case::{Case, Does, Line};
use motet_core::effect::CallWork;
use motet_core::event::FailureKind;
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

fn scripted(lines: Vec<Line>) -> Performer {
    let case = Case { agents: [("writer".to_string(), lines)].into(), ..Case::default() };
    Performer::played_by(Arc::new(ScriptedAgent::new(Script::new(case, "cases/x.yaml", Builtins::default()))))
}

fn line(does: Does, delay_ms: u64) -> Line {
    Line { does, delay_ms, tokens_in: 0, tokens_out: 0, cost: 0.0, tool_calls: 0, times: Some(1), task: None }
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
async fn a_scripted_agent_answers_after_its_delay() {
    let performer = scripted(vec![line(Does::Returns(json!("late")), 59_999)]);
    let started = tokio::time::Instant::now();
    assert_eq!(returned(perform(&performer, prompted("x")).await), json!("late"));
    assert_eq!(started.elapsed(), Duration::from_millis(59_999));
}

#[tokio::test(start_paused = true)]
async fn what_takes_too_long_is_a_timeout() {
    for performer in [scripted(vec![line(Does::Hangs, 0)]), scripted(vec![line(Does::Returns(json!("late")), 60_001)])] {
        let (kind, message) = failure(perform(&performer, prompted("x")).await);
        assert_eq!((kind, message.as_str()), (FailureKind::Timeout, "`writer` did not answer within 1 min"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_does_not_listen_is_dropped() {
    let performer = Performer::new().bind_rest(Arc::new(Deaf));
    assert_eq!(failure(perform(&performer, prompted("x")).await).0, FailureKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_attempt_ends_at_once() {
    let performer = scripted(vec![line(Does::Hangs, 0)]);
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
    let performer = scripted(vec![line(Does::Returns(json!("fine")), 100)]);
    assert_eq!(returned(performer.perform(prompted("x"), &context).await), json!("fine"));
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
