//! `motet init`: looks at what this machine has, asks a few questions, and writes the settings. Never a key.
//! What was there is kept unless it may be replaced.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;

use serde_json::json;

use super::{Context, Exit, Failure, output};
use crate::config::{Config, FILE, PRESETS, Surroundings};
use crate::detection::{Found, Kind, detect, searchable};

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
    let services = searched(args, context)?;
    let text = settings(&backend, budget.as_deref()) + &sources(&services);
    write(&path, &text)?;
    // What was written must be readable, or the next command would fail of it.
    Config::near(&context.directory)?;
    if context.json {
        let services: Vec<&str> = services.iter().map(|(name, _)| *name).collect();
        output::json(&json!({ "file": path, "agent": backend, "budget": budget, "services": services }));
    } else {
        let names: Vec<&str> = services.iter().map(|(name, _)| *name).collect();
        let searched = if names.is_empty() { String::new() } else { format!(", {} is searched", names.join(" and ")) };
        output::line(format!(
            "{} is written: {backend} plays the agents{searched}. Next:\n\n  motet doctor\n  motet workflows",
            path.display()
        ));
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

/// The search services whose keys are there, as far as the user wants them.
fn searched(args: &Args, context: &Context) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut found = searchable();
    let asks = !args.yes && args.agent.is_none() && !context.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if asks {
        let mut wanted = Vec::new();
        for (name, variable) in found {
            let answer = ask(&format!("may runs search the web with {name}, whose key {variable} is set? (yes or no)"), "yes")?;
            if answer.to_lowercase().starts_with('y') {
                wanted.push((name, variable));
            }
        }
        found = wanted;
    }
    Ok(found)
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

/// What is found is said; what else can be said stands beside it.
fn sources(services: &[(&'static str, String)]) -> String {
    let names: Vec<&str> = services.iter().map(|(name, _)| *name).collect();
    let keys: Vec<&str> = services.iter().map(|(_, variable)| variable.as_str()).collect();
    let searched = match names.is_empty() {
        true => {
            "# services = [\"wikipedia\", \"arxiv\"]   # searched by every run that gathers evidence; `--web` adds all that need no key\n"
                .into()
        }
        false => format!("services = {}   # their keys are in {}\n", json!(names), keys.join(" and ")),
    };
    format!(
        "\n[sources]                  # where evidence is found, beside `--docs` and `--web`\n{searched}\
         # documents = [\"docs\"]\n# feeds = [\"https://example.org/feed.xml\"]\n# deny = [\"example.com\"]\n"
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
