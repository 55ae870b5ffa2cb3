//! Everything that was read, kept as it came: raw bytes by hash, their text beside them, and how both were had.
//! It fetches nothing and reads no page; dates are told to it.

mod files;
mod record;
mod warc;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use files::{ASSETS, UNREAD, asset, atomically, digest};
pub use record::{Access, DocumentId, Fault, Record};
pub use warc::NotExported;

use crate::extract::{Extracted, Kind};

/// What is kept of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub record: Record,
    pub text: String,
}

/// The documents of one run, or of one home.
#[derive(Debug)]
pub struct Archive {
    assets: PathBuf,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    records: BTreeMap<DocumentId, Record>,
    /// The newest document of a URL.
    by_url: BTreeMap<String, DocumentId>,
    faults: Vec<Fault>,
}

impl Archive {
    /// The archive under this folder, whose `assets/<type>/` it owns.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Self::of_assets(&folder.join(ASSETS))
    }

    /// The same by its `assets` folder, which somebody may have copied under another name.
    pub fn of_assets(assets: &Path) -> io::Result<Self> {
        let archive = Self { assets: assets.to_path_buf(), known: Mutex::default() };
        let mut known = Known::default();
        for path in files::sidecars(assets)? {
            match files::read_record(&path) {
                Ok(record) => known.insert(record),
                Err(fault) => known.faults.push(fault),
            }
        }
        *archive.lock() = known;
        Ok(archive)
    }

    /// Keeps a document. The same bytes from another place are the same document with one more address.
    pub fn keep(&self, bytes: &[u8], access: Access, extracted: &Extracted) -> io::Result<Document> {
        let sha256 = digest(bytes);
        let id = DocumentId::of(&sha256);
        let mut known = self.lock();
        let record = match known.records.get(&id).cloned() {
            Some(record) => record.reached_by(access),
            None => Record::new(id, sha256, bytes.len(), access, extracted),
        };
        // What is known and whole is not written again, and its text stays the one that was quoted from.
        if files::faults_of(&self.assets, &record).is_empty() {
            files::write_record(&self.assets, &record)?;
            known.insert(record.clone());
            return Ok(Document { text: self.text_of(&record)?, record });
        }
        let record = record.with_text(extracted);
        let raw = files::place(&self.assets, &record.raw_path);
        fs::create_dir_all(raw.parent().unwrap_or(&self.assets))?;
        atomically(&raw, bytes)?;
        atomically(&files::place(&self.assets, &record.text_path), extracted.text.as_bytes())?;
        // The sidecar comes last: what it names is there.
        files::write_record(&self.assets, &record)?;
        known.insert(record.clone());
        Ok(Document { record, text: extracted.text.clone() })
    }

    pub fn by_url(&self, url: &str) -> Option<Record> {
        let known = self.lock();
        known.records.get(known.by_url.get(&address(url))?).cloned()
    }

    /// By id, or by the whole hash.
    pub fn by_hash(&self, hash: &str) -> Option<Record> {
        let known = self.lock();
        let record = known.records.get(&DocumentId::of(hash))?;
        (hash.len() <= record.id.as_str().len() || record.sha256 == hash).then(|| record.clone())
    }

    /// The document of a URL that lies in this file. None: the file is another document's, or nobody's.
    pub fn by_url_and_file(&self, url: &str, file: &str) -> Option<Record> {
        let wanted = address(url);
        let reached = |record: &&Record| {
            record.accesses.iter().any(|access| [&access.url, &access.found_at].iter().any(|url| address(url) == wanted))
        };
        self.lock().records.values().find(|record| record.raw_path == file && reached(record)).cloned()
    }

    /// Whether a file is the archive's own, or a copy of what is: then it was read at the addresses of its record and nowhere else.
    pub fn owns(&self, file: &Path) -> bool {
        let Ok(file) = fs::canonicalize(file) else { return false };
        let is_it = |path: &str| fs::canonicalize(files::place(&self.assets, path)).is_ok_and(|own| own == file);
        let hash = fs::read(&file).map(|bytes| digest(&bytes)).unwrap_or_default();
        let owned = |record: &Record| {
            record.sha256 == hash
                || record.text_sha256 == hash
                || [&record.raw_path, &record.text_path, &record.sidecar_path()].into_iter().any(|path| is_it(path))
        };
        self.lock().records.values().any(owned)
    }

    pub fn records(&self) -> Vec<Record> {
        self.lock().records.values().cloned().collect()
    }

    /// Sidecars that could not be read when the archive was opened.
    pub fn faults(&self) -> Vec<Fault> {
        self.lock().faults.clone()
    }

    /// The document with its text; an error if the text is not the one that was kept.
    pub fn read(&self, id: &DocumentId) -> io::Result<Option<Document>> {
        let record = self.lock().records.get(id).cloned();
        record.map(|record| Ok(Document { text: self.text_of(&record)?, record })).transpose()
    }

    pub fn raw(&self, record: &Record) -> io::Result<Vec<u8>> {
        fs::read(files::place(&self.assets, &record.raw_path))
    }

    /// Hashes everything again, and tells what is missing or is not what it was.
    pub fn verify(&self) -> Vec<Fault> {
        let mut faults = self.faults();
        faults.extend(self.records().iter().flat_map(|record| files::faults_of(&self.assets, record)));
        faults
    }

    /// Writes every document as WARC 1.1, which other archives read.
    pub fn export_warc(&self, to: &mut impl io::Write, now_ms: u64) -> Result<usize, NotExported> {
        warc::export(self, to, now_ms)
    }

    fn text_of(&self, record: &Record) -> io::Result<String> {
        let text = fs::read_to_string(files::place(&self.assets, &record.text_path))?;
        match digest(text.as_bytes()) == record.text_sha256 {
            true => Ok(text),
            false => Err(io::Error::new(io::ErrorKind::InvalidData, format!("{} {}", record.text_path, files::CHANGED))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn insert(&mut self, record: Record) {
        for access in &record.accesses {
            for url in [&access.url, &access.found_at] {
                let newest =
                    self.by_url.get(&address(url)).and_then(|id| self.records.get(id)).and_then(|other| other.last_reached_ms(url));
                if newest.is_none_or(|newest| newest <= access.accessed_ms) {
                    self.by_url.insert(address(url), record.id.clone());
                }
            }
        }
        self.records.insert(record.id.clone(), record);
    }
}

/// One spelling per address: the part after `#` is the reader's, not the server's, and what would end a cell, a link or a line
/// wherever the address is printed is written as its bytes.
pub fn address(url: &str) -> String {
    match reqwest::Url::parse(url.trim()) {
        Ok(mut parsed) => {
            parsed.set_fragment(None);
            let (path, query) = (encoded(parsed.path()), parsed.query().map(encoded));
            parsed.set_path(&path);
            parsed.set_query(query.as_deref());
            parsed.to_string()
        }
        Err(_) => url.trim().to_string(),
    }
}

/// What parsing a URL leaves as it is although RFC 3986 allows it in no path and no query.
fn encoded(part: &str) -> String {
    let spelled = |letter: char| match letter {
        '|' | '\\' | '^' | '`' | '[' | ']' | '{' | '}' | '<' | '>' | '"' | ' ' => format!("%{:02X}", u32::from(letter)),
        letter => letter.to_string(),
    };
    part.chars().map(spelled).collect()
}

/// The folder under `assets` for a kind of document.
fn folder_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Html => "web",
        Kind::Pdf => "pdf",
        Kind::Feed | Kind::Json | Kind::Markdown | Kind::Text | Kind::Code => "data",
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        assert_eq!(address(url), expected);
        assert_eq!(address(expected), expected, "a spelling is its own");
    }

    #[test]
    fn an_address_has_one_spelling_in_which_nothing_ends_a_cell_a_link_or_a_line() {
        check("https://example.org/tunnel|x?a=b|c#top", "https://example.org/tunnel%7Cx?a=b%7Cc");
        check("https://example.org/a b/[c]{d}^`e`<f>\"g\"", "https://example.org/a%20b/%5Bc%5D%7Bd%7D%5E%60e%60%3Cf%3E%22g%22");
        check("https://example.org/q?x=[1] {2} `3`", "https://example.org/q?x=%5B1%5D%20%7B2%7D%20%603%60");
        check("file:///docs/a | b.md", "file:///docs/a%20%7C%20b.md");
    }

    #[test]
    fn what_an_address_says_is_not_changed_by_its_spelling() {
        check("http://[::1]:80/a%7cb", "http://[::1]/a%7cb");
        check("https://en.wikipedia.org/wiki/Arch_(bridge)?a=1&b=%20", "https://en.wikipedia.org/wiki/Arch_(bridge)?a=1&b=%20");
        check(" no address ", "no address");
    }
}
