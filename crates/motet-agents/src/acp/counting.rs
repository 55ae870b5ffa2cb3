//! How many tool calls an agent has made: those that it tells of, and those that relays have seen, each of them once.
//! The protocol has no name for a tool, only a title for people: so a call is known again by its arguments, where they are told.

use serde_json::Value;

/// What is known of the arguments of one call; None: nothing, so that it may be any.
pub(super) type Known = Option<Value>;

/// A call that was told and one that was seen may be the same unless their arguments differ. As many as can be are taken for the same,
/// so that of calls that cannot be told apart the larger number counts.
pub(super) fn together(told: impl IntoIterator<Item = Known>, seen: impl IntoIterator<Item = Known>) -> u64 {
    let (mut told_plainly, mut told_vaguely) = (Vec::new(), 0);
    for known in told {
        match known {
            Some(known) => told_plainly.push(known),
            None => told_vaguely += 1,
        }
    }
    let all_told = told_plainly.len() + told_vaguely;
    let (mut others, mut vaguely_seen) = (0_usize, 0_usize);
    for known in seen {
        match known {
            None => vaguely_seen += 1,
            Some(arguments) => match told_plainly.iter().position(|told| is_about(told, &arguments)) {
                Some(place) => drop(told_plainly.swap_remove(place)),
                None => others += 1,
            },
        }
    }
    // What was told without its arguments may be any of the others, and what was seen without them any that is left.
    let same = others.min(told_vaguely);
    let new = (others - same) + vaguely_seen.saturating_sub(told_plainly.len() + told_vaguely - same);
    u64::try_from(all_told + new).unwrap_or(u64::MAX)
}

/// Some agents tell the arguments by themselves, others with the names of server and tool around them, as they are or as a text.
fn is_about(told: &Value, arguments: &Value) -> bool {
    let is_written =
        |value: &Value| value.as_str().and_then(|text| serde_json::from_str(text).ok()).is_some_and(|read: Value| read == *arguments);
    let is_within = |value: &Value| (value.is_object() && value == arguments) || is_written(value);
    is_within(told) || told.as_object().is_some_and(|fields| fields.values().any(is_within))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(told: &[Known], seen: &[Known], expected: u64) {
        assert_eq!(together(told.to_vec(), seen.to_vec()), expected, "{told:?} {seen:?}");
    }

    fn of(text: &str) -> Known {
        Some(json!({ "text": text }))
    }

    fn wrapped(text: &str) -> Known {
        Some(json!({ "server": "files", "tool": "echo", "arguments": { "text": text } }))
    }

    #[test]
    fn a_call_that_is_told_and_seen_is_one() {
        check(&[of("a"), of("b")], &[of("a"), of("b")], 2);
        check(&[wrapped("a")], &[of("a")], 1);
        check(&[of("a"), of("a")], &[of("a")], 2);
        check(&[of("a")], &[of("a"), of("a")], 2);
        check(&[Some(json!({ "b": 1, "a": 2 }))], &[Some(json!({ "a": 2, "b": 1 }))], 1);
        check(&[Some(json!({ "tool": "echo", "arguments": "{\"text\": \"a\"}" }))], &[of("a")], 1);
        check(&[Some(json!({ "tool": "list", "arguments": {} }))], &[Some(json!({}))], 1);
        check(&[Some(json!({ "path": null }))], &[Some(json!({}))], 2);
    }

    #[test]
    fn a_call_that_is_only_told_or_only_seen_is_another() {
        check(&[], &[of("a")], 1);
        check(&[of("a")], &[], 1);
        check(&[of("x"), of("a")], &[of("a"), of("b")], 3);
    }

    #[test]
    fn of_what_cannot_be_told_apart_the_larger_number_counts() {
        check(&[None], &[of("a"), of("b")], 2);
        check(&[None, None, None], &[of("a"), of("b")], 3);
        check(&[None, of("x")], &[of("a"), of("b")], 3);
        check(&[of("x"), of("y")], &[None], 2);
        check(&[of("x")], &[None, None], 2);
        check(&[None, of("a")], &[of("a"), of("b"), None], 3);
    }
}
