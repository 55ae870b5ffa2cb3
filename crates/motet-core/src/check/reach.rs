//! What a run can reach: dead states, traps, and the shortest path that shows something.
//! Counters are not looked at: an edge that is counted can be taken.

use std::collections::VecDeque;

use super::graph::Graph;

/// The shortest path, as edges, from one of the nodes to a node that is wanted; `may_take` says which edges exist.
pub fn shortest(graph: &Graph, from: &[usize], is_wanted: impl Fn(usize) -> bool, may_take: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let mut came_by: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut is_seen = vec![false; graph.nodes.len()];
    let mut waiting = VecDeque::new();
    for node in from {
        if !is_seen[*node] {
            is_seen[*node] = true;
            waiting.push_back(*node);
        }
    }
    while let Some(node) = waiting.pop_front() {
        if is_wanted(node) {
            return Some(walk_back(graph, &came_by, node));
        }
        for edge in graph.out[node].iter().copied().filter(|edge| may_take(*edge)) {
            let to = graph.edges[edge].to;
            if !is_seen[to] {
                is_seen[to] = true;
                came_by[to] = Some(edge);
                waiting.push_back(to);
            }
        }
    }
    None
}

fn walk_back(graph: &Graph, came_by: &[Option<usize>], mut node: usize) -> Vec<usize> {
    let mut path = Vec::new();
    while let Some(edge) = came_by[node] {
        path.push(edge);
        node = graph.edges[edge].from;
    }
    path.reverse();
    path
}

/// Which nodes can be reached from these, themselves included.
pub fn reachable(graph: &Graph, from: impl IntoIterator<Item = usize>, may_take: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut is_seen = vec![false; graph.nodes.len()];
    let mut waiting: Vec<usize> = from.into_iter().collect();
    while let Some(node) = waiting.pop() {
        if std::mem::replace(&mut is_seen[node], true) {
            continue;
        }
        waiting.extend(graph.out[node].iter().filter(|edge| may_take(**edge)).map(|edge| graph.edges[*edge].to));
    }
    is_seen
}

/// The states that no path enters.
pub fn dead_states(graph: &Graph) -> Vec<usize> {
    let mut is_alive = vec![false; graph.states.len()];
    for node in &graph.nodes {
        is_alive[node.state] = true;
    }
    (0..graph.states.len()).filter(|state| !is_alive[*state]).collect()
}

/// The nodes from which no final state can be reached.
pub fn traps(graph: &Graph) -> Vec<usize> {
    let mut came_from = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        came_from[edge.to].push(edge.from);
    }
    let mut can_end = vec![false; graph.nodes.len()];
    let mut waiting: Vec<usize> = (0..graph.nodes.len()).filter(|node| graph.is_final(*node)).collect();
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut can_end[node], true) {
            waiting.extend(&came_from[node]);
        }
    }
    (0..graph.nodes.len()).filter(|node| !can_end[*node]).collect()
}
