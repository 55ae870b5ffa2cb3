//! Our side of one attempt: what the agent asks of us is answered here, within the task's directory and the policy.
//! It does not lead the conversation; the session does.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, CreateTerminalResponse, PermissionOptionKind, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification,
    TerminalExitStatus, TerminalOutputRequest, TerminalOutputResponse, WaitForTerminalExitRequest, WriteTextFileRequest,
};
use agent_client_protocol::v1::{Responder, schema};
use motet_core::effect::Answered;
use motet_core::event::Question;
use tokio::sync::{Notify, watch};

use super::files;
use super::ground::Ground;
use super::leave::{Deed, Leave, allows};
use super::permissions::{Decision, Rules, decide, is_allowed_altogether};
use super::record::Record;
use super::settings::AcpSettings;
use super::terminals::Terminals;
use super::traffic::Traffic;
use super::turn::Turn;
use crate::agent::Request;
use crate::context::{Context, Progress};
use crate::conversation::Conversation;
use crate::permission::{Absence, DeedKind, Permissions};
use crate::redaction::Redactor;

pub(super) struct Desk {
    /// What the agent is called.
    pub name: String,
    pub redaction: Redactor,
    pub ground: Ground,
    pub traffic: Arc<Traffic>,
    pub policy: Permissions,
    absence: Absence,
    is_unattended: bool,
    pub answers: Vec<Answered>,
    attempt: u32,
    pub context: Context,
    pub terminals: Terminals,
    pub record: Arc<Record>,
    turn: Mutex<Turn>,
    conversation: Mutex<Conversation>,
    asking: Mutex<Asking>,
    /// Somebody must be asked, so that the turn has to end.
    pub asked: Notify,
    /// True once the turn is being cancelled.
    closing: watch::Sender<bool>,
    /// The conversation and what was said in it, once something was.
    said: Mutex<Option<(String, String)>>,
    is_hung_up: AtomicBool,
}

#[derive(Default)]
struct Asking {
    question: Option<Question>,
    waiting: Vec<Responder<RequestPermissionResponse>>,
    leave: Leave,
    /// Which of the answers held once and are used up.
    used: BTreeSet<usize>,
    /// What is allowed altogether for this attempt because nobody is there to say otherwise.
    allowed: BTreeSet<DeedKind>,
    /// The turn is being cancelled: nothing is decided any more.
    is_over: bool,
}

impl Desk {
    pub fn new(
        ground: Ground,
        traffic: Arc<Traffic>,
        settings: &AcpSettings,
        record: Arc<Record>,
        request: &Request,
        context: Context,
        conversation: Conversation,
    ) -> Self {
        Self {
            name: settings.name.clone(),
            redaction: record.redaction.clone(),
            record,
            ground,
            traffic,
            policy: settings.permissions,
            absence: settings.absence,
            is_unattended: request.call.unattended,
            answers: request.call.answers.clone(),
            attempt: request.call.attempt,
            context,
            terminals: Terminals::default(),
            turn: Mutex::default(),
            conversation: Mutex::new(conversation),
            asking: Mutex::default(),
            asked: Notify::new(),
            closing: watch::Sender::new(false),
            said: Mutex::default(),
            is_hung_up: AtomicBool::new(false),
        }
    }

    /// This is about to be said in this conversation.
    pub fn say(&self, id: &str, said: &str) {
        self.context.delay().begin();
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some((id.into(), said.into()));
    }

    pub fn said(&self) -> Option<(String, String)> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The agent has closed its side of the conversation.
    pub fn hang_up(&self) {
        self.is_hung_up.store(true, Ordering::Relaxed);
    }

    pub fn is_hung_up(&self) -> bool {
        self.is_hung_up.load(Ordering::Relaxed)
    }

    pub fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn conversation(&self) -> MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first question that only people can answer.
    pub fn question(&self) -> Option<Question> {
        self.asking().question.clone()
    }

    pub fn on_update(&self, notification: SessionNotification) {
        self.turn().on_update(notification.update, &self.context);
    }

    pub fn on_permission(
        &self,
        mut request: RequestPermissionRequest,
        responder: Responder<RequestPermissionResponse>,
    ) -> Result<(), agent_client_protocol::Error> {
        let mut asking = self.asking();
        if asking.is_over {
            return responder.respond(cancelled());
        }
        self.turn().complete(&mut request.tool_call);
        let decision = self.decide(&request, &asking.used);
        self.put_on_record(&request, &decision);
        match decision {
            Decision::Choose(option) => responder.respond(selected(option)),
            Decision::ChooseAnswered { option, answer, holds_once } => {
                if holds_once {
                    asking.used.insert(answer);
                }
                give_leave(&mut asking, &request, &option);
                responder.respond(selected(option))
            }
            Decision::ChooseUnattended { option, word } => {
                self.tell_unattended(&request, &word);
                give_leave(&mut asking, &request, &option);
                responder.respond(selected(option))
            }
            Decision::Cancel => {
                self.context.tell(Progress::Log("it asked for a permission without an option that the policy could choose".into()));
                responder.respond(cancelled())
            }
            Decision::Ask(question) => {
                self.context.tell(Progress::Waiting(question.question.clone()));
                asking.question.get_or_insert(question);
                asking.waiting.push(responder);
                self.asked.notify_one();
                Ok(())
            }
        }
    }

    /// What people are asked now is journaled as their question.
    fn put_on_record(&self, request: &RequestPermissionRequest, decision: &Decision) {
        let (option, because) = match decision {
            Decision::Choose(option) => match self.policy {
                Permissions::Allow => (Some(option), "the configuration allows it".to_string()),
                Permissions::Reject => (Some(option), "the configuration rejects it".to_string()),
                Permissions::Ask => (Some(option), "people have answered in words, which is a no".to_string()),
            },
            Decision::ChooseAnswered { option, answer, .. } => {
                let by = self.answers.get(*answer).map_or("people", |answered| &answered.by);
                (Some(option), format!("{by} has decided it"))
            }
            Decision::ChooseUnattended { option, word } => (Some(option), format!("nobody is there, so “{word}” holds")),
            Decision::Cancel => (None, "it has no option that the policy could choose".to_string()),
            Decision::Ask(_) => return,
        };
        self.record.decided(request, option, &because);
    }

    /// Whether the agent may have us do this. Where people must decide it waits until the turn is cancelled, so that nothing
    /// else is tried meanwhile.
    async fn leave(&self, deed: &Deed<'_>) -> Result<(), agent_client_protocol::Error> {
        match self.policy {
            Permissions::Allow => return Ok(()),
            // A policy that rejects everything does not do it itself either.
            Permissions::Reject => return Err(refused("nothing may be changed: the configuration rejects it".into())),
            Permissions::Ask => {}
        }
        if let Some(decided) = self.decided(deed) {
            return decided;
        }
        let mut closing = self.closing.subscribe();
        // It is closed by whoever ends the turn, and gone with it.
        let _ = closing.wait_for(|closing| *closing).await;
        Err(refused("a person must allow this first; the turn is over until then".into()))
    }

    /// None: people are being asked.
    fn decided(&self, deed: &Deed<'_>) -> Option<Result<(), agent_client_protocol::Error>> {
        let mut asking = self.asking();
        if asking.is_over {
            return Some(Err(refused("the turn was cancelled".into())));
        }
        let kind = deed.kind();
        let is_allowed = is_allowed_altogether(kind, &self.answers) || asking.allowed.contains(&kind);
        if is_allowed || asking.leave.covers(deed, &self.ground) {
            return Some(Ok(()));
        }
        let request = deed.request();
        let chosen = match self.decide(&request, &asking.used) {
            Decision::Ask(question) => {
                self.context.tell(Progress::Waiting(question.question.clone()));
                asking.question.get_or_insert(question);
                self.asked.notify_one();
                return None;
            }
            Decision::ChooseAnswered { option, answer, holds_once } => {
                if holds_once {
                    asking.used.insert(answer);
                }
                Some(option)
            }
            Decision::ChooseUnattended { option, word } => {
                self.tell_unattended(&request, &word);
                Some(option)
            }
            Decision::Choose(option) => Some(option),
            Decision::Cancel => None,
        };
        Some(match chosen.filter(allows) {
            Some(_) => Ok(()),
            None => Err(refused("this was not allowed".into())),
        })
    }

    fn decide(&self, request: &RequestPermissionRequest, used: &BTreeSet<usize>) -> Decision {
        let rules = Rules {
            policy: self.policy,
            absence: self.absence,
            is_unattended: self.is_unattended,
            answers: &self.answers,
            attempt: self.attempt,
            redactors: [&self.redaction, self.context.redactor()],
        };
        decide(request, &rules, |answer| used.contains(&answer))
    }

    fn tell_unattended(&self, request: &RequestPermissionRequest, word: &str) {
        let asked =
            request.tool_call.fields.title.as_deref().and_then(|title| title.lines().next()).unwrap_or("something it does not name");
        self.context.tell(Progress::Log(format!("it needs permission ({asked}); nobody is there, so “{word}” holds")));
    }

    /// The turn was cancelled, so every request for permission is answered with that, the waiting ones first.
    pub fn close(&self) {
        let mut asking = self.asking();
        asking.is_over = true;
        self.closing.send_replace(true);
        for responder in asking.waiting.drain(..) {
            // An agent that is gone needs no answer.
            let _ = responder.respond(cancelled());
        }
    }

    pub async fn read_file(&self, request: &ReadTextFileRequest) -> Result<ReadTextFileResponse, agent_client_protocol::Error> {
        let text = files::read(&self.ground, &request.path, request.line, request.limit).await.map_err(refused)?;
        Ok(ReadTextFileResponse::new(text))
    }

    pub async fn write_file(&self, request: &WriteTextFileRequest) -> Result<schema::WriteTextFileResponse, agent_client_protocol::Error> {
        let written = self.write(request).await;
        self.record.written(request, &written);
        written
    }

    async fn write(&self, request: &WriteTextFileRequest) -> Result<schema::WriteTextFileResponse, agent_client_protocol::Error> {
        // What is refused anyway is not worth a question.
        let place = self.ground.writable(&request.path).map_err(refused)?;
        self.leave(&Deed::Write { path: &request.path, place, content: &request.content }).await?;
        files::write(&self.ground, &request.path, &request.content).await.map_err(refused)?;
        self.context.tell(Progress::Log(format!("writes {}", request.path.display())));
        Ok(schema::WriteTextFileResponse::new())
    }

    pub async fn create_terminal(&self, request: &CreateTerminalRequest) -> Result<CreateTerminalResponse, agent_client_protocol::Error> {
        let created = self.create(request).await;
        if let Err(error) = &created {
            self.record.not_run(request, error);
        }
        created
    }

    async fn create(&self, request: &CreateTerminalRequest) -> Result<CreateTerminalResponse, agent_client_protocol::Error> {
        if let Some(directory) = &request.cwd {
            self.ground.readable(directory).map_err(refused)?;
        }
        self.leave(&Deed::Run { request, within: request.cwd.as_deref() }).await?;
        let id = self.terminals.create(&self.ground, request, &self.record).map_err(refused)?;
        self.context.tell(Progress::Log(format!("runs {} {}", request.command, request.args.join(" "))));
        Ok(CreateTerminalResponse::new(id))
    }

    pub fn terminal_output(&self, request: &TerminalOutputRequest) -> Result<TerminalOutputResponse, agent_client_protocol::Error> {
        let output = self.terminals.output(&request.terminal_id).map_err(refused)?;
        Ok(TerminalOutputResponse::new(output.text, output.is_cut).exit_status(output.exit))
    }

    pub async fn terminal_exit(
        &self,
        request: &WaitForTerminalExitRequest,
    ) -> Result<schema::WaitForTerminalExitResponse, agent_client_protocol::Error> {
        let mut exit = self.terminals.exit(&request.terminal_id).map_err(refused)?;
        // A terminal that is released while somebody waits for it has no status.
        let status = exit.wait_for(Option::is_some).await.ok().and_then(|status| status.clone());
        Ok(schema::WaitForTerminalExitResponse::new(status.unwrap_or_else(TerminalExitStatus::new)))
    }

    fn asking(&self) -> MutexGuard<'_, Asking> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What people allow the agent to do, it may then have us do.
fn give_leave(asking: &mut Asking, request: &RequestPermissionRequest, option: &schema::PermissionOptionId) {
    let Some(option) = request.options.iter().find(|offered| offered.option_id == *option) else { return };
    let holds_once = match option.kind {
        PermissionOptionKind::AllowOnce => true,
        PermissionOptionKind::AllowAlways => false,
        _ => return,
    };
    let kind = asking.leave.give(request, holds_once);
    asking.allowed.extend(kind);
}

fn selected(option: schema::PermissionOptionId) -> RequestPermissionResponse {
    RequestPermissionResponse::new(RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)))
}

fn cancelled() -> RequestPermissionResponse {
    RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)
}

pub(super) fn refused(why: String) -> agent_client_protocol::Error {
    let mut error = agent_client_protocol::Error::invalid_params();
    error.message = why;
    error
}
