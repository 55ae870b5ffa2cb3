//! Small machines written as arrows, for the algorithms alone.

use crate::check::entries::{Begin, Walks};
use crate::check::graph::{Counter, CounterKind, Edge, Graph, Node, Origin};
use crate::check::{loops, reach};

/// Reads `a > b`, `a > b count c`, `a > b reset c`, one arrow per line; the first state is the start, `end` is final.
/// Rooms are given as `room c 3`; a counter without a room is unlimited.
pub fn machine(text: &str) -> (Graph, Vec<Option<u64>>) {
    let mut graph = Graph::default();
    let mut rooms = Vec::new();
    for words in text.lines().map(|line| line.split_whitespace().collect::<Vec<&str>>()).filter(|words| !words.is_empty()) {
        if let ["room", name, room] = words[..] {
            let counter = counter(&mut graph, &mut rooms, name);
            graph.counters[counter].kind = CounterKind::Limited;
            rooms[counter] = Some(room.parse().unwrap());
            continue;
        }
        let [from, ">", to, ref rest @ ..] = words[..] else { panic!("not an arrow: {words:?}") };
        let (from, to) = (node(&mut graph, from), node(&mut graph, to));
        let (mut counts, mut resets) = (Vec::new(), Vec::new());
        for pair in rest.chunks(2) {
            let counter = counter(&mut graph, &mut rooms, pair[1]);
            if pair[0] == "count" { counts.push(counter) } else { resets.push(counter) }
        }
        let via = format!("{}.{}", graph.name(from), graph.edges.len());
        graph.edges.push(Edge {
            from,
            to,
            via,
            outcome: String::new(),
            label: String::new(),
            origin: Origin::Outcome,
            counts,
            resets,
            is_return: false,
            span: Default::default(),
        });
    }
    graph.index();
    (graph, rooms)
}

fn node(graph: &mut Graph, name: &str) -> usize {
    graph.states.iter().position(|state| state == name).unwrap_or_else(|| {
        graph.states.push(name.to_string());
        graph.finals.push(name == "end");
        graph.nodes.push(Node { state: graph.states.len() - 1, back: None });
        graph.nodes.len() - 1
    })
}

fn counter(graph: &mut Graph, rooms: &mut Vec<Option<u64>>, name: &str) -> usize {
    graph.counters.iter().position(|counter| counter.name == name).unwrap_or_else(|| {
        graph.counters.push(Counter { name: name.to_string(), kind: CounterKind::Unlimited });
        rooms.push(None);
        graph.counters.len() - 1
    })
}

fn check_entries(text: &str, state: &str, expected: Option<u64>) {
    let (graph, rooms) = machine(text);
    let state = graph.states.iter().position(|name| name == state).unwrap();
    let found = Walks::new(&graph, &rooms, vec![Begin::Start], |_| true).entries(state);
    assert_eq!(found, expected, "entries of {} in {text}", graph.states[state]);
}

fn check_endless(text: &str, expected: &[&str]) {
    let (graph, rooms) = machine(text);
    let edges: Vec<usize> = (0..graph.edges.len()).collect();
    let found: Vec<String> = loops::regions(&graph, &edges, &rooms)
        .iter()
        .filter(|region| region.is_endless)
        .map(|region| crate::check::graph::show_path(&graph.steps(&loops::shortest_cycle(&graph, region))))
        .collect();
    assert_eq!(found, expected, "endless loops of {text}");
}

#[test]
fn a_loop_is_entered_once_and_then_as_often_as_its_counter_has_room() {
    check_entries("start > write \n write > review \n review > write count turns \n review > end \n room turns 4", "write", Some(5));
    check_entries("start > write \n write > review \n review > write count turns \n review > end \n room turns 0", "write", Some(1));
}

#[test]
fn an_inner_loop_that_is_refilled_by_the_outer_one_multiplies() {
    let text = "pick > work count phases reset fixes \n work > test \n test > fix count fixes \n fix > test \n test > pick \n pick > end
        room phases 40 \n room fixes 3";
    check_entries(text, "fix", Some(120));
    check_entries(text, "test", Some(160));
}

#[test]
fn two_counters_that_nothing_refills_add_up() {
    let text = "a > b \n b > a count one \n b > a count two \n b > end \n room one 3 \n room two 4";
    check_entries(text, "b", Some(8));
}

#[test]
fn a_counter_is_shared_by_two_loops_that_follow_each_other() {
    let text = "a > a count c \n a > b \n b > b count c \n b > end \n room c 5";
    check_entries(text, "a", Some(6));
    check_entries(text, "b", Some(6));
}

#[test]
fn an_unlimited_detour_that_does_not_enter_a_state_does_not_count_for_it() {
    let text =
        "failed > analyse count fixes \n analyse > stop \n stop > analyse count answers \n analyse > fix \n fix > failed \n failed > end
        room fixes 3";
    check_entries(text, "fix", Some(3));
    check_entries(text, "analyse", None);
}

#[test]
fn loops_that_refill_each_other_in_turn_are_bounded_if_no_way_leads_back() {
    let text = "a > a count one reset two \n a > b \n b > b count two reset one \n b > end \n room one 3 \n room two 4";
    check_entries(text, "b", Some(5));
    check_endless(text, &[]);
}

#[test]
fn a_loop_without_a_counter_is_endless() {
    check_endless("a > b \n b > a \n b > end", &["a → b → a"]);
    check_endless("a > b \n b > a count c \n b > end \n room c 3", &[]);
    check_endless("a > b \n b > a count c \n b > end", &[]);
}

#[test]
fn a_loop_that_refills_its_own_counter_is_endless() {
    check_endless("a > b reset c \n b > a count c \n b > end \n room c 3", &["a → b → a"]);
    check_endless("a > b reset c \n b > a count c count d \n b > end \n room c 3 \n room d 2", &[]);
}

#[test]
fn a_state_without_a_way_in_is_dead_and_one_without_a_way_out_is_a_trap() {
    let (mut graph, _) = machine("a > b \n b > b \n a > end");
    assert_eq!(reach::traps(&graph), [1]);
    assert_eq!(reach::dead_states(&graph), [0usize; 0]);
    graph.states.push("lonely".into());
    assert_eq!(reach::dead_states(&graph), [3]);
}
