//! Who plays a role, as the settings say it: a model, a program, a coding agent, a person, or rules.
//! It starts nobody: the casting of a run does.

use motet_core::event::Price;
use motet_core::units::Usd;

use super::is_own_tool;
use super::providers::ModelName;
use super::settings::{Entry, Problem};

/// What the settings say of a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Player {
    /// None: whoever plays everybody else.
    pub who: Option<Who>,
    pub fallback: Vec<ModelName>,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    pub seed: Option<u64>,
    pub timeout_ms: Option<u64>,
    pub tools: Vec<String>,
    pub permissions: Option<String>,
    pub unattended: Option<String>,
    pub price: Option<Price>,
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

const KINDS: [&str; 6] = ["model", "command", "preset", "acp", "person", "offline"];

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
            match model_named(&name) {
                Ok(model) => fallback.push(model),
                Err(why) => problems.push(entry.problem("fallback", why)),
            }
        }
        if entry.value("verify").is_some() && !matches!(who, Some(Who::Command { .. })) {
            problems.push(entry.problem("verify", "has `verify` without `command`"));
        }
        if !fallback.is_empty() && !matches!(who, Some(Who::Model(_)) | None) {
            problems.push(entry.problem("fallback", "has a `fallback`, which only a `model` can have"));
        }
        if entry.value("tools").is_some() && !matches!(who, Some(Who::Model(_) | Who::Acp(_)) | None) {
            problems.push(entry.problem("tools", "has `tools`, which only a `model` or `acp` is given; other agents bring their own"));
        }
        let own = entry.texts("tools").unwrap_or_default().into_iter().find(|tool| is_own_tool(tool));
        if let (Some(tool), Some(Who::Acp(_))) = (own, &who) {
            let why =
                format!("has the tool `{tool}`, but only a `model` has Motet's own tools; give `acp` those of a server, as `server.tool`");
            problems.push(entry.problem("tools", why));
        }
        match (entry.text("unattended").as_deref(), &who) {
            (None, _) | (Some(_), Some(Who::Acp(_)) | None) | (Some("wait" | "fail"), Some(Who::Person)) => {}
            (Some(_), Some(Who::Person)) => {
                problems
                    .push(entry.problem("unattended", "is played by a person, whose task can only `wait` or `fail` where nobody is there"));
            }
            (Some(_), Some(_)) => {
                problems.push(entry.problem("unattended", "has `unattended`, but only a `person` and `acp` ask people anything"));
            }
        }
        if entry.value("permissions").is_some() && !matches!(who, Some(Who::Acp(_) | Who::Preset(_)) | None) {
            problems.push(entry.problem("permissions", "has `permissions`, which only `acp` and `preset` ask for"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            who,
            fallback,
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

fn who(entry: &Entry, model_named: &impl Fn(&str) -> Result<ModelName, String>) -> Result<Option<Who>, Problem> {
    let said: Vec<&str> = KINDS.into_iter().filter(|kind| entry.value(kind).is_some_and(|value| value != false)).collect();
    let kind = match said[..] {
        [] => return Ok(None),
        [kind] => kind,
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
