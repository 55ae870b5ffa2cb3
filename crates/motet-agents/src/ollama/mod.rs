//! Models behind Ollama's native API: one request per attempt, its answer streamed as progress.
//! It keeps no conversation between attempts and never retries.

mod probe;
mod settings;
mod trouble;
mod wire;

use std::sync::OnceLock;
use std::time::Duration;

use motet_core::event::{Failure, FailureKind, Usage};
use reqwest::{Client, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;
use tokio::time::timeout;

pub use probe::Probe;
pub use settings::{OllamaSettings, Problem};

use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::context::{Context, Progress};
use crate::model::{self, Message};
use wire::{ChatRequest, Lines, Options, Piece};

/// An answer, or one line of it, longer than this is a broken server.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Contexts come in few sizes, because the server loads the model anew for each.
const SMALLEST_CONTEXT: u64 = 4096;
const LONGEST_WITHOUT_KNOWING: u64 = 131_072;

/// Plays a role with a model.
#[derive(Debug)]
pub struct OllamaAgent {
    settings: OllamaSettings,
    client: Client,
    /// The longest context the model can have, asked once; None if the server would not say.
    context_length: OnceCell<Option<u64>>,
}

/// A whole answer.
struct Answered {
    text: String,
    last: Piece,
}

impl OllamaAgent {
    /// A call's own model settings come before these.
    pub fn new(settings: OllamaSettings) -> Result<Self, Failure> {
        install_crypto();
        let silence = Duration::from_secs(settings.request_timeout_s);
        let builder = Client::builder().connect_timeout(silence).redirect(reqwest::redirect::Policy::none());
        let builder = if settings.is_local() { builder.no_proxy() } else { builder };
        // A machine without certificates can still speak to a server that needs none.
        let builder = if settings.base_url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|error| {
            trouble::failure(FailureKind::Configuration, format!("no client for {} could be made: {error}", settings.server()))
        })?;
        Ok(Self { settings, client, context_length: OnceCell::new() })
    }

    pub fn settings(&self) -> &OllamaSettings {
        &self.settings
    }

    /// Ends with the usage known so far, beside whatever else it came to.
    async fn attempt(&self, request: &Request, context: &Context) -> Outcome {
        context.tell(Progress::Waiting(format!("waiting for {}", self.settings.model)));
        let messages = model::conversation(request);
        let model = &request.call.model;
        let max_tokens = self.settings.max_tokens.or(model.max_tokens).unwrap_or(settings::DEFAULT_MAX_TOKENS);
        let context_tokens = match self.context_for(&messages, max_tokens).await {
            Ok(tokens) => tokens,
            Err(failure) => return Outcome::Failed { failure, usage: Usage::default() },
        };
        let chat = ChatRequest {
            model: &self.settings.model,
            messages: &messages,
            stream: true,
            format: request.schema.as_ref().filter(|schema| model::wants_structure(Some(schema))),
            truncate: false,
            options: Options {
                temperature: self.settings.temperature.or(model.temperature).unwrap_or(settings::DEFAULT_TEMPERATURE),
                num_predict: max_tokens,
                num_ctx: context_tokens,
                seed: request.call.model.seed,
            },
        };
        let answered = match self.chat(&chat, context).await {
            Ok(answered) => answered,
            Err(failure) => return Outcome::Failed { failure, usage: Usage::default() },
        };
        self.read(&answered, request, max_tokens, context_tokens, context).with_usage(answered.last.usage())
    }

    async fn chat(&self, chat: &ChatRequest<'_>, context: &Context) -> Result<Answered, Failure> {
        let mut response = self.send(&self.settings.address("api/chat"), Some(chat)).await?;
        let mut lines = Lines::default();
        let mut text = String::new();
        let mut thinking = false;
        loop {
            let bytes = self.patiently(response.chunk()).await?;
            let ended = bytes.is_none();
            lines.push(&bytes.unwrap_or_default());
            while let Some(line) = lines.next().or_else(|| if ended { lines.rest() } else { None }) {
                let piece: Piece = serde_json::from_slice(&line).map_err(|_| trouble::malformed("is not in its format", &self.settings))?;
                if let Some(error) = &piece.error {
                    return Err(trouble::of_stream(error, &self.settings));
                }
                if !thinking && piece.message.thinking.as_deref().is_some_and(|thought| !thought.is_empty()) {
                    thinking = true;
                    context.tell(Progress::Waiting(format!("{} is thinking", self.settings.model)));
                }
                text.push_str(&piece.message.content);
                if !piece.message.content.is_empty() {
                    context.tell(Progress::Text(piece.message.content.clone()));
                }
                if piece.done {
                    return Ok(Answered { text, last: piece });
                }
            }
            if ended {
                return Err(trouble::malformed("ended before it was done", &self.settings));
            }
            if lines.waiting() > ANSWER_BYTES || text.len() > ANSWER_BYTES {
                return Err(trouble::malformed("does not come to an end", &self.settings));
            }
        }
    }

    fn read(&self, answered: &Answered, request: &Request, max_tokens: u64, context_tokens: u64, context: &Context) -> Outcome {
        let last = &answered.last;
        if last.prompt_eval_count >= context_tokens {
            let message = format!(
                "the prompt did not fit: {} reads {context_tokens} tokens at most here, and the prompt fills them all — shorten it, or use a model with a longer context",
                self.settings.model
            );
            return Outcome::failed(FailureKind::Configuration, message);
        }
        let written = model::separate_thoughts(&answered.text);
        if !written.thoughts.is_empty() {
            context.tell(Progress::Log(format!("{} thought: {}", self.settings.model, written.thoughts)));
        }
        let cut_off = last.was_cut_off().then_some(max_tokens);
        if cut_off.is_some() {
            context.tell(Progress::Log(format!("the answer of {} was cut off at max_tokens ({max_tokens})", self.settings.model)));
        }
        model::read(&written.answer, request.schema.as_ref(), cut_off)
    }

    /// A context that holds the conversation and the answer, in one of few sizes.
    async fn context_for(&self, messages: &[Message], max_tokens: u64) -> Result<u64, Failure> {
        let longest = *self.context_length.get_or_try_init(|| self.longest_context()).await?;
        let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
        // A token is rarely less than two and a half bytes, and hardly ever more than eight.
        let (most, least) = (bytes as u64 * 2 / 5 + 256, bytes as u64 / 8);
        let longest = longest.unwrap_or(LONGEST_WITHOUT_KNOWING);
        if least + max_tokens > longest {
            let message = format!(
                "the prompt is too long for {}: it has at least {least} tokens and the answer may have {max_tokens}, but the model reads {longest} in all — shorten it, or use a model with a longer context",
                self.settings.model
            );
            return Err(trouble::failure(FailureKind::Configuration, message));
        }
        Ok((most + max_tokens).next_power_of_two().max(SMALLEST_CONTEXT).min(longest))
    }

    async fn longest_context(&self) -> Result<Option<u64>, Failure> {
        let body = serde_json::json!({ "model": self.settings.model });
        match self.json::<wire::Shown>(&self.settings.address("api/show"), Some(&body)).await {
            Ok(shown) => Ok(shown.context_length()),
            // A server that is not there now may be there, and may tell, at the next attempt.
            Err(failure) if failure.kind.is_transient() => Err(failure),
            Err(_) => Ok(None),
        }
    }

    /// The names of the models that the server has.
    async fn models(&self) -> Result<Vec<String>, Failure> {
        let found: wire::Models = self.json(&self.settings.address("api/tags"), None::<&()>).await?;
        Ok(found.models.into_iter().map(|model| model.name).collect())
    }

    async fn json<Found: DeserializeOwned>(&self, address: &str, body: Option<&impl Serialize>) -> Result<Found, Failure> {
        let response = self.answered(address, body).await?;
        let status = response.status();
        let bytes = self.patiently(response.bytes()).await?;
        match status {
            StatusCode::NOT_FOUND => Err(trouble::not_ollama(&self.settings)),
            status if !status.is_success() => Err(trouble::of_status(status, &wire::error_in(&bytes), None, &self.settings)),
            _ => serde_json::from_slice(&bytes).map_err(|_| trouble::not_ollama(&self.settings)),
        }
    }

    /// The response of a request that the server accepted.
    async fn send(&self, address: &str, body: Option<&impl Serialize>) -> Result<Response, Failure> {
        let response = self.answered(address, body).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()).map(String::from);
        let error = wire::error_in(&self.patiently(response.bytes()).await?);
        if status == StatusCode::NOT_FOUND {
            let models = self.models().await?;
            return Err(trouble::no_such_model(&self.settings.model, &models, &self.settings));
        }
        Err(trouble::of_status(status, &error, retry_after.as_deref(), &self.settings))
    }

    async fn answered(&self, address: &str, body: Option<&impl Serialize>) -> Result<Response, Failure> {
        let request = match body {
            Some(body) => {
                let body = serde_json::to_vec(body).map_err(|error| trouble::failure(FailureKind::Configuration, error.to_string()))?;
                self.client.post(address).header("content-type", "application/json").body(body)
            }
            None => self.client.get(address),
        };
        self.patiently(request.send()).await
    }

    /// Waits for the server's next sign of life, and no longer than the settings say.
    async fn patiently<T>(&self, sign: impl Future<Output = reqwest::Result<T>>) -> Result<T, Failure> {
        match timeout(Duration::from_secs(self.settings.request_timeout_s), sign).await {
            Ok(sign) => sign.map_err(|error| trouble::of_transport(&error, &self.settings)),
            Err(_) => Err(trouble::silent(&self.settings)),
        }
    }
}

impl Agent for OllamaAgent {
    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            tokio::select! {
                biased;
                outcome = self.attempt(&request, context) => outcome,
                _ = context.stopped() => Outcome::failed(FailureKind::Cancelled, format!("{} was stopped in its answer", self.settings.model)),
            }
        })
    }
}

/// The client brings no cryptography of its own; the first caller chooses for the process, and every choice will do.
fn install_crypto() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
