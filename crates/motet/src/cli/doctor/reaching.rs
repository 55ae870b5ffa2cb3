//! Everything that the settings name and that lies outside of this program: providers, servers of tools, programs, keys.
//! All of it is looked at at once, and none of it is asked to do any work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Finding, Mark, programs, tools};
use crate::casting::{self, ModelBinding};
use crate::cli::Failure;
use crate::config::{Config, KeyPlace, Origin, Player, Who};
use crate::progress::words;

/// How many models are named; a provider may have hundreds.
const MOST_NAMED: usize = 8;

pub fn findings(config: &Config, directory: &Path) -> Result<Vec<Finding>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("nothing can be reached from here: {error}")))?;
    let mut findings = key_files(config);
    let checks = async {
        let mut under_way = tokio::task::JoinSet::new();
        let mut order = 0;
        let mut spawn = |check: std::pin::Pin<Box<dyn Future<Output = Vec<Finding>> + Send>>| {
            let number = order;
            order += 1;
            under_way.spawn(async move { (number, check.await) });
        };
        for (what, named) in models(config) {
            spawn(Box::pin(async move { vec![provider(what, named).await] }));
        }
        for program in programs::named(config) {
            let directory = directory.to_path_buf();
            spawn(Box::pin(async move { vec![programs::look(program, &directory).await] }));
        }
        if !config.tools.is_empty() {
            let config = config.clone();
            spawn(Box::pin(async move { tools::findings(&config).await }));
        }
        let mut all = BTreeMap::new();
        while let Some(done) = under_way.join_next().await {
            if let Ok((number, found)) = done {
                all.insert(number, found);
            }
        }
        all.into_values().flatten().collect::<Vec<Finding>>()
    };
    findings.extend(runtime.block_on(checks));
    Ok(findings)
}

/// A model, or a provider of which no role names one.
struct Named {
    binding: ModelBinding,
    roles: BTreeSet<String>,
    /// Some role has nobody else who could play it.
    is_alone: bool,
}

impl Named {
    fn new(binding: ModelBinding) -> Self {
        Self { binding, roles: BTreeSet::new(), is_alone: false }
    }

    /// Without its key a run that needs it is not even started.
    fn mark(&self) -> Mark {
        let has_key = self.binding.provider.key.as_ref().is_none_or(|key| key.read(|name| std::env::var(name).ok()).is_ok());
        if self.is_alone && !has_key { Mark::Bad } else { Mark::Warning }
    }
}

/// Every model that some role names, and every provider that somebody has configured without naming a model of it yet.
fn models(config: &Config) -> BTreeMap<String, Named> {
    let mut named: BTreeMap<String, Named> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for (role, player) in &config.agents {
        for name in models_of(player) {
            let Some(provider) = config.providers.get(&name.provider) else { continue };
            used.insert(name.provider.clone());
            let binding = ModelBinding { provider: provider.clone(), model: name.model.clone(), ..ModelBinding::default() };
            let model = named.entry(name.to_string()).or_insert_with(|| Named::new(binding));
            model.roles.insert(role.clone());
            model.is_alone |= player.fallback.is_empty();
        }
    }
    for (name, provider) in config.providers.iter().filter(|(name, _)| !used.contains(*name)) {
        let settings = config.settings.of("providers", name).settings;
        if settings.values().any(|setting| setting.origin != Origin::Default) {
            let binding = ModelBinding { provider: provider.clone(), ..ModelBinding::default() };
            named.insert(name.clone(), Named::new(binding));
        }
    }
    named
}

fn models_of(player: &Player) -> impl Iterator<Item = &crate::config::ModelName> {
    player.who.iter().chain(&player.fallback).filter_map(|who| match who {
        Who::Model(name) => Some(name),
        _ => None,
    })
}

async fn provider(what: String, mut named: Named) -> Finding {
    let is_named = !named.binding.model.is_empty();
    if !is_named {
        named.binding.model = "any".into();
    }
    let roles: Vec<&str> = named.roles.iter().map(String::as_str).collect();
    let plays = if roles.is_empty() { String::new() } else { format!("; plays {}", roles.join(", ")) };
    match casting::probe(&named.binding).await {
        Err(failure) => Finding::new(what, named.mark(), format!("{}{plays}", failure.message)),
        Ok(probe) => match probe.missing.filter(|_| is_named) {
            Some(missing) => Finding::new(what, Mark::Warning, format!("{}{plays}", missing.message)),
            None => {
                let mut models: Vec<&str> = probe.models.iter().take(MOST_NAMED).map(String::as_str).collect();
                if probe.models.len() > MOST_NAMED {
                    models.push("…");
                }
                let count = words::count(probe.models.len() as u64, "model");
                // A server may list its models to anybody, and let nobody in who asks one of them.
                let text = format!(
                    "{} lists {count} in {} ms and was not asked to answer: {}{plays}",
                    probe.server,
                    probe.latency_ms,
                    models.join(", ")
                );
                Finding::new(what, Mark::Good, text)
            }
        },
    }
}

/// Keys in files, which others may be able to read.
fn key_files(config: &Config) -> Vec<Finding> {
    let files = config.providers.iter().filter_map(|(name, provider)| match &provider.key {
        Some(place @ KeyPlace::File(path)) => Some((name, place, path)),
        _ => None,
    });
    let found = files.map(|(name, place, path)| match place.read(|_| None) {
        Ok(_) => Finding::new(format!("key of {name}"), Mark::Good, format!("{}, for you alone", path.display())),
        Err(why) => Finding::new(format!("key of {name}"), Mark::Warning, why),
    });
    found.collect()
}
