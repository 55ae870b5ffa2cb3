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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use motet_core::names::{Digest, GateId};
    use motet_core::units::Time;

    use super::*;
    use crate::library::Library;

    const GATE: &str = "\
workflow: stuck
version: 1.0.0
summary: Waits for somebody who knows better.
counters: { rounds: { max: unlimited }, looks: { max: 3 } }
start: stuck
states:
  stuck:
    gate: { ask: Again?, options: [again, stop], otherwise: stop }
    next: { again: { count: rounds, to: stuck }, stop: stopped }
  looking:
    gate: { ask: Look?, options: [look, stop], otherwise: stop }
    next: { look: { count: looks, to: stuck, exceeded: stopped }, stop: stopped }
  stopped: { final: aborted }
";

    /// What is said to questions of one state, one after the other.
    #[track_caller]
    fn check(state: &str, otherwise: Option<&str>, asked: &[&str], expected: &[&str]) {
        let folder = motet_core::Folder::from([("workflow.yaml".into(), GATE.into())]);
        let library = Library::around(Path::new("/nonexistent"), None);
        let (definition, _) = motet_core::language::load(folder, &library).expect("a definition");
        let (run, by) = (RunId::new("r"), Person::named("ada"));
        let options = [if state == "stuck" { "again" } else { "look" }, "stop"].map(String::from);
        let mut consent = Consent::default();
        let said = asked.iter().enumerate().map(|(number, ask)| {
            let gate = OpenGate {
                id: GateId::new(format!("{state}.{}", number + 1)),
                kind: GateKind::State,
                ask: ask.to_string(),
                show: None,
                options: options.to_vec(),
                text_for: Vec::new(),
                questions: Vec::new(),
                who: Vec::new(),
                except: Vec::new(),
                quorum: 1,
                opened_at: Time(0),
                deadline: None,
                otherwise: otherwise.map(String::from),
                payload: Digest::new("seen"),
                answers: Vec::new(),
            };
            match consent.to(&run, &gate, &definition, &by) {
                Said::Yes(answer) => answer.option.unwrap_or_default(),
                Said::Enough(answer) => format!("enough: {}", answer.option.unwrap_or_default()),
                Said::Nothing => "nothing".into(),
            }
        });
        assert_eq!(said.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn yes_is_said_once_to_the_same_trouble_and_three_times_to_any() {
        check("stuck", Some("stop"), &["a", "a", "a"], &["again", "enough: stop", "enough: stop"]);
        check("stuck", Some("stop"), &["a", "b", "c", "d"], &["again", "again", "again", "enough: stop"]);
    }

    #[test]
    fn without_anything_that_holds_otherwise_a_person_must_tell() {
        check("stuck", None, &["a", "a"], &["again", "nothing"]);
        check("stuck", Some("again"), &["a", "a"], &["again", "nothing"]);
    }

    #[test]
    fn what_a_counter_limits_is_answered_as_often_as_it_is_asked() {
        check("looking", Some("stop"), &["a", "a", "a", "a", "a"], &["look", "look", "look", "look", "look"]);
    }
}
