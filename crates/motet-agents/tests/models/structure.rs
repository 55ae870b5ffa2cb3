//! Answers with a shape: asked for in the provider's own mode, validated by us, asked for again, and then failed.

use motet_agents::model::{ModelAgent, ModelSettings, ProviderKind, StructuredOutput};
use motet_agents::{Agent, Context, Request};
use motet_core::event::{FailureKind, Usage};
use motet_testkit::providers::{Ended, FakeProvider, Line, Said};
use serde_json::{Value, json};

use super::{ask, ask_each, provider, scored};
use crate::{failure, prompted, returned};

fn judging() -> Request {
    Request { schema: Some(scored()), ..prompted("Judge.") }
}

/// Where each provider is told the schema.
fn schema_in(kind: ProviderKind, body: &Value) -> Value {
    let place = match kind {
        ProviderKind::Ollama => "/format",
        ProviderKind::OpenAi | ProviderKind::OpenAiCompatible => "/response_format/json_schema/schema",
        ProviderKind::Anthropic => "/output_config/format/schema",
        ProviderKind::Gemini => "/generationConfig/responseJsonSchema",
    };
    body.pointer(place).cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_schema_is_sent_in_the_providers_own_mode() {
    let strict = json!({
        "type": "object",
        "required": ["score", "why"],
        "properties": {"score": {"type": "number"}, "why": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "additionalProperties": false,
    });
    for (kind, server, outcome) in ask_each(&Line::says(r#"{"score": 1, "why": null}"#), &judging()).await {
        assert_eq!(returned(outcome), json!({"score": 1}), "{kind}");
        let expected = if matches!(kind, ProviderKind::Ollama | ProviderKind::OpenAiCompatible) { scored() } else { strict.clone() };
        assert_eq!(schema_in(kind, &server.chats()[0].body), expected, "{kind}");
    }
}

#[tokio::test]
async fn a_schema_is_not_sent_if_text_can_stand_for_it_and_told_in_words_if_the_mode_is_off() {
    let sole = json!({"type": "object", "properties": {"slogan": {"type": "string"}}});
    for (kind, server, outcome) in ask_each(&Line::says("Sip"), &Request { schema: Some(sole), ..prompted("Write.") }).await {
        assert_eq!(returned(outcome), json!("Sip"), "{kind}");
        assert_eq!(schema_in(kind, &server.chats()[0].body), Value::Null, "{kind}");
    }
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::says("```json\n{\"score\": 1}\n```")]);
        let settings = ModelSettings { structured: StructuredOutput::Off, ..ModelSettings::new("m") };
        let agent = ModelAgent::new(provider(kind, &server), settings).unwrap();
        assert_eq!(returned(agent.perform(judging(), &Context::new().0).await), json!({"score": 1}), "{kind}");
        let body = &server.chats()[0].body;
        assert_eq!(schema_in(kind, body), Value::Null, "{kind}");
        assert!(body.to_string().contains("It must match this JSON Schema"), "{kind}: {body}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_with_the_reason() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::says("Nine."), Line::says(r#"{"score": "nine"}"#), Line::says(r#"{"score": 9}"#)]);
        let outcome = ask(kind, &server, judging()).await;
        assert_eq!(outcome.usage(), Usage { tokens_in: 78, tokens_out: 27, ..Usage::default() }, "{kind}");
        assert_eq!(returned(outcome), json!({"score": 9}), "{kind}");
        let bodies: Vec<String> = server.chats().iter().map(|asked| asked.body.to_string()).collect();
        assert!(bodies[1].contains("Nine.") && bodies[1].contains("is not JSON"), "{kind}: {}", bodies[1]);
        assert!(bodies[2].contains("could not be used") && bodies[2].contains("score"), "{kind}: {}", bodies[2]);
    }
}

#[tokio::test]
async fn an_answer_that_never_fits_is_invalid_after_three_tries() {
    for (kind, server, outcome) in ask_each(&Line::says(r#"{"score": "nine"}"#), &judging()).await {
        assert_eq!(outcome.usage().tokens_in, 78, "{kind}");
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::InvalidOutput, "{kind}");
        assert!(message.contains("score") && message.contains("(asked 3 times)"), "{kind}: {message}");
        assert_eq!(server.chats().len(), 3, "{kind}");
    }
}

#[tokio::test]
async fn structure_that_was_cut_off_is_told_with_the_limit_and_not_asked_for_again() {
    let line = Line::Says(Said::new("{\"score\": ").ending(Ended::CutOff));
    for (kind, server, outcome) in ask_each(&line, &judging()).await {
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::InvalidOutput, "{kind}");
        assert!(message.contains("cut off at max_tokens ("), "{kind}: {message}");
        assert_eq!(server.chats().len(), 1, "{kind}");
    }
}

#[tokio::test]
async fn a_question_is_no_wrong_answer() {
    for (kind, server, outcome) in ask_each(&Line::says(r#"{"question": "For whom?"}"#), &judging()).await {
        assert!(matches!(outcome, motet_agents::Outcome::Asked { .. }), "{kind}: {outcome:?}");
        assert_eq!(server.chats().len(), 1);
    }
}

#[tokio::test]
async fn a_shape_that_is_only_preferred_is_held_by_grammars_and_text_will_do() {
    let preferring = Request { preferred: Some(scored()), ..prompted("Judge.") };
    for (answer, expected) in [(r#"{"score": 9, "more": true}"#, json!({"score": 9, "more": true})), ("Nine.", json!("Nine."))] {
        for (kind, server, outcome) in ask_each(&Line::says(answer), &preferring).await {
            assert_eq!(returned(outcome), expected, "{kind}");
            let body = &server.chats()[0].body;
            let expected = if matches!(kind, ProviderKind::Ollama | ProviderKind::OpenAiCompatible) { scored() } else { Value::Null };
            assert_eq!(schema_in(kind, body), expected, "{kind}");
            assert!(!body.to_string().contains("JSON Schema"), "{kind}: what need not be is not asked for in words");
            assert_eq!(server.chats().len(), 1, "{kind}");
        }
    }
    let server = FakeProvider::start([Line::says("Nine.")]);
    let settings = ModelSettings { structured: StructuredOutput::Off, ..ModelSettings::new("m") };
    let agent = ModelAgent::new(provider(ProviderKind::OpenAiCompatible, &server), settings).unwrap();
    returned(agent.perform(preferring, &Context::new().0).await);
    assert_eq!(schema_in(ProviderKind::OpenAiCompatible, &server.chats()[0].body), Value::Null);
}

/// What servers without the mode, and those that dislike the one schema, say about it.
fn refuses(words: &str) -> Line {
    Line::Answers(400, vec![], json!({"error": {"message": words, "type": "invalid_request_error"}}).to_string())
}

const NO_MODE: &str = "This response_format type is unavailable now";

#[tokio::test]
async fn a_server_that_takes_no_schema_is_told_it_in_words_and_known_for_it() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([refuses(NO_MODE), Line::says(r#"{"score": 9}"#)]);
        let outcome = ask(kind, &server, judging()).await;
        assert_eq!(outcome.usage(), Usage { tokens_in: 26, tokens_out: 9, ..Usage::default() }, "{kind}: a refusal is not paid");
        assert_eq!(returned(outcome), json!({"score": 9}), "{kind}");
        // Whoever asks the same model next, asks in words at once.
        assert_eq!(returned(ask(kind, &server, judging()).await), json!({"score": 9}), "{kind}");
        let bodies: Vec<Value> = server.chats().into_iter().map(|asked| asked.body).collect();
        let held: Vec<bool> = bodies.iter().map(|body| schema_in(kind, body) != Value::Null).collect();
        assert_eq!(held, [true, false, false], "{kind}");
        let in_words: Vec<bool> = bodies.iter().map(|body| body.to_string().contains("It must match this JSON Schema")).collect();
        assert_eq!(in_words, [false, true, true], "{kind}");
    }
}

#[tokio::test]
async fn a_shape_that_is_only_preferred_is_left_out_where_no_schema_is_taken() {
    let preferring = Request { preferred: Some(scored()), ..prompted("Judge.") };
    for words in [NO_MODE, "json_schema is not supported by this model", "invalid format: expected \"json\""] {
        let server = FakeProvider::start([refuses(words), Line::says("Nine.")]);
        assert_eq!(returned(ask(ProviderKind::OpenAiCompatible, &server, preferring.clone()).await), "Nine.", "{words}");
        assert!(!server.chats()[1].body.to_string().contains("JSON Schema"), "{words}");
    }
}

#[tokio::test]
async fn a_schema_that_is_refused_alone_does_not_cost_the_others() {
    let server = FakeProvider::start([refuses("Invalid schema for response_format 'answer'"), Line::says(r#"{"score": 9}"#)]);
    for _ in 0..2 {
        assert_eq!(returned(ask(ProviderKind::OpenAi, &server, judging()).await), json!({"score": 9}));
    }
    let held = server.chats().into_iter().map(|asked| schema_in(ProviderKind::OpenAi, &asked.body) != Value::Null).collect::<Vec<_>>();
    assert_eq!(held, [true, false, true]);
}

#[tokio::test]
async fn what_is_refused_for_another_reason_is_not_asked_again_without_its_schema() {
    let elsewhere = [(401, "bad key in this format"), (402, "format"), (500, "the grammar is broken"), (400, "temperature is too high")];
    for (status, words) in elsewhere {
        let body = json!({"error": {"message": words}}).to_string();
        let server = FakeProvider::start([Line::Answers(status, vec![], body), Line::says(r#"{"score": 9}"#)]);
        failure(ask(ProviderKind::OpenAiCompatible, &server, judging()).await);
        assert_eq!(server.chats().len(), 1, "{status} {words}");
    }
    let server = FakeProvider::start([refuses(NO_MODE)]);
    let (kind, message) = failure(ask(ProviderKind::OpenAiCompatible, &server, judging()).await);
    assert!(kind == FailureKind::Configuration && message.contains(NO_MODE), "{message}");
    assert_eq!(server.chats().len(), 2, "it is asked once more and no more");
}
