//! A workflow with all that its runs may start, since one run's players play in the others too; and the roles of all of them.
//! It plays nothing and chooses no backend.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use motet_core::Definition;
use motet_core::definition::Does;
use motet_core::event::{ChildTerms, Price};
use serde_json::json;

use super::Casting;
use crate::library::Library;

/// The workflow first. One that cannot be loaded is left out: the check of the workflow that starts it tells.
pub fn family(definition: &Arc<Definition>, library: &Library) -> Vec<Arc<Definition>> {
    let mut seen = BTreeSet::from([definition.name.clone()]);
    let mut all = vec![definition.clone()];
    let mut open = children(definition);
    while let Some(child) = open.pop() {
        if seen.insert(child.clone())
            && let Ok(loaded) = library.load(&child)
        {
            open.extend(children(&loaded.definition));
            all.push(loaded.definition);
        }
    }
    all
}

fn children(definition: &Definition) -> Vec<String> {
    let started = definition.agents.values().filter_map(|agent| match &agent.does {
        Does::Workflow(child) => Some(child.clone()),
        Does::Prompt(_) | Does::Builtin(_) => None,
    });
    started.collect()
}

/// What the runs of the other workflows of a family are started with: the same players, under the names that each workflow has for them.
pub fn terms(family: &[Arc<Definition>], casting: &Casting, prices: impl Fn(&Definition) -> BTreeMap<String, Price>) -> Terms {
    if family.len() < 2 {
        return Terms::new();
    }
    let terms = family.iter().map(|definition| {
        let bindings = json!({ "agents": casting.agents_of(definition) });
        (definition.name.clone(), ChildTerms { prices: prices(definition), bindings })
    });
    terms.collect()
}

pub type Terms = BTreeMap<String, ChildTerms>;

/// The roles that somebody must play, and whether one is only that of functions, which nobody plays.
pub fn roles<'a>(definitions: impl IntoIterator<Item = &'a Arc<Definition>>) -> BTreeMap<String, bool> {
    let mut roles = BTreeMap::new();
    for agent in definitions.into_iter().flat_map(|definition| definition.agents.values()) {
        let is_played = matches!(agent.does, Does::Prompt(_));
        *roles.entry(agent.role.clone()).or_default() |= is_played;
    }
    roles
}
