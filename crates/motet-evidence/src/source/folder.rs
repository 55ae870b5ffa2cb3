//! The user's own documents as a source: the best passages of an index, each with its file and its place in it.
//! It keeps the index up to date before it answers, and never leaves the machine.

use std::path::Path;
use std::sync::Arc;

use super::answer::finish;
use super::{Future, Hit, Query, SearchOutcome, Source, SourceKind};
use crate::archive::address;
use crate::index::Index;

pub struct Folder {
    name: String,
    index: Arc<Index>,
}

impl Folder {
    pub fn new(name: impl Into<String>, index: Arc<Index>) -> Self {
        Self { name: name.into(), index }
    }
}

impl Source for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Local
    }

    fn search<'a>(&'a self, query: &'a Query) -> Future<'a, SearchOutcome> {
        let (index, asked, name) = (self.index.clone(), query.clone(), self.name.clone());
        Box::pin(async move {
            let work = tokio::task::spawn_blocking(move || index.search(&asked.text, asked.limit));
            let found = match work.await {
                Ok(Ok(found)) => found,
                Ok(Err(error)) => return SearchOutcome::failed(error.to_string()),
                Err(_) => return SearchOutcome::failed("the search was stopped"),
            };
            let hits = found.into_iter().map(|passage| Hit {
                title: passage.title,
                snippet: passage.text,
                published: passage.published,
                span: Some(passage.span),
                ..Hit::new(&name, SourceKind::Local, file_url(&passage.path))
            });
            finish(query, hits.collect())
        })
    }
}

/// The `file:` URL of a path, spelled as the archive spells it.
pub(crate) fn file_url(path: &Path) -> String {
    let url = reqwest::Url::from_file_path(path).map_or_else(|()| format!("file://{}", path.display()), |url| url.to_string());
    address(&url)
}
