//! The JSON lines of the programs that print such lines, one function each.
//! A line of an unknown kind is passed over: these programs add new ones all the time.

use motet_core::event::Usage;
use motet_core::units::Usd;
use serde_json::Value;

use super::format::Heard;
use crate::context::Progress;

pub(super) fn claude(event: &Value, heard: &mut Heard) -> Option<Progress> {
    if let Some(id) = text(event, "session_id") {
        heard.id = Some(id.into());
    }
    match text(event, "type")? {
        "assistant" => {
            let mut shown = None;
            for block in event.pointer("/message/content").and_then(Value::as_array).into_iter().flatten() {
                match text(block, "type") {
                    Some("text") => {
                        let said = text(block, "text").unwrap_or_default();
                        heard.say(said);
                        shown = Some(Progress::Text(format!("{said}\n")));
                    }
                    Some("tool_use") => {
                        heard.call_tool();
                        shown = Some(Progress::Log(format!("uses {}", text(block, "name").unwrap_or("a tool"))));
                    }
                    _ => {}
                }
            }
            shown
        }
        "result" => {
            heard.is_over = true;
            let usage = event.get("usage").unwrap_or(&Value::Null);
            heard.usage.tokens_in = counts(usage, &["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]);
            heard.usage.tokens_out = count(usage, "output_tokens");
            heard.usage.cost = dollars(event.get("total_cost_usd"));
            let result = text(event, "result");
            let failed = event.get("is_error") == Some(&Value::Bool(true)) || text(event, "subtype").is_some_and(|kind| kind != "success");
            if failed {
                let listed = event.get("errors").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
                let listed = listed.collect::<Vec<_>>().join("; ");
                let why = [result.unwrap_or_default(), &listed].into_iter().find(|why| !why.is_empty()).map(String::from);
                heard.error = why.or_else(|| text(event, "subtype").map(|kind| kind.replace('_', " ")));
            } else if let Some(result) = result {
                heard.say(result);
            }
            None
        }
        _ => None,
    }
}

pub(super) fn codex(event: &Value, heard: &mut Heard) -> Option<Progress> {
    match text(event, "type")? {
        "thread.started" => {
            let id = text(event, "thread_id").map(String::from);
            if heard.id != id {
                // Another conversation is counted from its beginning.
                (heard.id, heard.counted) = (id, Default::default());
            }
            None
        }
        "item.started" => {
            let item = event.get("item")?;
            let shown = text(item, "command").or_else(|| text(item, "tool")).or_else(|| text(item, "query"))?;
            Some(Progress::Log(format!("runs {shown}")))
        }
        "item.completed" => {
            let item = event.get("item")?;
            match text(item, "type")? {
                "agent_message" => {
                    let said = text(item, "text").unwrap_or_default();
                    heard.say(said);
                    Some(Progress::Text(format!("{said}\n")))
                }
                "command_execution" | "mcp_tool_call" | "web_search" | "file_change" => {
                    heard.call_tool();
                    None
                }
                // Not fatal: the turn says how it ends.
                "error" => Some(Progress::Log(text(item, "message")?.into())),
                _ => None,
            }
        }
        "turn.completed" => {
            heard.is_over = true;
            heard.error = None;
            let usage = event.get("usage").unwrap_or(&Value::Null);
            // The program counts for the whole thread, also for what an earlier run of it has done there.
            let (tokens_in, tokens_out, counted) = heard.counted.on(count(usage, "input_tokens"), count(usage, "output_tokens"));
            heard.usage = heard.usage.and(Usage { tokens_in, tokens_out, ..Usage::default() });
            heard.counted = counted;
            None
        }
        "turn.failed" => {
            heard.is_over = true;
            heard.error = Some(event.pointer("/error/message").and_then(Value::as_str).unwrap_or("the turn failed").into());
            None
        }
        // It may be about a connection that is tried again; only if nothing follows it was the end.
        "error" => {
            heard.error = Some(text(event, "message").unwrap_or("an error without a message").into());
            Some(Progress::Log(heard.error.clone()?))
        }
        _ => None,
    }
}

pub(super) fn gemini(event: &Value, heard: &mut Heard) -> Option<Progress> {
    match text(event, "type")? {
        "init" => {
            heard.id = text(event, "session_id").or_else(|| text(event, "sessionId")).map(String::from);
            None
        }
        "message" if text(event, "role") == Some("assistant") => {
            let said = text(event, "content").unwrap_or_default();
            heard.go_on_saying(said);
            Some(Progress::Text(said.into()))
        }
        "tool_use" => {
            heard.call_tool();
            Some(Progress::Log(format!("uses {}", text(event, "tool_name").unwrap_or("a tool"))))
        }
        "error" => Some(Progress::Log(text(event, "message")?.into())),
        "result" => {
            heard.is_over = true;
            let stats = event.get("stats").unwrap_or(&Value::Null);
            heard.usage.tokens_in = count(stats, "input_tokens");
            heard.usage.tokens_out = count(stats, "output_tokens");
            if text(event, "status") == Some("error") {
                heard.error = Some(event.pointer("/error/message").and_then(Value::as_str).unwrap_or("it ended with an error").into());
            }
            None
        }
        _ => None,
    }
}

pub(super) fn opencode(event: &Value, heard: &mut Heard) -> Option<Progress> {
    if let Some(id) = text(event, "sessionID") {
        heard.id = Some(id.into());
    }
    let part = event.get("part").unwrap_or(&Value::Null);
    match text(event, "type")? {
        "step_start" => {
            heard.is_over = false;
            None
        }
        "text" => {
            let said = text(part, "text").unwrap_or_default();
            heard.say(said);
            Some(Progress::Text(format!("{said}\n")))
        }
        "tool_use" => {
            heard.call_tool();
            Some(Progress::Log(format!("uses {}", text(part, "tool").unwrap_or("a tool"))))
        }
        "step_finish" => {
            // A step that calls tools has another after it.
            let reason = text(part, "reason");
            heard.is_over = reason != Some("tool-calls");
            if reason == Some("length") {
                heard.error = Some("it was cut off: it reached its limit of tokens".into());
            }
            let tokens = part.get("tokens").unwrap_or(&Value::Null);
            let cached = counts(tokens.get("cache").unwrap_or(&Value::Null), &["read", "write"]);
            let tokens_in = count(tokens, "input").saturating_add(cached);
            let (tokens_out, cost) = (counts(tokens, &["output", "reasoning"]), dollars(part.get("cost")));
            heard.usage = heard.usage.and(Usage { tokens_in, tokens_out, cost, ..Usage::default() });
            None
        }
        "error" => {
            let error = event.get("error").unwrap_or(&Value::Null);
            let why = error.pointer("/data/message").or_else(|| error.get("message")).or_else(|| error.get("name")).and_then(Value::as_str);
            heard.error = Some(why.map_or_else(|| error.to_string(), String::from));
            None
        }
        _ => None,
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn count(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// Together. What a program says of itself may be any number.
fn counts(value: &Value, names: &[&str]) -> u64 {
    names.iter().map(|name| count(value, name)).fold(0, u64::saturating_add)
}

fn dollars(value: Option<&Value>) -> Usd {
    value.and_then(Value::as_f64).and_then(Usd::from_dollars).unwrap_or_default()
}
