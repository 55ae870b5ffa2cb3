//! Everything that can go wrong with a model server, turned into a failure that says what to do next. Once, here, for every provider.
//! Whether to try again follows from the kind, and the machine decides it; only a server that is too busy is waited for by us.

use std::error::Error as StdError;
use std::io;
use std::time::{Duration, SystemTime};

use motet_core::event::{Failure, FailureKind};
use rig_core::ProviderError;
use rig_core::http_client::{self as http, HeaderMap};
use serde_json::Value;

use super::limits;
use super::provider::{Provider, ProviderKind};
use super::transport::{Broken, causes, innermost};
use crate::redaction::hidden;

/// How much of a server's words is passed on.
const SHOWN_CHARACTERS: usize = 300;

/// A failure, and what the governor and the agent need to know of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    pub failure: Failure,
    pub limited: Option<Limited>,
    /// The server does not have the model: the agent adds those that it has.
    pub no_such_model: bool,
    /// The server had taken the request, so that its answer may have to be paid for.
    pub may_cost: bool,
    /// The server refused the request because tools came with it, which the model cannot use.
    pub refuses_tools: bool,
}

/// The server has too much to do: the call may be made again after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limited {
    pub retry_after: Option<Duration>,
}

impl Trouble {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let failure = Failure { kind, message: message.into() };
        Self { failure, limited: None, no_such_model: false, may_cost: false, refuses_tools: false }
    }
}

/// What the client crate reports.
pub(super) fn of(error: &ProviderError, provider: &Provider) -> Trouble {
    if let Some(response) = error.provider_response() {
        let status = response.status.map(|status| status.as_u16()).filter(|status| *status >= 300);
        return of_response(status, &response.body, response.headers.as_ref(), response.refusal, provider);
    }
    match error {
        ProviderError::Http(error) => of_http(error, provider),
        ProviderError::Truncated => broken_stream("ended before it was done", provider),
        ProviderError::Json(error) => broken_stream(&format!("is not in its format: {error}"), provider),
        ProviderError::Response(words) | ProviderError::Provider(words) if words.contains("block") => refused(words, provider),
        ProviderError::Response(words) | ProviderError::Provider(words) => {
            broken_stream(&format!("cannot be used: {}", shown(words, provider)), provider)
        }
        other => {
            let message = format!("{} cannot be asked this: {}", provider.name, shown(&other.to_string(), provider));
            Trouble::new(FailureKind::Configuration, message)
        }
    }
}

/// What our own small requests report.
pub(super) fn of_broken(broken: &Broken, provider: &Provider) -> Trouble {
    match broken {
        Broken::Silent => silent(provider),
        Broken::Endless => broken_stream("does not come to an end", provider),
        Broken::Failed(error) => of_transport(error, provider),
        Broken::Unsupported => Trouble::new(FailureKind::Configuration, broken.to_string()),
    }
}

/// The server answered with an error.
pub(super) fn of_response(status: Option<u16>, body: &str, headers: Option<&HeaderMap>, refusal: bool, provider: &Provider) -> Trouble {
    let refuses_tools = status.is_some_and(|status| (400..500).contains(&status)) && Said::read(body, provider).is_about_tools();
    Trouble { refuses_tools, ..of_error(status, body, headers, refusal, provider) }
}

fn of_error(status: Option<u16>, body: &str, headers: Option<&HeaderMap>, refusal: bool, provider: &Provider) -> Trouble {
    let (name, server) = (&provider.name, provider.server());
    let said = Said::read(body, provider);
    let words = &said.words;
    let shown_status = status.map_or(String::new(), |status| format!(" ({status})"));
    let retry_after = headers.and_then(|headers| limits::retry_after(headers, SystemTime::now()));
    let limited = |message: String| Trouble { limited: Some(Limited { retry_after }), ..Trouble::new(FailureKind::RateLimited, message) };

    if refusal || said.is_a_refusal() {
        return refused(words, provider);
    }
    if said.is_too_long() {
        let message = format!("the prompt is too long for the model: {words} — shorten it, or use a model with a longer context");
        return Trouble::new(FailureKind::Configuration, message);
    }
    if said.is_out_of_money() {
        let message =
            format!("{name} takes no more calls on this account: {words} — add credit, or use another key ({})", provider.key_from);
        return Trouble::new(FailureKind::Configuration, message);
    }
    match status {
        Some(401 | 403) => {
            let message = format!("{name} at {server} does not let us in{shown_status}: {words} — check {}", provider.key_from);
            Trouble::new(FailureKind::Configuration, message)
        }
        Some(404) => {
            let message = format!("{name} at {server} has nothing there{shown_status}: {words} — check {}", provider.address_from);
            Trouble { no_such_model: said.names_the_model(), ..Trouble::new(FailureKind::NotFound, message) }
        }
        Some(408) if retry_after.is_some() => {
            limited(format!("{name} at {server} had no time for the request{}: {words}", asks_to_wait(retry_after)))
        }
        Some(408 | 504) => taken(Trouble::new(FailureKind::Timeout, format!("{name} at {server} took too long{shown_status}: {words}"))),
        Some(429) => limited(format!("{name} at {server} has too many requests{}: {words}", asks_to_wait(retry_after))),
        Some(529) => limited(format!("{name} at {server} is overloaded{}: {words}", asks_to_wait(retry_after))),
        Some(503) if said.is_loading() => limited(format!("{name} at {server} is still loading its model")),
        Some(503) if retry_after.is_some() => limited(format!("{name} at {server} is busy{}: {words}", asks_to_wait(retry_after))),
        None if said.is_limited() => limited(format!("{name} at {server} has too much to do: {words}")),
        None if said.names_the_model() && said.is_missing() => {
            let message = format!("{name} at {server} does not have the model: {words}");
            Trouble { no_such_model: true, ..Trouble::new(FailureKind::NotFound, message) }
        }
        None => {
            let message = format!("{name} at {server} gave up in the middle of its answer: {words}");
            taken(Trouble::new(FailureKind::Unavailable, message))
        }
        Some(500..) => Trouble::new(FailureKind::Unavailable, format!("{name} at {server} failed{shown_status}: {words}")),
        Some(_) if said.names_the_model() && said.is_missing() => {
            let message = format!("{name} at {server} does not have the model{shown_status}: {words}");
            Trouble { no_such_model: true, ..Trouble::new(FailureKind::NotFound, message) }
        }
        Some(_) if said.is_a_bad_key() => {
            let message = format!("{name} at {server} does not let us in{shown_status}: {words} — check {}", provider.key_from);
            Trouble::new(FailureKind::Configuration, message)
        }
        Some(_) => Trouble::new(FailureKind::Configuration, format!("{name} at {server} refused the request{shown_status}: {words}")),
    }
}

pub(super) fn refused(words: &str, provider: &Provider) -> Trouble {
    let words = shown(words, provider);
    let message = format!("{} refused to answer: {words} — ask differently, or use another model", provider.name);
    Trouble::new(FailureKind::Refused, message)
}

pub(super) fn no_such_model(model: &str, models: &[String], provider: &Provider) -> Failure {
    const NAMED: usize = 40;
    let more = models.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let there = if models.is_empty() {
        "it has none yet".into()
    } else {
        format!("it has {}{more}", models.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    let cure = match provider.kind {
        ProviderKind::Ollama => format!("pull it with `ollama pull {model}`, or choose another with `--model`"),
        _ => "choose another with `--model`".into(),
    };
    let message = format!("{} at {} has no model `{model}` ({there}) — {cure}", provider.name, provider.server());
    Failure { kind: FailureKind::NotFound, message }
}

pub(super) fn another_server(provider: &Provider) -> Trouble {
    let what = if provider.kind == ProviderKind::Ollama { "not Ollama" } else { "it does not speak the expected format" };
    let message = format!("there is a server at {}, but {what} — check {}", provider.server(), provider.address_from);
    Trouble::new(FailureKind::NotFound, message)
}

fn of_http(error: &http::Error, provider: &Provider) -> Trouble {
    match error {
        http::Error::Instance(cause) => match cause.downcast_ref::<Broken>() {
            Some(broken) => of_broken(broken, provider),
            None => broken_stream(&format!("broke off: {}", shown(&cause.to_string(), provider)), provider),
        },
        http::Error::InvalidContentType(_) => another_server(provider),
        http::Error::StreamEnded => broken_stream("ended before it was done", provider),
        other => {
            let message = format!("{} cannot be asked: {}", provider.server(), shown(&other.to_string(), provider));
            Trouble::new(FailureKind::Configuration, message)
        }
    }
}

/// The request did not get through, or the answer broke off.
fn of_transport(error: &reqwest::Error, provider: &Provider) -> Trouble {
    let (name, server, setting) = (&provider.name, provider.server(), &provider.address_from);
    let message = if error.is_builder() {
        return Trouble::new(FailureKind::Configuration, format!("{server} cannot be asked: check {setting}"));
    } else if error.is_connect() && causes(error).any(is_refusal) {
        let cure = match provider.kind {
            ProviderKind::Ollama => {
                format!("start it with `ollama serve`, choose another model with `--model`, or point {setting} elsewhere")
            }
            _ => format!("start it, or check {setting}"),
        };
        format!("{name} is not running at {server} — {cure}")
    } else if error.is_connect() && causes(error).any(|cause| cause.to_string().contains("dns error")) {
        format!("{server} cannot be found: {} — check {setting} and the network", innermost(error))
    } else if let Some(problem) = causes(error).find_map(encryption).filter(|_| error.is_connect()) {
        let message = format!("{server} cannot be reached safely: {problem} — {}", cure_of_encryption(problem, setting));
        return Trouble::new(FailureKind::Configuration, message);
    } else if error.is_connect() {
        format!("{server} cannot be reached: {} — check {setting} and the network", innermost(error))
    } else {
        let message = format!("the connection to {name} at {server} broke off: {}", innermost(error));
        return taken(Trouble::new(FailureKind::Unavailable, message));
    };
    Trouble::new(FailureKind::Unavailable, message)
}

fn silent(provider: &Provider) -> Trouble {
    let (name, server, seconds) = (&provider.name, provider.server(), provider.request_timeout.as_secs_f64());
    let cure = match provider.kind {
        ProviderKind::Ollama if name == provider.kind.title() => {
            "it may still be loading the model; raise OLLAMA_REQUEST_TIMEOUT to wait longer".to_string()
        }
        kind => {
            let section = if name == kind.title() { kind.word() } else { name };
            format!("raise `timeout` of [providers.{section}] to wait longer")
        }
    };
    taken(Trouble::new(FailureKind::Timeout, format!("{name} at {server} said nothing for {seconds} s — {cure}")))
}

fn broken_stream(what: &str, provider: &Provider) -> Trouble {
    taken(Trouble::new(FailureKind::Unavailable, format!("the answer of {} at {} {what}", provider.name, provider.server())))
}

fn taken(trouble: Trouble) -> Trouble {
    Trouble { may_cost: true, ..trouble }
}

fn asks_to_wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or(String::new(), |wait| format!("; it asks to wait {} s", wait.as_secs_f64()))
}

pub(crate) fn is_refusal(cause: &(dyn StdError + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// The trouble with the encryption that a cause is, or that is wrapped in it: an `io::Error` does not name what it holds as its source.
pub(crate) fn encryption<'a>(cause: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    let wrapped = || {
        let inner: &(dyn StdError + 'static) = cause.downcast_ref::<io::Error>()?.get_ref()?;
        causes(inner).find_map(encryption)
    };
    cause.downcast_ref().or_else(wrapped)
}

fn cure_of_encryption(problem: &rustls::Error, setting: &str) -> String {
    match problem {
        rustls::Error::InvalidCertificate(_) => {
            format!("make its certificate trusted on this machine, or check that {setting} names the server that you mean")
        }
        _ => format!("check that it speaks https and not http, and {setting}"),
    }
}

/// Without secrets, on one line, and short; in this order, since half a secret would be known to nobody any more.
fn shown(text: &str, provider: &Provider) -> String {
    let clean = hidden().string(provider.redact(text));
    let one_line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = one_line.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < one_line.len() { format!("{short}…") } else { short }
}

/// An error body: what the server says, and the words by which programs know it.
struct Said {
    words: String,
    codes: Vec<String>,
}

impl Said {
    /// `{"error": {"message": …, "type": …, "code": …, "status": …}}`, `{"error": "…"}`, a list of those, or whatever it is.
    fn read(body: &str, provider: &Provider) -> Self {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let json = json.get(0).unwrap_or(&json);
        let error = json.get("error").unwrap_or(json);
        let words = error.as_str().or_else(|| error.get("message")?.as_str()).filter(|words| !words.is_empty());
        let codes = ["type", "code", "status"].iter().filter_map(|key| match error.get(key)? {
            Value::String(code) => Some(code.to_lowercase()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        });
        let words = match words {
            Some(words) => shown(words, provider),
            None if body.trim().is_empty() => "without a word".into(),
            None => shown(body, provider),
        };
        Self { words, codes: codes.collect() }
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    fn says(&self, phrases: &[&str]) -> bool {
        let words = self.words.to_lowercase();
        phrases.iter().any(|phrase| words.contains(phrase))
    }

    fn is_too_long(&self) -> bool {
        self.has_code(&["context_length_exceeded", "exceed_context_size_error"])
            || self.says(&[
                "context length",
                "context size",
                "context window",
                "context limit",
                "prompt is too long",
                "input is too long",
                "exceeds the maximum number of tokens",
            ])
    }

    fn is_a_refusal(&self) -> bool {
        self.has_code(&["content_filter", "content_policy_violation", "moderation_blocked"])
            || self.says(&["content management policy", "content policy", "content filter", "safety system", "block_reason", "blockreason"])
    }

    fn is_out_of_money(&self) -> bool {
        self.has_code(&["insufficient_quota", "billing_hard_limit_reached", "billing_error"])
            || self.says(&["credit balance is too low", "insufficient credits"])
    }

    fn is_limited(&self) -> bool {
        self.has_code(&["overloaded_error", "rate_limit_error", "rate_limit_exceeded", "429", "529"])
    }

    /// As llama.cpp says it while it starts.
    fn is_loading(&self) -> bool {
        self.says(&["loading model"])
    }

    /// As Ollama, vLLM, OpenRouter and the large providers say it of a model that was not made for tools.
    fn is_about_tools(&self) -> bool {
        self.says(&["tool", "function call"])
            && self.says(&["not support", "n't support", "unsupported", "not enabled", "that support tool", "requires --"])
    }

    fn is_a_bad_key(&self) -> bool {
        self.has_code(&["invalid_api_key", "authentication_error"]) || self.says(&["api key not valid", "invalid api key"])
    }

    fn names_the_model(&self) -> bool {
        self.has_code(&["model_not_found"]) || self.says(&["model"])
    }

    fn is_missing(&self) -> bool {
        self.has_code(&["model_not_found", "not_found_error", "not_found"]) || self.says(&["not found", "does not exist", "not exist"])
    }
}
