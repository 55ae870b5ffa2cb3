//! What this machine has that could play agents or find evidence: a model server, coding agents, keys. It looks, and starts nothing.
//! Whether any of it works, `motet doctor` finds out.

use std::path::PathBuf;

use motet_evidence::library::SERVICES;

use crate::casting::{self, ModelBinding};
use crate::config::{Config, KeyPlace, PRESETS};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Free,
    Paid,
}

/// Something that could play every agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// As it is written in the settings.
    pub backend: String,
    pub about: String,
    pub kind: Kind,
}

/// The model that is proposed where only a key was found: one that the list of prices knows.
const PROPOSED: [(&str, &str); 3] = [("anthropic", "claude-sonnet-4-5"), ("openai", "gpt-4.1"), ("gemini", "gemini-2.5-flash")];

/// What costs nothing comes first, then what is paid by tokens, then coding agents, then what always works.
pub fn detect(config: &Config) -> Vec<Found> {
    let mut found = Vec::new();
    found.extend(local_model(config));
    for (provider, model) in PROPOSED {
        if let Some(KeyPlace::Env(variable)) = config.providers.get(provider).and_then(|provider| provider.key.as_ref())
            && std::env::var(variable).is_ok_and(|key| !key.trim().is_empty())
        {
            found.push(Found { backend: format!("{provider}/{model}"), about: format!("{variable} is set"), kind: Kind::Paid });
        }
    }
    for preset in PRESETS {
        if let Some(path) = on_path(preset) {
            found.push(Found { backend: preset.into(), about: format!("a coding agent, {}", path.display()), kind: Kind::Paid });
        }
    }
    found.push(Found { backend: "offline".into(), about: "rules of the workflow, without any model".into(), kind: Kind::Free });
    found
}

fn local_model(config: &Config) -> Option<Found> {
    let provider = config.providers.get("ollama")?.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let binding = ModelBinding { provider, model: "any".into(), ..ModelBinding::default() };
    let probe = runtime.block_on(casting::probe(&binding)).ok()?;
    let model = probe.models.first()?;
    let about = format!("Ollama is running at {} with {}", probe.server, probe.models.join(", "));
    Some(Found { backend: format!("ollama/{model}"), about, kind: Kind::Free })
}

/// The search services whose keys are in the environment, each with the variable.
pub fn searchable() -> Vec<(&'static str, &'static str)> {
    let known = SERVICES.iter().filter(|service| service.needs_key).filter_map(|service| Some((service.name, service.key_variable?)));
    known.filter(|(_, variable)| std::env::var(variable).is_ok_and(|key| !key.trim().is_empty())).collect()
}

/// The program that a shell would start by this name.
pub fn on_path(program: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |path: &PathBuf| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(is_program);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(is_program)
}
