//! An agent over the Agent Client Protocol: one process per attempt, one conversation per task.
//! The process ends with the attempt; the conversation, if the agent keeps it, does not.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::Error;
use motet_core::event::{Failure, FailureKind, Usage};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::desk::Desk;
use super::ground::Ground;
use super::lines::transport;
use super::outcome::{broken, settled};
use super::record::Record;
use super::servers::given;
use super::session::{FAREWELL, converse};
use super::settings::AcpSettings;
use super::traffic::Traffic;
use crate::agent::{Agent, BoxFuture, Outcome, Request};
use crate::command::child::Companion;
use crate::command::leftovers;
use crate::command::process::{describe_task, log_base};
use crate::command::{self, shown};
use crate::context::{Context, Progress};
use crate::conversation::{Conversation, opened};
use crate::mcp::WayBack;
use crate::redaction::Redactor;

pub struct AcpAgent {
    settings: AcpSettings,
}

impl AcpAgent {
    pub fn new(settings: AcpSettings) -> Self {
        Self { settings }
    }

    async fn attempt(&self, request: &Request, context: &Context) -> Result<Outcome, Failure> {
        leftovers::end(&request.call, context);
        let root = root(context)?;
        let known = Redactor::new(self.settings.servers.iter().flat_map(|handed| handed.server.secrets()));
        let redaction = known.and(context.redactor());
        let way_back =
            WayBack::from_servers(self.settings.servers.iter().map(|handed| handed.server.name.as_str())).map_err(no_way_back)?;
        let servers: Vec<_> = self.settings.servers.iter().zip(way_back.notes()).map(|(handed, notes)| handed.noting_in(notes)).collect();
        let record = Arc::new(Record::new(context.clone(), redaction.clone(), way_back));
        // Before the program, so that after its end nothing is missing, in whatever way this one ends.
        let _last_words = LastWords(record.clone());
        let (companion, stdin, stdout) = self.start(&root, &redaction, request, context)?;
        let first = request.prompt.clone().unwrap_or_else(|| opened(request));
        let conversation = Conversation::of(&shown(&self.settings.command), &first, request, context);
        let traffic = Arc::new(Traffic::default());
        let wire = transport(stdin, stdout, traffic.clone(), &redaction, context);
        let desk = Arc::new(Desk::new(Ground::new(root, context), traffic, &self.settings, record, request, context.clone(), conversation));
        let talked = tokio::select! {
            biased;
            talked = converse(wire, desk.clone(), &self.settings, given(&servers), request) => talked,
            // A session that is stopped before its turn has nobody who would tell the agent.
            () = stopped_for_good(context) => Err(Error::request_cancelled()),
        };
        match talked {
            Ok(None) => {
                // It had its time; what is left of it is killed at once.
                drop(companion);
                Ok(settled(None, &desk, request))
            }
            Ok(Some(response)) => {
                companion.end().await;
                Ok(settled(Some(&response), &desk, request))
            }
            Err(error) => Ok(broken(error, companion, &desk).await),
        }
    }

    fn start(
        &self,
        root: &Path,
        redaction: &Redactor,
        request: &Request,
        context: &Context,
    ) -> Result<(Companion, ChildStdin, ChildStdout), Failure> {
        let Some((program, arguments)) = self.settings.command.split_first() else {
            let message = format!("`{}` has an empty command: give the program that speaks the protocol", self.settings.name);
            return Err(Failure { kind: FailureKind::Configuration, message });
        };
        let mut command = Command::new(context.program(program));
        command.args(arguments).current_dir(root);
        describe_task(&mut command, &request.call, context);
        let log = log_base(&request.call, context).map(|base| base.with_added_extension("stderr").with_added_extension("log"));
        let listener = context.clone();
        Companion::start(command, log, Some(Arc::new(move |line| listener.tell(Progress::Log(line)))), redaction)
    }
}

impl Agent for AcpAgent {
    fn changes_files(&self) -> bool {
        true
    }

    fn tells_what_it_took(&self) -> bool {
        false
    }

    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let attempt = self.attempt(&request, context).await;
            attempt.unwrap_or_else(|failure| Outcome::Failed { failure, usage: Usage::default() })
        })
    }
}

/// What relays have seen goes on record even of an attempt that nobody waits for any more.
struct LastWords(Arc<Record>);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.relayed();
    }
}

fn no_way_back(error: io::Error) -> Failure {
    let message = format!("there is no file in which tool calls could be written down: {error}; make room there, or set TMPDIR");
    Failure { kind: FailureKind::Unavailable, message }
}

/// The task's directory with all links followed, so that nothing in it can lead out of it.
fn root(context: &Context) -> Result<PathBuf, Failure> {
    let wrong = |message: String| Failure { kind: FailureKind::Configuration, message };
    let directory = match command::directory(None, context)? {
        Some(directory) => directory,
        None => std::env::current_dir().map_err(|error| wrong(format!("there is no directory to work in: {error}")))?,
    };
    let followed = directory.canonicalize();
    followed.map_err(|error| wrong(format!("the directory to work in cannot be followed: {}: {error}", directory.display())))
}

/// Resolves when the attempt was stopped and the agent had its time to end its turn.
async fn stopped_for_good(context: &Context) {
    context.stopped().await;
    tokio::time::sleep(FAREWELL + Duration::from_millis(500)).await;
}
