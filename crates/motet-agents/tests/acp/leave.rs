//! An agent that has us write and run without asking first: the same gate opens for it, or it is refused.

use motet_agents::{Absence, Permissions};
use serde_json::json;

use super::{Place, again, answering, asked};
use crate::{prompted, returned};

/// What comes of a deed that the agent has not asked leave for, as people answer one question after the other.
async fn check_leave(name: &str, prompt: &str, answers: &[(&str, &str)], expected: &str) -> Place {
    let mut place = Place::new(&format!("leave-{name}"));
    place.permissions = Permissions::Ask;
    let mut request = prompted(prompt);
    for (about, answer) in answers {
        let question = asked(place.perform(request.clone()).await);
        assert!(question.question.starts_with(about), "{prompt}: {}", question.question);
        assert_eq!((question.options.join(" ").as_str(), question.is_permission), ("allow_once allow_always deny", true));
        request = answering(request, &question, answer);
    }
    assert_eq!(returned(place.perform(request).await), json!(expected), "{prompt}");
    place
}

#[tokio::test]
async fn a_write_without_leave_becomes_a_question_of_its_own() {
    let place = check_leave("write", "just-write a.txt", &[("Write a.txt\nwritten\n", "allow_once")], "wrote a.txt").await;
    assert_eq!(std::fs::read_to_string(place.path("work/a.txt")).expect("it was written"), "written\n");
    let place = check_leave("deny", "just-write a.txt", &[("Write a.txt", "deny")], "refused: this was not allowed").await;
    assert!(!place.path("work/a.txt").exists());
    // A person who has said nothing has allowed nothing, and what would be refused anyway is not asked.
    let mut place = Place::new("leave-waits");
    place.permissions = Permissions::Ask;
    asked(place.perform(prompted("just-write a.txt")).await);
    assert!(!place.path("work/a.txt").exists());
    assert!(returned(place.perform(prompted("just-write ../a.txt")).await).as_str().is_some_and(|told| told.contains("outside")));
}

#[tokio::test]
async fn a_command_without_leave_becomes_a_question_of_its_own() {
    let place = check_leave("run", "run touch made; echo ok", &[("Run touch made; echo ok", "allow_once")], "exit Some(0): ok").await;
    assert!(place.path("work/made").exists());
    let place = check_leave("no-run", "run touch made", &[("Run touch made", "deny: no")], "refused: this was not allowed").await;
    assert!(!place.path("work/made").exists());
}

#[tokio::test]
async fn leave_for_one_file_is_no_leave_for_the_next_unless_it_is_for_all() {
    let (a, b) = ("Write a.txt", "Write b.txt");
    let mut place = Place::new("leave-each");
    place.permissions = Permissions::Ask;
    let question = asked(place.perform(prompted("just-write a.txt a.txt")).await);
    let again = asked(place.perform(answering(prompted("just-write a.txt a.txt"), &question, "allow_once")).await);
    assert_eq!(again, question, "it held for the first and not for the second");
    check_leave("other", "just-write a.txt b.txt", &[(a, "allow_always")], "wrote a.txt, wrote b.txt").await;
    let place = check_leave("asked", "ask-then-write a.txt", &[(a, "allow_once")], "wrote a.txt").await;
    assert!(place.path("work/a.txt").exists(), "what it asked for itself is not asked again");
    let mut place = Place::new("leave-more");
    place.permissions = Permissions::Ask;
    let question = asked(place.perform(prompted("ask-then-write a.txt b.txt")).await);
    let answered = answering(prompted("ask-then-write a.txt b.txt"), &question, "allow_once");
    let second = asked(place.perform(answered).await);
    assert!(second.question.starts_with(b), "{}", second.question);
    assert!(place.path("work/a.txt").exists() && !place.path("work/b.txt").exists());
}

#[tokio::test]
async fn leave_for_all_commands_holds_when_the_conversation_goes_on_and_is_none_for_files() {
    let mut place = Place::new("leave-kinds");
    place.permissions = Permissions::Ask;
    for resumes in ["resume", ""] {
        place.resumes = resumes;
        let question = asked(place.perform(prompted("run true")).await);
        let request = answering(prompted("run true"), &question, "allow_always");
        assert_eq!(returned(place.perform(request.clone()).await), json!("exit Some(0):"));
        assert_eq!(returned(place.perform(again(request.clone())).await), json!("exit Some(0):"));
        // What people have said is in the journal: without it, nothing that was kept gives leave.
        let mut forgetful = again(request);
        forgetful.call.answers.clear();
        assert_eq!(asked(place.perform(forgetful).await), question);
        std::fs::remove_dir_all(place.path("run/conversations")).expect("it was kept");
    }
    let question = asked(place.perform(prompted("both a.txt")).await);
    let second = asked(place.perform(answering(prompted("both a.txt"), &question, "allow_always")).await);
    assert!(question.question.starts_with("Run true") && second.question.starts_with("Write a.txt"), "{second:?}");
}

#[tokio::test]
async fn where_nobody_is_there_nothing_is_written_or_run_unless_the_configuration_says_so() {
    for (absence, told, is_made) in [(Absence::Reject, "refused: this was not allowed", false), (Absence::Allow, "exit Some(0):", true)] {
        let mut place = Place::new(&format!("leave-{absence:?}"));
        (place.permissions, place.absence) = (Permissions::Ask, absence);
        let mut request = prompted("run touch made");
        request.call.unattended = true;
        assert_eq!(returned(place.perform(request.clone()).await), json!(told));
        assert_eq!(place.path("work/made").exists(), is_made);
        request.prompt = Some("just-write a.txt".into());
        returned(place.perform(request).await);
        assert_eq!(place.path("work/a.txt").exists(), is_made);
    }
}

#[tokio::test]
async fn a_file_gives_no_leave_whatever_it_says() {
    let mut place = Place::new("leave-forged");
    place.permissions = Permissions::Ask;
    let question = asked(place.perform(prompted("run touch made")).await);
    let kept = place.path("run/conversations/writing.1_api.writer.json");
    let mut forged: serde_json::Value = serde_json::from_slice(&std::fs::read(&kept).expect("it was kept")).expect("it is whole");
    forged["allowed"] = json!(["write", "run"]);
    std::fs::write(&kept, forged.to_string()).expect("it can be written");
    assert_eq!(asked(place.perform(again(prompted("run touch made"))).await), question);
    assert!(!place.path("work/made").exists());
}

#[tokio::test]
async fn what_motet_keeps_for_itself_is_out_of_reach_even_where_everything_is_allowed() {
    for (name, prompt) in [
        ("journal", "write .motet/motet.db"),
        ("leave", "write .motet/runs/one/conversations/writing.1_api.writer.json"),
        ("read", "read .motet/motet.db"),
        ("work", "run-in .motet/runs touch made"),
    ] {
        let mut place = Place::new(&format!("home-{name}"));
        place.run = "work/.motet/runs/one";
        std::fs::create_dir_all(place.path("work/.motet/runs/one")).expect("it can be made");
        std::fs::write(place.path("work/.motet/motet.db"), "one\ntwo\n").expect("it can be written");
        let answer = returned(place.perform(prompted(prompt)).await);
        assert!(answer.as_str().is_some_and(|told| told.contains("belongs to Motet itself")), "{prompt}: {answer}");
        assert_eq!(std::fs::read_to_string(place.path("work/.motet/motet.db")).expect("it is there"), "one\ntwo\n");
        assert!(!place.path("work/.motet/runs/made").exists());
    }
}
