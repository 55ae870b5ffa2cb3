//! One request to a service that the user configured: its address is trusted, its answers are not.
//! No redirect is followed, so that a key never leaves for another host.

use std::time::Duration;

use reqwest::{Response, Url};
use serde_json::Value;
use tokio::time::timeout;

use super::body::{self, Beyond};
use super::client::Fetcher;
use super::outcome::Outcome;
use super::pace::Pace;
use super::transport;

/// A request to a service.
pub struct Call {
    pub url: Url,
    /// Sent as JSON; without one it is a plain question.
    pub body: Option<Value>,
    /// Their values are secrets: they are sent and never shown.
    pub headers: Vec<(&'static str, String)>,
    /// The name of the queue: a service has one, whatever its address.
    pub queue: &'static str,
    pub pace: Pace,
}

impl Fetcher {
    pub async fn call(&self, call: Call) -> Outcome {
        let patience = Duration::from_millis(self.settings.patience_ms);
        // Two addresses of one service are two queues, so that a stand-in never waits for the real one.
        let queue = format!("{} {}", call.queue, call.url.host_str().unwrap_or_default());
        let _place = match self.queues.turn(&queue, call.pace, patience).await {
            Ok(place) => place,
            Err(late) => return Outcome::RateLimited { retry_after: Some(late.wait) },
        };
        let mut request = match &call.body {
            Some(body) => self.services.post(call.url.clone()).header("content-type", "application/json").body(body.to_string()),
            None => self.services.get(call.url.clone()),
        };
        request = request.header("accept-encoding", "gzip, deflate").header("accept", "application/json, application/atom+xml, */*;q=0.5");
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        let answered = timeout(Duration::from_millis(self.settings.timeout_ms), async {
            match request.send().await {
                Ok(response) if response.status().is_redirection() => {
                    let target = response.headers().get("location").map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
                    let target = target.unwrap_or_else(|| "nowhere".to_string());
                    Outcome::failed(format!("the service redirects to {target}; if that is right, configure it as its address"), false)
                }
                Ok(response) if response.status().is_client_error() || response.status().is_server_error() => {
                    self.explained(&call.url, response).await
                }
                Ok(response) => self.arrived(&call.url, &call.url, response).await,
                Err(error) => transport(error),
            }
        });
        let outcome = answered.await.unwrap_or_else(|_| self.too_slow());
        if let Outcome::RateLimited { retry_after: Some(wait) } = &outcome {
            self.queues.hold(&queue, call.pace, *wait);
        }
        outcome
    }

    /// A refusal with the service's own words for it: a status alone tells nobody that a key has run out.
    async fn explained(&self, url: &Url, response: Response) -> Outcome {
        let outcome = self.meaning(url, &response);
        let words = match body::read(response, LONGEST_EXPLANATION, Beyond::Cut).await {
            Ok(body) => explanation(&body),
            Err(_) => None,
        };
        match (outcome, words) {
            (Outcome::Failed { reason, transient }, Some(words)) => {
                Outcome::Failed { reason: format!("{reason}, saying: {words}"), transient }
            }
            (Outcome::Blocked { by, reason }, Some(words)) => Outcome::Blocked { by, reason: format!("{reason}, saying: {words}") },
            (outcome, _) => outcome,
        }
    }
}

/// As much as is read of an answer that is none, and shown of it.
const LONGEST_EXPLANATION: u64 = 64_000;
const MOST_LETTERS: usize = 300;

/// What an answer says about why it is none: in one of the places where services say it, or in plain words. Pages for people say nothing here.
fn explanation(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let said = match serde_json::from_str::<Value>(&text) {
        Ok(answer) => said_in(&answer)?,
        Err(_) if text.trim_start().starts_with(['<', '{', '[']) => return None,
        Err(_) => text.into_owned(),
    };
    // Whole words only: half a key would be known to nobody any more.
    let mut words = String::new();
    for word in said.split_whitespace().take_while(|word| word.len() < MOST_LETTERS) {
        if words.len() + word.len() > MOST_LETTERS {
            break;
        }
        words = if words.is_empty() { word.to_string() } else { format!("{words} {word}") };
    }
    (!words.is_empty()).then_some(words)
}

/// Where services put their explanations.
pub(crate) fn said_in(answer: &Value) -> Option<String> {
    let places = ["/error/info", "/error/message", "/error/detail", "/detail/error", "/error", "/message", "/detail"];
    places.iter().find_map(|place| answer.pointer(place)?.as_str().map(str::to_string))
}
