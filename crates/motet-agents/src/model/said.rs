//! What a server says when it refuses a call: its words, and the codes by which programs know it.
//! It only reads; which failure follows, and what to do about it, is told in `trouble`.

use serde_json::Value;

use super::provider::Provider;
use super::trouble::shown;

/// An error body.
pub(super) struct Said {
    /// As they may be shown.
    pub words: String,
    /// All of them, in small letters, since what decides may stand behind what is shown.
    all: String,
    codes: Vec<String>,
}

/// What a call was refused for, whatever its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Refused,
    TooLong,
    OutOfMoney,
}

/// What of a schema was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShapeRefusal {
    /// That there is one at all.
    Mode,
    /// This one, or this one together with something else.
    Schema,
}

/// The error that an answer holds, or the first of a list of them; some name it in every answer, and leave it empty.
pub(super) fn error_in(answer: &Value) -> Option<&Value> {
    let error = answer.get(0).unwrap_or(answer).get("error")?;
    let is_error = matches!(error, Value::String(_) | Value::Object(_));
    (is_error && says_something(error)).then_some(error)
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_so) => *is_so,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(words) => !words.is_empty(),
        Value::Array(members) => members.iter().any(says_something),
        Value::Object(fields) => fields.values().any(says_something),
    }
}

impl Said {
    /// `{"error": {"message": …, "type": …, "code": …, "status": …}}`, `{"error": "…"}`, a list of those, or whatever it is.
    pub fn read(body: &str, provider: &Provider) -> Self {
        let json: Value = serde_json::from_str(body).unwrap_or_default();
        let error = error_in(&json).unwrap_or(json.get(0).unwrap_or(&json));
        let words = error.as_str().or_else(|| error.get("message")?.as_str()).filter(|words| !words.is_empty());
        let codes = ["type", "code", "status"].iter().filter_map(|key| match error.get(key)? {
            Value::String(code) => Some(code.to_lowercase()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        });
        let all = words.unwrap_or(body);
        let words = if all.trim().is_empty() { "without a word".into() } else { shown(all, provider) };
        Self { words, all: all.to_lowercase(), codes: codes.collect() }
    }

    /// The status that an error body names where the answer itself had none: some send their errors as if all were well. Only those that
    /// are about the request: what the server did not manage may have happened in the middle of its answer.
    pub fn status(&self) -> Option<u16> {
        self.codes.iter().filter_map(|code| code.parse().ok()).find(|code| matches!(code, 400 | 401 | 403 | 404 | 422))
    }

    /// A code is meant for programs and is believed with every status. Words are only looked at where the status says no more than that
    /// something is wrong with the request: a busy server may well write of context windows and content filters.
    pub fn reason(&self, status: Option<u16>) -> Option<Reason> {
        // It has no other meaning, whatever the words.
        if status == Some(402) || (status.is_none() && self.has_code(&["402"])) {
            return Some(Reason::OutOfMoney);
        }
        let by_words = match status {
            Some(400 | 413 | 422) => true,
            None => !self.is_limited(),
            Some(_) => false,
        };
        let by_words = || self.reason_in_words().filter(|_| by_words);
        self.reason_by_code().or_else(by_words).or_else(|| self.money_in_words(status))
    }

    fn reason_by_code(&self) -> Option<Reason> {
        if self.has_code(&["content_filter", "content_policy_violation", "moderation_blocked"]) {
            Some(Reason::Refused)
        } else if self.has_code(&["context_length_exceeded", "exceed_context_size_error", "request_too_large", "string_above_max_length"]) {
            Some(Reason::TooLong)
        } else if self.has_code(&["insufficient_quota", "billing_hard_limit_reached", "billing_error"]) {
            Some(Reason::OutOfMoney)
        } else {
            None
        }
    }

    fn reason_in_words(&self) -> Option<Reason> {
        const TOO_LONG: [&str; 7] = [
            "context length",
            "context size",
            "context window",
            "context limit",
            "prompt is too long",
            "input is too long",
            "exceeds the maximum number of tokens",
        ];
        const REFUSED: [&str; 6] =
            ["content management policy", "content policy", "content filter", "safety system", "block_reason", "blockreason"];
        if self.says(&REFUSED) {
            Some(Reason::Refused)
        } else if self.says(&TOO_LONG) {
            Some(Reason::TooLong)
        } else {
            None
        }
    }

    /// Some have no code for an account that is empty, and say it with the status of a server that is too busy.
    fn money_in_words(&self, status: Option<u16>) -> Option<Reason> {
        let is_about_the_request = status.is_none_or(|status| status < 500);
        (is_about_the_request && self.says(&["credit balance is too low", "insufficient credits"])).then_some(Reason::OutOfMoney)
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    fn says(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.all.contains(phrase))
    }

    pub fn is_limited(&self) -> bool {
        self.has_code(&["overloaded_error", "rate_limit_error", "rate_limit_exceeded", "429", "529"])
    }

    /// The one call is more than is ever taken at a time, or nothing is ever taken: then no wait is long enough.
    pub fn is_never_taken(&self) -> bool {
        self.says(&["request too large", "too large for", "must be reduced"]) || self.has_no_limit_left()
    }

    /// `limit: 0`, as Gemini says it of a model that an account does not have; `limit: 0.5` and `limit: 05` are others.
    fn has_no_limit_left(&self) -> bool {
        let after = self.all.split("limit: 0").skip(1);
        after.into_iter().any(|after| {
            let mut letters = after.chars();
            match letters.next() {
                Some('.') => !letters.next().is_some_and(|letter| letter.is_ascii_digit()),
                Some(letter) => !letter.is_alphanumeric(),
                None => true,
            }
        })
    }

    /// As llama.cpp says it while it starts.
    pub fn is_loading(&self) -> bool {
        self.says(&["loading model"])
    }

    /// As Ollama, vLLM, OpenRouter and the large providers say it of a model that was not made for tools.
    pub fn is_about_tools(&self) -> bool {
        self.says(&["tool", "function call"])
            && self.says(&["not support", "n't support", "unsupported", "not enabled", "that support tool", "requires --"])
    }

    /// A schema that came with a request is named in as many ways as there are servers. Who reads too much into the words asks once more for
    /// nothing, and is told the same again.
    pub fn refuses_shape(&self, status: u16) -> Option<ShapeRefusal> {
        const NAMES: [&str; 6] = ["format", "schema", "structured output", "json mode", "grammar", "guided"];
        let is_about_the_request = (400..500).contains(&status) && !matches!(status, 401..=403 | 408 | 429);
        if !is_about_the_request || self.reason(Some(status)).is_some() || !self.says(&NAMES) {
            return None;
        }
        let is_this_one = self.has_code(&["invalid_json_schema"]) || self.says(&["invalid schema", "invalid json schema"]);
        Some(if is_this_one || self.is_about_tools() { ShapeRefusal::Schema } else { ShapeRefusal::Mode })
    }

    pub fn is_a_bad_key(&self) -> bool {
        self.has_code(&["invalid_api_key", "authentication_error"]) || self.says(&["api key not valid", "invalid api key"])
    }

    pub fn names_the_model(&self) -> bool {
        self.has_code(&["model_not_found"]) || self.says(&["model"])
    }

    pub fn is_missing(&self) -> bool {
        self.has_code(&["model_not_found", "not_found_error", "not_found"]) || self.says(&["not found", "does not exist", "not exist"])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_that_says_nothing_is_none() {
        for empty in
            [json!(null), json!(""), json!({}), json!({"code": null, "message": ""}), json!({"code": 0, "details": [{}]}), json!(false)]
        {
            assert_eq!(error_in(&json!({ "error": empty, "choices": [] })), None);
        }
        for said in [json!("no"), json!({"code": 502}), json!({"code": null, "message": "gone"}), json!({"error": {"type": "overloaded"}})]
        {
            assert!(error_in(&json!([{ "error": said }])).is_some(), "{said}");
        }
    }
}
