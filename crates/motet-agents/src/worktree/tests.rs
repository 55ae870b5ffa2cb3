//! Trees of real repositories: made, found again, joined, refused, taken away.

mod kept;
mod unsettled;

use std::sync::atomic::{AtomicU32, Ordering};

use super::contradiction::has_marks;
use super::*;

struct Place(PathBuf);

impl Place {
    /// A repository with one commit, and the directory of a run beside it.
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("motet-worktree-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let place = Self(std::env::temp_dir().join(name));
        std::fs::create_dir_all(place.0.join("project/inner")).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.write("project/lines.txt", "one\ntwo\nthree\nfour\nfive\n");
        place.project().commit_all("begin").unwrap();
        place
    }

    fn project(&self) -> Git {
        Git::at(self.0.join("project"))
    }

    fn git(&self, words: &[&str]) -> String {
        self.project().tell(words).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.0.join(path), text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.join(path)).unwrap_or_default()
    }

    /// The tree of a task, entered as an attempt enters it.
    fn enter(&self, name: &str) -> Tree {
        self.try_enter(name, "project").unwrap()
    }

    fn try_enter(&self, name: &str, project: &str) -> Result<Tree, Failure> {
        let context = Context::new().0.in_run_directory(self.0.join("run")).working_in(self.0.join(project));
        let tree = Tree::of("tea-1", name, &context)?;
        tree.prepare()?;
        Ok(tree)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Two tasks change files of the same project side by side: what each makes of `lines.txt`, and what the project has in the end,
/// or the file of which the second is told that it contradicts.
fn check(first: &str, second: &str, expected: Result<&str, &str>) {
    let place = Place::new();
    let (one, two) = (place.enter("one"), place.enter("two"));
    place.write("run/worktrees/one/lines.txt", first);
    place.write("run/worktrees/two/lines.txt", second);
    place.write("run/worktrees/two/new.txt", "new\n");
    assert!(one.bring_back("one").unwrap().unwrap().contains("1 file changed"));
    let brought = two.bring_back("two");
    match expected {
        Ok(lines) => {
            brought.unwrap();
            assert_eq!((place.read("project/lines.txt").as_str(), place.read("project/new.txt").as_str()), (lines, "new\n"));
        }
        Err(file) => {
            let failure = brought.unwrap_err();
            assert_eq!(failure.kind, FailureKind::Reported, "whoever tries again is told");
            assert!(failure.message.contains(&format!("in {file}.")) && failure.message.contains("motet/tea-1/two"), "{}", failure.message);
            assert_eq!(place.read("project/lines.txt"), first, "the project is as it was");
            assert!(has_marks(&place.0.join("run/worktrees/two/lines.txt")), "both versions are there");
        }
    }
    assert_eq!(place.git(&["status", "--porcelain"]), "");
}

#[test]
fn work_that_was_done_side_by_side_arrives_or_is_told_to_contradict() {
    let (at_the_top, at_the_end) = ("ONE\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nFIVE\n");
    check(at_the_top, at_the_end, Ok("ONE\ntwo\nthree\nfour\nFIVE\n"));
    check(at_the_top, "UN\ntwo\nthree\nfour\nfive\n", Err("lines.txt"));
    check(at_the_top, at_the_top, Ok(at_the_top));
}

#[test]
fn a_contradiction_is_refused_until_it_is_settled() {
    let place = Place::new();
    let (one, two) = (place.enter("one"), place.enter("two"));
    place.write("run/worktrees/one/lines.txt", "ONE\n");
    place.write("run/worktrees/two/lines.txt", "UN\n");
    one.bring_back("one").unwrap();
    two.bring_back("two").unwrap_err();
    let again = place.enter("two");
    assert!(again.bring_back("two").unwrap_err().message.contains("contradicts"), "an agent that changes nothing settles nothing");
    assert_eq!(place.read("project/lines.txt"), "ONE\n");
    place.write("run/worktrees/two/lines.txt", "ONE\nUN\n");
    place.enter("two").bring_back("two").unwrap();
    assert_eq!(place.read("project/lines.txt"), "ONE\nUN\n");
}

#[test]
fn another_attempt_finds_what_the_first_has_left_and_a_later_task_what_has_arrived() {
    let place = Place::new();
    let one = place.enter("one");
    place.write("run/worktrees/one/half.txt", "half");
    assert_eq!(place.enter("one").branch, one.branch);
    assert_eq!(place.read("run/worktrees/one/half.txt"), "half");
    one.bring_back("one").unwrap();
    let two = place.enter("two");
    place.write("run/worktrees/two/half.txt", "whole");
    two.bring_back("two").unwrap();
    place.enter("one");
    assert_eq!(place.read("run/worktrees/one/half.txt"), "whole", "a clean tree has what the project has");
}

#[test]
fn a_tree_that_was_lost_or_half_made_is_made_again_and_nothing_is_thrown_away() {
    let place = Place::new();
    let one = place.enter("one");
    place.write("run/worktrees/one/kept.txt", "kept");
    one.tree.commit_all("by the agent").unwrap();
    std::fs::remove_dir_all(place.0.join("run/worktrees/one")).unwrap();
    place.enter("one");
    assert_eq!(place.read("run/worktrees/one/kept.txt"), "kept", "what was committed is on its branch");
    place.write("run/worktrees/one/loose.txt", "loose");
    std::fs::remove_file(place.0.join("run/worktrees/one/.git")).unwrap();
    place.enter("one");
    assert_eq!(place.read("run/worktrees/one/kept.txt"), "kept");
    assert_eq!(place.read("run/worktrees/one.broken-1/loose.txt"), "loose");
    let locked = place.enter("one").tree.own_directory().unwrap().join("locked");
    std::fs::write(locked, "initializing").unwrap();
    place.enter("one").bring_back("one").unwrap();
    assert_eq!(place.read("project/kept.txt"), "kept");
}

#[test]
fn what_stands_in_the_way_is_told_and_the_work_is_kept() {
    let place = Place::new();
    let one = place.enter("one");
    place.write("run/worktrees/one/lines.txt", "ONE\n");
    place.write("project/lines.txt", "mine\n");
    let failure = one.bring_back("one").unwrap_err();
    assert!(failure.message.contains("Commit or stash") && failure.message.contains("lines.txt"), "{}", failure.message);
    assert_eq!((place.read("project/lines.txt").as_str(), failure.kind), ("mine\n", FailureKind::Configuration));
    place.git(&["stash", "--quiet"]);
    place.git(&["switch", "--quiet", "-c", "hotfix"]);
    let failure = one.bring_back("one").unwrap_err();
    assert!(failure.message.contains("was on `main`") && failure.message.contains("is on `hotfix` now"), "{}", failure.message);
    place.git(&["switch", "--quiet", "main"]);
    one.bring_back("one").unwrap();
    assert_eq!(place.read("project/lines.txt"), "ONE\n");
}

#[test]
fn a_project_without_a_repository_a_commit_or_a_branch_is_told_what_to_do() {
    let place = Place::new();
    std::fs::create_dir_all(place.0.join("bare")).unwrap();
    let told = |project: &str| usable(&place.0.join(project)).unwrap_err().message;
    assert!(told("bare").contains("git init"), "{}", told("bare"));
    Git::at(place.0.join("bare")).tell(&["init", "--quiet"]).unwrap();
    assert!(told("bare").contains("has no commit yet"), "{}", told("bare"));
    place.git(&["switch", "--quiet", "--detach"]);
    assert!(told("project").contains("git switch -c NAME"), "{}", told("project"));
}

#[test]
fn a_project_inside_its_repository_is_worked_on_there() {
    let place = Place::new();
    place.write("project/inner/a.txt", "a");
    place.project().commit_all("inner").unwrap();
    let tree = place.try_enter("one", "project/inner").unwrap();
    assert_eq!(tree.directory, place.0.join("run/worktrees/one/inner/"));
    place.write("run/worktrees/one/inner/a.txt", "b");
    tree.bring_back("one").unwrap();
    assert_eq!(place.read("project/inner/a.txt"), "b");
}

#[test]
fn trees_whose_work_has_arrived_go_and_others_stay_with_their_branches() {
    let place = Place::new();
    let (one, _two) = (place.enter("one"), place.enter("two"));
    place.write("run/worktrees/one/a.txt", "a");
    one.bring_back("one").unwrap();
    place.write("run/worktrees/two/b.txt", "b");
    let run = place.0.join("run");
    let kept = tidy(&run);
    assert_eq!(kept, [Kept { path: run.join("worktrees/two"), branch: Some("motet/tea-1/two".into()) }]);
    assert!(!run.join("worktrees/one").exists());
    assert_eq!(place.git(&["branch", "--list", "motet/*", "--format=%(refname:short)"]), "motet/tea-1/two");
    assert_eq!(remove(&run), []);
    assert!(!run.join("worktrees").exists(), "the tree is gone");
    assert_eq!(place.git(&["show", "motet/tea-1/two:b.txt"]), "b", "its work is not");
}

#[test]
fn names_that_differ_stay_different() {
    assert_eq!((file_name("01").as_str(), file_name("developer-2").as_str()), ("01", "developer-2"));
    let (slash, dot, umlaut) = (file_name("a/b"), file_name("a.b"), file_name("ä"));
    assert!(slash.starts_with("a-b-") && dot.starts_with("a-b-") && slash != dot, "{slash} {dot}");
    assert!(!umlaut.is_empty() && !umlaut.starts_with('-') && !file_name("").is_empty() && !file_name("--x").starts_with('-'));
}
