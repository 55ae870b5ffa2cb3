//! Everything that can go wrong with a model server, turned into a failure that says what to do next. Once, here, for every provider.
//! Whether to try again follows from the kind, and the machine decides it; only a server that is too busy is waited for by us.

use std::error::Error as StdError;
use std::io;
use std::time::{Duration, SystemTime};

use motet_core::event::{Failure, FailureKind};
use rig_core::ProviderError;
use rig_core::http_client::{self as http, HeaderMap};

use super::account::Tokens;
use super::limits;
use super::provider::{Provider, ProviderKind, without_secrets};
use super::said::{Reason, Said, ShapeRefusal};
use super::transport::{Broken, causes, innermost};
use crate::redaction::hidden;

/// How much of a server's words is passed on.
const SHOWN_CHARACTERS: usize = 300;
/// What to do next, by what went wrong.
const MAY_PASS: &str = "it may pass; if it does not, look at the log of the server and at what stands in between, or use another model";
const LESS_AT_ONCE: &str = "ask for less at once, or let the server and what stands in between wait longer";
const OTHER_SETTINGS: &str = "compare what it says with the settings of the role (`motet config show`), or use another model";
const ANOTHER_MODEL: &str = "choose another with `--model`";

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
    /// The server refused the request because a schema came with it.
    pub(super) refuses_shape: Option<ShapeRefusal>,
    /// Of an answer that the server gave, if it did.
    pub status: Option<u16>,
    /// What the server itself counted before it failed, if it did.
    pub(super) counted: Option<Tokens>,
}

/// The server has too much to do: the call may be made again after a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limited {
    pub retry_after: Option<Duration>,
    /// In the server's own words, for whoever waits.
    pub said: String,
}

impl Trouble {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let failure = Failure { kind, message: message.into() };
        Self {
            failure,
            limited: None,
            no_such_model: false,
            may_cost: false,
            refuses_tools: false,
            refuses_shape: None,
            status: None,
            counted: None,
        }
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
        ProviderError::Json(error) => garbled(&format!("is not in its format: {error}"), provider),
        ProviderError::Response(words) | ProviderError::Provider(words) => {
            garbled(&format!("cannot be used: {}", shown(words, provider)), provider)
        }
        other => {
            let message = format!("{} cannot be asked this: {} — {OTHER_SETTINGS}", provider.name, shown(&other.to_string(), provider));
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
    let said = Said::read(body, provider);
    let status = status.or_else(|| said.status());
    let refuses_tools = status.is_some_and(|status| (400..500).contains(&status)) && said.is_about_tools();
    let refuses_shape = status.and_then(|status| said.refuses_shape(status));
    Trouble { refuses_tools, refuses_shape, status, ..of_error(status, body, headers, refusal, provider) }
}

fn of_error(status: Option<u16>, body: &str, headers: Option<&HeaderMap>, refusal: bool, provider: &Provider) -> Trouble {
    let (name, server) = (&provider.name, provider.server());
    let said = Said::read(body, provider);
    let words = &said.words;
    let shown_status = status.map_or(String::new(), |status| format!(" ({status})"));
    let retry_after = headers.and_then(|headers| limits::retry_after(headers, SystemTime::now()));
    let limited = |message: String| Trouble {
        limited: Some(Limited { retry_after, said: words.clone() }),
        ..Trouble::new(FailureKind::RateLimited, message)
    };
    let wrong = |message: String| Trouble::new(FailureKind::Configuration, message);

    match said.reason(status) {
        _ if refusal => return refused(words, provider),
        Some(Reason::Refused) => return refused(words, provider),
        Some(Reason::TooLong) => {
            return wrong(format!("the prompt is too long for the model: {words} — shorten it, or use a model with a longer context"));
        }
        Some(Reason::OutOfMoney) => {
            let key = &provider.key_from;
            return wrong(format!("{name} takes no more calls on this account: {words} — add credit, or use another key ({key})"));
        }
        None => {}
    }
    match status {
        Some(300..=399) => moved(shown_status, headers, provider),
        Some(401 | 403) => wrong(format!("{name} at {server} does not let us in{shown_status}: {words} — check {}", provider.key_from)),
        Some(404) if said.names_the_model() => {
            let message = format!("{name} at {server} does not have the model{shown_status}: {words} — {ANOTHER_MODEL}");
            Trouble { no_such_model: true, ..Trouble::new(FailureKind::NotFound, message) }
        }
        Some(404) => {
            let message = format!("{name} at {server} has nothing there{shown_status}: {words} — check {}", provider.address_from);
            Trouble::new(FailureKind::NotFound, message)
        }
        Some(408) if retry_after.is_some() => {
            limited(format!("{name} at {server} had no time for the request{}: {words}", asks_to_wait(retry_after)))
        }
        Some(408 | 504) => {
            let message = format!("{name} at {server} took too long{shown_status}: {words} — {LESS_AT_ONCE}");
            taken(Trouble::new(FailureKind::Timeout, message))
        }
        Some(429) if said.is_never_taken() => wrong(format!(
            "{name} at {server} will not take this call however long we wait{shown_status}: {words} — shorten the prompt, lower `max_tokens`, or use a model of which the account may have more"
        )),
        Some(429) => limited(format!("{name} at {server} has too many requests{}: {words}", asks_to_wait(retry_after))),
        Some(529) => limited(format!("{name} at {server} is overloaded{}: {words}", asks_to_wait(retry_after))),
        Some(503) if said.is_loading() => limited(format!("{name} at {server} is still loading its model")),
        Some(503) if retry_after.is_some() => limited(format!("{name} at {server} is busy{}: {words}", asks_to_wait(retry_after))),
        None if said.is_limited() => limited(format!("{name} at {server} has too much to do: {words}")),
        None if said.names_the_model() && said.is_missing() => {
            let message = format!("{name} at {server} does not have the model: {words} — {ANOTHER_MODEL}");
            Trouble { no_such_model: true, ..Trouble::new(FailureKind::NotFound, message) }
        }
        None => {
            let message = format!("{name} at {server} gave up in the middle of its answer: {words} — {MAY_PASS}");
            taken(Trouble::new(FailureKind::Unavailable, message))
        }
        // No wait teaches a server what it was not made for.
        Some(501) => wrong(format!("{name} at {server} cannot do this{shown_status}: {words} — {OTHER_SETTINGS}")),
        Some(500..) => Trouble::new(FailureKind::Unavailable, format!("{name} at {server} failed{shown_status}: {words} — {MAY_PASS}")),
        Some(_) if said.names_the_model() && said.is_missing() => {
            let message = format!("{name} at {server} does not have the model{shown_status}: {words} — {ANOTHER_MODEL}");
            Trouble { no_such_model: true, ..Trouble::new(FailureKind::NotFound, message) }
        }
        Some(_) if said.is_a_bad_key() => {
            wrong(format!("{name} at {server} does not let us in{shown_status}: {words} — check {}", provider.key_from))
        }
        Some(_) => wrong(format!("{name} at {server} refused the request{shown_status}: {words} — {OTHER_SETTINGS}")),
    }
}

/// No redirect is followed, since a key would follow it.
fn moved(shown_status: String, headers: Option<&HeaderMap>, provider: &Provider) -> Trouble {
    let (name, server, setting) = (&provider.name, provider.server(), &provider.address_from);
    let location = headers.and_then(|headers| headers.get("location")?.to_str().ok()).map(without_secrets);
    let message = match location.map(|location| shown(&location, provider)).filter(|location| !location.is_empty()) {
        Some(location) => format!(
            "{name} at {server} sends us elsewhere{shown_status}, to {location} — if that is the server that you mean, let {setting} lead there"
        ),
        None => format!("{name} at {server} sends us elsewhere{shown_status} and does not say where — check {setting}"),
    };
    Trouble::new(FailureKind::Configuration, message)
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

/// A server that goes on writing long after the limit that it was given.
pub(super) fn does_not_end(bytes: usize, provider: &Provider) -> Trouble {
    let (name, server) = (&provider.name, provider.server());
    let message = format!(
        "{name} at {server} does not keep to `max_tokens`: its answer has {bytes} bytes and goes on — use another model, or a server that keeps to it"
    );
    taken(Trouble::new(FailureKind::InvalidOutput, message))
}

pub(super) fn another_server(provider: &Provider) -> Trouble {
    let what = if provider.kind == ProviderKind::Ollama { "not Ollama" } else { "it does not speak the expected format" };
    let message = format!("there is a server at {}, but {what} — check {}", provider.server(), provider.address_from);
    Trouble::new(FailureKind::NotFound, message)
}

/// It may well be the right server: many that stand in between gather an answer before they pass it on.
fn in_one_piece(provider: &Provider) -> Trouble {
    let message = format!(
        "{} at {} answered in one piece though it was asked to stream — switch streaming on there, or check that {} leads to the server itself",
        provider.name,
        provider.server(),
        provider.address_from
    );
    taken(Trouble::new(FailureKind::Configuration, message))
}

fn of_http(error: &http::Error, provider: &Provider) -> Trouble {
    match error {
        http::Error::Instance(cause) => match cause.downcast_ref::<Broken>() {
            Some(broken) => of_broken(broken, provider),
            None => broken_stream(&format!("broke off: {}", shown(&cause.to_string(), provider)), provider),
        },
        http::Error::InvalidContentType(found) if found.to_str().is_ok_and(|found| found.contains("json")) => in_one_piece(provider),
        http::Error::InvalidContentType(_) => another_server(provider),
        http::Error::StreamEnded => broken_stream("ended before it was done", provider),
        other => {
            let (server, setting) = (provider.server(), &provider.address_from);
            let message = format!("{server} cannot be asked: {} — check {setting}", shown(&other.to_string(), provider));
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
        let message = format!("the connection to {name} at {server} broke off: {} — {MAY_PASS}", innermost(error));
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
    taken(Trouble::new(FailureKind::Unavailable, format!("the answer of {} at {} {what} — {MAY_PASS}", provider.name, provider.server())))
}

/// The server ended its answer with a word that no whole answer ends with.
pub(super) fn unfinished(word: &str, provider: &Provider) -> Trouble {
    broken_stream(&format!("is not whole: it ended with `{}`", shown(word, provider)), provider)
}

/// What came is no answer in the format that was agreed on.
fn garbled(what: &str, provider: &Provider) -> Trouble {
    let (name, server, setting) = (&provider.name, provider.server(), &provider.address_from);
    let cure = format!("if it stays so, check that {setting} leads to a server of the kind `{}`, and that it is up to date", provider.kind);
    taken(Trouble::new(FailureKind::Unavailable, format!("the answer of {name} at {server} {what} — {cure}")))
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
pub(super) fn shown(text: &str, provider: &Provider) -> String {
    let clean = hidden().string(provider.redact(text));
    let one_line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = one_line.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < one_line.len() { format!("{short}…") } else { short }
}
