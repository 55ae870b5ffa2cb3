//! `motet init`: looks at what this machine has, asks a few questions, and writes the settings. Never a key.
//! What was there is kept unless it may be replaced.

mod dialogue;

use std::io::{StdinLock, Stdout};
use std::path::{Path, PathBuf};

use motet_core::diagnostic::nearest;
use serde_json::json;

use super::{Context, Exit, Failure, output};
use crate::config::{Config, FILE, Origin, PRESETS, Surroundings, backend_setting, has_password, is_key};
use crate::detection::{Found, Kind, detect, searchable};
use dialogue::Dialogue;

/// Whoever answers on standard input, at a terminal or not.
type Talk = Dialogue<StdinLock<'static>, Stdout>;

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
    /// Who plays the agents, without asking: a model, `offline`, `person`, a coding agent such as `claude`, `command:PROGRAM` or `acp:PROGRAM`
    #[arg(long, value_name = "BACKEND")]
    agent: Option<String>,
    /// What one run may cost, in dollars
    #[arg(long, value_name = "USD", value_parser = super::run::dollars)]
    budget: Option<motet_core::units::Usd>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let around = Surroundings::of_process(&context.directory);
    let path = place(args, context, &around)?;
    // What is about to be replaced tells of nothing that will hold.
    let config = Config::supposing(&around, &path, "").unwrap_or_default();
    // Whoever reads JSON answers no questions, and whoever says yes has answered them all.
    let is_talk = !args.yes && !context.json && args.agent.is_none();
    let mut talk = is_talk.then(|| Dialogue { answers: std::io::stdin().lock(), screen: std::io::stdout() });
    if path.exists() && !args.force {
        may_replace(&path, talk.as_mut())?;
    }
    let (backend, budget) = match &args.agent {
        Some(agent) => (agent.clone(), args.budget.map(|budget| budget.dollars().to_string())),
        None => {
            let found = detect(&config);
            tell(&found, context);
            choose(args, &found, &config, talk.as_mut())?
        }
    };
    usable(&backend, &config).map_err(|why| Failure::invalid(why).help("nothing was written"))?;
    let services = searched(args.yes, talk.as_mut())?;
    let text = settings(&backend, budget.as_deref()) + &ollama(&backend, &config) + &sources(&services);
    // What is written must be readable, or the next command would fail of it.
    Config::supposing(&around, &path, &text).map_err(|failure| failure.help("nothing was written"))?;
    write(&path, &text)?;
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

/// What is there is somebody's work.
fn may_replace(path: &Path, talk: Option<&mut Talk>) -> Result<(), Failure> {
    let kept = || {
        Failure::invalid(format!("{} exists already; nothing was changed", path.display()))
            .help("edit it, or replace it with `motet init --force`")
    };
    match talk {
        Some(talk) => match talk.agreed(&format!("{} exists already; replace it?", path.display()), "no") {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(kept()),
        },
        None => Err(kept()),
    }
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
    for (place, one) in found.iter().enumerate() {
        output::line(format!("  {}. {:<28} {}", place + 1, one.backend, one.about));
    }
}

/// The best that was found comes first; where nobody is asked, it is taken.
fn choose(args: &Args, found: &[Found], config: &Config, talk: Option<&mut Talk>) -> Result<(String, Option<String>), Failure> {
    let best = found.first().map_or_else(|| "offline".to_string(), |one| one.backend.clone());
    let budget = args.budget.map(|budget| budget.dollars().to_string());
    let unasked = |failure: Failure| failure.help(format!("`motet init --yes` takes what was found: {best}"));
    let Some(talk) = talk else {
        if !args.yes {
            return Err(unasked(Failure::invalid("nobody can be asked here: JSON is wanted")));
        }
        return Ok((best, budget));
    };
    let question = "who plays the agents? (a number above, provider/model, a coding agent, person, or offline)";
    let read = |answer: &str| {
        let named = numbered(answer, found)?.unwrap_or(answer);
        usable(named, config).map(|()| named.to_string())
    };
    let backend = talk.ask(question, &best, read).map_err(unasked)?;
    let is_paid = found.iter().find(|one| one.backend == backend).is_none_or(|one| one.kind != Kind::Free);
    let budget = match budget {
        Some(budget) => Some(budget),
        None if is_paid => talk.ask("what may one run cost, in dollars? (empty: as the workflow says)", "", |answer| match answer {
            "" => Ok(None),
            answer => {
                super::run::dollars(answer).map(|amount| Some(amount.dollars().to_string())).map_err(|why| format!("`{answer}` is {why}"))
            }
        })?,
        None => None,
    };
    Ok((backend, budget))
}

/// The search services whose keys are there, as far as the user wants them. They cost money, so silence is no consent.
fn searched(takes_all: bool, talk: Option<&mut Talk>) -> Result<Vec<(&'static str, &'static str)>, Failure> {
    let found = searchable();
    let Some(talk) = talk else { return Ok(if takes_all { found } else { Vec::new() }) };
    let mut wanted = Vec::new();
    for (name, variable) in found {
        if talk.agreed(&format!("may runs search the web with {name}, whose key {variable} is set?"), "yes")? {
            wanted.push((name, variable));
        }
    }
    Ok(wanted)
}

/// Whom a number of the printed list means. None: it is no number.
fn numbered<'a>(answer: &str, found: &'a [Found]) -> Result<Option<&'a str>, String> {
    let Ok(number) = answer.parse::<usize>() else { return Ok(None) };
    let one = number.checked_sub(1).and_then(|place| found.get(place));
    one.map(|one| Some(one.backend.as_str())).ok_or_else(|| format!("the list above goes from 1 to {}", found.len()))
}

/// Whether the settings could name it. Whether it works, `motet doctor` finds out.
fn usable(backend: &str, config: &Config) -> Result<(), String> {
    let coding = || format!("coding agents are {}", PRESETS.join(", "));
    if backend.split(['/', ':', ' ']).any(is_key) {
        return Err(
            "that looks like a key, which is never written here: set a variable such as OPENAI_API_KEY to it, and name the model".into()
        );
    }
    match backend_setting(backend) {
        None => Err(format!("`{backend}` names nobody: write the program after it, as in acp:my-agent")),
        // A word without a provider would be a model of Ollama's; one that is nearly a coding agent is hardly meant so.
        Some(("model", _)) if !backend.contains('/') && nearest(backend, PRESETS).is_some() => {
            let meant = nearest(backend, PRESETS).unwrap_or_default();
            Err(format!("did you mean the coding agent `{meant}`? A model of Ollama of that name is written `ollama/{backend}`"))
        }
        // Settings of another file that cannot be read tell of no providers.
        Some(("model", _)) if !config.providers.is_empty() => config.knows_model(backend).map_err(|why| format!("it {why}; {}", coding())),
        Some(("preset", name)) if !PRESETS.iter().any(|preset| name == *preset) => {
            let name = name.as_str().unwrap_or_default();
            Err(format!("there is no coding agent `{name}`; {}; any other is `acp:PROGRAM` or `command:PROGRAM`", coding()))
        }
        Some(_) => Ok(()),
    }
}

fn settings(backend: &str, budget: Option<&str>) -> String {
    let (key, value) = backend_setting(backend).unwrap_or(("offline", json!(true)));
    let may = match key {
        "preset" => "\npermissions = \"allow\"      # it changes files and runs commands here without asking; \"reject\": it may only read",
        "acp" => {
            "\npermissions = \"ask\"        # before it changes files or runs commands; \"allow\": never, \"reject\": it may only read"
        }
        _ => "",
    };
    let who = format!("{key} = {value}{may}");
    let budget = budget.map_or_else(String::new, |budget| format!("\n[budget]\nper_run = {budget}          # dollars\n"));
    format!(
        "# Who plays the agents. `motet config show` says what holds, `motet config keys` what can be said, `motet doctor` what works.\n\
         # Keys are never written here: they stand in variables such as OPENAI_API_KEY, or in files that only you can read.\n\n\
         [agents.\"*\"]             # every role that is not named below\n{who}\n{budget}"
    )
}

/// Where Ollama was found, if that is not where it usually listens: the variable that says so may not be set for the next command.
/// What a password belongs to stays in the variable.
fn ollama(backend: &str, config: &Config) -> String {
    let is_meant =
        backend_setting(backend).is_some_and(|(key, _)| key == "model") && (backend.starts_with("ollama/") || !backend.contains('/'));
    let said = config.settings.setting(&["providers", "ollama", "base_url"]).filter(|said| matches!(said.origin, Origin::Variable(_)));
    let url = said.and_then(|said| said.value.as_str()).filter(|url| is_meant && !has_password(url));
    url.map_or_else(String::new, |url| format!("\n[providers.ollama]\nbase_url = {}\n", json!(url)))
}

/// What is found is said; what else can be said stands beside it.
fn sources(services: &[(&str, &str)]) -> String {
    let names: Vec<&str> = services.iter().map(|(name, _)| *name).collect();
    let keys: Vec<&str> = services.iter().map(|(_, variable)| *variable).collect();
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
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("{} cannot be written: {error}", path.display()));
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    let beside = path.with_extension("toml.new");
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(failed)
}
