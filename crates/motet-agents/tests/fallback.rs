//! A chain of backends for one role, and what their answers cost.

use std::sync::Arc;
use std::time::Duration;

use motet_agents::command::CommandAgent;
use motet_agents::{
    Agent, BoxFuture, Context, Exchange, FallbackAgent, Link, Outcome, PassedOver, Performer, PricedAgent, Progress, Redactor, Request,
    Secret,
};
use motet_core::definition::Class;
use motet_core::event::{Failure, FailureKind, Price, Usage};
use motet_core::units::Usd;
use serde_json::{Value, json};

use super::{Directory, failure, listening, prompted};

/// Comes to the same every time.
struct Always(Outcome);

impl Agent for Always {
    fn perform<'a>(&'a self, _request: Request, _context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async { self.0.clone() })
    }
}

/// Waits until it is stopped.
struct Never;

impl Agent for Never {
    fn perform<'a>(&'a self, _request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            context.stopped().await;
            Outcome::failed(FailureKind::Cancelled, "stopped")
        })
    }
}

const TOKENS: Usage = Usage { tokens_in: 1000, tokens_out: 100, tool_calls: 0, cost: Usd::ZERO, uncertain: Usd::ZERO, estimated: false };

fn fails(kind: FailureKind) -> Arc<dyn Agent> {
    Arc::new(Always(Outcome::failed(kind, "no luck")))
}

fn answers(text: &str) -> Arc<dyn Agent> {
    Arc::new(Always(Outcome::Returned { result: json!(text), usage: TOKENS }))
}

async fn chain(agents: Vec<Arc<dyn Agent>>) -> (Outcome, Vec<Progress>) {
    let links = agents.into_iter().enumerate().map(|(number, agent)| Link { name: format!("m{}", number + 1), agent });
    let performer = Performer::new().bind_rest(Arc::new(FallbackAgent::new(links.collect())));
    let (context, _stop, heard) = listening();
    let outcome = performer.perform(prompted("Write."), &context).await;
    let heard = heard.lock().expect("no test panicked").clone();
    (outcome, heard)
}

#[tokio::test]
async fn the_next_is_asked_when_one_cannot_answer_and_the_watcher_is_told() {
    use FailureKind::{Configuration, Crashed, NotFound, RateLimited, Refused, Timeout, Unavailable};
    for kind in [Unavailable, RateLimited, Timeout, NotFound, Configuration, Refused, Crashed] {
        let (outcome, heard) = chain(vec![fails(kind), answers("Sip")]).await;
        assert_eq!(super::returned(outcome), json!("Sip"), "{kind:?}");
        let told = format!("{heard:?}");
        assert!(told.contains("m1 cannot answer (no luck); asking m2") && told.contains("m2 answers instead of m1"), "{told}");
    }
}

#[tokio::test]
async fn who_answers_for_somebody_else_is_on_record_and_whoever_is_the_first_is_not() {
    let recorded = async |agents: Vec<Arc<dyn Agent>>| {
        let links = agents.into_iter().enumerate().map(|(number, agent)| Link { name: format!("m{}", number + 1), agent });
        let (context, _stop) = Context::new();
        Performer::new().bind_rest(Arc::new(FallbackAgent::new(links.collect()))).perform(prompted("Write."), &context).await;
        context.recorded()
    };
    let passed = |number: usize| PassedOver { agent: format!("m{number}"), why: "no luck".into() };
    let unavailable = || fails(FailureKind::Unavailable);
    assert_eq!(recorded(vec![answers("Sip"), unavailable()]).await, []);
    let third = recorded(vec![unavailable(), unavailable(), answers("Sip")]).await;
    assert_eq!(third, [Exchange::StandIn { agent: "m3".into(), instead_of: vec![passed(1), passed(2)] }]);
    let badly = recorded(vec![unavailable(), fails(FailureKind::InvalidOutput)]).await;
    assert_eq!(badly, [Exchange::StandIn { agent: "m2".into(), instead_of: vec![passed(1)] }]);
    assert_eq!(recorded(vec![unavailable(), unavailable()]).await, [], "nobody has answered");
}

#[tokio::test]
async fn a_bad_answer_is_not_given_to_somebody_else() {
    for kind in [FailureKind::InvalidOutput, FailureKind::Reported, FailureKind::Budget, FailureKind::InvalidWorkflow] {
        let (outcome, _) = chain(vec![fails(kind), answers("Sip")]).await;
        assert_eq!(failure(outcome), (kind, "no luck".into()));
    }
}

#[tokio::test]
async fn when_nobody_can_answer_every_reason_is_told() {
    let (outcome, _) = chain(vec![fails(FailureKind::NotFound), fails(FailureKind::Unavailable)]).await;
    assert_eq!(failure(outcome), (FailureKind::Unavailable, "nobody could answer: m1: no luck; m2: no luck".into()));
    let (outcome, _) = chain(vec![fails(FailureKind::NotFound)]).await;
    assert_eq!(failure(outcome), (FailureKind::NotFound, "no luck".into()));
}

#[tokio::test(start_paused = true)]
async fn one_that_only_waits_leaves_time_for_the_next() {
    let (outcome, _) = chain(vec![Arc::new(Never), Arc::new(Never), answers("Sip")]).await;
    assert_eq!(super::returned(outcome), json!("Sip"));
    let (outcome, _) = chain(vec![Arc::new(Never), Arc::new(Never)]).await;
    assert_eq!(failure(outcome).0, FailureKind::Timeout);
}

/// Takes so many seconds.
struct Slow(u64);

impl Agent for Slow {
    fn perform<'a>(&'a self, _request: Request, _context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(self.0)).await;
            Outcome::Returned { result: json!("slow"), usage: TOKENS }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_takes_long_is_not_taken_away_half_way_and_an_answer_is() {
    for (class, who) in [(Class::Pure, "quick"), (Class::Reconcilable, "slow"), (Class::Idempotent, "slow"), (Class::Unsafe, "slow")] {
        let link = |name: &str, agent| Link { name: name.into(), agent };
        let chain = FallbackAgent::new(vec![link("slow", Arc::new(Slow(50))), link("quick", answers("quick"))]);
        let mut request = prompted("Work.");
        (request.call.class, request.call.timeout_ms) = (class, 60_000);
        let outcome = Performer::new().bind_rest(Arc::new(chain)).perform(request, &Context::new().0).await;
        assert_eq!(super::returned(outcome), json!(who), "{class:?}");
    }
}

#[tokio::test]
async fn tokens_cost_what_the_price_says_and_a_cost_that_is_told_counts() {
    let price = Price { call: Usd(5), input_per_million: Usd(3_000_000), output_per_million: Usd(15_000_000), ..Price::default() };
    let cost = async |usage: Usage| {
        let agent = Arc::new(Always(Outcome::Returned { result: Value::Null, usage }));
        let performer = Performer::new().bind_rest(Arc::new(PricedAgent::new(agent, price)));
        performer.perform(prompted("Write."), &Context::new().0).await.usage().cost
    };
    assert_eq!(cost(TOKENS).await, Usd(5 + 3000 + 1500));
    assert_eq!(cost(Usage { cost: Usd(7), ..TOKENS }).await, Usd(7));
    assert_eq!(cost(Usage::default()).await, Usd(5), "an answer costs what a call costs, whatever it says of itself");
}

#[tokio::test(start_paused = true)]
async fn a_role_may_be_given_less_time_than_the_workflow_gives() {
    let performer = Performer::new().bind("writer", Arc::new(Never)).limit("writer", Duration::from_secs(2));
    let begun = tokio::time::Instant::now();
    let outcome = performer.perform(prompted("Write."), &Context::new().0).await;
    assert_eq!(failure(outcome), (FailureKind::Timeout, "`writer` did not answer within 2 s".into()));
    assert_eq!(begun.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_call_is_late_when_its_time_is_over_whoever_is_asked() {
    let late = async |performer: Performer| {
        let mut request = prompted("Pay.");
        request.call.class = Class::Unsafe;
        let begun = tokio::time::Instant::now();
        // It may have been done all the same, so it is no mere failure.
        assert_eq!(failure(performer.perform(request, &Context::new().0).await).0, FailureKind::Interrupted);
        begun.elapsed().as_secs()
    };
    let link = |name: &str| Link { name: name.into(), agent: Arc::new(Never) };
    let chain = || Performer::new().bind_rest(Arc::new(FallbackAgent::new(vec![link("first"), link("second")])));
    assert_eq!(late(Performer::new().bind_rest(Arc::new(Never))).await, 60);
    assert_eq!(late(chain()).await, 60);
    assert_eq!(late(chain().limit_rest(Duration::from_secs(2))).await, 2);
}

#[tokio::test(start_paused = true)]
async fn the_roles_that_nobody_was_named_for_may_be_given_less_time_too() {
    let performer = Performer::new().bind_rest(Arc::new(Never)).limit_rest(Duration::from_secs(3));
    let begun = tokio::time::Instant::now();
    assert_eq!(failure(performer.perform(prompted("Write."), &Context::new().0).await).0, FailureKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 3);
    let performer = performer.bind("writer", Arc::new(Never)).limit("writer", Duration::from_secs(2));
    let begun = tokio::time::Instant::now();
    performer.perform(prompted("Write."), &Context::new().0).await;
    assert_eq!(begun.elapsed().as_secs(), 2, "what is said of the role itself counts");
}

/// What was done when the first of two programs does this, and the second is there to stand in.
async fn check_done(class: Class, attempt: u32, first: Arc<dyn Agent>, directory: &Directory, expected: &str) {
    let done = directory.0.join("done");
    let _ = std::fs::remove_file(&done);
    let chain = FallbackAgent::new(vec![
        Link { name: "first".into(), agent: first },
        Link { name: "second".into(), agent: Arc::new(program("echo second >> done; echo paid")) },
    ]);
    let mut request = prompted("Pay.");
    (request.call.class, request.call.attempt, request.call.timeout_ms) = (class, attempt, 1000);
    let context = Context::new().0.working_in(&directory.0);
    let outcome = Performer::new().bind_rest(Arc::new(chain)).perform(request, &context).await;
    let found = std::fs::read_to_string(&done).unwrap_or_default();
    assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{class:?}, attempt {attempt}: {outcome:?}");
    assert_eq!(matches!(outcome, Outcome::Returned { .. }), expected.ends_with("second"), "{outcome:?}");
}

fn program(script: &str) -> CommandAgent {
    CommandAgent::new(["sh", "-c", script].map(String::from).to_vec())
}

#[tokio::test]
async fn what_must_not_be_done_twice_is_not_passed_on_once_it_may_have_begun() {
    let directory = Directory::new("fallback-twice");
    let crashes = || Arc::new(program("echo first >> done; kill -KILL $$"));
    let class = Class::Unsafe;
    check_done(class, 1, crashes(), &directory, "first").await;
    check_done(class, 1, Arc::new(program("echo first >> done; exec sleep 300")), &directory, "first").await;
    check_done(class, 1, fails(FailureKind::Refused), &directory, "").await;
    check_done(class, 2, fails(FailureKind::Unavailable), &directory, "").await;
    for class in [Class::Pure, Class::Reconcilable, Class::Idempotent] {
        check_done(class, 1, crashes(), &directory, "first second").await;
    }
}

#[tokio::test]
async fn what_nobody_can_have_begun_is_passed_on_whatever_it_is() {
    let directory = Directory::new("fallback-untouched");
    for class in [Class::Unsafe, Class::Reconcilable, Class::Idempotent, Class::Pure] {
        let missing = CommandAgent::new(vec!["motet-no-such-program".into()]);
        check_done(class, 2, Arc::new(missing), &directory, "second").await;
        check_done(class, 1, fails(FailureKind::Unavailable), &directory, "second").await;
        check_done(class, 2, fails(FailureKind::Configuration), &directory, "second").await;
        check_done(class, 2, fails(FailureKind::RateLimited), &directory, "second").await;
    }
}

/// Does not hear that it should stop.
struct Deaf;

impl Agent for Deaf {
    fn perform<'a>(&'a self, _request: Request, _context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_chain_is_never_booked_beyond_what_was_reserved_for_it_because_one_fell_silent() {
    let link = |name: &str, agent: Arc<dyn Agent>| Link { name: name.into(), agent };
    let paid = Outcome::Returned { result: json!("Sip"), usage: Usage { cost: Usd(50), ..TOKENS } };
    let chain = FallbackAgent::new(vec![link("deaf", Arc::new(Deaf)), link("paid", Arc::new(Always(paid)))]);
    let mut request = prompted("Write.");
    request.call.reserved = Usd(700);
    let usage = Performer::new().bind_rest(Arc::new(chain)).perform(request, &Context::new().0).await.usage();
    assert_eq!(usage, Usage { cost: Usd(700), uncertain: Usd(650), estimated: true, ..TOKENS });
}

#[tokio::test(start_paused = true)]
async fn one_that_fell_silent_is_booked_at_its_own_ceiling_and_not_at_that_of_the_chain() {
    let booked = async |silent: PricedAgent, others: [PricedAgent; 2]| {
        let others = others.map(|agent| Link { name: "other".into(), agent: Arc::new(agent) });
        let links = std::iter::once(Link { name: "silent".into(), agent: Arc::new(silent) }).chain(others);
        let mut request = prompted("Write.");
        request.call.reserved = Usd(3000);
        let chain = FallbackAgent::new(links.collect());
        let usage = Performer::new().bind_rest(Arc::new(chain)).perform(request, &Context::new().0).await.usage();
        (usage.cost, usage.uncertain)
    };
    let free = || PricedAgent::at_most(Arc::new(Always(Outcome::returned(json!("Sip")))), Usd(1000));
    assert_eq!(booked(PricedAgent::at_most(Arc::new(Deaf), Usd(1000)), [free(), free()]).await, (Usd(1000), Usd(1000)));
    let per_call = Price { call: Usd(400), ..Price::default() };
    assert_eq!(booked(PricedAgent::new(Arc::new(Deaf), per_call), [free(), free()]).await, (Usd(400), Usd(400)));
    let per_token = Price { input_per_million: Usd(3_000_000), ..Price::default() };
    assert_eq!(booked(PricedAgent::new(Arc::new(Deaf), per_token), [free(), free()]).await, (Usd(1000), Usd(1000)), "what is left of it");
    let dear = || PricedAgent::at_most(Arc::new(Always(Outcome::returned(json!("Sip")))), Usd(5000));
    assert_eq!(booked(PricedAgent::new(Arc::new(Deaf), per_token), [dear(), dear()]).await, (Usd(3000), Usd(3000)), "never nothing");
}

fn failed(kind: FailureKind, usage: Usage) -> Outcome {
    Outcome::Failed { failure: Failure { kind, message: "no luck".into() }, usage }
}

/// Has told a part of its cost when it is stopped.
struct Halfway;

impl Agent for Halfway {
    fn tells_what_it_took(&self) -> bool {
        false
    }

    fn perform<'a>(&'a self, _request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            context.stopped().await;
            failed(FailureKind::Cancelled, Usage { cost: Usd(10), ..Usage::default() })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_chain_that_is_stopped_is_doubted_link_by_link_and_not_once_more_as_a_whole() {
    let gone = failed(FailureKind::Unavailable, Usage { cost: Usd(60), ..TOKENS });
    let first = PricedAgent::at_most(Arc::new(Always(gone)), Usd(1000));
    let second = PricedAgent::at_most(Arc::new(Halfway), Usd(1000));
    let link = |name: &str, agent: PricedAgent| Link { name: name.into(), agent: Arc::new(agent) };
    let chain = FallbackAgent::new(vec![link("first", first), link("second", second)]);
    let mut request = prompted("Write.");
    request.call.reserved = Usd(2000);
    let usage = Performer::new().bind_rest(Arc::new(chain)).perform(request, &Context::new().0).await.usage();
    assert_eq!((usage.cost, usage.uncertain), (Usd(1060), Usd(990)), "60 of the first, and of the second 10 and all else that it may cost");
}

/// Tells its key in every way there is.
struct Careless;

impl Agent for Careless {
    fn perform<'a>(&'a self, _request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            for piece in ["the key is sk-0", "12345", "678", "9"] {
                context.tell(Progress::Text(piece.into()));
            }
            context.tell(Progress::Log("sk-0123456789 was sent".into()));
            context.record(motet_agents::Exchange::Tool {
                name: "sk-0123456789".into(),
                arguments: json!({ "key": "sk-0123456789" }),
                answer: "sk-0123456789".into(),
                is_error: false,
                is_relayed: false,
            });
            Outcome::failed(FailureKind::Refused, "wrong key sk-0123456789")
        })
    }
}

#[tokio::test]
async fn nothing_that_an_attempt_tells_or_keeps_holds_a_secret() {
    let performer = Performer::new().bind_rest(Arc::new(Careless)).redacting(Redactor::new([Secret::new("sk-0123456789")]));
    let (context, _stop, heard) = listening();
    let outcome = performer.perform(prompted("Write."), &context).await;
    let all = format!("{outcome:?} {:?} {:?}", context.recorded(), heard.lock().expect("no test panicked"));
    assert!(!all.contains("0123456789") && !all.contains("sk-0"), "{all}");
    assert_eq!(all.matches("[redacted]").count(), 6, "{all}");
}
