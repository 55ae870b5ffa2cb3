//! Looks at every message between an agent and a server: calls of tools that were not given are refused, the others written down with
//! what came of them.
//! It passes nothing on itself, and changes nothing but lists of tools.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use super::Given;
use super::notebook::Notebook;
use super::reading::Unread;
use crate::mcp::answers;
use crate::tools::ToolAnswer;

pub(super) struct Watch {
    given: Given,
    notebook: Notebook,
    /// What the agent has asked the server and was not told, by its id for it.
    open: Mutex<BTreeMap<String, Open>>,
}

struct Open {
    id: Value,
    /// Which tool it calls, if it calls one.
    tool: Option<String>,
    /// By what the call is known in the notes, if there was room for it.
    call: Option<String>,
    /// The agent does not wait for it any more.
    is_cancelled: bool,
}

impl Watch {
    pub fn new(given: Given, notebook: Notebook) -> Self {
        Self { given, notebook, open: Mutex::default() }
    }

    /// The agent says this: what is answered in the server's place, if it must not reach it.
    pub fn refusal(&self, message: &Value) -> Option<Value> {
        let refused = |why: String| Some(json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32602, "message": why } }));
        if has_twin(message, &["method", "params", "id"]) || has_twin(&message["params"], &["name", "arguments"]) {
            return refused("a field has a name of the protocol in other letters, which others may read as that field".into());
        }
        if message["method"] != "tools/call" {
            self.notice(message);
            return None;
        }
        let (name, arguments) = (message["params"]["name"].as_str(), &message["params"]["arguments"]);
        let why = match name {
            Some(name) if self.given.gives(name) => match self.notebook.called(name, arguments) {
                Ok(call) => {
                    self.begin(&message["id"], Some(name.to_string()), call);
                    return None;
                }
                // What nobody could know of does not happen.
                Err(error) => return refused(format!("`{name}` was not called, since the call cannot be put on record: {error}")),
            },
            Some(name) => format!("you were given no tool `{name}`"),
            None => "you called a tool without naming it".into(),
        };
        // It does nothing, so that it is refused even if that cannot be put on record.
        let _ = self.notebook.refused(name.unwrap_or_default(), arguments, &why);
        refused(why)
    }

    /// The agent says this, which calls no tool.
    fn notice(&self, message: &Value) {
        match (message["method"].as_str(), message.get("id")) {
            (Some(_), Some(id)) => self.begin(id, None, None),
            (Some("notifications/cancelled"), None) => {
                if let Some(open) = self.open().get_mut(&message["params"]["requestId"].to_string()) {
                    open.is_cancelled = true;
                }
            }
            _ => {}
        }
    }

    fn begin(&self, id: &Value, tool: Option<String>, call: Option<String>) {
        self.open().insert(id.to_string(), Open { id: id.clone(), tool, call, is_cancelled: false });
    }

    /// Whether the agent waits for nothing.
    pub fn is_idle(&self) -> bool {
        self.open().values().all(|open| open.is_cancelled)
    }

    /// The server says this. Tells whether something was taken out of it.
    pub fn hear(&self, message: &mut Value) -> bool {
        if message.get("method").is_none()
            && let Some(Open { call: Some(call), .. }) = self.closed(&message["id"].to_string())
        {
            // The agent is told in any case: the tool has been used.
            let _ = self.notebook.answered(call, self.answer(message));
        }
        let Some(tools) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) else { return false };
        let all = tools.len();
        tools.retain(|tool| tool["name"].as_str().is_some_and(|name| self.given.gives(name)));
        tools.len() < all
    }

    /// The server says something that nobody can read: what the agent is told of what this seems to answer. One that does not say what it
    /// answers can only answer what alone is open.
    pub fn hear_unread(&self, unread: &Unread) -> Option<Value> {
        if !unread.may_answer() {
            return None;
        }
        let key = match &unread.id {
            Some(id) => id.to_string(),
            None => self.only_open()?,
        };
        let Open { id, tool, call, .. } = self.closed(&key)?;
        let broken = "cannot be read, or is larger than 16 MiB";
        let why = match tool {
            Some(tool) => format!("the answer of `{tool}` {broken}; it was called"),
            None => format!("the answer of the tool server {broken}"),
        };
        if let Some(call) = call {
            let _ = self.notebook.answered(call, ToolAnswer { text: why.clone(), is_error: true });
        }
        Some(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": why } }))
    }

    /// The agent has taken back what it asked, and is told nothing of it: what happened stands in the notes.
    pub fn forget(&self, id: &Value, why: &str) {
        if let Some(Open { call: Some(call), .. }) = self.closed(&id.to_string()) {
            let _ = self.notebook.answered(call, ToolAnswer { text: why.into(), is_error: true });
        }
    }

    fn closed(&self, key: &str) -> Option<Open> {
        self.open().remove(key)
    }

    fn only_open(&self) -> Option<String> {
        let open = self.open();
        let mut waiting = open.iter().filter(|(_, open)| !open.is_cancelled).map(|(key, _)| key.clone());
        waiting.next().filter(|_| waiting.next().is_none())
    }

    /// What a tool's answer is to a reader: one text.
    fn answer(&self, message: &Value) -> ToolAnswer {
        if let Some(error) = message.get("error") {
            let text = error["message"].as_str().map_or_else(|| error.to_string(), String::from);
            return ToolAnswer { text, is_error: true };
        }
        let result = &message["result"];
        match serde_json::from_value::<CallToolResult>(result.clone()) {
            Ok(result) => answers::whole(&result, self.notebook.redaction()),
            Err(_) => ToolAnswer { text: result.to_string(), is_error: result["isError"] == true },
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a field is called like one of these but for the case of its letters: there are servers that do not look at that.
fn has_twin(message: &Value, names: &[&str]) -> bool {
    let is_twin = |key: &String| names.iter().any(|name| key != name && key.to_uppercase() == name.to_uppercase());
    message.as_object().is_some_and(|fields| fields.keys().any(is_twin))
}
