//! `motet doctor`: what could keep runs from working here, each with what to do about it. It changes nothing.

mod programs;
mod reaching;
mod roles;
mod sources;
mod tools;

use motet_core::check::check;
use motet_host::Store as _;
use motet_host::store::Filter;
use serde_json::json;

use super::{Context, Exit, Failure, MOTET, Tone, output, strays};
use crate::config::Config;
use crate::home;
use crate::progress::words;

#[derive(clap::Args)]
pub struct Args {}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Good,
    /// Some runs will not work.
    Warning,
    /// No run will work, or what the settings say of something cannot hold: it never could, or its key is not there.
    Bad,
}

struct Finding {
    mark: Mark,
    what: String,
    text: String,
}

impl Finding {
    fn new(what: impl Into<String>, mark: Mark, text: impl Into<String>) -> Self {
        Self { mark, what: what.into(), text: text.into() }
    }
}

pub fn run(_args: &Args, context: &Context) -> Result<Exit, Failure> {
    let config = Config::near(&context.directory);
    let mut findings = vec![home(context), database(context), runs(context), configuration(&config), workflows(context)];
    if let Ok(config) = &config {
        findings.extend(strays::strays(config, context).into_iter().map(|stray| Finding::new("settings", Mark::Warning, stray)));
        findings.extend(reaching::findings(config, &context.home.project)?);
        findings.extend(roles::findings(config));
        findings.extend(sources::findings(config)?);
    }
    let width = findings.iter().map(|finding| finding.what.chars().count()).max().unwrap_or(0).max(10);
    for finding in &findings {
        let (word, mark, tone) = match finding.mark {
            Mark::Good => ("ok", "✓", Tone::Good),
            Mark::Warning => ("warning", "!", Tone::Warning),
            Mark::Bad => ("error", "✗", Tone::Bad),
        };
        match context.json {
            true => output::json(&json!({ "what": finding.what, "result": word, "text": finding.text })),
            false => output::line(format!(
                "{} {:<width$} {}",
                context.paint.text(tone, mark),
                finding.what,
                finding.text.replace('\n', &format!("\n{:1$}", "", width + 3))
            )),
        }
    }
    Ok(if findings.iter().any(|finding| finding.mark == Mark::Bad) { Exit::Failed } else { Exit::Ok })
}

fn home(context: &Context) -> Finding {
    let directory = &context.home.directory;
    let (mark, text) = if !directory.exists() {
        let parent = directory.parent().unwrap_or(directory);
        match is_writable(parent) {
            Ok(()) => (Mark::Good, format!("{} will be made by the first run", directory.display())),
            Err(error) => (Mark::Bad, format!("{} cannot be made: {error}; use --home or ${}", directory.display(), home::VARIABLE)),
        }
    } else {
        match is_writable(directory) {
            Ok(()) => (Mark::Good, directory.display().to_string()),
            Err(error) => (Mark::Bad, format!("{} cannot be written: {error}; use --home or ${}", directory.display(), home::VARIABLE)),
        }
    };
    Finding::new("home", mark, text)
}

fn is_writable(directory: &std::path::Path) -> std::io::Result<()> {
    let probe = directory.join(format!(".motet-doctor-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}

/// Opening it reads back every setting that durability depends on.
fn database(context: &Context) -> Finding {
    let (mark, text) = match context.home.open() {
        Ok(None) => (Mark::Good, "none yet".into()),
        Ok(Some(store)) => match store.runs(&Filter::default()) {
            Ok(runs) => (Mark::Good, format!("{}, write-ahead log, full synchronisation", words::count(runs.len() as u64, "run"))),
            Err(error) => (Mark::Bad, error.to_string()),
        },
        Err(failure) => (Mark::Bad, failure.message),
    };
    Finding::new("database", mark, text)
}

fn runs(context: &Context) -> Finding {
    let look = || -> Result<(Mark, String), Failure> {
        let Some(store) = context.home.open()? else { return Ok((Mark::Good, "none open".into())) };
        let mut left = Vec::new();
        let open = store.runs(&Filter::open())?;
        for record in open.iter().filter(|record| record.parent.is_none()) {
            let waits = record.summary.gate.is_some() || record.status == "paused";
            if !waits && home::driver_of(&store, record)?.is_none() {
                left.push(record.id.to_string());
            }
        }
        Ok(match left.len() {
            0 => (Mark::Good, format!("{} open", open.len())),
            count => (Mark::Warning, format!("{} interrupted: `{MOTET} resume {}` goes on", words::count(count as u64, "run"), left[0])),
        })
    };
    let (mark, text) = look().unwrap_or_else(|failure| (Mark::Bad, failure.message));
    Finding::new("runs", mark, text)
}

fn configuration(config: &Result<Config, Failure>) -> Finding {
    let (mark, text) = match config {
        Ok(config) if config.files.is_empty() => {
            (Mark::Good, "no file of settings; `motet init` writes one, and rules play every agent until then".into())
        }
        Ok(config) => {
            let files: Vec<String> = config.files.iter().map(|file| file.display().to_string()).collect();
            (Mark::Good, format!("{}: {}", files.join(", "), words::count(config.agents.len() as u64, "role")))
        }
        Err(failure) => (Mark::Bad, failure.message.clone()),
    };
    Finding::new("settings", mark, text)
}

fn workflows(context: &Context) -> Finding {
    let library = context.library();
    let mut broken = Vec::new();
    let mut count = 0;
    for name in library.names() {
        count += 1;
        match library.load(name) {
            Ok(loaded) if check(&loaded.definition, None).has_errors() => broken.push(name.to_string()),
            Ok(_) => {}
            Err(_) => broken.push(name.to_string()),
        }
    }
    let (mark, text) = match broken.first() {
        None => (Mark::Good, format!("{} load and check", words::count(count, "workflow"))),
        Some(first) => (Mark::Warning, format!("{} cannot be run; see `motet check {first}`", broken.join(", "))),
    };
    Finding::new("workflows", mark, text)
}
