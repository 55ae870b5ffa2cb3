//! OpenAI's chat completions as a stream of server-sent events, as OpenAI and the many servers that follow it send them.

use serde_json::{Value, json};

use super::script::{Ended, Fault, Manner, Said};

pub fn frames(said: &Said) -> Vec<String> {
    let opening = match said.manner {
        Manner::OpenAi => json!({"role": "assistant", "content": "", "refusal": null}),
        Manner::LlamaCpp => json!({"role": "assistant", "content": null}),
    };
    let mut events = vec![chunk(opening, None)];
    if let Some(thoughts) = &said.thoughts {
        events.push(chunk(json!({"reasoning_content": thoughts}), None));
    }
    let field = if said.ending == Ended::Declined { "refusal" } else { "content" };
    events.extend(said.pieces.iter().map(|piece| chunk(json!({field: piece}), None)));
    for (index, call) in said.calls.iter().enumerate() {
        let opening = json!({"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}});
        events.push(chunk(json!({"tool_calls": [opening]}), None));
        let arguments = call.arguments.to_string();
        let (front, back) = arguments.split_at(arguments.len() / 2);
        for part in [front, back] {
            events.push(chunk(json!({"tool_calls": [{"index": index, "function": {"arguments": part}}]}), None));
        }
    }
    let reason = match said.ending {
        Ended::CutOff => "length",
        Ended::Filtered => "content_filter",
        Ended::Done if !said.calls.is_empty() => "tool_calls",
        Ended::Done | Ended::Declined => "stop",
        Ended::Saying(word) => word,
    };
    events.push(chunk(json!({}), Some(reason)));
    if said.counts {
        let usage = json!({"prompt_tokens": said.tokens_in, "completion_tokens": said.tokens_out, "total_tokens": said.tokens_in + said.tokens_out});
        let mut last =
            json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage});
        if said.manner == Manner::LlamaCpp {
            last["usage"]["prompt_tokens_details"] = json!({"cached_tokens": 0});
            last["timings"] = json!({"cache_n": 0, "prompt_n": said.tokens_in, "prompt_ms": 60.5, "predicted_n": said.tokens_out});
        }
        events.push(event(&last));
    }
    events.push("data: [DONE]\n\n".into());
    events
}

pub fn garbled() -> String {
    "data: {\"id\": \"chatcmpl-1\", \"choices\": [{\n\n".into()
}

pub fn gives_up() -> String {
    event(&json!({"error": {"message": "The server had an error while processing your request", "type": "server_error", "code": null}}))
}

/// As OpenRouter does it.
pub fn gives_up_beside() -> String {
    let choice = json!({"index": 0, "delta": {"content": ""}, "finish_reason": "error"});
    let error = json!({"code": 502, "message": "Provider disconnected"});
    let last = json!({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "error": error, "choices": [choice]});
    event(&last) + "data: [DONE]\n\n"
}

pub fn fault(fault: &Fault, model: &str) -> Value {
    let error = |message: String, kind: &str, code: &str| {
        let code = if code.is_empty() { Value::Null } else { code.into() };
        json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
    };
    match fault {
        Fault::Unauthorised => error("Incorrect API key provided: sk-bad.".into(), "invalid_request_error", "invalid_api_key"),
        Fault::Forbidden => error("You are not allowed to sample from this model".into(), "invalid_request_error", ""),
        Fault::NoSuchModel => error(
            format!("The model `{model}` does not exist or you do not have access to it."),
            "invalid_request_error",
            "model_not_found",
        ),
        Fault::TookTooLong => error("Request timed out".into(), "timeout", ""),
        Fault::TooMany(_) => error("Rate limit reached for requests".into(), "requests", "rate_limit_exceeded"),
        Fault::Overloaded(_) => error("Overloaded".into(), "server_error", ""),
        Fault::Broken => error("The server had an error while processing your request".into(), "server_error", ""),
        Fault::Busy(_) => error("The engine is currently overloaded, please try again later".into(), "server_error", ""),
        Fault::Loading => json!({"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}),
        Fault::TooLong => error(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.".into(),
            "invalid_request_error",
            "context_length_exceeded",
        ),
        Fault::Filtered => error("The response was filtered".into(), "invalid_request_error", "content_filter"),
        Fault::OutOfMoney => {
            error("You exceeded your current quota, please check your plan.".into(), "insufficient_quota", "insufficient_quota")
        }
    }
}

pub fn models(models: &[String]) -> Value {
    json!({"object": "list", "data": models.iter().map(|name| json!({"id": name, "object": "model", "created": 1, "owned_by": "us"})).collect::<Vec<_>>()})
}

fn chunk(delta: Value, finish: Option<&str>) -> String {
    event(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
    }))
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}
