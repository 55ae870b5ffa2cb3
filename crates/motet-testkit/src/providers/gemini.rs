//! Gemini's streamGenerateContent as server-sent events, each a whole part of the answer.

use serde_json::{Value, json};

use super::script::{Ended, Fault, Said};

pub fn frames(said: &Said) -> Vec<String> {
    let usage = said.counts.then(|| {
        let total = said.tokens_in + said.tokens_out;
        json!({"promptTokenCount": said.tokens_in, "candidatesTokenCount": said.tokens_out, "totalTokenCount": total})
    });
    let part = |part: Value, finish: Option<&str>| {
        let mut candidate = json!({"content": {"role": "model", "parts": [part]}, "index": 0});
        if let Some(finish) = finish {
            candidate["finishReason"] = finish.into();
        }
        let mut answer = json!({"candidates": [candidate], "modelVersion": "m", "responseId": "r1"});
        if let Some(usage) = &usage {
            answer["usageMetadata"] = usage.clone();
        }
        event(&answer)
    };
    let mut events = Vec::new();
    if let Some(thoughts) = &said.thoughts {
        events.push(part(json!({"text": thoughts, "thought": true}), None));
    }
    events.extend(said.pieces.iter().map(|piece| part(json!({"text": piece}), None)));
    for call in &said.calls {
        let call = json!({"functionCall": {"name": call.name, "args": call.arguments}, "thoughtSignature": "c2ln"});
        events.push(part(call, None));
    }
    let reason = match said.ending {
        Ended::CutOff => "MAX_TOKENS",
        Ended::Filtered | Ended::Declined => "SAFETY",
        Ended::Done => "STOP",
        Ended::Saying(word) => word,
    };
    events.push(part(json!({"text": ""}), Some(reason)));
    events
}

pub fn garbled() -> String {
    "data: {\"candidates\": [{\"content\": \n\n".into()
}

pub fn gives_up() -> String {
    event(&json!({"error": {"code": 500, "message": "An internal error has occurred.", "status": "INTERNAL"}}))
}

pub fn gives_up_beside() -> String {
    let candidate = json!({"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0});
    event(&json!({"candidates": [candidate], "error": {"message": "Provider disconnected", "status": "INTERNAL"}}))
}

pub fn fault(fault: &Fault, model: &str) -> Value {
    if *fault == Fault::Filtered {
        return json!({"promptFeedback": {"blockReason": "SAFETY"}});
    }
    let (status, message) = match fault {
        Fault::Unauthorised => ("UNAUTHENTICATED", "Request had invalid authentication credentials.".into()),
        Fault::Forbidden => ("PERMISSION_DENIED", "Method doesn't allow unregistered callers.".into()),
        Fault::NoSuchModel => ("NOT_FOUND", format!("models/{model} is not found for API version v1beta")),
        Fault::TookTooLong => ("DEADLINE_EXCEEDED", "The request took too long".into()),
        Fault::TooMany(_) => ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).".into()),
        Fault::Overloaded(_) => ("UNAVAILABLE", "Overloaded".into()),
        Fault::Broken => ("INTERNAL", "An internal error has occurred.".into()),
        Fault::Busy(_) | Fault::Loading => ("UNAVAILABLE", "The model is overloaded. Please try again later.".into()),
        Fault::TooLong => {
            ("INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).".to_string())
        }
        Fault::Filtered | Fault::OutOfMoney => ("RESOURCE_EXHAUSTED", "insufficient credits".into()),
    };
    json!({"error": {"code": fault.status(), "message": message, "status": status}})
}

pub fn models(models: &[String]) -> Value {
    let models: Vec<Value> = models
        .iter()
        .map(|name| json!({"name": format!("models/{name}"), "displayName": name, "supportedGenerationMethods": ["generateContent"]}))
        .collect();
    json!({"models": models})
}

fn event(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}
