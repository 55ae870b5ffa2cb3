//! What Motet writes, runs and allows for an agent is on record, whatever the agent says of it afterwards.

use motet_agents::{Agent, Context, Exchange, Permissions, Redactor, Secret};
use serde_json::{Value, json};

use super::Place;
use crate::prompted;

/// One entry: what it is called, what was asked, what was answered, and whether that is an error.
type Entry = (String, Value, String, bool);

/// All but the conversation itself, which comes last: what was done in it was done before it ended.
fn entries(context: &Context) -> Vec<Entry> {
    let mut recorded = context.recorded();
    assert!(matches!(recorded.pop(), Some(Exchange::Conversation { .. })), "{recorded:?}");
    let entry = |exchange| match exchange {
        Exchange::Tool { name, arguments, answer, is_error, .. } => Some((name, arguments, answer, is_error)),
        _ => None,
    };
    recorded.into_iter().filter_map(entry).collect()
}

async fn check(place: &Place, prompt: &str, expected: &[(&str, Value, &str, bool)]) {
    let context = place.context();
    place.agent().perform(prompted(prompt), &context).await;
    let expected: Vec<Entry> = expected
        .iter()
        .map(|(name, arguments, answer, is_error)| (name.to_string(), arguments.clone(), answer.to_string(), *is_error))
        .collect();
    assert_eq!(entries(&context), expected, "{prompt}");
}

fn file(path: &str) -> Value {
    let digest = motet_core::names::Digest::of(b"written\n");
    json!({ "path": path, "bytes": 8, "digest": digest, "content": "written\n" })
}

fn leave(path: &str) -> Value {
    let asked = format!("Write {path}\n{{\n  \"path\": \"{path}\"\n}}");
    json!({ "asked": asked, "options": ["allow-once", "allow-always", "reject"] })
}

fn command(line: &str, place: &Place) -> Value {
    let directory = place.path("work").canonicalize().expect("it is there");
    json!({ "command": line, "directory": directory, "variables": {} })
}

#[tokio::test]
async fn every_file_that_is_written_and_every_leave_that_is_given_is_on_record() {
    let place = Place::new("record-write");
    let allowed = ("session/request_permission", leave("new.txt"), "allow-once: the configuration allows it", false);
    check(&place, "write new.txt", &[allowed, ("fs/write_text_file", file("new.txt"), "written", false)]).await;
}

#[tokio::test]
async fn what_is_refused_is_on_record_with_the_reason() {
    let mut place = Place::new("record-refuse");
    let context = place.context();
    place.agent().perform(prompted("just-write ../outside.txt"), &context).await;
    let recorded = entries(&context);
    let [(_, arguments, why, true)] = &recorded[..] else { panic!("{recorded:?}") };
    assert!(arguments["path"] == "../outside.txt" && why.contains("outside"), "{why}");
    place.permissions = Permissions::Reject;
    let why = "nothing may be changed: the configuration rejects it";
    let unasked = json!({ "command": "touch here", "directory": "", "variables": {} });
    check(&place, "run touch here", &[("terminal/create", unasked, why, true)]).await;
    check(&place, "just-write new.txt", &[("fs/write_text_file", file("new.txt"), why, true)]).await;
    let rejected = "reject: the configuration rejects it";
    check(&place, "write new.txt", &[("session/request_permission", leave("new.txt"), rejected, false)]).await;
}

#[tokio::test]
async fn every_command_that_is_run_is_on_record_with_what_became_of_it() {
    let place = Place::new("record-run");
    let ran = |line: &str| command(line, &place);
    check(&place, "run echo one; echo two", &[("terminal/create", ran("echo one; echo two"), "exit code 0\none\ntwo\n", false)]).await;
    check(&place, "run echo no >&2; exit 3", &[("terminal/create", ran("echo no >&2; exit 3"), "exit code 3\nno\n", true)]).await;
    let left = [("terminal/create", ran("sleep 600"), "it was ended while it ran\n", true)];
    check(&place, "leave 600", &left).await;
}

#[tokio::test]
async fn of_much_output_the_end_is_on_record() {
    let place = Place::new("record-much");
    let context = place.context();
    place.agent().perform(prompted("run seq 100000"), &context).await;
    let recorded = entries(&context);
    let [(_, _, answer, false)] = &recorded[..] else { panic!("{recorded:?}") };
    assert!(answer.starts_with("exit code 0\n… ") && answer.ends_with("99999\n100000\n"), "{answer}");
    assert!(answer.contains("characters before this are not kept") && answer.len() < 17 * 1024, "{}", answer.len());
}

#[tokio::test]
async fn no_secret_is_on_record() {
    let secret = "very-secret-0123456789";
    let place = Place::new("record-secret");
    let context = place.context().redacting(Redactor::new([Secret::new(secret)]));
    place.agent().perform(prompted(&format!("run echo {secret}")), &context).await;
    let recorded = format!("{:?}", context.recorded());
    assert!(
        recorded.contains("echo [redacted]") && recorded.contains("exit code 0\\n[redacted]") && !recorded.contains(secret),
        "{recorded}"
    );
}
