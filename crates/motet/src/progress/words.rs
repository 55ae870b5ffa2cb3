//! Values and words for people: short previews, readable outputs, and names for kinds.

use motet_core::event::FailureKind;
use motet_core::state::{Outcome, TaskStatus};
use motet_core::units::Usd;
use motet_core::view::RunStatus;
use serde_json::Value;

/// How many members of a list an output shows, and how many lines of a text.
const MOST_MEMBERS: usize = 6;
const MOST_LINES: usize = 20;

/// Stands where nobody says what something has cost.
pub const NOT_TOLD: &str = "not told";

pub fn kind(kind: FailureKind) -> String {
    serde_json::to_value(kind).ok().and_then(|word| word.as_str().map(|word| word.replace('_', " "))).unwrap_or_default()
}

/// What a run did at its end.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Partial => "completed in part",
        Outcome::Failed => "failed",
        Outcome::Aborted => "was aborted",
        Outcome::Cancelled => "was cancelled",
    }
}

pub fn status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "running",
        RunStatus::WaitingUser => "waiting for a person",
        RunStatus::Paused => "paused",
        RunStatus::OutOfBudget => "out of budget",
        RunStatus::Completed => "completed",
        RunStatus::Partial => "completed in part",
        RunStatus::Failed => "failed",
        RunStatus::Aborted => "aborted",
        RunStatus::Cancelled => "cancelled",
    }
}

pub fn task_status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Held => "held",
        TaskStatus::Queued => "queued",
        TaskStatus::Running => "running",
        TaskStatus::Waiting => "waits to try again",
        TaskStatus::Asking => "asks",
        TaskStatus::Reconciling => "finding out what became of it",
        TaskStatus::Uncertain => "uncertain after an interruption",
        TaskStatus::Done => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::Cancelled => "cancelled",
    }
}

/// A text on one line, cut where it becomes long. Of a key that is cut, nobody would know what is left.
pub fn one_line(text: &str, most: usize) -> String {
    let text = &motet_agents::hidden().text(text);
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|letter| !letter.is_control()));
        if line.chars().count() > most {
            break;
        }
    }
    cut(&line, most)
}

/// A line that is broken between words where the screen ends, with a margin before what follows. Colours take no room.
pub fn folded(line: &str, margin: usize, width: Option<usize>) -> String {
    let Some(width) = width else { return line.to_string() };
    let (mut text, mut used) = (String::new(), 0);
    for (number, word) in line.split(' ').enumerate() {
        let long = visible(word);
        if number > 0 && used + 1 + long > width && used > margin {
            text.push_str(&format!("\n{}", " ".repeat(margin)));
            used = margin;
        } else if number > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += long;
    }
    text
}

fn visible(word: &str) -> usize {
    let mut is_colour = false;
    let shown = word.chars().filter(|letter| {
        let is_hidden = is_colour || *letter == '\u{1b}';
        is_colour = is_hidden && *letter != 'm';
        !is_hidden
    });
    shown.count()
}

/// At most this many characters, with a sign that something is missing.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) if most > 0 => format!("{}…", text.chars().take(most - 1).collect::<String>()),
        Some(_) => String::new(),
        None => text.to_string(),
    }
}

/// The gist of a result on one line.
pub fn preview(value: &Value, most: usize) -> String {
    let text = match value {
        Value::String(text) => return format!("“{}”", one_line(text, most)),
        Value::Object(fields) => match (fields.get("outcome"), fields.get("summary"), fields.len()) {
            (Some(Value::String(outcome)), ..) => {
                let feedback = fields.get("feedback").and_then(Value::as_str).unwrap_or_default();
                if feedback.is_empty() { outcome.clone() } else { format!("{outcome}: {feedback}") }
            }
            (None, Some(Value::String(summary)), _) if !summary.is_empty() => summary.clone(),
            (_, _, 1) => return fields.values().next().map_or_else(String::new, |only| preview(only, most)),
            _ => value.to_string(),
        },
        other => other.to_string(),
    };
    one_line(&text, most)
}

/// A value the way a person writes a list: one line per field, texts as they are, long things cut with a count.
pub fn outline(value: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    write(value, 0, &mut lines);
    lines
}

fn write(value: &Value, depth: usize, lines: &mut Vec<String>) {
    let margin = "  ".repeat(depth);
    match value {
        Value::Object(fields) => {
            let width = fields.iter().filter(|(_, value)| is_plain(value)).map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            for (name, field) in fields.iter().filter(|(_, field)| !is_nothing(field)) {
                if is_plain(field) {
                    lines.push(format!("{margin}{name:<width$}  {}", plain(field)));
                } else {
                    lines.push(format!("{margin}{name}"));
                    write(field, depth + 1, lines);
                }
            }
        }
        Value::Array(items) => {
            for item in items.iter().take(MOST_MEMBERS) {
                let start = lines.len();
                write(item, depth + 1, lines);
                if let Some(first) = lines.get_mut(start) {
                    *first = format!("{margin}- {}", first.trim_start());
                }
            }
            if items.len() > MOST_MEMBERS {
                lines.push(format!("{margin}… and {} more", items.len() - MOST_MEMBERS));
            }
        }
        Value::String(text) => {
            let mut written = text.lines();
            lines.extend(written.by_ref().take(MOST_LINES).map(|line| format!("{margin}{line}")));
            let left = written.count();
            if left > 0 {
                lines.push(format!("{margin}… and {left} more lines"));
            }
        }
        other => lines.push(format!("{margin}{other}")),
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\n'),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        other => other.to_string(),
    }
}

/// `$0.10`, `$0.10, $0.30 uncertain`, or nothing where nothing has cost anything.
pub fn money(spent: Usd, uncertain: Usd) -> String {
    match (spent.0, uncertain.0) {
        (0, 0) => String::new(),
        (_, 0) => spent.to_string(),
        (_, _) => format!("{spent}, {uncertain} uncertain"),
    }
}

/// The same where nobody has told what some of the calls cost: `not told`, `$0.10+`, `$0.10+, $0.30 uncertain`.
pub fn cost(spent: Usd, uncertain: Usd, untold: u64) -> String {
    match (untold, uncertain) {
        (0, _) => money(spent, uncertain),
        (_, Usd::ZERO) => told(spent, untold),
        (_, _) => format!("{}, {uncertain} uncertain", told(spent, untold)),
    }
}

/// An amount to which calls belong whose cost nobody has told: `not told`, `$0.10+`.
pub fn told(spent: Usd, untold: u64) -> String {
    match (untold, spent) {
        (0, _) => spent.to_string(),
        (_, Usd::ZERO) => NOT_TOLD.to_string(),
        (_, _) => format!("{spent}+"),
    }
}

/// The same in a sentence: `$0.10 spent`, `cost not told`.
pub fn spent(spent: Usd, untold: u64) -> String {
    match (untold, spent) {
        (0, _) => format!("{spent} spent"),
        (_, Usd::ZERO) => format!("cost {NOT_TOLD}"),
        (_, _) => format!("{spent} spent and more that was {NOT_TOLD}"),
    }
}

/// `3 tasks`, `1 task`.
pub fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_nobody_has_told_the_cost_of_is_not_shown_as_nothing() {
        let check = |spent: u64, uncertain: u64, untold: u64, expected: [&str; 2]| {
            assert_eq!([cost(Usd(spent), Usd(uncertain), untold), super::spent(Usd(spent), untold)], expected);
        };
        check(0, 0, 0, ["", "$0.00 spent"]);
        check(100_000, 300_000, 0, ["$0.10, $0.30 uncertain", "$0.10 spent"]);
        check(0, 0, 2, ["not told", "cost not told"]);
        check(0, 300_000, 2, ["not told, $0.30 uncertain", "cost not told"]);
        check(100_000, 0, 2, ["$0.10+", "$0.10 spent and more that was not told"]);
        check(100_000, 300_000, 2, ["$0.10+, $0.30 uncertain", "$0.10 spent and more that was not told"]);
    }

    #[test]
    fn a_preview_is_one_short_line() {
        let check = |value: Value, expected: &str| assert_eq!(preview(&value, 20), expected);
        check(json!("Hydrate\n Green"), "“Hydrate Green”");
        check(json!({ "slogan": "Hydrate Green" }), "“Hydrate Green”");
        check(json!({ "outcome": "approved", "score": 1 }), "approved");
        check(json!({ "outcome": "needs_revision", "feedback": "Be bold." }), "needs_revision: Be …");
        check(json!({ "summary": "12 passed", "exit_code": 0 }), "12 passed");
        check(json!([1, 2]), "[1,2]");
    }

    #[test]
    fn control_characters_of_an_answer_do_not_reach_the_terminal() {
        assert_eq!(one_line("a\u{1b}[2Jb", 80), "a[2Jb");
    }

    #[test]
    fn a_key_is_hidden_before_it_is_cut() {
        motet_agents::hide([motet_agents::Secret::new("sk-on-one-line-0123456789")]);
        assert_eq!(one_line("tea as sk-on-one-line-0123456789 says", 20), "tea as [redacted] s…");
    }

    #[test]
    fn a_line_is_folded_between_words_where_the_screen_ends() {
        let check = |line: &str, width: Option<usize>, expected: &str| assert_eq!(folded(line, 4, width), expected);
        check("  ✓ one two three", Some(12), "  ✓ one two\n    three");
        check("  ✓ one two three", None, "  ✓ one two three");
        check("  ✓ \u{1b}[2mone two\u{1b}[0m three", Some(12), "  ✓ \u{1b}[2mone two\u{1b}[0m\n    three");
        check("  ✓ a-word-longer-than-the-screen b", Some(12), "  ✓ a-word-longer-than-the-screen\n    b");
    }

    #[test]
    fn an_output_reads_like_a_list() {
        let value = json!({ "slogan": "Go", "turns": [{ "n": 1, "ok": false }, { "n": 2, "ok": true }], "note": null, "text": "a\nb" });
        assert_eq!(outline(&value), ["slogan  Go", "turns", "  - n   1", "    ok  no", "  - n   2", "    ok  yes", "text", "  a", "  b"]);
    }
}
