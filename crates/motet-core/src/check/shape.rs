//! What the shape of the machine alone gives away: dead states, traps, endless loops, gates that wait for ever.
//! Properties that the workflow itself states are checked in `require`.

use super::codes;
use super::graph::{Graph, Origin, can_befall, show_path};
use super::{loops, reach, visit};
use crate::definition::{Definition, Gate, Otherwise, StateDefinition, TroubleKind, Work};
use crate::diagnostic::Diagnostic;
use crate::event::Unattended;

pub fn problems(definition: &Definition, graph: &Graph, room: &[Option<u64>]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    problems.extend(dead_states(definition, graph));
    problems.extend(traps(definition, graph));
    problems.extend(endless_loops(definition, graph, room));
    problems.extend(lost_returns(graph));
    problems.extend(unlimited_without_person(definition, graph));
    problems.extend(waiting_gates(definition));
    problems.extend(errors_without_route(definition));
    problems
}

/// The states in which an unattended run may wait for a person: gates, because the workflow or an input says so or because nothing is
/// said, and agents whose questions wait.
pub fn waits(definition: &Definition) -> Vec<String> {
    let may_wait = |gate: &Gate| match &gate.otherwise {
        None | Some(Otherwise::Wait) => true,
        Some(Otherwise::Option(_) | Otherwise::Defaults | Otherwise::Fail) => false,
        Some(Otherwise::Input(_)) => choices(definition, gate).is_none_or(|choices| choices.iter().any(|choice| choice == "wait")),
    };
    let questions_wait = definition.questions.otherwise == Unattended::Wait;
    let waits = |state: &&StateDefinition| match &state.work {
        Work::Gate(gate) => may_wait(gate),
        _ => questions_wait && visit::may_ask_people(definition, state),
    };
    definition.states.iter().filter(waits).map(|state| state.name.to_string()).collect()
}

fn dead_states(definition: &Definition, graph: &Graph) -> Vec<Diagnostic> {
    let dead = reach::dead_states(graph).into_iter().map(|state| &definition.states[state]);
    let problem = |state: &StateDefinition| {
        Diagnostic::error(codes::UNREACHABLE, format!("no path leads to `{}`", state.name))
            .at(&state.span)
            .label("is never entered")
            .help("let a transition lead to it, or remove it")
    };
    dead.map(problem).collect()
}

fn traps(definition: &Definition, graph: &Graph) -> Option<Diagnostic> {
    let nodes = reach::traps(graph);
    let first = *nodes.first()?;
    let mut names: Vec<String> = Vec::new();
    for node in &nodes {
        let name = format!("`{}`", graph.name(*node));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let path = reach::shortest(graph, &[graph.start], |node| node == first, |_| true).unwrap_or_default();
    let mut problem = Diagnostic::error(codes::TRAP, format!("a run can get into {} and then never end", names.join(", ")))
        .at(&definition.states[graph.nodes[first].state].span)
        .label("no final state can be reached from here");
    if !path.is_empty() {
        problem = problem.help(format!("it gets there by {}", show_path(&graph.steps(&path))));
    }
    Some(problem.help("let one of them lead to a state with `final`"))
}

fn endless_loops(definition: &Definition, graph: &Graph, room: &[Option<u64>]) -> Vec<Diagnostic> {
    let edges: Vec<usize> = (0..graph.edges.len()).collect();
    let endless = loops::regions(graph, &edges, room).into_iter().filter(|region| region.is_endless);
    let problem = |region: loops::Region| {
        let cycle = loops::shortest_cycle(graph, &region);
        let counted: Vec<&str> =
            cycle.iter().flat_map(|edge| &graph.edges[*edge].counts).map(|counter| graph.counters[*counter].name.as_str()).collect();
        let first = graph.nodes[graph.edges[cycle[0]].from].state;
        let help = match counted.first() {
            None => "let a transition of it `count` a counter".to_string(),
            Some(counter) => {
                format!("it counts `{counter}`, but resets it on the way: count another counter too, or reset outside the loop")
            }
        };
        Diagnostic::error(codes::ENDLESS_LOOP, "a run can go round here for ever")
            .at(&definition.states[first].span)
            .label("no counter limits this loop")
            .help(show_path(&graph.steps(&cycle)))
            .help(help)
    };
    endless.map(problem).collect()
}

fn lost_returns(graph: &Graph) -> Vec<Diagnostic> {
    let problem = |lost: &super::graph::Lost| {
        let path = reach::shortest(graph, &[graph.start], |node| node == lost.node, |_| true).unwrap_or_default();
        let by =
            if path.is_empty() { "the run begins here".to_string() } else { format!("on this path: {}", show_path(&graph.steps(&path))) };
        Diagnostic::error(codes::NOTHING_TO_GO_BACK_TO, format!("`{}` has nothing to go back to", lost.via))
            .at(&lost.span)
            .label("no state had trouble and none was named by `back`")
            .help(by)
            .help("add `back: some_state` to the transition that leads here")
    };
    graph.lost.iter().map(problem).collect()
}

fn unlimited_without_person(definition: &Definition, graph: &Graph) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> = Vec::new();
    for edge in graph.edges.iter().filter(|edge| graph.is_unlimited(edge)) {
        let state = &definition.states[graph.nodes[edge.from].state];
        let why = match &state.work {
            Work::Gate(gate) if edge.origin == Origin::Outcome => match choices(definition, gate) {
                Some(choices) if !choices.contains(&edge.outcome) => continue,
                Some(_) => format!("`otherwise` chooses `{}` when nobody answers", edge.outcome),
                None => "what `otherwise` chooses is not known".to_string(),
            },
            _ => "no person decides here".to_string(),
        };
        let problem =
            Diagnostic::error(codes::UNLIMITED_WITHOUT_PERSON, format!("`{}` uses an unlimited counter without a person", edge.via))
                .at(&edge.span)
                .label(why)
                .help("give the counter a `max`, or let `otherwise` choose another option");
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

/// What `otherwise` may choose; None if that is not known from the text.
fn choices(definition: &Definition, gate: &Gate) -> Option<Vec<String>> {
    match &gate.otherwise {
        None | Some(Otherwise::Wait | Otherwise::Fail) => Some(Vec::new()),
        Some(Otherwise::Option(option)) => Some(vec![option.clone()]),
        Some(Otherwise::Defaults) => Some(vec!["answered".into()]),
        Some(Otherwise::Input(expression)) => {
            let references = expression.references();
            let [path] = references.as_slice() else { return None };
            let path: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
            let mut values = definition.input.enumeration(&path)?;
            if values.iter().any(|value| value == "defaults") {
                values.push("answered".into());
            }
            Some(values)
        }
    }
}

fn waiting_gates(definition: &Definition) -> Vec<Diagnostic> {
    let silent = definition.states.iter().filter(|state| matches!(&state.work, Work::Gate(gate) if gate.otherwise.is_none()));
    let problem = |state: &StateDefinition| {
        Diagnostic::warning(codes::MAY_HANG, format!("an unattended run would wait in `{}` for ever", state.name))
            .at(&state.span)
            .label("nothing says what holds when nobody answers")
            .help("add `otherwise:` with an option, or `otherwise: wait` or `fail` if that is meant")
    };
    silent.map(problem).collect()
}

fn errors_without_route(definition: &Definition) -> Option<Diagnostic> {
    let lacks = |state: &&StateDefinition| {
        can_befall(&state.work, TroubleKind::Error) && definition.trouble_of(state, TroubleKind::Error).is_none()
    };
    let states: Vec<&StateDefinition> = definition.states.iter().filter(lacks).collect();
    let first = states.first()?;
    let names: Vec<String> = states.iter().map(|state| format!("`{}`", state.name)).collect();
    Some(
        Diagnostic::error(codes::NO_ROUTE_FOR_ERROR, format!("nothing says what happens when {} fails", names.join(" or ")))
            .at(&first.span)
            .label("can fail")
            .help("add `trouble: { error: some_state }` to the workflow, or to the state"),
    )
}
