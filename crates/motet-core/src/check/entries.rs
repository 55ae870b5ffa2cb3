//! The most that can happen on any walk through the machine: entries of a state, calls, dollars, milliseconds.
//! The bound is never too small; it can be too large where a real run could not combine what each part allows.

use super::graph::{Edge, Graph};
use super::loops::{self, Region};
use super::reach;
use super::simplex::{Limit, Simplex};

/// How a walk may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// With the run: the first state is entered.
    Start,
    /// In a node, which is not entered by that.
    Inside(usize),
    /// With an edge, which is taken.
    Through(usize),
}

/// All walks that begin in certain ways and avoid certain edges, as a flow under limits.
///
/// A walk takes each edge some number of times; let these numbers be the variables. They obey three kinds of limits.
/// A node is not left more often than it is entered. A walk begins once. And for every region of `loops` and every
/// counter: between two refills its edges are taken at most as often as it has room, so inside the region they are
/// taken at most room × (stays in the region + refills inside it), where a stay or a refill counts only if the
/// counter can be used after it before it is refilled again. Every real walk obeys all limits, so the most over all
/// numbers that obey them is at least the most over all walks. It is finite unless a loop is endless: a circulation
/// cannot enter a region from outside, so it cannot use the counters that the region does not refill, and by the
/// same argument none of the inner ones. The cost is one small linear program, whatever the number of counters.
#[derive(Debug)]
pub struct Walks<'g> {
    graph: &'g Graph,
    begins: Vec<Begin>,
    edges: Vec<usize>,
    simplex: Simplex,
}

impl<'g> Walks<'g> {
    /// `room` is what each counter has, None for no limit.
    pub fn new(graph: &'g Graph, room: &[Option<u64>], begins: Vec<Begin>, may_take: impl Fn(usize) -> bool) -> Self {
        let heads: Vec<usize> = begins.iter().map(|begin| head(graph, *begin)).collect();
        let is_reached = reach::reachable(graph, heads.iter().copied(), &may_take);
        let edges: Vec<usize> = (0..graph.edges.len()).filter(|edge| is_reached[graph.edges[*edge].from] && may_take(*edge)).collect();
        let limits = Limits { graph, heads: &heads, edges: &edges, room }.all();
        let simplex = Simplex::new(heads.len() + edges.len(), &limits);
        Self { graph, begins, edges, simplex }
    }

    /// All walks of a run between two answers of a person that an unlimited counter counts, its first part included.
    pub fn between_answers(graph: &'g Graph, room: &[Option<u64>]) -> Self {
        let is_answer = |edge: usize| graph.is_unlimited(&graph.edges[edge]);
        let answers = (0..graph.edges.len()).filter(|edge| is_answer(*edge)).map(Begin::Through);
        Self::new(graph, room, std::iter::once(Begin::Start).chain(answers).collect(), |edge| !is_answer(edge))
    }

    /// The most that a walk can gather if arriving in a node by an edge is worth `worth`; the edge is None at the start of the run.
    /// None: there is no most.
    pub fn most(&mut self, worth: impl Fn(usize, Option<&Edge>) -> f64) -> Option<f64> {
        let of_edge = |edge: usize| worth(self.graph.edges[edge].to, Some(&self.graph.edges[edge]));
        let begins = self.begins.iter().map(|begin| match begin {
            Begin::Start => worth(self.graph.start, None),
            Begin::Inside(_) => 0.0,
            Begin::Through(edge) => of_edge(*edge),
        });
        let weights: Vec<f64> = begins.chain(self.edges.iter().map(|edge| of_edge(*edge))).collect();
        self.simplex.maximise(&weights)
    }

    /// The same for what can only be whole. A millionth covers what floating point may have lost.
    pub fn most_whole(&mut self, worth: impl Fn(usize, Option<&Edge>) -> f64) -> Option<u64> {
        self.most(worth).map(|most| (most + 1e-6 + most * 1e-12).floor() as u64)
    }

    /// How often a state can be entered; returns are not entries.
    pub fn entries(&mut self, state: usize) -> Option<u64> {
        let graph = self.graph;
        self.most_whole(|node, edge| f64::from(graph.nodes[node].state == state && !edge.is_some_and(|edge| edge.is_return)))
    }

    /// How often a state can be visited, returns included.
    pub fn visits(&mut self, state: usize) -> Option<u64> {
        let graph = self.graph;
        self.most_whole(|node, _| f64::from(graph.nodes[node].state == state))
    }
}

fn head(graph: &Graph, begin: Begin) -> usize {
    match begin {
        Begin::Start => graph.start,
        Begin::Inside(node) => node,
        Begin::Through(edge) => graph.edges[edge].to,
    }
}

/// Variables are the ways to begin, then the edges.
struct Limits<'a> {
    graph: &'a Graph,
    heads: &'a [usize],
    edges: &'a [usize],
    room: &'a [Option<u64>],
}

impl Limits<'_> {
    fn all(&self) -> Vec<Limit> {
        let mut limits = self.flow();
        let everywhere = Region { edges: self.edges.to_vec(), is_endless: false };
        for region in std::iter::once(everywhere).chain(loops::regions(self.graph, self.edges, self.room)) {
            for (counter, room) in self.room.iter().enumerate() {
                if let Some(room) = room {
                    limits.extend(self.of_counter(&region, counter, *room as f64));
                }
            }
        }
        limits
    }

    /// A walk begins once, and leaves a node at most as often as it arrives there.
    fn flow(&self) -> Vec<Limit> {
        let once = Limit { terms: (0..self.heads.len()).map(|begin| (begin, 1.0)).collect(), bound: 1.0 };
        let mut limits = vec![once];
        limits.resize_with(1 + self.graph.nodes.len(), Limit::default);
        for (variable, head) in self.heads.iter().enumerate() {
            limits[1 + head].terms.push((variable, -1.0));
        }
        for (variable, edge) in self.variables() {
            limits[1 + edge.from].terms.push((variable, 1.0));
            limits[1 + edge.to].terms.push((variable, -1.0));
        }
        limits.retain(|limit| limit.terms.iter().any(|(_, factor)| *factor > 0.0));
        limits
    }

    /// Uses of a counter inside a region ≤ room × (stays in it + refills inside it).
    fn of_counter(&self, region: &Region, counter: usize, room: f64) -> Option<Limit> {
        let uses_soon = self.uses_soon(region, counter)?;
        let mut is_inside = vec![false; self.graph.edges.len()];
        for edge in &region.edges {
            is_inside[*edge] = true;
        }
        let mut limit = Limit::default();
        for (variable, head) in self.heads.iter().enumerate() {
            if uses_soon[*head] {
                limit.terms.push((variable, -room));
            }
        }
        for ((variable, edge), position) in self.variables().zip(self.edges) {
            let is_inside = is_inside[*position];
            if is_inside && edge.counts.contains(&counter) {
                limit.terms.push((variable, 1.0));
            }
            if uses_soon[edge.to] && (!is_inside || edge.resets.contains(&counter)) {
                limit.terms.push((variable, -room));
            }
        }
        Some(limit)
    }

    /// The nodes of a region from which it can use a counter before it refills it; None if it never uses it.
    fn uses_soon(&self, region: &Region, counter: usize) -> Option<Vec<bool>> {
        let inside = || region.edges.iter().map(|edge| &self.graph.edges[*edge]);
        let mut waiting: Vec<usize> = inside().filter(|edge| edge.counts.contains(&counter)).map(|edge| edge.from).collect();
        if waiting.is_empty() {
            return None;
        }
        let mut came_from = vec![Vec::new(); self.graph.nodes.len()];
        for edge in inside().filter(|edge| !edge.resets.contains(&counter)) {
            came_from[edge.to].push(edge.from);
        }
        let mut uses_soon = vec![false; self.graph.nodes.len()];
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut uses_soon[node], true) {
                waiting.extend(&came_from[node]);
            }
        }
        Some(uses_soon)
    }

    fn variables(&self) -> impl Iterator<Item = (usize, &Edge)> {
        let first = self.heads.len();
        self.edges.iter().enumerate().map(move |(position, edge)| (first + position, &self.graph.edges[*edge]))
    }
}
