//! What two changes left unsettled in a tree: marks in a text, or a file that git can put no marks into.
//! It changes no file and settles nothing: that is for whoever made the change.

use std::path::{Path, PathBuf};

use motet_core::event::Failure;

use super::git::{Git, wrong};

/// Where a tree remembers its last contradiction: the commit that its own work had come to before, and the files without marks.
const RECORD: &str = "motet-contradiction";
const SHORTEST_MARK: usize = 7;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contradiction {
    pub path: String,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Both versions stand in the file, between marks.
    Marked,
    /// Git has left one version in place, since it cannot write two into one file.
    Binary,
    /// One side has deleted or moved what the other has changed.
    Deleted,
}

/// Files that git could not join and that still are as git has left them.
pub(super) fn unsettled(tree: &Git) -> Result<Vec<Contradiction>, Failure> {
    let mut unsettled = Vec::new();
    for path in tree.contradictory()? {
        if let Some(form) = form(tree, &path)? {
            unsettled.push(Contradiction { path, form });
        }
    }
    Ok(unsettled)
}

/// Files with marks among all that would come into the project, whoever has staged or committed them. Only after a contradiction:
/// otherwise marks are what somebody meant to write, and so are those that were there before.
pub(super) fn marked(tree: &Git, head: &str) -> Result<Vec<Contradiction>, Failure> {
    let before = match std::fs::read_to_string(record(tree)?) {
        Ok(known) => known.split('\0').next().unwrap_or_default().to_string(),
        Err(_) if tree.is_merging()? => tree.head()?,
        Err(_) => return Ok(Vec::new()),
    };
    let mut paths = tree.names(&["diff", "--name-only", "--no-renames", "-z", head])?;
    paths.extend(tree.names(&["ls-files", "--others", "--exclude-standard", "-z"])?);
    let mut marked = Vec::new();
    for path in paths.into_iter().filter(|path| has_marks(&tree.directory.join(path))) {
        if !had_marks(tree, &before, &path)? && !had_marks(tree, head, &path)? {
            marked.push(Contradiction { path, form: Form::Marked });
        }
    }
    Ok(marked)
}

/// Remembers that there is something to settle, even if the agent ends the merge by itself.
pub(super) fn remember(tree: &Git, unsettled: &[Contradiction]) -> Result<(), Failure> {
    let path = record(tree)?;
    let mut known = vec![tree.head()?];
    known.extend(unsettled.iter().filter(|one| one.form != Form::Marked).map(|one| one.path.clone()));
    std::fs::write(&path, known.join("\0")).map_err(|error| wrong(format!("{} cannot be written: {error}", path.display())))
}

/// Files without marks of which the project's version gives way to the one that was here: somebody should know, since an agent that
/// stages everything by habit chooses so, too.
pub(super) fn overruled(tree: &Git, head: &str) -> Result<Vec<String>, Failure> {
    let Ok(known) = std::fs::read_to_string(record(tree)?) else { return Ok(Vec::new()) };
    let (before, paths) = known.split_once('\0').unwrap_or((&known, ""));
    let mut overruled = Vec::new();
    for path in paths.split('\0').filter(|path| !path.is_empty()) {
        let of = |commit: &str| tree.answer(&["rev-parse", "--verify", "--quiet", &format!("{commit}:{path}")]);
        let now = of("HEAD")?;
        if now == of(before)? && now != of(head)? {
            overruled.push(path.to_string());
        }
    }
    Ok(overruled)
}

/// Everything is settled.
pub(super) fn forget(tree: &Git) -> Result<(), Failure> {
    // One that was never there is forgotten already.
    let _ = std::fs::remove_file(record(tree)?);
    Ok(())
}

/// What to do about them, for whoever tries again.
pub(super) fn advice(unsettled: &[Contradiction]) -> String {
    let of = |form: Form| {
        let paths: Vec<&str> = unsettled.iter().filter(|one| one.form == form).map(|one| one.path.as_str()).collect();
        (!paths.is_empty()).then(|| paths.join(", "))
    };
    let mut advice = Vec::new();
    if of(Form::Marked).is_some() {
        advice.push("Both versions stand there between the marks <<<<<<< and >>>>>>>: settle each so that both changes hold".to_string());
    }
    if let Some(paths) = of(Form::Binary) {
        advice.push(format!(
            "No marks can stand in what is binary ({paths}), and only one version is there: write one in which both changes hold, or \
             choose with `git checkout --ours FILE` or `git checkout --theirs FILE`, and then `git add FILE`"
        ));
    }
    if let Some(paths) = of(Form::Deleted) {
        advice.push(format!(
            "One side has changed what the other has deleted ({paths}): keep it with `git add FILE`, or delete it with `git rm FILE`"
        ));
    }
    advice.join(". ")
}

/// How the file is unsettled, or None if somebody has settled it.
fn form(tree: &Git, path: &str) -> Result<Option<Form>, Failure> {
    if has_marks(&tree.directory.join(path)) {
        return Ok(Some(Form::Marked));
    }
    let found = tree.answer(&["hash-object", "--", path])?;
    Ok(match (version(tree, 2, path)?, version(tree, 3, path)?) {
        // What was deleted on one side is left with the change of the other.
        (Some(one), None) | (None, Some(one)) if found.as_ref() == Some(&one) => Some(Form::Deleted),
        // Of what can have no marks, git leaves the version that was here. A text without marks was settled.
        (Some(ours), Some(theirs)) if found.as_ref() == Some(&ours) && !takes_marks(tree, path, &ours, &theirs)? => Some(Form::Binary),
        _ => None,
    })
}

/// One side of a contradiction.
fn version(tree: &Git, side: u8, path: &str) -> Result<Option<String>, Failure> {
    tree.answer(&["rev-parse", "--verify", "--quiet", &format!(":{side}:{path}")])
}

fn takes_marks(tree: &Git, path: &str, ours: &str, theirs: &str) -> Result<bool, Failure> {
    let attribute = tree.tell(&["check-attr", "merge", "--", path])?;
    let is_text = !tree.tell(&["diff", "--numstat", ours, theirs])?.starts_with('-');
    Ok(is_text && !attribute.ends_with(": unset") && !attribute.ends_with(": binary"))
}

fn record(tree: &Git) -> Result<PathBuf, Failure> {
    Ok(tree.own_directory()?.join(RECORD))
}

/// Whether a file still has the marks that git leaves between two versions.
pub(super) fn has_marks(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| are_marked(&String::from_utf8_lossy(&bytes)))
}

fn had_marks(tree: &Git, commit: &str, path: &str) -> Result<bool, Failure> {
    Ok(tree.answer(&["show", &format!("{commit}:{path}")])?.is_some_and(|text| are_marked(&text)))
}

/// A repository can ask for longer marks than the usual.
fn are_marked(text: &str) -> bool {
    let has = |letter: char| {
        text.lines().any(|line| {
            let rest = line.trim_start_matches(letter);
            line.len() - rest.len() >= SHORTEST_MARK && rest.starts_with(' ')
        })
    };
    has('<') && has('>')
}
