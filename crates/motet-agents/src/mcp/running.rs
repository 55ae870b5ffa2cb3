//! One tool server at work: a connection, and the program behind it if we started one.
//! It is never started again: a new one takes its place.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use motet_core::event::{Failure, FailureKind};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
    JsonObject, PaginatedRequestParams, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RunningService, serve_client};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, model};
use tokio::process::Command;
use tokio::time::timeout;

use super::declared::{McpServer, Reached, wrong};
use super::trouble::{self, Trouble};
use super::wire::{ANSWER_BYTES, BoundedClient};
use crate::command::child::{Companion, how_status};
use crate::command::process::Ear;
use crate::connecting;
use crate::context::Context;

/// How long it may take to tell a server that nobody waits for its answer.
const TAKING_BACK: Duration = Duration::from_secs(1);

pub(super) struct Running {
    service: RunningService<RoleClient, ClientConfig>,
    program: Mutex<Option<Companion>>,
}

impl Running {
    /// Starts the server, or connects to it. What it prints on the side is kept in `log` and heard by `ear`.
    pub async fn start(server: &McpServer, log: Option<PathBuf>, ear: Ear) -> Result<Self, Failure> {
        match &server.reached {
            Reached::Stdio { command, env, secret_env, directory } => {
                let Some((program, arguments)) = command.split_first() else {
                    return Err(wrong(format!("the tool server `{}` has an empty command", server.name)));
                };
                let mut command = Command::new(program);
                command.args(arguments).envs(env).envs(secret_env.iter().map(|(name, value)| (name, value.reveal())));
                if let Some(directory) = directory {
                    command.current_dir(directory);
                }
                let (companion, stdin, stdout) =
                    Companion::start(command, log, Some(ear), &server.redaction()).map_err(|failure| named(server, failure))?;
                match timeout(server.timeout, serve_client(introduction(), (stdout, stdin))).await {
                    Ok(Ok(service)) => Ok(Self { service, program: Mutex::new(Some(companion)) }),
                    Ok(Err(error)) => Err(not_started(server, &trouble::of_start(&error, server), Some(companion)).await),
                    Err(_) => Err(not_started(server, &too_late(server.timeout), Some(companion)).await),
                }
            }
            Reached::Http { url, headers } => {
                let headers = headers.iter().filter_map(|(name, value)| {
                    let mut value = HeaderValue::from_str(value.reveal()).ok()?;
                    value.set_sensitive(true);
                    Some((HeaderName::try_from(name).ok()?, value))
                });
                let config = StreamableHttpClientTransportConfig::with_uri(url.clone()).custom_headers(headers.collect());
                let transport = StreamableHttpClientTransport::with_client(http_client(server, url)?, config);
                match timeout(server.timeout, serve_client(introduction(), transport)).await {
                    Ok(Ok(service)) => Ok(Self { service, program: Mutex::new(None) }),
                    Ok(Err(error)) => Err(not_started(server, &trouble::of_start(&error, server), None).await),
                    Err(_) => {
                        Err(not_started(server, &format!("{url} did not answer within {} s", server.timeout.as_secs_f64()), None).await)
                    }
                }
            }
        }
    }

    pub fn is_gone(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    pub async fn tools(&self, server: &McpServer) -> Result<Vec<model::Tool>, Trouble> {
        match timeout(server.timeout, self.every_tool(server)).await {
            Ok(listed) => listed,
            Err(_) => Err(Trouble::Late(server.timeout)),
        }
    }

    /// Page by page, as long as together they are no longer than one answer may be.
    async fn every_tool(&self, server: &McpServer) -> Result<Vec<model::Tool>, Trouble> {
        let (mut tools, mut bytes, mut cursor) = (Vec::new(), 0, None);
        loop {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let listed = self.service.peer().list_tools(Some(page)).await.map_err(|error| trouble::of_call(&error, server))?;
            bytes += serde_json::to_string(&listed).map_or(0, |text| text.len());
            if bytes > ANSWER_BYTES {
                return Err(Trouble::Failed("its list of tools does not come to an end".into()));
            }
            tools.extend(listed.tools);
            cursor = listed.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
    }

    /// A call that is stopped is taken back, so that the server need not go on. None: it was stopped.
    pub async fn call(
        &self,
        server: &McpServer,
        tool: &str,
        arguments: JsonObject,
        limit: Duration,
        context: &Context,
    ) -> Option<Result<model::CallToolResult, Trouble>> {
        let parameters = CallToolRequestParams::new(tool.to_string()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
        let sent = self.service.peer().send_cancellable_request(request, PeerRequestOptions::with_timeout(limit)).await;
        let trouble = |error| trouble::of_call(&error, server);
        let asked = match sent {
            Ok(asked) => asked,
            Err(error) => return Some(Err(trouble(error))),
        };
        let (peer, id) = (asked.peer.clone(), asked.id.clone());
        let answered = tokio::select! {
            answered = asked.await_response() => answered,
            _ = context.stopped() => {
                let taken_back = CancelledNotificationParam::new(Some(id), Some("whoever asked does not wait any more".into()));
                // A server that cannot be told goes on, as it would have without this.
                let _ = timeout(TAKING_BACK, peer.notify_cancelled(taken_back)).await;
                return None;
            }
        };
        Some(match answered {
            Ok(ServerResult::CallToolResult(result)) => Ok(result),
            Ok(_) => Err(Trouble::Unread(None)),
            Err(error) => Err(trouble(error)),
        })
    }

    /// How the program ended and what it said last, for people.
    pub async fn obituary(&self) -> String {
        let program = self.program.lock().unwrap_or_else(PoisonError::into_inner).take();
        match program {
            Some(companion) => epitaph(companion).await,
            None => "the connection was closed".into(),
        }
    }
}

async fn epitaph(companion: Companion) -> String {
    let stderr = companion.stderr();
    let how = match companion.end().await {
        Some(status) => format!("it {}", how_status(status)),
        None => "it closed its output and had to be ended".into(),
    };
    colon(how, &stderr.last_words())
}

/// A program that ended by itself says more by how it ended than the wire does.
async fn not_started(server: &McpServer, why: &str, companion: Option<Companion>) -> Failure {
    let why = match companion {
        Some(companion) => {
            let stderr = companion.stderr();
            match companion.end().await {
                Some(status) => colon(format!("it {}", how_status(status)), &stderr.last_words()),
                None => colon(why.to_string(), &stderr.last_words()),
            }
        }
        None => why.to_string(),
    };
    let could = match &server.reached {
        Reached::Stdio { .. } => "could not be started",
        Reached::Http { .. } => "cannot be used",
    };
    let message = server.redacted(&format!("the tool server `{}` {could}: {why}", server.name));
    Failure { kind: FailureKind::Unavailable, message }
}

/// What kept a program from starting says nothing of whose program it is.
fn named(server: &McpServer, failure: Failure) -> Failure {
    Failure { message: format!("the tool server `{}` could not be started: {}", server.name, failure.message), ..failure }
}

fn colon(told: String, why: &str) -> String {
    if why.is_empty() { told } else { format!("{told}: {why}") }
}

fn too_late(limit: Duration) -> String {
    format!("it did not answer within {} s", limit.as_secs_f64())
}

fn introduction() -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("motet", env!("CARGO_PKG_VERSION")))
}

fn http_client(server: &McpServer, url: &str) -> Result<BoundedClient, Failure> {
    let unreached = |why: String| wrong(server.redacted(&format!("the tool server `{}` cannot be reached: {why}", server.name)));
    let address = Url::parse(url).map_err(|error| unreached(error.to_string()))?;
    connecting::client(&address, server.timeout).map(BoundedClient).map_err(unreached)
}

/// Shared by everybody who calls its tools; the last one to let go ends it.
pub(super) type Shared = Arc<Running>;
