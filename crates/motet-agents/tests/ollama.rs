//! The Ollama backend against a server that speaks the real format.

use std::time::{Duration, Instant};

use motet_agents::model::{ModelAgent, OllamaSettings};
use motet_agents::{Agent, Context, Outcome, Progress, Request, StopReason};
use motet_core::effect::Answered;
use motet_core::event::{FailureKind, Question, Usage};
use serde_json::{Value, json};

use crate::stand_in::{Chat, StandIn, pieces};
use crate::{failure, listening, prompted, returned};

fn settings(address: &str) -> OllamaSettings {
    let lookup = |name: &str| match name {
        "OLLAMA_BASE_URL" => Some(address.to_string()),
        "OLLAMA_MODEL_NAME" => Some("gemma2:2b".to_string()),
        _ => None,
    };
    OllamaSettings::from_environment(lookup).expect("the settings are fine")
}

fn playing(settings: OllamaSettings) -> ModelAgent {
    let (provider, settings) = settings.into_provider();
    ModelAgent::new(provider, settings).expect("the settings are fine")
}

fn agent(address: &str) -> ModelAgent {
    playing(settings(address))
}

async fn ask(server: &StandIn, request: Request) -> Outcome {
    agent(&server.address).perform(request, &Context::new().0).await
}

async fn check_failure(chat: Chat, kind: FailureKind, told: &[&str]) {
    let server = StandIn::start(chat).await;
    let (found, message) = failure(ask(&server, prompted("Write.")).await);
    assert_eq!(found, kind, "{message}");
    for words in told.iter().chain([&server.address.as_str()]) {
        assert!(message.contains(words), "`{message}` does not say `{words}`");
    }
}

fn scored() -> Value {
    json!({"type": "object", "properties": {"score": {"type": "number"}, "why": {"type": "string"}}})
}

#[tokio::test]
async fn an_answer_is_streamed_counted_and_returned() {
    let server = StandIn::start(Chat::Says(pieces(&["Tea ", "für alle", " ☕\n"], "stop", 26, 9))).await;
    let (context, _stop, heard) = listening();
    let outcome = agent(&server.address).perform(prompted("Write."), &context).await;
    let usage = Usage { tokens_in: 26, tokens_out: 9, ..Usage::default() };
    assert_eq!(outcome, Outcome::Returned { result: json!("Tea für alle ☕"), usage });
    let text = |text: &str| Progress::Text(text.into());
    assert_eq!(*heard.lock().unwrap(), [Progress::Waiting("waiting for gemma2:2b".into()), text("Tea "), text("für alle"), text(" ☕\n")]);
}

#[tokio::test]
async fn the_request_carries_the_conversation_and_the_settings() {
    let server = StandIn::start(Chat::Says(pieces(&["x"], "stop", 1, 1))).await;
    let mut request = prompted("You are terse.\n---user---\nWrite.");
    let question = Question { question: "For whom?".into(), options: vec![], default: None, is_task: false };
    request.call.answers.push(Answered { question, answer: "all".into(), by: "ada".into() });
    request.call.correction = Some("too long".into());
    ask(&server, request).await;
    let corrected = "Your last answer could not be used: too long\nAnswer the same request again, completely, and put this right.";
    let expected = json!({
        "model": "gemma2:2b",
        "messages": [
            {"role": "system", "content": "You are terse."},
            {"role": "user", "content": "Write."},
            {"role": "assistant", "content": "For whom?"},
            {"role": "user", "content": "ada answers: all"},
            {"role": "user", "content": corrected},
        ],
        "stream": true,
        "truncate": false,
        "options": {"temperature": 0.7, "num_predict": 100, "num_ctx": 4096},
    });
    assert_eq!(server.asked("/api/chat"), [expected]);
}

#[tokio::test]
async fn the_settings_of_the_call_hold_where_the_environment_says_nothing() {
    let server = StandIn::start(Chat::Says(pieces(&["x"], "stop", 1, 1))).await;
    let mut request = prompted(&"word ".repeat(2000));
    request.call.model.temperature = Some(0.0);
    request.call.model.max_tokens = Some(500);
    request.call.model.seed = Some(7);
    ask(&server, request).await;
    let options = json!({"temperature": 0.0, "num_predict": 500, "num_ctx": 8192, "seed": 7});
    assert_eq!(server.asked("/api/chat")[0]["options"], options);
}

#[tokio::test]
async fn the_environment_wins_over_what_the_workflow_says() {
    let server = StandIn::start(Chat::Says(pieces(&["x"], "stop", 1, 1))).await;
    let mut request = prompted("Write.");
    request.call.model.temperature = Some(0.0);
    request.call.model.max_tokens = Some(500);
    let set = OllamaSettings { temperature: Some(1.5), max_tokens: Some(50), ..settings(&server.address) };
    playing(set).perform(request, &Context::new().0).await;
    let options = &server.asked("/api/chat")[0]["options"];
    assert_eq!((&options["temperature"], &options["num_predict"]), (&json!(1.5), &json!(50)));
}

#[tokio::test]
async fn a_schema_is_sent_unless_text_can_stand_for_it() {
    let sole = json!({"type": "object", "properties": {"slogan": {"type": "string"}}});
    for (schema, sent) in [(Some(scored()), scored()), (Some(sole), Value::Null), (None, Value::Null)] {
        let server = StandIn::start(Chat::Says(pieces(&["{\"score\": 1}"], "stop", 1, 1))).await;
        let request = Request { schema, ..prompted("Judge.") };
        assert_eq!(returned(ask(&server, request).await), json!({"score": 1}));
        assert_eq!(server.asked("/api/chat")[0]["format"], sent);
    }
}

#[tokio::test]
async fn thoughts_are_no_part_of_the_answer() {
    let server = StandIn::start(Chat::Says(pieces(&["<think>", "tea?", "</think>", "\n\nTea!"], "stop", 1, 1))).await;
    let (context, _stop, heard) = listening();
    let outcome = agent(&server.address).perform(prompted("Write."), &context).await;
    assert_eq!(returned(outcome), json!("Tea!"));
    assert!(heard.lock().unwrap().contains(&Progress::Log("gemma2:2b thought: tea?".into())));

    let mut lines = vec![json!({"message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": false})];
    lines.extend(pieces(&["Tea!"], "stop", 1, 1));
    let server = StandIn::start(Chat::Says(lines)).await;
    assert_eq!(returned(ask(&server, prompted("Write.")).await), json!("Tea!"));
}

#[tokio::test]
async fn an_empty_answer_is_invalid_but_was_paid_for() {
    for content in ["", " \n", "<think>only this</think>"] {
        let server = StandIn::start(Chat::Says(pieces(&[content], "stop", 5, 2))).await;
        let outcome = ask(&server, prompted("Write.")).await;
        assert_eq!(outcome.usage(), Usage { tokens_in: 5, tokens_out: 2, ..Usage::default() });
        assert_eq!(failure(outcome), (FailureKind::InvalidOutput, "the model's answer is empty".into()));
    }
}

#[tokio::test]
async fn an_answer_cut_off_is_kept_as_text_and_refused_as_structure() {
    let server = StandIn::start(Chat::Says(pieces(&["{\"score\": "], "length", 5, 100))).await;
    let (context, _stop, heard) = listening();
    let outcome = agent(&server.address).perform(prompted("Write."), &context).await;
    assert_eq!(returned(outcome), json!("{\"score\":"));
    assert!(heard.lock().unwrap().contains(&Progress::Log("the answer of gemma2:2b was cut off at max_tokens (100)".into())));

    let (kind, message) = failure(ask(&server, Request { schema: Some(scored()), ..prompted("Judge.") }).await);
    assert_eq!(kind, FailureKind::InvalidOutput);
    assert!(message.contains("cut off at max_tokens (100)"), "{message}");
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_never_cut_in_silence() {
    // Known to be too long before it is sent.
    let server = StandIn::start_with(Chat::Says(pieces(&["x"], "stop", 1, 1)), Some(2048)).await;
    let (kind, message) = failure(ask(&server, prompted(&"word ".repeat(5000))).await);
    assert_eq!(kind, FailureKind::Configuration);
    assert!(message.contains("at least 3124 tokens") && message.contains("reads 2048 in all"), "{message}");
    assert!(server.asked("/api/chat").is_empty());

    // Found out afterwards: the prompt filled the whole context.
    let server = StandIn::start_with(Chat::Says(pieces(&["x"], "stop", 4096, 1)), None).await;
    let (kind, message) = failure(ask(&server, prompted("Write.")).await);
    assert_eq!(kind, FailureKind::Configuration);
    assert!(message.contains("did not fit"), "{message}");

    let refused = json!({"error": "the input length exceeds the context length"});
    let server = StandIn::start(Chat::Status(400, "", refused)).await;
    let (kind, message) = failure(ask(&server, prompted("Write.")).await);
    assert_eq!(kind, FailureKind::Configuration);
    assert!(message.starts_with("the prompt is too long for the model"), "{message}");
}

#[tokio::test]
async fn a_models_context_is_asked_once() {
    let server = StandIn::start(Chat::Says(pieces(&["x"], "stop", 1, 1))).await;
    let agent = agent(&server.address);
    for _ in 0..2 {
        agent.perform(prompted("Write."), &Context::new().0).await;
    }
    assert_eq!(server.asked("/api/show"), [json!({"model": "gemma2:2b"})]);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_what_to_do() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (kind, message) = failure(agent(&address).perform(prompted("Write."), &Context::new().0).await);
    assert_eq!(kind, FailureKind::Unavailable);
    assert_eq!(message, format!("Ollama is not running at {address} — start it with `ollama serve`, or point OLLAMA_BASE_URL elsewhere"));
}

#[tokio::test]
async fn a_server_that_does_not_speak_our_protocol_is_told_with_the_reason() {
    let server = StandIn::start(Chat::Silent).await;
    let encrypted = server.address.replace("http:", "https:");
    let (kind, message) = failure(agent(&encrypted).perform(prompted("Write."), &Context::new().0).await);
    assert_eq!(kind, FailureKind::Unavailable);
    assert!(message.starts_with(&format!("{encrypted} cannot be reached: ")), "{message}");
}

#[test]
fn a_machine_without_certificates_can_use_a_server_without_encryption() {
    // Which certificates there are is read from the environment of the process, so this one starts another.
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ollama::a_last_line_without_an_end_is_a_line"])
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
async fn a_missing_model_is_told_with_those_that_are_there() {
    let server = StandIn::start(Chat::Status(404, "", json!({"error": "model 'mistral:latest' not found"}))).await;
    let settings = OllamaSettings { model: "mistral:latest".into(), ..settings(&server.address) };
    let agent = playing(settings);
    let (kind, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
    let told = "has no model `mistral:latest` (it has gemma2:2b, llama3.2:latest) — pull it with `ollama pull mistral:latest`";
    assert_eq!((kind, message), (FailureKind::NotFound, format!("Ollama at {} {told}", server.address)));
}

#[tokio::test]
async fn errors_of_the_server_are_told_by_their_kind() {
    let error = |text: &str| json!({"error": text});
    check_failure(Chat::Status(500, "", error("out of memory")), FailureKind::Unavailable, &["500", "out of memory"]).await;
    check_failure(Chat::Status(503, "", error("busy")), FailureKind::Unavailable, &["503", "busy"]).await;
    check_failure(Chat::Status(429, "retry-after: 7\r\n", error("slow")), FailureKind::RateLimited, &["wait 7 s", "slow"]).await;
    check_failure(Chat::Status(401, "", error("who?")), FailureKind::Configuration, &["OLLAMA_BASE_URL"]).await;
    check_failure(Chat::Status(400, "", error("invalid format")), FailureKind::Configuration, &["invalid format"]).await;
    check_failure(Chat::Status(302, "location: /x\r\n", json!({})), FailureKind::Configuration, &["302"]).await;
}

#[tokio::test]
async fn a_broken_stream_may_be_tried_again() {
    check_failure(Chat::Breaks, FailureKind::Unavailable, &["broke off"]).await;
    check_failure(Chat::Raw("<html>hello</html>\n"), FailureKind::Unavailable, &["not in its format"]).await;
    check_failure(Chat::Raw("{\"message\":{\"content\":\"x\"},\"done\":false}"), FailureKind::Unavailable, &["ended before it was done"])
        .await;
    check_failure(Chat::Raw(""), FailureKind::Unavailable, &["ended before it was done"]).await;
    check_failure(Chat::Raw("{\"error\":\"runner died\"}\n"), FailureKind::Unavailable, &["in the middle", "runner died"]).await;
}

#[tokio::test]
async fn a_last_line_without_an_end_is_a_line() {
    let server = StandIn::start(Chat::Raw("{\"message\":{\"content\":\"x\"},\"done\":true}")).await;
    assert_eq!(returned(ask(&server, prompted("Write.")).await), json!("x"));
}

#[tokio::test]
async fn silence_is_a_timeout_before_and_within_the_answer() {
    for chat in [Chat::Silent, Chat::Stalls] {
        let server = StandIn::start(chat).await;
        let agent = playing(OllamaSettings { request_timeout_s: 1, ..settings(&server.address) });
        let started = Instant::now();
        let (kind, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
        assert_eq!(kind, FailureKind::Timeout);
        assert!(message.contains("said nothing for 1 s") && message.contains("OLLAMA_REQUEST_TIMEOUT"), "{message}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test]
async fn a_stopped_call_ends() {
    let server = StandIn::start(Chat::Silent).await;
    let (context, stop) = Context::new();
    stop.stop(StopReason::Cancelled);
    assert_eq!(failure(agent(&server.address).perform(prompted("Write."), &context).await).0, FailureKind::Cancelled);
}

#[tokio::test]
async fn a_probe_finds_the_server_and_its_models() {
    let server = StandIn::start(Chat::Silent).await;
    let probe = agent(&server.address).probe().await.unwrap();
    assert_eq!((probe.server, probe.version.as_str(), probe.missing), (server.address.clone(), "0.12.6", None));
    assert_eq!(probe.models, ["gemma2:2b", "llama3.2:latest"]);

    let with = |model: &str| playing(OllamaSettings { model: model.into(), ..settings(&server.address) });
    assert_eq!(with("llama3.2").probe().await.unwrap().missing, None);
    let missing = with("mistral:latest").probe().await.unwrap().missing.unwrap();
    assert_eq!(missing.kind, FailureKind::NotFound);
    assert!(missing.message.contains("ollama pull mistral:latest"), "{}", missing.message);
}

#[tokio::test]
async fn an_address_with_a_path_is_kept_and_another_server_is_noticed() {
    let server = StandIn::start(Chat::Silent).await;
    let elsewhere = agent(&format!("{}/v1/", server.address));
    let message = elsewhere.probe().await.unwrap_err().message;
    assert_eq!(message, format!("there is a server at {}/v1, but not Ollama — check OLLAMA_BASE_URL", server.address));
}
