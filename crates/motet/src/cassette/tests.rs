//! Every case of every built-in workflow, recorded while it is played, plays again to the same end.

mod interrupted;

use motet_core::case::{self, Happens};

use super::*;
use crate::library::Library;
use crate::rehearsal::{compare, play};

#[test]
fn a_recording_of_any_case_plays_again_to_the_same_end() {
    let library = Library::around(std::path::Path::new("/nowhere"), None);
    let mut recorded = 0;
    for workflow in library.names() {
        let loaded = library.load(workflow).unwrap_or_else(|problem| panic!("{problem}"));
        for (file, text) in loaded.folder.iter().filter(|(path, _)| path.starts_with("cases/")) {
            let case = case::parse(file, text).expect("a case");
            // What was refused left no trace in the journal, and a run that was never started left no journal.
            if !case.expect.refused.is_empty() {
                continue;
            }
            let first = play(&loaded.definition, &case, file, &library);
            let past =
                Past { run: RunId::new(format!("{workflow}-case")), definition: loaded.definition.clone(), events: first.events.clone() };
            let cassette = of("recorded", &[past]).unwrap_or_else(|rejected| panic!("{file}: {rejected}"));
            let recording = case::parse("cassette.yaml", &cassette).unwrap_or_else(|problems| panic!("{problems:#?}\n{cassette}"));
            let second = play(&loaded.definition, &recording, "cassette.yaml", &library);
            let differences = compare(&recording.expect, &second);
            assert!(differences.is_empty(), "{workflow}/{file}: {differences:#?}\n{cassette}");
            if !case.events.iter().any(|happening| happening.what == Happens::Crash) {
                assert_eq!(second.duration_ms, first.duration_ms, "{workflow}/{file}\n{cassette}");
            }
            recorded += 1;
        }
    }
    assert!(recorded > 200, "only {recorded} cases were recorded");
}

/// A provider took no calls for a while, and the clock of whoever called it stood.
#[test]
fn an_answer_that_was_held_up_for_longer_than_its_timeout_plays_again() {
    let library = Library::around(std::path::Path::new("/nowhere"), None);
    let loaded = library.load("slogan").unwrap_or_else(|problem| panic!("{problem}"));
    let case = "case: one\ninput: { product: tea }\nagents:\n  writer: [{ returns: Sip, delay_ms: 20 }]\n  \
                reviewer: [{ returns: { outcome: approved, score: 9, feedback: '' }, delay_ms: 20 }]\nexpect: { status: completed }\n";
    let case = case::parse("one.yaml", case).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut events = play(&loaded.definition, &case, "one.yaml", &library).events;
    let timeout = loaded.definition.agents.values().map(|agent| agent.timeout_ms).max().expect("an agent");
    let answered = events.iter().position(|event| matches!(event.fact, Fact::TaskSucceeded { .. })).expect("an answer");
    events[answered..].iter_mut().for_each(|event| event.at = event.at.plus(timeout + 1_000));
    let past = Past { run: "slogan-case".into(), definition: loaded.definition.clone(), events };
    let cassette = of("recorded", &[past]).unwrap_or_else(|rejected| panic!("{rejected}"));
    let recording = case::parse("cassette.yaml", &cassette).unwrap_or_else(|problems| panic!("{problems:#?}\n{cassette}"));
    let again = play(&loaded.definition, &recording, "cassette.yaml", &library);
    assert!(compare(&recording.expect, &again).is_empty(), "{cassette}");
    assert!(!cassette.contains("hangs"), "{cassette}");
}
