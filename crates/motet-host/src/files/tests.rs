//! Files as they arrive on disk.

use super::*;

/// A directory of a test's own, which is gone when the test is over.
struct Home(PathBuf);

fn home(name: &str) -> Home {
    Home(std::env::temp_dir().join(format!("motet-files-{name}-{}", std::process::id())))
}

impl std::ops::Deref for Home {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn file(path: &str, content: &str) -> Projected {
    Projected { path: path.into(), content: Ok(content.into()), editable: false }
}

fn read(home: &Path, path: &str) -> String {
    std::fs::read_to_string(home.join("runs/r").join(path)).unwrap()
}

#[test]
fn a_file_is_written_once_and_again_when_it_changes() {
    let home = home("changed");
    let mut files = Files::under(&home);
    assert!(files.write(&"r".into(), &[file("a/plan.md", "one")]).is_empty());
    std::fs::write(home.join("runs/r/a/plan.md"), "edited by a person").unwrap();
    assert!(files.write(&"r".into(), &[file("a/plan.md", "one")]).is_empty());
    assert_eq!(read(&home, "a/plan.md"), "edited by a person", "what did not change is left alone");
    assert!(files.write(&"r".into(), &[file("a/plan.md", "two")]).is_empty());
    assert_eq!(read(&home, "a/plan.md"), "two");
    let left: Vec<_> = std::fs::read_dir(home.join("runs/r/a")).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}

#[test]
fn what_cannot_take_its_place_is_told_and_leaves_nothing_behind() {
    let home = home("in-the-way");
    std::fs::create_dir_all(home.join("runs/r/report.md")).unwrap();
    let problems = Files::under(&home).write(&"r".into(), &[file("report.md", "text")]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let left: Vec<_> = std::fs::read_dir(home.join("runs/r")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["report.md"]);
}

#[test]
fn lines_are_added_and_rebuilt_whole() {
    let home = home("lines");
    let mut files = Files::under(&home);
    files.append(&"r".into(), &[file("log", "one"), file("log", "two\n")]);
    assert_eq!(read(&home, "log"), "one\ntwo\n");
    files.append(&"r".into(), &[file("log", "a line that was never journaled")]);
    files.rebuild(&"r".into(), &[file("log", "one"), file("other", "x"), file("log", "two")]);
    assert_eq!((read(&home, "log"), read(&home, "other")), ("one\ntwo\n".into(), "x\n".into()));
}

#[test]
fn nothing_is_written_outside_the_directory() {
    let home = home("outside");
    let mut files = Files::under(&home);
    for path in ["../up.md", "/tmp/absolute.md", "a/../../up.md", "", ".", "a\0b"] {
        let problems = files.write(&"r".into(), &[file(path, "no")]);
        assert_eq!(problems.len(), 1, "{path:?}");
    }
    assert!(!home.join("runs/up.md").exists() && !Path::new("/tmp/absolute.md").exists());
    assert!(files.write(&"r".into(), &[file("./a/b.md", "yes")]).is_empty());
}

#[test]
fn a_template_that_failed_is_a_problem_and_the_other_files_are_written() {
    let home = home("failed");
    let failed = Projected { path: "bad.md".into(), content: Err("no such value".into()), editable: false };
    let problems = Files::under(&home).write(&"r".into(), &[failed, file("good.md", "yes")]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].why, "no such value");
    assert_eq!(read(&home, "good.md"), "yes");
}

#[test]
fn a_link_does_not_lead_out_either() {
    let home = home("link");
    std::fs::create_dir_all(home.join("runs/r")).unwrap();
    std::fs::create_dir_all(home.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(home.join("elsewhere"), home.join("runs/r/link")).unwrap();
    let problems = Files::under(&home).write(&"r".into(), &[file("link/up.md", "no")]);
    assert_eq!(problems.len(), 1);
    assert!(!home.join("elsewhere/up.md").exists());
}

#[test]
fn a_removed_run_leaves_nothing() {
    let home = home("removed");
    let mut files = Files::under(&home);
    files.write(&"r".into(), &[file("a/b.md", "x")]);
    files.remove(&"r".into()).unwrap();
    assert!(!home.join("runs/r").exists());
    files.remove(&"r".into()).unwrap();
}

fn editable(path: &str, content: &str) -> Projected {
    Projected { editable: true, ..file(path, content) }
}

fn edit(home: &Path, path: &str, text: &str) {
    std::fs::write(home.join("runs/r").join(path), text).unwrap();
}

#[test]
fn an_edit_that_waits_survives_another_process_until_the_run_goes_on() {
    let home = home("waits");
    assert!(Files::under(&home).write(&"r".into(), &[editable("plan.md", "one")]).is_empty());
    edit(&home, "plan.md", "mine");
    let mut files = Files::under(&home);
    assert!(files.write(&"r".into(), &[editable("plan.md", "one")]).is_empty());
    assert_eq!(read(&home, "plan.md"), "mine", "the run would write nothing new");
    let problems = files.write(&"r".into(), &[editable("plan.md", "two")]);
    assert_eq!((read(&home, "plan.md"), read(&home, "plan.md.yours")), ("two".into(), "mine".into()));
    assert!(problems[0].to_string().contains("the run's version stands"), "{}", problems[0]);
}

#[test]
fn an_edit_that_was_taken_is_replaced_without_a_word() {
    let home = home("taken");
    let mut files = Files::under(&home);
    files.write(&"r".into(), &[editable("plan.md", "one")]);
    edit(&home, "plan.md", "two, roughly");
    files.took(&"r".into(), "other.md, plan.md");
    assert!(files.write(&"r".into(), &[editable("plan.md", "two")]).is_empty());
    assert_eq!(read(&home, "plan.md"), "two");
    assert!(!home.join("runs/r/plan.md.yours").exists());
}

#[test]
fn what_a_crash_left_half_done_is_not_taken_for_an_edit() {
    let home = home("crashed");
    Files::under(&home).write(&"r".into(), &[editable("plan.md", "one")]);
    Files::under(&home).write(&"r".into(), &[editable("plan.md", "two")]);
    // The manifest was written, and the file was not.
    edit(&home, "plan.md", "one");
    assert!(Files::under(&home).write(&"r".into(), &[editable("plan.md", "three")]).is_empty());
    assert_eq!(read(&home, "plan.md"), "three");
}

#[test]
fn an_edit_is_told_from_an_old_version_and_from_one_that_was_overtaken() {
    let home = home("standing");
    Files::under(&home).write(&"r".into(), &[editable("plan.md", "one")]);
    let written = Written::read(&home.join("runs/r"));
    let check = |now: &str, content: &str, expected: Standing| assert_eq!(written.standing("plan.md", now, content), expected, "{now}");
    check("one", "one", Standing::Untouched);
    check("one", "two", Standing::Untouched);
    check("mine", "one", Standing::Edited);
    check("mine", "two", Standing::Overtaken);
    assert_eq!(Written::default().standing("plan.md", "mine", "one"), Standing::Edited);
    let kept = set_aside(&home, &"r".into(), "plan.md", "one").unwrap();
    assert_eq!((read(&home, "plan.md"), std::fs::read_to_string(kept).unwrap()), ("one".into(), "one".into()));
}
