//! What a call takes when nobody says so: counted by us, marked as an estimate, and booked as uncertain where it may have been paid.

use std::sync::Arc;
use std::time::Duration;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, Context, Exchange, Outcome, Performer, PricedAgent, Request, StopReason};
use motet_core::event::{FailureKind, Price, Usage};
use motet_core::units::Usd;
use motet_testkit::providers::{FakeProvider, Fault, Line, Said};

use super::{agent, provider};
use crate::{failure, prompted};

/// A millionth of a dollar for a token that is read, two for one that is written.
fn price() -> Price {
    Price { input_per_million: Usd(1_000_000), output_per_million: Usd(2_000_000), ..Price::default() }
}

fn asking() -> Request {
    let mut request = prompted(&"word ".repeat(80));
    request.call.model.max_tokens = Some(300);
    request
}

/// What a paid agent books for this line, and the last of what it puts on record.
async fn booked(kind: ProviderKind, line: Line) -> (Outcome, Vec<Exchange>) {
    let server = FakeProvider::start([line]);
    let impatient = Provider { request_timeout: Duration::from_millis(300), ..provider(kind, &server) };
    let agent = ModelAgent::new(impatient, ModelSettings::new("gemma2:2b")).expect("the settings are fine");
    let (context, _stop) = Context::new();
    let outcome = PricedAgent::new(Arc::new(agent), price()).perform(asking(), &context).await;
    (outcome, context.recorded())
}

fn recorded_usage(recorded: &[Exchange]) -> Usage {
    match recorded {
        [Exchange::Model { usage, .. }] => *usage,
        other => panic!("one exchange should be on record: {other:?}"),
    }
}

#[tokio::test]
async fn an_answer_that_was_counted_is_certain() {
    for kind in ProviderKind::ALL {
        let (outcome, recorded) = booked(kind, Line::Says(Said::new("Tea").counted(100, 10))).await;
        let usage = Usage { tokens_in: 100, tokens_out: 10, cost: Usd(120), ..Usage::default() };
        assert_eq!((outcome.usage(), recorded_usage(&recorded)), (usage, usage), "{kind}");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_counted_is_counted_by_us_and_marked() {
    for kind in ProviderKind::ALL {
        let (outcome, recorded) = booked(kind, Line::Says(Said::new("twelve bytes").uncounted())).await;
        let usage = outcome.usage();
        assert!((90..=120).contains(&usage.tokens_in) && (2..=4).contains(&usage.tokens_out), "{kind} {usage:?}");
        assert_eq!((usage.estimated, usage.uncertain), (true, Usd::ZERO), "{kind}: it was answered, so that it is not in doubt");
        assert_eq!(usage.cost, price().of(usage.tokens_in, usage.tokens_out), "{kind}");
        assert_eq!(recorded_usage(&recorded), usage, "{kind}");
    }
}

#[tokio::test]
async fn a_count_of_zero_is_no_count() {
    for kind in ProviderKind::ALL {
        let (outcome, _) = booked(kind, Line::Says(Said::new("twelve bytes").counted(0, 0))).await;
        assert!(outcome.usage().tokens_in >= 90 && outcome.usage().tokens_out >= 2 && outcome.usage().estimated, "{kind} {outcome:?}");
    }
}

#[tokio::test]
async fn thoughts_that_nobody_counted_are_counted_like_the_answer() {
    for kind in ProviderKind::ALL {
        let said = Said::new("Tea").thinking("thinking aloud ".repeat(20)).uncounted();
        let (outcome, _) = booked(kind, Line::Says(said)).await;
        assert!(outcome.usage().tokens_out >= 75, "{kind} {:?}", outcome.usage());
    }
}

#[tokio::test]
async fn a_call_that_broke_off_is_shown_as_it_was_heard_and_uncertain_at_its_worst() {
    for line in [Line::Cuts, Line::EndsEarly, Line::Garbles, Line::GivesUp, Line::Stalls] {
        for kind in ProviderKind::ALL {
            let (outcome, recorded) = booked(kind, line.clone()).await;
            let usage = outcome.usage();
            assert!((90..=120).contains(&usage.tokens_in) && usage.tokens_out < 10, "{kind} {line:?} {usage:?}");
            // The server may have written on to the end, which is two millionths for each of 300 tokens.
            assert!(usage.estimated && usage.uncertain == usage.cost && usage.cost > Usd(600 + 100), "{kind} {line:?} {usage:?}");
            assert_eq!(recorded_usage(&recorded), usage, "{kind} {line:?}");
        }
    }
}

#[tokio::test]
async fn a_call_of_which_nothing_was_heard_is_uncertain_at_its_worst() {
    for kind in ProviderKind::ALL {
        for line in [Line::Silent, Line::Fails(Fault::TookTooLong)] {
            let (outcome, recorded) = booked(kind, line.clone()).await;
            let usage = outcome.usage();
            assert_eq!((usage.tokens_out, usage.estimated), (0, true), "{kind} {line:?}");
            // All that it may write, at two millionths, and more than the prompt probably has.
            assert!(usage.uncertain == usage.cost && usage.cost > Usd(600 + 100), "{kind} {line:?} {usage:?}");
            assert_eq!(recorded_usage(&recorded), usage, "{kind} {line:?}");
            assert_eq!(failure(outcome).0, FailureKind::Timeout, "{kind} {line:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_was_refused_costs_nothing_and_is_on_record() {
    for fault in [Fault::Unauthorised, Fault::NoSuchModel, Fault::TooLong, Fault::OutOfMoney, Fault::Broken, Fault::Busy(None)] {
        for kind in ProviderKind::ALL {
            let (outcome, recorded) = booked(kind, Line::Fails(fault.clone())).await;
            assert_eq!((outcome.usage(), recorded_usage(&recorded)), (Usage::default(), Usage::default()), "{kind} {fault:?}");
            let [Exchange::Model { sent, answer, finish, .. }] = &recorded[..] else { panic!("{kind} {fault:?} {recorded:?}") };
            assert!(sent.len() == 1 && answer.is_empty() && finish.starts_with("failed: "), "{kind} {fault:?} {recorded:?}");
        }
    }
}

/// What a model books that nobody has priced, and for whose call so much was reserved.
async fn booked_unpriced(line: Line, wrap: impl Fn(Arc<dyn Agent>) -> Arc<dyn Agent>) -> Usage {
    let server = FakeProvider::start([line]);
    let impatient = Provider { request_timeout: Duration::from_millis(300), ..provider(ProviderKind::OpenAi, &server) };
    let agent = wrap(Arc::new(ModelAgent::new(impatient, ModelSettings::new("m")).expect("the settings are fine")));
    let mut request = asking();
    request.call.reserved = Usd(700);
    Performer::new().bind_rest(agent).perform(request, &Context::new().0).await.usage()
}

#[tokio::test]
async fn a_model_without_a_price_books_what_its_call_may_cost_at_most_and_one_that_is_free_nothing() {
    let said = || Line::Says(Said::new("Tea").counted(100, 10));
    let counted = Usage { tokens_in: 100, tokens_out: 10, ..Usage::default() };
    let ceiling = |agent| Arc::new(PricedAgent::at_most(agent, Usd(300))) as Arc<dyn Agent>;
    assert_eq!(booked_unpriced(said(), |agent| agent).await, Usage { cost: Usd(700), uncertain: Usd(700), ..counted });
    assert_eq!(booked_unpriced(said(), ceiling).await, Usage { cost: Usd(300), uncertain: Usd(300), ..counted });
    assert_eq!(booked_unpriced(said(), |agent| Arc::new(PricedAgent::new(agent, Price::default()))).await, counted);
    assert_eq!(booked_unpriced(Line::Cuts, ceiling).await.uncertain, Usd(300), "what broke off may have been paid for");
    assert_eq!(booked_unpriced(Line::Fails(Fault::Broken), ceiling).await, Usage::default(), "what was refused was not");
}

#[tokio::test]
async fn a_server_that_was_never_reached_costs_nothing() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let provider = Provider::at(ProviderKind::OpenAiCompatible, &address).unwrap();
    let agent = ModelAgent::new(provider, ModelSettings::new("m")).unwrap();
    let outcome = PricedAgent::new(Arc::new(agent), price()).perform(asking(), &Context::new().0).await;
    assert_eq!(outcome.usage(), Usage::default());
}

#[tokio::test]
async fn a_call_that_is_stopped_in_its_answer_is_uncertain_and_one_that_had_not_begun_is_nothing() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Stalls]);
        let (context, stop) = Context::new();
        let agent = PricedAgent::new(Arc::new(agent(kind, &server)), price());
        let (outcome, ()) = tokio::join!(agent.perform(asking(), &context), async {
            while server.chats().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            stop.stop(StopReason::Cancelled);
        });
        let usage = outcome.usage();
        assert!(usage.uncertain > Usd::ZERO && usage.uncertain == usage.cost && usage.estimated, "{kind} {usage:?}");
        assert_eq!(failure(outcome).0, FailureKind::Cancelled, "{kind}");
        assert_eq!(recorded_usage(&context.recorded()), usage, "{kind}");
        // The same context is still stopped.
        assert_eq!(agent.perform(asking(), &context).await.usage(), Usage::default(), "{kind}");
    }
}

#[tokio::test]
async fn what_was_answered_before_a_call_broke_off_stays_certain() {
    let server = FakeProvider::start([Line::Says(Said::new("Nine.").counted(100, 10)), Line::Cuts]);
    let request = Request { schema: Some(super::scored()), ..asking() };
    let agent = PricedAgent::new(Arc::new(agent(ProviderKind::OpenAi, &server)), price());
    let usage = agent.perform(request, &Context::new().0).await.usage();
    assert_eq!(usage.cost.saturating_sub(usage.uncertain), Usd(120));
    assert!(usage.uncertain >= Usd(90) && usage.estimated, "{usage:?}");
}
