//! From a definition to its graph: outcomes, `exceeded`, trouble and failed tasks become edges.
//! Which values make a transition happen is not looked at.

use std::collections::{BTreeMap, VecDeque};

use super::{Counter, CounterKind, Edge, Graph, Lost, Node, Origin};
use crate::definition::{Definition, OnFailure, StateDefinition, Target, Transition, TroubleKind, Work};

impl Graph {
    pub fn of(definition: &Definition) -> Self {
        let counters = counters(definition);
        let moves: Vec<Vec<Move<'_>>> = definition.states.iter().map(|state| moves(definition, state, &counters)).collect();
        let is_live = where_back_matters(definition, &moves);
        let mut graph = Graph {
            states: definition.states.iter().map(|state| state.name.to_string()).collect(),
            finals: definition.states.iter().map(|state| matches!(state.work, Work::Final { .. })).collect(),
            counters,
            ..Graph::default()
        };
        graph.explore(definition, &moves, &is_live);
        graph.index();
        graph
    }

    /// One walk from the start; only what it meets becomes a node.
    fn explore(&mut self, definition: &Definition, moves: &[Vec<Move<'_>>], is_live: &[bool]) {
        let limits: Vec<usize> =
            (0..self.counters.len()).filter(|counter| matches!(self.counters[*counter].kind, CounterKind::Limit(_))).collect();
        let mut known = BTreeMap::new();
        let mut waiting = VecDeque::new();
        let first = Node { state: definition.index[&definition.start], back: None };
        known.insert(first, 0);
        self.nodes.push(first);
        waiting.push_back(0);
        while let Some(from) = waiting.pop_front() {
            let node = self.nodes[from];
            for one in &moves[node.state] {
                let target = match &one.transition.to {
                    Target::State(name) => Some(definition.index[name]),
                    Target::Back => node.back,
                };
                let Some(state) = target else {
                    self.lost.push(Lost { node: from, via: one.transition.id.clone(), span: one.transition.span.clone() });
                    continue;
                };
                let back = one.sets_back.or(node.back).filter(|_| is_live[state]);
                let next = Node { state, back };
                let to = *known.entry(next).or_insert_with(|| {
                    self.nodes.push(next);
                    waiting.push_back(self.nodes.len() - 1);
                    self.nodes.len() - 1
                });
                let is_return = one.transition.to == Target::Back;
                let mut resets: Vec<usize> =
                    one.transition.reset.iter().filter_map(|name| definition.counters.keys().position(|counter| counter == name)).collect();
                if is_return {
                    resets.extend(&limits);
                }
                self.edges.push(Edge {
                    from,
                    to,
                    via: one.transition.id.clone(),
                    outcome: one.outcome.clone(),
                    label: one.label.clone(),
                    origin: one.origin,
                    counts: one.counts.clone(),
                    resets,
                    is_return,
                    span: one.transition.span.clone(),
                });
            }
        }
    }
}

/// The declared counters in the order of their names, then the limits of the run.
fn counters(definition: &Definition) -> Vec<Counter> {
    let declared = definition.counters.iter().map(|(name, counter)| Counter {
        name: name.to_string(),
        kind: if counter.max.is_some() { CounterKind::Limited } else { CounterKind::Unlimited },
    });
    let limits = [TroubleKind::Budget, TroubleKind::Time]
        .map(|kind| Counter { name: format!("{} limit", kind.word()), kind: CounterKind::Limit(kind) });
    declared.chain(limits).collect()
}

/// One way out of a state, whatever `back` is there.
pub(super) struct Move<'a> {
    transition: &'a Transition,
    outcome: String,
    label: String,
    origin: Origin,
    counts: Vec<usize>,
    sets_back: Option<usize>,
}

/// Whether trouble of this kind can befall a state at all.
pub fn can_befall(work: &Work, kind: TroubleKind) -> bool {
    match (work, kind) {
        (Work::Agent { .. } | Work::Plan(_), _) => true,
        (Work::Command(_), TroubleKind::Error | TroubleKind::Time) | (Work::Call(_), TroubleKind::Error) => true,
        // A call is free and quick, so that a run that is out of money or time can still wrap up.
        (Work::Command(_), TroubleKind::Budget) | (Work::Call(_), TroubleKind::Budget | TroubleKind::Time) => false,
        (Work::Decide | Work::Gate(_) | Work::Final { .. }, _) => false,
    }
}

/// The transitions that a failed task of this state can take.
pub fn after_failed_tasks(work: &Work) -> Vec<(&'static str, &Transition)> {
    let rules = match work {
        Work::Agent { if_task_fails, .. } => if_task_fails.as_ref(),
        Work::Plan(plan) => Some(&plan.if_task_fails),
        _ => None,
    };
    let both = rules.into_iter().flat_map(|rules| [("critical", &rules.critical), ("optional", &rules.optional)]);
    both.filter_map(|(word, rule)| match rule {
        OnFailure::Go(transition) => Some((word, transition.as_ref())),
        OnFailure::Trouble | OnFailure::Skip | OnFailure::Block => None,
    })
    .collect()
}

fn moves<'a>(definition: &'a Definition, state: &'a StateDefinition, counters: &[Counter]) -> Vec<Move<'a>> {
    let mut all = Vec::new();
    let here = definition.index.get(&state.name).copied();
    let is_choice = state.outcomes.len() > 1;
    let mut push = |transition: &'a Transition, outcome: &str, origin: Origin| {
        let limit = match origin {
            Origin::Trouble(kind) => counters.iter().position(|counter| counter.kind == CounterKind::Limit(kind)),
            Origin::Outcome | Origin::TaskFailed => None,
        };
        let troubled = (origin != Origin::Outcome).then_some(here).flatten();
        let mut next = Some(transition);
        let mut label = if origin == Origin::Outcome && !is_choice { String::new() } else { outcome.to_string() };
        while let Some(transition) = next {
            let count = transition.count.as_ref().and_then(|name| definition.counters.keys().position(|counter| counter == name));
            let named = transition.back.as_ref().and_then(|name| definition.index.get(name).copied());
            all.push(Move {
                transition,
                outcome: outcome.to_string(),
                label: label.clone(),
                origin,
                counts: limit.into_iter().chain(count).collect(),
                sets_back: named.or(troubled),
            });
            // An unlimited counter always has room, so what stands behind it is never taken.
            next = transition.exceeded.as_deref().filter(|_| count.is_some_and(|count| counters[count].kind != CounterKind::Unlimited));
            if let Some(name) = &transition.count {
                label = if label.is_empty() { format!("{name} used up") } else { format!("{label}, {name} used up") };
            }
        }
    };
    if !matches!(state.work, Work::Final { .. }) {
        let outcomes: Vec<&str> = if state.outcomes.is_empty() { vec![""] } else { state.outcomes.iter().map(String::as_str).collect() };
        for outcome in outcomes {
            let list = state.next.of(outcome);
            let open = list.iter().position(|transition| transition.when.is_none()).map_or(list.len(), |last| last + 1);
            for transition in &list[..open] {
                push(transition, outcome, Origin::Outcome);
            }
        }
    }
    for kind in TroubleKind::ALL {
        if can_befall(&state.work, kind)
            && let Some(transition) = definition.trouble_of(state, kind)
        {
            push(transition, kind.word(), Origin::Trouble(kind));
        }
    }
    for (word, transition) in after_failed_tasks(&state.work) {
        push(transition, &format!("{word} task failed"), Origin::TaskFailed);
    }
    all
}

/// For each state, whether what `back` is there can still decide where a later `to: back` leads.
/// Where it cannot, nodes that differ only in `back` have the same futures and are one node.
fn where_back_matters(definition: &Definition, moves: &[Vec<Move<'_>>]) -> Vec<bool> {
    let mut is_live = vec![false; moves.len()];
    loop {
        let mut has_changed = false;
        for (state, moves) in moves.iter().enumerate() {
            let matters = moves.iter().any(|one| match &one.transition.to {
                Target::Back => true,
                Target::State(name) => one.sets_back.is_none() && definition.index.get(name).is_some_and(|target| is_live[*target]),
            });
            if matters && !is_live[state] {
                is_live[state] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return is_live;
        }
    }
}
