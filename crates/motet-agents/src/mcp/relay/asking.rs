//! A relay to a server over http: it speaks to the agent as a small server of tools, and asks the real one for each of them.
//! Only tools are relayed; of prompts, resources and whatever else a server may have, the agent learns nothing.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use motet_core::event::Failure;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::Relay;
use super::passing::{each_line, say};
use super::watch::Watch;
use crate::context::Context;
use crate::mcp::declared::McpServer;
use crate::mcp::servers::Servers;

/// The versions of the protocol in which lists and calls of tools look as they do here; the last one is offered to who wants another.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-11-25", "2025-06-18"];
/// So many messages of an agent wait to be read.
const WAITING: usize = 16;
/// So many of its questions are being answered at once.
const AT_ONCE: usize = 16;

struct Asking {
    watch: Watch,
    servers: Servers,
    name: String,
    context: Context,
}

impl Relay {
    /// Answers the agent until it has no more questions.
    pub async fn to_server(
        self,
        server: McpServer,
        from: impl Read + Send + 'static,
        to: impl Write + Send + 'static,
    ) -> Result<(), Failure> {
        let name = server.name.clone();
        let asking = Arc::new(Asking { watch: self.watch, servers: Servers::new(vec![server])?, name, context: Context::new().0 });
        let to = Arc::new(Mutex::new(to));
        let (sender, mut lines) = mpsc::channel(WAITING);
        // It ends with the agent, or with this process.
        std::thread::spawn(move || each_line(from, |line| sender.blocking_send(line).map_err(std::io::Error::other)));
        let mut answering = JoinSet::new();
        while let Some(line) = lines.recv().await {
            let messages = match serde_json::from_str(&line) {
                Ok(Value::Array(messages)) => messages,
                Ok(message) => vec![message],
                Err(_) => continue,
            };
            for message in messages {
                while answering.len() >= AT_ONCE {
                    answering.join_next().await;
                }
                let (asking, to) = (asking.clone(), to.clone());
                answering.spawn(async move {
                    if let Some(answer) = asking.answer(&message).await {
                        // An agent that does not listen any more will not ask any more either.
                        let _ = say(&to, &answer.to_string());
                    }
                });
            }
        }
        while answering.join_next().await.is_some() {}
        Ok(())
    }
}

impl Asking {
    /// None: nothing was asked.
    async fn answer(&self, message: &Value) -> Option<Value> {
        let (id, method) = (message.get("id")?, message["method"].as_str()?);
        let result = match method {
            "initialize" => Ok(self.greeting(&message["params"])),
            "ping" => Ok(json!({})),
            "tools/list" => self.tools().await,
            "tools/call" => match self.watch.refusal(message) {
                Some(refusal) => return Some(refusal),
                None => Ok(self.call(&message["params"]).await),
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

    async fn tools(&self) -> Result<Value, (i32, String)> {
        match self.servers.offered(&self.name, &self.context).await {
            Ok(tools) => Ok(json!({ "tools": tools })),
            Err(failure) => Err((-32603, failure.message)),
        }
    }

    async fn call(&self, said: &Value) -> Value {
        let told = |text: String| json!({ "content": [{ "type": "text", "text": text }], "isError": true });
        let tool = said["name"].as_str().unwrap_or_default();
        let arguments = match &said["arguments"] {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => Default::default(),
            other => return told(format!("the arguments of `{tool}` must be a JSON object, not {other}")),
        };
        match self.servers.result(&self.name, tool, arguments, &self.context).await {
            Ok(result) => json!(result),
            Err(text) => told(text),
        }
    }
}
