//! The text that aider prints for people: its answer among lines about itself, and a line that says what it cost.
//! Between its banner and its count, everything belongs to the answer.

use motet_core::units::Usd;

use super::format::{Heard, MESSAGE_BYTES};
use crate::context::Progress;

/// How lines begin that are about the program and not from the model: long enough that no answer begins like one of them by chance.
const ABOUT_ITSELF: &[&str] = &[
    "You can use /undo",
    "Main model:",
    "Weak model:",
    "Editor model:",
    "Git repo:",
    "Repo-map:",
    "Restored previous conversation",
    "Applied edit to ",
    "Use /help",
    "Warning: it's best to only add",
    "Warning: Input is not a terminal",
    "Warning: Output is not a terminal",
    "Warning: Streaming is not supported",
    "Warning for ",
    "https://aider.chat",
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
const EDITED: &str = "Applied edit to ";
const ERRORS: &[&str] = &["litellm.", "Error:", "The API provider", "Retrying in "];

/// What is gathered of the message that comes next.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draft {
    /// The program has said its name, so that what it printed before that is no answer.
    has_greeted: bool,
    /// A line has come that counts a message, which ends it.
    has_counted: bool,
    text: String,
}

/// The program says things about itself, then the model speaks, then a line counts what that took; and so again for each message. Only
/// what stands between is the model's, and there every line is, however it begins.
pub(super) fn hear(line: &str, heard: &mut Heard) -> Option<Progress> {
    if let Some(counted) = line.strip_prefix("Tokens: ").filter(|counted| counted.contains(" sent") && counted.contains(" received")) {
        count(counted, heard);
        heard.error = None;
        end(heard);
        return None;
    }
    if is_greeting(line) && !heard.draft.has_greeted {
        heard.draft = Draft { has_greeted: true, ..Draft::default() };
        heard.say("");
        return Some(Progress::Log(line.into()));
    }
    if heard.draft.text.is_empty() {
        if ERRORS.iter().any(|sign| line.starts_with(sign)) {
            heard.error.get_or_insert_with(|| line.into());
            return Some(Progress::Log(line.into()));
        }
        if line.starts_with(EDITED) {
            heard.usage.tool_calls += 1;
        }
        if line.is_empty() || is_about_itself(line) {
            return Some(Progress::Log(line.into())).filter(|_| !line.is_empty());
        }
    }
    // One line more than may be, so that it is known to be too much.
    if heard.draft.text.len() <= MESSAGE_BYTES {
        heard.draft.text.push_str(&format!("{line}\n"));
    }
    if !heard.draft.has_counted {
        // A model that counts nothing has said all of it.
        heard.go_on_saying(&format!("{line}\n"));
    }
    Some(Progress::Text(format!("{line}\n")))
}

/// The message is whole. What follows it is no part of it unless it is counted as one, too.
fn end(heard: &mut Heard) {
    let draft = std::mem::take(&mut heard.draft.text);
    heard.draft.has_counted = true;
    if !draft.is_empty() {
        heard.say(draft.trim_end());
    }
}

fn is_about_itself(line: &str) -> bool {
    // Words that many an answer begins with need the rest of the line, too.
    let is_added = line.starts_with("Added ") && line.trim_end_matches('.').ends_with(" to the chat");
    let is_model = line.starts_with("Model:") && line.ends_with("edit format");
    is_added || is_model || is_greeting(line) || is_commit(line) || ABOUT_ITSELF.iter().any(|sign| line.starts_with(sign))
}

fn is_greeting(line: &str) -> bool {
    line.strip_prefix("Aider v").is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// `Commit 1a2b3c4 feat: add it`
fn is_commit(line: &str) -> bool {
    let hash = line.strip_prefix("Commit ").and_then(|rest| rest.split(' ').next());
    hash.is_some_and(|hash| hash.len() >= 7 && hash.chars().all(|letter| letter.is_ascii_hexdigit()))
}

/// `2.5k sent, 1.1k cache write, 120 received. Cost: $0.01 message, $0.02 session.` Each message of the run has such a line.
fn count(counted: &str, heard: &mut Heard) {
    let (tokens, cost) = counted.split_once("Cost:").unwrap_or((counted, ""));
    // A comma without a blank stands within a number.
    for part in tokens.split(", ") {
        let part = part.trim().trim_end_matches('.');
        let Some((number, what)) = part.split_once(' ') else { continue };
        let number = tokens_in(number);
        match what {
            "received" => heard.usage.tokens_out = heard.usage.tokens_out.saturating_add(number),
            _ => heard.usage.tokens_in = heard.usage.tokens_in.saturating_add(number),
        }
    }
    let message =
        cost.split(", ").find_map(|part| part.trim().strip_suffix(" message")?.strip_prefix('$')?.replace(',', "").parse::<f64>().ok());
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
