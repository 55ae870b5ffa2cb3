//! Which folders of a project are workflows.
//! A workflow in `.motet/workflows/` stands before one in `workflows/`: what a person tries out at home before what the team shares.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder::WORKFLOW_FILE;

const SHARED: &str = "workflows";
const HOME: &str = ".motet";

/// The nearest directory upwards that has runs or workflows.
pub fn project_root(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|candidate| candidate.join(HOME).is_dir() || !workflows_in(&candidate.join(SHARED)).is_empty())
}

/// The folders of all workflows around a directory, those that count more first.
pub fn folders(directory: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let root = project_root(directory);
    let home = home.map(Path::to_path_buf).or_else(|| root.map(|root| root.join(HOME)));
    let places = home.map(|home| home.join(SHARED)).into_iter().chain(root.map(|root| root.join(SHARED)));
    places.flat_map(|place| workflows_in(&place)).collect()
}

fn workflows_in(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|folder| folder.join(WORKFLOW_FILE).is_file());
    folders.sort();
    folders
}
