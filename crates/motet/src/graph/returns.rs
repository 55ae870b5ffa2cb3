//! Where `to: back` may lead: a walk over every pair of a state and what `back` means there.
//! Conditions are taken as open, so the answer may name more states than a run can really return to, never fewer.

use std::collections::{BTreeMap, BTreeSet};

use motet_core::Definition;
use motet_core::definition::{StateDefinition, Target, TroubleKind};

use super::ways::{may_trouble, ways_out};

pub struct Returns {
    /// For each state, in the order written, what `back` can mean while a run is there.
    meanings: BTreeMap<String, Vec<String>>,
}

impl Returns {
    pub fn of(definition: &Definition) -> Self {
        let start = (definition.start.as_str(), None);
        let mut seen: BTreeSet<(&str, Option<&str>)> = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some((name, back)) = open.pop() {
            let Some(state) = definition.state(name) else { continue };
            let steps = ways_out(state).into_iter().map(|(_, _, transition)| (transition, back));
            let trouble = TroubleKind::ALL.into_iter().filter(|kind| may_trouble(definition, state, *kind));
            let trouble = trouble.filter_map(|kind| definition.trouble_of(state, kind)).map(|transition| (transition, Some(name)));
            for (transition, back) in steps.chain(trouble) {
                let back = transition.back.as_ref().map(|named| named.as_str()).or(back);
                let to = match &transition.to {
                    Target::State(to) => Some(to.as_str()),
                    Target::Back => back,
                };
                open.extend(to.map(|to| (to, back)).filter(|step| seen.insert(*step)));
            }
        }
        let meanings = definition.states.iter().map(|state| (state.name.to_string(), meanings(definition, &seen, state))).collect();
        Self { meanings }
    }

    pub fn from(&self, state: &str) -> impl Iterator<Item = &str> {
        self.meanings.get(state).into_iter().flatten().map(String::as_str)
    }
}

fn meanings(definition: &Definition, seen: &BTreeSet<(&str, Option<&str>)>, state: &StateDefinition) -> Vec<String> {
    let means = |other: &&StateDefinition| seen.contains(&(state.name.as_str(), Some(other.name.as_str())));
    definition.states.iter().filter(means).map(|other| other.name.to_string()).collect()
}
