//! Makes backends out of what the journal keeps: here keys are read, and programs and servers become agents.
//! Which backend plays which role is decided elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use motet_agents::command::CommandAgent;
use motet_agents::ollama::{OllamaAgent, OllamaSettings};
use motet_agents::person::PersonAgent;
use motet_agents::{Agent, BoxFuture, Context, FallbackAgent, Link as ChainLink, Outcome, PricedAgent, Request};
use motet_core::event::{Failure, FailureKind};

use super::{Backend, Link, ModelBinding, Part};
use crate::config::{OLLAMA_URL, Protocol, ToolServer};
use crate::performing::PersonPort;

/// What backends are made with.
pub struct Workshop {
    port: PersonPort,
}

impl Workshop {
    pub fn new(_tools: &BTreeMap<String, ToolServer>, port: PersonPort) -> Self {
        Self { port }
    }

    /// Whoever plays the part, and whoever stands in.
    pub fn part(&self, part: &Part) -> Arc<dyn Agent> {
        if part.fallback.is_empty() {
            return self.link(&part.link, part);
        }
        let links = std::iter::once(&part.link).chain(&part.fallback);
        let links = links.map(|link| ChainLink { name: link.backend.title(), agent: self.link(link, part) });
        Arc::new(FallbackAgent::new(links.collect()))
    }

    fn link(&self, link: &Link, part: &Part) -> Arc<dyn Agent> {
        let agent = self.backend(&link.backend, part).unwrap_or_else(|failure| Arc::new(Unplayable(failure)));
        match link.price {
            Some(price) if price != Default::default() => Arc::new(PricedAgent::new(agent, price)),
            _ => agent,
        }
    }

    /// The agent, or why there is none.
    pub fn backend(&self, backend: &Backend, _part: &Part) -> Result<Arc<dyn Agent>, Failure> {
        Ok(match backend {
            Backend::Model(binding) => Arc::new(model(binding)?),
            Backend::Command { command, verify } => {
                let agent = CommandAgent::new(command.clone());
                Arc::new(match verify {
                    Some(words) => agent.verified_by(words.clone()),
                    None => agent,
                })
            }
            Backend::Person => Arc::new(PersonAgent::new(self.port.clone())),
            Backend::Preset { .. } | Backend::Acp { .. } | Backend::Offline => return Err(wrong("nobody plays this yet")),
            Backend::Scripted => return Err(wrong("the journal says that a case plays an agent, but has no case")),
        })
    }
}

/// Whether a backend could play at all: its key is there, its program is found.
pub fn playable(backend: &Backend) -> Result<(), Failure> {
    match backend {
        Backend::Model(binding) => model(binding).map(drop),
        _ => Ok(()),
    }
}

/// Looks at a model's server without asking the model anything.
pub async fn probe(binding: &ModelBinding) -> Result<motet_agents::ollama::Probe, Failure> {
    model(binding)?.probe().await
}

fn model(binding: &ModelBinding) -> Result<OllamaAgent, Failure> {
    if binding.provider.protocol != Protocol::Ollama {
        return Err(wrong("nobody speaks this yet"));
    }
    let lookup = |variable: &str| {
        let set = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
        match variable {
            "OLLAMA_MODEL_NAME" => Some(binding.model.clone()),
            OLLAMA_URL => set.or_else(|| binding.provider.url.clone()),
            _ => set,
        }
    };
    let settings = OllamaSettings::from_environment(lookup).map_err(|problems| {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        wrong(all.join("; "))
    })?;
    OllamaAgent::new(settings)
}

/// Nobody can play the role, for a reason that calls tell.
struct Unplayable(Failure);

impl Agent for Unplayable {
    fn perform<'a>(&'a self, _request: Request, _context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async { Outcome::Failed { failure: self.0.clone(), usage: Default::default() } })
    }
}

fn wrong(message: impl Into<String>) -> Failure {
    Failure { kind: FailureKind::Configuration, message: message.into() }
}
