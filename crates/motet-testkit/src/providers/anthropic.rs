//! Anthropic's messages as a stream of named server-sent events.

use serde_json::{Value, json};

use super::script::{Ended, Fault, Said};

pub fn frames(said: &Said) -> Vec<String> {
    let tokens_in = if said.counts { json!({"input_tokens": said.tokens_in, "output_tokens": 1}) } else { json!({}) };
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": tokens_in,
    });
    let mut events = vec![event("message_start", json!({"message": message})), event("ping", json!({}))];
    let mut index = 0;
    let mut block = |opening: Value, deltas: Vec<Value>| {
        events.push(event("content_block_start", json!({"index": index, "content_block": opening})));
        events.extend(deltas.into_iter().map(|delta| event("content_block_delta", json!({"index": index, "delta": delta}))));
        events.push(event("content_block_stop", json!({"index": index})));
        index += 1;
    };
    if let Some(thoughts) = &said.thoughts {
        let deltas = vec![json!({"type": "thinking_delta", "thinking": thoughts}), json!({"type": "signature_delta", "signature": "c2ln"})];
        block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
    }
    if said.pieces.iter().any(|piece| !piece.is_empty()) {
        let deltas = said.pieces.iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect();
        block(json!({"type": "text", "text": ""}), deltas);
    }
    for call in &said.calls {
        let arguments = call.arguments.to_string();
        let (front, back) = arguments.split_at(arguments.len() / 2);
        let deltas = [front, back].iter().map(|part| json!({"type": "input_json_delta", "partial_json": part})).collect();
        block(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}), deltas);
    }
    let reason = match said.ending {
        Ended::CutOff => "max_tokens",
        Ended::Filtered | Ended::Declined => "refusal",
        Ended::Done if !said.calls.is_empty() => "tool_use",
        Ended::Done => "end_turn",
        Ended::Saying(word) => word,
    };
    let usage = if said.counts { json!({"output_tokens": said.tokens_out}) } else { json!({}) };
    events.push(event("message_delta", json!({"delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage})));
    events.push(event("message_stop", json!({})));
    events
}

pub fn garbled() -> String {
    "event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \n\n".into()
}

pub fn gives_up() -> String {
    event("error", json!({"error": {"type": "api_error", "message": "Internal server error"}}))
}

pub fn gives_up_beside() -> String {
    let error = json!({"type": "api_error", "message": "Provider disconnected"});
    event("error", json!({"error": error, "delta": {"stop_reason": "end_turn"}})) + &event("message_stop", json!({}))
}

pub fn fault(fault: &Fault, model: &str) -> Value {
    let (kind, message) = match fault {
        Fault::Unauthorised => ("authentication_error", "invalid x-api-key".into()),
        Fault::Forbidden => ("permission_error", "Your API key does not have permission to use the specified resource.".into()),
        Fault::NoSuchModel => ("not_found_error", format!("model: {model}")),
        Fault::TookTooLong => ("timeout_error", "Request timed out".into()),
        Fault::TooMany(_) => ("rate_limit_error", "This request would exceed your organization's rate limit".into()),
        Fault::Overloaded(_) => ("overloaded_error", "Overloaded".into()),
        Fault::Broken => ("api_error", "Internal server error".into()),
        Fault::Busy(_) | Fault::Loading => ("api_error", "Service unavailable".into()),
        Fault::TooLong => ("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum".into()),
        Fault::Filtered => ("invalid_request_error", "Output blocked by content filtering policy".to_string()),
        Fault::OutOfMoney => ("invalid_request_error", "Your credit balance is too low to access the Anthropic API.".into()),
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

pub fn models(models: &[String]) -> Value {
    let data: Vec<Value> = models
        .iter()
        .map(|name| json!({"id": name, "type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z"}))
        .collect();
    json!({"data": data, "has_more": false, "first_id": models.first(), "last_id": models.last()})
}

fn event(name: &str, mut data: Value) -> String {
    data["type"] = name.into();
    format!("event: {name}\ndata: {data}\n\n")
}
