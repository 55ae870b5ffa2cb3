//! The places of the built-in workflows by name: what coverage, cases and the table of requirements speak of.
//! It reads the folders of the repository and proves nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use motet_core::check::transition_ids;
use motet_core::language::{Library, load};
use motet_core::{Definition, Folder};

/// Every workflow with its states, transitions and properties, one line of each.
pub fn document() -> String {
    let mut text = String::from(
        "# The places of the built-in workflows\n\n<!-- Written by `cargo xtask docs` from the workflows. -->\n\n\
         States are where a run can be, transitions are what `motet test --coverage` counts, properties are what `motet check` proves.\n",
    );
    let shelf = Shelf::of_the_repository();
    for (name, folder) in &shelf.0 {
        let definition = match load(folder.clone(), &shelf) {
            Ok((definition, _)) => definition,
            Err(problems) => panic!("the workflow {name} cannot be read: {} problems; see `motet check {name}`", problems.len()),
        };
        text.push_str(&section(&definition));
    }
    text
}

fn section(definition: &Definition) -> String {
    let mut text = format!("\n## {}\n\n", definition.name);
    let states = definition.states.iter().map(|state| state.name.to_string());
    let _ = writeln!(text, "States: {}\n", quoted(states));
    let _ = writeln!(text, "Transitions: {}\n", quoted(transition_ids(definition).into_iter()));
    text.push_str("Properties:\n\n");
    for property in &definition.require {
        let _ = writeln!(text, "- {}: {}", property.name, property.text);
    }
    text
}

fn quoted(names: impl Iterator<Item = String>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The folders under `workflows/`, by name.
struct Shelf(BTreeMap<String, Folder>);

impl Shelf {
    fn of_the_repository() -> Self {
        let folders = entries(&crate::repository().join("workflows")).into_iter().filter(|path| path.is_dir());
        Self(folders.map(|path| (file_name(&path), read(&path))).collect())
    }
}

impl Library for Shelf {
    fn workflow(&self, name: &str) -> Option<Folder> {
        self.0.get(name).cloned()
    }

    fn has_builtin(&self, _name: &str) -> bool {
        true
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

fn read(root: &Path) -> Folder {
    let mut folder = Folder::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(entries(&path));
        } else if let (Ok(inside), Ok(text)) = (path.strip_prefix(root), std::fs::read_to_string(&path)) {
            folder.insert(inside.to_string_lossy().into_owned(), text);
        }
    }
    folder.remove("README.md");
    folder
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).into_iter().flatten();
    listed.flatten().map(|entry| entry.path()).filter(|path| !file_name(path).starts_with('.')).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workflow_of_the_repository_has_a_section_with_places() {
        let text = document();
        let workflows = Shelf::of_the_repository().0.len();
        assert!(workflows > 0);
        for begin in ["## ", "States: `", "Transitions: `", "Properties:"] {
            assert_eq!(text.lines().filter(|line| line.starts_with(begin)).count(), workflows, "{begin}");
        }
    }
}
