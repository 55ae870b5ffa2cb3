//! The repository as a value: every file that git knows or would add, by path, with its text.
//! It is read once and never written, so a rule is a function of it and can be tried on a made-up one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

#[derive(Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

/// Where the repository is checked out. Cargo says so on every start; what stood there when this was compiled may be another
/// checkout that shares the target folder.
pub fn root() -> PathBuf {
    let mut root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    root.pop();
    root
}

impl Tree {
    pub fn read() -> Result<Self, String> {
        let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
        let listed = Command::new("git").args(arguments).current_dir(root()).output();
        let listed = listed.map_err(|error| format!("git cannot be started: {error}"))?;
        if !listed.status.success() {
            return Err(format!("git cannot list the files: {}", String::from_utf8_lossy(&listed.stderr).trim()));
        }
        let mut files = BTreeMap::new();
        for path in String::from_utf8_lossy(&listed.stdout).split_terminator('\0') {
            // A file that was deleted and is not committed yet is still listed.
            if let Ok(bytes) = std::fs::read(root().join(path)) {
                // Pictures have a name that links may point to, and no text.
                files.insert(path.to_string(), String::from_utf8(bytes).unwrap_or_default());
            }
        }
        Ok(Self { files })
    }

    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect() }
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub fn under<'a>(&'a self, folder: &'a str, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| path.starts_with(folder) && path.ends_with(ending))
    }

    /// Whether there is a file or a folder of this path.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty() || self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// The names of the built-in workflows.
    pub fn workflows(&self) -> Vec<&str> {
        let names = self.files.keys().filter_map(|path| path.strip_prefix("workflows/")?.strip_suffix("/workflow.yaml"));
        names.filter(|name| !name.contains('/')).collect()
    }
}
