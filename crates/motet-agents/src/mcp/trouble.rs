//! Everything that can go wrong between us and a tool server, turned into words that say what to do next. Once, here, for starting,
//! listing and calling.
//! It decides nothing: whether a server is replaced, its keeper knows.

use std::error::Error as StdError;
use std::time::Duration;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::declared::{McpServer, Reached};
use super::wire::is_endless;
use crate::model::{causes, encryption, innermost, is_refusal};

/// How much of a server's words is passed on.
const SHOWN_CHARACTERS: usize = 300;

/// Why a call came to nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The server said so; it goes on working.
    Said(String),
    /// It is there, and could not do it.
    Failed(String),
    /// It has answered, and nobody can tell what; the wire may know why.
    Unread(Option<String>),
    /// It did not answer in time, and may never answer anything again.
    Late(Duration),
    /// It is gone. How, the wire knows if there is no program to ask.
    Gone(Option<String>),
}

/// Why a server could not be used from the beginning.
pub(super) fn of_start(error: &ClientInitializeError, server: &McpServer) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => {
            of_wire(error, server).map_or_else(|| shown(&innermost(error)), |wire| wire.why)
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_start(fallback, server),
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection before it said who it is".into(),
        ClientInitializeError::JsonRpcError(error) => format!("it refused: {}", shown(&error.message)),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            "it speaks only versions of the protocol that Motet does not — use another version of it".into()
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            format!("it does not begin as the Model Context Protocol does — check {}", place(server))
        }
        other => shown(&other.to_string()),
    }
}

/// Why a question to a server that was there came to nothing.
pub(super) fn of_call(error: &ServiceError, server: &McpServer) -> Trouble {
    match error {
        ServiceError::McpError(error) => Trouble::Said(error.message.to_string()),
        ServiceError::Timeout { timeout } => Trouble::Late(*timeout),
        ServiceError::TransportClosed => Trouble::Gone(None),
        ServiceError::TransportSend(error) => match of_wire(error, server) {
            Some(Wire { why, left: Left::There }) => Trouble::Failed(why),
            Some(Wire { why, left: Left::Answered }) => Trouble::Unread(Some(why)),
            Some(Wire { why, left: Left::Gone }) => Trouble::Gone(Some(why)),
            None => Trouble::Gone(None),
        },
        other => Trouble::Said(shown(&other.to_string())),
    }
}

struct Wire {
    why: String,
    left: Left,
}

/// What is left of a server that was asked something.
enum Left {
    There,
    /// It has done what it was asked, perhaps, and has said so in a way that nobody understands.
    Answered,
    Gone,
}

/// What HTTP says of it. None: it was not reached over HTTP.
fn of_wire(error: &(dyn StdError + 'static), server: &McpServer) -> Option<Wire> {
    let Reached::Http { url, .. } = &server.reached else { return None };
    let error = causes(error).find_map(|cause| cause.downcast_ref::<StreamableHttpError<reqwest::Error>>())?;
    let place = place(server);
    let there = |why: String| Some(Wire { why, left: Left::There });
    let answered = |why: String| Some(Wire { why, left: Left::Answered });
    let gone = |why: String| Some(Wire { why, left: Left::Gone });
    match error {
        StreamableHttpError::Client(error) => match error.status() {
            Some(status) => there(of_status(status.as_u16(), "", server)),
            None => gone(unreached(error, url, &place)),
        },
        StreamableHttpError::HttpStatus(error) => there(of_status(error.status, "", server)),
        StreamableHttpError::AuthRequired(_) => there(of_status(401, "", server)),
        StreamableHttpError::InsufficientScope(_) => there(of_status(403, "", server)),
        StreamableHttpError::UnexpectedServerResponse(words) => match refused(words) {
            Some((status, body)) => there(of_status(status, body, server)),
            None => {
                answered(format!("{url} answers with something that is not the Model Context Protocol: {} — check {place}", shown(words)))
            }
        },
        StreamableHttpError::UnexpectedContentType(kind) => {
            let kind = kind.as_deref().unwrap_or("nothing that says what it is");
            there(format!("{url} is a server, but none of tools (it answers with {}) — check {place}", shown(kind)))
        }
        StreamableHttpError::Io(error) if is_endless(error) => {
            answered(format!("{url} gives an answer that does not come to an end — look into its log"))
        }
        StreamableHttpError::SessionExpired => gone(format!("{url} has forgotten who we are")),
        StreamableHttpError::TransportChannelClosed => None,
        other => gone(format!("the connection to {url} broke off: {}", shown(&innermost(other)))),
    }
}

/// The status of `HTTP 403 Forbidden: body`, and the body, as the client crate writes it.
fn refused(words: &str) -> Option<(u16, &str)> {
    let (status, body) = words.strip_prefix("HTTP ")?.split_once(':')?;
    Some((status.split(' ').next()?.parse().ok()?, body.trim()))
}

fn of_status(status: u16, body: &str, server: &McpServer) -> String {
    let Reached::Http { url, .. } = &server.reached else { return format!("it failed ({status})") };
    let (name, place) = (&server.name, place(server));
    let said = if body.is_empty() { String::new() } else { format!(": {}", shown(body)) };
    match status {
        401 | 403 => {
            format!("{url} does not let us in ({status}){said} — check the variables of `headers_env` of [tools.{name}]")
        }
        404 | 405 | 410 => format!("{url} has no server of tools there ({status}){said} — correct {place}"),
        300..=399 => format!("{url} has moved ({status}){said} — write the new address as {place}"),
        408 | 504 => format!("{url} took too long ({status}){said} — try again"),
        429 => format!("{url} has too many requests ({status}){said} — try again later"),
        500.. => format!("{url} failed ({status}){said} — look into its log, and try again"),
        _ => format!("{url} refused the request ({status}){said}"),
    }
}

fn unreached(error: &reqwest::Error, url: &str, place: &str) -> String {
    if error.is_connect() && causes(error).any(is_refusal) {
        format!("nothing listens at {url} — start it, or correct {place}")
    } else if error.is_connect() && causes(error).any(|cause| cause.to_string().contains("dns error")) {
        format!("{url} cannot be found — correct {place}, or check the network")
    } else if let Some(problem) = causes(error).find_map(encryption).filter(|_| error.is_connect()) {
        format!("{url} cannot be reached safely: {problem} — check its certificate, and {place}")
    } else if error.is_connect() || error.is_timeout() {
        format!("{url} cannot be reached: {} — check {place} and the network", shown(&innermost(error)))
    } else {
        format!("the connection to {url} broke off: {}", shown(&innermost(error)))
    }
}

fn place(server: &McpServer) -> String {
    let key = match &server.reached {
        Reached::Stdio { .. } => "command",
        Reached::Http { .. } => "url",
    };
    format!("`{key}` of [tools.{}]", server.name)
}

/// On one line, and short.
fn shown(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = one_line.chars().take(SHOWN_CHARACTERS).collect();
    if short.len() < one_line.len() { format!("{short}…") } else { short }
}
