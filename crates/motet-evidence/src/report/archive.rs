//! The texts that a report may rest on, found by address, file name or id.
//! It holds texts that somebody else has read; it opens no file and fetches nothing.

use std::collections::BTreeMap;

use crate::claim::Page;
use crate::fact::{is_address, plain_address};

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

    /// The document that a word between others names by its address, its path or its file with the ending: `v2.0` is no `v2.md`.
    pub fn find_file(&self, word: &str) -> Option<usize> {
        let keys = if word.contains(['.', '/']) { exact_keys(word) } else { Vec::new() };
        keys.iter().find_map(|key| self.by_name.get(key)).copied()
    }

    pub fn page(&self, place: usize) -> &Page {
        &self.documents[place].1
    }

    pub fn document(&self, place: usize) -> &Document {
        &self.documents[place].0
    }
}

/// What a name is looked up by, the most exact first.
fn keys(name: &str) -> Vec<String> {
    let mut keys = exact_keys(name);
    if is_local(name) {
        keys.extend(keys.last().and_then(|file| file.rsplit_once('.')).map(|(stem, _)| stem.to_string()).filter(|stem| !stem.is_empty()));
    }
    keys
}

/// An address is looked up as it is; only local names go by their last part as well: two sites may both have an `index.html`.
fn exact_keys(name: &str) -> Vec<String> {
    let mut keys = vec![plain_address(name)];
    if !is_address(name) {
        keys.push(name.trim().trim_start_matches("./").to_lowercase());
    }
    if is_local(name) {
        keys.extend(keys.last().and_then(|local| local.rsplit(['/', '\\']).next()).map(str::to_string));
    }
    keys.retain(|key| !key.is_empty());
    keys
}

/// Whether no part of it can be a host: `invented.example/bridge.md` may be a page, and is a file only if it is there under that very path.
fn is_local(name: &str) -> bool {
    let name = name.trim().trim_start_matches("./");
    let could_be_host =
        |first: &str| first.rsplit_once('.').is_some_and(|(_, last)| last.len() >= 2 && last.chars().all(char::is_alphabetic));
    !is_address(name) && !name.split_once('/').is_some_and(|(first, _)| could_be_host(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_by_its_name_and_a_page_only_by_its_whole_address() {
        let of = |name: &str| Document { names: vec![name.into()], text: "The bridge was opened in 1932.".into() };
        let archive = Archive::of([of("sources/bridge.md"), of("https://de.example/wiki/K%C3%B6lner_Br%C3%BCcke"), of("2.txt")]);
        for (name, place) in [
            ("bridge.md", Some(0)),
            ("./sources/bridge.md", Some(0)),
            ("bridge", Some(0)),
            ("bridge.html", Some(0)),
            ("https://invented.example/bridge.md", None),
            ("www.invented.example/2024/bridge.md", None),
            ("WWW.invented.example/bridge.html", None),
            ("//invented.example/bridge.html", None),
            ("invented.example/bridge.md", None),
            ("//de.example/wiki/Kölner_Brücke", Some(1)),
            ("www.de.example/wiki/K%c3%b6lner_Brücke", Some(1)),
        ] {
            assert_eq!(archive.find(name), place, "{name}");
        }
        for (word, place) in [("2.txt", Some(2)), ("2", None), ("bridge.md", Some(0)), ("bridge.html", None), ("2.0", None)] {
            assert_eq!(archive.find_file(word), place, "{word}");
        }
    }
}
