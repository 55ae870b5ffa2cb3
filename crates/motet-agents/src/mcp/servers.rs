//! All tool servers of one process: started at the first call, shared by every run, and started again if they die.
//! It gives no tool to anyone: a toolbox does.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use motet_core::event::{Failure, FailureKind};
use rmcp::model::{self, JsonObject};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::answers;
use super::declared::{McpServer, Reached, wrong};
use super::relay::{Given, HandedServer};
use super::running::{Running, Shared};
use super::toolbox::{EVERY, McpToolbox};
use super::trouble::Trouble;
use crate::command::process::Ear;
use crate::context::{Context, Progress};
use crate::tools::{Tool, ToolAnswer};

/// A server that has to be started more often than this within `WINDOW` is left alone for a while.
const STARTS: usize = 5;
const WINDOW: Duration = Duration::from_secs(60);

/// Cheap to clone; the servers end with the last clone.
#[derive(Clone, Default)]
pub struct Servers {
    /// By name; one whose declaration cannot be used is known with the reason.
    slots: Arc<BTreeMap<String, Result<Slot, Failure>>>,
    logs: Option<PathBuf>,
}

struct Slot {
    server: McpServer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Shared>,
    /// When it was started, as far as that was lately.
    starts: VecDeque<Instant>,
}

/// What one server has to offer, or why it has nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub server: String,
    pub tools: Result<Vec<Tool>, Failure>,
    pub duration_ms: u64,
}

impl Servers {
    pub fn new(servers: Vec<McpServer>) -> Result<Self, Failure> {
        let mut named = BTreeMap::new();
        for server in servers {
            server.check()?;
            let name = server.name.clone();
            if named.insert(name.clone(), Ok(server)).is_some() {
                return Err(wrong(format!("two tool servers are called `{name}`")));
            }
        }
        Ok(Self::each(named))
    }

    /// Of these, each for itself: one that cannot be used keeps nobody from the others, and whoever wants a tool of it is told why.
    pub fn each(declared: BTreeMap<String, Result<McpServer, Failure>>) -> Self {
        let slot = |server: McpServer| server.check().map(|()| Slot { server, state: Mutex::default() });
        let slots = declared.into_iter().map(|(name, server)| (name, server.and_then(slot))).collect();
        Self { slots: Arc::new(slots), logs: None }
    }

    /// Where the servers' own words are logged. Otherwise below the run that starts them.
    pub fn logging_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.logs = Some(directory.into());
        self
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }

    /// Every server with the tools that it offers and its declaration allows. All are asked at the same time.
    pub async fn list(&self, context: &Context) -> Vec<Listed> {
        let asked: Vec<_> = self
            .slots
            .keys()
            .map(|name| {
                let (servers, name, context) = (self.clone(), name.clone(), context.clone());
                tokio::spawn(async move {
                    let started = Instant::now();
                    let tools = servers.tools_of(&name, &context).await;
                    Listed { server: name, tools, duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX) }
                })
            })
            .collect();
        let mut listed = Vec::new();
        for one in asked {
            listed.extend(one.await);
        }
        listed
    }

    /// The tools of these names, and no others: `server.tool`, or `server.*` for all that the server's declaration allows.
    pub fn toolbox(&self, names: &[String]) -> Result<McpToolbox, Failure> {
        McpToolbox::new(self.clone(), names)
    }

    /// The servers of these tools for a program that starts them itself: each behind a relay, which is started with these words and its own.
    pub fn handed_over(&self, names: &[String], relay: &[String]) -> Result<Vec<HandedServer>, Failure> {
        self.toolbox(names)?.by_server().into_iter().map(|(name, tools)| self.handed(&name, tools, relay)).collect()
    }

    fn handed(&self, name: &str, tools: BTreeSet<String>, relay: &[String]) -> Result<HandedServer, Failure> {
        let server = &self.slot(name)?.server;
        let given = match tools.contains(EVERY) {
            true if server.allows(EVERY) => Given::Everything,
            true => Given::Only(server.allow.clone()),
            false => Given::Only(tools.into_iter().collect()),
        };
        Ok(HandedServer { server: server.clone(), given, relay: relay.to_vec() })
    }

    pub(super) fn declared(&self, server: &str) -> Option<&McpServer> {
        self.slots.get(server)?.as_ref().ok().map(|slot| &slot.server)
    }

    fn slot(&self, server: &str) -> Result<&Slot, Failure> {
        match self.slots.get(server) {
            Some(slot) => slot.as_ref().map_err(Clone::clone),
            None => Err(wrong(format!("there is no tool server `{server}`"))),
        }
    }

    /// What is wrong with the declaration of a server, if there is one and something is.
    pub(super) fn unusable(&self, server: &str) -> Option<&Failure> {
        self.slots.get(server)?.as_ref().err()
    }

    pub(super) async fn tools_of(&self, server: &str, context: &Context) -> Result<Vec<Tool>, Failure> {
        let tool = |tool: model::Tool| Tool {
            name: format!("{server}.{}", tool.name),
            description: tool.description.as_deref().unwrap_or_default().into(),
            parameters: serde_json::Value::Object((*tool.input_schema).clone()),
        };
        Ok(self.offered(server, context).await?.into_iter().map(tool).collect())
    }

    /// The tools that a server offers and its declaration allows, in its own words.
    pub(super) async fn offered(&self, server: &str, context: &Context) -> Result<Vec<model::Tool>, Failure> {
        let slot = self.slot(server)?;
        let running = self.running(slot, context).await?;
        match running.tools(&slot.server).await {
            Ok(tools) => Ok(tools.into_iter().filter(|tool| slot.server.allows(&tool.name)).collect()),
            Err(trouble) => {
                let message = self.told(slot, &running, trouble).await;
                Err(Failure { kind: FailureKind::Unavailable, message: format!("its tools cannot be listed: {message}") })
            }
        }
    }

    /// Calls a tool of a server. Whatever goes wrong is an answer.
    pub(super) async fn call(&self, server: &str, tool: &str, arguments: JsonObject, context: &Context) -> ToolAnswer {
        let limit = self.declared(server).map_or(Duration::MAX, |server| server.timeout);
        match self.result(server, tool, arguments, limit, context).await {
            Ok(result) => answers::whole(&result, &self.declared(server).map(McpServer::redaction).unwrap_or_default()),
            Err(text) => ToolAnswer { text, is_error: true },
        }
    }

    /// The same in the server's own words, or what went wrong. `limit` is how long the answer may take.
    pub(super) async fn result(
        &self,
        server: &str,
        tool: &str,
        arguments: JsonObject,
        limit: Duration,
        context: &Context,
    ) -> Result<model::CallToolResult, String> {
        let slot = self.slot(server).map_err(|failure| failure.message)?;
        let stopped = || "the task was stopped".to_string();
        let running = tokio::select! {
            running = self.running(slot, context) => running.map_err(|failure| failure.message)?,
            _ = context.stopped() => return Err(stopped()),
        };
        match running.call(&slot.server, tool, arguments, limit, context).await {
            Some(Ok(result)) => Ok(result),
            Some(Err(trouble @ Trouble::Late(_))) => {
                Err(format!("{}; `{tool}` may have been done all the same", self.told(slot, &running, trouble).await))
            }
            Some(Err(trouble)) => Err(self.told(slot, &running, trouble).await),
            None => Err(stopped()),
        }
    }

    /// The server, started if it is not there (any more).
    async fn running(&self, slot: &Slot, context: &Context) -> Result<Shared, Failure> {
        let mut state = slot.state.lock().await;
        if let Some(running) = &state.running {
            if !running.is_gone() {
                return Ok(running.clone());
            }
            let ended = running.obituary().await;
            context.tell(Progress::Log(slot.server.redacted(&format!("the tool server `{}` is started again: {ended}", slot.server.name))));
            state.running = None;
        }
        let now = Instant::now();
        state.starts.retain(|start| now.duration_since(*start) < WINDOW);
        if state.starts.len() >= STARTS {
            let message = format!(
                "the tool server `{}` had to be started {STARTS} times within {} s and is left alone for now: look into its log, or try its command by hand",
                slot.server.name,
                WINDOW.as_secs()
            );
            return Err(Failure { kind: FailureKind::Unavailable, message });
        }
        state.starts.push_back(now);
        let started = Arc::new(Running::start(&slot.server, self.log(&slot.server, context), ear(&slot.server, context)).await?);
        state.running = Some(started.clone());
        Ok(started)
    }

    /// What is said of a call that came to nothing. A server that is gone or deaf is replaced at the next call.
    async fn told(&self, slot: &Slot, running: &Shared, trouble: Trouble) -> String {
        let name = &slot.server.name;
        let told = match trouble {
            Trouble::Said(why) => format!("the tool server `{name}` refused: {why}"),
            Trouble::Late(limit) => {
                self.retire(slot, running).await;
                format!("the tool server `{name}` did not answer within {} s; a new one is started at the next call", limit.as_secs_f64())
            }
            Trouble::Unread(why) => {
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                format!(
                    "the tool server `{name}` has answered in a way that cannot be read, so that what was asked may have been done{why}"
                )
            }
            Trouble::Failed(why) => format!("the tool server `{name}` could not do it: {why}"),
            Trouble::Gone(why) => {
                self.retire(slot, running).await;
                let how = match why {
                    Some(why) => why,
                    None => running.obituary().await,
                };
                let again = match &slot.server.reached {
                    Reached::Stdio { .. } => "it is started again at the next one",
                    Reached::Http { .. } => "it is asked again at the next one",
                };
                format!("the tool server `{name}` broke down during the call: {how}; {again}")
            }
        };
        slot.server.redacted(&told)
    }

    /// Others may still wait for an answer of this one: it ends when the last of them has let go.
    async fn retire(&self, slot: &Slot, running: &Shared) {
        let mut state = slot.state.lock().await;
        if state.running.as_ref().is_some_and(|current| Arc::ptr_eq(current, running)) {
            state.running = None;
        }
    }

    /// Where a server's own words are kept. One that is started again goes on in the same file.
    fn log(&self, server: &McpServer, context: &Context) -> Option<PathBuf> {
        let logs = self.logs.clone().or_else(|| context.run_directory().map(|directory| directory.join("logs")));
        logs.map(|directory| directory.join(format!("mcp-{}.stderr.log", server.name)))
    }
}

/// What a server prints is progress of whoever made it start.
fn ear(server: &McpServer, context: &Context) -> Ear {
    let (name, context) = (server.name.clone(), context.clone());
    Arc::new(move |line| context.tell(Progress::Log(format!("{name}: {line}"))))
}
