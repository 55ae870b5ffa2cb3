//! What a workflow promises of all its paths: each property, and the shortest path that breaks it.
//! Guards are not looked at, so a property that holds here holds of every run.

use super::codes;
use super::entries::{Begin, Walks};
use super::graph::{Edge, Graph, Origin, show_path};
use super::inputs::Inputs;
use super::reach;
use super::report::{Entries, Property};
use super::witness;
use crate::definition::{Definition, Place, Requirement, Rule};
use crate::diagnostic::Diagnostic;
use crate::expression::Expression;
use crate::names::StateName;

/// Checks every property, for every set of inputs and the room its counters have there.
pub fn properties(
    definition: &Definition,
    graph: &Graph,
    cases: &[(Inputs, Vec<Option<u64>>)],
    problems: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let mut properties = Vec::new();
    for requirement in &definition.require {
        let found = Promise { definition, graph, cases }.check(requirement, problems);
        if !found.holds {
            problems.push(broken(requirement, &found));
        }
        properties.push(found);
    }
    properties
}

fn broken(requirement: &Requirement, found: &Property) -> Diagnostic {
    let mut problem = Diagnostic::error(codes::PROPERTY, format!("`{}` does not hold", requirement.name)).at(&requirement.span);
    problem.label = match &found.entries {
        Some(entries) => format!("up to {} times {}, not {}", show_count(entries.most), entries.inputs, entries.allowed),
        None => "a path breaks this".into(),
    };
    match (&found.path[..], &requirement.rule) {
        ([], Rule::EveryPathPasses { to, .. }) => problem.help(format!("the run begins in `{to}`")),
        ([], _) => problem,
        (path, _) => problem.help(format!("this path breaks it: {}", show_path(path))),
    }
}

fn show_count(count: Option<u64>) -> String {
    count.map_or("any number of".into(), |count| count.to_string())
}

struct Promise<'a> {
    definition: &'a Definition,
    graph: &'a Graph,
    cases: &'a [(Inputs, Vec<Option<u64>>)],
}

impl Promise<'_> {
    fn check(&self, requirement: &Requirement, problems: &mut Vec<Diagnostic>) -> Property {
        let mut property =
            Property { name: requirement.name.clone(), text: requirement.text.clone(), holds: true, path: Vec::new(), entries: None };
        let broken_by = match &requirement.rule {
            Rule::EveryPathPasses { to, through } => self.path_around(to, through),
            Rule::NoPathAvoids { from, to, avoiding } => self.path_between(from, to, avoiding),
            Rule::AfterOnly { after, only } => self.other_successor(after, only),
            Rule::EnteredAtMost { state, times, per } => {
                self.entries(state, times, per, &mut property, problems);
                return property;
            }
        };
        property.holds = broken_by.is_none();
        property.path = self.graph.steps(&broken_by.unwrap_or_default());
        property
    }

    /// A path from the start to a place that passes none of the others.
    fn path_around(&self, to: &Place, through: &[Place]) -> Option<Vec<usize>> {
        let closed = Closed::new(self.graph, through);
        let start: Vec<usize> = Some(self.graph.start).filter(|node| !closed.nodes[*node]).into_iter().collect();
        self.path_to(&start, to, &closed)
    }

    /// A path from a place to another that passes none of the others.
    fn path_between(&self, from: &Place, to: &Place, avoiding: &[Place]) -> Option<Vec<usize>> {
        let closed = Closed::new(self.graph, avoiding);
        let firsts: Vec<usize> =
            (0..self.graph.edges.len()).filter(|edge| leaves(self.graph, *edge, from) && closed.may_take(self.graph, *edge)).collect();
        let heads: Vec<usize> = firsts.iter().map(|edge| self.graph.edges[*edge].to).collect();
        let rest = self.path_to(&heads, to, &closed)?;
        let head = rest.first().map(|edge| self.graph.edges[*edge].from);
        let first = firsts.into_iter().find(|edge| match head {
            Some(head) => self.graph.edges[*edge].to == head,
            None => closed.arrives(self.graph, self.graph.edges[*edge].to, to).is_some(),
        })?;
        Some(std::iter::once(first).chain(rest).collect())
    }

    fn path_to(&self, from: &[usize], to: &Place, closed: &Closed) -> Option<Vec<usize>> {
        let path = reach::shortest(
            self.graph,
            from,
            |node| closed.arrives(self.graph, node, to).is_some(),
            |edge| closed.may_take(self.graph, edge),
        )?;
        let nodes = path.last().map_or_else(|| from.to_vec(), |edge| vec![self.graph.edges[*edge].to]);
        let last = nodes.into_iter().find_map(|node| closed.arrives(self.graph, node, to)).flatten();
        Some(path.into_iter().chain(last).collect())
    }

    fn other_successor(&self, after: &Place, only: &[StateName]) -> Option<Vec<usize>> {
        let is_allowed = |edge: usize| only.iter().any(|name| name == self.graph.name(self.graph.edges[edge].to));
        (0..self.graph.edges.len()).find(|edge| leaves(self.graph, *edge, after) && !is_allowed(*edge)).map(|edge| vec![edge])
    }

    /// A visit of `per` begins the count anew: no walk enters it, and walks begin there as well as at the start.
    fn entries(&self, state: &StateName, times: &Expression, per: &[Place], property: &mut Property, problems: &mut Vec<Diagnostic>) {
        let Some(state) = self.definition.index.get(state).copied() else { return };
        let closed = Closed::new(self.graph, per);
        let may_take = |edge: usize| closed.may_take(self.graph, edge);
        let begins = || {
            let inside = (0..self.graph.nodes.len()).filter(|node| closed.nodes[*node]).map(Begin::Inside);
            let through = (0..self.graph.edges.len()).filter(|edge| closed.edges[*edge]).map(Begin::Through);
            std::iter::once(Begin::Start).chain(inside).chain(through).collect::<Vec<Begin>>()
        };
        for (inputs, room) in self.cases {
            let allowed = match inputs.whole(times) {
                Ok(allowed) => allowed,
                Err(problem) => {
                    problems.push(*problem);
                    continue;
                }
            };
            let mut most = Walks::new(self.graph, room, begins(), may_take).entries(state);
            let mut path = Vec::new();
            if most.is_none_or(|most| most > allowed) {
                match witness::find(self.graph, room, &begins(), may_take, state, allowed) {
                    witness::Found::Walk(walk) => path = walk,
                    witness::Found::Most(exact) => most = Some(exact),
                    witness::Found::GaveUp => {}
                }
            }
            let holds = most.is_some_and(|most| most <= allowed);
            if property.holds {
                property.holds = holds;
                property.path = self.graph.steps(&path);
                property.entries = Some(Entries { most, allowed, inputs: inputs.label });
            }
        }
    }
}

/// The places that a path must not pass: whole states, or the edges of one outcome.
struct Closed {
    nodes: Vec<bool>,
    edges: Vec<bool>,
}

impl Closed {
    fn new(graph: &Graph, places: &[Place]) -> Self {
        let whole = |node: usize| places.iter().any(|place| place.outcome.is_none() && place.state == graph.name(node));
        let outcome = |edge: usize| places.iter().any(|place| place.outcome.is_some() && leaves(graph, edge, place));
        Self { nodes: (0..graph.nodes.len()).map(whole).collect(), edges: (0..graph.edges.len()).map(outcome).collect() }
    }

    fn may_take(&self, graph: &Graph, edge: usize) -> bool {
        !self.edges[edge] && !self.nodes[graph.edges[edge].to]
    }

    /// Whether being in a node is being at a place: at once, or with one more edge.
    fn arrives(&self, graph: &Graph, node: usize, place: &Place) -> Option<Option<usize>> {
        if place.state != graph.name(node) {
            return None;
        }
        match place.outcome {
            None => Some(None),
            Some(_) => graph.out[node].iter().copied().find(|edge| leaves(graph, *edge, place) && !self.edges[*edge]).map(Some),
        }
    }
}

/// Whether an edge leaves a place. The trouble of a state leaves the state, but none of its outcomes.
fn leaves(graph: &Graph, edge: usize, place: &Place) -> bool {
    let edge: &Edge = &graph.edges[edge];
    let is_outcome = |outcome: &String| edge.origin == Origin::Outcome && edge.outcome == *outcome;
    place.state == graph.name(edge.from) && place.outcome.as_ref().is_none_or(is_outcome)
}
