//! Keeps the abstract of a work whose text nobody would give us, as the source that found it gave it.
//! It is filed under the address of the work, for that is what it speaks of, and says of itself that it is no more than an abstract.

use super::Library;
use crate::archive::{Access, Document, Record, address};
use crate::extract::{Extracted, Kind};
use crate::source::Hit;

/// Less than this is a label and says nothing that could be quoted.
const SHORTEST: usize = 80;

impl Library {
    /// None: there is no abstract, or it could not be archived.
    pub fn keep_abstract(&self, hit: &Hit) -> Option<Document> {
        let words = hit.snippet.trim();
        if words.chars().count() < SHORTEST || hit.url.is_empty() {
            return None;
        }
        let source = &hit.source;
        let extracted = Extracted {
            kind: Kind::Text,
            text: words.to_string(),
            title: Some(format!("{} (abstract, as {source} gives it)", hit.label())),
            authors: hit.authors.clone(),
            published: hit.published.clone(),
            extractor: format!("{}{source}", Record::ABSTRACT),
            notes: vec![format!("only the abstract, as {source} gives it: the work itself could not be read")],
            ..Extracted::default()
        };
        let place = address(&hit.url);
        // It did not come from there, so there are no headers to tell.
        let access = Access { url: place.clone(), found_at: place, status: 200, headers: Vec::new(), accessed_ms: self.clock.now_ms() };
        self.archive.keep(words.as_bytes(), access, &extracted).ok()
    }
}
