//! Keys out of what is read: neither a service that repeats the key it was sent, nor a page or a document that has one in it, may bring it
//! into a prompt, an archive, an index or a message. It knows the keys that it was given and guesses none.

use std::fmt;
use std::sync::Arc;

use crate::extract::{Extracted, Kind};
use crate::library::Services;
use crate::source::{Hit, Key, SearchOutcome};

const INSTEAD: &str = "[redacted]";

/// Bytes without the keys that whoever opens a library knows. None: there are none in them.
pub type Hide = dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync;

/// Cheap to clone.
#[derive(Clone, Default)]
pub struct Secrecy {
    hide: Option<Arc<Hide>>,
    keys: Vec<Key>,
}

impl fmt::Debug for Secrecy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Secrecy(…)")
    }
}

impl Secrecy {
    pub fn new(hide: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self { hide: Some(Arc::new(hide)), keys: Vec::new() }
    }

    /// The keys of these services are hidden too.
    pub fn and_of(mut self, services: &Services) -> Self {
        self.keys.extend(services.named.values().filter_map(|service| service.key.clone()));
        self
    }

    /// None: there is no key in it.
    pub fn without(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let hidden = self.hide.as_ref().and_then(|hide| hide(bytes));
        self.keys.iter().fold(hidden, |clean, key| key.replaced_in(clean.as_deref().unwrap_or(bytes), INSTEAD.as_bytes()).or(clean))
    }

    pub fn is_in(&self, text: &str) -> bool {
        self.without(text.as_bytes()).is_some()
    }

    pub fn text(&self, text: &str) -> String {
        self.without(text.as_bytes()).map_or_else(|| text.to_string(), |clean| String::from_utf8_lossy(&clean).into_owned())
    }

    /// What may be kept of bytes and of the text that was made of them. A key may stand in the text alone, where the bytes are packed or
    /// spell it otherwise; and bytes that are no text cannot be changed. Then the text is kept and the bytes are not.
    pub fn kept(&self, bytes: Vec<u8>, extracted: Extracted, again: impl FnOnce(&[u8]) -> Option<Extracted>) -> (Vec<u8>, Extracted) {
        let clean = self.without(&bytes);
        let of_clean = clean.as_deref().filter(|_| extracted.kind != Kind::Pdf).and_then(again);
        let is_clean = |extracted: &Extracted| !self.is_in_any(extracted);
        match (clean, of_clean.filter(is_clean)) {
            (None, _) if is_clean(&extracted) => (bytes, extracted),
            (Some(clean), Some(of_clean)) => {
                (clean, of_clean.noted("a key stood in it: what is kept, and hashed, has [redacted] in its place"))
            }
            _ => {
                let kept = Extracted { kind: Kind::Text, ..self.extracted(extracted) };
                let kept = kept.noted("a key stood in it: only its text is kept, and hashed, with [redacted] in the place of the key");
                (kept.text.clone().into_bytes(), kept)
            }
        }
    }

    fn extracted(&self, extracted: Extracted) -> Extracted {
        Extracted {
            text: self.text(&extracted.text),
            title: extracted.title.map(|title| self.text(&title)),
            authors: extracted.authors.iter().map(|author| self.text(author)).collect(),
            notes: extracted.notes.iter().map(|note| self.text(note)).collect(),
            ..extracted
        }
    }

    fn is_in_any(&self, extracted: &Extracted) -> bool {
        let Extracted { text, title, authors, notes, .. } = extracted;
        [text].into_iter().chain(title).chain(authors).chain(notes).any(|text| self.is_in(text))
    }

    /// What a search may tell. A hit whose address has a key in it cannot be read without telling it, and is left out.
    pub(crate) fn told(&self, outcome: SearchOutcome) -> SearchOutcome {
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
        [Some(&hit.url), hit.full_text_url.as_ref()].into_iter().flatten().any(|address| self.is_in(address))
    }

    fn cleaned(&self, hit: Hit) -> Hit {
        Hit {
            title: self.text(&hit.title),
            snippet: self.text(&hit.snippet),
            authors: hit.authors.iter().map(|author| self.text(author)).collect(),
            ..hit
        }
    }
}
