//! Work that must not be lost, trees that are not ours, and work that nobody waits for.

use std::time::Duration;

use motet_core::effect::CallWork;
use motet_core::units::Usd;
use serde_json::json;

use super::*;
use crate::context::StopReason;

fn call() -> Call {
    Call {
        run: "tea-1".into(),
        task: "brewing.1".into(),
        attempt: 1,
        key: "brewing.1#1".into(),
        agent: "brewer".into(),
        role: "brewer".into(),
        work: CallWork::Prompt,
        input: json!({}),
        correction: None,
        answers: Vec::new(),
        timeout_ms: 1000,
        class: Default::default(),
        works_in: Some("one".into()),
        model: Default::default(),
        reserved: Usd::ZERO,
        unattended: false,
    }
}

/// Whether some branch has the file with this text.
fn is_on_a_branch(place: &Place, file: &str, text: &str) -> bool {
    let branches = place.git(&["for-each-ref", "--format=%(refname)", "refs/heads"]);
    branches.lines().any(|branch| place.project().answer(&["show", &format!("{branch}:{file}")]).unwrap().as_deref() == Some(text))
}

#[test]
fn a_tree_on_no_branch_is_told_and_gets_a_branch_before_it_is_removed() {
    let place = Place::new();
    let one = place.enter("one");
    one.tree.tell(&["switch", "--quiet", "--detach"]).unwrap();
    place.write("run/worktrees/one/precious.txt", "precious");
    one.tree.commit_all("by the agent").unwrap();
    place.write("run/worktrees/one/loose.txt", "loose");
    let run = place.0.join("run");
    assert_eq!(tidy(&run), [Kept { path: run.join("worktrees/one"), branch: None }]);
    assert_eq!(place.read("run/worktrees/one/loose.txt"), "loose");
    assert_eq!(remove(&run), []);
    assert!(!run.join("worktrees").exists());
    assert!(is_on_a_branch(&place, "precious.txt", "precious") && is_on_a_branch(&place, "loose.txt", "loose"));
}

#[test]
fn a_tree_on_no_branch_whose_work_has_arrived_goes() {
    let place = Place::new();
    let one = place.enter("one");
    one.tree.tell(&["switch", "--quiet", "--detach"]).unwrap();
    place.write("run/worktrees/one/a.txt", "a");
    one.bring_back("one").unwrap();
    assert_eq!(tidy(&place.0.join("run")), []);
    assert_eq!((place.read("project/a.txt").as_str(), place.0.join("run/worktrees").exists()), ("a", false));
}

#[test]
fn what_git_cannot_open_is_told_and_stays() {
    let place = Place::new();
    place.enter("one");
    place.write("run/worktrees/one/loose.txt", "loose");
    std::fs::create_dir(place.0.join("run/worktrees/empty")).unwrap();
    // Put aside, inside of another repository, which git finds above it.
    std::fs::create_dir(place.0.join("run/worktrees/one.broken-1")).unwrap();
    place.write("run/worktrees/one.broken-1/older.txt", "older");
    Git::at(place.0.join("run")).tell(&["init", "--quiet"]).unwrap();
    // The project was moved.
    std::fs::rename(place.0.join("project"), place.0.join("elsewhere")).unwrap();
    let run = place.0.join("run");
    let all = ["one", "one.broken-1"].map(|name| Kept { path: run.join("worktrees").join(name), branch: None });
    assert_eq!(tidy(&run), all);
    assert_eq!(remove(&run), all);
    assert_eq!(place.read("run/worktrees/one/loose.txt"), "loose");
    assert_eq!(place.read("run/worktrees/one.broken-1/older.txt"), "older");
}

#[test]
fn a_tree_of_the_users_that_is_away_is_still_one_when_it_is_back() {
    let place = Place::new();
    let (here, away) = (place.0.join("mine"), place.0.join("away"));
    place.git(&["worktree", "add", "--quiet", "-b", "mine", &here.to_string_lossy()]);
    std::fs::rename(&here, &away).unwrap();
    place.enter("one");
    std::fs::rename(&away, &here).unwrap();
    assert_eq!(Git::at(here).answer(&["symbolic-ref", "--short", "HEAD"]).unwrap().as_deref(), Some("mine"));
}

#[test]
fn work_that_is_given_up_while_it_waits_for_the_lock_does_not_arrive() {
    let place = Place::new();
    let one = place.enter("one");
    place.write("run/worktrees/one/late.txt", "late");
    let begun = one.tree.head().unwrap();
    let held = lock(&place.project()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let context = Context::new().0.in_run_directory(place.0.join("run")).working_in(place.0.join("project"));
    runtime.block_on(async {
        let settling = settle("one", Outcome::returned(json!("done")), call(), &context);
        tokio::time::timeout(Duration::from_millis(200), settling).await.unwrap_err();
    });
    drop(held);
    // Waits for what still goes on.
    drop(runtime);
    assert_eq!((one.tree.head().unwrap(), place.read("project/late.txt").as_str()), (begun, ""));
    place.enter("one").bring_back("one").unwrap();
    assert_eq!(place.read("project/late.txt"), "late", "the next attempt brings it");
}

#[test]
fn what_was_cancelled_does_not_arrive_and_what_is_only_late_does() {
    for (reason, arrives) in [(StopReason::Cancelled, false), (StopReason::TimedOut, true)] {
        let place = Place::new();
        let (context, stop) = Context::new();
        let context = context.in_run_directory(place.0.join("run")).working_in(place.0.join("project"));
        let one = Tree::of("tea-1", "one", &context).unwrap();
        one.prepare().unwrap();
        place.write("run/worktrees/one/a.txt", "a");
        stop.stop(reason);
        assert_eq!(one.bring_back("one").is_ok(), arrives);
        assert_eq!(place.read("project/a.txt") == "a", arrives);
    }
}

#[test]
fn who_is_half_known_to_git_is_completed_and_not_replaced() {
    let place = Place::new();
    place.git(&["config", "user.name", ""]);
    place.git(&["config", "user.email", "ada@example.org"]);
    place.write("project/a.txt", "a");
    place.project().commit_all("a").unwrap();
    assert_eq!(place.git(&["log", "-1", "--format=%an %ae"]), "Motet ada@example.org");
}
