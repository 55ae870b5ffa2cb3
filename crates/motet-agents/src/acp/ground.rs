//! Where an agent may have us read, write and work: in the task's directory, but not where Motet keeps its own things.
//! It confines what is asked of us; what the agent's own process does, only its sandbox can confine.

use std::path::{Component, Path, PathBuf};

use crate::context::Context;
use crate::conversation;
use crate::worktree;

/// Where a run keeps what was found for it, and where its agents may put more.
const FINDINGS: &str = "assets";
/// What a run keeps for itself: conversations, what programs printed, and the trees of its other tasks.
const KEPT_BACK: [&str; 3] = [conversation::DIRECTORY, "logs", worktree::DIRECTORY];

/// Every path is with all links followed, so that none leads past a wall.
pub(super) struct Ground {
    /// The task's directory.
    pub root: PathBuf,
    /// Where Motet keeps its runs, with the journal that says what people have allowed.
    home: Option<PathBuf>,
    /// The folder of this run.
    run: Option<PathBuf>,
}

/// What is to be done with a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Write,
}

impl Ground {
    /// `root` has its links followed already.
    pub fn new(root: PathBuf, context: &Context) -> Self {
        let real = |path: &Path| path.canonicalize().ok();
        let run = context.run_directory().and_then(real);
        Self { root, home: context.home().and_then(real).or_else(|| run.clone()), run }
    }

    /// Where the path really leads, if it may be read, or worked in.
    pub fn readable(&self, path: &Path) -> Result<PathBuf, String> {
        self.place(path, Use::Read)
    }

    /// The same, if it may be written.
    pub fn writable(&self, path: &Path) -> Result<PathBuf, String> {
        self.place(path, Use::Write)
    }

    fn place(&self, path: &Path, wanted: Use) -> Result<PathBuf, String> {
        let place = self.confined(path)?;
        if self.is_kept_back(&place, wanted) {
            return Err(format!("{} belongs to Motet itself, and no agent has it read or changed", path.display()));
        }
        Ok(place)
    }

    /// Links are followed first, so that none leads out.
    fn confined(&self, path: &Path) -> Result<PathBuf, String> {
        let outside = || format!("{} is outside of the task's directory {}", path.display(), self.root.display());
        let mut existing = self.root.join(path);
        let mut missing = Vec::new();
        // A link that leads nowhere exists too: writing through it would make its target.
        while existing.symlink_metadata().is_err() {
            match (existing.components().next_back(), existing.parent()) {
                (Some(Component::Normal(name)), Some(parent)) => {
                    missing.push(name.to_os_string());
                    existing = parent.to_path_buf();
                }
                _ => return Err(outside()),
            }
        }
        let real = existing.canonicalize().map_err(|error| format!("{} cannot be followed: {error}", path.display()))?;
        if !real.starts_with(&self.root) {
            return Err(outside());
        }
        Ok(missing.into_iter().rev().fold(real, |place, name| place.join(name)))
    }

    /// The task's own directory is its own wherever it lies; of the rest of Motet's home, a task has only what its run shows of itself.
    fn is_kept_back(&self, place: &Path, wanted: Use) -> bool {
        let Some(home) = self.home.as_deref().filter(|home| place.starts_with(home)) else { return false };
        let run = self.run.as_deref();
        if let Some((run, within)) = run.and_then(|run| Some((run, place.strip_prefix(run).ok()?))) {
            let is_own_tree = self.root != run && self.root.starts_with(run);
            let first = within.components().next().map(Component::as_os_str).unwrap_or_default();
            return !is_own_tree && (KEPT_BACK.iter().any(|name| first == *name) || !self.is_open(run, first == FINDINGS, wanted));
        }
        let is_of_a_run = run.and_then(Path::parent).is_some_and(|runs| place.starts_with(runs));
        let is_own = self.root != home && self.root.starts_with(home);
        is_of_a_run || !is_own
    }

    /// What people edit there is taken for their word, so only what was found is added to, unless the task works there.
    fn is_open(&self, run: &Path, is_finding: bool, wanted: Use) -> bool {
        wanted == Use::Read || is_finding || self.root == run
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A project with a file, links that lead out, and Motet's home in it with two runs; beside it a secret. `root` is the task's directory.
    fn check(name: &str, root: &str, path: &str, reads: Result<&str, &str>, writes: Result<&str, &str>) {
        let base = std::env::temp_dir().join(format!("motet-ground-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&base);
        for directory in ["runs/one/worktrees/coder/src", "runs/one/worktrees/other", "runs/one/conversations", "runs/two"] {
            fs::create_dir_all(base.join("task/.motet").join(directory)).unwrap();
        }
        fs::create_dir_all(base.join("task/inner")).unwrap();
        let base = base.canonicalize().unwrap();
        let task = base.join("task");
        fs::write(base.join("secret"), "s").unwrap();
        fs::write(task.join("file"), "f").unwrap();
        fs::write(task.join(".motet/motet.db"), "j").unwrap();
        symlink("file", task.join("link")).unwrap();
        symlink("../secret", task.join("leak")).unwrap();
        symlink("..", task.join("up")).unwrap();
        symlink("../nothing-yet", task.join("dangling")).unwrap();
        symlink(".motet", task.join("home")).unwrap();
        let context = Context::new().0.in_run_directory(task.join(".motet/runs/one")).keeping_runs_in(task.join(".motet"));
        let ground = Ground::new(task.join(root).canonicalize().unwrap(), &context);
        let path = PathBuf::from(path.replace("BASE", &base.to_string_lossy()));
        for (found, expected) in [(ground.readable(&path), reads), (ground.writable(&path), writes)] {
            match expected {
                Ok(place) => assert_eq!(found, Ok(task.join(place)), "{name}"),
                Err(told) => assert!(found.clone().expect_err(name).contains(told), "{name}: {found:?}"),
            }
        }
        fs::remove_dir_all(&base).unwrap();
    }

    fn check_both(name: &str, path: &str, expected: Result<&str, &str>) {
        check(name, "", path, expected, expected);
    }

    #[test]
    fn what_is_inside_is_found() {
        check_both("plain", "file", Ok("file"));
        check_both("absolute", "BASE/task/file", Ok("file"));
        check_both("link", "link", Ok("file"));
        check_both("dots", "inner/../file", Ok("file"));
        check_both("new", "inner/a/b.txt", Ok("inner/a/b.txt"));
        check_both("named-alike", ".motet-2/a", Ok(".motet-2/a"));
    }

    #[test]
    fn what_leads_out_is_refused() {
        check_both("parent", "../secret", Err("outside"));
        check_both("root", "/etc/passwd", Err("outside"));
        check_both("leak", "leak", Err("outside"));
        check_both("through", "up/secret", Err("outside"));
        check_both("made", "up/new.txt", Err("outside"));
        check_both("dangling", "dangling", Err("cannot be followed"));
        check_both("missing-dots", "nowhere/../../secret", Err("outside"));
        check_both("sibling", "BASE/task-2/file", Err("outside"));
    }

    #[test]
    fn what_is_motets_own_is_refused_however_it_is_named() {
        let ours = Err("belongs to Motet itself");
        check_both("home", ".motet", ours);
        check_both("database", ".motet/motet.db", ours);
        check_both("beside", ".motet/motet.db-wal", ours);
        check_both("linked", "home/motet.db", ours);
        check_both("dotted", "inner/../.motet/./motet.db", ours);
        check_both("workflows", ".motet/workflows/mine/workflow.yaml", ours);
        check_both("conversation", ".motet/runs/one/conversations/working.1.worker.json", ours);
        check_both("new-log", ".motet/runs/one/logs/a", ours);
        check_both("tree", ".motet/runs/one/worktrees/coder/src/a", ours);
        check_both("other-run", ".motet/runs/two/report.md", ours);
        check_both("runs", ".motet/runs", ours);
    }

    #[test]
    fn a_run_shows_its_files_and_takes_what_is_found() {
        let (plan, found) = (".motet/runs/one/plan.md", ".motet/runs/one/assets/web/x.html");
        check("shown", "", plan, Ok(plan), Err("belongs to Motet itself"));
        check_both("found", found, Ok(found));
    }

    #[test]
    fn a_tree_of_its_own_is_the_tasks_though_it_lies_in_motets_home() {
        let tree = ".motet/runs/one/worktrees/coder";
        let place = format!("{tree}/src/logs/a.rs");
        check("own-tree", tree, "src/logs/a.rs", Ok(&place), Ok(&place));
        check("tree-beside", tree, "../other/a.rs", Err("outside"), Err("outside"));
        check("own-run", ".motet/runs/one", "notes.md", Ok(".motet/runs/one/notes.md"), Ok(".motet/runs/one/notes.md"));
        let ours = Err("belongs to Motet itself");
        check("own-run-kept", ".motet/runs/one", "conversations/a.json", ours, ours);
    }
}
