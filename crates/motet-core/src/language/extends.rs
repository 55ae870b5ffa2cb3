//! `extends`: a workflow that is another one with changes, merged before anything is read.
//! The base's texts become part of the folder, so that a pinned folder needs no library to be loaded again.

use std::collections::BTreeMap;

use super::yaml::{self, Key, Kind, Node};
use super::{Library, codes, offline};
use crate::definition::Folder;
use crate::diagnostic::{Diagnostic, nearest};

pub const WORKFLOW_FILE: &str = "workflow.yaml";

/// Chains longer than this are refused; nobody could read them.
const LONGEST_CHAIN: usize = 8;

/// The folder with all that its bases supply, and the one tree that results.
pub fn expand(folder: Folder, library: &dyn Library) -> Result<(Folder, Node), Vec<Diagnostic>> {
    expand_as(folder, WORKFLOW_FILE, library, 0)
}

fn expand_as(mut folder: Folder, file: &str, library: &dyn Library, depth: usize) -> Result<(Folder, Node), Vec<Diagnostic>> {
    let Some(text) = folder.get(file) else {
        let missing = Diagnostic::error(codes::MISSING_FILE, format!("the folder has no `{file}`"));
        return Err(vec![missing.help("a workflow is a folder with a file `workflow.yaml`; `motet new NAME` makes one")]);
    };
    let tree = yaml::parse(file, text)?;
    let Some(extends) = value_of(&tree, "extends").filter(|node| !node.is_null()).cloned() else {
        return Ok((folder, tree));
    };
    let Some(name) = extends.scalar() else {
        let problem = Diagnostic::error(codes::WRONG_TYPE, format!("expected the name of a workflow, found {}", extends.describe()));
        return Err(vec![problem.at(&extends.span)]);
    };
    if depth == LONGEST_CHAIN {
        let problem = Diagnostic::error(codes::UNKNOWN_WORKFLOW, format!("more than {LONGEST_CHAIN} workflows extend each other"));
        return Err(vec![problem.at(&extends.span).label("does this one lead back to itself?")]);
    }
    let base_file = base_path(name);
    if !folder.contains_key(&base_file) {
        let Some(base) = known_workflow(name, library) else {
            return Err(vec![unknown_workflow(name, library).at(&extends.span)]);
        };
        for (path, text) in base {
            match path.as_str() {
                WORKFLOW_FILE => drop(folder.insert(base_file.clone(), text)),
                // Rules are inherited one by one, so both files are kept.
                offline::FILE => drop(folder.insert(beside(&base_file, offline::FILE), text)),
                path if !belongs_to_behaviour(path) => {}
                path => drop(folder.entry(path.to_owned()).or_insert(text)),
            }
        }
    }
    let (folder, mut base) = expand_as(folder, &base_file, library, depth + 1)?;
    // Other names of the base, and what it extended itself, are not what this workflow is.
    if let Kind::Map(entries) = &mut base.kind {
        entries.retain(|(key, _)| !matches!(key.text.as_str(), "aliases" | "extends"));
    }
    Ok((folder, merge(base, tree)))
}

/// Where the text of a base stands in the folder of the workflow that extends it.
fn base_path(name: &str) -> String {
    format!("extends/{name}/{WORKFLOW_FILE}")
}

/// The files of the workflows that a folder extends, the nearest first, as far as they can be read.
pub fn chain_of(folder: &Folder) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    while files.len() <= LONGEST_CHAIN {
        let file = files.last().map_or(WORKFLOW_FILE, String::as_str);
        let tree = folder.get(file).and_then(|text| yaml::parse(file, text).ok());
        let base = tree.as_ref().and_then(|tree| value_of(tree, "extends")).and_then(Node::scalar).map(base_path);
        match base.filter(|base| folder.contains_key(base)) {
            Some(base) => files.push(base),
            None => break,
        }
    }
    files
}

/// Another file of the workflow that this file belongs to.
pub fn beside(workflow_file: &str, other: &str) -> String {
    format!("{}{other}", workflow_file.strip_suffix(WORKFLOW_FILE).unwrap_or_default())
}

/// Cases and the page for people can change without changing what a run does.
pub fn belongs_to_behaviour(path: &str) -> bool {
    !path.starts_with("cases/") && path != "README.md"
}

/// Names become paths and parts of ids elsewhere, so a library is never asked for anything else.
pub fn is_workflow_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) && !name.starts_with('-')
}

pub fn known_workflow(name: &str, library: &dyn Library) -> Option<Folder> {
    if is_workflow_name(name) { library.workflow(name) } else { None }
}

pub fn unknown_workflow(name: &str, library: &dyn Library) -> Diagnostic {
    let problem = Diagnostic::error(codes::UNKNOWN_WORKFLOW, format!("there is no workflow `{name}`"));
    let names = library.workflows();
    match nearest(name, names.iter().map(String::as_str)) {
        Some(candidate) => problem.help(format!("did you mean `{candidate}`?")),
        None => problem.help("`motet workflows` lists all there are"),
    }
}

/// Mappings merge, anything else replaces, null removes.
pub fn merge(base: Node, change: Node) -> Node {
    let Node { span, kind } = change;
    match (base.kind, kind) {
        (Kind::Map(entries), Kind::Map(changes)) => {
            let places: BTreeMap<String, usize> = entries.iter().enumerate().map(|(place, (key, _))| (key.text.clone(), place)).collect();
            let mut merged: Vec<Option<(Key, Node)>> = entries.into_iter().map(Some).collect();
            for (key, value) in changes {
                match places.get(&key.text) {
                    Some(place) if value.is_null() => merged[*place] = None,
                    Some(place) => merged[*place] = merged[*place].take().map(|(_, old)| (key, merge(old, value))),
                    None => merged.push(Some((key, value))),
                }
            }
            Node { span, kind: Kind::Map(merged.into_iter().flatten().collect()) }
        }
        (_, kind) => Node { span, kind },
    }
}

pub fn value_of<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    match &node.kind {
        Kind::Map(entries) => entries.iter().find(|(key, _)| key.text == name).map(|(_, value)| value),
        _ => None,
    }
}
