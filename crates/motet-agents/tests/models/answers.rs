//! What is sent, what is heard, what it cost and what is put on record, the same for every provider.

use motet_agents::model::{ModelAgent, ModelSettings, ProviderKind};
use motet_agents::{Agent, Context, Exchange, Outcome, Progress, Request, StopReason};
use motet_core::effect::Answered;
use motet_core::event::{FailureKind, Question, Usage};
use motet_testkit::providers::{Ended, FakeProvider, Line, Said};
use serde_json::{Value, json};

use super::{KEY, agent, ask, ask_each, provider};
use crate::{failure, listening, prompted, returned};

#[tokio::test]
async fn an_answer_is_streamed_counted_returned_and_put_on_record() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Says(Said::in_pieces(["Tea ", "für alle", " ☕\n"]))]);
        let (context, _stop, heard) = listening();
        let outcome = agent(kind, &server).perform(prompted("Write."), &context).await;
        let usage = Usage { tokens_in: 26, tokens_out: 9, ..Usage::default() };
        assert_eq!(outcome, Outcome::Returned { result: json!("Tea für alle ☕"), usage }, "{kind}");
        let text: String = heard
            .lock()
            .unwrap()
            .iter()
            .filter_map(|heard| if let Progress::Text(text) = heard { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(text, "Tea für alle ☕\n", "{kind}");
        assert_eq!(heard.lock().unwrap()[0], Progress::Waiting("waiting for gemma2:2b".into()));
        let [Exchange::Model { provider, model, sent, answer, finish, usage: counted, calls }] = &context.recorded()[..] else {
            panic!("{kind}")
        };
        assert_eq!((provider.as_str(), model.as_str(), answer.as_str()), (kind.title(), "gemma2:2b", "Tea für alle ☕\n"));
        assert_eq!((sent[0].content.as_str(), sent.len(), *counted), ("Write.", 1, usage));
        let word = match kind {
            ProviderKind::Anthropic => "end_turn",
            ProviderKind::Gemini => "STOP",
            _ => "stop",
        };
        assert_eq!((finish.as_str(), calls.len()), (word, 0), "{kind}");
    }
}

/// The conversation that every provider is sent, in its own words.
fn conversation() -> Request {
    let mut request = prompted("You are terse.\n---user---\nWrite.");
    let question = Question { question: "For whom?".into(), options: vec![], default: None, ..Question::default() };
    request.call.answers.push(Answered { question, answer: "all".into(), by: "ada".into(), asked_in: 1 });
    request.call.correction = Some("too long".into());
    request.call.model.temperature = Some(0.5);
    request.call.model.max_tokens = Some(500);
    request.call.model.seed = Some(7);
    request
}

async fn sent(kind: ProviderKind) -> (Value, FakeProvider) {
    let server = FakeProvider::start([Line::says("x")]);
    returned(ask(kind, &server, conversation()).await);
    (server.chats()[0].body.clone(), server)
}

const CORRECTED: &str =
    "ada answers: all\n\nYour last answer could not be used: too long\nAnswer the same request again, completely, and put this right.";

#[tokio::test]
async fn ollama_is_sent_the_conversation_and_the_settings() {
    let (body, server) = sent(ProviderKind::Ollama).await;
    let expected = json!({
        "model": "gemma2:2b",
        "messages": [
            {"role": "system", "content": "You are terse."},
            {"role": "user", "content": "Write."},
            {"role": "assistant", "content": "For whom?"},
            {"role": "user", "content": CORRECTED},
        ],
        "stream": true,
        "truncate": false,
        "options": {"temperature": 0.5, "num_predict": 500, "num_ctx": 4096, "seed": 7},
    });
    assert_eq!(body, expected);
    assert_eq!(server.chats()[0].headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn openai_is_sent_the_conversation_and_the_settings() {
    for kind in [ProviderKind::OpenAi, ProviderKind::OpenAiCompatible] {
        let (body, server) = sent(kind).await;
        let expected = json!({
            "model": "gemma2:2b",
            "messages": [
                {"role": "system", "content": [{"type": "text", "text": "You are terse."}]},
                {"role": "user", "content": "Write."},
                {"role": "assistant", "content": "For whom?"},
                {"role": "user", "content": CORRECTED},
            ],
            "temperature": 0.5, "max_tokens": 500, "seed": 7, "stream": true, "stream_options": {"include_usage": true},
        });
        assert_eq!(body, expected, "{kind}");
        assert_eq!(server.chats()[0].headers["authorization"], format!("Bearer {KEY}"));
    }
}

#[tokio::test]
async fn anthropic_is_sent_the_conversation_and_the_settings() {
    let (body, server) = sent(ProviderKind::Anthropic).await;
    assert_eq!(body["system"], json!([{"type": "text", "text": "You are terse."}]));
    assert_eq!(body["messages"][0], json!({"role": "user", "content": [{"type": "text", "text": "Write."}]}));
    assert_eq!((&body["temperature"], &body["max_tokens"], &body["stream"]), (&json!(0.5), &json!(500), &json!(true)));
    let headers = &server.chats()[0].headers;
    assert_eq!((headers["x-api-key"].as_str(), headers.contains_key("anthropic-version")), (KEY, true));
}

#[tokio::test]
async fn gemini_is_sent_the_conversation_and_its_key_in_a_header() {
    let (body, server) = sent(ProviderKind::Gemini).await;
    assert_eq!(body["systemInstruction"]["parts"][0]["text"], "You are terse.");
    assert_eq!((&body["contents"][0]["role"], &body["contents"][0]["parts"][0]["text"]), (&json!("user"), &json!("Write.")));
    assert_eq!((&body["contents"][2]["role"], &body["contents"][2]["parts"][0]["text"]), (&json!("user"), &json!(CORRECTED)));
    let config = json!({"temperature": 0.5, "maxOutputTokens": 500, "seed": 7});
    assert_eq!(body["generationConfig"], config);
    let asked = &server.chats()[0];
    assert_eq!((asked.headers["x-goog-api-key"].as_str(), asked.query.as_str()), (KEY, "alt=sse"));
}

#[tokio::test]
async fn the_settings_win_over_what_the_workflow_says() {
    let server = FakeProvider::start([Line::says("x")]);
    let settings = ModelSettings { temperature: Some(1.5), max_tokens: Some(50), seed: Some(3), ..ModelSettings::new("gemma2:2b") };
    let agent = ModelAgent::new(provider(ProviderKind::OpenAiCompatible, &server), settings).unwrap();
    agent.perform(conversation(), &Context::new().0).await;
    let body = &server.chats()[0].body;
    assert_eq!((&body["temperature"], &body["max_tokens"], &body["seed"]), (&json!(1.5), &json!(50), &json!(3)));
}

#[tokio::test]
async fn a_server_that_needs_no_key_is_sent_none() {
    let server = FakeProvider::start([Line::says("x")]);
    let mut provider = provider(ProviderKind::OpenAiCompatible, &server);
    provider.key = None;
    let agent = ModelAgent::new(provider, ModelSettings::new("m")).unwrap();
    assert_eq!(returned(agent.perform(prompted("Write."), &Context::new().0).await), json!("x"));
    assert!(!server.chats()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn thoughts_are_no_part_of_the_answer() {
    let inline = Said::in_pieces(["<think>", "tea?", "</think>", "\n\nTea!"]);
    for said in [inline, Said::new("Tea!").thinking("tea?")] {
        for kind in ProviderKind::ALL {
            let server = FakeProvider::start([Line::Says(said.clone())]);
            let (context, _stop, heard) = listening();
            let outcome = agent(kind, &server).perform(prompted("Write."), &context).await;
            assert_eq!(returned(outcome), json!("Tea!"), "{kind}");
            assert!(heard.lock().unwrap().contains(&Progress::Log("gemma2:2b thought: tea?".into())), "{kind} {:?}", heard.lock().unwrap());
        }
    }
}

#[tokio::test]
async fn an_empty_answer_is_invalid_but_was_paid_for_and_is_not_asked_for_again() {
    for content in ["", " \n", "<think>only this</think>"] {
        for (kind, server, outcome) in ask_each(&Line::Says(Said::new(content).counted(5, 2)), &prompted("Write.")).await {
            assert_eq!(outcome.usage(), Usage { tokens_in: 5, tokens_out: 2, ..Usage::default() }, "{kind}");
            let (found, message) = failure(outcome);
            assert_eq!(found, FailureKind::InvalidOutput, "{kind}");
            assert!(message.starts_with("the model's answer is empty — an answer in words is needed"), "{kind}: {message}");
            assert_eq!(server.chats().len(), 1);
        }
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_no_answer_but_was_paid_for_and_is_on_record() {
    let cut = |text: &str| Line::Says(Said::new(text).ending(Ended::CutOff).counted(5, 300));
    let mut request = prompted("Write.");
    request.call.model.max_tokens = Some(300);
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([cut("Tea for")]);
        let (context, _stop) = Context::new();
        let outcome = agent(kind, &server).perform(request.clone(), &context).await;
        assert_eq!(outcome.usage(), Usage { tokens_in: 5, tokens_out: 300, ..Usage::default() }, "{kind}");
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::InvalidOutput, "{kind}");
        assert!(message.contains("cut off at max_tokens (300)") && message.contains("a shorter answer is needed"), "{kind}: {message}");
        assert!(matches!(&context.recorded()[..], [Exchange::Model { answer, .. }] if answer == "Tea for"), "{kind}");
        assert_eq!(server.chats().len(), 1, "{kind}: it would be cut off again");
    }
    // Of JSON one sees that nothing is missing.
    for (kind, _, outcome) in ask_each(&cut(r#"{"slogan": "Tea"}"#), &request).await {
        assert_eq!(returned(outcome), json!({"slogan": "Tea"}), "{kind}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_count_is_counted_by_us() {
    for (kind, _, outcome) in ask_each(&Line::Says(Said::new("twelve bytes").uncounted()), &prompted(&"word ".repeat(80))).await {
        assert!((90..=110).contains(&outcome.usage().tokens_in), "{kind} {:?}", outcome.usage());
        assert!((1..=3).contains(&outcome.usage().tokens_out), "{kind} {:?}", outcome.usage());
    }
}

#[tokio::test]
async fn a_stopped_call_ends() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Silent]);
        let (context, stop) = Context::new();
        stop.stop(StopReason::Cancelled);
        assert_eq!(failure(agent(kind, &server).perform(prompted("Write."), &context).await).0, FailureKind::Cancelled, "{kind}");
    }
}

#[tokio::test]
async fn a_probe_finds_the_server_and_its_models() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Silent]);
        let probe = agent(kind, &server).probe().await.unwrap();
        assert_eq!((probe.models, probe.missing), (vec!["gemma2:2b".to_string(), "llama3.2:latest".into()], None), "{kind}");
        assert_eq!(probe.version.is_some(), kind == ProviderKind::Ollama);
        let other = ModelAgent::new(provider(kind, &server), ModelSettings::new("mistral")).unwrap();
        let missing = other.probe().await.unwrap().missing.unwrap();
        assert_eq!(missing.kind, FailureKind::NotFound);
        assert!(missing.message.contains("has no model `mistral` (it has gemma2:2b, llama3.2:latest)"), "{}", missing.message);
    }
}

#[test]
fn a_provider_that_needs_a_key_says_so_before_it_is_asked() {
    let server = FakeProvider::start([Line::Silent]);
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Gemini] {
        let mut keyless = provider(kind, &server);
        keyless.key = None;
        let message = ModelAgent::new(keyless, ModelSettings::new("m")).unwrap_err().message;
        assert_eq!(message, format!("{} needs a key: set {}", kind.title(), kind.usual_key()));
    }
}
