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
        for (what, binding, roles) in models(config) {
            spawn(Box::pin(async move { vec![provider(what, binding, roles).await] }));
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

/// Every model that some role names, and every provider that somebody has configured without naming a model of it yet.
fn models(config: &Config) -> Vec<(String, ModelBinding, Vec<String>)> {
    let mut named: BTreeMap<String, (ModelBinding, BTreeSet<String>)> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for (role, player) in &config.agents {
        for name in models_of(player) {
            let Some(provider) = config.providers.get(&name.provider) else { continue };
            used.insert(name.provider.clone());
            let binding = ModelBinding { provider: provider.clone(), model: name.model.clone(), ..ModelBinding::default() };
            named.entry(name.to_string()).or_insert_with(|| (binding, BTreeSet::new())).1.insert(role.clone());
        }
    }
    for (name, provider) in config.providers.iter().filter(|(name, _)| !used.contains(*name)) {
        let settings = config.settings.of("providers", name).settings;
        if settings.values().any(|setting| setting.origin != Origin::Default) {
            let binding = ModelBinding { provider: provider.clone(), ..ModelBinding::default() };
            named.insert(name.clone(), (binding, BTreeSet::new()));
        }
    }
    named.into_iter().map(|(what, (binding, roles))| (what, binding, roles.into_iter().collect())).collect()
}

fn models_of(player: &Player) -> impl Iterator<Item = &crate::config::ModelName> {
    player.who.iter().chain(&player.fallback).filter_map(|who| match who {
        Who::Model(name) => Some(name),
        _ => None,
    })
}

async fn provider(what: String, mut binding: ModelBinding, roles: Vec<String>) -> Finding {
    let is_named = !binding.model.is_empty();
    if !is_named {
        binding.model = "any".into();
    }
    let plays = if roles.is_empty() { String::new() } else { format!("; plays {}", roles.join(", ")) };
    match casting::probe(&binding).await {
        Err(failure) => Finding::new(what, Mark::Warning, format!("{}{plays}", failure.message)),
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
