//! Which tools a coding program says it has used, with what, and what came of it.
//! It believes the program: what it did without saying so, nobody here sees.

use serde_json::{Value, json};

use super::format::Format;
use crate::exchange::Exchange;
use crate::room::Room;

/// All that was said of tools so far, within bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Uses {
    used: Vec<Used>,
    room: Room,
}

#[derive(Clone, Debug, PartialEq)]
struct Used {
    /// By which the program speaks of it again.
    id: String,
    name: String,
    arguments: Value,
    answer: Option<String>,
    is_error: bool,
    /// That nothing more is kept.
    note: &'static str,
}

impl Uses {
    /// Takes in one line of what the program prints.
    pub fn hear(&mut self, format: Format, event: &Value) {
        match format {
            Format::StreamJson => self.claude(event),
            Format::CodexEvents => self.codex(event),
            Format::GeminiEvents => self.gemini(event),
            Format::OpencodeEvents => self.opencode(event),
            Format::Aider => {}
        }
    }

    /// In the order in which they were begun.
    pub fn exchanges(self) -> impl Iterator<Item = Exchange> {
        self.used.into_iter().map(|Used { name, arguments, answer, is_error, note, .. }| {
            let answer = answer.unwrap_or_else(|| "it does not say what came of it".into()) + note;
            Exchange::Tool { name, arguments, answer, is_error, is_relayed: false }
        })
    }

    fn claude(&mut self, event: &Value) {
        for block in event.pointer("/message/content").and_then(Value::as_array).into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_use") => self.begin(&block["id"], &block["name"], &block["input"]),
                Some("tool_result") => self.answer(&block["tool_use_id"], &block["content"], block["is_error"] == true),
                _ => {}
            }
        }
    }

    fn codex(&mut self, event: &Value) {
        let item = &event["item"];
        let Some(kind) = item["type"].as_str().filter(|_| event["type"] == "item.completed") else { return };
        let (name, arguments, answer) = match kind {
            "command_execution" => (json!(kind), json!({ "command": item["command"] }), &item["aggregated_output"]),
            "mcp_tool_call" => {
                let name = [&item["server"], &item["tool"]].map(|part| part.as_str().unwrap_or_default()).join(".");
                let answer = if item["error"].is_null() { &item["result"] } else { &item["error"] };
                (json!(name), item["arguments"].clone(), answer)
            }
            "web_search" => (json!(kind), json!({ "query": item["query"] }), &Value::Null),
            "file_change" => (json!(kind), json!({ "changes": item["changes"] }), &item["status"]),
            _ => return,
        };
        self.begin(&item["id"], &name, &arguments);
        let is_error = item["status"] == "failed" || item["exit_code"].as_i64().is_some_and(|code| code != 0);
        if !answer.is_null() {
            self.answer(&item["id"], answer, is_error);
        }
    }

    fn gemini(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("tool_use") => self.begin(&event["tool_id"], &event["tool_name"], &event["parameters"]),
            Some("tool_result") => {
                let output = ["output", "error"].into_iter().map(|field| &event[field]).find(|said| !said.is_null());
                self.answer(&event["tool_id"], output.unwrap_or(&event["status"]), event["status"] == "error");
            }
            _ => {}
        }
    }

    fn opencode(&mut self, event: &Value) {
        let (part, state) = (&event["part"], &event["part"]["state"]);
        if event["type"] != "tool_use" {
            return;
        }
        self.begin(&part["callID"], &part["tool"], &state["input"]);
        let output = ["output", "error"].into_iter().map(|field| &state[field]).find(|said| !said.is_null());
        if let Some(output) = output {
            self.answer(&part["callID"], output, state["status"] == "error");
        }
    }

    fn begin(&mut self, id: &Value, name: &Value, arguments: &Value) {
        let Some(note) = self.room.admit() else { return };
        let name = self.room.beginning(name.as_str().unwrap_or("a tool"));
        let arguments = self.room.value(arguments);
        self.used.push(Used { id: id.as_str().unwrap_or_default().into(), name, arguments, answer: None, is_error: false, note });
    }

    fn answer(&mut self, id: &Value, said: &Value, is_error: bool) {
        let id = id.as_str().unwrap_or_default();
        let Some(used) = self.used.iter_mut().rev().find(|used| used.id == id && used.answer.is_none()) else { return };
        used.answer = Some(self.room.end(&text(said)));
        used.is_error = is_error;
    }
}

/// What a tool answered, as text where it is text: by itself, or in blocks.
fn text(said: &Value) -> String {
    let blocks = said.as_array().or_else(|| said["content"].as_array());
    let texts: Option<Vec<&str>> = blocks.and_then(|blocks| blocks.iter().map(|block| block["text"].as_str()).collect());
    match (said.as_str(), texts) {
        (Some(text), _) => text.into(),
        (None, Some(texts)) => texts.join("\n"),
        (None, None) => said.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of these lines: the tool, what it was given, what it answered, and whether that is an error.
    fn check(format: Format, lines: &[Value], expected: &[(&str, Value, &str, bool)]) {
        let mut uses = Uses::default();
        lines.iter().for_each(|line| uses.hear(format, line));
        let expected = expected.iter().map(|(name, arguments, answer, is_error)| Exchange::Tool {
            name: name.to_string(),
            arguments: arguments.clone(),
            answer: answer.to_string(),
            is_error: *is_error,
            is_relayed: false,
        });
        assert_eq!(uses.exchanges().collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{format:?}");
    }

    #[test]
    fn claude_says_what_it_used_and_later_what_came_of_it() {
        let used = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "Bash", "input": input });
        let came = |id: &str, content: Value, is_error: bool| json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error });
        let lines = [
            json!({ "type": "assistant", "message": { "content": [used("a", json!({ "command": "ls" })), used("b", json!({}))] } }),
            json!({ "type": "user", "message": { "content": [came("b", json!("no"), true)] } }),
            json!({ "type": "user", "message": { "content": [came("a", json!([{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }]), false)] } }),
            json!({ "type": "assistant", "message": { "content": [used("c", json!({}))] } }),
        ];
        let expected = [
            ("Bash", json!({ "command": "ls" }), "one\ntwo", false),
            ("Bash", json!({}), "no", true),
            ("Bash", json!({}), "it does not say what came of it", false),
        ];
        check(Format::StreamJson, &lines, &expected);
    }

    #[test]
    fn codex_says_all_at_once() {
        let item = |item: Value| json!({ "type": "item.completed", "item": item });
        let lines = [
            json!({ "type": "item.started", "item": { "id": "1", "type": "command_execution", "command": "ls" } }),
            item(
                json!({ "id": "1", "type": "command_execution", "command": "ls", "aggregated_output": "a\n", "exit_code": 2, "status": "failed" }),
            ),
            item(
                json!({ "id": "2", "type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": { "x": 1 }, "result": { "content": [{ "type": "text", "text": "fine" }] } }),
            ),
            item(json!({ "id": "3", "type": "file_change", "changes": [{ "path": "a", "kind": "add" }], "status": "completed" })),
            item(json!({ "id": "4", "type": "agent_message", "text": "Done." })),
        ];
        let expected = [
            ("command_execution", json!({ "command": "ls" }), "a\n", true),
            ("s.t", json!({ "x": 1 }), "fine", false),
            ("file_change", json!({ "changes": [{ "path": "a", "kind": "add" }] }), "completed", false),
        ];
        check(Format::CodexEvents, &lines, &expected);
    }

    #[test]
    fn gemini_and_opencode_are_heard_too() {
        let lines = [
            json!({ "type": "tool_use", "tool_name": "read_file", "tool_id": "1", "parameters": { "path": "a" } }),
            json!({ "type": "tool_result", "tool_id": "1", "status": "error", "error": { "message": "gone" } }),
        ];
        check(Format::GeminiEvents, &lines, &[("read_file", json!({ "path": "a" }), r#"{"message":"gone"}"#, true)]);
        let state = json!({ "status": "completed", "input": { "command": "ls" }, "output": "a\n" });
        let lines = [json!({ "type": "tool_use", "part": { "type": "tool", "tool": "bash", "callID": "1", "state": state } })];
        check(Format::OpencodeEvents, &lines, &[("bash", json!({ "command": "ls" }), "a\n", false)]);
    }
}
