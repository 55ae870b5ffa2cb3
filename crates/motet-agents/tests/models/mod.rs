//! Every client path of every provider, against a server that speaks the real formats.

mod answers;
mod endings;
mod faults;
mod hostile;
mod limits;
mod money;
mod obstacles;
mod ollama;
mod structure;
mod tools;

use std::time::Duration;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, Context, Outcome, Request, Secret};
use motet_testkit::providers::{FakeProvider, Format, Line};
use serde_json::{Value, json};

/// What no server and no error may ever show.
const KEY: &str = "sk-very-secret";

fn format(kind: ProviderKind) -> Format {
    match kind {
        ProviderKind::Ollama => Format::Ollama,
        ProviderKind::OpenAi | ProviderKind::OpenAiCompatible => Format::OpenAi,
        ProviderKind::Anthropic => Format::Anthropic,
        ProviderKind::Gemini => Format::Gemini,
    }
}

fn provider(kind: ProviderKind, server: &FakeProvider) -> Provider {
    let provider = Provider::at(kind, &server.base_url(format(kind))).expect("the address is fine");
    Provider { request_timeout: Duration::from_secs(20), ..provider.with_key(Secret::new(KEY), kind.usual_key()) }
}

fn agent(kind: ProviderKind, server: &FakeProvider) -> ModelAgent {
    ModelAgent::new(provider(kind, server), ModelSettings::new("gemma2:2b")).expect("the settings are fine")
}

/// An address that was somebody's a moment ago.
async fn nobody_listens() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    format!("http://{}", listener.local_addr().expect("it has an address"))
}

async fn ask(kind: ProviderKind, server: &FakeProvider, request: Request) -> Outcome {
    agent(kind, server).perform(request, &Context::new().0).await
}

/// Asks once every kind of provider that says this line.
async fn ask_each(line: &Line, request: &Request) -> Vec<(ProviderKind, FakeProvider, Outcome)> {
    let mut outcomes = Vec::new();
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([line.clone()]);
        let outcome = ask(kind, &server, request.clone()).await;
        outcomes.push((kind, server, outcome));
    }
    outcomes
}

fn scored() -> Value {
    json!({
        "type": "object",
        "properties": {"score": {"type": "number"}, "why": {"type": "string"}},
        "required": ["score"],
    })
}
