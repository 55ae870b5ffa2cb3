//! One agent for every provider: plays a role with a model.
//! It remembers nothing between attempts but what the server told about itself.

use std::fmt;
use std::sync::Arc;

use motet_core::event::{Failure, FailureKind};
use tokio::sync::OnceCell;

use super::attempt::Attempt;
use super::context_window;
use super::governor::Governor;
use super::provider::{ModelSettings, Provider};
use super::rig::RigWire;
use super::trouble::{self, Trouble};
use super::wire::Wire;
use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::context::Context;
use crate::tools::Toolbox;

pub struct ModelAgent {
    pub(super) provider: Provider,
    pub(super) settings: ModelSettings,
    pub(super) wire: Arc<dyn Wire>,
    pub(super) governor: Arc<Governor>,
    pub(super) toolbox: Option<Arc<dyn Toolbox>>,
    /// The longest context the model can have, asked once; None if the server would not say.
    longest_context: OnceCell<Option<u64>>,
    /// The version of the server, asked once; None if it has none to tell.
    version: OnceCell<Option<String>>,
}

impl ModelAgent {
    /// Opens no connection yet. What the settings say comes before what a call says of its model.
    pub fn new(provider: Provider, settings: ModelSettings) -> Result<Self, Failure> {
        if provider.kind.needs_key() && provider.key.is_none() {
            let message = format!("{} needs a key: set {}", provider.name, provider.key_from);
            return Err(Failure { kind: FailureKind::Configuration, message });
        }
        if settings.model.trim().is_empty() {
            let message = format!("no model of {} is named", provider.name);
            return Err(Failure { kind: FailureKind::Configuration, message });
        }
        let governor = Governor::of(&provider);
        let wire = Arc::new(RigWire::new(&provider, &settings, governor.clone())?);
        Ok(Self { provider, settings, wire, governor, toolbox: None, longest_context: OnceCell::new(), version: OnceCell::new() })
    }

    /// The tools that the model may use, and no others.
    pub fn with_tools(mut self, toolbox: Arc<dyn Toolbox>) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// Shared with everyone who calls the same provider.
    pub fn governor(&self) -> &Arc<Governor> {
        &self.governor
    }

    pub(super) async fn longest_context(&self) -> Result<Option<u64>, Trouble> {
        self.longest_context.get_or_try_init(|| self.wire.longest_context()).await.copied()
    }

    /// Whether the server says how many tokens it has read in all, asked once. One that will not tell its version is taken at its word.
    pub(super) async fn counts_all(&self) -> bool {
        let version = self.version.get_or_try_init(|| self.wire.version()).await;
        version.ok().and_then(Option::as_deref).is_none_or(context_window::counts_all)
    }

    /// The failure of a call, with the models that the server has if it is the model that it lacks.
    pub(super) async fn explained(&self, trouble: Trouble) -> Failure {
        if !trouble.no_such_model {
            return trouble.failure;
        }
        match self.wire.models().await {
            Ok(models) => trouble::no_such_model(&self.settings.model, &models, &self.provider),
            Err(_) => trouble.failure,
        }
    }
}

impl Agent for ModelAgent {
    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let mut attempt = Attempt::new(self, &request, context);
            let ended = tokio::select! {
                biased;
                outcome = attempt.run() => Some(outcome),
                _ = context.stopped() => None,
            };
            let stopped = || Outcome::failed(FailureKind::Cancelled, format!("{} was stopped in its answer", self.settings.model));
            ended.unwrap_or_else(stopped).with_usage(attempt.usage())
        })
    }
}

impl fmt::Debug for ModelAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ModelAgent").field("provider", &self.provider).field("settings", &self.settings).finish_non_exhaustive()
    }
}
