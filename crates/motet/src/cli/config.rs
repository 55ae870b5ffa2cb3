//! `motet config`: the settings that hold here, each with where it comes from; and every setting there is.
//! It changes nothing, and shows where keys are found, never a key.

use std::collections::BTreeSet;

use motet_core::diagnostic::nearest;
use serde_json::{Value, json};

use super::{Context, Exit, Failure, Tone, output, strays};
use crate::config::{Config, EVERYBODY, Holds, Usual, keys, without_password};

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
            match context.json {
                true => keys::rows().iter().for_each(output::json),
                false => output::line(keys::reference().trim_end()),
            }
            Ok(Exit::Ok)
        }
    }
}

fn show(key: Option<&str>, context: &Context) -> Result<Exit, Failure> {
    let config = Config::near(&context.directory)?;
    let rows = match key.map(|key| key.trim_matches('.')) {
        None => config.everything(),
        Some(key) => {
            let path: Vec<String> = key.split('.').map(String::from).collect();
            let roles = if path[0] == "agents" { strays::known_roles(context) } else { None }.unwrap_or_default();
            config.holding(&path, &roles).ok_or_else(|| not_said(key, &path, &roles, &config))?
        }
    };
    let width = rows.iter().map(|row| row.key.chars().count()).max().unwrap_or(0);
    let value_width = rows.iter().map(|row| value(row).chars().count()).max().unwrap_or(0).min(48);
    for row in &rows {
        let origin = origin(row, context);
        match context.json {
            true => output::json(&as_json(row)),
            false => {
                output::line(format!("{:<width$}  {:<value_width$}  {}", row.key, value(row), context.paint.text(Tone::Quiet, &origin)))
            }
        }
    }
    for stray in strays::strays(&config, context) {
        output::error(&format!("warning: {stray}\n"));
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

fn not_said(key: &str, path: &[String], roles: &BTreeSet<String>, config: &Config) -> Failure {
    let known: Vec<String> = config.everything().into_iter().map(|row| row.key).collect();
    let names: Vec<String> = match path {
        [table, _, ..] if table == "agents" => config.settings.names(table).into_iter().chain(roles.iter().cloned()).collect(),
        [table, _, ..] => config.settings.names(table),
        _ => Vec::new(),
    };
    let is_unknown = matches!(keys::place(path), keys::Place::Unknown(_));
    let failure = match path {
        _ if is_unknown => Failure::invalid(format!("there is no setting `{key}`")),
        [table, name, ..] if table == "agents" => {
            Failure::invalid(format!("nothing says `{key}`, and no workflow here has the role `{name}`"))
        }
        _ => Failure::invalid(format!("nothing says `{key}`")),
    };
    let near_name = path.get(1).and_then(|name| nearest(name, names.iter().map(String::as_str))).filter(|_| !is_unknown);
    let meant = near_name.map(|name| [&path[..1], &[name.to_string()], &path[2..]].concat().join("."));
    match meant.as_deref().or_else(|| nearest(key, known.iter().map(String::as_str))) {
        Some(meant) => failure.help(format!("did you mean `{meant}`?")),
        None => failure.help("`motet config keys` lists every setting"),
    }
}

fn as_json(row: &Holds) -> Value {
    let mut shown = json!({ "key": row.key, "value": null, "origin": row.origin.to_string() });
    match &row.value {
        Usual::Value(value) => shown["value"] = plain(value),
        Usual::Words(words) => shown["means"] = json!(words),
    }
    if row.is_inherited {
        shown["said_of"] = json!(EVERYBODY);
    }
    shown
}

/// An address may carry a password.
fn plain(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text.contains("://") => Value::String(without_password(text)),
        _ => value.clone(),
    }
}

fn value(row: &Holds) -> String {
    match &row.value {
        Usual::Value(value) => plain(value).to_string(),
        Usual::Words(words) => words.to_string(),
    }
}

fn origin(row: &Holds, context: &Context) -> String {
    let said = row.origin.to_string();
    let base = format!("{}/", context.directory.display());
    let said = said.strip_prefix(&base).map_or(said.clone(), String::from);
    if row.is_inherited { format!("{said}, said of everybody (agents.{EVERYBODY})") } else { said }
}
