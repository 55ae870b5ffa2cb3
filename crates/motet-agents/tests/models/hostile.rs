//! Servers that say one thing and mean another: half a call of a tool, a busy server that writes of context windows, answers without end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, BoxFuture, Context, Exchange, Progress, Redactor, Secret, Tool, ToolAnswer, Toolbox};
use motet_core::event::{Failure, FailureKind, Usage};
use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use serde_json::{Value, json};

use super::{agent, ask_each, provider};
use crate::{failure, listening, prompted, returned};

const SECRET: &str = "mcp-secret-0123456789";

/// A tool that writes files, and tells its server's secret to whoever lists it.
#[derive(Default)]
struct Writing(Mutex<Vec<Value>>);

impl Toolbox for Writing {
    fn tools<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        let parameters = json!({"type": "object", "properties": {"path": {"type": "string", "default": format!("/home?key={SECRET}")}}});
        let tool = Tool { name: "files.write".into(), description: format!("Writes with {SECRET}."), parameters };
        Box::pin(async move { Ok(vec![tool]) })
    }

    fn call<'a>(&'a self, _: &'a str, arguments: Value, _: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        self.0.lock().expect("no test panicked").push(arguments);
        Box::pin(async { ToolAnswer { text: "written".into(), is_error: false } })
    }
}

fn chunk(delta: Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    let chunk = json!({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]});
    format!("data: {chunk}\n\n")
}

#[tokio::test]
async fn a_tool_is_not_called_with_arguments_that_the_model_never_finished() {
    let half = r#"{"path": "/home/x", "content": "first hal"#;
    let call =
        json!({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "files_write", "arguments": half}}]});
    let stream = format!("{}{}data: [DONE]\n\n", chunk(call, None), chunk(json!({}), Some("tool_calls")));
    let server = FakeProvider::start([Line::Raw(stream), Line::says("Done.")]);
    let writing = Arc::new(Writing::default());
    let agent = ModelAgent::new(provider(ProviderKind::OpenAiCompatible, &server), ModelSettings::new("m")).unwrap();
    let (context, _stop) = Context::new();
    let outcome = agent.with_tools(writing.clone()).perform(prompted("Write."), &context).await;
    assert_eq!((outcome.usage().tool_calls, returned(outcome)), (0, json!("Done.")));
    assert_eq!(*writing.0.lock().unwrap(), Vec::<Value>::new(), "the file would have been half written");
    let told = server.chats()[1].body["messages"].to_string();
    assert!(told.contains("error: your arguments are not JSON: ") && told.contains("first hal"), "{told}");
    let recorded = context.recorded();
    let Exchange::Tool { arguments, is_error: true, .. } = &recorded[1] else { panic!("{recorded:?}") };
    assert_eq!(arguments, half);
}

#[tokio::test]
async fn no_provider_is_told_a_secret_that_stands_in_the_description_of_a_tool() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::says("Done.")]);
        let agent = ModelAgent::new(provider(kind, &server), ModelSettings::new("m")).unwrap().with_tools(Arc::new(Writing::default()));
        let context = Context::new().0.redacting(Redactor::new([Secret::new(SECRET)]));
        returned(agent.perform(prompted("Write."), &context).await);
        let sent = server.chats()[0].body.to_string();
        assert!(sent.contains("Writes with [redacted].") && !sent.contains(SECRET), "{kind}: {sent}");
    }
}

fn refuses(status: u16, message: &str, code: Option<&str>) -> Line {
    let body = json!({"error": {"message": message, "type": "x", "code": code}}).to_string();
    Line::Answers(status, vec![("content-type".into(), "application/json".into())], body)
}

/// The kind of failure that each provider makes of it.
async fn check(line: Line, kind: FailureKind, told: &str) {
    for (provider, _server, outcome) in ask_each(&line, &prompted("Write.")).await {
        let (found, message) = failure(outcome);
        assert_eq!(found, kind, "{provider}: {message}");
        assert!(message.contains(told), "{provider}: `{message}` does not say `{told}`");
    }
}

#[tokio::test]
async fn words_do_not_make_a_passing_trouble_a_lasting_one() {
    check(refuses(500, "content filter service is down, please retry", None), FailureKind::Unavailable, "it may pass").await;
    check(refuses(502, "context window of the upstream closed", None), FailureKind::Unavailable, "(502)").await;
    // And codes do, whatever the words say.
    check(refuses(500, "sorry", Some("context_length_exceeded")), FailureKind::Configuration, "too long").await;
    check(refuses(400, "the context window is full of it", Some("content_filter")), FailureKind::Refused, "refused to answer").await;
}

#[tokio::test]
async fn a_busy_server_that_writes_of_context_windows_is_waited_for() {
    let words = "Rate limit reached. Try a smaller context window or slow down. Please try again in 2s.";
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([refuses(429, words, None), Line::says("Tea")]);
        let (context, _stop, heard) = listening();
        assert_eq!(returned(agent(kind, &server).perform(prompted("Write."), &context).await), json!("Tea"), "{kind}");
        let heard = heard.lock().unwrap();
        let is_told = |heard: &Progress| matches!(heard, Progress::HeldUp { line, .. } if line.contains("s: Rate limit reached. Try a"));
        assert!(heard.iter().any(is_told), "{kind}: {heard:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_never_taken_is_not_waited_for() {
    let too_large = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45120. The input or output tokens must be reduced in order to run successfully.";
    check(refuses(429, too_large, Some("rate_limit_exceeded")), FailureKind::Configuration, "however long we wait").await;
    let none = "Quota exceeded for metric: free_tier_requests, limit: 0, model: m\nPlease retry in 4s.";
    check(refuses(429, none, None), FailureKind::Configuration, "limit: 0").await;
}

#[tokio::test]
async fn a_malformed_stream_is_no_refusal() {
    let stream =
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    let server = FakeProvider::start([Line::Raw(stream.into())]);
    let (kind, message) = failure(agent(ProviderKind::Anthropic, &server).perform(prompted("Write."), &Context::new().0).await);
    assert_eq!(kind, FailureKind::Unavailable, "{message}");
    assert!(message.contains("names no block index") && message.contains("a server of the kind `anthropic`"), "{message}");
}

#[tokio::test]
async fn a_server_that_sends_us_elsewhere_is_told_with_where_to() {
    let moved = |to: &str| Line::Answers(302, vec![("location".into(), to.into())], String::new());
    let line = moved("https://me:pass@login.example/sso?key=sk-1");
    check(line, FailureKind::Configuration, "(302), to https://login.example/sso — if that is the server that you mean, let ").await;
    check(Line::Answers(308, vec![], String::new()), FailureKind::Configuration, "(308) and does not say where — check ").await;
}

#[tokio::test]
async fn every_failure_says_what_to_do() {
    let broken = [Line::Garbles, Line::EndsEarly, Line::Cuts, Line::GivesUp, Line::says("")];
    let refused = [500, 504, 408, 400, 404, 401, 302].map(|status| refuses(status, "no", None));
    for line in broken.into_iter().chain(refused) {
        for (provider, _server, outcome) in ask_each(&line, &prompted("Write.")).await {
            let message = failure(outcome).1;
            assert!(message.rsplit_once(" — ").is_some_and(|(_, cure)| cure.len() > 10), "{provider}: {message}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_goes_on_long_after_its_limit_is_not_taken() {
    let piece = "word ".repeat(20_000);
    let without_end = Said::in_pieces(std::iter::repeat_n(piece, 40));
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Says(without_end.clone())]).forgetful();
        let settings = ModelSettings { max_tokens: Some(100), ..ModelSettings::new("m") };
        let agent = ModelAgent::new(provider(kind, &server), settings).unwrap();
        let outcome = agent.perform(prompted("Write."), &Context::new().0).await;
        assert!(outcome.usage().tokens_out > 0, "{kind}: what was written may have to be paid for");
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::InvalidOutput, "{kind}: {message}");
        assert!(message.contains("does not keep to `max_tokens`"), "{kind}: {message}");
    }
}

#[tokio::test]
async fn a_stream_that_says_it_is_done_and_not_why_is_an_answer() {
    let stream =
        format!("{}{}data: [DONE]\n\n", chunk(json!({"role": "assistant", "content": "Te"}), None), chunk(json!({"content": "a"}), None));
    let server = FakeProvider::start([Line::Raw(stream)]);
    let (context, _stop) = Context::new();
    let outcome = agent(ProviderKind::OpenAiCompatible, &server).perform(prompted("Write."), &context).await;
    assert_eq!(returned(outcome), json!("Tea"));
    let recorded = context.recorded();
    assert!(matches!(&recorded[..], [Exchange::Model { finish, .. }] if finish == "unknown"), "{recorded:?}");
}

#[tokio::test]
async fn what_stands_before_the_host_is_not_repeated_in_any_form() {
    for (before_host, echoed) in [
        ("tok-SECRET-1", "Basic dG9rLVNFQ1JFVC0xOg== of tok-SECRET-1"),
        ("me-too:pass-word", "Basic bWUtdG9vOnBhc3Mtd29yZA== or me-too:pass-word"),
    ] {
        let server = FakeProvider::start([Line::Answers(500, vec![], echoed.into())]);
        let address = server.base_url(Format::Ollama).replace("http://", &format!("http://{before_host}@"));
        let agent = ModelAgent::new(Provider::at(ProviderKind::Ollama, &address).unwrap(), ModelSettings::new("m")).unwrap();
        let (_, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
        let sent = &server.chats()[0].headers["authorization"];
        assert!(echoed.contains(sent.as_str()), "{sent}");
        for word in echoed.split_whitespace().filter(|word| word.len() > 5) {
            assert!(!message.contains(word), "{message}");
        }
    }
}

async fn until_held_up(heard: &Mutex<Vec<Progress>>) {
    let is_held_up = |heard: &Progress| matches!(heard, Progress::HeldUp { lasts: Some(_), .. });
    while !heard.lock().expect("no test panicked").iter().any(is_held_up) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// An attempt that only waits for a server that takes no calls.
async fn check_given_up(end: impl Fn(&Context), told: &str) {
    let server = FakeProvider::start([refuses(429, "not today", None)]);
    let waiting = agent(ProviderKind::OpenAi, &server);
    let (context, _stop, heard) = listening();
    let (outcome, ()) = tokio::join!(waiting.perform(prompted("Write."), &context), async {
        until_held_up(&heard).await;
        end(&context);
    });
    assert!(context.delay().was_for_nothing());
    assert_eq!(outcome.usage(), Usage::default());
    let (kind, message) = failure(outcome);
    assert!(kind == FailureKind::RateLimited && message.contains(told), "{message}");
}

#[tokio::test]
async fn a_call_that_only_waits_ends_when_nobody_has_time_any_more() {
    check_given_up(|context| context.delay().end(), "takes no calls: not today, and the time of the run is up").await;
    check_given_up(|context| assert!(context.delay().withdraw()), "takes no calls").await;
}

#[tokio::test]
async fn what_was_begun_cannot_be_withdrawn() {
    let use_of_a_tool = Line::Says(Said::new("").using("files_write", json!({"path": "x"})));
    let server = FakeProvider::start([use_of_a_tool, refuses(429, "not today", None)]);
    let waiting = agent(ProviderKind::OpenAi, &server).with_tools(Arc::new(Writing::default()));
    let (context, _stop, heard) = listening();
    let (outcome, ()) = tokio::join!(waiting.perform(prompted("Write."), &context), async {
        until_held_up(&heard).await;
        assert!(!context.delay().withdraw());
        context.delay().end();
    });
    assert!(!context.delay().was_for_nothing());
    assert_eq!(outcome.usage(), Usage { tokens_in: 26, tokens_out: 9, tool_calls: 1, ..Usage::default() });
}
