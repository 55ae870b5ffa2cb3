//! A look at a server without asking a model anything: is it there, what has it got, how fast does it answer.
//! It changes nothing and loads no model.

use motet_core::event::{Failure, FailureKind};
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
        let is_there = models.iter().any(|listed| is_listed_as(model, listed, self.provider.kind));
        let missing = (!is_there).then(|| trouble::no_such_model(model, &models, &self.provider));
        Ok(Probe {
            name: self.provider.name.clone(),
            server: self.provider.server(),
            version,
            models,
            missing,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// What would keep every call from being answered now, told without making one: nobody is there, or an Ollama that has not got the
    /// model. Whoever is there and does not list models, or not to us, may answer all the same; the first call will tell.
    pub async fn obstacle(&self) -> Option<Failure> {
        if self.provider.kind == ProviderKind::Ollama {
            return self.probe().await.map_or_else(|failure| Some(failure).filter(is_unavailable), |probe| probe.missing);
        }
        let trouble = self.wire.models().await.err()?;
        let is_away = match trouble.status {
            // The server that we have reached fails at its list, of which nobody may ever have asked.
            Some(500) => false,
            Some(_) => true,
            // One that answers and breaks off is there.
            None => !trouble.may_cost,
        };
        Some(trouble.failure).filter(|failure| is_away && is_unavailable(failure))
    }
}

fn is_unavailable(failure: &Failure) -> bool {
    failure.kind == FailureKind::Unavailable
}

/// Whether the model that somebody names is the one that a server lists so. Ollama's name without a tag means the latest; Anthropic lists
/// the day of a model that everybody calls without it; Google lists where its models lie.
fn is_listed_as(model: &str, listed: &str, kind: ProviderKind) -> bool {
    let without_place = |name: &'_ str| name.strip_prefix("models/").unwrap_or(name).to_string();
    let (model, listed) = (without_place(model), without_place(listed));
    let rest = listed.strip_prefix(model.as_str());
    match kind {
        _ if rest == Some("") => true,
        ProviderKind::Ollama => rest == Some(":latest"),
        ProviderKind::Anthropic => {
            let day_after = |name: &str| listed.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_day);
            day_after(&model) || model.strip_suffix("-latest").is_some_and(day_after)
        }
        ProviderKind::OpenAi | ProviderKind::OpenAiCompatible | ProviderKind::Gemini => false,
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: ProviderKind, model: &str, listed: &str, expected: bool) {
        assert_eq!(is_listed_as(model, listed, kind), expected, "{kind}: {model} as {listed}");
    }

    #[test]
    fn a_model_is_known_by_the_name_that_its_server_lists() {
        for kind in ProviderKind::ALL {
            check(kind, "m", "m", true);
            check(kind, "m", "models/m", true);
            check(kind, "m", "m2", false);
            check(kind, "m2", "m", false);
            check(kind, "m", "m:latest", kind == ProviderKind::Ollama);
            check(kind, "m", "m-20250929", kind == ProviderKind::Anthropic);
            check(kind, "m-latest", "m-20250929", kind == ProviderKind::Anthropic);
        }
        for listed in ["m-2025", "m-2025092x", "m20250929", "m-mini-20250929"] {
            check(ProviderKind::Anthropic, "m", listed, false);
        }
    }
}
