//! A look at a server without asking a model anything: is it there, what has it got, how fast does it answer.
//! It changes nothing and loads no model.

use motet_core::event::Failure;
use tokio::time::Instant;

use super::agent::ModelAgent;
use super::provider::ProviderKind;
use super::trouble;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// What people call the provider.
    pub name: String,
    pub server: String,
    /// Where the server tells it.
    pub version: Option<String>,
    pub models: Vec<String>,
    /// What is wrong with the configured model, if it is not among them.
    pub missing: Option<Failure>,
    /// Of the quickest kind of request.
    pub latency_ms: u64,
}

impl ModelAgent {
    pub async fn probe(&self) -> Result<Probe, Failure> {
        let mut started = Instant::now();
        let mut latency = None;
        let version = self.wire.version().await.map_err(|trouble| trouble.failure)?;
        if version.is_some() {
            latency = Some(started.elapsed());
            started = Instant::now();
        }
        let models = self.wire.models().await.map_err(|trouble| trouble.failure)?;
        let latency = latency.unwrap_or_else(|| started.elapsed());
        let model = &self.settings.model;
        // A name without a tag means the latest.
        let is_it =
            |name: &String| name == model || (self.provider.kind == ProviderKind::Ollama && name.strip_suffix(":latest") == Some(model));
        let missing = (!models.iter().any(is_it)).then(|| trouble::no_such_model(model, &models, &self.provider));
        Ok(Probe {
            name: self.provider.name.clone(),
            server: self.provider.server(),
            version,
            models,
            missing,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
        })
    }
}
