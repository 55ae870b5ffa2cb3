//! The texts behind registered sources: from the archive of the run, or, where there is none, the words that facts quote from them.
//! It reads below `assets/` and nowhere else, whatever a source calls its file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::given::{Fact, Registry, Source};
use crate::archive::{self, ASSETS, asset};
use crate::extract::{Hints, Limits, extract};
use crate::report::{Archive, Document};

pub struct Shelf {
    /// By the address of the source.
    texts: BTreeMap<String, String>,
    /// The archived files that facts name and that are there. None: there is no archive.
    files: Option<BTreeSet<String>>,
}

impl Shelf {
    /// A run whose agents archived nothing, or a fork of one, has no archive.
    pub fn of(facts: &[Fact], sources: &[Source], run_directory: Option<&Path>) -> Result<Self, String> {
        match run_directory.filter(|directory| directory.join(ASSETS).is_dir()) {
            Some(directory) => Self::archived(facts, sources, directory),
            None => Ok(Self { texts: quoted(facts, sources), files: None }),
        }
    }

    fn archived(facts: &[Fact], sources: &[Source], directory: &Path) -> Result<Self, String> {
        let archive = archive::Archive::open(directory).map_err(|error| format!("the archive of the run cannot be read: {error}"))?;
        let mut texts = BTreeMap::new();
        for source in sources.iter().filter(|source| !source.url.is_empty()) {
            // What was read elsewhere says nothing of this address, whatever file its source names.
            let record = archive.by_url_and_file(source.url, source.local_path).or_else(|| archive.by_url(source.url));
            let text = match record {
                // A text that was changed since it was kept bears out nothing.
                Some(record) => archive.read(&record.id).ok().flatten().map(|document| document.text),
                None => own_file(source, facts, directory, &archive),
            };
            texts.extend(text.map(|text| (source.url.to_string(), text)));
        }
        let files = facts.iter().map(|fact| fact.raw_file).filter(|file| asset(directory, file).is_some());
        Ok(Self { texts, files: Some(files.map(str::to_string).collect()) })
    }

    pub fn is_archive(&self) -> bool {
        self.files.is_some()
    }

    /// What verdicts were reached on, in one word.
    pub fn word(&self) -> &'static str {
        if self.is_archive() { "archive" } else { "quotations" }
    }

    pub fn text(&self, source: &Source) -> Option<&str> {
        self.texts.get(source.url).map(String::as_str)
    }

    /// Whether a file that a fact names can be opened; without an archive nobody can tell.
    pub fn lacks(&self, file: &str) -> bool {
        self.files.as_ref().is_some_and(|files| !files.contains(file))
    }

    /// The same texts as a report is verified against.
    pub fn documents(&self, sources: &[Source]) -> Archive {
        let named = |source: &Source| [source.url, source.id, source.local_path].map(str::to_string).to_vec();
        Archive::of(sources.iter().filter_map(|source| {
            let names = named(source).into_iter().filter(|name| !name.is_empty()).collect();
            Some(Document { names, text: self.text(source)?.to_string() })
        }))
    }
}

fn quoted(facts: &[Fact], sources: &[Source]) -> BTreeMap<String, String> {
    let registry = Registry::of(sources);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for fact in facts {
        for source in registry.behind(&fact.own) {
            let text = texts.entry(source.url.to_string()).or_default();
            text.push_str(fact.words());
            text.push_str("\n\n");
        }
    }
    texts
}

/// What an agent saved among the assets by itself has no record there, only a name.
fn own_file(source: &Source, facts: &[Fact], directory: &Path, archive: &archive::Archive) -> Option<String> {
    let named = facts.iter().filter(|fact| fact.own.first() == Some(&source.url)).map(|fact| fact.raw_file);
    let limits = Limits::default();
    let is_small = |path: &PathBuf| fs::metadata(path).is_ok_and(|about| about.len() <= limits.max_bytes);
    let mut files = std::iter::once(source.local_path).chain(named).filter_map(|file| asset(directory, file)).filter(is_small);
    let path = files.find(|path| !archive.owns(path))?;
    let bytes = fs::read(&path).ok()?;
    let hints = Hints { content_type: None, url: Some(format!("file://{}", path.display())) };
    extract(&bytes, &hints, &limits).ok().map(|extracted| extracted.text)
}
