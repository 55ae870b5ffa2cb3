//! What becomes of trees when nobody works in them any more: what has arrived goes, what has not is kept and told.
//! It never drops work: of a run that is removed, the branch stays.

use std::path::{Path, PathBuf};

use motet_core::event::Failure;

use super::git::Git;
use super::{DIRECTORY, INTO};

/// What stands where trees are and is not known to be in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub path: PathBuf,
    /// None for a tree that is on no branch, and for what git cannot open.
    pub branch: Option<String>,
}

/// Of a run that has ended: removes the trees whose work has arrived, with their branches, and tells of everything else.
pub fn tidy(run_directory: &Path) -> Vec<Kept> {
    let mut kept = Vec::new();
    for path in entries(run_directory) {
        let tree = Git::at(&path);
        if !tree.is_top().unwrap_or(false) {
            // What is empty is nobody's work, and nothing else can be removed this way.
            if std::fs::remove_dir(&path).is_err() {
                kept.push(Kept { path, branch: None });
            }
            continue;
        }
        let branch = branch(&tree).unwrap_or_default();
        let has_arrived = match &branch {
            Some(branch) => has_arrived(&tree, branch),
            None => is_elsewhere(&tree),
        };
        if !(has_arrived.unwrap_or(false) && take_away(&tree, branch.as_deref()).is_ok()) {
            kept.push(Kept { path, branch });
        }
    }
    let _ = std::fs::remove_dir(run_directory.join(DIRECTORY));
    kept
}

/// Of a run that is removed with its files: what was never committed is, and the branches of work that has not arrived stay.
/// Tells of what could not be taken away, so that nobody deletes it.
pub fn remove(run_directory: &Path) -> Vec<Kept> {
    let mut kept = tidy(run_directory);
    kept.retain(|kept| {
        let tree = Git::at(&kept.path);
        !(tree.is_top().unwrap_or(false) && secure(&tree, kept.branch.as_deref()).is_ok() && take_away(&tree, None).is_ok())
    });
    let directory = run_directory.join(DIRECTORY);
    let _ = std::fs::remove_dir(&directory);
    if kept.is_empty() && directory.symlink_metadata().is_ok() {
        // It could not even be read.
        kept.push(Kept { path: directory, branch: None });
    }
    kept
}

/// How many commits of a run the project's branch has: work arrives as soon as its task returns, whatever becomes of the run.
pub fn arrived(project: &Path, run: &str) -> u64 {
    let count = Git::at(project).answer(&["rev-list", "--count", "--fixed-strings", &format!("--grep=of run {run}."), "HEAD"]);
    count.ok().flatten().and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// Everything that stands there: what is no tree any more may be the only copy of somebody's work.
fn entries(run_directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(run_directory.join(DIRECTORY)).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    entries.sort();
    entries
}

/// Commits what is there, onto a branch of its own if it is on none.
fn secure(tree: &Git, branch: Option<&str>) -> Result<(), Failure> {
    tree.commit_all("Kept when its run was removed")?;
    if branch.is_some() {
        return Ok(());
    }
    let name = tree.directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let head = tree.head()?;
    // The commit is in the name, so that a branch that is there already is the same one.
    tree.tell(&["branch", "--force", &format!("motet/kept/{name}-{head}"), &head]).map(drop)
}

fn branch(tree: &Git) -> Result<Option<String>, Failure> {
    tree.answer(&["symbolic-ref", "--quiet", "--short", "HEAD"])
}

fn has_arrived(tree: &Git, branch: &str) -> Result<bool, Failure> {
    let Some(into) = tree.answer(&["config", &format!("branch.{branch}.{INTO}")])? else { return Ok(false) };
    Ok(!tree.is_dirty()? && tree.is(&["merge-base", "--is-ancestor", "HEAD", &format!("refs/heads/{into}")])?)
}

/// Whether all that a tree on no branch has is on a branch of the user's, too.
fn is_elsewhere(tree: &Git) -> Result<bool, Failure> {
    let branches = tree.tell(&["for-each-ref", "--contains", "HEAD", "--format=%(refname:lstrip=2)", "refs/heads"])?;
    Ok(!tree.is_dirty()? && branches.lines().any(|branch| !branch.starts_with("motet/")))
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
