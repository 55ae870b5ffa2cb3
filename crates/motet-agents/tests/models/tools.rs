//! Models that use tools: the loop, its bounds, and what goes back to the model.

use std::sync::{Arc, Mutex};

use motet_agents::model::{ModelAgent, ModelSettings, ProviderKind};
use motet_agents::{Agent, BoxFuture, Context, Exchange, Outcome, PricedAgent, Request, Tool, ToolAnswer, Toolbox};
use motet_core::event::{Failure, FailureKind, Price, Usage};
use motet_core::units::Usd;
use motet_testkit::providers::{FakeProvider, Line, Said};
use serde_json::{Value, json};

use super::{provider, scored};
use crate::{failure, prompted, returned};

/// Two tools: one that tells the weather of a city and one that fails.
#[derive(Default)]
struct Weather {
    called: Mutex<Vec<(String, Value)>>,
}

impl Toolbox for Weather {
    fn tools<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
        let tool = move |name: &str| Tool { name: name.into(), description: "Tells the weather.".into(), parameters: parameters.clone() };
        Box::pin(async move { Ok(vec![tool("weather.now"), tool("weather.later")]) })
    }

    fn call<'a>(&'a self, name: &'a str, arguments: Value, _: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        self.called.lock().expect("no test panicked").push((name.into(), arguments.clone()));
        Box::pin(async move {
            let city = arguments["city"].as_str().unwrap_or("nowhere").to_string();
            match name {
                "weather.now" if city == "Babel" => ToolAnswer { text: "rain ".repeat(100_000), is_error: false },
                "weather.now" => ToolAnswer { text: format!("sunny in {city}"), is_error: false },
                _ => ToolAnswer { text: "nobody knows".into(), is_error: true },
            }
        })
    }
}

async fn ask(kind: ProviderKind, lines: Vec<Line>, request: Request) -> (Outcome, FakeProvider, Arc<Weather>, Vec<Exchange>) {
    let server = FakeProvider::start(lines).with_context_length(Some(131_072));
    let weather = Arc::new(Weather::default());
    let settings = ModelSettings { max_turns: 3, ..ModelSettings::new("m") };
    let agent = ModelAgent::new(provider(kind, &server), settings).expect("the settings are fine").with_tools(weather.clone());
    let (context, _stop) = Context::new();
    let outcome = agent.perform(request, &context).await;
    (outcome, server, weather, context.recorded())
}

fn uses(calls: &[(&str, Value)]) -> Line {
    Line::Says(calls.iter().fold(Said::new(""), |said, (name, arguments)| said.using(name, arguments.clone())))
}

#[tokio::test]
async fn tools_are_used_together_counted_recorded_and_answered() {
    for kind in ProviderKind::ALL {
        let both = uses(&[("weather_now", json!({"city": "Lisbon"})), ("weather_later", json!({"city": "Oslo"}))]);
        let (outcome, server, weather, recorded) = ask(kind, vec![both, Line::says("Sunny.")], prompted("Weather?")).await;
        assert_eq!(outcome.usage(), Usage { tokens_in: 52, tokens_out: 18, tool_calls: 2, ..Usage::default() }, "{kind}");
        assert_eq!(returned(outcome), json!("Sunny."), "{kind}");
        let mut called = weather.called.lock().unwrap().clone();
        called.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(
            called,
            [("weather.later".into(), json!({"city": "Oslo"})), ("weather.now".into(), json!({"city": "Lisbon"}))],
            "{kind}"
        );
        let second = server.chats()[1].body.to_string();
        assert!(second.contains("sunny in Lisbon") && second.contains("error: nobody knows"), "{kind}: {second}");
        let names: Vec<&str> = recorded
            .iter()
            .map(|exchange| match exchange {
                Exchange::Model { .. } => "model",
                Exchange::Tool { name, .. } => name,
                Exchange::Conversation { .. } => "conversation",
                Exchange::StandIn { .. } => "stand-in",
            })
            .collect();
        assert_eq!(names, ["model", "weather.now", "weather.later", "model"], "{kind}");
        let Exchange::Model { calls, .. } = &recorded[0] else { panic!("{kind}") };
        assert_eq!(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["weather_now", "weather_later"], "{kind}");
        let Exchange::Model { sent, .. } = &recorded[3] else { panic!("{kind}") };
        assert_eq!(
            sent.iter().map(|message| message.content.as_str()).collect::<Vec<_>>(),
            ["sunny in Lisbon", "error: nobody knows"],
            "{kind}"
        );
    }
}

#[tokio::test]
async fn the_turn_that_asked_for_a_tool_is_given_back_whole() {
    let lines = || vec![uses(&[("weather_now", json!({"city": "Lisbon"}))]), Line::says("Sunny.")];
    let (_, server, _, _) = ask(ProviderKind::OpenAi, lines(), prompted("Weather?")).await;
    let messages = &server.chats()[1].body["messages"];
    assert_eq!(messages[1]["tool_calls"][0]["id"], "call_1");
    assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": "call_1", "content": "sunny in Lisbon"}));
    let (_, server, _, _) = ask(ProviderKind::Anthropic, lines(), prompted("Weather?")).await;
    let messages = &server.chats()[1].body["messages"];
    assert_eq!(messages[1]["content"][0]["type"], "tool_use");
    assert_eq!((&messages[2]["content"][0]["type"], &messages[2]["content"][0]["tool_use_id"]), (&json!("tool_result"), &json!("call_1")));
    // Gemini refuses a turn whose signature is lost.
    let (_, server, _, _) = ask(ProviderKind::Gemini, lines(), prompted("Weather?")).await;
    assert_eq!(server.chats()[1].body["contents"][1]["parts"][0]["thoughtSignature"], "c2ln");
}

#[tokio::test]
async fn an_unknown_tool_is_told_to_the_model() {
    for kind in ProviderKind::ALL {
        let lines = vec![uses(&[("moon_phase", json!({}))]), Line::says("I do not know.")];
        let (outcome, server, weather, _) = ask(kind, lines, prompted("Moon?")).await;
        assert_eq!(returned(outcome), json!("I do not know."), "{kind}");
        let told = server.chats()[1].body.to_string();
        assert!(told.contains("there is no tool `moon_phase`: there are weather_later, weather_now"), "{kind}: {told}");
        assert!(weather.called.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_model_that_never_stops_using_tools_is_stopped() {
    for kind in ProviderKind::ALL {
        let (outcome, server, weather, _) =
            ask(kind, vec![uses(&[("weather_now", json!({"city": "Lisbon"}))])], prompted("Weather?")).await;
        assert_eq!(outcome.usage().tool_calls, 3, "{kind}");
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::Reported, "{kind}");
        assert!(message.contains("used tools 3 times") && message.contains("fewer tools"), "{kind}: {message}");
        assert_eq!((server.chats().len(), weather.called.lock().unwrap().len()), (4, 3), "{kind}");
    }
}

#[tokio::test]
async fn an_answer_with_a_shape_is_checked_after_tools_too() {
    for kind in ProviderKind::ALL {
        let lines = vec![uses(&[("weather_now", json!({"city": "Lisbon"}))]), Line::says("Nine."), Line::says(r#"{"score": 9}"#)];
        let (outcome, server, _, _) = ask(kind, lines, Request { schema: Some(scored()), ..prompted("Judge.") }).await;
        assert_eq!(returned(outcome), json!({"score": 9}), "{kind}");
        assert_eq!(server.chats().len(), 3, "{kind}");
    }
}

#[tokio::test]
async fn a_correction_does_not_give_a_model_more_turns_with_its_tools() {
    let weather = || uses(&[("weather_now", json!({"city": "Lisbon"}))]);
    let lines = vec![weather(), weather(), Line::says("Nine."), weather(), weather()];
    let request = Request { schema: Some(scored()), ..prompted("Judge.") };
    let (outcome, server, _, _) = ask(ProviderKind::OpenAi, lines, request).await;
    assert!(failure(outcome).1.contains("used tools 3 times"));
    assert_eq!(server.chats().len(), 5);
}

#[tokio::test]
async fn what_tools_say_is_cut_at_what_was_reserved_for_them_and_the_model_is_told() {
    for kind in ProviderKind::ALL {
        let babel = || uses(&[("weather_now", json!({"city": "Babel"})), ("weather_now", json!({"city": "Oslo"}))]);
        // Counts that are plausible for so long a conversation; lower ones would mean that it was cut.
        let long = |line: Line| match line {
            Line::Says(said) => Line::Says(said.counted(20_000, 9)),
            other => other,
        };
        let lines = vec![babel(), long(babel()), long(Line::says("Rain."))];
        let (outcome, server, _, recorded) = ask(kind, lines, prompted("Weather?")).await;
        assert_eq!(returned(outcome), json!("Rain."), "{kind}");
        let last = server.chats()[2].body.to_string();
        assert!(last.contains("of 500000 characters; ask for less at a time"), "{kind}");
        assert!(last.contains("sunny in Oslo"), "{kind}: a short answer is given whole beside a long one");
        assert!(last.contains("the tools have said all that this task has room for"), "{kind}");
        let said: u64 = recorded
            .iter()
            .map(|exchange| match exchange {
                Exchange::Tool { answer, .. } => motet_core::tokens::at_most(answer),
                _ => 0,
            })
            .sum();
        assert!((20_000..=motet_core::tokens::OF_TOOLS).contains(&said), "{kind} {said}");
    }
}

/// A box of so many tools, with long descriptions.
struct Crowd(usize);

impl Toolbox for Crowd {
    fn tools<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        let tool =
            |number| Tool { name: format!("tool_{number}"), description: "word ".repeat(400), parameters: json!({"type": "object"}) };
        Box::pin(async move { Ok((0..self.0).map(tool).collect()) })
    }

    fn call<'a>(&'a self, _: &'a str, _: Value, _: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(async { ToolAnswer { text: "done".into(), is_error: false } })
    }
}

#[tokio::test]
async fn more_tools_than_there_is_room_for_are_refused_before_anything_is_sent() {
    let server = FakeProvider::start([Line::says("Tea")]);
    let agent = |tools: usize| {
        let agent = ModelAgent::new(provider(ProviderKind::OpenAi, &server), ModelSettings::new("m")).unwrap();
        agent.with_tools(Arc::new(Crowd(tools)))
    };
    assert_eq!(returned(agent(20).perform(prompted("Write."), &Context::new().0).await), json!("Tea"));
    let (kind, message) = failure(agent(40).perform(prompted("Write."), &Context::new().0).await);
    assert_eq!(kind, FailureKind::Configuration);
    assert!(message.contains("its 40 tools take up to") && message.contains("give it fewer"), "{message}");
    assert_eq!(server.chats().len(), 1);
}

/// One tool, for one task.
struct Moon;

impl Toolbox for Moon {
    fn tools<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        let tool = Tool { name: "moon.phase".into(), description: "Tells it.".into(), parameters: json!({"type": "object"}) };
        Box::pin(async move { Ok(vec![tool]) })
    }

    fn call<'a>(&'a self, name: &'a str, _: Value, _: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(async move { ToolAnswer { text: format!("{name}: full"), is_error: false } })
    }
}

#[tokio::test]
async fn tools_of_the_task_are_offered_beside_those_of_the_role() {
    for kind in ProviderKind::ALL {
        let server =
            FakeProvider::start([uses(&[("moon_phase", json!({})), ("weather_now", json!({"city": "Oslo"}))]), Line::says("Full.")]);
        let agent = ModelAgent::new(provider(kind, &server), ModelSettings::new("m")).expect("the settings are fine");
        let agent = agent.with_tools(Arc::new(Weather::default()));
        let context = Context::new().0.offering(Arc::new(Moon));
        let outcome = agent.perform(prompted("Moon?"), &context).await;
        assert_eq!((outcome.usage().tool_calls, returned(outcome)), (2, json!("Full.")), "{kind}");
        let told = server.chats()[1].body.to_string();
        assert!(told.contains("moon.phase: full") && told.contains("sunny in Oslo"), "{kind}: {told}");
        // Nobody else is offered them: the next attempt has those of the role alone.
        let server = FakeProvider::start([Line::says("None.")]);
        let agent = ModelAgent::new(provider(kind, &server), ModelSettings::new("m")).expect("the settings are fine");
        agent.perform(prompted("Moon?"), &Context::new().0).await;
        assert!(!server.chats()[0].body.to_string().contains("moon_phase"), "{kind}");
    }
}

#[tokio::test]
async fn a_model_whose_money_is_nearly_spent_uses_no_more_tools() {
    let lines =
        |last: Line| vec![uses(&[("weather_now", json!({"city": "Oslo"}))]), uses(&[("weather_now", json!({"city": "Rome"}))]), last];
    let ask = async |last: Line| {
        let server = FakeProvider::start(lines(last));
        let weather = Arc::new(Weather::default());
        let agent = ModelAgent::new(provider(ProviderKind::OpenAi, &server), ModelSettings::new("m")).expect("the settings are fine");
        let price = Price { output_per_million: Usd(1_000_000), ..Price::default() };
        let agent = PricedAgent::new(Arc::new(agent.with_tools(weather.clone())), price);
        let mut request = prompted("Weather?");
        // Three whole answers of 4096 tokens must be left after a tool was used: that is so once, and not twice.
        request.call.reserved = Usd(3 * 4096 + 12);
        let outcome = agent.perform(request, &Context::new().0).await;
        let called = weather.called.lock().unwrap().len();
        (outcome, called, server)
    };
    let (outcome, called, server) = ask(Line::says("Rainy.")).await;
    assert_eq!((returned(outcome), called), (json!("Rainy."), 1));
    assert!(server.chats()[2].body.to_string().contains("you may use no more tools"));
    let (outcome, called, _) = ask(uses(&[("weather_now", json!({"city": "Bonn"}))])).await;
    let (kind, message) = failure(outcome);
    assert!(kind == FailureKind::Reported && message.contains("goes on using tools"), "{message}");
    assert_eq!(called, 1);
}

#[tokio::test]
async fn a_model_that_cannot_use_tools_is_asked_without_those_of_the_task_and_not_without_those_of_its_role() {
    let refuses = || {
        let body = r#"{"error": "registry.ollama.ai/library/m does not support tools"}"#;
        vec![Line::Answers(400, vec![("content-type".into(), "application/json".into())], body.into()), Line::says("Done.")]
    };
    let server = FakeProvider::start(refuses());
    let agent = ModelAgent::new(provider(ProviderKind::Ollama, &server), ModelSettings::new("m")).expect("the settings are fine");
    let outcome = agent.perform(prompted("Moon?"), &Context::new().0.offering(Arc::new(Moon))).await;
    assert_eq!(returned(outcome), json!("Done."));
    assert!(!server.chats()[1].body.to_string().contains("moon_phase"));
    let (outcome, server, _, _) = ask(ProviderKind::Ollama, refuses(), prompted("Weather?")).await;
    assert!(failure(outcome).1.contains("does not support tools"));
    assert_eq!(server.chats().len(), 1);
}

#[tokio::test]
async fn a_failure_that_only_mentions_tools_is_a_failure() {
    for (status, words) in [(500, "the tool runner does not support this today"), (400, "too many tools were sent"), (403, "tool quota")] {
        let body = json!({ "error": words }).to_string();
        let fails =
            Line::Answers(status, vec![("content-type".into(), "application/json".into()), ("retry-after".into(), "9999".into())], body);
        let server = FakeProvider::start([fails, Line::says("Done.")]);
        let agent = ModelAgent::new(provider(ProviderKind::Ollama, &server), ModelSettings::new("m")).expect("the settings are fine");
        let outcome = agent.perform(prompted("Moon?"), &Context::new().0.offering(Arc::new(Moon))).await;
        assert!(failure(outcome).1.contains("tool"), "{status}");
        assert_eq!(server.chats().len(), 1, "{status}: it is not paid for twice");
    }
}
