//! A coding program that plays an agent: started with its preset's words, heard line by line, and its conversation kept.
//! What a line means, the format says; what words to use, the table.

use std::sync::{Arc, Mutex, PoisonError};

use motet_core::definition::Class;
use motet_core::event::{Failure, FailureKind, Usage};

use super::PresetSettings;
use super::format::{Counted, Heard, MESSAGE_BYTES};
use super::table::Preset;
use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::command::agent::last_words;
use crate::command::child::{how_it_ended, was_killed};
use crate::command::leftovers;
use crate::command::lines::MESSAGE_BYTES as LINE_BYTES;
use crate::command::process::{Ended, Launch};
use crate::context::Context;
use crate::conversation::{Conversation, continued, is_unknown_conversation, kind, opened, read};
use crate::exchange::Exchange;
use crate::permission::Permissions;

/// How much of each stream is kept to be quoted; all that matters of it was heard line by line.
const QUOTED_BYTES: usize = 64 * 1024;

/// What one run of the program came to.
struct Turned {
    outcome: Outcome,
    conversation: Conversation,
    /// It said nothing, used no tool and took no tokens.
    came_to_nothing: bool,
}

pub struct PresetAgent {
    preset: &'static Preset,
    settings: PresetSettings,
}

impl PresetAgent {
    pub(super) fn new(preset: &'static Preset, settings: PresetSettings) -> Self {
        Self { preset, settings }
    }

    /// The words that begin a conversation, or take up this one.
    pub(super) fn words(&self, id: Option<&str>, resumes: bool) -> Vec<String> {
        let program = self.settings.program.clone().unwrap_or_else(|| self.preset.program.into());
        let allows = self.settings.permissions == Permissions::Allow;
        let model = self.settings.model.as_deref();
        std::iter::once(program).chain(self.preset.arguments(id, resumes, model, allows, &self.settings.arguments)).collect()
    }

    async fn converse(&self, request: &Request, context: &Context) -> Outcome {
        leftovers::end(&request.call, context);
        let first = opened(request);
        let mut conversation = Conversation::of(self.preset.name, request.prompt.as_deref().unwrap_or(&first), request, context);
        if conversation.id().is_some() && !self.preset.resume.is_empty() {
            let said = continued(request, conversation.told());
            let turned = self.turn(conversation, said, true, request, context).await;
            let is_lost = matches!(&turned.outcome, Outcome::Failed { failure, .. } if is_unknown_conversation(&failure.message));
            // Whoever has said or done something knows the conversation, whatever its last words are about.
            if !is_lost || !turned.came_to_nothing {
                return turned.outcome;
            }
            conversation = turned.conversation;
            conversation.forget();
            // Of what was done in the conversation that is lost, a new one knows nothing.
            if request.call.class == Class::Unsafe {
                return turned.outcome;
            }
        }
        self.turn(conversation, first, false, request, context).await.outcome
    }

    /// One run of the program.
    async fn turn(&self, mut conversation: Conversation, said: String, resumes: bool, request: &Request, context: &Context) -> Turned {
        let call = &request.call;
        let id = match self.preset.keeps_in_file {
            true => conversation.beside("history.md").map(|path| path.to_string_lossy().into_owned()),
            false => conversation.id().map(String::from).filter(|_| resumes),
        };
        if self.preset.keeps_in_file
            && let Some(id) = &id
        {
            conversation.begin(id);
        }
        let before = if resumes { conversation.counted() } else { Counted::default() };
        let shared = Arc::new(Mutex::new((Heard { id: id.clone(), counted: before, ..Heard::default() }, conversation)));
        let ended = self.run(&self.words(id.as_deref(), resumes), &said, &shared, request, context).await;
        let (heard, mut conversation) = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A program that said nothing has perhaps heard nothing; to be told twice does no harm.
        if heard.is_over || !heard.message.is_empty() {
            conversation.tell(call.answers.len());
        }
        conversation.has_counted(heard.counted);
        let usage = heard.usage;
        let outcome = match &ended {
            Ok(ended) => self.outcome(&heard, ended, request),
            Err(failure) => Outcome::Failed { failure: failure.clone(), usage },
        };
        if let Outcome::Failed { failure, .. } = &outcome
            && ends_the_conversation(failure.kind)
        {
            conversation.forget();
        }
        if ended.is_ok() {
            heard.uses.exchanges().for_each(|used| context.record(used));
            let (agent, id) = (self.preset.name.to_string(), heard.id.clone().unwrap_or_default());
            context.record(Exchange::Conversation { agent, id, sent: said, answer: heard.message.clone(), usage });
        }
        let came_to_nothing = heard.message.is_empty() && usage == Usage::default();
        Turned { outcome: outcome.with_usage(usage), conversation, came_to_nothing }
    }

    async fn run(
        &self,
        words: &[String],
        said: &str,
        shared: &Arc<Mutex<(Heard, Conversation)>>,
        request: &Request,
        context: &Context,
    ) -> Result<Ended, Failure> {
        let (format, ear, listener) = (self.preset.format, shared.clone(), context.clone());
        let allows = self.settings.permissions == Permissions::Allow;
        let launch = Launch::new(words, None, &request.call, context)?.reading(said.as_bytes().to_vec()).keeping(QUOTED_BYTES);
        let launch = launch.knowing(self.preset.variables(allows)).telling_stderr(context).hearing_empty_lines(format.is_text());
        let launch = launch.hearing_stdout(Arc::new(move |line: String| {
            let mut shared = ear.lock().unwrap_or_else(PoisonError::into_inner);
            let (heard, conversation) = &mut *shared;
            let shown = format.hear(&line, heard);
            // As early as it is known: a moment later this process may be gone.
            if let Some(id) = &heard.id {
                conversation.begin(id);
            }
            drop(shared);
            if let Some(shown) = shown {
                listener.tell(shown);
            }
        }));
        launch.run(context).await
    }

    fn outcome(&self, heard: &Heard, ended: &Ended, request: &Request) -> Outcome {
        let name = self.preset.name;
        if ended.stopped.is_some() {
            return Outcome::failed(FailureKind::Cancelled, format!("`{name}` was stopped"));
        }
        let quoted = why_in_words(ended);
        let went_wrong = heard.error.clone().or_else(|| (ended.exit_code != Some(0)).then(|| quoted.clone()));
        if let Some(why) = went_wrong {
            let how = how_it_ended(ended.exit_code, ended.signal);
            if was_killed(ended.exit_code) {
                return Outcome::failed(FailureKind::Crashed, colon(format!("`{name}` {how}"), &why));
            }
            let kind = kind(&why);
            let hint = if kind == FailureKind::Configuration { format!("\n{}", self.preset.login) } else { String::new() };
            let told = if ended.exit_code == Some(0) { format!("`{name}` failed") } else { format!("`{name}` {how}") };
            return Outcome::failed(kind, format!("{}{hint}", colon(told, &why)));
        }
        let lost = match () {
            () if heard.message_bytes > MESSAGE_BYTES => Some(format!("answered with {} bytes", heard.message_bytes)),
            () if heard.has_lost => Some(format!("printed a line of more than {LINE_BYTES} bytes, which is not read")),
            () => None,
        };
        if let Some(lost) = lost {
            let message = format!("`{name}` {lost}; an answer may have at most {MESSAGE_BYTES}");
            return Outcome::failed(FailureKind::InvalidOutput, message);
        }
        if self.preset.format.announces_its_end() && !heard.is_over {
            let message = colon(format!("`{name}` ended in the middle: its output has no last line"), &quoted);
            return Outcome::failed(FailureKind::Crashed, message);
        }
        read(&heard.message, request.schema.as_ref(), &request.call)
    }
}

impl Agent for PresetAgent {
    fn changes_files(&self) -> bool {
        true
    }

    fn tells_what_it_took(&self) -> bool {
        false
    }

    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move { self.converse(&request, context).await })
    }
}

/// A conversation that ended like this would end so again.
fn ends_the_conversation(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Refused)
}

/// What a program said in words for people: on its standard error, or else beside the lines that are meant for programs.
fn why_in_words(ended: &Ended) -> String {
    let said = last_words(&ended.stderr.text());
    if !said.is_empty() {
        return said;
    }
    let printed = ended.stdout.text();
    last_words(&printed.lines().filter(|line| !line.trim_start().starts_with(['{', '['])).collect::<Vec<_>>().join("\n"))
}

fn colon(told: String, why: &str) -> String {
    if why.is_empty() { told } else { format!("{told}: {why}") }
}
