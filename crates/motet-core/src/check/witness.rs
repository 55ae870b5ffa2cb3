//! A real walk that enters a state too often, or the proof that there is none: by trying all, where they are few.
//! It runs only where the bound of `entries` is not enough.

use std::collections::{BTreeSet, VecDeque};

use super::entries::Begin;
use super::graph::Graph;

/// How many moments are looked at before it gives up.
const MOST_MOMENTS: usize = 40_000;

pub enum Found {
    /// The shortest walk with more entries than allowed, as edges.
    Walk(Vec<usize>),
    /// No walk enters the state more often than this.
    Most(u64),
    GaveUp,
}

/// Where a walk is, what it has used of each counter since its refill, and how often it has entered the state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    node: usize,
    used: Vec<u64>,
    entries: u64,
}

pub fn find(graph: &Graph, room: &[Option<u64>], begins: &[Begin], may_take: impl Fn(usize) -> bool, state: usize, allowed: u64) -> Found {
    let mut seen = BTreeSet::new();
    let mut moments: Vec<(Moment, Option<(usize, usize)>)> = Vec::new();
    let mut waiting = VecDeque::new();
    let mut most = 0;
    let enters = |edge: usize| u64::from(graph.nodes[graph.edges[edge].to].state == state && !graph.edges[edge].is_return);
    let mut arrivals: Vec<(Moment, Option<(usize, usize)>)> = begins
        .iter()
        .map(|begin| {
            let (node, entries) = match begin {
                Begin::Start => (graph.start, u64::from(graph.nodes[graph.start].state == state)),
                Begin::Inside(node) => (*node, 0),
                Begin::Through(edge) => (graph.edges[*edge].to, enters(*edge)),
            };
            (Moment { node, used: vec![0; room.len()], entries }, None)
        })
        .collect();
    loop {
        for (moment, came_by) in arrivals.drain(..) {
            if seen.insert(moment.clone()) {
                most = most.max(moment.entries);
                moments.push((moment, came_by));
                waiting.push_back(moments.len() - 1);
                if most > allowed {
                    return Found::Walk(walk_back(&moments));
                }
            }
        }
        let Some(position) = waiting.pop_front() else { return Found::Most(most) };
        if moments.len() > MOST_MOMENTS {
            return Found::GaveUp;
        }
        let moment = moments[position].0.clone();
        for edge in graph.out[moment.node].iter().copied().filter(|edge| may_take(*edge)) {
            let taken = &graph.edges[edge];
            if taken.counts.iter().all(|counter| room[*counter].is_none_or(|room| moment.used[*counter] < room)) {
                let mut used = moment.used.clone();
                taken.counts.iter().filter(|counter| room[**counter].is_some()).for_each(|counter| used[*counter] += 1);
                taken.resets.iter().for_each(|counter| used[*counter] = 0);
                arrivals.push((Moment { node: taken.to, used, entries: moment.entries + enters(edge) }, Some((position, edge))));
            }
        }
    }
}

fn walk_back(moments: &[(Moment, Option<(usize, usize)>)]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut position = moments.len() - 1;
    while let Some((before, edge)) = moments[position].1 {
        path.push(edge);
        position = before;
    }
    path.reverse();
    path
}
