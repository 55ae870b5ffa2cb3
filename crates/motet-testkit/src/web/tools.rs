//! A server of tools that speaks the Model Context Protocol over HTTP, as far as a client of one search tool needs it.
//! What the tool finds is said by the test.

use serde_json::{Value, json};

use super::{Answer, Asked};

/// Answers one message of the protocol. The server has the tool `find`, whose argument is `question`; `find` gives its text.
pub fn search_server(asked: &Asked, find: impl Fn(&str) -> String) -> Answer {
    if asked.method != "POST" {
        return Answer::status(405);
    }
    let message = asked.json();
    let Some(id) = message.get("id") else { return Answer::status(202) };
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "search", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [{
            "name": "find", "description": "Finds pages.",
            "inputSchema": {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
        }]}),
        Some("tools/call") => called(&message["params"], find),
        _ => json!({}),
    };
    Answer::json(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn called(call: &Value, find: impl Fn(&str) -> String) -> Value {
    match (call["name"].as_str(), call["arguments"]["question"].as_str()) {
        (Some("find"), Some(question)) => json!({"content": [{"type": "text", "text": find(question)}]}),
        _ => json!({"content": [{"type": "text", "text": "find wants a question"}], "isError": true}),
    }
}
