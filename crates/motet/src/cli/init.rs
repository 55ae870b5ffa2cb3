//! `motet init`: looks at what this machine has, asks a few questions, and writes the settings. Never a key.
//! What was there is kept unless it may be replaced.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

use serde_json::json;

use super::{Context, Exit, Failure, output};
use crate::config::{Config, FILE, PRESETS, Surroundings};
use crate::detection::{Found, Kind, detect};

#[derive(clap::Args)]
pub struct Args {
    /// Take what is found, without asking
    #[arg(long)]
    yes: bool,
    /// Write the settings of the user, for all projects, instead of this project's
    #[arg(long)]
    user: bool,
    /// Replace settings that are there
    #[arg(long)]
    force: bool,
    /// Who plays the agents, without asking: a model as `provider/model`, a coding agent, or `offline`
    #[arg(long, value_name = "BACKEND")]
    agent: Option<String>,
    /// What one run may cost, in dollars
    #[arg(long, value_name = "USD", value_parser = super::run::dollars)]
    budget: Option<motet_core::units::Usd>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let around = Surroundings::of_process(&context.directory);
    let path = place(args, context, &around)?;
    if path.exists() && !args.force {
        return Err(Failure::invalid(format!("{} exists already; nothing was changed", path.display()))
            .help("edit it, or replace it with `motet init --force`"));
    }
    let (backend, budget) = match &args.agent {
        Some(agent) => (agent.clone(), args.budget.map(|budget| budget.dollars().to_string())),
        None => {
            let found = detect(&Config::near(&context.directory).unwrap_or_default());
            tell(&found, context);
            choose(args, context, &found)?
        }
    };
    let text = settings(&backend, budget.as_deref());
    write(&path, &text)?;
    // What was written must be readable, or the next command would fail of it.
    Config::near(&context.directory)?;
    if context.json {
        output::json(&json!({ "file": path, "agent": backend, "budget": budget }));
    } else {
        output::line(format!("{} is written: {backend} plays the agents. Next:\n\n  motet doctor\n  motet workflows", path.display()));
    }
    Ok(Exit::Ok)
}

fn place(args: &Args, context: &Context, around: &Surroundings) -> Result<PathBuf, Failure> {
    if !args.user {
        return Ok(context.directory.join(FILE));
    }
    around.user_file().ok_or_else(|| Failure::invalid("there is no place for settings of a user: neither HOME nor XDG_CONFIG_HOME is set"))
}

fn tell(found: &[Found], context: &Context) {
    if context.json {
        return;
    }
    output::line("found on this machine:");
    for one in found {
        output::line(format!("  {:<28} {}", one.backend, one.about));
    }
}

/// The best that was found comes first; with nobody to ask, it is taken.
fn choose(args: &Args, context: &Context, found: &[Found]) -> Result<(String, Option<String>), Failure> {
    let best = found.first().map_or_else(|| "offline".to_string(), |one| one.backend.clone());
    let budget = args.budget.map(|budget| budget.dollars().to_string());
    let asks = !args.yes && !context.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if !asks {
        if !args.yes {
            return Err(Failure::invalid("nobody can be asked here").help(format!("`motet init --yes` takes what was found: {best}")));
        }
        return Ok((best, budget));
    }
    let backend = ask("who plays the agents? (provider/model, a coding agent, or offline)", &best)?;
    let is_paid = found.iter().find(|one| one.backend == backend).is_none_or(|one| one.kind != Kind::Free);
    let budget = match budget {
        Some(budget) => Some(budget),
        None if is_paid => {
            let written = ask("what may one run cost, in dollars? (empty: as the workflow says)", "")?;
            let amount = Some(written).filter(|written| !written.is_empty());
            if let Some(Err(why)) = amount.as_deref().map(super::run::dollars) {
                return Err(Failure::invalid(format!("`{}` is {why}", amount.unwrap_or_default())));
            }
            amount.map(|amount| amount.trim_start_matches('$').to_string())
        }
        None => None,
    };
    Ok((backend, budget))
}

fn ask(question: &str, default: &str) -> Result<String, Failure> {
    let mut out = std::io::stdout().lock();
    let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    let asked = out.write_all(format!("{question}{shown} > ").as_bytes()).and_then(|()| out.flush());
    let mut line = String::new();
    let read = asked.and_then(|()| std::io::stdin().lock().read_line(&mut line));
    match read {
        Ok(0) | Err(_) => Err(Failure::invalid("nothing was answered, so nothing was written")),
        Ok(_) if line.trim().is_empty() => Ok(default.to_string()),
        Ok(_) => Ok(line.trim().to_string()),
    }
}

fn settings(backend: &str, budget: Option<&str>) -> String {
    let who = match backend {
        "offline" => "offline = true".to_string(),
        name if PRESETS.contains(&name) => format!("preset = {}", json!(name)),
        model => format!("model = {}", json!(model)),
    };
    let budget = budget.map_or_else(String::new, |budget| format!("\n[budget]\nper_run = {budget}          # dollars\n"));
    format!(
        "# Who plays the agents. `motet config show` says what holds, `motet config keys` what can be said, `motet doctor` what works.\n\
         # Keys are never written here: they stand in variables such as OPENAI_API_KEY, or in files that only you can read.\n\n\
         [agents.\"*\"]             # every role that is not named below\n{who}\n{budget}"
    )
}

/// Through a file beside it, so that nothing is half written.
fn write(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("{} cannot be written: {error}", path.display()));
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    let beside = path.with_extension("toml.new");
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(failed)
}
