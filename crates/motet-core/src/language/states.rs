//! Reads states: the one thing a state does, what it remembers and sends, and the outcomes it can have.
//! Whether it can be reached, and left again, is decided by `check`.

use std::collections::BTreeMap;

use super::reader::Fields;
use super::reading::{Reading, Sees};
use super::yaml::{Key, Kind, Node};
use super::{codes, gates, grammar, plans, transitions};
use crate::definition::{Agent, Each, Ending, Metadata, Next, Returns, Sends, StateDefinition, Work};
use crate::expression::{Expression, Formula};
use crate::names::{AgentName, StateName};
use crate::schema::Schema;

const WORKS: [&str; 6] = ["agent", "plan", "gate", "command", "call", "final"];

/// What a state's outcomes depend on.
pub struct Context<'a> {
    pub agents: &'a BTreeMap<AgentName, Agent>,
    /// None if the input itself could not be read.
    pub input: Option<&'a Schema>,
}

pub fn state(reading: &mut Reading<'_>, key: &Key, node: &Node, context: &Context<'_>) -> Option<StateDefinition> {
    let fields = reading.reader.fields(node, &grammar::STATE, &key.span)?;
    let does = what_it_does(reading, &fields);
    misplaced(reading, &fields, does);
    let work = work(reading, &fields, does, &key.text, context);
    let by = reading.expression_of(fields.get("by"), Sees::Run);
    let outcomes = match (&by, &work) {
        (Some(by), Some(work)) => enumerated(reading, &fields, by, work, context),
        (None, Some(work)) => outcomes(work, context),
        (_, None) => None,
    };
    let next = match fields.get("next") {
        Some(node) => transitions::next(reading, node, &key.text, outcomes.as_deref(), does == Some("gate")),
        None => Next::Always(Vec::new()),
    };
    if does != Some("final") && !fields.has("next") {
        let problem = reading.reader.error(codes::MISSING_KEY, &key.span, format!("nothing says how `{}` goes on", key.text));
        problem.help.push("add `next: …`, or `final: completed` if the run ends here".into());
    }
    Some(StateDefinition {
        name: StateName::new(&key.text),
        summary: fields.get("summary").and_then(|node| reading.reader.text(node, "a text")).unwrap_or_default().to_owned(),
        with: reading.formulas(fields.get("with"), "with", Sees::Run),
        save: reading.data_formulas(fields.get("save"), "save"),
        add: reading.data_formulas(fields.get("add"), "add"),
        sends: fields.get("sends").and_then(|node| sends(reading, node, context)),
        trouble: transitions::trouble(reading, fields.get("trouble"), &format!("{}.trouble", key.text), &key.span),
        outcomes: outcomes?,
        work: work?,
        by,
        next,
        span: key.span.clone(),
    })
}

/// The key that says what the state does; None if it only decides.
fn what_it_does(reading: &mut Reading<'_>, fields: &Fields<'_>) -> Option<&'static str> {
    let written: Vec<&'static str> = WORKS.into_iter().filter(|work| fields.has(work)).collect();
    if let [first, second, ..] = written.as_slice() {
        let span = fields.key_span(second);
        let problem =
            reading.reader.error(codes::CONFLICT, &span, format!("a state does one thing, and this one has `{first}` and `{second}`"));
        problem.help.push("make two states of it".into());
    }
    written.first().copied()
}

/// Keys that would be read and then mean nothing.
fn misplaced(reading: &mut Reading<'_>, fields: &Fields<'_>, does: Option<&str>) {
    let mut refuse = |key: &str, allowed: bool, why: &str| {
        if fields.has(key) && !allowed {
            let span = fields.key_span(key);
            reading.reader.error(codes::CONFLICT, &span, format!("`{key}` has no meaning here: {why}"));
        }
    };
    let is_final = does == Some("final");
    refuse("each", does == Some("agent"), "it belongs to `agent`");
    refuse("at_most", fields.has("each"), "it belongs to `each`");
    refuse("if_task_fails", fields.has("each"), "it belongs to `each`; a plan has its own");
    refuse("output", is_final, "it belongs to `final`");
    refuse("with", matches!(does, Some("agent" | "plan" | "call")), "only an agent, a plan or a call is given something");
    for key in ["next", "save", "add", "sends", "by", "trouble"] {
        refuse(key, !is_final, "the run ends in this state");
    }
    if fields.has("each") && !fields.has("at_most") {
        let span = fields.key_span("each");
        let problem = reading.reader.error(codes::MISSING_KEY, &span, "`each` needs `at_most`, so that the cost of a run is known");
        problem.help.push("add `at_most: 10`".into());
    }
}

fn work(reading: &mut Reading<'_>, fields: &Fields<'_>, does: Option<&str>, state: &str, context: &Context<'_>) -> Option<Work> {
    let Some(does) = does else { return Some(Work::Decide) };
    let node = fields.get(does)?;
    match does {
        "agent" => {
            let agent = reading.reader.text(node, "the name of an agent").and_then(|name| reading.known_agent(name, &node.span));
            let list = reading.expression_of(fields.get("each"), Sees::Run);
            let at_most = reading.expression_of(fields.get("at_most"), Sees::Run);
            let each = list.zip(at_most).map(|(list, at_most)| Each { list, at_most });
            let if_task_fails = fields.get("if_task_fails").map(|node| plans::if_task_fails(reading, node, state));
            Some(Work::Agent { agent: agent?, each, if_task_fails })
        }
        "plan" => plans::plan(reading, node, state).map(|plan| Work::Plan(Box::new(plan))),
        "gate" => gates::gate(reading, node, context.input).map(Work::Gate),
        "command" => gates::command(reading, node).map(Work::Command),
        "call" => {
            let name = reading.reader.text(node, "the name of a built-in")?;
            reading.known_builtin(name, &node.span);
            Some(Work::Call(name.to_owned()))
        }
        _ => {
            let output = match fields.get("output") {
                Some(node) => reading.formula(node, Sees::Run),
                None => Some(Formula::Literal(serde_json::Value::Null)),
            };
            let position = reading.reader.word(node, grammar::ENDINGS)?;
            Some(Work::Final { ending: [Ending::Completed, Ending::Failed, Ending::Aborted][position], output: output? })
        }
    }
}

/// The outcomes of the work itself. None: they depend on an agent that could not be read.
fn outcomes(work: &Work, context: &Context<'_>) -> Option<Vec<String>> {
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    match work {
        Work::Agent { each: Some(_), .. } | Work::Decide | Work::Call(_) => words(&["done"]),
        Work::Agent { agent, each: None, .. } => context.agents.get(agent).map(Agent::outcomes),
        Work::Plan(_) => words(&["done", "incomplete"]),
        Work::Gate(gate) if gate.questions.is_some() => words(&["answered"]),
        Work::Gate(gate) => Some(gate.options.clone()),
        Work::Command(_) => words(&["passed", "failed"]),
        Work::Final { .. } => Some(Vec::new()),
    }
}

/// The values of what `by` names. None: they are not known, and that has been reported.
fn enumerated(reading: &mut Reading<'_>, fields: &Fields<'_>, by: &Expression, work: &Work, context: &Context<'_>) -> Option<Vec<String>> {
    let path: Vec<&str> = by.source.trim().split('.').collect();
    let refuse = |reading: &mut Reading<'_>, why: String| {
        let problem = reading.reader.error(codes::NOT_AN_ENUMERATION, &by.span, why);
        problem.help.push("`by` takes a field with an `enum`: of the agent's `returns`, or of an input".into());
        None
    };
    match (path.as_slice(), work) {
        (["input", name], _) => {
            // An input that does not exist, or could not be read, is reported elsewhere.
            let schema = context.input.filter(|schema| schema.property(name).is_some())?;
            schema.enumeration(&[*name]).or_else(|| refuse(reading, format!("the input `{name}` is not an enumeration of texts")))
        }
        (["result", field @ ..], Work::Agent { agent, each: None, .. }) if !field.is_empty() => {
            let agent = context.agents.get(agent)?;
            let values = match &agent.returns {
                Returns::Verdict if field == ["outcome"] => Some(agent.outcomes()),
                Returns::Schema(schema) => schema.enumeration(field),
                Returns::Verdict | Returns::Anything => None,
            };
            values.or_else(|| refuse(reading, format!("what `{}` returns has no enumeration `{}`", agent.name, field.join("."))))
        }
        // A built-in has no schema here, so its outcomes are those that the workflow expects.
        (["result", _, ..], Work::Call(_)) => match fields.get("next").map(|next| &next.kind) {
            Some(Kind::Map(entries)) => Some(entries.iter().map(|(key, _)| key.text.clone()).collect()),
            _ => refuse(reading, "the outcomes of a call are the keys of `next`, and `next` is not a mapping".into()),
        },
        _ => refuse(reading, format!("the values of `{}` are not known from the text", by.source)),
    }
}

fn sends(reading: &mut Reading<'_>, node: &Node, context: &Context<'_>) -> Option<Sends> {
    let fields = reading.reader.fields(node, &grammar::SENDS, &node.span)?;
    let to = fields.get("to").and_then(|node| {
        let to = reading.reader.text(node, "an agent, or `person`")?;
        let is_role = context.agents.values().any(|agent| agent.role == to);
        if to != "person" && !is_role {
            reading.known_agent(to, &node.span)?;
        }
        Some(to.to_owned())
    });
    let metadata = reading.reader.entries(fields.get("metadata"), "metadata");
    let metadata = metadata.iter().filter_map(|(key, value)| metadata_of(reading, value).map(|value| (key.text.clone(), value))).collect();
    let subject = reading.text_of(fields.get("subject"));
    let body = reading.text_of(fields.get("body"));
    let kind = fields.get("type").and_then(|node| reading.reader.text(node, "a word"))?.to_owned();
    Some(Sends { kind, to, subject, body, metadata })
}

fn metadata_of(reading: &mut Reading<'_>, node: &Node) -> Option<Metadata> {
    if let Some(value) = node.literal() {
        return Some(Metadata::Plain(value));
    }
    match &node.kind {
        Kind::Scalar { text, .. } if text.contains("{{") || text.contains("{%") => reading.text(node).map(Metadata::Text),
        Kind::Scalar { text, .. } => Some(Metadata::Plain(text.clone().into())),
        Kind::List(items) => Some(Metadata::List(items.iter().filter_map(|item| metadata_of(reading, item)).collect())),
        Kind::Map(entries) => {
            let fields = entries.iter().filter_map(|(key, value)| metadata_of(reading, value).map(|value| (key.text.clone(), value)));
            Some(Metadata::Map(fields.collect()))
        }
    }
}
