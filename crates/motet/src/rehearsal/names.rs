//! Whether the names in a case exist. A line for an agent that is spelt wrong would never be said, and nobody would know why.

use std::collections::BTreeSet;

use motet_core::Definition;
use motet_core::case::Case;
use motet_core::definition::{Does, Work};
use motet_core::diagnostic::nearest;

use crate::library::Library;

#[derive(Default)]
struct Known {
    voices: BTreeSet<String>,
    gates: BTreeSet<String>,
    states: BTreeSet<String>,
    workflows: BTreeSet<String>,
}

pub fn unknown(definition: &Definition, case: &Case, library: &Library) -> Vec<String> {
    let mut known = Known::default();
    known.gates.extend(["question", "permission", "interrupted"].map(String::from));
    known.take_in(definition, library);
    let mut problems = Vec::new();
    let mut look = |names: Vec<&String>, known: &BTreeSet<String>, what: &str| {
        for name in names.into_iter().filter(|name| !known.contains(*name)) {
            let meant = nearest(name, known.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`?"));
            problems.push(format!("there is no {what} `{name}`{}", meant.unwrap_or_default()));
        }
    };
    look(case.agents.keys().collect(), &known.voices, "agent, command or call");
    look(case.prices.keys().collect(), &known.voices, "agent");
    look(case.gates.keys().collect(), &known.gates, "gate");
    look(case.events.iter().filter_map(|event| event.in_state.as_ref()).collect(), &known.states, "state");
    look(case.expect.calls.keys().collect(), &known.voices, "agent, command or call");
    let counters = definition.counters.keys().map(ToString::to_string).collect();
    look(case.expect.counters.keys().collect(), &counters, "counter");
    problems
}

impl Known {
    fn take_in(&mut self, definition: &Definition, library: &Library) {
        self.voices.extend(definition.agents.keys().map(ToString::to_string));
        for state in &definition.states {
            self.states.insert(state.name.to_string());
            match state.work {
                Work::Gate(_) => drop(self.gates.insert(state.name.to_string())),
                Work::Command(_) | Work::Call(_) => drop(self.voices.insert(state.name.to_string())),
                _ => {}
            }
        }
        for agent in definition.agents.values() {
            if let Does::Workflow(name) = &agent.does
                && self.workflows.insert(name.clone())
                && let Ok(child) = library.load(name)
            {
                self.take_in(&child.definition, library);
            }
        }
    }
}
