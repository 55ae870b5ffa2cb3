//! A program that plays an agent: the task as JSON on its standard input, the answer on its standard output.
//! It knows no particular program; what each one needs is in its words.

use motet_core::effect::CallWork;
use motet_core::event::{Failure, FailureKind, Usage};
use serde_json::{Value, json};

use super::child::{how_it_ended, was_killed};
use super::leftovers;
use super::process::{Ended, Launch};
use super::shown;
use crate::agent::{Agent, BoxFuture, Found, Outcome, Request};
use crate::answer;
use crate::context::Context;

/// An answer longer than this is refused rather than cut.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// How much of its last words a failed program is quoted with.
const QUOTED_LINES: usize = 10;
const QUOTED_CHARACTERS: usize = 2000;

/// The program reads one JSON object: `kind` (`prompt` or `answer_question`), `run`, `task`, `attempt`, `key`, `agent`, `role`,
/// `prompt`, `input`, `schema`, `correction`, `answers`. It prints its result: JSON, or text that is kept as text.
/// `{"question": …}` asks, `{"error": …}` fails, `{"result": …, "usage": {tokens_in, tokens_out, tool_calls, cost}}` says what it cost.
/// An exit code other than zero is a failure, told with the last lines of standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandAgent {
    words: Vec<String>,
    verify: Option<Vec<String>>,
}

impl CommandAgent {
    pub fn new(words: Vec<String>) -> Self {
        Self { words, verify: None }
    }

    /// The program that tells what became of an interrupted attempt. It reads the same task and prints the result that
    /// was reached, or `{"undone": true}`; any exit code other than zero means that it cannot tell.
    pub fn verified_by(mut self, words: Vec<String>) -> Self {
        self.verify = Some(words);
        self
    }
}

impl Agent for CommandAgent {
    fn changes_files(&self) -> bool {
        true
    }

    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            leftovers::end(&request.call, context);
            match ask(&self.words, &request, context).await {
                // Nobody knows what a program has spent that was stopped in the middle.
                Ok(ended) if ended.stopped.is_some() => stopped(&self.words).with_usage(Usage::unknown(request.call.reserved)),
                Ok(ended) => read(&self.words, &ended, request.schema.as_ref()),
                Err(failure) => Outcome::Failed { failure, usage: Usage::default() },
            }
        })
    }

    fn reconcile<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            let Some(words) = &self.verify else { return Found::Unknown };
            match ask(words, &request, context).await {
                Ok(ended) if ended.exit_code == Some(0) => found(read(words, &ended, request.schema.as_ref())),
                Ok(_) | Err(_) => Found::Unknown,
            }
        })
    }
}

async fn ask(words: &[String], request: &Request, context: &Context) -> Result<Ended, Failure> {
    let launch = Launch::new(words, None, &request.call, context)?;
    launch.reading(task(request).to_string().into_bytes()).keeping(ANSWER_BYTES).telling_stderr(context).run(context).await
}

fn task(request: &Request) -> Value {
    let call = &request.call;
    json!({
        "kind": if call.work == CallWork::AnswerQuestion { "answer_question" } else { "prompt" },
        "run": call.run,
        "task": call.task,
        "attempt": call.attempt,
        "key": call.key,
        "agent": call.agent,
        "role": call.role,
        "prompt": request.prompt,
        "input": call.input,
        "schema": request.schema,
        "correction": call.correction,
        "answers": call.answers,
    })
}

fn read(words: &[String], ended: &Ended, schema: Option<&Value>) -> Outcome {
    let program = shown(words);
    match ended.exit_code {
        Some(0) if ended.stdout.lost() > 0 => Outcome::failed(
            FailureKind::InvalidOutput,
            format!("`{program}` printed {} bytes; an answer may have at most {ANSWER_BYTES}", ended.stdout.total),
        ),
        Some(0) => answer::read(&ended.stdout.text(), schema),
        _ => ended_badly(&program, ended),
    }
}

/// Who stopped it knows why; the program's half-finished answer is of no use to anyone.
fn stopped(words: &[String]) -> Outcome {
    Outcome::failed(FailureKind::Cancelled, format!("`{}` was stopped", shown(words)))
}

/// A program that reports its own error in the agreed form is taken at its word, whatever its exit code.
fn ended_badly(program: &str, ended: &Ended) -> Outcome {
    if let outcome @ Outcome::Failed { .. } = answer::read(&ended.stdout.text(), None) {
        return outcome;
    }
    let (how, quoted) = (how_it_ended(ended.exit_code, ended.signal), last_words(&ended.stderr.text()));
    let kind = if was_killed(ended.exit_code) { FailureKind::Crashed } else { FailureKind::Reported };
    Outcome::failed(kind, if quoted.is_empty() { format!("`{program}` {how}") } else { format!("`{program}` {how}: {quoted}") })
}

/// What a scripted program that plays an agent comes to.
pub(crate) fn scripted_answer(exit_code: i32, stdout: &str, stderr: &str, schema: Option<&Value>) -> Outcome {
    if exit_code == 0 {
        return answer::read(stdout, schema);
    }
    Outcome::failed(FailureKind::Reported, format!("the program ended with exit code {exit_code}: {}", last_words(stderr)))
}

pub(crate) fn last_words(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let quoted = lines[lines.len().saturating_sub(QUOTED_LINES)..].join("\n");
    let skip = quoted.chars().count().saturating_sub(QUOTED_CHARACTERS);
    quoted.chars().skip(skip).collect()
}

fn found(outcome: Outcome) -> Found {
    match &outcome {
        Outcome::Returned { result, .. } if result.get("undone") == Some(&Value::Bool(true)) => Found::Undone,
        Outcome::Returned { result, .. } if result.as_str() == Some("") => Found::Unknown,
        _ => Found::Finished(outcome),
    }
}
