//! Who plays the agents of a run: decided when it starts, kept in its journal, and made into backends whenever it is driven.
//! Nothing secret is kept: addresses stand without names and passwords, and those come from the environment each time.

mod offline;

use std::collections::BTreeMap;
use std::sync::Arc;

use motet_agents::command::CommandAgent;
use motet_agents::model::{ModelAgent, OllamaSettings};
use motet_agents::offline::OfflineAgent;
use motet_agents::person::PersonAgent;
use motet_agents::scripted::{Script, ScriptedAgent};
use motet_agents::{Agent, Performer};
use motet_core::case::{self, Case};
use motet_core::definition::Does;
use motet_core::event::Price;
use motet_core::{Definition, Folder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::Failure;
use crate::config::{Config, EVERYBODY, Player};
use crate::performing::PersonPort;

const CASES: &str = "cases/";
const OLLAMA_BASE_URL: &str = "OLLAMA_BASE_URL";
const OLLAMA_MODEL_NAME: &str = "OLLAMA_MODEL_NAME";

/// What the journal keeps of it, as `RunStarted.bindings`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Casting {
    /// The agents of the workflow, by name, each with its backend: for templates and for people.
    pub agents: BTreeMap<String, Backend>,
    /// By role, `*` for all others: what counts.
    #[serde(default)]
    pub roles: BTreeMap<String, Backend>,
    /// The case that plays everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<PinnedCase>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "backend", rename_all = "snake_case")]
pub enum Backend {
    Ollama {
        model: String,
        url: String,
    },
    Command {
        command: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verify: Option<Vec<String>>,
    },
    Person,
    /// The workflow's own rules; no model.
    Offline,
    Scripted,
}

/// A case with its text, so that a resume needs no file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedCase {
    pub file: String,
    pub text: String,
}

impl PinnedCase {
    pub fn read(&self) -> Result<Case, Failure> {
        case::parse(&self.file, &self.text).map_err(|problems| {
            let rendered: Vec<String> = problems.iter().map(|problem| problem.render(|_| Some(self.text.as_str()))).collect();
            Failure::invalid(format!("the case {} cannot be played\n{}", self.file, rendered.join("\n").trim_end()))
        })
    }

    /// The case of a workflow's own folder that has this file name, with or without its ending.
    pub fn bundled(folder: &Folder, name: &str) -> Option<Self> {
        let wanted = name.strip_suffix(".yaml").unwrap_or(name);
        let mut cases = Self::all_bundled(folder);
        cases.find(|case| case.short_name() == wanted)
    }

    /// In the order of their file names.
    pub fn all_bundled(folder: &Folder) -> impl Iterator<Item = Self> {
        let files = folder.iter().filter(|(path, _)| path.starts_with(CASES) && path.ends_with(".yaml"));
        files.map(|(path, text)| Self { file: path.clone(), text: text.clone() })
    }

    /// The case that shows a workflow best: the one called so, else one that nothing from outside disturbs and that completes,
    /// else the first.
    pub fn demo(folder: &Folder) -> Option<Self> {
        if let Some(case) = Self::bundled(folder, "demo") {
            return Some(case);
        }
        let shows = |case: &Self| {
            let played = case::parse(&case.file, &case.text).ok();
            played.is_some_and(|played| played.events.is_empty() && played.expect.status.as_deref() == Some("completed"))
        };
        Self::all_bundled(folder).find(shows).or_else(|| Self::all_bundled(folder).next())
    }

    pub fn short_name(&self) -> &str {
        let name = self.file.rsplit('/').next().unwrap_or(&self.file);
        name.strip_suffix(".yaml").unwrap_or(name)
    }
}

impl Casting {
    /// One case plays everybody.
    pub fn scripted(definition: &Definition, case: PinnedCase) -> Self {
        let agents = definition.agents.keys().map(|name| (name.to_string(), Backend::Scripted)).collect();
        Self { agents, roles: BTreeMap::new(), case: Some(case) }
    }

    /// The configuration's players; for everybody else a model of Ollama if one is asked for, and otherwise rules.
    pub fn configured(definition: &Definition, config: &Config, model: Option<&str>) -> Result<Self, Failure> {
        let settings = ollama_settings(model, None)?;
        let backend = |player: &Player| match player {
            Player { command: Some(command), verify, .. } => Backend::Command { command: command.clone(), verify: verify.clone() },
            Player { person: true, .. } => Backend::Person,
            // The command line comes before the file.
            Player { model: Some(named), .. } if model.is_none() => Backend::Ollama { model: named.clone(), url: address(&settings) },
            _ if offline::is_model_wanted(model) => Backend::Ollama { model: settings.model.clone(), url: address(&settings) },
            _ => Backend::Offline,
        };
        let mut roles: BTreeMap<String, Backend> = config.agents.iter().map(|(role, player)| (role.clone(), backend(player))).collect();
        roles.entry(EVERYBODY.into()).or_insert_with(|| backend(&Player::default()));
        let prompted = definition.agents.values().filter(|agent| matches!(agent.does, Does::Prompt(_)));
        let agents = prompted.filter_map(|agent| {
            let backend = roles.get(&agent.role).or_else(|| roles.get(EVERYBODY))?;
            Some((agent.name.to_string(), backend.clone()))
        });
        Ok(Self { agents: agents.collect(), roles: roles.clone(), case: None })
    }

    /// As the journal has it. A run that was started by something else than this program may have none.
    pub fn read(bindings: &Value) -> Result<Self, Failure> {
        if bindings.is_null() {
            return Ok(Self { agents: BTreeMap::new(), roles: BTreeMap::new(), case: None });
        }
        serde_json::from_value(bindings.clone())
            .map_err(|error| Failure::failed(format!("the journal does not say in a known form who plays the agents: {error}")))
    }

    /// The model that some agent of the workflow needs, if any does.
    pub fn first_model(&self) -> Option<(&str, &str)> {
        self.agents.values().find_map(|backend| match backend {
            Backend::Ollama { model, url } => Some((model.as_str(), url.as_str())),
            _ => None,
        })
    }

    /// Who performs the calls of one run. With a case, the script is given too: it must be told of the run's events.
    pub fn performer(&self, port: &PersonPort) -> Result<(Performer, Option<Arc<ScriptedAgent>>), Failure> {
        if let Some(pinned) = &self.case {
            let script = Arc::new(ScriptedAgent::new(Script::new(pinned.read()?, pinned.file.clone())));
            return Ok((Performer::played_by(script.clone()), Some(script)));
        }
        let mut performer = Performer::new();
        for (role, backend) in &self.roles {
            let agent = backend.agent(port)?;
            performer = if role == EVERYBODY { performer.bind_rest(agent) } else { performer.bind(role.clone(), agent) };
        }
        Ok((performer, None))
    }
}

impl Backend {
    fn agent(&self, port: &PersonPort) -> Result<Arc<dyn Agent>, Failure> {
        Ok(match self {
            Backend::Ollama { model, url } => Arc::new(ollama(model, url)?),
            Backend::Command { command, verify } => {
                let agent = CommandAgent::new(command.clone());
                Arc::new(match verify {
                    Some(words) => agent.verified_by(words.clone()),
                    None => agent,
                })
            }
            Backend::Person => Arc::new(PersonAgent::new(port.clone())),
            Backend::Offline => Arc::new(OfflineAgent),
            Backend::Scripted => return Err(Failure::failed("the journal says that a case plays an agent, but has no case")),
        })
    }
}

/// What one call of each agent may cost, as far as the configuration says.
pub fn prices(definition: &Definition, config: &Config) -> BTreeMap<String, Price> {
    let priced = definition.agents.values().filter_map(|agent| {
        let price = config.player(&agent.role)?.price?.price()?;
        Some((agent.name.to_string(), price))
    });
    priced.collect()
}

/// The model's server. Its address comes from the environment if it is set there, since only there it may carry a password.
pub fn ollama(model: &str, url: &str) -> Result<ModelAgent, Failure> {
    played_by(ollama_settings(Some(model), Some(url))?)
}

/// The same with the model that is asked for where nothing says otherwise.
pub fn ollama_by_default() -> Result<ModelAgent, Failure> {
    played_by(ollama_settings(None, None)?)
}

fn played_by(settings: OllamaSettings) -> Result<ModelAgent, Failure> {
    let (provider, settings) = settings.into_provider();
    ModelAgent::new(provider, settings).map_err(|failure| Failure::failed(failure.message))
}

fn ollama_settings(model: Option<&str>, url: Option<&str>) -> Result<OllamaSettings, Failure> {
    let lookup = |variable: &str| {
        let set = std::env::var(variable).ok().filter(|value| !value.trim().is_empty());
        match variable {
            OLLAMA_MODEL_NAME => model.map(String::from).or(set),
            OLLAMA_BASE_URL => set.or_else(|| url.map(String::from)),
            _ => set,
        }
    };
    OllamaSettings::from_environment(lookup).map_err(|problems| {
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Failure::invalid(all.join("\n       "))
    })
}

fn address(settings: &OllamaSettings) -> String {
    let mut url = settings.base_url.clone();
    // Both can only fail for addresses without a host, which settings do not have.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.as_str().trim_end_matches('/').to_string()
}

#[cfg(test)]
mod tests;
