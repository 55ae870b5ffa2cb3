//! From a workflow's definition to its picture: which transitions become which arrows, and what is written on them.
//! It invents no transition; what would clutter every state (trouble, `to: back`) is gathered in notes.

use motet_core::Definition;
use motet_core::definition::{Ending, StateDefinition, Target, Transition, TroubleKind, Work};

use super::label;
use super::picture::{Edge, EdgeKind, Kind, Node, Picture};
use super::returns::Returns;
use super::ways::{may_trouble, ways_out};

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Draws where trouble leads from every single state, instead of one note for those that do not answer it themselves.
    pub trouble: bool,
}

/// Up to so many states a `to: back` may return to are drawn as arrows; more of them become one note.
const ARROWS_OF_ONE_BACK: usize = 2;

impl Picture {
    pub fn of(definition: &Definition, options: Options) -> Self {
        let mut picture = Picture {
            title: definition.name.clone(),
            summary: definition.summary.clone(),
            nodes: definition.states.iter().map(|state| node(definition, state)).collect(),
            groups: definition.groups.iter().map(|(name, _)| name.clone()).collect(),
            start: definition.start.to_string(),
            ..Picture::default()
        };
        let returns = Returns::of(definition);
        for state in &definition.states {
            for (label, kind, transition) in ways_out(state) {
                add_arrows(&mut picture, state, label, kind, transition, &returns);
            }
        }
        if options.trouble {
            add_trouble_of_every_state(&mut picture, definition, &returns);
        } else {
            add_trouble_note(&mut picture, definition);
        }
        picture.mark_back_edges();
        picture
    }
}

fn node(definition: &Definition, state: &StateDefinition) -> Node {
    let (kind, detail) = match &state.work {
        Work::Decide => (Kind::Decide, String::new()),
        Work::Agent { agent, each: None, .. } => (Kind::Agent, agent.to_string()),
        Work::Agent { agent, each: Some(_), .. } => (Kind::Agent, format!("{agent}, one per item")),
        Work::Plan(plan) => (Kind::Plan, plan.agents.iter().map(|agent| agent.as_str()).collect::<Vec<_>>().join(", ")),
        Work::Gate(gate) if gate.who.is_empty() => (Kind::Gate, "asks anyone".into()),
        Work::Gate(gate) => (Kind::Gate, format!("asks {}", gate.who.join(", "))),
        Work::Command(_) => (Kind::Command, "command".into()),
        Work::Call(builtin) => (Kind::Call, builtin.clone()),
        Work::Final { ending, .. } => (Kind::Final, format!("ends {}", ending_word(*ending))),
    };
    let name = state.name.to_string();
    let group = definition.groups.iter().position(|(_, members)| members.contains(&state.name));
    Node { label: name.clone(), id: name, detail: label::shorten(&detail, label::DETAIL_WIDTH), kind, group, hint: state.summary.clone() }
}

fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Failed => "failed",
        Ending::Aborted => "aborted",
    }
}

/// One arrow, or for `to: back` one to each state that can be meant, or one to a note that stands for them.
fn add_arrows(picture: &mut Picture, state: &StateDefinition, label: String, kind: EdgeKind, transition: &Transition, returns: &Returns) {
    let from = state.name.to_string();
    let hint = label::whole(transition);
    let arrow =
        |to: String, kind: EdgeKind, hint: String| Edge { from: from.clone(), to, label: label.clone(), kind, back_edge: false, hint };
    match &transition.to {
        Target::State(to) => picture.edges.push(arrow(to.to_string(), kind, hint)),
        Target::Back => {
            let meant: Vec<&str> = returns.from(state.name.as_str()).filter(|meant| *meant != state.name.as_str()).collect();
            if (1..=ARROWS_OF_ONE_BACK).contains(&meant.len()) {
                picture.edges.extend(meant.into_iter().map(|to| arrow(to.into(), EdgeKind::Back, hint.clone())));
                return;
            }
            let id = format!("back from {}", state.name);
            picture.edges.push(arrow(id.clone(), EdgeKind::Back, hint));
            if picture.node(&id).is_none() {
                let hint = if meant.is_empty() { String::new() } else { format!("returns to {}", meant.join(", ")) };
                let group = picture.node(&from).and_then(|node| node.group);
                picture.nodes.push(Node {
                    id,
                    label: "back to where it came from".into(),
                    detail: String::new(),
                    kind: Kind::Note,
                    group,
                    hint,
                });
            }
        }
    }
}

fn add_trouble_of_every_state(picture: &mut Picture, definition: &Definition, returns: &Returns) {
    for state in &definition.states {
        let kinds = TroubleKind::ALL.into_iter().filter(|kind| may_trouble(definition, state, *kind));
        let transitions = kinds.filter_map(|kind| definition.trouble_of(state, kind).map(|transition| (kind, transition)));
        for (label, transition) in by_target(transitions) {
            add_arrows(picture, state, label, EdgeKind::Trouble, transition, returns);
        }
    }
}

/// Without this note the states that only trouble leads to would hang in the air.
fn add_trouble_note(picture: &mut Picture, definition: &Definition) {
    let answered = TroubleKind::ALL.into_iter().filter_map(|kind| definition.trouble.of(kind).map(|transition| (kind, transition)));
    let arrows = by_target(answered);
    if arrows.is_empty() {
        return;
    }
    let id = "any state".to_string();
    for (label, transition) in arrows {
        if let Target::State(to) = &transition.to {
            let hint = label::whole(transition);
            picture.edges.push(Edge { from: id.clone(), to: to.to_string(), label, kind: EdgeKind::Trouble, back_edge: false, hint });
        }
    }
    let hint = "trouble in any state that does not answer it itself".into();
    picture.nodes.push(Node { label: id.clone(), id, detail: String::new(), kind: Kind::Note, group: None, hint });
}

/// One arrow for all kinds of trouble that lead to the same place: `error, budget, time`.
fn by_target<'a>(transitions: impl Iterator<Item = (TroubleKind, &'a Transition)>) -> Vec<(String, &'a Transition)> {
    let mut arrows: Vec<(String, &Transition)> = Vec::new();
    for (kind, transition) in transitions {
        match arrows.iter_mut().find(|(_, other)| other.to == transition.to) {
            Some((label, _)) => {
                label.push_str(", ");
                label.push_str(kind.word());
            }
            None => arrows.push((kind.word().into(), transition)),
        }
    }
    arrows
}
