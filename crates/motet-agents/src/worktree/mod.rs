//! A working tree of its own for a task whose agent changes files, and the way of its work back into the project.
//! Which tasks share a tree the machine says; whether the work is any good the workflow's gates say.

mod contradiction;
mod git;
mod tidy;
mod waiting;

use std::fs::File;
use std::path::{Path, PathBuf};

use motet_core::effect::Call;
use motet_core::event::{Failure, FailureKind};
use motet_core::names::Digest;

use contradiction::Contradiction;
use git::{Git, wrong};
pub use tidy::{Kept, arrived, remove, tidy};
use waiting::Waiting;

use crate::agent::{Agent, Outcome, Request};
use crate::command::leftovers;
use crate::context::{Context, Progress};

/// Where the trees of a run are, below its directory.
pub const DIRECTORY: &str = "worktrees";
/// Work comes back one task at a time, whatever process or run it belongs to.
const LOCK: &str = "motet.lock";
/// What the branch of a tree is remembered by: the branch that its work goes to.
const INTO: &str = "motetInto";
const LONGEST_NAME: usize = 60;

/// Whether tasks of this project can be given trees of their own, or what to do about it.
pub fn usable(project: &Path) -> Result<(), Failure> {
    branch_of(&Git::at(project)).map(drop)
}

/// Performs one attempt in the task's own tree. What it returns counts once its work has arrived in the project.
pub(crate) async fn perform(agent: &dyn Agent, name: &str, request: Request, context: &Context) -> Outcome {
    let call = request.call.clone();
    // Whoever still works in the tree for a process that is gone must not go on while it is looked at.
    leftovers::end(&call, context);
    let tree = match enter(&call, name, context).await {
        Ok(tree) => tree,
        Err(failure) => return Outcome::Failed { failure, usage: Default::default() },
    };
    let outcome = agent.perform(request, &context.in_tree(&tree.directory)).await;
    bring_back(tree, outcome, call, context).await
}

/// The tree of the task, as its context; None if nothing was ever done there.
pub(crate) fn found(name: &str, context: &Context) -> Option<Context> {
    let tree = Tree::of("", name, context).ok()?;
    tree.is_whole().unwrap_or(false).then(|| context.in_tree(tree.directory))
}

/// What an interrupted attempt had returned counts once its work has arrived, too.
pub(crate) async fn settle(name: &str, outcome: Outcome, call: Call, context: &Context) -> Outcome {
    match Tree::of(call.run.as_str(), name, context) {
        Ok(tree) => bring_back(tree, outcome, call, context).await,
        Err(failure) => Outcome::Failed { failure, usage: outcome.usage() },
    }
}

async fn enter(call: &Call, name: &str, context: &Context) -> Result<Tree, Failure> {
    let tree = Tree::of(call.run.as_str(), name, context)?;
    let (tree, is_new) = apart(move || {
        let is_new = tree.prepare()?;
        Ok((tree, is_new))
    })
    .await?;
    if is_new && tree.project.is_dirty().unwrap_or(false) {
        context.tell(Progress::Log("the project has changes that are not committed: the task begins without them".into()));
    }
    Ok(tree)
}

async fn bring_back(tree: Tree, outcome: Outcome, call: Call, context: &Context) -> Outcome {
    let usage = outcome.usage();
    if !matches!(outcome, Outcome::Returned { .. }) {
        return outcome;
    }
    let _patience = tree.waiting.patience();
    match apart(move || tree.bring_back(&message(&call))).await {
        Ok(None) => outcome,
        Ok(Some(told)) => {
            context.tell(Progress::Log(told));
            outcome
        }
        Err(failure) => Outcome::Failed { failure, usage },
    }
}

/// Git may take its time, and the lock is waited for: neither on a thread that others need.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(Failure { kind: FailureKind::Crashed, message: format!("the worktree: {error}") }))
}

struct Tree {
    project: Git,
    tree: Git,
    /// Where the agent works: the place in the tree that the project is in its repository.
    directory: PathBuf,
    branch: String,
    waiting: Waiting,
}

impl Tree {
    fn of(run: &str, name: &str, context: &Context) -> Result<Self, Failure> {
        let no_place = || wrong("a worktree needs a run's directory and a project".into());
        let project = Git::at(context.working_directory().ok_or_else(no_place)?);
        let name = file_name(name);
        let path = context.run_directory().ok_or_else(no_place)?.join(DIRECTORY).join(&name);
        let prefix = project.answer(&["rev-parse", "--show-prefix"])?.unwrap_or_default();
        let branch = format!("motet/{}/{name}", file_name(run));
        Ok(Self { project, directory: path.join(prefix), tree: Git::at(path), branch, waiting: Waiting::new(context) })
    }

    /// The tree is there, with everything that was done in it and, if nothing is, with everything that the project has by now.
    /// Tells whether it was made just now.
    fn prepare(&self) -> Result<bool, Failure> {
        let (into, head) = (branch_of(&self.project)?, self.project.head()?);
        let _lock = lock(&self.project)?;
        if self.is_whole()? {
            // Nobody works here but this attempt: a lock that is left is of one that was killed.
            let _ = std::fs::remove_file(self.tree.own_directory()?.join("index.lock"));
            if !self.tree.is_merging()? && !self.tree.is_dirty()? {
                // One that has work of its own to bring stays as it is.
                self.tree.ask(&["merge", "--quiet", "--ff-only", &head])?;
            }
            return Ok(false);
        }
        self.put_aside()?;
        let path = self.tree.directory.to_string_lossy().into_owned();
        // Twice: git remembers a tree that was never finished as locked. Trees that are away are not pruned: they may be the user's.
        if self.project.is(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{}", self.branch)])? {
            self.project.tell(&["worktree", "add", "--quiet", "--force", "--force", &path, &self.branch])?;
        } else {
            self.project.tell(&["worktree", "add", "--quiet", "--force", "--force", "-b", &self.branch, &path, &head])?;
            self.project.tell(&["config", &format!("branch.{}.{INTO}", self.branch), &into])?;
        }
        // The project may be a folder that its repository does not have yet.
        std::fs::create_dir_all(&self.directory).map_err(|error| wrong(format!("{} cannot be made: {error}", self.directory.display())))?;
        Ok(true)
    }

    /// Whether the tree is there and git had finished making it.
    fn is_whole(&self) -> Result<bool, Failure> {
        if !self.tree.is_top()? {
            return Ok(false);
        }
        let locked = std::fs::read_to_string(self.tree.own_directory()?.join("locked")).unwrap_or_default();
        Ok(!locked.starts_with("initializing"))
    }

    /// What stands where the tree should be and is none is kept beside it: it may be somebody's work.
    fn put_aside(&self) -> Result<(), Failure> {
        let path = &self.tree.directory;
        let is_empty = std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if is_empty {
            return Ok(());
        }
        let mut beside = (1..).map(|number| path.with_added_extension(format!("broken-{number}")));
        let Some(beside) = beside.find(|beside| !beside.exists()) else { return Ok(()) };
        std::fs::rename(path, &beside).map_err(|error| wrong(format!("{} cannot be put aside: {error}", path.display())))
    }

    /// Commits what was done here, joins it with what the project has by now, and gives it to the project. One after another; a project
    /// never sees a conflict, since it only ever moves forward to what was joined here. Tells what came of it, if anything was there.
    fn bring_back(&self, message: &str) -> Result<Option<String>, Failure> {
        let _lock = lock(&self.project)?;
        self.waiting.goes_on()?;
        let head = self.project.head()?;
        self.refuse_unsettled(&head)?;
        self.tree.commit_all(message)?;
        let (into, wanted) = (branch_of(&self.project)?, self.into()?);
        if wanted.as_ref().is_some_and(|wanted| *wanted != into) {
            let wanted = wanted.unwrap_or_default();
            return Err(wrong(format!(
                "the project was on `{wanted}` when this task began and is on `{into}` now: `git switch {wanted}`, then try again; {}",
                self.kept()
            )));
        }
        let title = format!("Merge {into} into {}", self.branch);
        let joined = self.tree.sign(&["merge", "--quiet", "--no-edit", "--no-verify", "--message", &title, &head])?;
        if !joined.worked {
            let unsettled = contradiction::unsettled(&self.tree)?;
            if unsettled.is_empty() {
                return Err(wrong(format!("{}; {}", joined.words(), self.kept())));
            }
            contradiction::remember(&self.tree, &unsettled)?;
            return Err(self.conflict(&unsettled));
        }
        let overruled = contradiction::overruled(&self.tree, &head)?;
        contradiction::forget(&self.tree)?;
        let arrived = self.tree.head()?;
        if arrived == head {
            return Ok(None);
        }
        self.waiting.goes_on()?;
        let given = self.project.ask(&["merge", "--quiet", "--ff-only", &arrived])?;
        if !given.worked {
            return Err(wrong(format!(
                "the work cannot come into the project: {}\nCommit or stash what stands in the way, then try again; {}",
                given.words(),
                self.kept()
            )));
        }
        let changed = self.project.tell(&["diff", "--shortstat", &head, &arrived])?;
        let mut told = format!("its work is in {into}:{}", if changed.is_empty() { " nothing has changed" } else { &changed });
        if !overruled.is_empty() {
            told += &format!("; it takes the place of what {into} had in {}: `git show {head}:FILE` has that", overruled.join(", "));
        }
        Ok(Some(told))
    }

    fn into(&self) -> Result<Option<String>, Failure> {
        self.project.answer(&["config", &format!("branch.{}.{INTO}", self.branch)])
    }

    /// A file that still has both versions in it is no result, whatever the agent says of it; nor is one of two that nobody has chosen.
    fn refuse_unsettled(&self, head: &str) -> Result<(), Failure> {
        let mut unsettled = contradiction::unsettled(&self.tree)?;
        for marked in contradiction::marked(&self.tree, head)? {
            if unsettled.iter().all(|known| known.path != marked.path) {
                unsettled.push(marked);
            }
        }
        if unsettled.is_empty() { Ok(()) } else { Err(self.conflict(&unsettled)) }
    }

    /// Whoever tries again is told so, and finds both versions in the tree.
    fn conflict(&self, unsettled: &[Contradiction]) -> Failure {
        let paths: Vec<&str> = unsettled.iter().map(|one| one.path.as_str()).collect();
        let message = format!(
            "what was changed contradicts what has come into the project meanwhile, in {}. {}; {}",
            paths.join(", "),
            contradiction::advice(unsettled),
            self.kept()
        );
        Failure { kind: FailureKind::Reported, message }
    }

    fn kept(&self) -> String {
        format!("the work is kept in {} on branch {}", self.tree.directory.display(), self.branch)
    }
}

/// The branch that the project is on, or why no tree can be made from it.
fn branch_of(project: &Git) -> Result<String, Failure> {
    let place = project.directory.display();
    let asked = project.ask(&["rev-parse", "--is-inside-work-tree"])?;
    if !asked.worked || asked.out.trim() != "true" {
        return Err(wrong(format!(
            "{place} is not in a git repository, and its agents work in git worktrees of their own: make it one with \
             `git init && git add --all && git commit -m begin`, or start the run in a repository ({})",
            asked.words().lines().next().unwrap_or_default()
        )));
    }
    if !project.is(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])? {
        return Err(wrong(format!(
            "the git repository of {place} has no commit yet, so no worktree can begin: `git commit` something first"
        )));
    }
    project.answer(&["symbolic-ref", "--quiet", "--short", "HEAD"])?.ok_or_else(|| {
        wrong(format!("the git repository of {place} is on no branch, so work could not come back to one: `git switch -c NAME` first"))
    })
}

/// Held while trees are made and work comes back.
fn lock(project: &Git) -> Result<File, Failure> {
    let path = project.shared_directory()?.join(LOCK);
    let failed = |error: std::io::Error| wrong(format!("{} cannot be locked: {error}", path.display()));
    let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// A name that files and branches can have. Two names that differ stay different.
fn file_name(name: &str) -> String {
    let safe = |letter: char| if letter.is_ascii_alphanumeric() || "-_".contains(letter) { letter } else { '-' };
    let plain: String = name.chars().map(safe).take(LONGEST_NAME).collect();
    if plain == name && !plain.is_empty() && !plain.starts_with('-') {
        return plain;
    }
    format!("{}-{}", plain.trim_matches('-'), Digest::of(name.as_bytes()).short()).trim_start_matches('-').to_string()
}

/// What people read in the project's history.
fn message(call: &Call) -> String {
    let title = call.input["task"]["title"].as_str().map(str::trim).filter(|title| !title.is_empty());
    let title =
        title.map_or_else(|| format!("Work of {} in {}", call.agent, call.task), |title| title.lines().collect::<Vec<_>>().join(" "));
    format!("{title}\n\nBy {} in task {} of run {}.", call.agent, call.task, call.run)
}

#[cfg(test)]
mod tests;
