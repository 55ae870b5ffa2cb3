//! Random machines, walked to the end by brute force and compared with what the checker says of them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::machines::machine;
use crate::check::entries::{Begin, Walks};
use crate::check::graph::Graph;
use crate::check::loops;
use crate::check::witness::{self, Found};

/// What a run knows of itself in these machines: where it is, and how often each counter was used since its last refill.
type Moment = (usize, Vec<u64>);

fn arrows() -> impl Strategy<Value = String> {
    let counter = prop_oneof![3 => Just(String::new()), 2 => Just(" count x".to_string()), 2 => Just(" count y".to_string())];
    let reset = prop_oneof![5 => Just(String::new()), 1 => Just(" reset x".to_string()), 1 => Just(" reset y".to_string())];
    let arrow = (0..4usize, 0..5usize, counter, reset)
        .prop_map(|(from, to, counter, reset)| format!("{from} > {}{counter}{reset}", if to == 4 { "end".into() } else { to.to_string() }));
    proptest::collection::vec(arrow, 1..9).prop_map(|arrows| format!("0 > end\n{}", arrows.join("\n")))
}

fn moves(graph: &Graph, rooms: &[Option<u64>], (node, used): &Moment) -> Vec<Moment> {
    let open = graph.out[*node].iter().map(|edge| &graph.edges[*edge]);
    let open = open.filter(|edge| edge.counts.iter().all(|counter| rooms[*counter].is_none_or(|room| used[*counter] < room)));
    open.map(|edge| {
        let mut used = used.clone();
        edge.counts.iter().for_each(|counter| used[*counter] += 1);
        edge.resets.iter().for_each(|counter| used[*counter] = 0);
        (edge.to, used)
    })
    .collect()
}

/// The most entries of each node on a walk from here; None once a walk can go on for ever.
fn walk(
    graph: &Graph,
    rooms: &[Option<u64>],
    moment: &Moment,
    open: &mut BTreeSet<Moment>,
    known: &mut BTreeMap<Moment, Option<Vec<u64>>>,
) -> Option<Vec<u64>> {
    if let Some(found) = known.get(moment) {
        return found.clone();
    }
    if !open.insert(moment.clone()) {
        return None;
    }
    let mut most = Some(vec![0; graph.nodes.len()]);
    for next in moves(graph, rooms, moment) {
        let after = walk(graph, rooms, &next, open, known);
        most = most.zip(after).map(|(mut most, after)| {
            for (node, entries) in after.into_iter().enumerate() {
                most[node] = most[node].max(entries + u64::from(node == next.0));
            }
            most
        });
    }
    open.remove(moment);
    known.insert(moment.clone(), most.clone());
    most
}

fn brute_force(graph: &Graph, rooms: &[Option<u64>]) -> Option<Vec<u64>> {
    let mut most = walk(graph, rooms, &(graph.start, vec![0; rooms.len()]), &mut BTreeSet::new(), &mut BTreeMap::new())?;
    most[graph.start] += 1;
    Some(most)
}

fn is_endless(graph: &Graph, rooms: &[Option<u64>]) -> bool {
    let is_reached = crate::check::reach::reachable(graph, [graph.start], |_| true);
    let edges: Vec<usize> = (0..graph.edges.len()).filter(|edge| is_reached[graph.edges[*edge].from]).collect();
    loops::regions(graph, &edges, rooms).iter().any(|region| region.is_endless)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_walk_enters_a_state_more_often_than_the_bound(arrows in arrows(), x in 0..4u64, y in 0..4u64) {
        let (graph, rooms) = machine(&format!("{arrows}\n room x {x}\n room y {y}"));
        if !is_endless(&graph, &rooms) {
            let walked = brute_force(&graph, &rooms);
            prop_assert!(walked.is_some(), "the checker says that every run ends, and one does not");
            let mut walks = Walks::new(&graph, &rooms, vec![Begin::Start], |_| true);
            for (node, most) in walked.unwrap_or_default().into_iter().enumerate() {
                let bound = walks.entries(graph.nodes[node].state);
                prop_assert!(bound.is_some_and(|bound| bound >= most), "{} is entered {most} times, bound {bound:?}", graph.name(node));
            }
        }
    }

    #[test]
    fn a_walk_with_one_entry_too_many_is_found_exactly_where_there_is_one(arrows in arrows(), x in 0..4u64, y in 0..4u64) {
        let (graph, rooms) = machine(&format!("{arrows}\n room x {x}\n room y {y}"));
        for (node, most) in brute_force(&graph, &rooms).unwrap_or_default().into_iter().enumerate() {
            let state = graph.nodes[node].state;
            let exact = witness::find(&graph, &rooms, &[Begin::Start], |_| true, state, most);
            prop_assert!(matches!(exact, Found::Most(found) if found == most), "{} is entered {most} times", graph.name(node));
            if most > 1 {
                let Found::Walk(walk) = witness::find(&graph, &rooms, &[Begin::Start], |_| true, state, most - 1) else {
                    return Err(TestCaseError::fail("no walk was found"));
                };
                let entered = walk.iter().filter(|edge| graph.edges[**edge].to == node).count() as u64;
                prop_assert_eq!(entered + u64::from(node == graph.start), most);
            }
        }
    }

    /// With room enough to go round a whole region, an endless region is an endless run.
    #[test]
    fn a_loop_that_is_called_endless_is_endless(arrows in arrows()) {
        let (graph, rooms) = machine(&format!("{arrows}\n room x 12\n room y 12"));
        prop_assert_eq!(is_endless(&graph, &rooms), brute_force(&graph, &rooms).is_none());
    }
}
