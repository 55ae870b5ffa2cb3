//! A look at the server without asking a model anything: is it there, what has it got, how fast does it answer.
//! It changes nothing and loads no model.

use motet_core::event::Failure;
use tokio::time::Instant;

use super::{OllamaAgent, trouble, wire};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    pub server: String,
    pub version: String,
    pub models: Vec<String>,
    /// What is wrong with the configured model, if it is not among them.
    pub missing: Option<Failure>,
    /// Of the quickest kind of request.
    pub latency_ms: u64,
}

impl OllamaAgent {
    pub async fn probe(&self) -> Result<Probe, Failure> {
        let started = Instant::now();
        let version: wire::Version = self.json(&self.settings.address("api/version"), None::<&()>).await?;
        let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let models = self.models().await?;
        let model = &self.settings.model;
        // A name without a tag means the latest.
        let there = models.iter().any(|name| name == model || name.strip_suffix(":latest") == Some(model));
        let missing = (!there).then(|| trouble::no_such_model(model, &models, &self.settings));
        Ok(Probe { server: self.settings.server(), version: version.version, models, missing, latency_ms })
    }
}
