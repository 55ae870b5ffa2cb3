//! `motet config`: the settings that hold here, each with where it comes from; and every setting there is.
//! It changes nothing, and shows where keys are found, never a key.

use motet_core::diagnostic::nearest;
use serde_json::{Value, json};

use super::{Context, Exit, Failure, Tone, output};
use crate::config::{Config, EVERYBODY, Setting, keys, without_password};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Print what holds, and where it was said
    Show {
        /// Only this setting, or those below it, such as agents.writer or budget
        key: Option<String>,
    },
    /// List every setting there is, as a table in Markdown
    Keys,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    match &args.action {
        Action::Show { key } => show(key.as_deref(), context),
        Action::Keys => {
            output::line(keys::reference().trim_end());
            Ok(Exit::Ok)
        }
    }
}

fn show(key: Option<&str>, context: &Context) -> Result<Exit, Failure> {
    let config = Config::near(&context.directory)?;
    let mut rows: Vec<(String, &Setting)> = config.settings.iter().map(|(path, setting)| (path.join("."), setting)).collect();
    if let Some(key) = key.map(|key| key.trim_matches('.')) {
        let known = rows.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        rows.retain(|(path, _)| path == key || path.starts_with(&format!("{key}.")));
        if rows.is_empty() {
            return Err(not_said(key, &known, &config));
        }
    }
    let width = rows.iter().map(|(path, _)| path.chars().count()).max().unwrap_or(0);
    let shown: Vec<(String, String, String)> =
        rows.iter().map(|(path, setting)| (path.clone(), value(&setting.value), origin(setting, context))).collect();
    let value_width = shown.iter().map(|(_, value, _)| value.chars().count()).max().unwrap_or(0).min(48);
    for ((path, shown, origin), (_, setting)) in shown.iter().zip(&rows) {
        match context.json {
            true => output::json(&json!({ "key": path, "value": plain(&setting.value), "origin": setting.origin.to_string() })),
            false => output::line(format!("{path:<width$}  {shown:<value_width$}  {}", context.paint.text(Tone::Quiet, origin))),
        }
    }
    if !context.json && key.is_none() {
        tell_default(&config, context);
    }
    Ok(Exit::Ok)
}

fn tell_default(config: &Config, context: &Context) {
    if config.player(EVERYBODY).is_none_or(|player| player.who.is_none()) {
        let text = "nothing says who plays the agents; `motet init` chooses";
        output::line(context.paint.text(Tone::Quiet, text));
    }
    if config.files.is_empty() {
        output::line(context.paint.text(Tone::Quiet, "no file of settings was found; `motet init` writes one"));
    }
}

fn not_said(key: &str, known: &[String], config: &Config) -> Failure {
    let path: Vec<String> = key.split('.').map(String::from).collect();
    let failure = match keys::place(&path) {
        keys::Place::Unknown(_) => Failure::invalid(format!("there is no setting `{key}`")),
        keys::Place::Leaf(_) | keys::Place::Table => Failure::invalid(format!("nothing says `{key}`, so what is built in holds")),
    };
    let role = path.get(1).filter(|_| path[0] == "agents" && config.agents.contains_key(EVERYBODY));
    match (nearest(key, known.iter().map(String::as_str)), role) {
        (Some(meant), _) => failure.help(format!("did you mean `{meant}`?")),
        (None, Some(role)) => failure.help(format!("`{role}` is played as everybody is: `motet config show agents.{EVERYBODY}`")),
        (None, None) => failure.help("`motet config keys` lists every setting"),
    }
}

/// An address may carry a password.
fn plain(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text.contains("://") => Value::String(without_password(text)),
        _ => value.clone(),
    }
}

fn value(value: &Value) -> String {
    plain(value).to_string()
}

fn origin(setting: &Setting, context: &Context) -> String {
    let said = setting.origin.to_string();
    let base = format!("{}/", context.directory.display());
    said.strip_prefix(&base).map_or(said.clone(), String::from)
}
