//! Where a run may look for evidence: decided when it starts, kept with it, and made into sources whenever it is driven.
//! Keys are not kept: they are read again from where the settings say they are.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use motet_agents::Secret;
use motet_evidence::fetch::{DomainPolicy, Domains, FetchSettings, Pace, Reach};
use motet_evidence::library::{SERVICES, Service, Services};
use motet_evidence::source::{Custom, Key, SearchOutcome, Source, SourceKind};
use serde::{Deserialize, Serialize};

use crate::config::{EVERYWHERE, KeptService, Sources, usual};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// The user's own folders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<PathBuf>,
    /// The public services that need no key, and pages by their address.
    #[serde(skip_serializing_if = "is_false")]
    pub web: bool,
    /// What the settings add.
    #[serde(skip_serializing_if = "is_nothing")]
    pub sources: Sources,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_nothing(sources: &Sources) -> bool {
    *sources == Sources::default()
}

impl Evidence {
    /// Whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && !self.reaches_out()
    }

    /// Whether a request may leave the machine.
    pub fn reaches_out(&self) -> bool {
        self.web || self.sources.reach_out()
    }

    /// The search tools, each with the name of the argument that takes the question.
    pub fn tools(&self) -> &BTreeMap<String, String> {
        &self.sources.tools
    }

    /// Everything secret that can be read now.
    pub fn secrets(&self) -> Vec<Secret> {
        self.kept().iter().filter_map(|(name, service)| service.key(name).ok().flatten()).collect()
    }

    /// The services whose keys cannot be had, each with the reason.
    pub fn without_key(&self) -> Vec<String> {
        let missing =
            self.kept().into_iter().filter_map(|(name, service)| Some(format!("{name} needs a key: {}", service.key(&name).err()?)));
        missing.collect()
    }

    fn kept(&self) -> BTreeMap<String, KeptService> {
        let mut kept = self.sources.services.clone();
        for service in SERVICES.iter().filter(|service| self.web && service.is_open_to_all()) {
            kept.entry(service.name.to_string()).or_insert_with(|| usual(service));
        }
        kept
    }

    /// The services with their keys; and for one whose key cannot be had, a source that says so.
    pub fn services(&self) -> (Services, Vec<Arc<dyn Source>>) {
        let mut services = Services { feeds: self.sources.feeds.clone(), mail: self.sources.mail.clone(), ..Services::default() };
        let mut silent: Vec<Arc<dyn Source>> = Vec::new();
        for (name, kept) in self.kept() {
            match kept.key(&name) {
                Ok(key) => {
                    let key = key.map(|key| Key::new(key.reveal()));
                    services.named.insert(name, Service { url: kept.url, key });
                }
                Err(reason) => silent.push(Arc::new(Custom::new(name, SourceKind::Web, move |_| {
                    let reason = reason.clone();
                    async move { SearchOutcome::NotConfigured { reason } }
                }))),
            }
        }
        (services, silent)
    }

    /// How the network is approached.
    pub fn fetching(&self) -> Result<FetchSettings, String> {
        let (sources, usual) = (&self.sources, FetchSettings::default());
        let domains = |entries: &[String]| Domains::read(entries).map_err(|wrong| wrong.to_string());
        let reach = match sources.private.iter().any(|place| place == EVERYWHERE) {
            true => Reach::everywhere(),
            false => Reach::public_and(&sources.private),
        };
        let at_once = sources.per_host.and_then(|count| usize::try_from(count).ok()).unwrap_or(usual.pace.at_once);
        Ok(FetchSettings {
            reach,
            domains: DomainPolicy { allow: domains(&sources.allow)?, deny: domains(&sources.deny)? },
            pace: Pace::new(at_once, sources.interval_ms.unwrap_or(usual.pace.interval_ms)),
            timeout_ms: sources.timeout_ms.unwrap_or(usual.timeout_ms),
            proxy: sources.proxy.clone(),
            // What a report says was accessed today was asked about today.
            fresh_for_ms: 0,
            ..usual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Overrides, Surroundings};
    use crate::scratch::Scratch;

    #[test]
    fn the_network_is_approached_as_the_settings_say() {
        let scratch = Scratch::new();
        let text = "[sources]\nallow = ['example.org']\ndeny = ['bad.example.org']\nper_host = 7\ninterval = '3s'\ntimeout = '9s'\n\
                    proxy = 'http://proxy:3128'\n";
        scratch.write("motet.toml", text);
        let around = Surroundings { directory: scratch.path().into(), variables: BTreeMap::new() };
        let sources = Config::load(&around, &Overrides::default()).unwrap().sources;
        let settings = Evidence { sources, ..Evidence::default() }.fetching().unwrap();
        assert_eq!((settings.pace.at_once, settings.pace.interval_ms, settings.timeout_ms), (7, 3000, 9000));
        assert_eq!(settings.proxy.as_deref(), Some("http://proxy:3128"));
        let usual = Evidence::default().fetching().unwrap();
        assert!(usual.pace.at_once != 7 && usual.proxy.is_none());
    }
}
