//! Settings from the command line, which count over everything else.
//! It only says what the flags mean; whether a run can be played so, the casting finds out.

use serde_json::{Value, json};

use super::EVERYBODY;
use super::environment::flag;
use super::kinds::Kind;
use super::settings::{Layer, Origin, Problem, Setting, Settings};

/// The coding agents that can be named without saying `preset:`.
pub const PRESETS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "aider"];

#[derive(clap::Args, Clone, Debug, Default)]
pub struct Overrides {
    /// The model that plays every agent which a model plays: `provider/model`, or a model of Ollama
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Who plays a role: a model, `offline`, `person`, a coding agent such as `claude`, `command:PROGRAM` or `acp:PROGRAM`
    #[arg(long = "agent", value_name = "ROLE=BACKEND")]
    pub agents: Vec<String>,
    /// What a role costs: `ROLE=INPUT,OUTPUT` in dollars per million tokens, or `ROLE=CALL` in dollars per call
    #[arg(long = "price", value_name = "ROLE=PRICE")]
    pub prices: Vec<String>,
    /// What is reserved, and booked, for each call whose price is not known, in dollars
    #[arg(long, value_name = "USD")]
    pub max_call_cost: Option<String>,
}

impl Overrides {
    /// The model for all, given what was said before. Roles that are named one by one count over it.
    pub fn for_all(&self, below: &Settings) -> (Layer, Vec<Problem>) {
        match self.model.as_ref().map(|model| every_model(&Origin::Flag("--model".into()), model, below)) {
            None => (Layer::new(), Vec::new()),
            Some(Ok(layer)) => (layer, Vec::new()),
            Some(Err(problem)) => (Layer::new(), vec![problem]),
        }
    }

    /// The roles that flags name: the flag, what was written after it, and the role.
    pub fn roles(&self) -> impl Iterator<Item = (&'static str, &str, &str)> {
        let agents = self.agents.iter().map(|written| ("--agent", written));
        let all = agents.chain(self.prices.iter().map(|written| ("--price", written)));
        all.filter_map(|(flag, written)| Some((flag, written.as_str(), written.split_once('=')?.0.trim())))
    }

    /// What the other flags say.
    pub fn one_by_one(&self) -> (Layer, Vec<Problem>) {
        let (mut layer, mut problems) = (Layer::new(), Vec::new());
        let mut take = |found: Result<Layer, Problem>| match found {
            Ok(settings) => layer.extend(settings),
            Err(problem) => problems.push(problem),
        };
        self.agents.iter().for_each(|written| take(agent(written)));
        self.prices.iter().for_each(|written| take(price(written)));
        if let Some(written) = &self.max_call_cost {
            take(flag("--max-call-cost", &["budget", "per_call"], Kind::Money, written).map(|setting| vec![setting]));
        }
        (layer, problems)
    }
}

/// The model for everybody, and for every role that a model would play anyway.
pub(super) fn every_model(origin: &Origin, model: &str, below: &Settings) -> Result<Layer, Problem> {
    let played_by_model = |role: &String| {
        let entry = below.of("agents", role);
        role != EVERYBODY && (entry.value("model").is_some() || entry.is_set("offline"))
    };
    let roles = below.names("agents").into_iter().filter(played_by_model).chain([EVERYBODY.to_string()]);
    let said =
        Kind::Text.parse(model).ok_or_else(|| Problem { origin: origin.clone(), message: format!("must be {}", Kind::Text.wanted()) })?;
    let setting = |role: String| (vec!["agents".into(), role, "model".into()], Setting { value: said.clone(), origin: origin.clone() });
    Ok(roles.map(setting).collect())
}

fn agent(written: &str) -> Result<Layer, Problem> {
    let (role, backend) = split("--agent", written, "ROLE=BACKEND, as in writer=openai/gpt-4.1 or coder=claude")?;
    let (key, value) = backend_setting(backend).ok_or_else(|| problem("--agent", format!("`{written}` names nobody")))?;
    Ok(vec![setting("--agent", role, key, value)])
}

/// A player by one text, as a setting of its role. None: it names nobody.
pub fn backend_setting(written: &str) -> Option<(&'static str, Value)> {
    let (key, named) = stand_in(written);
    let value = match key {
        "command" | "acp" => Kind::Words.parse(named),
        "offline" | "person" => Some(json!(true)),
        _ => Kind::Text.parse(named),
    };
    value.map(|value| (key, value))
}

/// What kind of player a text means, and what it says of it.
pub(super) fn stand_in(written: &str) -> (&'static str, &str) {
    match written.split_once(':') {
        Some(("command", program)) => ("command", program),
        Some(("acp", program)) => ("acp", program),
        Some(("preset", name)) => ("preset", name),
        _ => match written {
            "offline" => ("offline", written),
            "person" => ("person", written),
            name if PRESETS.contains(&name) => ("preset", name),
            model => ("model", model),
        },
    }
}

fn price(written: &str) -> Result<Layer, Problem> {
    let wanted = "ROLE=INPUT,OUTPUT or ROLE=CALL in dollars, as in writer=3,15 or writer=0.01";
    let (role, amounts) = split("--price", written, wanted)?;
    let amounts: Option<Vec<Value>> = amounts.split(',').map(|amount| Kind::Money.parse(amount)).collect();
    let table = match amounts.as_deref() {
        Some([call]) => json!({ "call": call }),
        Some([input, output]) => json!({ "input_per_million": input, "output_per_million": output }),
        _ => return Err(problem("--price", format!("`{written}` is not of the form {wanted}"))),
    };
    Ok(vec![setting("--price", role, "price", table)])
}

fn split<'a>(name: &str, written: &'a str, wanted: &str) -> Result<(&'a str, &'a str), Problem> {
    let parts = written.split_once('=').map(|(role, rest)| (role.trim(), rest.trim()));
    let parts = parts.filter(|(role, rest)| !role.is_empty() && !rest.is_empty());
    parts.ok_or_else(|| problem(name, format!("`{written}` is not of the form {wanted}")))
}

fn setting(name: &str, role: &str, key: &str, value: Value) -> (Vec<String>, Setting) {
    (vec!["agents".into(), role.into(), key.into()], Setting { value, origin: Origin::Flag(name.into()) })
}

fn problem(name: &str, message: String) -> Problem {
    Problem { origin: Origin::Flag(name.into()), message }
}
