//! The archive's files: written whole or not at all, read with suspicion.
//! It knows where things lie and nothing of what they mean.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::record::{DocumentId, Fault, Record};

pub(super) const CHANGED: &str = "was changed: its hash is not the one that was recorded";

/// The folder below a run's own in which the archive lies.
pub const ASSETS: &str = "assets";

/// The file there that tells which pages brought nothing. It is no document.
pub const UNREAD: &str = "unread.json";

/// A file below the run's [`ASSETS`], links resolved, and no other.
pub fn asset(run_directory: &Path, file: &str) -> Option<PathBuf> {
    let assets = run_directory.join(ASSETS).canonicalize().ok()?;
    run_directory.join(file).canonicalize().ok().filter(|path| path.starts_with(&assets) && path.is_file())
}

/// SHA-256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes beside the file, then renames: whoever reads it sees the old or the new, never half.
pub fn atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_data()
    });
    written.and_then(|()| fs::rename(&part, path)).inspect_err(|_| drop(fs::remove_file(&part)))
}

/// Every sidecar under `assets/<type>/`.
pub(super) fn sidecars(assets: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for kind in entries(assets)?.into_iter().filter(|path| path.is_dir()) {
        // The raw JSON of a document is named by its own ending, so a sidecar is `<id>.json` and nothing else.
        let is_sidecar = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.strip_suffix(".json").is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        found.extend(entries(&kind)?.into_iter().filter(is_sidecar));
    }
    found.sort();
    Ok(found)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

pub(super) fn read_record(path: &Path) -> Result<Record, Fault> {
    let fault = |what: String| Fault { path: path.display().to_string(), what };
    let bytes = fs::read(path).map_err(|error| fault(format!("cannot be read: {error}")))?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| fault(format!("is not JSON: {error}")))?;
    let version = value.get("version").and_then(serde_json::Value::as_u64).unwrap_or_default();
    if version != u64::from(Record::VERSION) {
        return Err(fault(format!("is of version {version}; this program reads version {}", Record::VERSION)));
    }
    let record: Record = serde_json::from_value(value).map_err(|error| fault(format!("is not a sidecar: {error}")))?;
    // Facts name a document by its hash, so bytes that were exchanged together with their hash have another name.
    if record.id != DocumentId::of(&record.sha256) || path.file_stem().is_none_or(|stem| stem != record.id.as_str()) {
        return Err(fault("names other bytes than its id".to_string()));
    }
    // A sidecar must not be able to point outside of its archive.
    let inside = |path: &str| path.starts_with("assets/") && !path.split('/').any(|part| part == "..");
    match inside(&record.raw_path) && inside(&record.text_path) {
        true => Ok(record),
        false => Err(fault("points outside of the archive".to_string())),
    }
}

/// Records name their files as `assets/…`, whatever the folder is called now.
pub(super) fn place(assets: &Path, path: &str) -> PathBuf {
    assets.join(path.strip_prefix("assets/").unwrap_or(path))
}

pub(super) fn write_record(assets: &Path, record: &Record) -> io::Result<()> {
    atomically(&place(assets, &record.sidecar_path()), &serde_json::to_vec_pretty(record)?)
}

pub(super) fn faults_of(assets: &Path, record: &Record) -> Vec<Fault> {
    let one = |path: &str, expected: &str| {
        let what = match fs::read(place(assets, path)) {
            Ok(bytes) if digest(&bytes) == expected => return None,
            Ok(_) => CHANGED.to_string(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => "is missing".to_string(),
            Err(error) => format!("cannot be read: {error}"),
        };
        Some(Fault { path: path.to_string(), what })
    };
    [one(&record.raw_path, &record.sha256), one(&record.text_path, &record.text_sha256)].into_iter().flatten().collect()
}
