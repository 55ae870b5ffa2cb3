//! The bytes to and from a model server, with patience that ends and answers that end.
//! It tells the governor what every response says about limits, and decides nothing about what a status means.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use motet_core::event::{Failure, FailureKind};
use reqwest::Client;
use rig_core::http_client::{
    self as http, HeaderMap, HeaderValue, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse,
};
use serde_json::Value;
use tokio::time::timeout;

use super::governor::Governor;
use super::pool;
use super::provider::{Provider, ProviderKind};
use super::said::error_in;

/// An answer longer than this is a broken server.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

#[derive(Clone)]
pub(super) struct Transport {
    client: Client,
    silence: Duration,
    governor: Arc<Governor>,
    /// A key that travels in a header of its own, and not in the address where proxies would log it.
    key: Option<HeaderValue>,
    /// Whether answers are streams of events, so that one of plain JSON is none.
    hears_events: bool,
}

/// Why no answer came, or no whole one.
#[derive(Debug)]
pub(super) enum Broken {
    /// The server said nothing for as long as it may.
    Silent,
    /// The answer does not come to an end.
    Endless,
    /// The request did not get through, or the answer broke off.
    Failed(reqwest::Error),
    /// We asked for something that this client does not do.
    Unsupported,
}

impl Transport {
    pub fn new(provider: &Provider, governor: Arc<Governor>) -> Result<Self, Failure> {
        let (client, silence) = (pool::client(provider)?, provider.request_timeout);
        let key = match &provider.key {
            Some(key) if provider.kind == ProviderKind::Gemini => {
                let mut header = HeaderValue::from_str(key.reveal()).map_err(|_| bad_key(provider))?;
                header.set_sensitive(true);
                Some(header)
            }
            Some(key) => HeaderValue::from_str(key.reveal()).map(|_| None).map_err(|_| bad_key(provider))?,
            None => None,
        };
        Ok(Self { client, silence, governor, key, hears_events: provider.kind != ProviderKind::Ollama })
    }

    /// A small JSON answer, whatever its status, to whoever has this key.
    pub async fn json(&self, address: &str, key: Option<&str>, body: Option<&Value>) -> Result<(u16, HeaderMap, Vec<u8>), Broken> {
        let request = match body {
            Some(body) => self.client.post(address).header("content-type", "application/json").body(body.to_string()),
            None => self.client.get(address),
        };
        let request = match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        let response = self.patiently(request.send()).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok((status, headers, self.whole(response).await?.to_vec()))
    }

    async fn open(&self, parts: http::Request<Bytes>) -> Result<reqwest::Response, Broken> {
        let (parts, body) = parts.into_parts();
        let address = without_empty_key(&parts.uri.to_string());
        let mut request = self.client.request(parts.method, address).headers(parts.headers).body(body);
        if let Some(key) = &self.key {
            request = request.header("x-goog-api-key", key.clone());
        }
        let asking = self.governor.asking();
        let response = self.patiently(request.send()).await?;
        asking.hear(response.headers());
        if response.status().is_success() {
            self.governor.took();
        }
        Ok(response)
    }

    async fn whole(&self, mut response: reqwest::Response) -> Result<Bytes, Broken> {
        let mut whole = Vec::new();
        while let Some(chunk) = self.patiently(response.chunk()).await? {
            whole.extend_from_slice(&chunk);
            if whole.len() > ANSWER_BYTES {
                return Err(Broken::Endless);
            }
        }
        Ok(whole.into())
    }

    /// Waits for the server's next sign of life, and no longer than the settings say.
    async fn patiently<T>(&self, sign: impl Future<Output = reqwest::Result<T>>) -> Result<T, Broken> {
        match timeout(self.silence, sign).await {
            Ok(Ok(sign)) => Ok(sign),
            Ok(Err(error)) if error.is_timeout() && !error.is_connect() => Err(Broken::Silent),
            // An address may carry a key or a password.
            Ok(Err(error)) => Err(Broken::Failed(error.without_url())),
            Err(_) => Err(Broken::Silent),
        }
    }

    /// The response of a request that the server accepted; any other with its body, so that it can be told what was wrong.
    async fn accepted(&self, parts: Request<Bytes>) -> http::Result<reqwest::Response> {
        let response = self.open(parts).await.map_err(http::Error::instance)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = self.whole(response).await.map_err(http::Error::instance)?;
        Err(http::Error::non_success_with_details(status, headers, String::from_utf8_lossy(&body).into_owned()))
    }
}

impl Transport {
    /// Some servers fail with the status of success, and say so in plain JSON. What else they say in it is passed on as it is.
    async fn no_stream(&self, response: reqwest::Response) -> http::Result<StreamingResponse> {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = self.whole(response).await.map_err(http::Error::instance)?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        if error_in(&answer).is_some() {
            return Err(http::Error::non_success_with_details(status, headers, String::from_utf8_lossy(&body).into_owned()));
        }
        with_head(status, headers, Box::pin(stream::iter([Ok(body)])) as _)
    }
}

impl HttpClientExt for Transport {
    fn send<T, U>(&self, request: Request<T>) -> impl Future<Output = http::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let (transport, request) = (self.clone(), request.map(Into::into));
        async move {
            let response = transport.accepted(request).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let body: LazyBody<U> = Box::pin(async move { Ok(transport.whole(response).await.map_err(http::Error::instance)?.into()) });
            with_head(status, headers, body)
        }
    }

    fn send_multipart<U>(&self, _: Request<MultipartForm>) -> impl Future<Output = http::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        std::future::ready(Err(http::Error::instance(Broken::Unsupported)))
    }

    fn send_streaming<T>(&self, request: Request<T>) -> impl Future<Output = http::Result<StreamingResponse>> + Send
    where
        T: Into<Bytes> + Send,
    {
        let (transport, request) = (self.clone(), request.map(Into::into));
        async move {
            let response = transport.accepted(request).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            if transport.hears_events && is_json(&headers) {
                return transport.no_stream(response).await;
            }
            let pieces = stream::unfold(Some((transport, response, 0)), |state| async {
                let (transport, mut response, read) = state?;
                match transport.patiently(response.chunk()).await {
                    Ok(None) => None,
                    Ok(Some(chunk)) if read + chunk.len() <= ANSWER_BYTES => {
                        let read = read + chunk.len();
                        Some((Ok(chunk), Some((transport, response, read))))
                    }
                    Ok(Some(_)) => Some((Err(http::Error::instance(Broken::Endless)), None)),
                    Err(broken) => Some((Err(http::Error::instance(broken)), None)),
                }
            });
            with_head(status, headers, Box::pin(pieces) as _)
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => out.write_str("the server said nothing"),
            Self::Endless => out.write_str("the answer does not come to an end"),
            Self::Failed(error) => out.write_str(&innermost(error)),
            Self::Unsupported => out.write_str("files cannot be sent to a model"),
        }
    }
}

impl StdError for Broken {}

/// The last of the causes, which is the one that says something.
pub(crate) fn innermost(error: &(dyn StdError + 'static)) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

pub(crate) fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |cause: &&'a (dyn StdError + 'static)| (*cause).source())
}

fn with_head<Body>(status: http::StatusCode, headers: http::HeaderMap, body: Body) -> http::Result<Response<Body>> {
    let mut response = Response::builder().status(status).body(body)?;
    *response.headers_mut() = headers;
    Ok(response)
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The client crate writes a key into the address; it is left empty there and sent in a header instead.
fn without_empty_key(address: &str) -> String {
    address.strip_suffix("?key=").or_else(|| address.strip_suffix("&key=")).unwrap_or(address).to_string()
}

fn bad_key(provider: &Provider) -> Failure {
    let message = format!("the key of {} cannot be sent: it holds characters that no key has — check {}", provider.name, provider.key_from);
    Failure { kind: FailureKind::Configuration, message }
}
