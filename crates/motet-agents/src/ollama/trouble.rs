//! Everything that can go wrong with a model server, turned into a failure that says what to do next. Once, here.
//! Whether to try again follows from the kind, and the machine decides it.

use std::error::Error;
use std::io;

use motet_core::event::{Failure, FailureKind};
use reqwest::StatusCode;

use super::settings::{BASE_URL, OllamaSettings, REQUEST_TIMEOUT};

pub(super) fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, message: message.into() }
}

/// The request did not get through, or the answer broke off.
pub(super) fn of_transport(error: &reqwest::Error, settings: &OllamaSettings) -> Failure {
    let server = settings.server();
    if error.is_timeout() {
        return silent(settings);
    }
    if error.is_connect() && causes(error).any(is_refusal) {
        let message = format!("Ollama is not running at {server} — start it with `ollama serve`, or point {BASE_URL} elsewhere");
        return failure(FailureKind::Unavailable, message);
    }
    if error.is_connect() {
        let why = innermost(error);
        return failure(FailureKind::Unavailable, format!("{server} cannot be reached: {why} — check {BASE_URL} and the network"));
    }
    if error.is_builder() {
        return failure(FailureKind::Configuration, format!("{server} cannot be asked: check {BASE_URL}"));
    }
    failure(FailureKind::Unavailable, format!("the connection to Ollama at {server} broke off: {}", innermost(error)))
}

pub(super) fn silent(settings: &OllamaSettings) -> Failure {
    let (server, seconds) = (settings.server(), settings.request_timeout_s);
    let message = format!(
        "Ollama at {server} said nothing for {seconds} s — it may still be loading the model; raise {REQUEST_TIMEOUT} to wait longer"
    );
    failure(FailureKind::Timeout, message)
}

pub(super) fn malformed(what: &str, settings: &OllamaSettings) -> Failure {
    failure(FailureKind::Unavailable, format!("the answer of Ollama at {} {what}", settings.server()))
}

/// The server said in the middle of an answer that it could not go on.
pub(super) fn of_stream(error: &str, settings: &OllamaSettings) -> Failure {
    failure(FailureKind::Unavailable, format!("Ollama at {} gave up in the middle of its answer: {error}", settings.server()))
}

/// The server answered with an error. A missing model is told elsewhere, with the models that are there.
pub(super) fn of_status(status: StatusCode, error: &str, retry_after: Option<&str>, settings: &OllamaSettings) -> Failure {
    let server = settings.server();
    match status.as_u16() {
        429 => {
            let wait = retry_after.map_or(String::new(), |wait| format!("; it asks to wait {wait} s"));
            failure(FailureKind::RateLimited, format!("Ollama at {server} has too many requests{wait}: {error}"))
        }
        401 | 403 => failure(FailureKind::Configuration, format!("{server} does not let us in ({status}): {error} — check {BASE_URL}")),
        408 | 504 => failure(FailureKind::Timeout, format!("Ollama at {server} took too long ({status}): {error}")),
        500.. => failure(FailureKind::Unavailable, format!("Ollama at {server} failed ({status}): {error}")),
        400 if error.contains("context length") || error.contains("context size") => failure(
            FailureKind::Configuration,
            format!("the prompt is too long for the model: {error} — shorten it, or use a model with a longer context"),
        ),
        _ => failure(FailureKind::Configuration, format!("Ollama at {server} refused the request ({status}): {error}")),
    }
}

pub(super) fn no_such_model(model: &str, models: &[String], settings: &OllamaSettings) -> Failure {
    let there = if models.is_empty() { "it has none yet".into() } else { format!("it has {}", models.join(", ")) };
    let message = format!("Ollama at {} has no model `{model}` ({there}) — pull it with `ollama pull {model}`", settings.server());
    failure(FailureKind::NotFound, message)
}

pub(super) fn not_ollama(settings: &OllamaSettings) -> Failure {
    failure(FailureKind::NotFound, format!("there is a server at {}, but not Ollama — check {BASE_URL}", settings.server()))
}

fn is_refusal(cause: &(dyn Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}
