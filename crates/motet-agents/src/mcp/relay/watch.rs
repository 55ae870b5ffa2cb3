//! Looks at every message between an agent and a server: calls of tools that were not given are refused, the others written down with
//! what came of them.
//! It passes nothing on itself, and changes nothing but lists of tools.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use super::Given;
use super::notebook::Notebook;
use crate::mcp::answers;
use crate::tools::ToolAnswer;

pub(super) struct Watch {
    given: Given,
    notebook: Notebook,
    /// The calls that have not been answered, by the agent's id for them.
    open: Mutex<BTreeMap<String, String>>,
}

impl Watch {
    pub fn new(given: Given, notebook: Notebook) -> Self {
        Self { given, notebook, open: Mutex::default() }
    }

    /// The agent says this: what is answered in the server's place, if it must not reach it.
    pub fn refusal(&self, message: &Value) -> Option<Value> {
        if message["method"] != "tools/call" {
            return None;
        }
        let (name, arguments) = (message["params"]["name"].as_str(), &message["params"]["arguments"]);
        let refused = |why: String| Some(json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32602, "message": why } }));
        let why = match name {
            Some(name) if self.given.gives(name) => match self.notebook.called(name, arguments) {
                Ok(call) => {
                    self.open().extend(call.map(|call| (message["id"].to_string(), call)));
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

    /// The server says this.
    pub fn hear(&self, message: &mut Value) {
        if message.get("method").is_none()
            && let Some(call) = self.open().remove(&message["id"].to_string())
        {
            // The agent is told in any case: the tool has been used.
            let _ = self.notebook.answered(call, self.answer(message));
        }
        if let Some(tools) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) {
            tools.retain(|tool| tool["name"].as_str().is_some_and(|name| self.given.gives(name)));
        }
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

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
