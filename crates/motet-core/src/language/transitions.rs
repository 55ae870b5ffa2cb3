//! Reads how a run leaves a state: transitions, lists of them, and the map from outcomes.
//! Whether every loop ends and every state can be reached is left to `check`.

use super::codes;
use super::grammar;
use super::reader::{quoted, suggest};
use super::reading::{Reading, Sees};
use super::yaml::{Key, Kind, Node};
use crate::definition::{Next, Target, Transition, Trouble};
use crate::diagnostic::{Span, nearest};

/// What a transition may hold, by where it stands.
#[derive(Clone, Copy)]
pub struct Place {
    /// It is taken only by the answer of a person, so an unlimited counter may stand there.
    pub answered: bool,
    /// It is one of several, so `when` may stand there.
    guarded: bool,
}

impl Place {
    pub const ALONE: Place = Place { answered: false, guarded: false };
}

/// A state's `next`, given the outcomes its work can have; None if they are not known because something else is wrong.
pub fn next(reading: &mut Reading<'_>, node: &Node, state: &str, outcomes: Option<&[String]>, is_gate: bool) -> Next {
    match &node.kind {
        Kind::Map(entries) if is_outcome_map(entries, outcomes.unwrap_or_default()) => {
            if let Some(outcomes) = outcomes {
                compare_outcomes(reading, node, entries, state, outcomes);
            }
            Next::Outcomes(routes(reading, entries, state, is_gate))
        }
        Kind::List(_) => Next::Always(list(reading, node, state, Place::ALONE)),
        _ => Next::Always(transition(reading, node, format!("{state}.1"), Place::ALONE).into_iter().collect()),
    }
}

/// The keys of a transition and of a map of outcomes could be confused only by someone who calls an outcome `to`.
fn is_outcome_map(entries: &[(Key, Node)], outcomes: &[String]) -> bool {
    let has = |name: &str| entries.iter().any(|(key, _)| key.text == name);
    !has("to") && (outcomes.iter().any(|outcome| has(outcome)) || !grammar::TRANSITION.names().any(has))
}

/// Every outcome has its line, and every line its outcome.
fn compare_outcomes(reading: &mut Reading<'_>, node: &Node, entries: &[(Key, Node)], state: &str, outcomes: &[String]) {
    let known = || outcomes.iter().map(String::as_str);
    let mut misspelt = Vec::new();
    for (key, _) in entries.iter().filter(|(key, _)| !outcomes.contains(&key.text)) {
        let problem = reading.reader.error(codes::UNKNOWN_OUTCOME, &key.span, format!("`{state}` never ends as `{}`", key.text));
        suggest(problem, &key.text, known());
        misspelt.extend(nearest(&key.text, known()));
    }
    let has_line = |outcome: &str| entries.iter().any(|(key, _)| key.text == outcome);
    let missing: Vec<&str> = known().filter(|outcome| !has_line(outcome) && !misspelt.contains(outcome)).collect();
    if !missing.is_empty() {
        let message = format!("`{state}` can end as {}, and `next` has no line for that", quoted(&missing, "or"));
        let span = entries.first().map_or(&node.span, |(key, _)| &key.span);
        let problem = reading.reader.error(codes::OUTCOME_WITHOUT_ROUTE, span, message);
        problem.help.push(format!("add `{}: …`", missing.join(": …`, `")));
    }
}

fn routes(reading: &mut Reading<'_>, entries: &[(Key, Node)], state: &str, is_gate: bool) -> Vec<(String, Vec<Transition>)> {
    let mut routes = Vec::new();
    for (key, value) in entries {
        let id = format!("{state}.{}", key.text);
        let place = Place { answered: is_gate, guarded: false };
        let transitions = match &value.kind {
            Kind::List(_) => list(reading, value, &id, place),
            _ => transition(reading, value, id, place).into_iter().collect(),
        };
        routes.push((key.text.clone(), transitions));
    }
    routes
}

/// A list of transitions: the first whose `when` holds, so that only the last has none.
fn list(reading: &mut Reading<'_>, node: &Node, id: &str, place: Place) -> Vec<Transition> {
    let Kind::List(items) = &node.kind else { return Vec::new() };
    if items.is_empty() {
        reading.reader.error(codes::UNGUARDED, &node.span, "a list of transitions needs at least one");
    }
    let mut transitions = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let is_last = position + 1 == items.len();
        let has_guard = super::extends::value_of(item, "when").is_some_and(|when| !when.is_null());
        if is_last && has_guard {
            let problem = reading.reader.error(codes::UNGUARDED, &item.span, "the last transition of a list must have no `when`");
            problem.label = "if this does not hold, nothing says how to go on".into();
            problem.help.push("add a last line that holds whatever happens, such as `- some_state`".into());
        } else if !is_last && !has_guard {
            let problem =
                reading.reader.error(codes::UNGUARDED, &item.span, "this transition always holds, so those after it are never taken");
            problem.help.push("give it a `when`, or move it to the end".into());
        }
        transitions.extend(transition(reading, item, format!("{id}.{}", position + 1), Place { guarded: true, ..place }));
    }
    transitions
}

/// One transition: the name of a state, or a mapping.
pub fn transition(reading: &mut Reading<'_>, node: &Node, id: String, place: Place) -> Option<Transition> {
    if let Kind::Map(_) = node.kind {
        return written_out(reading, node, id, place);
    }
    let to = target(reading, node)?;
    Some(Transition {
        id,
        when: None,
        to,
        count: None,
        exceeded: None,
        reset: Vec::new(),
        because: None,
        warn: None,
        note: None,
        partial: false,
        back: None,
        span: node.span.clone(),
    })
}

fn written_out(reading: &mut Reading<'_>, node: &Node, id: String, place: Place) -> Option<Transition> {
    let fields = reading.reader.fields(node, &grammar::TRANSITION, &node.span)?;
    if let Some(when) = fields.get("when").filter(|_| !place.guarded) {
        let problem = reading.reader.error(codes::UNGUARDED, &when.span, "a transition that stands alone must have no `when`");
        problem.label = "if this does not hold, nothing says how to go on".into();
        problem.help.push("write a list of transitions whose last has no `when`".into());
    }
    let when = reading.expression_of(fields.get("when"), Sees::Run);
    let count = match fields.get("count") {
        Some(count) => reading.reader.text(count, "the name of a counter").and_then(|name| reading.known_counter(name, &count.span)),
        None => None,
    };
    let unlimited = count.as_ref().is_some_and(|count| reading.names.counters.get(count.as_str()) == Some(&true));
    if let (true, false, Some(node)) = (unlimited, place.answered, fields.get("count")) {
        let problem =
            reading.reader.error(codes::UNLIMITED_COUNTER, &node.span, "an unlimited counter may stand only on the outcome of a gate");
        problem.label = "no person decides here, so this could go on for ever".into();
        problem.help.push("give the counter a `max`, or count at a gate".into());
    }
    match (fields.get("exceeded"), fields.get("count")) {
        (None, Some(node)) if count.is_some() && !unlimited => {
            let problem = reading.reader.error(codes::EXCEEDED, &node.span, "nothing says what holds when the counter is used up");
            problem.help.push("add `exceeded: some_state`".into());
        }
        (Some(node), None) => {
            reading.reader.error(codes::EXCEEDED, &node.span, "`exceeded` has no meaning without `count`");
        }
        (Some(node), Some(_)) if unlimited => {
            reading.reader.error(codes::EXCEEDED, &node.span, "an unlimited counter is never used up, so `exceeded` is never taken");
        }
        _ => {}
    }
    let exceeded = fields.get("exceeded").and_then(|node| transition(reading, node, format!("{id}.exceeded"), Place::ALONE)).map(Box::new);
    let mut reset = Vec::new();
    for (name, span) in reading.reader.texts(fields.get("reset"), "counter") {
        reset.extend(reading.known_counter(name, span));
    }
    let because = reading.text_of(fields.get("because"));
    let warn = reading.text_of(fields.get("warn"));
    let note = reading.text_of(fields.get("note"));
    let partial = fields.get("partial").and_then(|node| reading.reader.boolean(node)).unwrap_or(false);
    let back = fields.get("back").and_then(|node| reading.state_name(node));
    let to = fields.get("to").and_then(|node| target(reading, node))?;
    Some(Transition { id, when, to, count, exceeded, reset, because, warn, note, partial, back, span: node.span.clone() })
}

fn target(reading: &mut Reading<'_>, node: &Node) -> Option<Target> {
    match reading.reader.text(node, "a state, or a transition with `to`")? {
        "back" => Some(Target::Back),
        name => reading.known_state(name, &node.span).map(Target::State),
    }
}

/// `trouble` of the workflow or of one state; `prefix` begins the ids.
pub fn trouble(reading: &mut Reading<'_>, node: Option<&Node>, prefix: &str, owner: &Span) -> Trouble {
    let Some(fields) = node.and_then(|node| reading.reader.fields(node, &grammar::TROUBLE, owner)) else {
        return Trouble::default();
    };
    let mut of = |kind: &str| {
        let node = fields.get(kind)?;
        transition(reading, node, format!("{prefix}.{kind}"), Place::ALONE).map(Box::new)
    };
    Trouble { error: of("error"), budget: of("budget"), time: of("time") }
}
