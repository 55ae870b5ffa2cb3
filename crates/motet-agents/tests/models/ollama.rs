//! What only Ollama has: a context that we choose, an address in the environment, and a server that may be another one.

use motet_agents::model::{ModelAgent, ModelSettings, OllamaSettings, ProviderKind};
use motet_agents::{Agent, Context, Request};
use motet_core::event::FailureKind;
use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use serde_json::json;

use super::{ask, provider};
use crate::{failure, prompted, returned};

/// As the program makes it, from the variables of the environment.
fn from_environment(address: &str) -> ModelAgent {
    let lookup = |name: &str| match name {
        "OLLAMA_BASE_URL" => Some(address.to_string()),
        "OLLAMA_MODEL_NAME" => Some("gemma2:2b".to_string()),
        _ => None,
    };
    let (provider, settings) = OllamaSettings::from_environment(lookup).expect("the settings are fine").into_provider();
    ModelAgent::new(provider, settings).expect("the settings are fine")
}

async fn check_refused(server: &FakeProvider, request: Request, told: &[&str]) {
    let (kind, message) = failure(ask(ProviderKind::Ollama, server, request).await);
    assert_eq!(kind, FailureKind::Configuration, "{message}");
    for words in told {
        assert!(message.contains(words), "`{message}` does not say `{words}`");
    }
}

#[tokio::test]
async fn nothing_said_means_the_old_defaults() {
    let server = FakeProvider::start([Line::says("x")]);
    let agent = from_environment(&server.base_url(Format::Ollama));
    assert_eq!(returned(agent.perform(prompted("Write."), &Context::new().0).await), json!("x"));
    let asked = &server.chats()[0];
    assert_eq!(asked.body["options"], json!({"temperature": 0.7, "num_predict": 100, "num_ctx": 4096}));
    assert!(!asked.headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_name_and_a_password_in_the_address_are_used_and_never_shown() {
    let server = FakeProvider::start([Line::says("x"), Line::Answers(500, vec![], "secret".into())]);
    let address = server.base_url(Format::Ollama).replace("http://", "http://me:secret@");
    let agent = from_environment(&address);
    returned(agent.perform(prompted("Write."), &Context::new().0).await);
    assert_eq!(server.chats()[0].headers["authorization"], "Basic bWU6c2VjcmV0");
    let (_, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
    assert!(!message.contains("secret"), "{message}");
}

#[tokio::test]
async fn the_context_holds_the_prompt_and_the_answer_or_is_what_the_settings_say() {
    let server = FakeProvider::start([Line::says("x")]);
    let mut request = prompted(&"word ".repeat(2000));
    request.call.model.max_tokens = Some(500);
    ask(ProviderKind::Ollama, &server, request.clone()).await;
    let settings = ModelSettings { context_tokens: Some(6000), ..ModelSettings::new("gemma2:2b") };
    let agent = ModelAgent::new(provider(ProviderKind::Ollama, &server), settings).unwrap();
    agent.perform(request, &Context::new().0).await;
    let sizes: Vec<_> = server.chats().iter().map(|asked| asked.body["options"]["num_ctx"].clone()).collect();
    assert_eq!(sizes, [8192, 6000]);
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_never_cut_in_silence() {
    let long = || prompted(&"word ".repeat(5000));
    // Known to be too long before it is sent.
    let server = FakeProvider::start([Line::says("x")]).with_context_length(Some(2048));
    check_refused(&server, long(), &["at least 3124 tokens", "reads 2048 in all"]).await;
    assert!(server.chats().is_empty());
    // Found out afterwards: the prompt filled the whole context, or more of it was sent than was read.
    let server = FakeProvider::start([Line::Says(Said::new("x").counted(4096, 1))]).with_context_length(None);
    check_refused(&server, prompted("Write."), &["did not fit"]).await;
    let server = FakeProvider::start([Line::Says(Said::new("x").counted(2048, 1))]).with_context_length(None);
    check_refused(&server, long(), &["the prompt was cut", "read 2048 tokens of about 6250"]).await;
}

#[tokio::test]
async fn a_prompt_of_ordinary_size_that_was_cut_is_noticed() {
    let prompt = "plain words ".repeat(2626);
    let read = |tokens: u64| FakeProvider::start([Line::Says(Said::new("x").counted(tokens, 1))]).with_context_length(Some(32_768));
    for tokens in [2048, 4096, 4500] {
        check_refused(&read(tokens), prompted(&prompt), &["the prompt was cut", &format!("read {tokens} tokens of about 78")]).await;
    }
    for tokens in [5000, 6800, 7900] {
        assert_eq!(returned(ask(ProviderKind::Ollama, &read(tokens), prompted(&prompt)).await), json!("x"));
    }
}

/// Versions that do not count what they had read before: a small number says nothing of what they have read.
#[tokio::test]
async fn a_server_that_remembers_the_prompt_has_not_cut_it() {
    for version in ["0.1.48", "0.30.2"] {
        let server = FakeProvider::start([Line::Says(Said::new("x").counted(3, 1))]).with_version(version);
        assert_eq!(returned(ask(ProviderKind::Ollama, &server, prompted(&"plain words ".repeat(1500))).await), json!("x"), "{version}");
    }
    let server = FakeProvider::start([Line::Says(Said::new("x").counted(3, 1))]);
    check_refused(&server, prompted(&"plain words ".repeat(1500)), &["the prompt was cut"]).await;
}

#[tokio::test]
async fn a_models_context_is_asked_once() {
    let server = FakeProvider::start([Line::says("x")]);
    let agent = from_environment(&server.base_url(Format::Ollama));
    for _ in 0..2 {
        agent.perform(prompted("Write."), &Context::new().0).await;
    }
    let shown: Vec<_> = server.asked().into_iter().filter(|asked| asked.path == "/api/show").map(|asked| asked.body).collect();
    assert_eq!(shown, [json!({"model": "gemma2:2b"})]);
}

#[tokio::test]
async fn a_last_line_without_an_end_is_a_line() {
    let server = FakeProvider::start([Line::Raw("{\"message\":{\"content\":\"x\"},\"done\":true}".into())]);
    let agent = from_environment(&server.base_url(Format::Ollama));
    assert_eq!(returned(agent.perform(prompted("Write."), &Context::new().0).await), json!("x"));
}

#[test]
fn a_machine_without_certificates_can_use_a_server_without_encryption() {
    // Which certificates there are is read from the environment of the process, so this one starts another.
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "models::ollama::a_last_line_without_an_end_is_a_line"])
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
async fn a_model_is_found_without_its_tag() {
    let server = FakeProvider::start([Line::Silent]);
    let with = |model: &str| ModelAgent::new(provider(ProviderKind::Ollama, &server), ModelSettings::new(model)).unwrap();
    assert_eq!(with("llama3.2").probe().await.unwrap().missing, None);
    let missing = with("mistral:latest").probe().await.unwrap().missing.unwrap();
    assert!(missing.message.contains("ollama pull mistral:latest"), "{}", missing.message);
}

#[tokio::test]
async fn an_address_with_a_path_is_kept_and_another_server_is_noticed() {
    let server = FakeProvider::start([Line::Silent]);
    let address = format!("{}/other", server.base_url(Format::Ollama));
    let message = from_environment(&format!("{address}/")).probe().await.unwrap_err().message;
    assert_eq!(message, format!("there is a server at {address}, but not Ollama — check OLLAMA_BASE_URL"));
}
