//! Contradictions that have no marks, and marks that an agent has staged or committed.

use super::*;

/// Two tasks contradict each other in one file; the second agent then does `settles` in its tree and is done. What it is told, or what
/// the project has in the end.
fn check(settles: &[&[&str]], second: Option<&[u8]>, expected: Result<&str, &[&str]>) {
    let place = Place::new();
    place.write("project/thing", "\0one");
    place.project().commit_all("thing").unwrap();
    let (one, two) = (place.enter("one"), place.enter("two"));
    let thing = place.0.join("run/worktrees/two/thing");
    place.write("run/worktrees/one/thing", "\0ONE");
    match second {
        Some(bytes) => std::fs::write(&thing, bytes).unwrap(),
        None => std::fs::remove_file(&thing).unwrap(),
    }
    one.bring_back("one").unwrap();
    two.bring_back("two").unwrap_err();
    let again = place.enter("two");
    for words in settles {
        again.tree.sign(words).unwrap().must("the agent settles it").unwrap();
    }
    let brought = again.bring_back("two");
    match expected {
        Ok(text) => {
            let told = brought.unwrap().unwrap_or_default();
            assert_eq!(place.read("project/thing"), text);
            assert_eq!(told.contains("takes the place of what main had in thing:"), text != "\0ONE", "{told}");
        }
        Err(told) => {
            let message = brought.unwrap_err().message;
            assert!(told.iter().all(|words| message.contains(words)), "{message}");
            assert_eq!(place.read("project/thing"), "\0ONE", "the project is as it was");
        }
    }
}

#[test]
fn what_can_have_no_marks_is_settled_by_a_choice_and_not_by_doing_nothing() {
    check(&[], Some(b"\0UN"), Err(&["in thing.", "binary (thing)"]));
    check(&[&["add", "thing"]], Some(b"\0UN"), Ok("\0UN"));
    check(&[&["add", "--all"]], Some(b"\0UN"), Ok("\0UN"));
    check(&[&["checkout", "--theirs", "thing"]], Some(b"\0UN"), Ok("\0ONE"));
    check(&[], None, Err(&["in thing.", "deleted (thing)"]));
    check(&[&["rm", "--quiet", "thing"]], None, Ok(""));
    check(&[&["add", "thing"]], None, Ok("\0ONE"));
}

/// The second of two that contradict each other in a text leaves the marks, and does this with them.
fn check_marks(does: &[&[&str]]) {
    let place = Place::new();
    let (one, two) = (place.enter("one"), place.enter("two"));
    place.write("run/worktrees/one/lines.txt", "ONE\n");
    place.write("run/worktrees/two/lines.txt", "UN\n");
    place.write("run/worktrees/two/example.txt", "<<<<<<< a\n=======\n>>>>>>> b\n");
    one.bring_back("one").unwrap();
    two.bring_back("two").unwrap_err();
    let again = place.enter("two");
    for words in does {
        again.tree.sign(words).unwrap().must("the agent does it").unwrap();
    }
    let message = again.bring_back("two").unwrap_err().message;
    assert!(message.contains("contradicts") && message.contains("in lines.txt."), "{message}");
    assert_eq!(place.read("project/lines.txt"), "ONE\n");
    place.write("run/worktrees/two/lines.txt", "ONE\nUN\n");
    place.enter("two").bring_back("two").unwrap();
    assert_eq!(place.read("project/lines.txt"), "ONE\nUN\n");
    assert!(place.read("project/example.txt").starts_with("<<<<<<< a"), "marks that somebody meant to write arrive");
}

#[test]
fn marks_that_an_agent_has_staged_or_committed_do_not_arrive() {
    check_marks(&[]);
    check_marks(&[&["add", "--all"]]);
    check_marks(&[&["add", "--all"], &["commit", "--quiet", "--message", "done"]]);
}

#[test]
fn marks_of_another_length_are_marks() {
    let place = Place::new();
    place.write("project/.gitattributes", "lines.txt conflict-marker-size=12\n");
    place.project().commit_all("longer marks").unwrap();
    let (one, two) = (place.enter("one"), place.enter("two"));
    place.write("run/worktrees/one/lines.txt", "ONE\n");
    place.write("run/worktrees/two/lines.txt", "UN\n");
    one.bring_back("one").unwrap();
    two.bring_back("two").unwrap_err();
    assert!(place.read("run/worktrees/two/lines.txt").starts_with("<<<<<<<<<<<< "));
    place.enter("two").bring_back("two").unwrap_err();
    assert_eq!(place.read("project/lines.txt"), "ONE\n");
}
