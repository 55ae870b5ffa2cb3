//! The words on an arrow: short enough to read at a glance, with the whole of it kept for those who ask.
//! It never evaluates or simplifies a condition; it only leaves out what a reader can do without.

use motet_core::definition::Transition;

/// Characters of a line under a state's name.
pub const DETAIL_WIDTH: usize = 30;
/// Characters of a condition.
const CONDITION_WIDTH: usize = 30;
/// A reason that is longer than this is a sentence and no name for an arrow.
const REASON_WIDTH: usize = 24;

/// `approved`, `needs_revision, count fixes`, `otherwise, count turns`, `ux_required`.
pub fn of_transition(outcome: Option<&str>, transition: &Transition, has_siblings: bool) -> String {
    let condition = match &transition.when {
        Some(_) => Some(short_condition(transition)),
        None if has_siblings => Some("otherwise".to_string()),
        None => None,
    };
    let count = transition.count.as_ref().map(|counter| format!("count {counter}"));
    outcome.map(String::from).into_iter().chain(condition).chain(count).collect::<Vec<_>>().join(", ")
}

/// Everything a transition says, one thing per line.
pub fn whole(transition: &Transition) -> String {
    let text = |word: &str, text: &Option<motet_core::template::Text>| text.as_ref().map(|text| format!("{word} {}", text.source));
    let resets = transition.reset.iter().map(|counter| counter.as_str()).collect::<Vec<_>>().join(", ");
    [
        transition.when.as_ref().map(|when| format!("when {}", when.source)),
        transition.count.as_ref().map(|counter| format!("counts {counter}")),
        (!resets.is_empty()).then(|| format!("resets {resets}")),
        text("because", &transition.because),
        text("warns", &transition.warn),
        text("notes", &transition.note),
        transition.partial.then(|| "the result becomes partial".to_string()),
        transition.back.as_ref().map(|back| format!("back means {back}")),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join("\n")
}

/// At most so many characters, the last of them an ellipsis where something was cut.
pub fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The author's own word for the reason where it is one, else the condition without the names of its stores.
fn short_condition(transition: &Transition) -> String {
    let reason = transition.because.as_ref().map(|because| because.source.as_str());
    if let Some(reason) = reason.filter(|reason| reason.chars().count() <= REASON_WIDTH && !reason.contains("{{")) {
        return reason.into();
    }
    let condition = transition.when.as_ref().map_or("", |when| when.source.as_str());
    shorten(&without_stores(condition), CONDITION_WIDTH)
}

/// `data.review.outcome == "approved"` reads as `review.outcome == "approved"`.
fn without_stores(condition: &str) -> String {
    let mut short = String::new();
    let mut rest = condition;
    while let Some(next) = rest.chars().next() {
        let begins_word = !short.ends_with(|before: char| before.is_alphanumeric() || "_.\"'".contains(before));
        let store = ["data.", "input.", "result.", "counters."].into_iter().find(|store| begins_word && rest.starts_with(store));
        match store {
            Some(store) => rest = &rest[store.len()..],
            None => {
                short.push(if next.is_whitespace() { ' ' } else { next });
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    short.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
