//! What becomes of trees when nobody works in them any more: what has arrived goes, what has not is kept and told.
//! It never drops work: of a run that is removed, the branch stays.

use std::path::{Path, PathBuf};

use motet_core::event::Failure;

use super::git::Git;
use super::{DIRECTORY, INTO};

/// A tree with work that is not in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub path: PathBuf,
    pub branch: String,
}

/// Of a run that has ended: removes the trees whose work has arrived, with their branches, and tells of the others.
pub fn tidy(run_directory: &Path) -> Vec<Kept> {
    let mut kept = Vec::new();
    for path in trees(run_directory) {
        let tree = Git::at(&path);
        let Ok(Some(branch)) = branch(&tree) else { continue };
        match has_arrived(&tree, &branch) {
            Ok(true) if take_away(&tree, Some(&branch)).is_ok() => {}
            _ => kept.push(Kept { path, branch }),
        }
    }
    let _ = std::fs::remove_dir(run_directory.join(DIRECTORY));
    kept
}

/// Of a run that is removed with its files: what was never committed is, and the branches of work that has not arrived stay.
/// Tells of trees that could not be taken away, so that nobody deletes them.
pub fn remove(run_directory: &Path) -> Vec<Kept> {
    let mut kept = tidy(run_directory);
    kept.retain(|kept| {
        let tree = Git::at(&kept.path);
        let is_kept = tree.commit_all("Kept when its run was removed").is_ok();
        !(is_kept && take_away(&tree, None).is_ok())
    });
    let _ = std::fs::remove_dir(run_directory.join(DIRECTORY));
    kept
}

fn trees(run_directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(run_directory.join(DIRECTORY)).into_iter().flatten().flatten();
    let mut trees: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.join(".git").is_file()).collect();
    trees.sort();
    trees
}

fn branch(tree: &Git) -> Result<Option<String>, Failure> {
    tree.answer(&["symbolic-ref", "--quiet", "--short", "HEAD"])
}

fn has_arrived(tree: &Git, branch: &str) -> Result<bool, Failure> {
    let Some(into) = tree.answer(&["config", &format!("branch.{branch}.{INTO}")])? else { return Ok(false) };
    Ok(!tree.is_dirty()? && tree.is(&["merge-base", "--is-ancestor", "HEAD", &format!("refs/heads/{into}")])?)
}

fn take_away(tree: &Git, branch: Option<&str>) -> Result<(), Failure> {
    let shared = Git::at(tree.shared_directory()?);
    let path = tree.directory.to_string_lossy().into_owned();
    shared.tell(&["worktree", "remove", "--force", &path])?;
    if let Some(branch) = branch {
        shared.tell(&["branch", "--quiet", "-D", branch])?;
    }
    Ok(())
}
