//! The ids of every transition that some run can take: what coverage is measured against.
//! Whether its state can be reached is not looked at; a state that cannot be is an error of its own.

use super::graph::{after_failed_tasks, can_befall};
use crate::definition::{Definition, Transition, TroubleKind};

/// Every route, every `exceeded`, every trouble that some state can have, every way out of a failed task.
pub fn transition_ids(definition: &Definition) -> Vec<String> {
    let mut ids = Vec::new();
    for state in &definition.states {
        for (_, transition) in state.next.all() {
            push(definition, transition, &mut ids);
        }
        for kind in TroubleKind::ALL {
            if can_befall(&state.work, kind)
                && let Some(transition) = state.trouble.of(kind)
            {
                push(definition, transition, &mut ids);
            }
        }
        for (_, transition) in after_failed_tasks(&state.work) {
            push(definition, transition, &mut ids);
        }
    }
    for kind in TroubleKind::ALL {
        let is_needed = definition.states.iter().any(|state| can_befall(&state.work, kind) && state.trouble.of(kind).is_none());
        if let Some(transition) = definition.trouble.of(kind).filter(|_| is_needed) {
            push(definition, transition, &mut ids);
        }
    }
    ids
}

/// A transition and what is taken instead of it. An unlimited counter is never used up.
fn push(definition: &Definition, transition: &Transition, ids: &mut Vec<String>) {
    let mut next = Some(transition);
    while let Some(transition) = next {
        ids.push(transition.id.clone());
        let is_limited =
            transition.count.as_ref().and_then(|name| definition.counters.get(name)).is_some_and(|counter| counter.max.is_some());
        next = transition.exceeded.as_deref().filter(|_| is_limited);
    }
}
