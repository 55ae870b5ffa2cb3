//! Values that are read where no path can have produced them: results of states, and data that begins as null.
//! A value that only some paths have produced is not reported, because what is missing is null and can be tested.

use std::collections::BTreeSet;

use super::codes;
use super::graph::{Graph, Origin};
use super::reach;
use super::reads::{self, Moment, Read};
use crate::definition::{Definition, StateDefinition, Work};
use crate::diagnostic::Diagnostic;
use crate::expression::Formula;

pub fn problems(definition: &Definition, graph: &Graph) -> Vec<Diagnostic> {
    let flow = Flow { definition, before: reaches(graph) };
    let mut problems = Vec::new();
    for (position, state) in definition.states.iter().enumerate() {
        // A state that nothing enters is reported as that.
        if !graph.nodes.iter().any(|node| node.state == position) {
            continue;
        }
        let mut told = BTreeSet::new();
        for read in reads::of(definition, state) {
            let problem = flow.missing(position, &read);
            problems.extend(problem.filter(|_| told.insert(read.path.iter().take(2).cloned().collect::<Vec<String>>())));
        }
    }
    problems
}

struct Flow<'a> {
    definition: &'a Definition,
    before: Before,
}

/// For each state, which states a path can come to after it.
struct Before {
    /// After its work was done.
    done: Vec<Vec<bool>>,
    /// After it was left in any way.
    left: Vec<Vec<bool>>,
}

impl Flow<'_> {
    fn missing(&self, here: usize, read: &Read) -> Option<Diagnostic> {
        let [root, name, ..] = read.path.as_slice() else { return None };
        let state = &self.definition.states[here].name;
        match root.as_str() {
            "last" | "all" => {
                let producer = *self.definition.index.get(name.as_str())?;
                let is_now = producer == here && read.moment != Moment::Work;
                let why = format!("`{name}` cannot have run when `{state}` reads its result");
                (!is_now && !self.before.done[producer][here]).then(|| self.warn(read, why, "it is always null here"))
            }
            "data" => {
                let first = self.definition.data.iter().find(|(field, _)| field == name)?;
                let why = format!("nothing can have set `data.{name}` when `{state}` reads it");
                (begins_null(&first.1) && !self.can_be_set(name, here, read.moment)).then(|| self.warn(read, why, "it is always null here"))
            }
            _ => None,
        }
    }

    fn can_be_set(&self, field: &str, here: usize, moment: Moment) -> bool {
        self.definition.states.iter().enumerate().any(|(setter, state)| {
            let by_tasks = sets_after_each(state, field);
            let on_leaving = sets(state, field);
            let by_edit = self.is_edited_at(field, state);
            (by_tasks && (setter == here || self.before.left[setter][here]))
                || (on_leaving && (self.before.done[setter][here] || (setter == here && moment == Moment::Leave)))
                || (by_edit && (self.before.done[setter][here] || (setter == here && moment != Moment::Work)))
        })
    }

    /// Whether a person may change the field in a file when this gate is answered.
    fn is_edited_at(&self, field: &str, state: &StateDefinition) -> bool {
        let edits = self.definition.files.iter().flat_map(|file| &file.edits);
        edits.into_iter().any(|edit| {
            edit.at.contains(&state.name) && edit.target.strip_prefix("data.").is_some_and(|target| target.split('.').next() == Some(field))
        })
    }

    fn warn(&self, read: &Read, message: String, label: &str) -> Diagnostic {
        Diagnostic::warning(codes::NOT_YET_PRODUCED, message)
            .at(&read.span)
            .label(label)
            .help("read it in a state that comes later, or produce it earlier")
    }
}

fn sets(state: &StateDefinition, field: &str) -> bool {
    state.save.iter().chain(&state.add).any(|(name, _)| name == field)
}

fn sets_after_each(state: &StateDefinition, field: &str) -> bool {
    let Work::Plan(plan) = &state.work else { return false };
    plan.after_each_save.iter().chain(&plan.after_each_add).any(|(name, _)| name == field)
}

fn begins_null(first: &Formula) -> bool {
    match first {
        Formula::Literal(value) => value.is_null(),
        Formula::Expression(expression) => expression.constant().is_some_and(|value| value.is_null()),
        Formula::List(_) | Formula::Map(_) => false,
    }
}

fn reaches(graph: &Graph) -> Before {
    let after = |state: usize, counts: fn(Origin) -> bool| {
        let heads = graph.edges.iter().filter(|edge| graph.nodes[edge.from].state == state && counts(edge.origin)).map(|edge| edge.to);
        let is_seen = reach::reachable(graph, heads, |_| true);
        let mut states = vec![false; graph.states.len()];
        for (node, _) in graph.nodes.iter().zip(is_seen).filter(|(_, is_seen)| *is_seen) {
            states[node.state] = true;
        }
        states
    };
    let all = 0..graph.states.len();
    Before {
        done: all.clone().map(|state| after(state, |origin| origin == Origin::Outcome)).collect(),
        left: all.map(|state| after(state, |_| true)).collect(),
    }
}
