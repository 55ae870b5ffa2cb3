//! `motet doctor`: what could keep runs from working here, each with what to do about it. It changes nothing.

use motet_core::check::check;
use motet_host::Store as _;
use motet_host::store::Filter;
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::casting;
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
    /// No run will work.
    Bad,
}

struct Finding {
    mark: Mark,
    what: &'static str,
    text: String,
}

pub fn run(_args: &Args, context: &Context) -> Result<Exit, Failure> {
    let findings = [home(context), database(context), runs(context), configuration(context), workflows(context), model()];
    for finding in &findings {
        let (word, mark, tone) = match finding.mark {
            Mark::Good => ("ok", "✓", Tone::Good),
            Mark::Warning => ("warning", "!", Tone::Warning),
            Mark::Bad => ("error", "✗", Tone::Bad),
        };
        match context.json {
            true => output::json(&json!({ "what": finding.what, "result": word, "text": finding.text })),
            false => output::line(format!(
                "{} {:<10} {}",
                context.paint.text(tone, mark),
                finding.what,
                finding.text.replace('\n', "\n             ")
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
    Finding { mark, what: "home", text }
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
    Finding { mark, what: "database", text }
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
            count => (Mark::Warning, format!("{} interrupted: `motet resume {}` goes on", words::count(count as u64, "run"), left[0])),
        })
    };
    let (mark, text) = look().unwrap_or_else(|failure| (Mark::Bad, failure.message));
    Finding { mark, what: "runs", text }
}

fn configuration(context: &Context) -> Finding {
    let (mark, text) = match Config::near(&context.directory) {
        Ok(Config { file: None, .. }) => (Mark::Good, "no motet.toml; rules play every agent unless a model is chosen".into()),
        Ok(config) => {
            let file = config.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
            (Mark::Good, format!("{file}: {}", words::count(config.agents.len() as u64, "role")))
        }
        Err(failure) => (Mark::Bad, failure.message),
    };
    Finding { mark, what: "settings", text }
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
    Finding { mark, what: "workflows", text }
}

fn model() -> Finding {
    let look = || -> Result<(Mark, String), Failure> {
        let agent = casting::ollama_by_default()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::failed(error.to_string()))?;
        Ok(match runtime.block_on(agent.probe()) {
            Err(failure) => (Mark::Warning, failure.message),
            Ok(probe) => match probe.missing {
                Some(missing) => (Mark::Warning, missing.message),
                None => {
                    let models = words::count(probe.models.len() as u64, "model");
                    let (server, model) = (&probe.server, &agent.settings().model);
                    let version = probe.version.unwrap_or_default();
                    (Mark::Good, format!("Ollama {version} at {server}, {models}, {model} among them, {} ms", probe.latency_ms))
                }
            },
        })
    };
    let (mark, text) = look().unwrap_or_else(|failure| (Mark::Bad, failure.message));
    Finding { mark, what: "model", text }
}
