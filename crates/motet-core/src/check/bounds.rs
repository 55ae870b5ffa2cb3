//! The most a run can take: entries, calls, dollars, time, and which loop they come from.
//! Limits that are declared lead, because they hold however large the rest is.

use std::collections::BTreeSet;

use super::codes;
use super::entries::{Begin, Walks};
use super::graph::{CounterKind, Graph, Origin};
use super::inputs::Inputs;
use super::report::{Bounds, Dominant, StateBounds, Total};
use super::visit::{self, Most};
use crate::definition::{Definition, TroubleKind, Work};
use crate::diagnostic::Diagnostic;
use crate::units::Usd;

pub fn bounds(definition: &Definition, graph: &Graph, inputs: &Inputs, room: &[Option<u64>], problems: &mut Vec<Diagnostic>) -> Bounds {
    let visits: Vec<Most> = definition.states.iter().map(|state| visit::most(definition, state, inputs, problems)).collect();
    let unpriced: Vec<_> =
        definition.states.iter().flat_map(|state| visit::unpriced(definition, state)).collect::<BTreeSet<_>>().into_iter().collect();
    let mut walks = Walks::between_answers(graph, room);
    let states = definition.states.iter().enumerate().map(|(position, state)| StateBounds {
        state: state.name.to_string(),
        entries: walks.entries(position),
        visits: walks.visits(position),
        calls: visits[position].calls,
        cost: visit::unpriced(definition, state).is_empty().then_some(visits[position].cost),
        time_ms: visits[position].time_ms,
        waiting_ms: deadline(&state.work),
    });
    let states: Vec<StateBounds> = states.collect();
    let of = |walks: &mut Walks<'_>, worth: &dyn Fn(usize) -> u64| walks.most_whole(|node, _| worth(graph.nodes[node].state) as f64);
    let waits_for_ever = |state: &StateBounds| state.waiting_ms.is_none() && state.visits != Some(0);
    let total = Total {
        visits: of(&mut walks, &|_| 1),
        calls: of(&mut walks, &|state| visits[state].calls),
        cost: if unpriced.is_empty() { of(&mut walks, &|state| visits[state].cost.0).map(Usd) } else { None },
        time_ms: of(&mut walks, &|state| visits[state].time_ms),
        waiting_ms: if states.iter().any(waits_for_ever) { None } else { of(&mut walks, &|state| states[state].waiting_ms.unwrap_or(0)) },
    };
    let time_limit_ms = inputs.time_limit_ms(definition);
    Bounds {
        inputs: inputs.label,
        cost_limit: inputs.cost_limit(definition),
        time_limit_ms,
        time_with_limit_ms: time_limit_ms
            .and_then(|limit| with_limit(graph, room, &visits, limit))
            .map(|time| time.min(total.time_ms.unwrap_or(u64::MAX))),
        dominated_by: dominant(graph, room, &visits, &mut walks, total.calls),
        states,
        total,
        between_answers: graph.edges.iter().any(|edge| graph.is_unlimited(edge)),
        unpriced,
    }
}

/// What is kept for a state must pay for one visit of it.
pub fn kept_shares(definition: &Definition, bounds: &Bounds) -> Vec<Diagnostic> {
    let Some(limit) = bounds.cost_limit else { return Vec::new() };
    let short = definition.limits.keep.iter().filter_map(|(name, share)| {
        let needed = bounds.states.iter().find(|state| *name == state.state.as_str())?.cost?;
        let kept = limit.share(*share);
        let state = definition.state(name.as_str())?;
        let needed_share = (needed.dollars() / limit.dollars() * 100.0).ceil();
        (kept < needed).then(|| {
            Diagnostic::error(codes::KEEP_TOO_SMALL, format!("{kept} kept for `{name}` do not cover one visit of it"))
                .at(&state.span)
                .label(format!("one visit may cost {needed} {}", bounds.inputs))
                .help(format!("keep at least {needed_share}% of {limit}, or let its agents cost less"))
        })
    });
    short.collect()
}

/// After the limit nothing new starts, so it is exceeded by at most the longest task and the way to the end,
/// and by that again for each return, which arms the limit anew.
fn with_limit(graph: &Graph, room: &[Option<u64>], visits: &[Most], limit: u64) -> Option<u64> {
    let longest = visits.iter().map(|visit| visit.task_ms).max().unwrap_or(0);
    let fires = (0..graph.edges.len()).filter(|edge| graph.edges[*edge].origin == Origin::Trouble(TroubleKind::Time));
    let begins: Vec<Begin> = fires.map(Begin::Through).collect();
    let fired = |counter: usize| graph.counters[counter].kind == CounterKind::Limit(TroubleKind::Time);
    let left: Vec<Option<u64>> = (0..room.len()).map(|counter| if fired(counter) { Some(0) } else { room[counter] }).collect();
    let goes_on = |edge: usize| !graph.edges[edge].is_return && !graph.is_unlimited(&graph.edges[edge]);
    let rest = Walks::new(graph, &left, begins, goes_on).most_whole(|node, _| visits[graph.nodes[node].state].time_ms as f64)?;
    let returns = Walks::between_answers(graph, room).most_whole(|_, edge| f64::from(edge.is_some_and(|edge| edge.is_return)))?;
    Some(limit.saturating_add(rest.saturating_add(longest).saturating_mul(returns.saturating_add(1))))
}

/// The counter that, if it had no room, would leave the fewest calls. Only those used most are tried, since each
/// trial is a problem of its own.
fn dominant(graph: &Graph, room: &[Option<u64>], visits: &[Most], walks: &mut Walks<'_>, calls: Option<u64>) -> Option<Dominant> {
    const TRIALS: usize = 6;
    let calls = calls?;
    let limited = (0..room.len()).filter(|counter| graph.counters[*counter].kind == CounterKind::Limited);
    let mut by_use: Vec<(Option<u64>, usize)> = limited
        .map(|counter| (walks.most_whole(|_, edge| f64::from(edge.is_some_and(|edge| edge.counts.contains(&counter)))), counter))
        .collect();
    by_use.sort_by_key(|(uses, _)| std::cmp::Reverse(*uses));
    let without = by_use.into_iter().take(TRIALS).filter_map(|(_, counter)| {
        let mut less = room.to_vec();
        let had = less[counter].replace(0)?;
        let left = Walks::between_answers(graph, &less).most_whole(|node, _| visits[graph.nodes[node].state].calls as f64)?;
        (left < calls).then(|| Dominant { counter: graph.counters[counter].name.clone(), room: had, calls_without: left })
    });
    without.min_by_key(|dominant| dominant.calls_without)
}

/// How long a visit may wait for people: nothing where none is asked, None where there is no deadline.
fn deadline(work: &Work) -> Option<u64> {
    match work {
        Work::Gate(gate) => gate.deadline_ms,
        _ => Some(0),
    }
}
