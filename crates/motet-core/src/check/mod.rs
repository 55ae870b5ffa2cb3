//! The static proof: what holds of every path of a workflow, and the most a run can take.
//! It reads a definition and nothing else; whether a guard is sensible or an agent honest is decided while running.

mod bounds;
mod children;
pub mod codes;
mod entries;
mod flow;
mod graph;
mod inputs;
mod loops;
mod reach;
mod reads;
mod report;
mod require;
mod shape;
mod simplex;
#[cfg(test)]
mod tests;
mod transitions;
mod visit;
mod witness;

use std::sync::Arc;

use serde_json::Value;

pub use graph::Step;
pub use report::{Bounds, Dominant, Entries, Property, Report, StateBounds, Total};
pub use transitions::transition_ids;

use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use graph::Graph;
use inputs::Inputs;

/// Checks a definition; with a run's input, inputs count with their real values instead of their maxima.
pub fn check(definition: &Definition, input: Option<&Value>) -> Report {
    let graph = Graph::of(definition);
    let mut problems = Vec::new();
    let mut cases: Vec<(Inputs, Vec<Option<u64>>)> = Vec::new();
    for inputs in Inputs::of(definition, input) {
        let room = inputs.rooms(definition, &graph, &mut problems);
        cases.push((inputs, room));
    }
    if let Some((_, room)) = cases.last() {
        problems.extend(shape::problems(definition, &graph, room));
    }
    let properties = require::properties(definition, &graph, &cases, &mut problems);
    problems.extend(flow::problems(definition, &graph));
    // What cannot run has no bounds worth the work.
    let is_sound = !problems.iter().any(Diagnostic::is_error);
    let sound_cases = cases.iter().filter(|_| is_sound);
    let bounds: Vec<Bounds> = sound_cases.map(|(inputs, room)| bounds::bounds(definition, &graph, inputs, room, &mut problems)).collect();
    if let Some(usual) = bounds.first() {
        problems.extend(bounds::kept_shares(definition, usual));
    }
    Report {
        workflow: definition.name.clone(),
        version: definition.version.clone(),
        diagnostics: each_once(problems),
        states: definition.states.len(),
        transitions: transition_ids(definition),
        properties,
        bounds,
        waits: shape::waits(definition),
    }
}

/// The same, with what it gives to the workflows that it runs held against what those declare, as far as `workflow` finds them.
pub fn check_family(definition: &Definition, input: Option<&Value>, workflow: impl Fn(&str) -> Option<Arc<Definition>>) -> Report {
    let mut report = check(definition, input);
    let own = std::mem::take(&mut report.diagnostics);
    report.diagnostics = each_once(own.into_iter().chain(children::problems(definition, workflow)).collect());
    report
}

/// The same problem found for two sets of inputs is one problem. Errors come first, then the order of the file.
fn each_once(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut once: Vec<Diagnostic> = Vec::new();
    for problem in problems {
        if !once.contains(&problem) {
            once.push(problem);
        }
    }
    once.sort_by(|left, right| (left.severity, &left.span).cmp(&(right.severity, &right.span)));
    once
}
