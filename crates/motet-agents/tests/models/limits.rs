//! A limited call waits and is never dropped: alone, in a storm, and with a server that says how long.

use std::sync::Arc;
use std::time::Duration;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, Context, FallbackAgent, Link, Outcome, Performer, Progress, StopReason};
use motet_core::event::{FailureKind, Usage};
use motet_testkit::providers::{FakeProvider, Fault, Line, Said};
use serde_json::json;

use super::{agent, provider};
use crate::{failure, listening, prompted, returned};

/// Calls the provider this often at the same time, each call with an agent of its own, as runs have.
async fn fan_out(calls: usize, make: impl Fn() -> ModelAgent) -> Vec<Outcome> {
    let running: Vec<_> = (0..calls)
        .map(|_| {
            let agent = make();
            tokio::spawn(async move { agent.perform(prompted("Write."), &Context::new().0).await })
        })
        .collect();
    let mut outcomes = Vec::new();
    for one in running {
        outcomes.push(one.await.expect("no call panics"));
    }
    outcomes
}

#[tokio::test]
async fn two_hundred_calls_to_a_server_that_takes_five_at_a_time_all_succeed() {
    let server = FakeProvider::start([Line::says("Tea")]).allowing(5, Duration::from_millis(50), Some("0.05"));
    let outcomes = fan_out(200, || agent(ProviderKind::OpenAiCompatible, &server)).await;
    assert_eq!(outcomes.into_iter().map(returned).filter(|result| *result == json!("Tea")).count(), 200);
    let (answered, refused) = server.counts();
    assert_eq!(answered, 200);
    assert!(refused > 0, "the server was never too busy, so this proves nothing");
    assert_eq!(agent(ProviderKind::OpenAiCompatible, &server).governor().under_way(), 0);
}

#[tokio::test]
async fn a_call_waits_as_long_as_the_server_asks_and_says_that_it_waits() {
    for kind in ProviderKind::ALL {
        for fault in [Fault::TooMany, Fault::Busy, Fault::Overloaded].map(|fault| fault(Some("0.2".into()))) {
            let server = FakeProvider::start([Line::Fails(fault), Line::says("Tea")]);
            let (context, _stop, heard) = listening();
            assert_eq!(returned(agent(kind, &server).perform(prompted("Write."), &context).await), json!("Tea"), "{kind}");
            let waited = heard
                .lock()
                .unwrap()
                .iter()
                .any(|heard| matches!(heard, Progress::HeldUp { line, .. } if line.contains("takes no calls for 0.")));
            assert!(waited, "{kind} {:?}", heard.lock().unwrap());
            assert_eq!(server.chats().len(), 2);
        }
    }
}

#[tokio::test]
async fn a_server_that_is_overloaded_without_saying_for_how_long_is_tried_again() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Fails(Fault::Overloaded(None)), Line::says("Tea")]);
        assert_eq!(returned(agent(kind, &server).perform(prompted("Write."), &Context::new().0).await), json!("Tea"), "{kind}");
    }
}

/// The same through a performer, whose limit is shorter than all of it takes.
#[tokio::test]
async fn a_fan_out_that_lasts_longer_than_a_call_may_take_succeeds_all_the_same() {
    let server = FakeProvider::start([Line::says("Tea")]).allowing(5, Duration::from_millis(400), Some("0.4"));
    let performer = Performer::new().bind_rest(Arc::new(agent(ProviderKind::OpenAiCompatible, &server)));
    let calls = (0..50).map(|_| {
        let performer = performer.clone();
        tokio::spawn(async move {
            let mut request = prompted("Write.");
            request.call.timeout_ms = 1500;
            let (context, _stop) = Context::new();
            (performer.perform(request, &context).await, context.delay().so_far())
        })
    });
    let (mut answers, mut longest) = (0, Duration::ZERO);
    for call in calls.collect::<Vec<_>>() {
        let (outcome, delay) = call.await.expect("no call panics");
        answers += usize::from(returned(outcome) == json!("Tea"));
        longest = longest.max(delay);
    }
    assert_eq!((answers, server.counts().0), (50, 50));
    assert!(longest > Duration::from_millis(1500), "no call waited longer than it may take, so this proves nothing: {longest:?}");
}

#[tokio::test]
async fn a_pause_that_is_longer_than_a_call_may_take_is_waited_for() {
    let server = FakeProvider::start([Line::Fails(Fault::TooMany(Some("1.2".into()))), Line::says("Tea")]);
    let performer = Performer::new().bind_rest(Arc::new(agent(ProviderKind::OpenAi, &server)));
    let mut request = prompted("Write.");
    request.call.timeout_ms = 700;
    assert_eq!(returned(performer.perform(request, &Context::new().0).await), json!("Tea"));
    assert_eq!(server.chats().len(), 2);
}

#[tokio::test]
async fn whoever_waits_can_be_stopped() {
    let server = FakeProvider::start([Line::Fails(Fault::TooMany(Some("3600".into())))]);
    let performer = Performer::new().bind_rest(Arc::new(agent(ProviderKind::Anthropic, &server)));
    let (context, stop, heard) = listening();
    let (outcome, ()) = tokio::join!(performer.perform(prompted("Write."), &context), async {
        while !heard.lock().unwrap().iter().any(|heard| matches!(heard, Progress::HeldUp { lasts: Some(_), .. })) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.stop(StopReason::Cancelled);
    });
    assert_eq!((outcome.usage(), failure(outcome).0), (Usage::default(), FailureKind::Cancelled));
}

#[tokio::test]
async fn where_somebody_else_can_answer_nobody_waits_for_long() {
    for (wait, told) in
        [("3600", "it asks to wait 3600 s"), ("30", "it asks to wait 30 s"), ("Fri, 31 Dec 2100 23:59:59 GMT", "it asks to wait 86400 s")]
    {
        let limited = FakeProvider::start([Line::Fails(Fault::TooMany(Some(wait.into())))]);
        let other = FakeProvider::start([Line::says("Tea")]);
        let link = |name: &str, server| Link { name: name.into(), agent: Arc::new(agent(ProviderKind::Anthropic, server)) };
        let chain = FallbackAgent::new(vec![link("limited", &limited), link("other", &other)]);
        let (context, _stop, heard) = listening();
        for _ in 0..2 {
            assert_eq!(returned(chain.perform(prompted("Write."), &context).await), json!("Tea"));
        }
        assert_eq!(limited.chats().len(), 1, "the second call knows of the pause and does not ask");
        let heard = format!("{:?}", heard.lock().unwrap());
        assert!(heard.contains(told) && heard.contains("the call may not take that long"), "{heard}");
    }
}

#[tokio::test]
async fn a_server_that_had_no_time_is_asked_again_when_it_says_so() {
    let busy = Line::Answers(408, vec![("retry-after".into(), "0.1".into())], "{}".into());
    let server = FakeProvider::start([busy, Line::says("Tea")]);
    assert_eq!(returned(agent(ProviderKind::OpenAi, &server).perform(prompted("Write."), &Context::new().0).await), json!("Tea"));
    assert_eq!(server.chats().len(), 2);
}

#[tokio::test]
async fn a_pause_that_one_call_was_told_holds_for_all() {
    let server = FakeProvider::start([Line::Fails(Fault::TooMany(Some("0.3".into()))), Line::says("Tea")]);
    let first = tokio::spawn({
        let agent = agent(ProviderKind::OpenAi, &server);
        async move { agent.perform(prompted("Write."), &Context::new().0).await }
    });
    while server.chats().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let (context, _stop, heard) = listening();
    returned(agent(ProviderKind::OpenAi, &server).perform(prompted("Write."), &context).await);
    assert!(
        matches!(&heard.lock().unwrap()[0], Progress::HeldUp { line, .. } if line.contains("takes no calls")),
        "{:?}",
        heard.lock().unwrap()
    );
    returned(first.await.unwrap());
}

#[tokio::test]
async fn no_more_calls_are_under_way_than_the_configuration_allows() {
    let server = FakeProvider::start([Line::says("Tea")]);
    let narrow = || Provider { concurrency: Some(3), ..provider(ProviderKind::Gemini, &server) };
    let outcomes = fan_out(30, || ModelAgent::new(narrow(), ModelSettings::new("m")).unwrap()).await;
    assert_eq!(outcomes.into_iter().map(returned).count(), 30);
    assert!((1..=3).contains(&server.most_under_way()), "{}", server.most_under_way());
}

#[tokio::test]
async fn what_a_successful_answer_says_about_limits_is_heard() {
    let server = FakeProvider::start([Line::says("Tea")])
        .with_header("x-ratelimit-remaining-requests", "0")
        .with_header("x-ratelimit-reset-requests", "200ms");
    let agent = agent(ProviderKind::OpenAi, &server);
    returned(agent.perform(prompted("Write."), &Context::new().0).await);
    let (context, _stop, heard) = listening();
    returned(agent.perform(prompted("Write."), &context).await);
    assert!(
        matches!(&heard.lock().unwrap()[0], Progress::HeldUp { line, .. } if line.contains("takes no calls")),
        "{:?}",
        heard.lock().unwrap()
    );
}

#[tokio::test]
async fn agents_of_the_same_server_share_their_connections() {
    let server = FakeProvider::start([Line::says("Tea")]);
    for kind in ProviderKind::ALL {
        for _ in 0..5 {
            returned(agent(kind, &server).perform(prompted("Write."), &Context::new().0).await);
        }
    }
    // A connection whose last bytes were not read in time is not used again, so that there may be more than one.
    assert!(server.connections() < 15, "{} connections for 25 calls, one after the other", server.connections());
}

#[tokio::test]
async fn a_server_that_is_still_loading_its_model_is_waited_for() {
    let server = FakeProvider::start([Line::Fails(Fault::Loading), Line::Says(Said::new("Tea").like_llama_cpp())]);
    let outcome = agent(ProviderKind::OpenAiCompatible, &server).perform(prompted("Write."), &Context::new().0).await;
    assert_eq!(outcome.usage(), Usage { tokens_in: 26, tokens_out: 9, ..Usage::default() });
    assert_eq!(returned(outcome), json!("Tea"));
    assert_eq!(server.chats().len(), 2);
}

#[tokio::test]
async fn an_answer_that_had_begun_is_not_asked_for_again_by_itself_because_it_was_paid_for() {
    let piece = r#"{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"content": "Tea"}}]}"#;
    let overloaded = r#"{"error": {"message": "Overloaded", "type": "overloaded_error", "code": null}}"#;
    let server = FakeProvider::start([Line::Raw(format!("data: {piece}\n\ndata: {overloaded}\n\n")), Line::says("Tea for all")]);
    let outcome = agent(ProviderKind::OpenAiCompatible, &server).perform(prompted("Write."), &Context::new().0).await;
    assert!(outcome.usage().estimated, "{outcome:?}");
    assert_eq!(failure(outcome).0, FailureKind::RateLimited);
    assert_eq!(server.chats().len(), 1);
}
