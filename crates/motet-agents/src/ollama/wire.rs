//! Ollama's own format, as its server speaks it: JSON requests, and answers as one JSON object per line.
//! It decides nothing about what an answer means.

use motet_core::event::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Message;

#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    pub model: &'a str,
    pub messages: &'a [Message],
    pub stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'a Value>,
    /// A prompt that does not fit is to be refused, not cut in silence. Servers too old to know this ignore it.
    pub truncate: bool,
    pub options: Options,
}

#[derive(Debug, Serialize)]
pub(super) struct Options {
    pub temperature: f64,
    pub num_predict: u64,
    pub num_ctx: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// One line of the answer; the last one is `done` and counts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Piece {
    pub message: PieceMessage,
    pub done: bool,
    pub done_reason: Option<String>,
    pub prompt_eval_count: u64,
    pub eval_count: u64,
    pub error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PieceMessage {
    pub content: String,
    pub thinking: Option<String>,
}

impl Piece {
    pub fn usage(&self) -> Usage {
        Usage { tokens_in: self.prompt_eval_count, tokens_out: self.eval_count, ..Usage::default() }
    }

    pub fn was_cut_off(&self) -> bool {
        self.done_reason.as_deref() == Some("length")
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Models {
    pub models: Vec<ModelEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ModelEntry {
    pub name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Version {
    pub version: String,
}

/// What is known of a model; only its longest context matters here.
#[derive(Debug, Deserialize)]
pub(super) struct Shown {
    #[serde(default)]
    pub model_info: serde_json::Map<String, Value>,
}

impl Shown {
    pub fn context_length(&self) -> Option<u64> {
        self.model_info.iter().find(|(name, _)| name.ends_with(".context_length")).and_then(|(_, length)| length.as_u64())
    }
}

/// The words of an error body: `{"error": "…"}`, or whatever it is.
pub(super) fn error_in(body: &[u8]) -> String {
    let told = serde_json::from_slice::<Value>(body).ok().and_then(|body| body.get("error")?.as_str().map(String::from));
    told.unwrap_or_else(|| String::from_utf8_lossy(body).trim().chars().take(300).collect())
}

/// Cuts a stream of bytes into its lines.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    pub fn waiting(&self) -> usize {
        self.0.len()
    }

    /// The next whole line that is not empty.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        while let Some(end) = self.0.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// What is left when the stream has ended: a last line may lack its end.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = std::mem::take(&mut self.0);
        (!rest.trim_ascii().is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_their_ends_and_empty_ones_are_left_out() {
        let mut lines = Lines::default();
        lines.push(b"\n\r\none\n\n tw");
        assert_eq!((lines.next().as_deref(), lines.next()), (Some(&b"one\n"[..]), None));
        lines.push(b"o\nthree");
        assert_eq!((lines.next().as_deref(), lines.next()), (Some(&b" two\n"[..]), None));
        assert_eq!((lines.rest().as_deref(), lines.rest()), (Some(&b"three"[..]), None));
    }
}
