//! Runs without a model: when rules play the agents, what the run says of it, and what it refuses before it starts.
//! The rules themselves belong to the workflows; nothing here knows one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use motet_agents::offline::WAYS_OUT;
use motet_core::Definition;
use motet_core::definition::{Agent, Does, StateDefinition};

use super::{Backend, Casting, Part, PinnedCase, family};
use crate::cli::Failure;
use crate::config::EVERYBODY;
use crate::library::{Library, Loaded};

impl Casting {
    /// The first lines of a run in which rules play an agent, or would; of its own agents and of those of the runs that it may start.
    pub fn offline_lines(&self, family: &[Arc<Definition>]) -> Vec<String> {
        let played = self.prompted(family).filter(|(_, part, has_rules)| *has_rules && part.link.backend == Backend::Offline);
        let mut by_place: BTreeMap<Option<&str>, BTreeSet<&str>> = BTreeMap::new();
        for (name, part, _) in played {
            by_place.entry(part.rules_said_by.as_deref()).or_default().insert(name);
        }
        let line = |(place, agents): (Option<&str>, BTreeSet<&str>)| {
            let who = self.together(&agents, family)?;
            Some(match place {
                Some(place) => format!("offline: rules play {who}, as {place} says"),
                None => format!("offline: no model is configured, so rules play {who} (`motet init` to choose a model)"),
            })
        };
        by_place.into_iter().filter_map(line).chain(self.in_reserve(family)).collect()
    }

    /// Rules that answer when nobody else can, a line for each chain that ends with them.
    fn in_reserve(&self, family: &[Arc<Definition>]) -> Vec<String> {
        let mut chains: BTreeMap<Vec<String>, BTreeSet<&str>> = BTreeMap::new();
        for (name, part, _) in self.prompted(family).filter(|(_, _, has_rules)| *has_rules) {
            let links: Vec<&Backend> = std::iter::once(&part.link).chain(&part.fallback).map(|link| &link.backend).collect();
            if let Some(place) = links.iter().position(|backend| **backend == Backend::Offline).filter(|place| *place > 0) {
                chains.entry(links[..place].iter().map(|backend| backend.title()).collect()).or_default().insert(name);
            }
        }
        let lines = chains.into_iter().filter_map(|(before, agents)| {
            let whose = self.together(&agents, family)?;
            Some(match &before[..] {
                [only] => format!("offline: rules stand in for {whose} if {only} cannot answer"),
                several => format!("offline: rules stand in for {whose} if none of {} can answer", several.join(", ")),
            })
        });
        lines.collect()
    }

    /// Agents by name, or all of them at once; None if there are none.
    fn together(&self, agents: &BTreeSet<&str>, family: &[Arc<Definition>]) -> Option<String> {
        let all: BTreeSet<&str> = self.prompted(family).map(|(name, ..)| name).collect();
        match agents.len() {
            0 => None,
            _ if *agents == all => Some("the agents".into()),
            _ => Some(agents.iter().copied().collect::<Vec<_>>().join(", ")),
        }
    }

    /// The agents that somebody plays, each with its part and whether its workflow has rules for it.
    fn prompted<'a>(&'a self, family: &'a [Arc<Definition>]) -> impl Iterator<Item = (&'a str, &'a Part, bool)> {
        let agents = family.iter().flat_map(|definition| definition.agents.values().map(move |agent| (definition, agent)));
        let prompted = agents.filter(|(_, agent)| matches!(agent.does, Does::Prompt(_)));
        prompted
            .filter_map(|(definition, agent)| Some((agent.name.as_str(), self.part(&agent.role)?, definition.plays_offline(&agent.name))))
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
    fn unplayed(&self, definition: &Arc<Definition>, library: &Library) -> BTreeMap<String, BTreeSet<String>> {
        let mut unplayed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for definition in family(definition, library) {
            let asked: BTreeSet<_> = definition.states.iter().flat_map(StateDefinition::agents).collect();
            let asked = asked.into_iter().filter_map(|name| definition.agents.get(name));
            for agent in asked.filter(|agent| !matches!(agent.does, Does::Workflow(_)) && !self.is_played(&definition, agent)) {
                unplayed.entry(agent.role.clone()).or_default().insert(agent.name.to_string());
            }
        }
        unplayed
    }

    /// Whether somebody plays the agent, or one of those who step in for it.
    fn is_played(&self, definition: &Definition, agent: &Agent) -> bool {
        let is_offline = self.part(&agent.role).is_some_and(|part| part.link.backend == Backend::Offline);
        let stand_ins = || agent.fallback.iter().filter_map(|name| definition.agents.get(name));
        !is_offline || definition.plays_offline(&agent.name) || stand_ins().any(|other| self.is_played(definition, other))
    }
}

/// `developer (deputy_developer, developer, reviser)`, or the role alone where it is the agent's own name.
fn in_words(role: &str, agents: &BTreeSet<String>) -> String {
    match agents.len() {
        1 if agents.contains(role) => role.to_string(),
        _ => format!("{role} ({})", agents.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
    }
}
