//! Every way out of a state, in the order written.
//! It says which transitions there are and what to write on them, not where their arrows end.

use motet_core::Definition;
use motet_core::definition::{IfTaskFails, Next, OnFailure, StateDefinition, Transition, TroubleKind, Work};

use super::label;
use super::picture::EdgeKind;

/// Every transition of a state but its trouble, with its label, in the order written.
pub fn ways_out(state: &StateDefinition) -> Vec<(String, EdgeKind, &Transition)> {
    let mut ways = Vec::new();
    match &state.next {
        Next::Always(list) => add_list(&mut ways, None, list),
        Next::Outcomes(outcomes) => outcomes.iter().for_each(|(outcome, list)| add_list(&mut ways, Some(outcome), list)),
    }
    let if_task_fails = match &state.work {
        Work::Agent { if_task_fails, .. } => if_task_fails.as_ref(),
        Work::Plan(plan) => Some(&plan.if_task_fails),
        _ => None,
    };
    if let Some(IfTaskFails { critical, optional, .. }) = if_task_fails {
        for (word, answer) in [("critical task failed", critical), ("optional task failed", optional)] {
            if let OnFailure::Go(transition) = answer {
                add_one(&mut ways, word.into(), EdgeKind::TaskFailed, transition);
            }
        }
    }
    ways
}

/// Error is what work can end in; the budget stops what spends, and time stops whatever lasts.
pub fn may_trouble(definition: &Definition, state: &StateDefinition, kind: TroubleKind) -> bool {
    let spends = matches!(state.work, Work::Agent { .. } | Work::Plan(_));
    match kind {
        TroubleKind::Error => spends || matches!(state.work, Work::Command(_)),
        TroubleKind::Budget => spends && definition.limits.cost.is_some(),
        TroubleKind::Time => definition.limits.time.is_some() && (spends || matches!(state.work, Work::Command(_) | Work::Gate(_))),
    }
}

fn add_list<'a>(ways: &mut Vec<(String, EdgeKind, &'a Transition)>, outcome: Option<&str>, list: &'a [Transition]) {
    for transition in list {
        let label = label::of_transition(outcome, transition, list.len() > 1);
        add_one(ways, label, EdgeKind::Normal, transition);
    }
}

fn add_one<'a>(ways: &mut Vec<(String, EdgeKind, &'a Transition)>, label: String, kind: EdgeKind, transition: &'a Transition) {
    ways.push((label, kind, transition));
    let mut at = transition;
    while let (Some(exceeded), Some(counter)) = (&at.exceeded, &at.count) {
        ways.push((format!("{counter} exceeded"), EdgeKind::Exceeded, exceeded));
        at = exceeded;
    }
}
