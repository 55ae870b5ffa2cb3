//! Reads states that run a plan, and what happens to a task that failed.
//! Plans held in data are judged while the run goes on; only those written out can be judged here.

use std::collections::{BTreeMap, BTreeSet};

use super::reader::{Reader, suggest};
use super::reading::{Reading, Sees};
use super::transitions::{Place, transition};
use super::yaml::{Kind, Node};
use super::{codes, extends, grammar};
use crate::definition::{IfTaskFails, OnFailure, Plan, PlanTasks};
use crate::diagnostic::Span;

const MOST_TASKS: usize = 5000;

pub fn plan(reading: &mut Reading<'_>, node: &Node, state: &str) -> Option<Plan> {
    let fields = reading.reader.fields(node, &grammar::PLAN, &node.span)?;
    let mut agents = Vec::new();
    for (name, span) in reading.reader.texts(fields.get("agents"), "agent") {
        agents.extend(reading.known_agent(name, span));
    }
    if let Some(node) = fields.get("agents").filter(|node| matches!(&node.kind, Kind::List(items) if items.is_empty())) {
        reading.reader.error(codes::MISSING_KEY, &node.span, "a plan needs at least one agent");
    }
    let allowed: Vec<&str> = agents.iter().map(|agent| agent.as_str()).collect();
    let tasks = fields.get("tasks").and_then(|node| match &node.kind {
        Kind::List(items) => {
            written_tasks(&mut reading.reader, items, &allowed);
            Some(PlanTasks::Written(items.iter().map(Node::to_json).collect()))
        }
        _ => reading.expression(node, Sees::Run).map(PlanTasks::Held),
    });
    let flag = |reading: &mut Reading<'_>, name| fields.get(name).and_then(|node| reading.reader.boolean(node)).unwrap_or(false);
    let after_each = fields.get("after_each").and_then(|node| reading.reader.fields(node, &grammar::AFTER_EACH, &node.span));
    let at_most = reading.expression_of(fields.get("at_most"), Sees::Run);
    Some(Plan {
        only: reading.expression_of(fields.get("only"), Sees::Run),
        one_wave: flag(reading, "one_wave"),
        by_depth: flag(reading, "by_depth"),
        again: flag(reading, "again"),
        max_parallel: reading.expression_of(fields.get("max_parallel"), Sees::Run),
        exclusive: reading.expression_of(fields.get("exclusive"), Sees::Run),
        after_each_save: reading.data_formulas(after_each.as_ref().and_then(|fields| fields.get("save")), "save"),
        after_each_add: reading.data_formulas(after_each.as_ref().and_then(|fields| fields.get("add")), "add"),
        after_each_warn: reading.text_of(after_each.as_ref().and_then(|fields| fields.get("warn"))),
        if_task_fails: fields.get("if_task_fails").map(|node| if_task_fails(reading, node, state)).unwrap_or_default(),
        tasks: tasks?,
        agents,
        at_most: at_most?,
    })
}

pub fn if_task_fails(reading: &mut Reading<'_>, node: &Node, state: &str) -> IfTaskFails {
    let Some(fields) = reading.reader.fields(node, &grammar::IF_TASK_FAILS, &node.span) else {
        return IfTaskFails::default();
    };
    let formulas = |reading: &mut Reading<'_>, name| fields.get(name).map(|node| reading.formulas(Some(node), name, Sees::Run));
    let alternative = formulas(reading, "alternative");
    let compensate = formulas(reading, "compensate");
    let on_failure = |reading: &mut Reading<'_>, name| match fields.get(name) {
        None => OnFailure::Trouble,
        Some(node) => match node.scalar() {
            Some("skip") => OnFailure::Skip,
            Some("block") => OnFailure::Block,
            _ => transition(reading, node, format!("{state}.{name}"), Place::ALONE)
                .map_or(OnFailure::Trouble, |to| OnFailure::Go(Box::new(to))),
        },
    };
    IfTaskFails {
        alternative,
        compensate,
        critical: on_failure(reading, "critical"),
        optional: on_failure(reading, "optional"),
        warn: reading.text_of(fields.get("warn")),
    }
}

/// Tasks written out have ids of their own, agents of the plan, and dependencies that can be met.
fn written_tasks(reader: &mut Reader, items: &[Node], allowed: &[&str]) {
    if items.len() > MOST_TASKS {
        let span = &items[MOST_TASKS].span;
        reader.error(codes::TOO_LARGE, span, format!("a plan may have {MOST_TASKS} tasks written out, this one has {}", items.len()));
        return;
    }
    let mut ids: BTreeMap<&str, &Span> = BTreeMap::new();
    for item in items {
        let Some(entries) = reader.map(item, "task") else { continue };
        let Some(id) = extends::value_of(item, "id").filter(|id| !id.is_null()) else {
            reader.error(codes::MISSING_KEY, &item.span, "a task of a plan needs the key `id`");
            continue;
        };
        if let Some(id_text) = reader.text(id, "an id")
            && let Some(first) = ids.insert(id_text, &id.span)
        {
            let problem = reader.error(codes::DUPLICATE, &id.span, format!("two tasks have the id `{id_text}`"));
            problem.help.push(format!("the first one is in line {}", first.line));
        }
        for (key, value) in entries {
            match key.text.as_str() {
                "agent" => {
                    if let Some(agent) = reader.text(value, "the name of an agent").filter(|agent| !allowed.contains(agent)) {
                        let problem = reader.error(codes::PLAN_TASK, &value.span, format!("`{agent}` is not among the plan's `agents`"));
                        suggest(problem, agent, allowed.iter().copied());
                    }
                }
                "criticality" => drop(reader.word(value, &["critical", "optional"])),
                _ => {}
            }
        }
    }
    check_dependencies(reader, items, &ids);
}

fn check_dependencies(reader: &mut Reader, items: &[Node], ids: &BTreeMap<&str, &Span>) {
    let mut waiting: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for item in items {
        let Some(id) = extends::value_of(item, "id").and_then(Node::scalar) else { continue };
        let depends_on = extends::value_of(item, "depends_on").filter(|node| !node.is_null());
        for (name, span) in reader.texts(depends_on, "id") {
            if ids.contains_key(name) {
                waiting.entry(id).or_default().insert(name);
            } else {
                let problem = reader.error(codes::PLAN_TASK, span, format!("`{id}` depends on `{name}`, and no task has this id"));
                suggest(problem, name, ids.keys().copied());
            }
        }
    }
    // Tasks that wait for nothing are taken away, and with them what others waited for; what is left waits for itself.
    let mut waited_for: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, needs) in &waiting {
        needs.iter().for_each(|need| waited_for.entry(need).or_default().push(id));
    }
    let mut ready: Vec<&str> = ids.keys().copied().filter(|id| !waiting.contains_key(id)).collect();
    while let Some(done) = ready.pop() {
        for id in waited_for.remove(done).unwrap_or_default() {
            if let Some(needs) = waiting.get_mut(id)
                && needs.remove(done)
                && needs.is_empty()
            {
                waiting.remove(id);
                ready.push(id);
            }
        }
    }
    if let Some((id, span)) = waiting.keys().next().and_then(|id| ids.get(id).map(|span| (*id, *span))) {
        reader.error(codes::PLAN_TASK, span, format!("the task `{id}` waits for itself, through its dependencies"));
    }
}
