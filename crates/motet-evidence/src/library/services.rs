//! The services that are searched: one table of what is known of each, and settings by name. Adding one is a row of the table.
//! None is asked that is not named in the settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Url;

use crate::fetch::Fetcher;
use crate::source::{
    Arxiv, Brave, Crossref, Feeds, Gdelt, Key, OpenAlex, Pages, Searxng, SemanticScholar, Source, Tavily, Wikipedia, base_url,
};

/// What is known of a service before anybody has said anything about it.
pub struct Known {
    pub name: &'static str,
    /// The variable that usually holds its key, if it takes one.
    pub key_variable: Option<&'static str>,
    /// Whether it answers nobody without a key.
    pub needs_key: bool,
    /// Its own address; none if everybody has one of their own.
    base: Option<&'static str>,
    open: fn(Opening) -> Arc<dyn Source>,
}

struct Opening {
    base: Url,
    key: Option<Key>,
    mail: Option<String>,
    fetcher: Arc<Fetcher>,
}

impl Known {
    /// Whether anybody may ask it, without a key and without a server of one's own.
    pub fn is_open_to_all(&self) -> bool {
        !self.needs_key && self.base.is_some()
    }
}

/// In the order in which they are asked and their hits are listed.
pub const SERVICES: [Known; 9] = [
    Known {
        name: "searxng",
        key_variable: None,
        needs_key: false,
        base: None,
        open: |Opening { base, fetcher, .. }| Arc::new(Searxng { base, fetcher }),
    },
    Known {
        name: "brave",
        key_variable: Some("BRAVE_API_KEY"),
        needs_key: true,
        base: Some(Brave::BASE),
        open: |Opening { base, key, fetcher, .. }| Arc::new(Brave { base, key, fetcher }),
    },
    Known {
        name: "tavily",
        key_variable: Some("TAVILY_API_KEY"),
        needs_key: true,
        base: Some(Tavily::BASE),
        open: |Opening { base, key, fetcher, .. }| Arc::new(Tavily { base, key, fetcher }),
    },
    Known {
        name: "wikipedia",
        key_variable: None,
        needs_key: false,
        base: Some(Wikipedia::BASE),
        open: |Opening { base, fetcher, .. }| Arc::new(Wikipedia { base, fetcher }),
    },
    Known {
        name: "arxiv",
        key_variable: None,
        needs_key: false,
        base: Some(Arxiv::BASE),
        open: |Opening { base, fetcher, .. }| Arc::new(Arxiv { base, fetcher }),
    },
    Known {
        name: "openalex",
        key_variable: Some("OPENALEX_API_KEY"),
        needs_key: false,
        base: Some(OpenAlex::BASE),
        open: |Opening { base, key, mail, fetcher }| Arc::new(OpenAlex { base, key, mail, fetcher }),
    },
    Known {
        name: "semantic_scholar",
        key_variable: Some("SEMANTIC_SCHOLAR_API_KEY"),
        needs_key: false,
        base: Some(SemanticScholar::BASE),
        open: |Opening { base, key, fetcher, .. }| Arc::new(SemanticScholar { base, key, fetcher }),
    },
    Known {
        name: "crossref",
        key_variable: None,
        needs_key: false,
        base: Some(Crossref::BASE),
        open: |Opening { base, mail, fetcher, .. }| Arc::new(Crossref { base, mail, fetcher }),
    },
    Known {
        name: "gdelt",
        key_variable: None,
        needs_key: false,
        base: Some(Gdelt::BASE),
        open: |Opening { base, fetcher, .. }| Arc::new(Gdelt { base, fetcher }),
    },
];

/// One service: its own address unless another is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    pub url: Option<String>,
    /// Handed over by the program, which has it from the environment or a file of its own.
    pub key: Option<Key>,
}

impl Service {
    /// Without a key, at an address of one's own.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), key: None }
    }
}

/// Which services there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Services {
    /// By the names of the table. Others, which a later version may know, are passed over.
    pub named: BTreeMap<String, Service>,
    pub feeds: Vec<String>,
    /// Told to services that ask for it, so that they can complain before they block.
    pub mail: Option<String>,
}

impl Services {
    pub fn of<const COUNT: usize>(named: [(&str, Service); COUNT]) -> Self {
        Self { named: named.map(|(name, service)| (name.to_string(), service)).into(), ..Self::default() }
    }

    /// Every service, and before them the pages that a question names itself.
    pub(super) fn sources(&self, fetcher: &Arc<Fetcher>) -> Result<Vec<Arc<dyn Source>>, String> {
        let mut sources: Vec<Arc<dyn Source>> = vec![Arc::new(Pages)];
        sources.extend(self.searched(fetcher)?);
        Ok(sources)
    }

    pub(super) fn searched(&self, fetcher: &Arc<Fetcher>) -> Result<Vec<Arc<dyn Source>>, String> {
        let mut sources: Vec<Arc<dyn Source>> = Vec::new();
        for known in &SERVICES {
            let Some(service) = self.named.get(known.name) else { continue };
            let address = service.url.as_deref().or(known.base);
            let address =
                address.ok_or_else(|| format!("{} needs the address of an instance, like https://search.example.org", known.name))?;
            let base = base_url(known.name, address)?;
            sources.push((known.open)(Opening { base, key: service.key.clone(), mail: self.mail.clone(), fetcher: fetcher.clone() }));
        }
        if !self.feeds.is_empty() {
            sources.push(Arc::new(Feeds::new(self.feeds.clone(), fetcher.clone())));
        }
        Ok(sources)
    }
}
