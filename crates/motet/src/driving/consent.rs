//! What `--yes` says at gate after gate of one sitting: yes, as long as that brings the run to an end by itself.
//! An option that may be taken without limit needs a person who wants it again, and a yes given beforehand is nobody.

use std::collections::BTreeMap;

use motet_core::definition::Definition;
use motet_core::event::{Answer, Person};
use motet_core::names::RunId;
use motet_core::state::{GateKind, OpenGate};

use crate::asking;

/// How often one gate may be answered with an option that nothing else limits, even if it asks something new each time.
const MOST: usize = 3;

#[derive(Default)]
pub struct Consent {
    /// The questions that were answered with such an option, by run and state.
    given: BTreeMap<(RunId, String), Vec<String>>,
}

#[derive(Debug, PartialEq)]
pub enum Said {
    Yes(Answer),
    /// What holds when nobody is there, since yes was said to this before.
    Enough(Answer),
    /// Only a person can tell.
    Nothing,
}

impl Consent {
    pub fn to(&mut self, run: &RunId, gate: &OpenGate, definition: &Definition, by: &Person) -> Said {
        let Some(answer) = asking::yes(gate, by) else { return Said::Nothing };
        let state = gate.id.as_str().split('.').next().unwrap_or_default();
        let Some(option) = answer.option.as_deref().filter(|option| gate.kind == GateKind::State && is_endless(definition, state, option))
        else {
            return Said::Yes(answer);
        };
        let given = self.given.entry((run.clone(), state.to_string())).or_default();
        if given.len() < MOST && !given.contains(&gate.ask) {
            given.push(gate.ask.clone());
            return Said::Yes(answer);
        }
        match gate.otherwise.as_ref().filter(|otherwise| gate.options.contains(otherwise) && otherwise.as_str() != option) {
            Some(otherwise) => {
                let text = gate.text_for.contains(otherwise).then(|| "the same trouble came again".to_string());
                Said::Enough(Answer { option: Some(otherwise.clone()), text, ..answer })
            }
            None => Said::Nothing,
        }
    }
}

/// Whether the option may be taken as often as somebody likes.
fn is_endless(definition: &Definition, state: &str, option: &str) -> bool {
    let unlimited = |name| definition.counters.get(name).is_some_and(|counter| counter.max.is_none());
    let transitions = definition.state(state).map_or(&[][..], |state| state.next.of(option));
    transitions.iter().any(|transition| transition.count.as_ref().is_some_and(unlimited))
}
