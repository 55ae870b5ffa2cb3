//! A person behind a port.

use std::sync::Mutex;

use motet_agents::person::{Ask, PersonAgent};
use motet_agents::{Agent, BoxFuture, Outcome, Progress};
use motet_core::event::FailureKind;
use serde_json::{Value, json};

use crate::{failure, listening, prompted, returned};

/// Answers as told and keeps what was shown.
struct Scribe(Option<Value>, Mutex<Vec<String>>);

impl Ask for &Scribe {
    fn ask<'a>(&'a self, title: &'a str, body: &'a str, schema: Option<&'a Value>) -> BoxFuture<'a, Option<Value>> {
        self.1.lock().expect("no test panicked").push(format!("{title} | {body} | {}", schema.unwrap_or(&Value::Null)));
        Box::pin(async { self.0.clone() })
    }
}

async fn check(answer: Option<Value>) -> (Outcome, Vec<String>, Vec<Progress>) {
    // The port outlives the agent for as long as the test runs.
    let scribe: &'static Scribe = Box::leak(Box::new(Scribe(answer, Mutex::new(Vec::new()))));
    let (context, _stop, heard) = listening();
    let mut request = prompted("Write.");
    request.schema = Some(json!({"type": "string"}));
    let outcome = PersonAgent::new(scribe).perform(request, &context).await;
    let heard = heard.lock().expect("no test panicked").clone();
    (outcome, scribe.1.lock().expect("no test panicked").clone(), heard)
}

#[tokio::test]
async fn a_person_sees_the_prompt_and_answers() {
    let (outcome, shown, heard) = check(Some(json!("Tea time."))).await;
    assert_eq!(returned(outcome), json!("Tea time."));
    assert_eq!(shown, ["writer: writing.1/api | Write. | {\"type\":\"string\"}"]);
    assert_eq!(heard, [Progress::Waiting("waiting for a person to answer as writer".into())]);
}

#[tokio::test]
async fn no_answer_is_a_refusal_and_an_empty_one_is_none() {
    assert_eq!(failure(check(None).await.0).0, FailureKind::Refused);
    assert_eq!(failure(check(Some(json!("  "))).await.0).0, FailureKind::InvalidOutput);
}
