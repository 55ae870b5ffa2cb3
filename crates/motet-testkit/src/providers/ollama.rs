//! Ollama's own format: one JSON object per line, the last one `done`.

use serde_json::{Value, json};

use super::script::{Ended, Fault, Said};

pub fn frames(said: &Said) -> Vec<String> {
    let line = |message: Value| json!({"model": "m", "created_at": "2026-11-15T20:00:00Z", "message": message, "done": false}).to_string();
    let mut lines = Vec::new();
    if let Some(thoughts) = &said.thoughts {
        lines.push(line(json!({"role": "assistant", "content": "", "thinking": thoughts})));
    }
    lines.extend(said.pieces.iter().map(|piece| line(json!({"role": "assistant", "content": piece}))));
    for call in &said.calls {
        let function = json!({"name": call.name, "arguments": call.arguments});
        lines.push(line(json!({"role": "assistant", "content": "", "tool_calls": [{"id": call.id, "function": function}]})));
    }
    let reason = match said.ending {
        Ended::CutOff => "length",
        Ended::Saying(word) => word,
        Ended::Done | Ended::Filtered | Ended::Declined => "stop",
    };
    let mut last = json!({
        "model": "m", "created_at": "2026-11-15T20:00:01Z", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": reason, "total_duration": 1_000_000, "load_duration": 1000,
    });
    if said.counts {
        last["prompt_eval_count"] = said.tokens_in.into();
        last["eval_count"] = said.tokens_out.into();
    }
    lines.push(last.to_string());
    lines.into_iter().map(|line| line + "\n").collect()
}

pub fn garbled() -> String {
    "<html>bad gateway</html>\n".into()
}

pub fn gives_up() -> String {
    json!({"error": "llama runner process has terminated"}).to_string() + "\n"
}

pub fn gives_up_beside() -> String {
    let message = json!({"role": "assistant", "content": ""});
    json!({"model": "m", "message": message, "done": true, "done_reason": "stop", "error": "Provider disconnected"}).to_string() + "\n"
}

pub fn fault(fault: &Fault, model: &str) -> Value {
    json!({"error": match fault {
        Fault::Unauthorised => "unauthorized".into(),
        Fault::Forbidden => "forbidden".into(),
        Fault::NoSuchModel => format!("model '{model}' not found"),
        Fault::TookTooLong => "request timeout".into(),
        Fault::TooMany(_) => "too many requests".into(),
        Fault::Overloaded(_) => "overloaded".into(),
        Fault::Broken => "llama runner process has terminated: out of memory".into(),
        Fault::Busy(_) | Fault::Loading => "server busy, please try again. maximum pending requests exceeded".into(),
        Fault::TooLong => "the input length exceeds the context length".into(),
        Fault::Filtered => "content policy".to_string(),
        Fault::OutOfMoney => "insufficient credits".into(),
    }})
}

pub fn models(models: &[String]) -> Value {
    json!({"models": models.iter().map(|name| json!({
        "name": name, "model": name, "modified_at": "2026-11-15T20:00:00Z", "size": 1, "digest": "d",
        "details": {"parent_model": "", "format": "gguf", "family": "gemma2", "families": ["gemma2"], "parameter_size": "2B", "quantization_level": "Q4_0"},
    })).collect::<Vec<_>>()})
}

pub fn shown(context_length: Option<u64>) -> Value {
    match context_length {
        Some(length) => json!({"model_info": {"general.architecture": "gemma2", "gemma2.context_length": length}}),
        None => json!({"model_info": {}}),
    }
}
