//! A relay to a server over http: it speaks to the agent as a small server of tools, and asks the real one for each of them.
//! Only tools are relayed; of prompts, resources and whatever else a server may have, the agent learns nothing.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use motet_core::event::Failure;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Relay;
use super::ending::LAST_ANSWERS;
use super::passing::{each_line, say};
use super::reading::{no_message, unreadable};
use super::watch::Watch;
use crate::context::{Context, Stop, StopReason};
use crate::mcp::declared::McpServer;
use crate::mcp::mending::mended;
use crate::mcp::servers::Servers;

/// The versions of the protocol in which lists and calls of tools look as they do here; the last one is offered to who wants another.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-11-25", "2025-06-18"];
/// So many messages of an agent wait to be read.
const WAITING: usize = 16;
/// So many of its questions are being answered at once.
const AT_ONCE: usize = 64;

struct Asking {
    watch: Watch,
    servers: Servers,
    name: String,
    /// How long a call may take.
    limit: Duration,
    /// By which each question that is being answered can be taken back, by the agent's id for it.
    stops: Mutex<BTreeMap<String, Stop>>,
}

impl Relay {
    /// Answers the agent until it has no more questions. What is not answered a moment later, it does not hear.
    pub async fn to_server(
        self,
        server: McpServer,
        from: impl Read + Send + 'static,
        to: impl Write + Send + 'static,
    ) -> Result<(), Failure> {
        let (name, limit) = (server.name.clone(), server.relayed_call);
        let servers = Servers::new(vec![server])?;
        let asking = Arc::new(Asking { watch: self.watch, servers, name, limit, stops: Mutex::default() });
        let to = Arc::new(Mutex::new(to));
        let (sender, mut lines) = mpsc::channel(WAITING);
        // It ends with the agent, or with this process.
        std::thread::spawn(move || each_line(from, |line| sender.blocking_send(line).map_err(std::io::Error::other)));
        let mut answering = JoinSet::new();
        while let Some(line) = lines.recv().await {
            let line = mended(&line);
            let messages = match serde_json::from_str(&line) {
                Ok(Value::Array(messages)) if !messages.is_empty() => messages,
                Ok(message) => vec![message],
                Err(_) => {
                    let _ = say(&to, &unreadable(&line).to_string());
                    continue;
                }
            };
            for message in messages {
                if !message.is_object() {
                    let _ = say(&to, &no_message().to_string());
                    continue;
                }
                if message["method"] == "notifications/cancelled" {
                    asking.take_back(&message["params"]["requestId"]);
                    continue;
                }
                while answering.len() >= AT_ONCE {
                    answering.join_next().await;
                }
                let (asking, to, context) = (asking.clone(), to.clone(), asking.begin(&message["id"]));
                answering.spawn(async move {
                    let answer = asking.answer(&message, &context).await;
                    asking.stops().remove(&message["id"].to_string());
                    if let Some(answer) = answer {
                        // An agent that does not listen any more will not ask any more either.
                        let _ = say(&to, &answer.to_string());
                    }
                });
            }
        }
        let _ = timeout(LAST_ANSWERS, async { while answering.join_next().await.is_some() {} }).await;
        Ok(())
    }
}

impl Asking {
    fn stops(&self) -> MutexGuard<'_, BTreeMap<String, Stop>> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// At once, so that whatever the agent says next can take it back.
    fn begin(&self, id: &Value) -> Context {
        let (context, stop) = Context::new();
        self.stops().insert(id.to_string(), stop);
        context
    }

    fn take_back(&self, id: &Value) {
        if let Some(stop) = self.stops().remove(&id.to_string()) {
            stop.stop(StopReason::Cancelled);
        }
    }

    /// None: nothing was asked, or it was taken back.
    async fn answer(&self, message: &Value, context: &Context) -> Option<Value> {
        let (id, method) = (message.get("id")?, message["method"].as_str()?);
        let result = match method {
            "initialize" => Ok(self.greeting(&message["params"])),
            "ping" => Ok(json!({})),
            "tools/list" => self.tools(context).await,
            "tools/call" => match self.watch.refusal(message) {
                Some(refusal) => return Some(refusal),
                None => match self.call(&message["params"], context).await {
                    Some(answer) => Ok(answer),
                    None => {
                        self.watch.forget(id, "the agent took the call back; it may have been done all the same");
                        return None;
                    }
                },
            },
            other => Err((-32601, format!("only tools are relayed, so that there is no `{other}`"))),
        };
        let mut answer = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }),
        };
        self.watch.hear(&mut answer);
        Some(answer)
    }

    fn greeting(&self, said: &Value) -> Value {
        let wanted = said["protocolVersion"].as_str().filter(|wanted| VERSIONS.contains(wanted));
        let version = wanted.unwrap_or(VERSIONS[VERSIONS.len() - 1]);
        json!({
            "protocolVersion": version,
            "capabilities": { "tools": {} },
            "serverInfo": { "name": self.name, "version": env!("CARGO_PKG_VERSION") },
        })
    }

    async fn tools(&self, context: &Context) -> Result<Value, (i32, String)> {
        match self.servers.offered(&self.name, context).await {
            Ok(tools) => Ok(json!({ "tools": tools })),
            Err(failure) => Err((-32603, failure.message)),
        }
    }

    /// None: it was taken back.
    async fn call(&self, said: &Value, context: &Context) -> Option<Value> {
        let told = |text: String| json!({ "content": [{ "type": "text", "text": text }], "isError": true });
        let tool = said["name"].as_str().unwrap_or_default();
        let arguments = match &said["arguments"] {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => Default::default(),
            other => return Some(told(format!("the arguments of `{tool}` must be a JSON object, not {other}"))),
        };
        match self.servers.result(&self.name, tool, arguments, self.limit, context).await {
            Ok(result) => Some(json!(result)),
            Err(_) if context.stop_reason().is_some() => None,
            Err(text) => Some(told(text)),
        }
    }
}
