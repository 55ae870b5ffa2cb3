//! The services that are searched, as settings: those that need nothing can be switched on, those with a key need the key.
//! None is asked that is not named here.

use std::sync::Arc;

use serde::Deserialize;

use crate::fetch::Fetcher;
use crate::source::{
    Arxiv, Brave, Crossref, Feeds, Gdelt, Key, OpenAlex, Pages, Searxng, SemanticScholar, Source, Tavily, Wikipedia, base_url,
};

/// One service: its own address unless another is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Service {
    pub url: Option<String>,
    /// Handed over by the program, which has it from the environment or a file of its own.
    #[serde(skip)]
    pub key: Option<Key>,
}

/// Which services there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Services {
    pub searxng: Option<Service>,
    pub brave: Option<Service>,
    pub tavily: Option<Service>,
    pub arxiv: Option<Service>,
    pub openalex: Option<Service>,
    pub semantic_scholar: Option<Service>,
    pub crossref: Option<Service>,
    pub wikipedia: Option<Service>,
    pub gdelt: Option<Service>,
    pub feeds: Vec<String>,
    /// Told to services that ask for it, so that they can complain before they block.
    pub mail: Option<String>,
}

impl Services {
    /// Everything that needs neither a key nor a server of one's own.
    pub fn keyless() -> Self {
        let on = || Some(Service::default());
        Self { arxiv: on(), openalex: on(), semantic_scholar: on(), crossref: on(), wikipedia: on(), gdelt: on(), ..Self::default() }
    }

    /// Every service, and before them the pages that a question names itself.
    pub(super) fn sources(&self, fetcher: &Arc<Fetcher>) -> Result<Vec<Arc<dyn Source>>, String> {
        let mut sources: Vec<Arc<dyn Source>> = vec![Arc::new(Pages)];
        sources.extend(self.searched(fetcher)?);
        Ok(sources)
    }

    pub(super) fn searched(&self, fetcher: &Arc<Fetcher>) -> Result<Vec<Arc<dyn Source>>, String> {
        let mut sources: Vec<Arc<dyn Source>> = Vec::new();
        let at = |name: &str, service: &Service, own: &str| base_url(name, service.url.as_deref().unwrap_or(own));
        let fetcher = || fetcher.clone();
        if let Some(service) = &self.searxng {
            // There is no SearXNG but one's own.
            let address = service.url.as_deref().ok_or("searxng needs the address of an instance, like https://search.example.org")?;
            sources.push(Arc::new(Searxng { base: base_url("searxng", address)?, fetcher: fetcher() }));
        }
        if let Some(service) = &self.brave {
            sources.push(Arc::new(Brave { base: at("brave", service, Brave::BASE)?, key: service.key.clone(), fetcher: fetcher() }));
        }
        if let Some(service) = &self.tavily {
            sources.push(Arc::new(Tavily { base: at("tavily", service, Tavily::BASE)?, key: service.key.clone(), fetcher: fetcher() }));
        }
        if let Some(service) = &self.wikipedia {
            sources.push(Arc::new(Wikipedia { base: at("wikipedia", service, Wikipedia::BASE)?, fetcher: fetcher() }));
        }
        if let Some(service) = &self.arxiv {
            sources.push(Arc::new(Arxiv { base: at("arxiv", service, Arxiv::BASE)?, fetcher: fetcher() }));
        }
        if let Some(service) = &self.openalex {
            sources.push(Arc::new(OpenAlex {
                base: at("openalex", service, OpenAlex::BASE)?,
                mail: self.mail.clone(),
                fetcher: fetcher(),
            }));
        }
        if let Some(service) = &self.semantic_scholar {
            let base = at("semantic-scholar", service, SemanticScholar::BASE)?;
            sources.push(Arc::new(SemanticScholar { base, key: service.key.clone(), fetcher: fetcher() }));
        }
        if let Some(service) = &self.crossref {
            sources.push(Arc::new(Crossref {
                base: at("crossref", service, Crossref::BASE)?,
                mail: self.mail.clone(),
                fetcher: fetcher(),
            }));
        }
        if let Some(service) = &self.gdelt {
            sources.push(Arc::new(Gdelt { base: at("gdelt", service, Gdelt::BASE)?, fetcher: fetcher() }));
        }
        if !self.feeds.is_empty() {
            sources.push(Arc::new(Feeds { urls: self.feeds.clone(), fetcher: fetcher() }));
        }
        Ok(sources)
    }
}
