//! What can be counted in a text itself: what it covers, how it is divided, how long and how hard to read it is, where it links to.
//! Each measure is a number from 0 to 1; what number is good enough, the brief says.

use std::collections::BTreeSet;

use super::ratio;
use crate::builtins::brief::Brief;
use crate::builtins::draft::Draft;
use crate::builtins::words::words_of;
use crate::builtins::{readability, words};
use serde_json::json;

/// Words too common to say that something is covered.
const COMMON: [&str; 24] = [
    "what", "which", "when", "where", "with", "from", "into", "that", "this", "these", "those", "their", "about", "between", "have",
    "does", "will", "your", "they", "than", "then", "over", "under", "more",
];

/// The share of what the brief names that the text mentions, and what is missing. A name is mentioned as far as its telling words
/// are; endings do not count.
pub(super) fn completeness(brief: &Brief, draft: &Draft) -> (f64, Vec<String>) {
    let stems: BTreeSet<String> = words_of(&draft.content).chain(words_of(&draft.title)).map(stem).collect();
    let named = [&brief.topic].into_iter().chain(&brief.key_points).chain(&brief.specific_sections).chain(&brief.keywords);
    let (mut total, mut count, mut missing) = (0.0, 0, Vec::new());
    for name in named {
        let telling: Vec<String> = words_of(name).filter(|word| is_telling(word)).map(stem).collect();
        let share = ratio(telling.iter().filter(|word| stems.contains(*word)).count() as f64, telling.len() as f64);
        total += share;
        count += 1;
        if share < 0.5 {
            missing.push(name.clone());
        }
    }
    (total / f64::from(count), missing)
}

fn is_telling(word: &str) -> bool {
    let short = word.chars().count() < 4 && !word.chars().all(|letter| letter.is_uppercase() || letter.is_numeric());
    !short && !COMMON.contains(&word.to_lowercase().as_str())
}

/// Crude on purpose: the first six letters tell words apart well enough to see whether a topic comes up.
fn stem(word: &str) -> String {
    word.to_lowercase().chars().take(6).collect()
}

/// One heading for every five hundred words, and one at least.
pub(super) fn structure(content: &str, words: f64) -> f64 {
    let wanted = (words / 500.0).floor().max(1.0);
    ratio(headings(content) as f64, wanted)
}

fn headings(content: &str) -> usize {
    words::outline(&json!({ "text": content })).ok().and_then(|outline| outline["headings"].as_array().map(Vec::len)).unwrap_or(0)
}

/// A tenth less and a fifth more than the target are as good as the target.
pub(super) fn length(words: f64, target: f64) -> f64 {
    if words < target { ratio(words, target * 0.9) } else { ratio(target * 1.2, words) }
}

/// A tenth less for every grade above what readers of this tone expect.
pub(super) fn readability(content: &str, tone: Option<&str>) -> Option<f64> {
    let grade = readability::readability(&json!({ "text": content })).ok()?["grade"].as_f64()?;
    let hardest = match tone {
        Some("casual" | "conversational") => 10.0,
        Some("academic" | "technical") => 18.0,
        _ => 14.0,
    };
    Some((1.0 - (grade - hardest).max(0.0) / 10.0).max(0.0))
}

/// The addresses that a Markdown text links to: pages, and files of whoever asked.
pub(super) fn links(content: &str) -> Vec<&str> {
    let after = content.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    after.filter(|link| ["http://", "https://", "file://"].iter().any(|scheme| link.starts_with(scheme))).collect()
}
