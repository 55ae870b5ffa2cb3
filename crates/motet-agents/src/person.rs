//! An agent played by a person: what is asked goes out through a port, and what comes back is the answer.
//! It prints nothing and reads no terminal; the program implements the port.

use motet_core::effect::CallWork;
use motet_core::event::FailureKind;
use serde_json::Value;

use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::context::{Context, Progress};
use crate::model;

/// How a person is reached.
pub trait Ask: Send + Sync {
    /// Shows `body` under `title` and brings the answer back: a value that fits the schema, or a text.
    /// None: the person declines, or there is nobody.
    fn ask<'a>(&'a self, title: &'a str, body: &'a str, schema: Option<&'a Value>) -> BoxFuture<'a, Option<Value>>;
}

/// Plays a role by asking a person.
pub struct PersonAgent<Port>(Port);

impl<Port: Ask> PersonAgent<Port> {
    pub fn new(port: Port) -> Self {
        Self(port)
    }
}

impl<Port: Ask> Agent for PersonAgent<Port> {
    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let role = &request.call.role;
            let title = match request.call.work {
                CallWork::AnswerQuestion => format!("{role}: a question ({})", request.call.task),
                _ => format!("{role}: {}", request.call.task),
            };
            let body = model::as_text(&model::conversation(&request));
            context.tell(Progress::Waiting(format!("waiting for a person to answer as {role}")));
            let answer = tokio::select! {
                biased;
                answer = self.0.ask(&title, &body, request.schema.as_ref()) => answer,
                _ = context.stopped() => return Outcome::failed(FailureKind::Cancelled, "nobody waits for the person's answer any more"),
            };
            match answer {
                None => Outcome::failed(FailureKind::Refused, format!("nobody answered as `{role}`")),
                Some(Value::String(text)) if text.trim().is_empty() => {
                    Outcome::failed(FailureKind::InvalidOutput, format!("the answer as `{role}` is empty"))
                }
                Some(result) => Outcome::returned(result),
            }
        })
    }
}
