//! An agent without a model: it gives the answer that the workflow's own rules have worked out, the same every time.
//! It asks nobody, looks nothing up, and never pretends: what no rule can answer it refuses, and says what would help.

use motet_core::effect::CallWork;
use motet_core::event::FailureKind;

use crate::agent::{Agent, BoxFuture, Found, Outcome, Request};
use crate::context::Context;

/// How a person gets out of having only rules, in the words of every message that says so.
pub const WAYS_OUT: &str = "choose a model with `motet init` or `--model`, or name who plays it in motet.toml";

/// Plays every role by rules.
pub struct OfflineAgent;

impl Agent for OfflineAgent {
    /// It charges nobody.
    fn is_settled(&self) -> bool {
        true
    }

    fn perform<'a>(&'a self, request: Request, _context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move { answer(request) })
    }

    fn follows_rules(&self) -> bool {
        true
    }

    /// Nothing that it does leaves a trace, so an interrupted attempt was never made.
    fn reconcile<'a>(&'a self, _request: Request, _context: &'a Context) -> BoxFuture<'a, Found> {
        Box::pin(async { Found::Undone })
    }
}

fn answer(request: Request) -> Outcome {
    let (role, agent) = (&request.call.role, &request.call.agent);
    match (request.offline, &request.call.work) {
        (Some(answer), CallWork::Prompt) => Outcome::returned(answer),
        (_, CallWork::AnswerQuestion) => {
            let message = format!("no model plays the role `{role}`, and rules cannot answer a question; {WAYS_OUT}");
            Outcome::failed(FailureKind::Configuration, message)
        }
        _ => {
            let message = format!("no model plays the role `{role}`, and the workflow has no rule for `{agent}`; {WAYS_OUT}");
            Outcome::failed(FailureKind::Configuration, message)
        }
    }
}

#[cfg(test)]
mod tests {
    use motet_core::definition::{Class, ModelSettings};
    use motet_core::effect::Call;
    use motet_core::names::{AgentName, RunId, TaskId};
    use motet_core::units::Usd;
    use serde_json::{Value, json};

    use super::*;

    fn request(work: CallWork, offline: Option<Value>) -> Request {
        let call = Call {
            run: RunId::new("run"),
            task: TaskId::new("writing.1/1"),
            attempt: 1,
            key: "run/writing.1/1".into(),
            agent: AgentName::new("writer"),
            role: "author".into(),
            work,
            input: json!({}),
            correction: None,
            answers: Vec::new(),
            timeout_ms: 1000,
            class: Class::Pure,
            works_in: None,
            model: ModelSettings::default(),
            reserved: Usd(0),
            unattended: false,
        };
        Request { offline, ..Request::new(call) }
    }

    fn check(work: CallWork, offline: Option<Value>, expected: Result<Value, &str>) {
        match (answer(request(work, offline)), expected) {
            (Outcome::Returned { result, usage }, Ok(expected)) => {
                assert_eq!(result, expected);
                assert_eq!(usage, motet_core::event::Usage::default());
            }
            (Outcome::Failed { failure, .. }, Err(part)) => {
                assert_eq!(failure.kind, FailureKind::Configuration);
                assert!(failure.message.contains(part), "{}", failure.message);
                assert!(failure.message.contains("motet init"), "{}", failure.message);
            }
            (outcome, expected) => panic!("{outcome:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn what_the_rules_worked_out_is_the_answer_and_costs_nothing() {
        check(CallWork::Prompt, Some(json!({ "slogan": "Fresh" })), Ok(json!({ "slogan": "Fresh" })));
    }

    #[test]
    fn without_a_rule_it_refuses_and_says_what_would_help() {
        check(CallWork::Prompt, None, Err("no rule for `writer`"));
        check(CallWork::AnswerQuestion, None, Err("the role `author`, and rules cannot answer a question"));
    }
}
