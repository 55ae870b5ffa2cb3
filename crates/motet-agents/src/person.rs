//! An agent played by a person: the task is put to people through the machine's own gate, and their answer is the result.
//! It reaches nobody itself, so it needs no terminal, and a restart loses nothing.

use motet_core::event::{Question, Unattended, Usage};
use serde_json::Value;

use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::context::Context;
use crate::model;

/// Plays a role by having people asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct PersonAgent {
    /// What becomes of the task where nobody is there. None: what the workflow says of its questions.
    pub unattended: Option<Unattended>,
}

impl Agent for PersonAgent {
    /// It charges nobody.
    fn is_settled(&self) -> bool {
        true
    }

    fn perform<'a>(&'a self, request: Request, _context: &'a Context) -> BoxFuture<'a, Outcome> {
        let given = request.call.answers.iter().rfind(|answered| answered.question.is_task);
        let outcome = match given {
            Some(answered) => Outcome::returned(Value::String(answered.answer.clone())),
            None => Outcome::Asked { question: Question { unattended: self.unattended, ..task(&request) }, usage: Usage::default() },
        };
        Box::pin(async move { outcome })
    }
}

/// Everything that a model would be told, and the shape of the answer.
fn task(request: &Request) -> Question {
    let mut question = model::as_text(&model::conversation(request));
    if let Some(schema) = request.schema.as_ref().filter(|schema| model::wants_structure(Some(schema))) {
        question.push_str(&format!("\n\nAnswer with JSON of this shape:\n{schema:#}"));
    }
    Question { question, options: Vec::new(), default: None, is_task: true, ..Question::default() }
}
