//! How an answer ended, by the provider's own last word: whole, cut at the limit, withheld, or broken off.
//! It takes no word on trust: what nobody is known to say of a whole answer is not said of one.

use rig_core::completion::{CompletionResponse, FinishReason};
use serde_json::{Value, json};

use super::super::provider::Provider;
use super::super::said;
use super::super::trouble::{self, Trouble};
use super::super::wire::Ending;

/// Words of whole answers beyond those that the client crate knows, in small letters. Half an answer that passes for a whole one is worse
/// than a whole one that is asked for again, so that only words are here of which it is known who says them: nothing (Ollama), those of
/// Hugging Face (`eos_token`), Together (`eos`), AI21 (`endoftext`), Cohere (`COMPLETE`), OpenAI's responses (`completed`), Bedrock
/// (`FINISH`) and of gateways that pass on the word of whoever stands behind them, as it is or in other letters.
const WHOLE: [&str; 17] = [
    "",
    "stop",
    "stop_sequence",
    "end",
    "end_turn",
    "eos",
    "eos_token",
    "endoftext",
    "complete",
    "completed",
    "finish",
    "finished",
    "done",
    "tool_calls",
    "tool_call",
    "tool_use",
    "function_call",
];
/// The same for answers that end where the tokens do.
const CUT_OFF: [&str; 6] = ["length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded"];
/// And for those that somebody did not let through: asked again, they would not be let through again.
const WITHHELD: [&str; 13] = [
    "sensitive",
    "safety",
    "refusal",
    "recitation",
    "blocked",
    "blocklist",
    "content_filtered",
    "prohibited_content",
    "spii",
    "error_toxic",
    "guardrail_intervened",
    "image_safety",
    "image_recitation",
];

/// How the answer ended. Err: it is not whole, and nobody knows what is missing.
pub(super) fn of(response: &CompletionResponse, provider: &Provider) -> Result<Ending, Trouble> {
    if let Some(error) = said::error_in(&response.raw).or_else(|| said::error_in(response.raw.pointer("/choices/0")?)) {
        return Err(trouble::of_response(None, &json!({ "error": error }).to_string(), None, false, provider));
    }
    let refusal = response.raw.pointer("/choices/0/message/refusal").and_then(Value::as_str).filter(|words| !words.is_empty());
    if let Some(words) = refusal {
        return Ok(Ending::Refused(words.into()));
    }
    let whole = if response.tool_calls().next().is_some() { Ending::WantsTools } else { Ending::Done };
    match response.finish_reason() {
        // The client crate takes it for an end, but the provider asks to be asked for the rest.
        Some(FinishReason::Stop) if word(response) == PAUSE => Err(trouble::unfinished(PAUSE, provider)),
        None | Some(FinishReason::Stop | FinishReason::ToolCalls) => Ok(whole),
        Some(FinishReason::Length) => Ok(Ending::CutOff),
        Some(FinishReason::ContentFilter) => {
            let why = response.error.clone().unwrap_or_else(|| "the answer was withheld by a content filter".into());
            Ok(Ending::Refused(why))
        }
        Some(FinishReason::Other(word)) => by_word(&word, whole).ok_or_else(|| trouble::unfinished(&word, provider)),
        Some(_) => Err(trouble::unfinished(&word(response), provider)),
    }
}

const PAUSE: &str = "pause_turn";

/// Why the model stopped, in the provider's own word where it is known.
pub(super) fn word(response: &CompletionResponse) -> String {
    // The client crate has a reason of its own where the server gave none.
    if response.raw.pointer("/choices/0").is_some_and(|choice| choice.get("finish_reason").is_none_or(Value::is_null)) {
        return "unknown".into();
    }
    let places = ["/done_reason", "/choices/0/finish_reason", "/stop_reason", "/candidates/0/finishReason"];
    let own = places.iter().find_map(|place| response.raw.pointer(place)?.as_str());
    own.map_or_else(
        || match response.finish_reason() {
            Some(FinishReason::Stop) => "stop".into(),
            Some(FinishReason::Length) => "length".into(),
            Some(FinishReason::ToolCalls) => "tool_calls".into(),
            Some(FinishReason::ContentFilter) => "content_filter".into(),
            Some(FinishReason::Other(word)) => word,
            _ => "unknown".into(),
        },
        String::from,
    )
}

/// What a word says that the client crate does not know.
fn by_word(word: &str, whole: Ending) -> Option<Ending> {
    let small = word.trim().to_lowercase();
    if WHOLE.contains(&small.as_str()) {
        return Some(whole);
    }
    if CUT_OFF.contains(&small.as_str()) {
        return Some(Ending::CutOff);
    }
    // Google's own server for OpenAI's format says what it filtered for behind the word.
    if WITHHELD.contains(&small.as_str()) || small.starts_with("content_filter") {
        let why = if small == "recitation" { "because it recites a text " } else { "" };
        return Some(Ending::Refused(format!("the answer was withheld {why}({word})")));
    }
    (small.contains("function_call") || small.contains("tool_call")).then_some(Ending::Garbled)
}
