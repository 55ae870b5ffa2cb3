//! People: who answers what, from which process, and what is refused.

use super::project::Project;

#[test]
fn a_run_is_answered_from_a_second_process_while_the_first_drives() {
    let project = Project::new();
    project.write("wait.txt", "");
    let run = {
        project.motet(&["run", "ship", "a boat", "--detach"]).exits(0);
        project.last()
    };
    let pid = project.list()[0]["pid"].clone();
    assert!(pid.is_u64(), "the run waits in a process of its own");
    project.motet(&["answer", &run, "tone=playful"]).exits(0).says(&["goes on in process"]);
    project.until_begun(2);
    project.remove("wait.txt");
    project.until("the approval", || project.status(&run)["gates"][0]["gate"] == "approving.1");
    project.motet(&["inbox"]).exits(0).says(&["Ship a boat?", "motet approve", "--text"]);
    project.motet(&["approve", &run, "perhaps"]).exits(2).says(&["`perhaps` is not one of approve, change, halve, abort"]);
    project.motet(&["approve", &run, "change"]).exits(2).says(&["needs a sentence"]);
    project.motet(&["approve", &run, "--as", "grace"]).exits(0);
    project.until("the end", || project.status(&run)["status"] == "completed");
    project.motet(&["log", &run]).exits(0).says(&["grace answers gate approving.1: approve"]);
    project.until("its process ending", || project.list()[0]["pid"].is_null());
}

#[test]
fn an_answer_without_a_driver_is_recorded_and_the_run_goes_on_here() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["answer", "last", "size=large"]).exits(2).says(&["it has no question `size`"]);
    project.motet(&["answer", "last", "tone=formal", "--only"]).exits(0).says(&["motet resume"]);
    assert_eq!(project.read("begun.txt"), "", "nothing is taken up by an answer that is only recorded");
    project.motet(&["resume", "last"]).exits(4).says(&["Ship a boat?"]);
    project.motet(&["approve", "last"]).exits(0).says(&["completed"]);
}

#[test]
fn yes_is_not_said_for_a_run_that_was_paused() {
    let project = Project::new();
    project.write("wait.txt", "");
    let running = project.start(&["run", "ship", "a boat", "--yes"]);
    project.until_begun(2);
    project.motet(&["pause", "last", "--reason", "lunch"]).exits(0);
    project.remove("wait.txt");
    running.wait().exits(4).says(&["is paused: lunch"]);
    let status = project.status("last");
    assert_eq!((&status["status"], &status["gates"][0]["gate"]), (&"paused".into(), &"approving.1".into()), "{status}");
    project.motet(&["resume", "last", "--yes"]).exits(0).says(&["completed"]);
}

#[test]
fn an_answer_that_ends_the_run_says_how_it_ended() {
    let project = Project::new();
    for (option, told) in [(&["approve"][..], "completed"), (&["change", "--text", "no"], "was aborted"), (&["halve"], "completed in part")]
    {
        for left in ["--only", "--detach"] {
            project.motet(&["run", "ship", "a boat"]).exits(4);
            let run = project.last();
            project.motet(&["answer", "last", "tone=formal"]).exits(4);
            // Nothing is driven here, so the exit tells only that the answer was taken.
            let done = project.motet(&[&["approve", "last"], option, &[left]].concat()).exits(0);
            assert!(done.out.contains(&format!("answered; {run} {told}")) && !done.shown().contains("goes on"), "{}", done.shown());
        }
    }
}

#[test]
fn an_option_that_needs_a_sentence_says_how_to_give_one() {
    let project = Project::new();
    let text = project.read("workflows/ship/workflow.yaml").replace("text_for: [change]", "text_for: [approve, change]");
    project.write("workflows/ship/workflow.yaml", &text);
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["answer", "last", "tone=formal"]).exits(4);
    for arguments in [&["approve", "last"][..], &["approve", "last", "change"], &["approve", "last", "--text", " "]] {
        project.motet(arguments).exits(2).says(&["needs a sentence: add `--text \"…\"`"]);
    }
    project.motet(&["approve", "last", "--text", "it floats"]).exits(0);
}

#[test]
fn a_run_that_asks_nobody_takes_no_answer() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    project.motet(&["approve", "last"]).exits(2).says(&["asks nobody anything"]);
    project.motet(&["inbox"]).exits(0).says(&["nobody is asked anything"]);
}

#[test]
fn only_those_who_hold_the_office_may_answer() {
    let project = Project::new();
    let text =
        project.read("workflows/ship/workflow.yaml").replace("      show: plan.md\n", "      show: plan.md\n      who: [approver]\n");
    project.write("workflows/ship/workflow.yaml", &text);
    project.write("motet.toml", "[agents.builder]\ncommand = ['./builder.sh']\n[people]\napprover = ['grace']\n");
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["answer", "last", "tone=formal"]).exits(4);
    project.motet(&["approve", "last"]).exits(2).says(&["ada is not one of its people"]);
    project.motet(&["approve", "last", "--as", "grace"]).exits(0);
}

#[test]
fn a_pause_lets_work_finish_and_a_resume_goes_on() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["pause", "last", "--reason", "lunch"]).exits(0);
    project.motet(&["pause", "last"]).exits(2).says(&["paused already"]);
    project.motet(&["watch", "last"]).exits(4).says(&["paused: lunch"]);
    project.motet(&["resume", "last"]).exits(4).says(&["ada resumed the run", "Which tone?"]);
}

#[test]
fn a_driven_run_is_paused_and_cancelled_from_outside() {
    let project = Project::new();
    project.write("wait.txt", "");
    project.motet(&["run", "ship", "a boat", "--yes", "--detach"]).exits(0);
    project.until_begun(2);
    project.motet(&["pause", "last"]).exits(0);
    project.motet(&["resume", "last"]).exits(0).says(&["told process"]);
    project.motet(&["cancel", "last"]).exits(0);
    project.until("the end", || project.status("last")["status"] == "cancelled");
    project.motet(&["cancel", "last"]).exits(2).says(&["has ended: cancelled"]);
    project.motet(&["resume", "last"]).exits(2).says(&["has ended: cancelled", "motet fork"]);
}

#[test]
fn a_question_takes_only_its_options_and_no_empty_answer() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat"]).exits(4);
    project.motet(&["answer", "last", "tone=angry"]).exits(2).says(&["`angry` is not one of formal, playful"]);
    project.motet(&["answer", "last", "tone= "]).exits(2).says(&["the answer to `tone` is empty"]);
    project.motet(&["answer", "last", "tone=playful"]).exits(4);
}

#[test]
fn a_person_plays_an_agent_through_the_inbox_and_needs_no_terminal() {
    let project = Project::new();
    project.write("motet.toml", "[agents.builder]\nperson = true\n");
    project.motet(&["run", "ship", "a boat", "-i", "parts=1", "--yes"]).exits(4).says(&["You play builder", "Build part 0 of a boat."]);
    project.motet(&["inbox"]).exits(0).says(&["You play builder", "motet answer"]);
    project.motet(&["answer", "last", " "]).exits(2).says(&["an answer is needed"]);
    // The process that takes the answer is not the one that goes on with it.
    project.motet(&["answer", "last", "{\"build\": 1}", "--only"]).exits(0);
    project.motet(&["resume", "last"]).exits(4).says(&["Ship a boat?"]);
    project.motet(&["approve", "last"]).exits(0);
    assert_eq!(project.status("last")["output"]["parts"][0]["built"], "{\"build\": 1}", "one text is the one field that is wanted");
}

#[test]
fn what_a_person_writes_as_an_agent_must_have_its_shape() {
    let project = Project::new();
    let text =
        project.read("workflows/ship/workflow.yaml").replace("returns: { built: string }", "returns: { built: string, size: integer }");
    project.write("workflows/ship/workflow.yaml", &text);
    project.write("motet.toml", "[agents.builder]\nperson = true\n");
    project.motet(&["run", "ship", "a boat", "-i", "parts=1", "--yes"]).exits(4).says(&["Answer with JSON of this shape"]);
    project.motet(&["answer", "last", "a hull"]).exits(2).says(&["must be one JSON object"]);
    project.motet(&["answer", "last", "{\"built\": \"hull\"}"]).exits(2).says(&["size"]);
    project.motet(&["answer", "last", "{\"built\": \"hull\", \"size\": 3}"]).exits(4).says(&["Ship a boat?"]);
    project.motet(&["approve", "last"]).exits(0);
}

#[test]
fn nobody_plays_an_agent_in_an_unattended_run() {
    let project = Project::new();
    project.write("motet.toml", "[agents.builder]\nperson = true\n");
    project.motet(&["run", "ship", "a boat", "--unattended"]).exits(1).says(&["a person plays builder, and nobody was there"]);
}
