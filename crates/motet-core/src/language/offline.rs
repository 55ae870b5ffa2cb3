//! Reads `offline.yaml`: for each agent the answer that rules give in place of a model, in the form of `with` and `output`.
//! Rules of an extended workflow are inherited one by one; one that does not fit any more is left out without a word,
//! because nobody wrote it for this workflow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::agents::chain;
use super::reader::suggest;
use super::reading::{Reading, Sees};
use super::resolve::{PROMPT_EXTRAS, users};
use super::yaml::{self, Key, Kind, Node};
use super::{codes, extends};
use crate::definition::{Agent, Does, Returns, StateDefinition};
use crate::expression::{Expression, Formula};
use crate::names::AgentName;
use crate::schema::Schema;
use crate::verdict;

pub const FILE: &str = "offline.yaml";

pub type Rules = BTreeMap<AgentName, Arc<Formula>>;

/// The rules of the workflow and of those it extends, the nearest first. An agent that is asked with another's prompt, and returns
/// what that one does, is played by the same rule.
pub fn rules(reading: &mut Reading<'_>, agents: &BTreeMap<AgentName, Agent>, states: &[StateDefinition]) -> Rules {
    let mut rules = Rules::new();
    let mut files = vec![(FILE.to_owned(), true)];
    files.extend(extends::chain_of(reading.folder).into_iter().map(|base| (extends::beside(&base, FILE), false)));
    for (file, own) in files {
        let Some(text) = reading.folder.get(&file) else { continue };
        let tree = match yaml::parse(&file, text) {
            Ok(tree) => tree,
            Err(problems) if own => {
                reading.reader.problems.extend(problems);
                continue;
            }
            Err(_) => continue,
        };
        let mut read = Rules::new();
        for (key, node) in reading.reader.entries(Some(&tree), FILE) {
            let before = reading.reader.problems.len();
            let rule = rule(reading, key, node, agents, states);
            let is_sound = !reading.reader.problems[before..].iter().any(|problem| problem.is_error());
            if !own {
                reading.reader.problems.truncate(before);
            }
            read.extend(rule.filter(|_| is_sound));
        }
        for (agent, rule) in share(read, agents) {
            rules.entry(agent).or_insert(rule);
        }
    }
    rules
}

fn rule(
    reading: &mut Reading<'_>,
    key: &Key,
    node: &Node,
    agents: &BTreeMap<AgentName, Agent>,
    states: &[StateDefinition],
) -> Option<(AgentName, Arc<Formula>)> {
    let name = reading.known_agent(&key.text, &key.span)?;
    // An agent that is known and not there could not be read itself, which has been said.
    let agent = agents.get(&name)?;
    if !matches!(agent.does, Does::Prompt(_)) {
        let problem = reading.reader.error(codes::OFFLINE_RULE, &key.span, format!("`{name}` needs no rule: it works without a model already"));
        problem.help.push("only agents with a `prompt` are played by rules".into());
        return None;
    }
    // What a rule sees is not what the rest of the workflow sees, so its references are judged here and nowhere else.
    let before = reading.uses.len();
    let formula = reading.formula(node, Sees::Run);
    let uses = reading.uses.split_off(before);
    for state in states.iter().filter(|state| asks(state, &name, agents)) {
        let mut given: BTreeSet<&str> = state.with.iter().map(|(name, _)| name.as_str()).chain(PROMPT_EXTRAS).collect();
        given.extend(state.alternative().iter().map(|(name, _)| name.as_str()));
        for one in uses.iter().filter(|one| one.path.first().is_some_and(|root| !given.contains(root.as_str()))) {
            let root = &one.path[0];
            let message = format!("the rule of `{name}` reads `{root}`, which the state `{}` does not give", state.name);
            let problem = reading.reader.error(codes::PROMPT_VARIABLE, &one.span, message);
            problem.label = format!("`with` of `{}` has no `{root}`", state.name);
            suggest(problem, root, given.iter().copied());
        }
    }
    match &agent.returns {
        Returns::Schema(schema) => fits(reading, &name, schema, &schema.json, node, key),
        Returns::Verdict => is_verdict(reading, agent, node, key),
        Returns::Anything => {}
    }
    Some((name, Arc::new(formula?)))
}

/// Whether some task of the state may come to this agent, be it as a stand-in.
fn asks(state: &StateDefinition, name: &AgentName, agents: &BTreeMap<AgentName, Agent>) -> bool {
    users(state).into_iter().any(|user| user == name || chain(agents, user).contains(name))
}

fn share(rules: Rules, agents: &BTreeMap<AgentName, Agent>) -> Rules {
    let mut shared = Rules::new();
    for (name, rule) in &rules {
        let Some(owner) = agents.get(name) else { continue };
        for other in agents.values().filter(|other| !rules.contains_key(&other.name) && asks_the_same(owner, other)) {
            shared.insert(other.name.clone(), rule.clone());
        }
    }
    shared.extend(rules);
    shared
}

fn asks_the_same(one: &Agent, other: &Agent) -> bool {
    let same_prompt = matches!((&one.does, &other.does), (Does::Prompt(one), Does::Prompt(other)) if one == other);
    let same_shape = match (&one.returns, &other.returns) {
        (Returns::Schema(one), Returns::Schema(other)) => one.json == other.json,
        (Returns::Verdict, Returns::Verdict) => one.outcomes() == other.outcomes(),
        (Returns::Anything, Returns::Anything) => true,
        (Returns::Schema(_) | Returns::Verdict | Returns::Anything, _) => false,
    };
    same_prompt && same_shape
}

/// Says what can already be seen to be missing or wrong; what an expression gives shows only when it is asked.
fn fits(reading: &mut Reading<'_>, agent: &AgentName, schema: &Schema, part: &Value, node: &Node, key: &Key) {
    let Some(part) = schema.resolve(part) else { return };
    match &node.kind {
        Kind::Map(entries) => {
            let required = part.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            for missing in required.filter(|name| !entries.iter().any(|(key, _)| key.text == *name)) {
                let message = format!("the rule of `{agent}` gives no `{missing}`");
                let problem = reading.reader.error(codes::OFFLINE_RULE, &key.span, message);
                problem.label = format!("what `{agent}` returns has `{missing}` here");
            }
            let properties = part.get("properties").and_then(Value::as_object);
            for (key, value) in entries {
                match properties.and_then(|properties| properties.get(&key.text)) {
                    Some(property) => fits(reading, agent, schema, property, value, key),
                    None if part.get("additionalProperties") == Some(&Value::Bool(false)) => {
                        let message = format!("what `{agent}` returns has no `{}`", key.text);
                        let problem = reading.reader.error(codes::OFFLINE_RULE, &key.span, message);
                        suggest(problem, &key.text, properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)));
                    }
                    None => {}
                }
            }
        }
        Kind::List(items) => {
            if let Some(member) = part.get("items") {
                items.iter().for_each(|item| fits(reading, agent, schema, member, item, key));
            }
        }
        Kind::Scalar { .. } => {}
    }
    let Some(value) = constant(node) else { return };
    let wanted = wanted(part, &value);
    if let Some(wanted) = wanted {
        let message = format!("`{}` of `{agent}` is {wanted}, and the rule gives {}", key.text, shown(&value));
        reading.reader.error(codes::OFFLINE_RULE, &node.span, message);
    }
}

/// What a shape wants instead of a value that it refuses by its kind or its enumeration.
fn wanted(part: &Value, value: &Value) -> Option<String> {
    if let Some(words) = part.get("enum").and_then(Value::as_array).filter(|words| !words.contains(value)) {
        return Some(format!("one of {}", words.iter().map(shown).collect::<Vec<_>>().join(", ")));
    }
    let kinds: Vec<&str> = match part.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    (!kinds.iter().any(|kind| is(kind))).then(|| format!("of type {}", kinds.join(" or ")))
}

/// A verdict says its outcome, and one that can be.
fn is_verdict(reading: &mut Reading<'_>, agent: &Agent, node: &Node, key: &Key) {
    let Kind::Map(entries) = &node.kind else { return };
    let Some((_, outcome)) = entries.iter().find(|(key, _)| matches!(key.text.as_str(), "outcome" | "verdict")) else {
        let message = format!("the rule of `{}` gives no `outcome`", agent.name);
        let problem = reading.reader.error(codes::OFFLINE_RULE, &key.span, message);
        problem.help.push(format!("it is one of {}", agent.outcomes().join(", ")));
        return;
    };
    let refused = constant(outcome).and_then(|value| verdict::normalise(&json!({ "outcome": value }), &agent.words, &agent.outcomes()).err());
    if let Some(why) = refused {
        reading.reader.error(codes::OFFLINE_RULE, &outcome.span, why);
    }
}

/// The value of a node that no input can change.
fn constant(node: &Node) -> Option<Value> {
    match &node.kind {
        Kind::Scalar { text, .. } => {
            node.literal().or_else(|| Expression::parse(text, &node.span).ok().and_then(|expression| expression.constant()))
        }
        Kind::List(_) => Some(Value::Array(Vec::new())),
        Kind::Map(_) => Some(Value::Object(serde_json::Map::new())),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "a mapping".into(),
        other => format!("`{other}`"),
    }
}
