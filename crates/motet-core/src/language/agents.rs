//! Reads who does the work: agents with what holds for all of them, and who answers their questions.
//! What a prompt may see depends on the states that use it and is judged in `resolve`.

use std::collections::{BTreeMap, BTreeSet};

use super::reader::{Fields, suggest};
use super::reading::{Reading, Sees};
use super::yaml::{Key, Kind, Node};
use super::{codes, extends, grammar, shapes};
use crate::definition::{
    Agent, Class, Does, EVERY_TOOL, Gather, IfUnclear, KINDS, ModelSettings, Phrase, Questions, Responder, Retry, Returns, TOOLS, Words,
};
use crate::event::Unattended;
use crate::names::AgentName;
use crate::schema::Required;
use crate::units::Usd;

const DEFAULT_TIMEOUT_MS: u64 = 600_000;
const DEFAULT_WAIT_MS: u64 = 2000;
const VERDICT_OUTCOMES: [&str; 3] = ["approved", "needs_revision", "rejected"];

pub fn agents(reading: &mut Reading<'_>, node: Option<&Node>) -> BTreeMap<AgentName, Agent> {
    let entries = reading.reader.entries(node, "agents");
    let all = entries.iter().find(|(key, _)| key.text == "all").map(|(_, value)| value);
    if let Some(fields) = all.and_then(|all| reading.reader.fields(all, &grammar::AGENT, &all.span)) {
        for key in ["prompt", "builtin", "workflow", "role"] {
            if fields.has(key) {
                let span = fields.key_span(key);
                reading.reader.error(codes::CONFLICT, &span, format!("`{key}` cannot be the same for all agents"));
            }
        }
    }
    let mut agents = BTreeMap::new();
    for (key, value) in entries.iter().filter(|(key, _)| key.text != "all") {
        let merged = with_defaults(all, value);
        if let Some(agent) = agent(reading, key, &merged, value) {
            agents.insert(agent.name.clone(), agent);
        }
    }
    check_fallbacks(reading, &agents);
    agents
}

/// What `all` says, unless the agent says it itself; `retry` and `if_unclear` are filled up part by part.
fn with_defaults(all: Option<&Node>, own: &Node) -> Node {
    let (Some(Kind::Map(defaults)), Kind::Map(entries)) = (all.map(|all| &all.kind), &own.kind) else {
        return own.clone();
    };
    let mut entries = entries.clone();
    for (key, default) in defaults {
        match entries.iter().position(|(name, _)| name.text == key.text) {
            None => entries.push((key.clone(), default.clone())),
            Some(position) if matches!(key.text.as_str(), "retry" | "if_unclear") && !entries[position].1.is_null() => {
                let own = entries[position].1.clone();
                entries[position].1 = extends::merge(default.clone(), own);
            }
            Some(_) => {}
        }
    }
    Node { span: own.span.clone(), kind: Kind::Map(entries) }
}

fn agent(reading: &mut Reading<'_>, key: &Key, node: &Node, own: &Node) -> Option<Agent> {
    let fields = reading.reader.fields(node, &grammar::AGENT, &key.span)?;
    let does = does(reading, &fields, &key.text);
    let returns = match fields.get("returns") {
        None => Some(Returns::Anything),
        Some(node) if node.scalar() == Some("verdict") => Some(Returns::Verdict),
        Some(node) => shapes::shape(reading, node, Required::All).map(Returns::Schema),
    };
    let gather = fields.get("gather").and_then(|node| gather(reading, node, &key.text, does.as_ref()));
    let is_verdict = matches!(returns, Some(Returns::Verdict));
    let words = words(reading, fields.get("words").filter(|_| is_verdict));
    if extends::value_of(own, "words").is_some_and(|words| !words.is_null()) && returns.is_some() && !is_verdict {
        let span = fields.key_span("words");
        reading.reader.error(codes::CONFLICT, &span, "`words` have no meaning without `returns: verdict`");
    }
    let mut if_unclear = if_unclear(reading, fields.get("if_unclear"), is_verdict, &words);
    if !is_verdict {
        // What `all` says of verdicts does not hold for an answer of another shape: one that stays wrong is a failure.
        if_unclear.then = None;
        let own_then = extends::value_of(own, "if_unclear").and_then(|own| extends::value_of(own, "then"));
        if let Some(then) = own_then.filter(|then| !then.is_null() && returns.is_some()) {
            reading.reader.error(codes::CONFLICT, &then.span, "`then` has no meaning without `returns: verdict`");
        }
    }
    let class = fields
        .get("class")
        .and_then(|node| reading.reader.word(node, grammar::CLASSES))
        .map_or(Class::Pure, |position| [Class::Pure, Class::Idempotent, Class::Reconcilable, Class::Unsafe][position]);
    let mut fallback = Vec::new();
    for (name, span) in reading.reader.texts(fields.get("fallback"), "agent") {
        fallback.extend(reading.known_agent(name, span));
    }
    let works_in = fields.get("works_in").and_then(|node| reading.reader.word(node, &["worktree"])).map(|_| "worktree".to_owned());
    let cost = fields.get("cost").and_then(|node| reading.reader.number(node, 0.0, 1e6)).and_then(Usd::from_dollars);
    let role = fields.get("role").and_then(|node| reading.reader.text(node, "the name of a role")).unwrap_or(&key.text).to_owned();
    Some(Agent {
        name: AgentName::new(&key.text),
        role,
        fails_when: reading.expression_of(fields.get("fails_when"), Sees::Run),
        retry: retry(reading, fields.get("retry")),
        timeout_ms: fields.get("timeout").and_then(|node| reading.reader.duration(node)).unwrap_or(DEFAULT_TIMEOUT_MS),
        model: model_settings(reading, &fields),
        longest_answer: fields.get("max_tokens").filter(|node| is_computed(node)).and_then(|node| reading.expression(node, Sees::Run)),
        does: does?,
        gather,
        returns: returns?,
        words,
        if_unclear,
        fallback,
        class,
        works_in,
        cost,
        span: key.span.clone(),
    })
}

fn does(reading: &mut Reading<'_>, fields: &Fields<'_>, agent: &str) -> Option<Does> {
    let written: Vec<&str> = ["prompt", "builtin", "workflow"].into_iter().filter(|key| fields.has(key)).collect();
    match written.as_slice() {
        [_] => {}
        [] => {
            let problem = reading.reader.error(codes::MISSING_KEY, &fields.span, format!("nothing says what the agent `{agent}` does"));
            problem.help.push("give it a `prompt` (a path), a `builtin` or a `workflow`".into());
            return None;
        }
        [first, second, ..] => {
            let span = fields.key_span(second);
            reading.reader.error(codes::CONFLICT, &span, format!("an agent has a `{first}` or a `{second}`, not both"));
            return None;
        }
    }
    let node = fields.get(written[0])?;
    let text = reading.reader.text(node, "a name or a path")?;
    match written[0] {
        "prompt" => reading.template(text, &node.span, "prompt").map(|()| Does::Prompt(text.to_owned())),
        "builtin" => {
            reading.known_builtin(text, &node.span);
            Some(Does::Builtin(text.to_owned()))
        }
        _ => {
            if extends::known_workflow(text, reading.library).is_none() {
                let problem = extends::unknown_workflow(text, reading.library).at(&node.span);
                reading.reader.problems.push(problem);
            }
            Some(Does::Workflow(text.to_owned()))
        }
    }
}

/// Its expressions see what the prompt sees, which depends on the states that use the agent: `resolve` judges that.
fn gather(reading: &mut Reading<'_>, node: &Node, agent: &str, does: Option<&Does>) -> Option<Gather> {
    let fields = reading.reader.fields(node, &grammar::GATHER, &node.span)?;
    if does.is_some_and(|does| !matches!(does, Does::Prompt(_))) {
        reading.reader.error(codes::CONFLICT, &node.span, format!("`{agent}` has no prompt, so nothing can be gathered for it"));
    }
    if !fields.has("search") && !fields.has("read") {
        reading.reader.error(codes::MISSING_KEY, &node.span, "`gather` needs `search` or `read`: what should be found?");
    }
    if fields.has("grounds") && fields.has("checks") {
        let message = "`grounds` throws away what `checks` would only mark: one of them must go";
        reading.reader.error(codes::CONFLICT, &node.span, message);
    }
    let before = reading.uses.len();
    let search = reading.expression_of(fields.get("search"), Sees::Run);
    let read = reading.expression_of(fields.get("read"), Sees::Run);
    let uses = reading.uses.split_off(before);
    reading.given_uses.push((AgentName::new(agent), uses));
    Some(Gather {
        search,
        read,
        at_most: fields.get("at_most").and_then(|node| reading.reader.integer(node, 1, 200)).map_or(12, |most| most as u32),
        kinds: kinds(reading, fields.get("in")),
        grounds: fields.get("grounds").and_then(|node| reading.reader.text(node, "the name of a field")).map(String::from),
        checks: fields.get("checks").and_then(|node| reading.reader.text(node, "the name of a field")).map(String::from),
    })
}

fn kinds(reading: &mut Reading<'_>, node: Option<&Node>) -> Vec<String> {
    let mut named = Vec::new();
    for (kind, span) in reading.reader.texts(node, "kind of source") {
        if KINDS.contains(&kind) {
            named.push(kind.to_owned());
            continue;
        }
        let problem = reading.reader.error(codes::WRONG_TYPE, span, format!("there is no kind of source `{kind}`"));
        problem.help.push(format!("there are {}", KINDS.join(", ")));
    }
    named
}

fn words(reading: &mut Reading<'_>, node: Option<&Node>) -> Words {
    let mut words = Vec::new();
    for (outcome, phrases) in reading.reader.entries(node, "words") {
        let mut read = Vec::new();
        for (text, span) in reading.reader.texts(Some(phrases), "phrase") {
            match phrase(text) {
                Ok(phrase) => read.push(phrase),
                Err(why) => {
                    reading.reader.error(codes::WRONG_TYPE, span, format!("this pattern is not a regular expression: {why}"));
                }
            }
        }
        words.push((outcome.text.clone(), read));
    }
    Words(words)
}

/// `/pattern/` or `/pattern/i` is a regular expression, everything else the phrase itself.
fn phrase(text: &str) -> Result<Phrase, String> {
    let pattern = text
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/').map(|p| (p, false)).or_else(|| rest.strip_suffix("/i").map(|p| (p, true))));
    match pattern {
        Some((pattern, any_case)) => {
            let compiled = regex::RegexBuilder::new(pattern).case_insensitive(any_case).size_limit(1 << 20).build();
            compiled.map(Phrase::Pattern).map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())
        }
        None => Ok(Phrase::Text(text.to_owned())),
    }
}

fn if_unclear(reading: &mut Reading<'_>, node: Option<&Node>, is_verdict: bool, words: &Words) -> IfUnclear {
    let Some(fields) = node.and_then(|node| reading.reader.fields(node, &grammar::IF_UNCLEAR, &node.span)) else {
        return IfUnclear { ask_again: 1, then: None };
    };
    let ask_again = fields.get("ask_again").and_then(|node| reading.reader.integer(node, 0, 20)).map_or(1, |times| times as u32);
    let then = fields.get("then").and_then(|node| {
        let then = reading.reader.text(node, "an outcome")?;
        let known: Vec<&str> = VERDICT_OUTCOMES.into_iter().chain(words.0.iter().map(|(outcome, _)| outcome.as_str())).collect();
        if is_verdict && !known.contains(&then) {
            let problem = reading.reader.error(codes::UNKNOWN_OUTCOME, &node.span, format!("a verdict never ends as `{then}`"));
            suggest(problem, then, known);
        }
        Some(then.to_owned())
    });
    IfUnclear { ask_again, then }
}

fn retry(reading: &mut Reading<'_>, node: Option<&Node>) -> Retry {
    let fields = node.and_then(|node| reading.reader.fields(node, &grammar::RETRY, &node.span));
    let field = |name: &str| fields.as_ref().and_then(|fields| fields.get(name));
    let attempts = field("attempts").and_then(|node| reading.reader.integer(node, 1, 100)).map_or(1, |attempts| attempts as u32);
    let waits = field("wait").and_then(|node| reading.reader.list(node, "durations")).unwrap_or_default();
    let wait_ms: Vec<u64> = waits.iter().filter_map(|wait| reading.reader.duration(wait)).collect();
    Retry { attempts, wait_ms: if wait_ms.is_empty() { vec![DEFAULT_WAIT_MS] } else { wait_ms } }
}

fn model_settings(reading: &mut Reading<'_>, fields: &Fields<'_>) -> ModelSettings {
    ModelSettings {
        temperature: fields.get("temperature").and_then(|node| reading.reader.number(node, 0.0, 2.0)),
        max_tokens: fields.get("max_tokens").filter(|node| !is_computed(node)).and_then(|node| reading.reader.integer(node, 1, u64::MAX)),
        seed: fields.get("seed").and_then(|node| reading.reader.integer(node, 0, u64::MAX)),
        tools: tools(reading, fields.get("tools")),
    }
}

/// Whether it is an expression, and not a number or something that is neither.
fn is_computed(node: &Node) -> bool {
    node.scalar().is_some() && node.literal().is_none()
}

/// Motet's own alone: a workflow does not know which servers its user has.
fn tools(reading: &mut Reading<'_>, node: Option<&Node>) -> Vec<String> {
    let mut named = Vec::new();
    for (tool, span) in reading.reader.texts(node, "tool") {
        if TOOLS.contains(&tool) || tool == EVERY_TOOL {
            named.push(tool.to_owned());
            continue;
        }
        let problem = reading.reader.error(codes::UNKNOWN_BUILTIN, span, format!("Motet has no tool `{tool}`"));
        problem.help.push(format!("there are {}; tools of servers are given to roles, in the settings", TOOLS.join(", ")));
    }
    named
}

/// A chain must end, and whoever steps in must not bring outcomes that nobody expects.
fn check_fallbacks(reading: &mut Reading<'_>, agents: &BTreeMap<AgentName, Agent>) {
    for agent in agents.values() {
        if chain(agents, &agent.name).contains(&agent.name) {
            let message = format!("the fallbacks of `{}` lead back to itself", agent.name);
            reading.reader.error(codes::FALLBACK, &agent.span, message);
        }
        let outcomes = agent.outcomes();
        for other in agent.fallback.iter().filter_map(|name| agents.get(name)) {
            if let Some(outcome) = other.outcomes().into_iter().find(|outcome| !outcomes.contains(outcome)) {
                let message = format!("`{}` falls back to `{}`, which can end as `{outcome}`", agent.name, other.name);
                let problem = reading.reader.error(codes::FALLBACK, &agent.span, message);
                problem.label = "an outcome this agent does not have".into();
            }
        }
    }
}

/// Everyone who may step in for this agent, directly or further on.
pub fn chain(agents: &BTreeMap<AgentName, Agent>, from: &AgentName) -> BTreeSet<AgentName> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        let fallback = agents.get(name).map_or(&[][..], |agent| &agent.fallback);
        open.extend(fallback.iter().filter(|next| found.insert((*next).clone())));
    }
    found
}

pub fn questions(reading: &mut Reading<'_>, node: Option<&Node>) -> Questions {
    let Some(fields) = node.and_then(|node| reading.reader.fields(node, &grammar::QUESTIONS, &node.span)) else {
        return Questions { answered_by: vec![Responder::Person], at_most: 0, deadline_ms: None, otherwise: Unattended::Fail };
    };
    let mut answered_by = Vec::new();
    for (name, span) in reading.reader.texts(fields.get("answered_by"), "agent") {
        match name {
            "person" => answered_by.push(Responder::Person),
            name => answered_by.extend(reading.known_agent(name, span).map(Responder::Agent)),
        }
    }
    if answered_by.is_empty() {
        answered_by.push(Responder::Person);
    }
    Questions {
        answered_by,
        at_most: fields.get("at_most").and_then(|node| reading.reader.integer(node, 0, 100)).map_or(0, |most| most as u32),
        deadline_ms: fields.get("deadline").and_then(|node| reading.reader.duration(node)),
        otherwise: match fields.get("otherwise").and_then(|node| reading.reader.word(node, &["default", "fail", "wait"])) {
            Some(0) => Unattended::Default,
            Some(2) => Unattended::Wait,
            _ => Unattended::Fail,
        },
    }
}
