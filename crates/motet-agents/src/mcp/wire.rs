//! The bytes to and from a tool server over HTTP, with answers that end: whatever a server sends, no more than `ANSWER_BYTES` is kept.
//! It decides nothing about what an answer means. Streams that answer nothing are the client crate's, which bounds their events itself.

use std::borrow::Cow;
#[expect(clippy::disallowed_types, reason = "the client crate's trait is written with it")]
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::mending::mended;

/// An answer longer than this is a broken server.
pub(super) const ANSWER_BYTES: usize = 16 * 1024 * 1024;

type Failed = StreamableHttpError<reqwest::Error>;
#[expect(clippy::disallowed_types, reason = "the client crate's trait is written with it")]
type Headers = HashMap<HeaderName, HeaderValue>;

#[derive(Clone)]
pub(super) struct BoundedClient(pub Client);

impl StreamableHttpClient for BoundedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let mut request = self.0.post(uri.as_ref()).header(ACCEPT, [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", "));
        for (name, value) in custom_headers {
            if [ACCEPT.as_str(), HEADER_SESSION_ID, HEADER_LAST_EVENT_ID].iter().any(|own| name.as_str().eq_ignore_ascii_case(own)) {
                return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &session_id {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let body = serde_json::to_vec(&message)?;
        let response = request.header(CONTENT_TYPE, JSON_MIME_TYPE).body(body).send().await.map_err(StreamableHttpError::Client)?;
        answer(response, &message, session_id.is_some()).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failed> {
        self.0.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        self.0.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        self.0.get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, max_sse_event_size).await
    }
}

/// Whether a message that broke off or was not understood is for want of an end.
pub(super) fn is_endless(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::FileTooLarge
}

async fn answer(response: Response, message: &ClientJsonRpcMessage, has_session: bool) -> Result<StreamableHttpPostResponse, Failed> {
    let status = response.status();
    let said = |name: HeaderName| response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    match (status, said(WWW_AUTHENTICATE)) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            return Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, None)));
        }
        (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => return Ok(StreamableHttpPostResponse::Accepted),
        (StatusCode::NOT_FOUND, _) if has_session => return Err(StreamableHttpError::SessionExpired),
        _ => {}
    }
    let kind = said(CONTENT_TYPE);
    let is_of = |mime: &str| kind.as_deref().is_some_and(|kind| kind.starts_with(mime));
    let session = response.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_string);
    let expects_answer = matches!(message, ClientJsonRpcMessage::Request(_));
    match () {
        () if !status.is_success() => refusal(response, is_of(JSON_MIME_TYPE), message, has_session, session).await,
        // Some servers say so instead of 202.
        () if !expects_answer && response.content_length() == Some(0) => Ok(StreamableHttpPostResponse::Accepted),
        () if is_of(EVENT_STREAM_MIME_TYPE) => {
            let events = SseStream::from_bytes_stream(pieces(response)).map(|event| event.map(whole_letters));
            Ok(StreamableHttpPostResponse::Sse(events.boxed(), session))
        }
        () if is_of(JSON_MIME_TYPE) => {
            let body = whole(response).await?;
            match serde_json::from_str::<ServerJsonRpcMessage>(&mended(&String::from_utf8_lossy(&body))) {
                Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                Err(_) if !expects_answer => Ok(StreamableHttpPostResponse::Accepted),
                Err(error) => Err(unexpected(format!("{error}: {}", String::from_utf8_lossy(&body[..body.len().min(1000)])))),
            }
        }
        () => Err(StreamableHttpError::UnexpectedContentType(kind)),
    }
}

/// What a server says that does not do what it was asked. Its own error counts over its status, but for those that let nobody in.
async fn refusal(
    response: Response,
    is_json: bool,
    message: &ClientJsonRpcMessage,
    has_session: bool,
    session: Option<String>,
) -> Result<StreamableHttpPostResponse, Failed> {
    let status = response.status();
    let failed = match failed(status, response.headers()) {
        Some(failed) if !is_json || status == StatusCode::TOO_MANY_REQUESTS => return Err(failed.into()),
        failed => failed,
    };
    let lets_nobody_in = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let body = whole(response).await.map(|body| String::from_utf8_lossy(&body).into_owned()).unwrap_or_default();
    let error = match serde_json::from_str(&body) {
        Ok(ServerJsonRpcMessage::Error(error)) => Some(error),
        _ => None,
    };
    // A server that does not know the first question of the newest protocol is asked in the words of an older one, which the caller
    // does if it can tell which question was refused.
    let discovering = match message {
        ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)) => Some(request.id.clone()),
        _ => None,
    };
    if let Some(id) = discovering.filter(|_| !has_session && status.is_client_error() && !lets_nobody_in) {
        let why = error.map_or_else(|| ErrorData::invalid_request(format!("HTTP {status}: {body}"), None), |error| error.error);
        return Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(why, Some(id)), None));
    }
    match (error, failed) {
        (Some(error), _) if is_json && !lets_nobody_in => Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session)),
        (_, Some(failed)) => Err(failed.into()),
        (_, None) => Err(unexpected(format!("HTTP {status}: {body}"))),
    }
}

fn failed(status: StatusCode, headers: &HeaderMap) -> Option<HttpStatusError> {
    let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_string);
    let is_failure = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    is_failure.then(|| HttpStatusError::new(status.as_u16(), retry_after))
}

fn unexpected(words: String) -> Failed {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(words))
}

fn whole_letters(event: Sse) -> Sse {
    Sse { data: event.data.map(|data| mended(&data).into_owned()), ..event }
}

async fn whole(response: Response) -> Result<Vec<u8>, Failed> {
    let mut whole = Vec::new();
    let mut pieces = std::pin::pin!(pieces(response));
    while let Some(piece) = pieces.next().await {
        whole.extend_from_slice(&piece?);
    }
    Ok(whole)
}

/// The body as it comes, as far as an answer may be long.
fn pieces(response: Response) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::unfold(Some((response, 0)), |state| async {
        let (mut response, read) = state?;
        match response.chunk().await {
            Ok(None) => None,
            Ok(Some(piece)) if read + piece.len() <= ANSWER_BYTES => {
                let read = read + piece.len();
                Some((Ok(piece), Some((response, read))))
            }
            Ok(Some(_)) => Some((Err(io::Error::new(io::ErrorKind::FileTooLarge, "the answer does not come to an end")), None)),
            Err(error) => Some((Err(io::Error::other(error)), None)),
        }
    })
}
