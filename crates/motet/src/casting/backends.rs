//! Makes backends out of what the journal keeps: here keys are read, and programs and servers become agents.
//! Which backend plays which role is decided elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use motet_agents::acp::{AcpAgent, AcpSettings};
use motet_agents::command::CommandAgent;
use motet_agents::command::presets::{self, PresetSettings};
use motet_agents::mcp::{HandedServer, McpServer, McpToolbox, Reached, Servers};
use motet_agents::model::{ModelAgent, ModelSettings, Probe, Provider, ProviderKind, StructuredOutput};
use motet_agents::offline::OfflineAgent;
use motet_agents::person::PersonAgent;
use motet_agents::{
    Absence, Agent, BoxFuture, Context, FallbackAgent, Link as ChainLink, Outcome, Permissions, PricedAgent, Request, Secret,
};
use motet_core::event::{Failure, FailureKind, Unattended};

use super::{Backend, Link, ModelBinding, Part, shortened};
use crate::cli::relay_tools;
use crate::config::{self, OLLAMA_URL, ToolServer};
use crate::detection::on_path;
use crate::researching::is_own;

/// What backends are made with.
pub struct Workshop {
    servers: Servers,
}

impl Workshop {
    pub fn new(tools: &BTreeMap<String, ToolServer>) -> Self {
        Self { servers: servers(tools) }
    }

    /// The servers of tools, for whoever else uses them.
    pub fn servers(&self) -> Servers {
        self.servers.clone()
    }

    /// Whether the tools of a part can be given to whoever plays it: their servers are declared so that they could be used.
    pub fn equips(&self, backend: &Backend, part: &Part) -> Result<(), Failure> {
        match backend {
            Backend::Model(_) => self.toolbox(part).map(drop),
            Backend::Acp { .. } => self.handed_over(part).map(drop),
            Backend::Command { .. } | Backend::Preset { .. } | Backend::Person | Backend::Offline | Backend::Scripted => Ok(()),
        }
    }

    /// Motet's own tools are given with each task, since they belong to its run.
    fn toolbox(&self, part: &Part) -> Result<Option<McpToolbox>, Failure> {
        let of_servers: Vec<String> = part.tools.iter().filter(|tool| !is_own(tool)).cloned().collect();
        if of_servers.is_empty() { Ok(None) } else { self.servers.toolbox(&of_servers).map(Some) }
    }

    fn handed_over(&self, part: &Part) -> Result<Vec<HandedServer>, Failure> {
        if part.tools.is_empty() { Ok(Vec::new()) } else { self.servers.handed_over(&part.tools, &relay_tools::words()) }
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
        match (link.price, link.ceiling) {
            (Some(price), _) => Arc::new(PricedAgent::new(agent, price)),
            (None, Some(ceiling)) => Arc::new(PricedAgent::at_most(agent, ceiling)),
            (None, None) => agent,
        }
    }

    /// The agent, or why there is none.
    fn backend(&self, backend: &Backend, part: &Part) -> Result<Arc<dyn Agent>, Failure> {
        Ok(match backend {
            Backend::Model(binding) => {
                let model = model(binding)?;
                Arc::new(match self.toolbox(part)? {
                    Some(toolbox) => model.with_tools(Arc::new(toolbox)),
                    None => model,
                })
            }
            Backend::Command { command, verify } => {
                let agent = CommandAgent::new(command.clone());
                Arc::new(match verify {
                    Some(words) => agent.verified_by(words.clone()),
                    None => agent,
                })
            }
            Backend::Person => {
                let unattended = part.unattended.as_deref().map(|word| if word == "wait" { Unattended::Wait } else { Unattended::Fail });
                Arc::new(PersonAgent { unattended })
            }
            Backend::Preset { .. } => Arc::new(coding_agent(backend)?),
            Backend::Acp { acp, permissions, with_model, mode, options } => {
                let permissions = permissions.as_deref().map(policy).unwrap_or_default();
                let absence = part.unattended.as_deref().map(absence).unwrap_or_default();
                let servers = self.handed_over(part)?;
                let (mode, model, options) = (mode.clone(), with_model.clone(), options.clone());
                let usual = AcpSettings::new(shortened(acp), acp.clone());
                Arc::new(AcpAgent::new(AcpSettings { permissions, absence, servers, mode, model, options, ..usual }))
            }
            Backend::Offline => Arc::new(OfflineAgent),
            Backend::Scripted => return Err(wrong("the journal says that a case plays an agent, but has no case")),
        })
    }
}

/// Whether a backend could play at all: its key is there, its program is found.
pub fn playable(backend: &Backend) -> Result<(), Failure> {
    let installed = |program: &str| match on_path(program) {
        Some(_) => Ok(()),
        None => Err(wrong(format!("the program `{program}` is not found on PATH; install it"))),
    };
    consistent(backend)?;
    match backend {
        Backend::Model(binding) => model(binding).map(drop),
        Backend::Preset { preset, program, .. } => program.as_deref().or_else(|| presets::program(preset)).map_or(Ok(()), installed),
        Backend::Acp { acp, .. } => acp.first().map_or(Ok(()), |program| installed(program)),
        // A program of the user's own may be found only where the run works.
        Backend::Command { .. } | Backend::Person | Backend::Offline | Backend::Scripted => Ok(()),
    }
}

/// Whether what the settings say of a backend can hold at all, whatever is installed and running.
pub fn consistent(backend: &Backend) -> Result<(), Failure> {
    match backend {
        Backend::Preset { .. } => coding_agent(backend).map(drop),
        _ => Ok(()),
    }
}

/// The servers of tools that somebody was given. None is started before it is used, and one whose variables are not set keeps nobody
/// from the others.
pub fn servers(tools: &BTreeMap<String, ToolServer>) -> Servers {
    let named = |failure: Failure, name: &str| Failure { message: format!("the tool server `{name}`: {}", failure.message), ..failure };
    let declared = tools.iter().map(|(name, server)| (name.clone(), declared(name, server).map_err(|failure| named(failure, name))));
    Servers::each(declared.collect())
}

fn declared(name: &str, server: &ToolServer) -> Result<McpServer, Failure> {
    let secrets = |names: &BTreeMap<String, String>| -> Result<BTreeMap<String, Secret>, Failure> {
        let read = names.iter().map(|(name, variable)| {
            let value = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
            let value = value.ok_or_else(|| wrong(format!("the variable {variable} is not set, which it needs for `{name}`; set it")))?;
            Ok((name.clone(), Secret::new(value)))
        });
        read.collect()
    };
    let mut address_secrets = Vec::new();
    let reached = match (&server.command, &server.url) {
        (Some(command), _) => {
            let secret_env = secrets(&server.secret_env)?;
            Reached::Stdio { command: command.clone(), env: server.env.clone(), secret_env, directory: None }
        }
        (None, _) => {
            let missing = |name: String| wrong(format!("the variable {name} is not set, which its address needs; set it"));
            let url = server.address(|name| std::env::var(name).ok()).map_err(missing)?;
            address_secrets = server.variables().filter_map(|name| std::env::var(name).ok()).map(Secret::new).collect();
            Reached::Http { url, headers: secrets(&server.headers_env)? }
        }
    };
    let usual = McpServer::stdio(name, Vec::new());
    let said = server.timeout_ms.map(Duration::from_millis);
    let (timeout, relayed_call) = (said.unwrap_or(usual.timeout), said.unwrap_or(usual.relayed_call));
    Ok(McpServer { reached, timeout, relayed_call, address_secrets, allow: server.allow.clone().unwrap_or_default(), ..usual })
}

fn coding_agent(backend: &Backend) -> Result<presets::PresetAgent, Failure> {
    let Backend::Preset { preset, permissions, with_model, program, arguments } = backend else {
        return Err(wrong(format!("{} is no preset", backend.title())));
    };
    let permissions = permissions.as_deref().map_or(PresetSettings::default().permissions, policy);
    let (model, program, arguments) = (with_model.clone(), program.clone(), arguments.clone());
    presets::agent(preset, PresetSettings { permissions, model, program, arguments })
}

fn policy(word: &str) -> Permissions {
    match word {
        "allow" => Permissions::Allow,
        "reject" => Permissions::Reject,
        _ => Permissions::Ask,
    }
}

fn absence(word: &str) -> Absence {
    match word {
        "allow" => Absence::Allow,
        "wait" => Absence::Wait,
        "fail" => Absence::Fail,
        _ => Absence::Reject,
    }
}

/// Looks at a model's server without asking the model anything.
pub async fn probe(binding: &ModelBinding) -> Result<Probe, Failure> {
    model(binding)?.probe().await
}

/// What would keep a model from answering now, found in a few seconds. Whoever says nothing for that long is there, and may be busy.
pub async fn obstacle(binding: &ModelBinding) -> Option<Failure> {
    const PATIENCE: Duration = Duration::from_secs(8);
    let mut provider = provider(&binding.provider).ok()?;
    provider.request_timeout = provider.request_timeout.min(PATIENCE);
    let agent = ModelAgent::new(provider, settings(binding)).ok()?;
    tokio::time::timeout(PATIENCE, agent.obstacle()).await.ok().flatten()
}

fn model(binding: &ModelBinding) -> Result<ModelAgent, Failure> {
    ModelAgent::new(provider(&binding.provider)?, settings(binding))
}

fn settings(binding: &ModelBinding) -> ModelSettings {
    let structured = match binding.provider.structured {
        Some(false) => StructuredOutput::Off,
        Some(true) | None => StructuredOutput::Auto,
    };
    ModelSettings {
        structured,
        temperature: binding.temperature,
        max_tokens: binding.max_tokens,
        seed: binding.seed,
        ..ModelSettings::new(binding.model.clone())
    }
}

fn provider(kept: &config::Provider) -> Result<Provider, Failure> {
    let kind = kept.kind;
    let lookup = |variable: &str| std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
    // Only the variable may carry a password, so it comes before what was kept.
    let variable = lookup(OLLAMA_URL).filter(|_| kept.name == kind.word() && kind == ProviderKind::Ollama);
    let mut provider = match variable.or_else(|| kept.url.clone()) {
        Some(address) => Provider::at(kind, address.trim())?,
        None => Provider::new(kind)?,
    };
    if kept.name != kind.word() {
        provider = provider.named(kept.name.clone());
        provider.address_from = format!("`base_url` of [providers.{}]", kept.name);
    }
    if let Some(place) = &kept.key {
        let key = place.read(lookup).map_err(|why| wrong(format!("{} needs a key: {why}", kept.name)))?;
        provider = provider.with_key(key, place.to_string());
    }
    provider.concurrency = kept.parallel.and_then(|count| usize::try_from(count).ok());
    provider.requests_per_minute = kept.requests_per_minute.and_then(|count| u32::try_from(count).ok());
    if let Some(silence) = kept.silence_ms {
        provider.request_timeout = Duration::from_millis(silence);
    }
    Ok(provider)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_limited_as_the_settings_say() {
        let kept = config::Provider {
            name: "local".into(),
            kind: ProviderKind::OpenAiCompatible,
            url: Some("http://localhost:8080/v1".into()),
            parallel: Some(3),
            requests_per_minute: Some(20),
            silence_ms: Some(7000),
            ..config::Provider::default()
        };
        let limited = provider(&kept).unwrap();
        assert_eq!((limited.concurrency, limited.requests_per_minute), (Some(3), Some(20)));
        assert_eq!(limited.request_timeout, Duration::from_secs(7));
    }

    /// How long a server may take for a model's call, and for a coding agent's.
    fn check_patience(said: Option<u64>, model: u64, coding: u64) {
        let server = ToolServer { command: Some(vec!["serve".into()]), timeout_ms: said, ..ToolServer::default() };
        let server = declared("files", &server).unwrap();
        assert_eq!((server.timeout.as_secs(), server.relayed_call.as_secs()), (model, coding), "{said:?}");
    }

    #[test]
    fn coding_agents_wait_longer_for_a_tool_unless_the_settings_say_how_long() {
        check_patience(None, 60, 600);
        check_patience(Some(60_000), 60, 60);
        check_patience(Some(900_000), 900, 900);
    }

    #[test]
    fn a_provider_that_takes_no_schema_is_told_shapes_in_words() {
        for (said, expected) in [(None, StructuredOutput::Auto), (Some(true), StructuredOutput::Auto), (Some(false), StructuredOutput::Off)]
        {
            let provider = config::Provider { structured: said, ..config::Provider::default() };
            assert_eq!(settings(&ModelBinding { provider, ..ModelBinding::default() }).structured, expected, "{said:?}");
        }
    }
}
