//! Processes that die, are interrupted, or meet each other over one run.

use rustix::process::Signal;

use super::project::Project;

#[test]
fn a_killed_run_goes_on_with_what_was_not_done() {
    let project = Project::new();
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes", "-i", "parts=3"]);
    project.until_begun(3);
    running.kill();
    let run = project.last();
    assert_eq!(project.list()[0]["status"], "interrupted");
    project.motet(&["watch", &run]).exits(130).says(&["interrupted"]);
    project.remove("wait.txt");
    project.motet(&["resume", "--yes"]).exits(0).says(&["was interrupted at building.1/1", "attempt 2", "completed"]);
    project.motet(&["replay", &run]).exits(0);
    project.motet(&["verify", &run]).exits(0);
}

#[test]
fn an_interrupt_leaves_a_run_that_can_be_resumed() {
    let project = Project::new();
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes"]);
    project.until_begun(2);
    running.send(Signal::INT);
    running.wait().exits(130).says(&["was interrupted", "motet resume ship-"]);
    project.remove("wait.txt");
    assert_eq!(project.read("done.txt"), "", "the programs of an interrupted run are ended");
    project.motet(&["resume", "--yes"]).exits(0);
    assert_eq!(project.read("done.txt").lines().count(), 2);
}

#[test]
fn a_resumed_case_goes_on_with_the_line_that_nobody_heard() {
    let project = Project::new();
    let running = project.start(&["run", "slogan", "--demo"]);
    project.until("the first draft", || !project.list().is_empty() && project.status("last")["state"] == "reviewing");
    running.kill();
    project.motet(&["resume"]).exits(0).says(&["Good rhythm but vague", "Hydrate Green, Save Our Seas"]);
}

#[test]
fn a_crash_of_a_case_ends_the_process_and_happens_once() {
    let project = Project::new();
    project
        .motet(&["run", "article", "--case", "crash-and-resume", "--pace", "0"])
        .exits(130)
        .says(&["the case lets the process die here"]);
    assert_eq!(project.list()[0]["status"], "interrupted");
    project.motet(&["resume"]).exits(0).says(&["was interrupted", "completed"]);
}

#[test]
fn the_files_of_a_run_that_ended_as_its_process_died_are_written_again() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo", "--pace", "0"]).exits(0);
    let session = format!(".motet/runs/{}/session.json", project.last());
    let written = project.read(&session);
    project.remove(&session);
    project.motet(&["resume", "last"]).exits(2).says(&["has ended: completed"]);
    assert_eq!(project.read(&session), written);
    assert!(!written.is_empty());
}

#[test]
fn a_second_process_is_refused_the_same_run() {
    let project = Project::new();
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes"]);
    project.until_begun(2);
    let pid = running.pid().to_string();
    project.motet(&["resume", "last"]).exits(6).says(&["is being driven by process", &pid, "motet watch"]);
    project.remove("wait.txt");
    running.wait().exits(0);
}

#[test]
fn a_detached_run_is_watched_to_its_end() {
    let project = Project::new();
    project.write("wait.txt", "");
    let done = project.motet(&["run", "ship", "a boat", "--yes", "--detach"]).exits(0);
    let run = done.out.trim().to_string();
    assert_eq!(run, project.last());
    project.until_begun(2);
    let watching = project.start(&["watch", &run]);
    project.remove("wait.txt");
    watching.wait().exits(0).says(&["completed", "goal  a boat"]);
    assert!(project.read(format!(".motet/runs/{run}/logs/driver.log")).contains("completed"));
}

#[test]
fn watching_a_run_whose_process_dies_ends_with_how_it_stands() {
    let project = Project::new();
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes"]);
    project.until_begun(2);
    let mut watching = project.start(&["watch", "last"]);
    let line = watching.first_line();
    assert!(line.contains("Ctrl-C stops watching"), "{line}");
    running.kill();
    watching.wait().exits(130).says(&["motet resume"]);
}

#[test]
fn a_task_that_must_not_run_twice_waits_for_a_person_after_a_kill() {
    let project = Project::new();
    let text = project.read("workflows/ship/workflow.yaml").replace("cost: 0.01,", "cost: 0.01, class: unsafe,");
    project.write("workflows/ship/workflow.yaml", &text);
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes", "-i", "parts=1"]);
    project.until_begun(1);
    running.kill();
    project.motet(&["resume", "--yes"]).exits(4).says(&["only a person can tell", "run_again", "motet approve"]);
    assert_eq!(project.read("begun.txt").lines().count(), 1, "it was not started twice");
    project.remove("wait.txt");
    project.motet(&["approve", "last", "run_again"]).exits(4).says(&["attempt 2", "Ship a boat?"]);
}
