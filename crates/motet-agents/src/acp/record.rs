//! What an agent has Motet do for it goes on record: every file written, every command run, every request for leave that was decided.
//! It decides nothing and asks nobody; what an agent's own process does, nobody here sees.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, PermissionOptionId, RequestPermissionRequest, TerminalExitStatus, WriteTextFileRequest,
};
use motet_core::names::Digest;
use serde_json::{Value, json};

use super::leave::line;
use super::permissions::described;
use crate::command::tail::Tail;
use crate::context::Context;
use crate::exchange::Exchange;
use crate::redaction::Redactor;

/// How much is kept of a text, and of all texts of one attempt together.
const KEPT_CHARACTERS: usize = 16 * 1024;
const KEPT_IN_ALL: usize = 1024 * 1024;
/// How much of a command's output is at hand for that, however little of it the agent wants.
pub(super) const OUTPUT_BYTES: usize = 4 * KEPT_CHARACTERS;
/// An agent that asks for more than this in one attempt asks without end.
const MOST_DEEDS: usize = 10_000;

/// The names that the protocol has for what an agent asks.
const WRITE: &str = "fs/write_text_file";
const RUN: &str = "terminal/create";
const PERMISSION: &str = "session/request_permission";

pub(super) struct Record {
    context: Context,
    redaction: Redactor,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    deeds: usize,
    characters: usize,
}

impl Record {
    pub fn new(context: Context, redaction: Redactor) -> Self {
        Self { context, redaction, used: Mutex::default() }
    }

    /// A file was to be written, and was or was not.
    pub fn written<T>(&self, request: &WriteTextFileRequest, done: &Result<T, Error>) {
        let (bytes, digest) = (request.content.len(), Digest::of(request.content.as_bytes()));
        let content = self.beginning(&request.content);
        let arguments = json!({ "path": request.path, "bytes": bytes, "digest": digest, "content": content });
        self.put(WRITE, arguments, done.as_ref().map(|_| "written".into()).map_err(|error| error.message.clone()));
    }

    /// A command was to be run, and was not even started.
    pub fn not_run(&self, request: &CreateTerminalRequest, why: &Error) {
        let within = request.cwd.clone().unwrap_or_default();
        self.put(RUN, self.command(request, &within), Err(why.message.clone()));
    }

    /// A request for leave was decided: which option was chosen, if one was, and because of what.
    pub fn decided(&self, request: &RequestPermissionRequest, option: Option<&PermissionOptionId>, because: &str) {
        let asked = self.beginning(&described(request, |text| self.redaction.string(text)));
        let options: Vec<&str> = request.options.iter().map(|option| &*option.option_id.0).collect();
        let chosen = option.map_or("none", |option| &*option.0);
        self.put(PERMISSION, json!({ "asked": asked, "options": options }), Ok(format!("{chosen}: {because}")));
    }

    fn command(&self, request: &CreateTerminalRequest, within: &Path) -> Value {
        let variables: serde_json::Map<String, Value> =
            request.env.iter().map(|variable| (variable.name.clone(), json!(self.beginning(&variable.value)))).collect();
        json!({ "command": self.beginning(&line(request)), "directory": within, "variables": variables })
    }

    fn put(&self, name: &str, arguments: Value, done: Result<String, String>) {
        let mut used = self.used();
        used.deeds += 1;
        let is_last = used.deeds == MOST_DEEDS;
        if used.deeds > MOST_DEEDS {
            return;
        }
        drop(used);
        let is_error = done.is_err();
        let mut answer = done.unwrap_or_else(|why| why);
        if is_last {
            answer.push_str(&format!("\n… these were {MOST_DEEDS} requests in one attempt; no more of them are on record"));
        }
        self.context.record(self.redaction.record(Exchange::Tool { name: name.into(), arguments, answer, is_error }));
    }

    /// As much of the beginning of a text as there is room for.
    fn beginning(&self, text: &str) -> String {
        // Before it is cut: half a secret would be known to nobody any more.
        let clean = self.redaction.text(text);
        let all = clean.chars().count();
        let kept: String = clean.chars().take(self.room(all)).collect();
        let hidden = all - kept.chars().count();
        if hidden == 0 { kept } else { format!("{kept}\n… and {hidden} more characters, which are not kept") }
    }

    /// As much of its end, which is where programs say what matters.
    fn end(&self, text: &str) -> String {
        let clean = self.redaction.text(text);
        let all = clean.chars().count();
        let hidden = all - self.room(all);
        let kept: String = clean.chars().skip(hidden).collect();
        if hidden == 0 { kept } else { format!("… {hidden} characters before this are not kept\n{kept}") }
    }

    /// Takes as much of the room that is left as a text of this length may have.
    fn room(&self, wanted: usize) -> usize {
        let mut used = self.used();
        let given = wanted.min(KEPT_CHARACTERS).min(KEPT_IN_ALL - used.characters);
        used.characters += given;
        given
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command that was started. It goes on record once: when it has ended, or when nobody waits for it any more.
pub(super) struct Started {
    record: Arc<Record>,
    /// What was asked, until it is on record.
    arguments: Mutex<Option<Value>>,
    output: Arc<Mutex<Tail>>,
}

impl Started {
    pub fn new(record: Arc<Record>, request: &CreateTerminalRequest, directory: &PathBuf, output: Arc<Mutex<Tail>>) -> Self {
        let arguments = Mutex::new(Some(record.command(request, directory)));
        Self { record, arguments, output }
    }

    /// None: it was ended while it ran.
    pub fn ended(&self, exit: Option<&TerminalExitStatus>) {
        let Some(arguments) = self.arguments.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let text = self.output.lock().unwrap_or_else(PoisonError::into_inner).text();
        let how = match exit.map(|exit| (exit.exit_code, &exit.signal)) {
            Some((Some(code), _)) => format!("exit code {code}"),
            Some((None, Some(signal))) => format!("killed by signal {signal}"),
            Some((None, None)) => "nobody knows how it ended".into(),
            None => "it was ended while it ran".into(),
        };
        let told = format!("{how}\n{}", self.record.end(&text));
        let passed = exit.is_some_and(|exit| exit.exit_code == Some(0));
        self.record.put(RUN, arguments, if passed { Ok(told) } else { Err(told) });
    }
}
