//! One request to a service that the user configured: its address is trusted, its answers are not.
//! No redirect is followed, so that a key never leaves for another host.

use std::time::Duration;

use reqwest::Url;
use serde_json::Value;
use tokio::time::timeout;

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
}
