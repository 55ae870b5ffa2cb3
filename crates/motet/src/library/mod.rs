//! Where workflows come from: the binary, the project's `workflows/`, its `.motet/workflows/`, or a path.
//! It knows no workflow by name and runs none.

mod builtin;
mod folder;
mod problem;
mod project;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use motet_core::check::{Report, check_family};
use motet_core::diagnostic::nearest;
use motet_core::language;
use motet_core::{Definition, Diagnostic, Folder};
use serde_json::Value;

pub use folder::WORKFLOW_FILE;
pub use problem::Problem;
pub use project::project_root;

use crate::builtins;

/// All workflows that can be had from one place of the disk. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Library(Arc<Places>);

#[derive(Debug)]
struct Places {
    /// Where relative paths begin.
    directory: PathBuf,
    /// By name, the one that counts first: a project's own workflow before the built-in it replaces.
    found: BTreeMap<String, Vec<Origin>>,
}

/// Where a workflow was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
    Project(PathBuf),
    Path(PathBuf),
}

/// A workflow that can be run.
#[derive(Debug)]
pub struct Loaded {
    pub definition: Arc<Definition>,
    pub warnings: Vec<Diagnostic>,
    pub origin: Origin,
    /// The workflow's own texts, without those of a workflow it extends.
    pub folder: Folder,
}

impl Library {
    /// Looks around from a directory. `home` is the directory of runs if it is not the project's `.motet`.
    pub fn around(directory: &Path, home: Option<&Path>) -> Self {
        let mut found: BTreeMap<String, Vec<Origin>> = BTreeMap::new();
        for path in project::folders(directory, home) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.entry(name).or_default().push(Origin::Project(path));
        }
        for name in builtin::names() {
            found.entry(name.to_owned()).or_default().push(Origin::BuiltIn);
        }
        Self(Arc::new(Places { directory: directory.to_owned(), found }))
    }

    /// Every name, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.found.keys().map(String::as_str)
    }

    /// Where the workflow of this name comes from.
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        self.0.found.get(name)?.first()
    }

    /// Where relative paths begin.
    pub fn directory(&self) -> &Path {
        &self.0.directory
    }

    /// The workflow of this name, alias or path.
    pub fn load(&self, wanted: &str) -> Result<Loaded, Problem> {
        if let Some(origins) = self.0.found.get(wanted) {
            return self.load_named(wanted, &origins[0]);
        }
        if let Some(path) = self.as_path(wanted) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let origin = Origin::Path(path);
            return self.compile(&name, read(&name, &origin)?, origin);
        }
        let mut claimants = self.named_by_alias(wanted);
        match claimants.len() {
            0 => Err(self.unknown(wanted)),
            1 => Ok(claimants.remove(0)),
            _ => {
                let workflows = claimants.iter().map(|loaded| loaded.definition.name.clone()).collect();
                Err(Problem::Ambiguous { alias: wanted.to_owned(), workflows })
            }
        }
    }

    /// The proof of a workflow, together with what it gives to others that it runs.
    pub fn check(&self, definition: &Definition, input: Option<&Value>) -> Report {
        check_family(definition, input, |name| self.load(name).ok().map(|loaded| loaded.definition))
    }

    fn load_named(&self, name: &str, origin: &Origin) -> Result<Loaded, Problem> {
        let loaded = self.compile(name, read(name, origin)?, origin.clone())?;
        match loaded.definition.name == name {
            true => Ok(loaded),
            false => Err(Problem::Misnamed { folder: name.to_owned(), workflow: loaded.definition.name.clone() }),
        }
    }

    fn compile(&self, name: &str, folder: Folder, origin: Origin) -> Result<Loaded, Problem> {
        let around = Around { library: self, origin: &origin, name };
        match language::load(folder.clone(), &around) {
            Ok((definition, warnings)) => Ok(Loaded { definition: Arc::new(definition), warnings, origin, folder }),
            Err(diagnostics) => {
                let folder = around.with_bases(folder, &diagnostics);
                Err(Problem::Invalid { name: name.to_owned(), origin, folder, diagnostics })
            }
        }
    }

    /// A path is meant if it is written like one, or if a workflow stands there.
    fn as_path(&self, wanted: &str) -> Option<PathBuf> {
        let written_like_one = wanted.contains(['/', '\\']) || wanted.starts_with('.') || wanted.ends_with(".yaml");
        let path = self.0.directory.join(wanted);
        let path = match path.file_name() {
            Some(file) if file == WORKFLOW_FILE => path.parent().map(Path::to_path_buf)?,
            _ => path,
        };
        let path = path.canonicalize().unwrap_or(path);
        (written_like_one || path.join(WORKFLOW_FILE).is_file()).then_some(path)
    }

    /// Another workflow's mistakes do not keep this one from being found.
    fn named_by_alias(&self, alias: &str) -> Vec<Loaded> {
        let all = self.0.found.iter().filter_map(|(name, origins)| self.load_named(name, &origins[0]).ok());
        all.filter(|loaded| loaded.definition.aliases.iter().any(|known| known == alias)).collect()
    }

    fn unknown(&self, wanted: &str) -> Problem {
        let known: Vec<String> = self.names().map(str::to_owned).collect();
        let nearest = nearest(wanted, self.names()).map(str::to_owned);
        Problem::Unknown { name: wanted.to_owned(), nearest, known }
    }
}

fn read(name: &str, origin: &Origin) -> Result<Folder, Problem> {
    match origin {
        Origin::BuiltIn => builtin::folder(name).ok_or_else(|| Problem::Unreadable(format!("`{name}` is not built in"))),
        Origin::Project(path) | Origin::Path(path) => {
            if !path.join(WORKFLOW_FILE).is_file() {
                return Err(Problem::Unreadable(format!("{} has no `{WORKFLOW_FILE}`, so it is no workflow", path.display())));
            }
            folder::read(path).map_err(Problem::Unreadable)
        }
    }
}

/// The library as one workflow sees it: its own name means the workflow that it replaces.
struct Around<'a> {
    library: &'a Library,
    origin: &'a Origin,
    name: &'a str,
}

impl Around<'_> {
    /// The folder with the texts of extended workflows that problems point into.
    fn with_bases(&self, mut folder: Folder, diagnostics: &[Diagnostic]) -> Folder {
        for file in diagnostics.iter().filter_map(|found| found.span.as_ref()).map(|span| &span.file) {
            let base = file.strip_prefix("extends/").and_then(|rest| rest.strip_suffix(WORKFLOW_FILE)?.strip_suffix('/'));
            let text = base.and_then(|base| language::Library::workflow(self, base)?.remove(WORKFLOW_FILE));
            folder.extend(text.map(|text| (file.to_string(), text)));
        }
        folder
    }
}

impl language::Library for Around<'_> {
    fn workflow(&self, name: &str) -> Option<Folder> {
        let origins = self.library.0.found.get(name)?;
        let mut others = origins.iter().filter(|origin| name != self.name || *origin != self.origin);
        others.find_map(|origin| read(name, origin).ok())
    }

    fn workflows(&self) -> Vec<String> {
        self.library.workflows()
    }

    fn has_builtin(&self, name: &str) -> bool {
        self.library.has_builtin(name)
    }

    fn builtins(&self) -> Vec<String> {
        self.library.builtins()
    }
}

impl language::Library for Library {
    fn workflow(&self, name: &str) -> Option<Folder> {
        self.0.found.get(name)?.iter().find_map(|origin| read(name, origin).ok())
    }

    fn workflows(&self) -> Vec<String> {
        self.names().map(str::to_owned).collect()
    }

    fn has_builtin(&self, name: &str) -> bool {
        builtins::all().has(name)
    }

    fn builtins(&self) -> Vec<String> {
        builtins::all().names().map(str::to_owned).collect()
    }
}

impl motet_host::Workflows for Library {
    fn named(&self, name: &str) -> Result<Arc<Definition>, String> {
        self.load(name).map(|loaded| loaded.definition).map_err(|problem| problem.to_string())
    }

    fn of(&self, folder: Folder) -> Result<Arc<Definition>, String> {
        match language::load(folder, self) {
            Ok((definition, _)) => Ok(Arc::new(definition)),
            Err(diagnostics) => {
                Err(diagnostics.iter().find(|found| found.is_error()).map_or_else(String::new, |found| found.message.clone()))
            }
        }
    }
}

impl Origin {
    /// What to call the folder of this workflow in messages, from where the person stands.
    pub fn place(&self, name: &str, directory: &Path) -> String {
        match self {
            Origin::BuiltIn => name.to_owned(),
            Origin::Project(path) | Origin::Path(path) => path.strip_prefix(directory).unwrap_or(path).display().to_string(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::BuiltIn => out.write_str("built in"),
            Origin::Project(path) | Origin::Path(path) => write!(out, "{}", path.display()),
        }
    }
}
