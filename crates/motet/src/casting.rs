//! Who plays the agents of a run: decided when it starts, kept in its journal, and made into backends whenever it is driven.
//! Nothing secret is kept: addresses stand without names and passwords, keys by the name of what holds them.

mod backends;
mod family;
mod offline;
mod pricing;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use motet_agents::{Performer, Redactor, Secret};
use motet_core::case::{self, Case};
use motet_core::definition::Does;
use motet_core::event::Price;
use motet_core::units::Usd;
use motet_core::{Definition, Folder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use backends::{Workshop, consistent, obstacle, playable, probe, servers};
pub use family::{Terms, family, roles, terms};
pub use pricing::{Unpriced, is_free, prices, unpriced};

use crate::builtins;
use crate::cli::Failure;
use crate::config::{Coding, Config, EVERYBODY, ModelName, Player, Prices, Provider, ToolServer, Who, of_players};
use crate::playing::Pace;
use crate::progress::words;
use crate::researching::Evidence;

const CASES: &str = "cases/";
/// A command that is longer is cut where it stands for the agent's name.
const SHOWN_CHARACTERS: usize = 80;

/// What the journal keeps of it, as `RunStarted.bindings`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Casting {
    /// The agents of the workflow, by name, each with its backend: for templates and for people.
    pub agents: BTreeMap<String, Backend>,
    /// By role, `*` for all others: what counts.
    #[serde(default)]
    pub roles: BTreeMap<String, Part>,
    /// The case that plays everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<PinnedCase>,
    /// The servers of the tools that the roles were given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolServer>,
    /// Where its agents may look for evidence.
    #[serde(default)]
    pub evidence: Evidence,
    /// How fast the case is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
}

/// Who plays a role, who stands in, and what holds for all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    #[serde(flatten)]
    pub link: Link,
    /// Asked in this order when the one before cannot answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<Link>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What holds of its questions to people where nobody is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unattended: Option<String>,
    /// Where it was said that rules play it. None: they do for want of anybody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_said_by: Option<String>,
}

/// One backend, with its price as it was when the run started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    #[serde(flatten)]
    pub backend: Backend,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// What each call may cost at most, where its price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<Usd>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "backend", rename_all = "snake_case")]
pub enum Backend {
    Model(ModelBinding),
    Command {
        command: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verify: Option<Vec<String>>,
    },
    Preset {
        preset: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permissions: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with_model: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<String>,
    },
    Acp {
        acp: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permissions: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with_model: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        options: BTreeMap<String, String>,
    },
    Person,
    /// The workflow's own rules; no model.
    Offline,
    Scripted,
}

/// A model, and how it is asked where the workflow does not decide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelBinding {
    #[serde(flatten)]
    pub provider: Provider,
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
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
    pub fn scripted(definition: &Definition, case: PinnedCase, pace: Pace) -> Self {
        let casting = Self { case: Some(case), pace: Some(pace), ..Self::default() };
        Self { agents: casting.agents_of(definition), ..casting }
    }

    /// The configuration's players, and whoever plays by default for everybody else.
    pub fn configured(definition: &Definition, config: &Config) -> Self {
        let roles = parts(config);
        let used: BTreeSet<&str> = roles.values().flat_map(|part| &part.tools).filter_map(|tool| Some(tool.split_once('.')?.0)).collect();
        let tools = config.tools.iter().filter(|(name, _)| used.contains(name.as_str()));
        let tools = tools.map(|(name, server)| (name.clone(), server.clone())).collect();
        let casting = Self { roles, tools, ..Self::default() };
        Self { agents: casting.agents_of(definition), ..casting }
    }

    /// The agents of a workflow that somebody plays, by name: those of a case, or those of the settings.
    pub fn agents_of(&self, definition: &Definition) -> BTreeMap<String, Backend> {
        if self.case.is_some() {
            return definition.agents.keys().map(|name| (name.to_string(), Backend::Scripted)).collect();
        }
        let prompted = definition.agents.values().filter(|agent| matches!(agent.does, Does::Prompt(_)));
        prompted.filter_map(|agent| Some((agent.name.to_string(), self.part(&agent.role)?.link.backend.clone()))).collect()
    }

    /// As the journal has it. A run that was started by something else than this program may have none.
    pub fn read(bindings: &Value) -> Result<Self, Failure> {
        if bindings.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(bindings.clone())
            .map_err(|error| Failure::failed(format!("the journal does not say in a known form who plays the agents: {error}")))
    }

    /// Who plays a role.
    pub fn part(&self, role: &str) -> Option<&Part> {
        self.roles.get(role).or_else(|| self.roles.get(EVERYBODY))
    }

    /// The parts that a workflow's own agents need, each once.
    pub fn parts_of<'a>(&'a self, definition: &'a Definition) -> BTreeMap<&'a str, &'a Part> {
        let prompted = definition.agents.values().filter(|agent| matches!(agent.does, Does::Prompt(_)));
        prompted.filter_map(|agent| Some((agent.role.as_str(), self.part(&agent.role)?))).collect()
    }

    /// Everything secret that its players use and that can be read now.
    pub fn secrets(&self) -> Vec<Secret> {
        let links = self.roles.values().flat_map(|part| std::iter::once(&part.link).chain(&part.fallback));
        let providers = links.filter_map(|link| match &link.backend {
            Backend::Model(binding) => Some(&binding.provider),
            _ => None,
        });
        let mut all = of_players(providers, self.tools.values());
        all.extend(self.evidence.secrets());
        all
    }

    /// Where its agents may look, with the servers of the search tools among that.
    pub fn looking(mut self, evidence: Evidence, config: &Config) -> Self {
        for server in evidence.tools().keys().filter_map(|tool| Some(tool.split_once('.')?.0)) {
            if let Some(declared) = config.tools.get(server) {
                self.tools.insert(server.to_string(), declared.clone());
            }
        }
        self.evidence = evidence;
        self
    }

    /// Who performs the calls of one run that no case plays. A role that nobody can play now fails when it is called, and says why.
    pub fn performer(&self, workshop: &Workshop, redactor: Redactor) -> Performer {
        let mut performer = Performer::new().calling(builtins::all()).redacting(redactor);
        for (role, part) in &self.roles {
            let agent = workshop.part(part);
            performer = if role == EVERYBODY { performer.bind_rest(agent) } else { performer.bind(role.clone(), agent) };
            if let Some(most) = part.timeout_ms {
                let most = Duration::from_millis(most);
                performer = if role == EVERYBODY { performer.limit_rest(most) } else { performer.limit(role.clone(), most) };
            }
        }
        performer
    }
}

impl Backend {
    /// Whether it works on files, as programs do.
    pub fn changes_files(&self) -> bool {
        match self {
            Backend::Command { .. } | Backend::Preset { .. } | Backend::Acp { .. } => true,
            Backend::Model(_) | Backend::Person | Backend::Offline | Backend::Scripted => false,
        }
    }

    /// Whether a record speaks of it by this name: by its whole title, or as a coding agent is called without its model.
    pub fn is_called(&self, name: &str) -> bool {
        let short = match self {
            Backend::Preset { preset, .. } => Some(preset.clone()),
            Backend::Acp { acp, .. } => Some(shortened(acp)),
            _ => None,
        };
        short.as_deref() == Some(name) || self.title() == name
    }

    /// As people call it.
    pub fn title(&self) -> String {
        match self {
            Backend::Model(binding) => format!("{}/{}", binding.provider.name, binding.model),
            Backend::Command { command, .. } => command.join(" "),
            Backend::Preset { preset, with_model, .. } => named(preset.clone(), with_model.as_deref()),
            Backend::Acp { acp, with_model, .. } => named(acp.join(" "), with_model.as_deref()),
            Backend::Person => "a person".into(),
            Backend::Offline => "offline".into(),
            Backend::Scripted => "a case".into(),
        }
    }
}

/// Everybody whom the settings name, and who plays the rest. A later version of the workflow may have more roles, so none is left out.
pub fn parts(config: &Config) -> BTreeMap<String, Part> {
    let mut roles: BTreeMap<String, Part> = config.agents.iter().map(|(role, player)| (role.clone(), part(player, config))).collect();
    roles.entry(EVERYBODY.into()).or_insert_with(|| part(&Player::default(), config));
    roles
}

fn part(player: &Player, config: &Config) -> Part {
    let link = |backend: Backend, said: Option<Price>| {
        let price = said.or_else(|| listed_price(&backend, config));
        Link { ceiling: config.budget.per_call.filter(|_| price.is_none()), backend, price }
    };
    let stand_in = |who: &Who| link(backend(who, &Coding::default(), player, config), None);
    Part {
        link: link(backend(player.who.as_ref().unwrap_or(&Who::Offline), &player.coding, player, config), player.price),
        fallback: player.fallback.iter().map(stand_in).collect(),
        tools: player.tools.clone(),
        timeout_ms: player.timeout_ms,
        unattended: player.unattended.clone(),
        rules_said_by: player.rules_said_by.clone(),
    }
}

fn backend(who: &Who, coding: &Coding, player: &Player, config: &Config) -> Backend {
    let (permissions, with_model) = (player.permissions.clone(), coding.model.clone());
    match who {
        Who::Model(name) => model(name, player, config),
        Who::Command { command, verify } => Backend::Command { command: command.clone(), verify: verify.clone() },
        Who::Preset(preset) => {
            let (program, arguments) = (coding.program.clone(), coding.arguments.clone());
            Backend::Preset { preset: preset.clone(), permissions, with_model, program, arguments }
        }
        Who::Acp(acp) => {
            let (mode, options) = (coding.mode.clone(), coding.options.clone());
            Backend::Acp { acp: acp.clone(), permissions, with_model, mode, options }
        }
        Who::Person => Backend::Person,
        Who::Offline => Backend::Offline,
    }
}

/// The command of an agent as its name. Many are started by the same program, such as `npx`; only the whole of it says which one.
fn shortened(acp: &[String]) -> String {
    words::cut(&acp.join(" "), SHOWN_CHARACTERS)
}

fn named(agent: String, model: Option<&str>) -> String {
    model.map_or(agent.clone(), |model| format!("{agent} with {model}"))
}

fn model(name: &ModelName, player: &Player, config: &Config) -> Backend {
    let provider = config.providers.get(&name.provider).cloned().unwrap_or_default();
    Backend::Model(ModelBinding {
        model: name.model.clone(),
        temperature: player.temperature.or(provider.temperature),
        max_tokens: player.max_tokens.or(provider.max_tokens),
        seed: player.seed,
        provider,
    })
}

/// What the lists say, or nothing at all for what is free by declaration.
fn listed_price(backend: &Backend, config: &Config) -> Option<Price> {
    match backend {
        Backend::Model(binding) if binding.provider.free => Some(Price::default()),
        Backend::Model(binding) => of_list(&config.prices, binding),
        Backend::Person | Backend::Offline | Backend::Scripted => Some(Price::default()),
        Backend::Command { .. } | Backend::Preset { .. } | Backend::Acp { .. } => None,
    }
}

fn of_list(prices: &Prices, binding: &ModelBinding) -> Option<Price> {
    let name = ModelName { provider: binding.provider.name.clone(), model: binding.model.clone() };
    prices.of(&name).map(|priced| priced.price)
}

#[cfg(test)]
mod tests;
