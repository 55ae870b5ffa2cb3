//! Keys out of what services say: one that repeats the key it was sent must not bring it into a prompt, an archive or a message.
//! It knows the keys of this library and guesses none.

use super::Services;
use crate::source::{Hit, Key, SearchOutcome};

const INSTEAD: &str = "[redacted]";

#[derive(Default)]
pub(super) struct Secrecy {
    keys: Vec<Key>,
}

impl Secrecy {
    pub(super) fn of(services: &Services) -> Self {
        Self { keys: services.named.values().filter_map(|service| service.key.clone()).collect() }
    }

    /// The same without any key. A hit whose address has one cannot be read without telling it, and is left out.
    pub(super) fn kept(&self, outcome: SearchOutcome) -> SearchOutcome {
        if self.keys.is_empty() {
            return outcome;
        }
        match outcome {
            SearchOutcome::Hits { hits } => {
                let found = hits.len();
                let hits: Vec<Hit> = hits.into_iter().filter(|hit| !self.tells(hit)).map(|hit| self.cleaned(hit)).collect();
                match hits.is_empty() {
                    true => SearchOutcome::NoHits { note: Some(format!("{found} were found, all at addresses with a key in them")) },
                    false => SearchOutcome::Hits { hits },
                }
            }
            SearchOutcome::NoHits { note } => SearchOutcome::NoHits { note: note.map(|note| self.text(&note)) },
            SearchOutcome::Blocked { reason } => SearchOutcome::Blocked { reason: self.text(&reason) },
            SearchOutcome::NotConfigured { reason } => SearchOutcome::NotConfigured { reason: self.text(&reason) },
            SearchOutcome::Failed { reason } => SearchOutcome::Failed { reason: self.text(&reason) },
            limited @ SearchOutcome::RateLimited { .. } => limited,
        }
    }

    fn tells(&self, hit: &Hit) -> bool {
        let addresses = || [Some(&hit.url), hit.full_text_url.as_ref()].into_iter().flatten();
        self.keys.iter().any(|key| addresses().any(|address| key.is_in(address)))
    }

    fn cleaned(&self, hit: Hit) -> Hit {
        Hit {
            title: self.text(&hit.title),
            snippet: self.text(&hit.snippet),
            authors: hit.authors.iter().map(|author| self.text(author)).collect(),
            ..hit
        }
    }

    fn text(&self, text: &str) -> String {
        self.keys.iter().fold(text.to_string(), |text, key| key.replaced_in(&text, INSTEAD))
    }
}
