//! Runs without a model: when rules play the agents, what the run says of it, and what it refuses before it starts.
//! The rules themselves belong to the workflows; nothing here knows one.

use std::collections::{BTreeMap, BTreeSet};

use motet_agents::offline::WAYS_OUT;
use motet_core::Definition;
use motet_core::definition::Does;
use motet_core::event::Price;

use super::{Backend, Casting, PinnedCase};
use crate::cli::Failure;
use crate::config::EVERYBODY;
use crate::library::{Library, Loaded};

/// Whoever sets one of these wants a model of Ollama.
const OLLAMA_VARIABLES: [&str; 5] =
    [super::OLLAMA_BASE_URL, super::OLLAMA_MODEL_NAME, "OLLAMA_TEMPERATURE", "OLLAMA_MAX_TOKENS", "OLLAMA_REQUEST_TIMEOUT"];

/// Whether the command line or the environment asks for a model.
pub(super) fn is_model_wanted(model: Option<&str>) -> bool {
    let is_set = |variable: &&str| std::env::var(variable).is_ok_and(|value| !value.trim().is_empty());
    model.is_some() || OLLAMA_VARIABLES.iter().any(|variable| is_set(variable))
}

impl Casting {
    /// The first line of a run in which rules play an agent.
    pub fn offline_line(&self) -> Option<String> {
        let played = self.offline_agents();
        let who = match played.len() {
            0 => return None,
            count if count == self.agents.len() => "the agents".to_string(),
            _ => played.join(", "),
        };
        Some(format!("offline: no model is configured, so rules play {who} (`motet init` to choose a model)"))
    }

    /// The agents that rules play, by name.
    pub fn offline_agents(&self) -> Vec<&str> {
        let played = self.agents.iter().filter(|(_, backend)| **backend == Backend::Offline);
        played.map(|(agent, _)| agent.as_str()).collect()
    }

    /// A rule costs nothing, whatever the workflow says that a model may cost.
    pub fn offline_prices(&self) -> impl Iterator<Item = (String, Price)> {
        self.offline_agents().into_iter().map(|agent| (agent.to_string(), Price::default()))
    }

    /// Refuses a run in which some agent would be played by rules and has none, all of them named at once.
    pub fn require_rules(&self, loaded: &Loaded, library: &Library) -> Result<(), Failure> {
        let unplayed = self.unplayed(&loaded.definition, library);
        if unplayed.is_empty() {
            return Ok(());
        }
        let name = &loaded.definition.name;
        let agents: Vec<String> = unplayed.iter().map(|(role, agents)| in_words(role, agents)).collect();
        let mut failure = Failure::invalid(format!("{name} cannot run without a model: no rule can play {}", agents.join("; ")))
            .help(format!("{WAYS_OUT}, such as [agents.{}]", unplayed.keys().next().map_or(EVERYBODY, String::as_str)));
        if PinnedCase::demo(&loaded.folder).is_some() {
            failure = failure.help(format!("`motet run {name} --demo` plays a case, without a model"));
        }
        Err(failure)
    }

    /// By role, the agents that nobody can play; those of child runs too, which have the same players.
    fn unplayed(&self, definition: &Definition, library: &Library) -> BTreeMap<String, BTreeSet<String>> {
        let mut unplayed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<String> = self.look(definition, &mut unplayed);
        while let Some(child) = open.pop() {
            // A child that cannot be loaded was told by the check of its parent, or will be when it is started.
            if let (true, Ok(loaded)) = (seen.insert(child.clone()), library.load(&child)) {
                open.extend(self.look(&loaded.definition, &mut unplayed));
            }
        }
        unplayed
    }

    /// Adds the agents of one workflow, and gives the workflows that it starts.
    fn look(&self, definition: &Definition, unplayed: &mut BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
        let mut children = Vec::new();
        for agent in definition.agents.values() {
            let backend = self.roles.get(&agent.role).or_else(|| self.roles.get(EVERYBODY));
            match &agent.does {
                Does::Workflow(child) => children.push(child.clone()),
                Does::Prompt(_) if backend == Some(&Backend::Offline) && !definition.plays_offline(&agent.name) => {
                    unplayed.entry(agent.role.clone()).or_default().insert(agent.name.to_string());
                }
                Does::Prompt(_) | Does::Builtin(_) => {}
            }
        }
        children
    }
}

/// `developer (deputy_developer, developer, reviser)`, or the role alone where it is the agent's own name.
fn in_words(role: &str, agents: &BTreeSet<String>) -> String {
    match agents.len() {
        1 if agents.contains(role) => role.to_string(),
        _ => format!("{role} ({})", agents.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
    }
}
