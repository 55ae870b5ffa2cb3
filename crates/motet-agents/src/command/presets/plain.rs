//! The text that aider prints for people: its answer among lines about itself, and a line that says what it cost.
//! What is not recognised belongs to the answer.

use motet_core::units::Usd;

use super::format::Heard;
use crate::context::Progress;

/// How lines begin that are about the program and not from the model.
const ABOUT_ITSELF: &[&str] = &[
    "Aider v",
    "Main model:",
    "Weak model:",
    "Editor model:",
    "Model:",
    "Git repo:",
    "Repo-map:",
    "Added ",
    "Restored previous conversation",
    "Applied edit to ",
    "Commit ",
    "Use /help",
    "https://aider.chat",
    "Warning:",
    "Newer aider version",
    "Cost estimates may be",
    "Detected dumb terminal",
    "You can skip this check",
    "Update git",
    "Creating empty file",
    "Scanning repo",
    "Initial repo scan",
    "Summarization failed",
    "Note: in-chat",
];
const ERRORS: &[&str] = &["litellm.", "Error:", "The API provider", "Retrying in "];

pub(super) fn hear(line: &str, heard: &mut Heard) -> Option<Progress> {
    if let Some(counted) = line.strip_prefix("Tokens: ") {
        count(counted, heard);
        heard.error = None;
        return None;
    }
    if ERRORS.iter().any(|sign| line.starts_with(sign)) {
        heard.error.get_or_insert_with(|| line.into());
        return Some(Progress::Log(line.into()));
    }
    if line.starts_with("Applied edit to ") {
        heard.usage.tool_calls += 1;
    }
    if ABOUT_ITSELF.iter().any(|sign| line.starts_with(sign)) {
        return Some(Progress::Log(line.into()));
    }
    heard.go_on_saying(&format!("{line}\n"));
    Some(Progress::Text(format!("{line}\n")))
}

/// `2.5k sent, 1.1k cache write, 120 received. Cost: $0.01 message, $0.02 session.` Each message of the run has such a line.
fn count(counted: &str, heard: &mut Heard) {
    let (tokens, cost) = counted.split_once("Cost:").unwrap_or((counted, ""));
    for part in tokens.split(',') {
        let part = part.trim().trim_end_matches('.');
        let Some((number, what)) = part.split_once(' ') else { continue };
        let number = tokens_in(number);
        match what {
            "received" => heard.usage.tokens_out += number,
            _ => heard.usage.tokens_in += number,
        }
    }
    let message = cost.split(',').find_map(|part| part.trim().strip_suffix(" message")?.strip_prefix('$')?.parse::<f64>().ok());
    let cost = message.and_then(Usd::from_dollars).unwrap_or_default();
    heard.usage.cost = Usd(heard.usage.cost.0.saturating_add(cost.0));
}

/// `120`, `2.5k` or `1.2M`.
fn tokens_in(number: &str) -> u64 {
    let (digits, factor) = match number.strip_suffix(['k', 'M']) {
        Some(digits) if number.ends_with('k') => (digits, 1e3),
        Some(digits) => (digits, 1e6),
        None => (number, 1.0),
    };
    digits.replace(',', "").parse::<f64>().map_or(0, |value| (value * factor) as u64)
}
