//! Git, asked as a program: without hooks, prompts and signatures, and out of reach of an interrupt at the terminal.
//! It knows no runs and no tasks.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use motet_core::event::{Failure, FailureKind};

/// Git in one directory.
#[derive(Clone, Debug)]
pub(super) struct Git {
    pub directory: PathBuf,
}

/// What git answered.
pub(super) struct Said {
    pub worked: bool,
    pub out: String,
    pub err: String,
}

impl Git {
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Asks git, which may say no.
    pub fn ask(&self, words: &[&str]) -> Result<Said, Failure> {
        let mut command = Command::new("git");
        // Whoever interrupts the run at the terminal does not mean a merge that is half done.
        command.process_group(0).stdin(Stdio::null()).current_dir(&self.directory);
        // This process may itself have been started by a hook, which speaks of another repository.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "true").env("GIT_MERGE_AUTOEDIT", "no").env("LC_ALL", "C");
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "core.quotePath=false"]);
        let output = command.args(words).output().map_err(|error| match error.kind() {
            ErrorKind::NotFound if self.directory.is_dir() => wrong("the program `git` is not found on PATH; install it".into()),
            _ => wrong(format!("git cannot be run in {}: {error}", self.directory.display())),
        })?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Said { worked: output.status.success(), out: text(output.stdout), err: text(output.stderr) })
    }

    /// Tells git, which must do it.
    pub fn tell(&self, words: &[&str]) -> Result<String, Failure> {
        let said = self.ask(words)?;
        if said.worked {
            return Ok(said.out.trim_end().to_string());
        }
        Err(wrong(format!("`git {}` failed in {}: {}", words.join(" "), self.directory.display(), said.words())))
    }

    /// What git answers, or None if it says no.
    pub fn answer(&self, words: &[&str]) -> Result<Option<String>, Failure> {
        let said = self.ask(words)?;
        Ok(said.worked.then(|| said.out.trim_end().to_string()))
    }

    pub fn is(&self, words: &[&str]) -> Result<bool, Failure> {
        Ok(self.ask(words)?.worked)
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Result<String, Failure> {
        self.tell(&["rev-parse", "HEAD"])
    }

    /// Whether something is not committed.
    pub fn is_dirty(&self) -> Result<bool, Failure> {
        Ok(!self.tell(&["status", "--porcelain"])?.is_empty())
    }

    /// Where git keeps what belongs to this tree alone.
    pub fn own_directory(&self) -> Result<PathBuf, Failure> {
        self.tell(&["rev-parse", "--absolute-git-dir"]).map(PathBuf::from)
    }

    /// Where git keeps what all trees of the repository share.
    pub fn shared_directory(&self) -> Result<PathBuf, Failure> {
        let found = PathBuf::from(self.tell(&["rev-parse", "--git-common-dir"])?);
        Ok(if found.is_absolute() { found } else { self.directory.join(found) })
    }

    /// Whether the directory itself is a tree that git can open: above one that is none, git finds another.
    pub fn is_top(&self) -> Result<bool, Failure> {
        if !self.directory.is_dir() {
            return Ok(false);
        }
        let top = self.answer(&["rev-parse", "--show-toplevel"])?.and_then(|top| PathBuf::from(top).canonicalize().ok());
        Ok(top.is_some() && top == self.directory.canonicalize().ok())
    }

    /// Whether two histories are being joined here.
    pub fn is_merging(&self) -> Result<bool, Failure> {
        Ok(self.own_directory()?.join("MERGE_HEAD").exists())
    }

    /// Files in which two changes contradict each other.
    pub fn contradictory(&self) -> Result<Vec<String>, Failure> {
        self.names(&["diff", "--name-only", "--diff-filter=U", "-z", "--relative"])
    }

    /// What git lists with a zero byte after each.
    pub fn names(&self, words: &[&str]) -> Result<Vec<String>, Failure> {
        Ok(self.tell(words)?.split('\0').filter(|name| !name.is_empty()).map(String::from).collect())
    }

    /// Commits everything that is there, if anything is.
    pub fn commit_all(&self, message: &str) -> Result<(), Failure> {
        self.tell(&["add", "--all"])?;
        if !self.is_merging()? && self.is(&["diff", "--cached", "--quiet"])? {
            return Ok(());
        }
        self.sign(&["commit", "--quiet", "--no-verify", "--message", message]).and_then(|said| said.must("the work cannot be committed"))
    }

    /// A command that writes a commit, as the user, or as nobody in particular in what git does not know of the user.
    pub fn sign(&self, words: &[&str]) -> Result<Said, Failure> {
        let is_known = self.is(&["var", "GIT_AUTHOR_IDENT"])? && self.is(&["var", "GIT_COMMITTER_IDENT"])?;
        let mut nobody = Vec::new();
        if !is_known {
            for (key, setting) in [("user.name", "user.name=Motet"), ("user.email", "user.email=motet@localhost")] {
                if self.answer(&["config", key])?.is_none_or(|said| said.trim().is_empty()) {
                    nobody.extend(["-c", setting]);
                }
            }
        }
        self.ask(&[&nobody, words].concat())
    }
}

impl Said {
    pub fn must(self, what: &str) -> Result<(), Failure> {
        if self.worked { Ok(()) } else { Err(wrong(format!("{what}: {}", self.words()))) }
    }

    /// What git says when something is wrong, which it does on either stream.
    pub fn words(&self) -> String {
        let words = if self.err.trim().is_empty() { &self.out } else { &self.err };
        words.trim().to_string()
    }
}

pub(super) fn wrong(message: String) -> Failure {
    Failure { kind: FailureKind::Configuration, message }
}
