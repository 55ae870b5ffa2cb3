//! A folder of sources as an archive: texts by path, by the address that they give themselves, and by the sidecar that the archive of a run keeps.
//! What has no text is named and left out; nothing is fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use motet_evidence::archive::{self, ASSETS, Fault, UNREAD};
use motet_evidence::extract::{Hints, Limits, decode, extract, own_addresses};
use motet_evidence::report::{Archive, Document};
use serde_json::Value;

use crate::cli::Failure;

#[derive(Debug, Default)]
pub struct Folder {
    pub archive: Archive,
    /// By path: why not.
    pub not_read: BTreeMap<String, String>,
    /// What is no longer as the archive of a run wrote it.
    pub faults: Vec<Fault>,
}

/// More than this is no page that a claim could be compared with.
const LARGEST_BYTES: u64 = 20_000_000;

/// What the archive of a run calls the text of a document; beside it lie the raw file and a sidecar of the same name.
const EXTRACTED: &str = ".extracted.md";

/// Every text under a folder, or one file.
pub fn read(path: &Path) -> Result<Folder, Failure> {
    let mut walk = Walk::default();
    if path.is_file() {
        walk.paths.insert(path.to_path_buf());
    } else {
        walk.collect(path).map_err(|error| {
            Failure::invalid(format!("{} cannot be read: {error}", path.display())).help("name a folder of texts with --sources DIR")
        })?;
    }
    let Walk { paths, mut not_read, .. } = walk;
    let (mut recorded, mut others) = (Vec::new(), Vec::new());
    for file in &paths {
        let shown = file.strip_prefix(path).unwrap_or(file).display().to_string();
        if paths.contains(&sibling(file, EXTRACTED)) && !file.to_string_lossy().ends_with(EXTRACTED) {
            continue;
        }
        match document(file, path) {
            Ok((document, true)) => recorded.push(document),
            Ok((document, false)) => others.push(document),
            Err(why) => drop(not_read.insert(shown, why)),
        }
    }
    // Of two documents with one address it belongs to the one of which it is known.
    Ok(Folder { archive: Archive::of(recorded.into_iter().chain(others)), not_read, faults: faults(path)? })
}

/// The folder may be the assets of a run, or the run's own folder; anything else has no sidecars, and nothing to compare with.
fn faults(path: &Path) -> Result<Vec<Fault>, Failure> {
    let mut faults = Vec::new();
    for assets in [path.to_path_buf(), path.join(ASSETS)].iter().filter(|assets| assets.is_dir()) {
        let archive = archive::Archive::of_assets(assets)
            .map_err(|error| Failure::failed(format!("the archive in {} cannot be read: {error}", assets.display())))?;
        faults.extend(archive.verify());
    }
    Ok(faults)
}

/// The text of one file; pages and papers are read as the archive of a run reads them.
pub fn text(path: &Path) -> Result<String, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is no ordinary file".to_string());
    }
    let length = about.len();
    if length > LARGEST_BYTES {
        return Err(format!("it has {length} bytes; at most {LARGEST_BYTES} are read"));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    // Plain text stays as it is, so that the places in a verdict are places in the file.
    if ["md", "markdown", "txt", "text", "rst", ""].contains(&ending.as_str()) && !bytes.contains(&0) {
        return Ok(String::from_utf8(bytes).unwrap_or_else(|not_utf8| decode(not_utf8.as_bytes(), None).text));
    }
    let hints = Hints::of_path(&path.display().to_string());
    extract(&bytes, &hints, &Limits::default()).map(|extracted| extracted.text).map_err(|why| why.to_string())
}

/// The files of a folder and of the folders in it, each folder once: a link may lead back, and twice to the same place.
#[derive(Default)]
struct Walk {
    paths: BTreeSet<PathBuf>,
    not_read: BTreeMap<String, String>,
    seen: BTreeSet<PathBuf>,
}

impl Walk {
    fn collect(&mut self, folder: &Path) -> std::io::Result<()> {
        if !self.seen.insert(folder.canonicalize()?) {
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            match fs::metadata(&path) {
                Ok(about) if about.is_dir() && name.starts_with('.') => {}
                Ok(about) if about.is_dir() => {
                    if let Err(error) = self.collect(&path) {
                        self.not_read.insert(path.display().to_string(), error.to_string());
                    }
                }
                Ok(_) if name == UNREAD => {}
                Ok(about) if about.is_file() => drop(self.paths.insert(path)),
                Ok(_) => drop(self.not_read.insert(path.display().to_string(), "it is no ordinary file".to_string())),
                Err(error) => drop(self.not_read.insert(path.display().to_string(), error.to_string())),
            }
        }
        Ok(())
    }
}

/// `a/b.html` and `a/b.extracted.md` with another ending after `b`.
fn sibling(file: &Path, ending: &str) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(EXTRACTED).or_else(|| name.rsplit_once('.').map(|(stem, _)| stem)).unwrap_or(&name);
    file.with_file_name(format!("{stem}{ending}"))
}

/// A document, and whether a sidecar says where it was read.
fn document(file: &Path, folder: &Path) -> Result<(Document, bool), String> {
    let text = text(file)?;
    let relative = file.strip_prefix(folder).unwrap_or(file);
    let is_extracted = file.to_string_lossy().ends_with(EXTRACTED);
    let known = if is_extracted { sidecar_names(&sibling(file, ".json")) } else { Vec::new() };
    // Where a sidecar says where a page was read, the page has no say in it.
    let is_recorded = !known.is_empty();
    let mut names = if is_recorded { known } else { page_addresses(file).into_iter().chain(front_matter_address(&text)).collect() };
    names.extend([relative.display().to_string(), file.display().to_string()]);
    if let Some(folder) = folder.file_name() {
        names.push(Path::new(folder).join(relative).display().to_string());
    }
    Ok((Document { names, text }, is_recorded))
}

/// What a saved page says of itself, which its text no longer shows.
fn page_addresses(file: &Path) -> Vec<String> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let is_page = ["html", "htm", "xhtml", "shtml"].contains(&ending.as_str());
    let bytes = is_page.then(|| fs::read(file).ok()).flatten().unwrap_or_default();
    own_addresses(&decode(&bytes, None).text)
}

/// `url: https://…` or `source: https://…` in the first lines.
fn front_matter_address(text: &str) -> Vec<String> {
    let lines = text.lines().take(12).filter_map(|line| line.split_once(':'));
    let named = lines.filter(|(name, _)| ["url", "source", "address"].contains(&name.trim().to_lowercase().as_str()));
    named.map(|(_, address)| address.trim().trim_matches(['"', '\'']).to_string()).filter(|address| address.starts_with("http")).collect()
}

/// Every address and name that a sidecar knows its document by.
fn sidecar_names(path: &Path) -> Vec<String> {
    let Some(sidecar) = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else { return Vec::new() };
    let accesses = sidecar["accesses"].as_array().map(Vec::as_slice).unwrap_or_default();
    let reached = accesses.iter().flat_map(|access| [&access["found_at"], &access["url"]]);
    let named = reached.chain([&sidecar["url"], &sidecar["id"], &sidecar["raw_path"], &sidecar["text_path"]]);
    named.filter_map(Value::as_str).map(str::to_string).collect()
}
