//! What an agent has Motet do for it goes on record: every file written, every command run, every request for leave that was decided,
//! and every call of a tool that went through a relay.
//! It decides nothing and asks nobody; what an agent's own process does, nobody here sees.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, PermissionOptionId, RequestPermissionRequest, TerminalExitStatus, WriteTextFileRequest,
};
use motet_core::names::Digest;
use serde_json::{Value, json};

use super::counting::Known;
use super::leave::line;
use super::permissions::described;
use crate::command::tail::Tail;
use crate::context::{Context, Progress};
use crate::exchange::Exchange;
use crate::mcp::{Heard, Part, Passed, WayBack};
use crate::redaction::{Redactor, is_redacted};
use crate::room::{KEPT_CHARACTERS, Room};

/// How much of a command's output is at hand, however little of it the agent wants.
pub(super) const OUTPUT_BYTES: usize = 4 * KEPT_CHARACTERS;

/// The names that the protocol has for what an agent asks.
const WRITE: &str = "fs/write_text_file";
const RUN: &str = "terminal/create";
const PERMISSION: &str = "session/request_permission";

/// What stands where an answer would, if none came.
const NO_ANSWER: &str = "no answer came before the end of the attempt";

pub(super) struct Record {
    context: Context,
    pub redaction: Redactor,
    room: Mutex<Room>,
    way_back: Mutex<WayBack>,
}

impl Record {
    pub fn new(context: Context, redaction: Redactor, way_back: WayBack) -> Self {
        Self { context, redaction, room: Mutex::default(), way_back: Mutex::new(way_back) }
    }

    /// Takes in what relays have seen, once. What is known of the arguments of each call.
    pub fn relayed(&self) -> Vec<Known> {
        let Heard { passed, strange, is_cut } = self.way_back.lock().unwrap_or_else(PoisonError::into_inner).take();
        if strange > 0 {
            let told = format!("{strange} lines of what relays wrote down of tool calls cannot be read, and are left out");
            self.context.tell(Progress::Log(told));
        }
        let last = passed.len().saturating_sub(1);
        let note = |place: usize| if is_cut && place == last { "\n… there were more calls of tools than are kept" } else { "" };
        passed.into_iter().enumerate().map_while(|(place, passed)| self.passed(passed, note(place))).collect()
    }

    /// None: there is no room for it.
    fn passed(&self, passed: Passed, note: &str) -> Option<Known> {
        let last = self.room().admit()?;
        let Passed { name, arguments, answer, is_error, .. } = passed;
        let known = Some(&arguments.kept).filter(|kept| arguments.more == 0 && !is_redacted(kept)).cloned();
        let known = known.map(|kept| if kept.is_null() { json!({}) } else { kept });
        let name = self.beginning(&name);
        let arguments = match arguments {
            Part { kept: Value::String(kept), more } if more > 0 => json!(self.part(&Part { kept, more })),
            whole => {
                let clean = self.redaction.value(whole.kept);
                self.room().value(&clean)
            }
        };
        let is_error = is_error || answer.is_none();
        let answer = answer.map_or_else(|| NO_ANSWER.to_string(), |answer| self.part(&answer)) + note + last;
        self.context.record(self.redaction.record(Exchange::Tool { name, arguments, answer, is_error, is_relayed: true }));
        Some(known)
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
        let Some(note) = self.room().admit() else { return };
        let is_error = done.is_err();
        let answer = done.unwrap_or_else(|why| why) + note;
        self.context.record(self.redaction.record(Exchange::Tool { name: name.into(), arguments, answer, is_error, is_relayed: false }));
    }

    fn beginning(&self, text: &str) -> String {
        let clean = self.redaction.text(text);
        self.room().beginning(&clean)
    }

    /// The same of a text that a relay has cut: it need not know all secrets, so that half of one may stand at its end.
    fn part(&self, part: &Part<String>) -> String {
        if part.more == 0 {
            return self.beginning(&part.kept);
        }
        let mut stream = self.redaction.stream();
        let clean = stream.push(&part.kept);
        let more = part.more.saturating_add(stream.rest().chars().count());
        self.room().beginning_of(&clean, more)
    }

    fn end(&self, text: &str) -> String {
        let clean = self.redaction.text(text);
        self.room().end(&clean)
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub fn new(record: Arc<Record>, request: &CreateTerminalRequest, directory: &Path, output: Arc<Mutex<Tail>>) -> Self {
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
