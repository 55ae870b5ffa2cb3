//! Who plays a role, as the settings say it: a model, a program, a coding agent, a person, or rules.
//! It starts nobody: the casting of a run does.

use std::collections::BTreeMap;

use motet_core::event::Price;
use motet_core::units::Usd;

use super::addresses::{is_key, secret_word};
use super::providers::ModelName;
use super::settings::{Entry, Problem};
use super::{flags, is_own_tool};

/// What the settings say of a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Player {
    /// None: whoever plays everybody else.
    pub who: Option<Who>,
    /// Where it is said that rules play it.
    pub rules_said_by: Option<String>,
    /// Asked in this order when the one before cannot answer.
    pub fallback: Vec<Who>,
    pub coding: Coding,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    pub seed: Option<u64>,
    pub timeout_ms: Option<u64>,
    pub tools: Vec<String>,
    pub permissions: Option<String>,
    pub unattended: Option<String>,
    pub price: Option<Price>,
}

/// How a coding agent is started and what is chosen of it. It is said of the one that plays the role, not of those that stand in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coding {
    pub model: Option<String>,
    pub program: Option<String>,
    pub arguments: Vec<String>,
    pub mode: Option<String>,
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    Model(ModelName),
    Command { command: Vec<String>, verify: Option<Vec<String>> },
    Preset(String),
    Acp(Vec<String>),
    Person,
    Offline,
}

pub(super) const KINDS: [&str; 6] = ["model", "command", "preset", "acp", "person", "offline"];

impl Player {
    /// `model_named` finds a model's provider, or says why there is none.
    pub fn read(entry: &Entry, model_named: impl Fn(&str) -> Result<ModelName, String>) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let who = who(entry, &model_named).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let mut fallback = Vec::new();
        for name in entry.texts("fallback").unwrap_or_default() {
            match stand_in(&name, &model_named) {
                Ok(who) => fallback.push(who),
                Err(why) => problems.push(entry.problem("fallback", why)),
            }
        }
        problems.extend(with_key(entry));
        if entry.value("verify").is_some() && !matches!(who, Some(Who::Command { .. })) {
            problems.push(entry.problem("verify", "has `verify` without `command`"));
        }
        if !fallback.is_empty() && matches!(who, Some(Who::Person | Who::Offline)) {
            problems.push(entry.problem("fallback", "has a `fallback`, but people and rules have nobody stand in for them"));
        }
        problems.extend(misplaced(entry, who.as_ref(), &fallback));
        if let (Some("reject" | "allow"), Some(Who::Person)) = (entry.text("unattended").as_deref(), &who) {
            let why = "is played by a person, whose task can only `wait` or `fail` where nobody is there";
            problems.push(entry.problem("unattended", why));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let rules = entry.settings.get("offline").filter(|_| who == Some(Who::Offline));
        Ok(Self {
            rules_said_by: rules.map(|said| said.origin.to_string()),
            who,
            fallback,
            coding: Coding {
                model: entry.text("with_model"),
                program: entry.text("program"),
                arguments: entry.texts("arguments").unwrap_or_default(),
                mode: entry.text("session_mode"),
                options: entry.table("session_options"),
            },
            temperature: entry.number("temperature"),
            max_tokens: entry.count("max_tokens"),
            seed: entry.count("seed"),
            timeout_ms: entry.milliseconds("timeout"),
            tools: entry.texts("tools").unwrap_or_default(),
            permissions: entry.text("permissions"),
            unattended: entry.text("unattended"),
            price: price(entry),
        })
    }
}

/// Programs whose words have a key among them, and a key where somebody is named.
fn with_key(entry: &Entry) -> Vec<Problem> {
    let help = "which would be kept with every run: set a variable to it, and let the program read that";
    let programs = ["command", "verify", "acp", "arguments", "fallback"].into_iter();
    let words = programs.filter_map(|key| Some((key, secret_word(&entry.texts(key)?)?)));
    let mut problems: Vec<Problem> =
        words.map(|(key, part)| entry.problem(key, format!("has what looks like a key in `{key}` ({part}), {help}"))).collect();
    if entry.text("model").is_some_and(|model| model.split('/').any(is_key)) {
        problems.push(entry.problem("model", "has what looks like a key for a `model`: name the model, and the key by `key_env`"));
    }
    problems
}

/// What is said of somebody who does not play here. Where nobody is named, it may be meant for whoever plays everybody else.
fn misplaced(entry: &Entry, who: Option<&Who>, fallback: &[Who]) -> Vec<Problem> {
    let Some(who) = who else { return Vec::new() };
    let plays = |is_meant: fn(&Who) -> bool| std::iter::once(who).chain(fallback).any(is_meant);
    let mut problems = Vec::new();
    let mut refuse = |key: &str, holds: bool, why: &str| {
        if entry.value(key).is_some() && !holds {
            problems.push(entry.problem(key, format!("has `{key}`, {why}")));
        }
    };
    let is_preset = matches!(who, Who::Preset(_));
    let is_acp = matches!(who, Who::Acp(_));
    refuse("with_model", is_preset || is_acp, "which only a coding agent (`preset` or `acp`) is told");
    for key in ["program", "arguments"] {
        refuse(key, is_preset, "which only a `preset` has; other programs are named whole, with their arguments");
    }
    for key in ["session_mode", "session_options"] {
        refuse(key, is_acp, "which only `acp` knows");
    }
    let has_tools = plays(|who| matches!(who, Who::Model(_) | Who::Acp(_)));
    // To be given none is what holds of them anyway.
    let gets_none = entry.texts("tools").is_some_and(|tools| tools.is_empty());
    refuse("tools", has_tools || gets_none, "which only a `model` or `acp` is given; other agents bring their own");
    refuse("unattended", plays(|who| matches!(who, Who::Acp(_) | Who::Person)), "but only a `person` and `acp` ask people anything");
    refuse("permissions", plays(|who| matches!(who, Who::Acp(_) | Who::Preset(_))), "which only `acp` and `preset` ask for");
    let own = entry.texts("tools").unwrap_or_default().into_iter().find(|tool| is_own_tool(tool));
    if let Some(tool) = own.filter(|_| plays(|who| matches!(who, Who::Acp(_)))) {
        let why =
            format!("has the tool `{tool}`, but only a `model` has Motet's own tools; give `acp` those of a server, as `server.tool`");
        problems.push(entry.problem("tools", why));
    }
    problems
}

/// Somebody by one text, as on the command line.
fn stand_in(name: &str, model_named: &impl Fn(&str) -> Result<ModelName, String>) -> Result<Who, String> {
    let words = |program: &str| -> Result<Vec<String>, String> {
        let words: Vec<String> = program.split_whitespace().map(String::from).collect();
        if words.is_empty() { Err(format!("has `{name}` as a `fallback`, which names no program")) } else { Ok(words) }
    };
    match flags::stand_in(name) {
        ("command", program) => Ok(Who::Command { command: words(program)?, verify: None }),
        ("acp", program) => Ok(Who::Acp(words(program)?)),
        ("preset", preset) => Ok(Who::Preset(preset.trim().to_string())),
        ("offline", _) => Ok(Who::Offline),
        ("person", _) => Ok(Who::Person),
        (_, model) => model_named(model).map(Who::Model),
    }
}

fn who(entry: &Entry, model_named: &impl Fn(&str) -> Result<ModelName, String>) -> Result<Option<Who>, Problem> {
    let said: Vec<&str> = KINDS.into_iter().filter(|kind| entry.value(kind).is_some_and(|value| value != false)).collect();
    let kind = match said[..] {
        [] => return Ok(None),
        [kind] => kind,
        ["model", coding @ ("preset" | "acp"), ..] => {
            let why =
                format!("names several players, `model` and `{coding}`: keep one; the model that `{coding}` works with is `with_model`");
            return Err(entry.problem(coding, why));
        }
        [first, second, ..] => return Err(entry.problem(second, format!("names several players, `{first}` and `{second}`: keep one"))),
    };
    let words = || entry.texts(kind).unwrap_or_default();
    Ok(Some(match kind {
        "model" => {
            let named = entry.text(kind).unwrap_or_default();
            Who::Model(model_named(&named).map_err(|why| entry.problem(kind, why))?)
        }
        "command" => Who::Command { command: words(), verify: entry.texts("verify") },
        "preset" => Who::Preset(entry.text(kind).unwrap_or_default()),
        "acp" => Who::Acp(words()),
        "person" => Who::Person,
        _ => Who::Offline,
    }))
}

fn price(entry: &Entry) -> Option<Price> {
    let table = entry.value("price")?.as_object()?;
    let amount = |part: &str| table.get(part).and_then(super::kinds::money).unwrap_or(Usd::ZERO);
    Some(Price {
        call: amount("call"),
        input_per_million: amount("input_per_million"),
        output_per_million: amount("output_per_million"),
        ..Price::default()
    })
}
