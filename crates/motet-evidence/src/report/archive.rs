//! The texts that a report may rest on, found by address, file name or id.
//! It holds texts that somebody else has read; it opens no file and fetches nothing.

use std::collections::BTreeMap;

use crate::claim::Page;
use crate::fact::plain_address;

/// One source: every name it goes by (address, path, file name, id), and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub names: Vec<String>,
    pub text: String,
}

/// Documents with their names, each read once.
#[derive(Debug, Default)]
pub struct Archive {
    documents: Vec<(Document, Page)>,
    by_name: BTreeMap<String, usize>,
}

impl Archive {
    pub fn of(documents: impl IntoIterator<Item = Document>) -> Self {
        let mut archive = Self::default();
        for document in documents {
            let place = archive.documents.len();
            for name in &document.names {
                for key in keys(name) {
                    archive.by_name.entry(key).or_insert(place);
                }
            }
            let page = Page::of(&document.text);
            archive.documents.push((document, page));
        }
        archive
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// The document that an address, a path or an id leads to.
    pub fn find(&self, name: &str) -> Option<usize> {
        keys(name).iter().find_map(|key| self.by_name.get(key)).copied()
    }

    pub fn page(&self, place: usize) -> &Page {
        &self.documents[place].1
    }

    pub fn document(&self, place: usize) -> &Document {
        &self.documents[place].0
    }

    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter().map(|(document, _)| document)
    }
}

/// What a name is looked up by, the most exact first. Only local names go by their last part: two sites may both have an `index.html`.
fn keys(name: &str) -> Vec<String> {
    let mut keys = vec![plain_address(name)];
    if !name.contains("://") {
        let local = name.trim().trim_start_matches("./").to_lowercase();
        let file = local.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
        let stem = file.rsplit_once('.').map_or(file.clone(), |(stem, _)| stem.to_string());
        keys.extend([local, file, stem]);
    }
    keys.retain(|key| !key.is_empty());
    keys
}
