//! Reads what of a file may be edited, and the form in which it stands there.
//! Whether a template really writes that form is shown by rendering it, not here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::reader::{Fields, suggest};
use super::reading::{Reading, Sees};
use super::yaml::{Key, Kind, Node};
use super::{codes, grammar};
use crate::definition::{Agent, Edit, FileRule, Returns};
use crate::diagnostic::Span;
use crate::edits::{Form, Kind as FieldKind, Likeness, Line};
use crate::names::{AgentName, StateName};
use crate::schema::Schema;

pub fn edits(reading: &mut Reading<'_>, fields: &Fields<'_>, rule: &FileRule, agents: &BTreeMap<AgentName, Agent>) -> Vec<Edit> {
    let entries = reading.reader.entries(fields.get("edits"), "edits");
    if rule.append && !entries.is_empty() {
        let span = fields.key_span("edits");
        reading.reader.error(codes::CONFLICT, &span, "a file that only grows cannot be edited");
    }
    let known = reading.reader.problems.len();
    let edits: Vec<Edit> = entries.iter().map(|(target, node)| edit(reading, target, node, rule, agents)).collect();
    let sound = reading.reader.problems.len() == known;
    if sound && edits.iter().any(|edit| edit.form.is_none()) && edits.len() > 1 {
        let span = fields.key_span("edits");
        let problem = reading.reader.error(codes::EDIT, &span, "only one thing can be edited in a file that holds a value as it is");
        problem.help.push("say with `lines` how each of them stands in the file".into());
    }
    edits
}

fn edit(reading: &mut Reading<'_>, target: &Key, node: &Node, rule: &FileRule, agents: &BTreeMap<AgentName, Agent>) -> Edit {
    check_target(reading, target, rule);
    let is_item = target.text == "item";
    let (at, form) = match &node.kind {
        Kind::Map(_) => match reading.reader.fields(node, &grammar::EDIT, &target.span) {
            Some(fields) => (places(reading, fields.get("at")), Some(form(reading, &fields, is_item, agents))),
            None => (Vec::new(), None),
        },
        _ => (places(reading, Some(node)), None),
    };
    Edit { target: target.text.clone(), at, form }
}

fn check_target(reading: &mut Reading<'_>, target: &Key, rule: &FileRule) {
    match target.text.strip_prefix("data.") {
        Some(field) if reading.names.data.contains(field) => {}
        Some(field) => {
            let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &target.span, format!("`data` does not declare `{field}`"));
            suggest(problem, field, reading.names.data.iter().map(String::as_str));
        }
        None if target.text == "item" && rule.list().is_some_and(|list| reading.names.data.contains(list)) => {}
        None if target.text == "item" && rule.each.is_some() => {
            let problem = reading.reader.error(codes::EDIT, &target.span, "an item can be edited only where `each` is a list of `data`");
            problem.help.push("write `each: data.field`; a computed list has nothing to write back to".into());
        }
        None if target.text == "item" => {
            reading.reader.error(codes::CONFLICT, &target.span, "`item` can be edited only in a file with `each`");
        }
        None => {
            let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &target.span, format!("`{}` cannot be edited", target.text));
            problem.help.push("write `data.field`, or `item` in a file with `each`".into());
        }
    }
}

/// A gate is answered, and what a plan has not begun can still be another thing; any other state has what it works on already.
fn places(reading: &mut Reading<'_>, node: Option<&Node>) -> Vec<StateName> {
    let mut known = Vec::new();
    for (name, span) in reading.reader.texts(node, "state") {
        let Some(state) = reading.known_state(name, span) else { continue };
        if !reading.names.gates.contains(name) && !reading.names.plans.contains(name) {
            let problem =
                reading.reader.error(codes::GATE, span, format!("`{name}` is neither a gate nor a plan, so nothing is edited there"));
            suggest(problem, name, reading.names.gates.iter().chain(&reading.names.plans).map(String::as_str));
        }
        known.push(state);
    }
    known
}

fn form(reading: &mut Reading<'_>, fields: &Fields<'_>, is_item: bool, agents: &BTreeMap<AgentName, Agent>) -> Form {
    let mut lines = Vec::new();
    let written = fields.get("lines");
    let sources = match written.and_then(|node| Some((node.scalar()?, &node.span))) {
        Some(only) => vec![only],
        None => reading.reader.texts(written, "line"),
    };
    for (source, span) in sources {
        lines.extend(kept(reading, span, Line::parse(source)));
    }
    let under = fields.get("under").and_then(|node| {
        let source = reading.reader.text(node, "a line")?;
        kept(reading, &node.span, Line::parse(source))
    });
    let form = Form {
        under,
        lines,
        fill: reading.formulas(fields.get("fill"), "fill", Sees::Run),
        like: fields.get("like").and_then(|node| likeness(reading, node, agents)),
        refuse: reading.expression_of(fields.get("refuse"), Sees::Edit),
    };
    check_form(reading, fields, &form, is_item);
    form
}

fn check_form(reading: &mut Reading<'_>, fields: &Fields<'_>, form: &Form, is_item: bool) {
    let span = fields.key_span("lines");
    let first = form.lines.first().map_or(&[][..], |line| &line.fields);
    if !is_item && !form.lines.is_empty() && !first.iter().any(|field| field.name == "id" && field.kind != FieldKind::Shown) {
        let problem = reading.reader.error(codes::EDIT, &span, "the first line of an item must have its `{id}`");
        problem.help.push("that is how an item of the file is found again in the data".into());
    }
    if is_item && form.under.is_some() {
        let span = fields.key_span("under");
        reading.reader.error(codes::EDIT, &span, "a file about one item has nothing that it stands under");
    }
    for (before, line) in std::iter::once(None).chain(form.lines.iter().map(Some)).zip(&form.lines) {
        if line.is_block() && !before.is_some_and(Line::is_fixed) {
            let problem = reading.reader.error(codes::EDIT, &span, format!("nothing says where the block `{}` begins", line.source));
            problem.help.push("let a line without fields come before it, such as a heading".into());
        }
    }
    let Some(like) = &form.like else { return };
    let Some(known) = like.item.json.get("properties").and_then(Value::as_object) else { return };
    let strict = like.item.json.get("additionalProperties") == Some(&Value::Bool(false));
    for field in form.fields().filter(|field| field.kind != FieldKind::Shown && !known.contains_key(&field.name)) {
        let said = "such an item has no field";
        let problem = match strict {
            true => reading.reader.error(codes::EDIT, &span, format!("`{}`: {said} of this name", field.name)),
            false => reading.reader.warning(codes::EDIT, &span, format!("`{}`: {said} of this name that anybody knows of", field.name)),
        };
        suggest(problem, &field.name, known.keys().map(String::as_str));
    }
}

/// The shape of a list in what an agent returns, and of its items.
fn likeness(reading: &mut Reading<'_>, node: &Node, agents: &BTreeMap<AgentName, Agent>) -> Option<Likeness> {
    let text = reading.reader.text(node, "an agent and a field of what it returns")?;
    let (agent, path) = text.split_once('.').unwrap_or((text, ""));
    let name = reading.known_agent(agent, &node.span)?;
    let list = agents.get(&name).and_then(|agent| match &agent.returns {
        Returns::Schema(schema) => schema.part(&path.split('.').collect::<Vec<_>>()),
        Returns::Verdict | Returns::Anything => None,
    });
    let shapes = list.and_then(|mut list| {
        let mut item = list.as_object_mut()?.remove("items")?;
        if let (Some(definitions), Some(fields)) = (list.get("$defs").cloned(), item.as_object_mut()) {
            fields.insert("$defs".into(), definitions);
        }
        Some((list, item))
    });
    let Some((list, item)) = shapes else {
        let problem = reading.reader.error(codes::EDIT, &node.span, format!("`{agent}` returns no list called `{path}`"));
        problem.help.push("write `agent.field`, where the agent's schema says what the items of the field are".into());
        return None;
    };
    let compiled = Schema::compile(list).and_then(|list| Ok(Likeness { list, item: Schema::compile(item)? }));
    kept(reading, &node.span, compiled)
}

/// What could be made, or a report of why it could not.
fn kept<T>(reading: &mut Reading<'_>, span: &Span, made: Result<T, String>) -> Option<T> {
    match made {
        Ok(made) => Some(made),
        Err(why) => {
            reading.reader.error(codes::EDIT, span, why);
            None
        }
    }
}
