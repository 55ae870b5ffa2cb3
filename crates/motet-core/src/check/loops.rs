//! Bounded loops: which parts of the machine a run can stay in, and whether it must leave them.
//! How often it can go round is `entries`' business.

use super::graph::{CounterKind, Graph};
use super::reach;

/// A strongly connected part, at one depth of nesting: its outer loops' counted edges are gone from it.
#[derive(Clone, Debug)]
pub struct Region {
    pub edges: Vec<usize>,
    /// No counter limits it.
    pub is_endless: bool,
}

/// Every region of the graph of these edges, outer ones first.
///
/// A run that never ends stays in one strongly connected part for ever. It can take an edge there for ever only if
/// every counter of that edge is refilled there. So the edges of a counter that nothing in the part refills can be
/// dropped; what is left falls into smaller parts, of which the same is true. A part that still has a cycle when no
/// counter can be dropped is an endless loop. `room` is what each counter has: an edge without room does not exist.
pub fn regions(graph: &Graph, edges: &[usize], room: &[Option<u64>]) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    let has_room = |edge: &usize| graph.edges[*edge].counts.iter().all(|counter| room[*counter] != Some(0));
    let mut waiting: Vec<Vec<usize>> = vec![edges.iter().copied().filter(has_room).collect()];
    while let Some(edges) = waiting.pop() {
        for part in cyclic_parts(graph, &edges) {
            let left: Vec<usize> = part.iter().copied().filter(|edge| !is_limited_in(graph, *edge, &part)).collect();
            let is_endless = left.len() == part.len();
            found.push(Region { edges: part, is_endless });
            if !is_endless {
                waiting.push(left);
            }
        }
    }
    found
}

/// The shortest cycle of a region, as edges.
pub fn shortest_cycle(graph: &Graph, region: &Region) -> Vec<usize> {
    let mut is_inside = vec![false; graph.edges.len()];
    for edge in &region.edges {
        is_inside[*edge] = true;
    }
    let cycles = region.edges.iter().filter_map(|first| {
        let edge = &graph.edges[*first];
        let rest = reach::shortest(graph, &[edge.to], |node| node == edge.from, |edge| is_inside[edge])?;
        Some(std::iter::once(*first).chain(rest).collect::<Vec<usize>>())
    });
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

fn is_limited_in(graph: &Graph, edge: usize, part: &[usize]) -> bool {
    graph.edges[edge].counts.iter().any(|counter| {
        graph.counters[*counter].kind == CounterKind::Unlimited || !part.iter().any(|other| graph.edges[*other].resets.contains(counter))
    })
}

/// The edges inside each strongly connected component that has any.
fn cyclic_parts(graph: &Graph, edges: &[usize]) -> Vec<Vec<usize>> {
    let component = components(graph, edges);
    let mut parts: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for edge in edges {
        let (from, to) = (graph.edges[*edge].from, graph.edges[*edge].to);
        if component[from] == component[to] {
            parts.entry(component[from]).or_default().push(*edge);
        }
    }
    parts.into_values().collect()
}

/// Tarjan's algorithm without recursion, so that a long workflow cannot exhaust the stack.
fn components(graph: &Graph, edges: &[usize]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = graph.nodes.len();
    let mut successors = vec![Vec::new(); count];
    for edge in edges {
        successors[graph.edges[*edge].from].push(graph.edges[*edge].to);
    }
    let (mut order, mut low, mut component) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut open, mut calls) = (Vec::new(), Vec::new());
    let (mut clock, mut found) = (0, 0);
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, position)) = calls.pop() {
            if position == 0 {
                (order[node], low[node]) = (clock, clock);
                clock += 1;
                open.push(node);
            }
            if let Some(next) = successors[node].get(position).copied() {
                calls.push((node, position + 1));
                if order[next] == NONE {
                    calls.push((next, 0));
                } else if component[next] == NONE {
                    low[node] = low[node].min(order[next]);
                }
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    component
}
